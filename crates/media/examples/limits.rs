//! Whether any file takes too long or too much memory: `cargo run --release -p lightfast-media --example limits -- FOLDER…`
//!
//! Reads the facts of every file below the folders, one after the other, in this one process. A panic ends it. Prints the slowest
//! files, the most reads and bytes of a file, and the peak memory of the whole run; leaves with 1 when a file took more than
//! two seconds or the run more than 200 MB.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lightfast_media::FileSource;

const MAX_TIME: Duration = Duration::from_secs(2);
const MAX_MEMORY: u64 = 200_000_000;

fn main() -> std::io::Result<ExitCode> {
    let mut files = Vec::new();
    for folder in std::env::args_os().skip(1) {
        list(Path::new(&folder), &mut files)?;
    }
    let mut times = Vec::new();
    let (mut reads, mut bytes, mut with_problems) = (0, 0, 0);
    for path in files {
        let begin = Instant::now();
        let mut source = FileSource::new(File::open(&path)?)?;
        let facts = lightfast_media::facts(&mut source, path.file_name().unwrap_or_default());
        times.push((begin.elapsed(), path));
        reads = reads.max(source.reads());
        bytes = bytes.max(source.bytes_read());
        with_problems += u32::from(!facts.problems.is_empty());
    }
    times.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    for (time, path) in times.iter().take(5) {
        println!("{:8.1} ms  {}", time.as_secs_f64() * 1000.0, path.display());
    }
    let peak = peak_memory()?;
    println!(
        "{} files, {with_problems} of them damaged in some way; at most {reads} reads and {:.1} MB a file; peak memory {:.1} MB",
        times.len(),
        bytes as f64 / 1e6,
        peak as f64 / 1e6
    );
    let is_slow = times.first().is_some_and(|(time, _)| *time > MAX_TIME);
    Ok(if is_slow || peak > MAX_MEMORY { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The most memory that this process held at one time, as Linux counts it.
fn peak_memory() -> std::io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Ok(kilobytes.unwrap_or_default() * 1024)
}

fn list(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        list(&entry?.path(), files)?;
    }
    Ok(())
}

//! How fast facts are read, on one core: `cargo run --release -p lightfast-media --example facts_speed -- FOLDER [--exiftool]`
//!
//! Reads every file below the folder once to warm the cache, then again with the clock running; prints files a second, and reads
//! and bytes a file. With `--exiftool`, ExifTool's `-fast2` over the same folder beside it.

#![allow(clippy::print_stdout)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use lightfast_media::FileSource;

fn main() -> std::io::Result<()> {
    let mut folder = None;
    let mut beside = false;
    for argument in std::env::args_os().skip(1) {
        if argument == "--exiftool" {
            beside = true;
        } else {
            folder = Some(PathBuf::from(argument));
        }
    }
    let Some(folder) = folder else {
        println!("usage: facts_speed FOLDER [--exiftool]");
        return Ok(());
    };
    let mut files = Vec::new();
    list(&folder, &mut files)?;
    let mut result = (0, 0);
    for round in ["cold or warm", "warm"] {
        let begin = Instant::now();
        result = (0, 0);
        for path in &files {
            let mut source = FileSource::new(File::open(path)?)?;
            let facts = lightfast_media::facts(&mut source, path.file_name().unwrap_or_default());
            std::hint::black_box(&facts);
            result = (result.0 + source.reads(), result.1 + source.bytes_read());
        }
        let seconds = begin.elapsed().as_secs_f64();
        println!("{round}: {} files in {seconds:.3} s, {:.0} files/s", files.len(), files.len() as f64 / seconds);
    }
    let count = files.len().max(1) as f64;
    println!("{:.2} reads and {:.1} KB a file", result.0 as f64 / count, result.1 as f64 / count / 1000.0);
    if beside {
        let begin = Instant::now();
        let output =
            Command::new("exiftool").args(["-fast2", "-json", "-n", "-r", "-q", "-q"]).arg(&folder).output()?;
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "exiftool -fast2: {seconds:.3} s, {:.0} files/s, {} bytes of JSON",
            files.len() as f64 / seconds,
            output.stdout.len()
        );
    }
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

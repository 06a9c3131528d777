//! How usable the machine stays: the latency of small things while a transfer runs.
//!
//! Two things are timed, as a person's other program would do them: how late a 10 ms timer fires, and how long it
//! takes to open a small file, read it, write it and sync it on the destination's disk, ten times a second.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::stats::quantile;

const TICK: Duration = Duration::from_millis(10);
const TICKS_PER_FILE: u32 = 10;
const SMALL: usize = 4096;

/// Latencies of one transfer, or of the idle machine; milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// How late the timer fired: the median.
    pub timer_p50: f64,
    /// One in a hundred was later than this.
    pub timer_p99: f64,
    /// Open, read, write and sync of a small file: the median.
    pub file_p50: f64,
    /// One in a hundred took longer.
    pub file_p99: f64,
    /// How many file probes there were.
    pub files: usize,
}

/// A probe that runs until it is stopped.
#[derive(Debug)]
pub(crate) struct Probe {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<(Vec<f64>, Vec<f64>)>,
}

impl Probe {
    /// Starts probing with a small file in this folder.
    pub(crate) fn start(folder: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, path) = (Arc::clone(&stop), folder.join(".lightfast-bench-probe"));
        let thread = std::thread::spawn(move || run(&stopped, &path));
        Self { stop, thread }
    }

    /// Stops it.
    pub(crate) fn finish(self) -> Latency {
        self.stop.store(true, Ordering::Relaxed);
        let (mut timer, mut file) = self.thread.join().unwrap_or_default();
        timer.sort_by(f64::total_cmp);
        file.sort_by(f64::total_cmp);
        let at = |values: &[f64], share| quantile(values, share).unwrap_or(0.0);
        Latency {
            timer_p50: at(&timer, 0.5),
            timer_p99: at(&timer, 0.99),
            file_p50: at(&file, 0.5),
            file_p99: at(&file, 0.99),
            files: file.len(),
        }
    }
}

/// The machine as it is when nothing is asked of it.
pub(crate) fn idle(folder: &Path, time: Duration) -> Latency {
    let probe = Probe::start(folder);
    std::thread::sleep(time);
    probe.finish()
}

fn run(stop: &AtomicBool, path: &PathBuf) -> (Vec<f64>, Vec<f64>) {
    let (mut timer, mut file) = (Vec::new(), Vec::new());
    let _ = std::fs::write(path, [0; SMALL]);
    let mut ticks: u32 = 0;
    while !stop.load(Ordering::Relaxed) {
        let before = Instant::now();
        std::thread::sleep(TICK);
        timer.push(milliseconds(before.elapsed().saturating_sub(TICK)));
        ticks = ticks.wrapping_add(1);
        if ticks.is_multiple_of(TICKS_PER_FILE) {
            let before = Instant::now();
            if small_file(path).is_ok() {
                file.push(milliseconds(before.elapsed()));
            }
        }
    }
    let _ = std::fs::remove_file(path);
    (timer, file)
}

fn small_file(path: &Path) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut block = [0; SMALL];
    file.read_exact(&mut block)?;
    block.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&block)?;
    file.sync_all()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

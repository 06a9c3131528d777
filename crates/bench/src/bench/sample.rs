//! Watches a tree of processes while it works: CPU over time by program, and the memory of all of it.
//!
//! Sampled, so a process that lives for less than a sample may be missed here; the sums of CPU and bytes are not
//! taken from samples but from the kernel's books (see `measure`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::books::{children, process};

/// Between two looks.
pub(crate) const STEP: Duration = Duration::from_millis(50);

/// What was seen.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Samples {
    /// Seconds between two samples.
    pub step_seconds: f64,
    /// Cores busy, by program, sample by sample.
    pub cpu: BTreeMap<String, Vec<f64>>,
    /// The most memory (resident) that all processes of the tree had at once.
    pub peak_memory: u64,
    /// Of the helpers.
    pub helper_peak_memory: u64,
}

/// A sampler that runs until it is stopped.
#[derive(Debug)]
pub(crate) struct Sampler {
    stop: Arc<AtomicBool>,
    roots: Arc<Mutex<Vec<u32>>>,
    thread: std::thread::JoinHandle<Samples>,
}

impl Sampler {
    /// Starts watching helpers; the tree is named with [`Sampler::watch`] once it has been started.
    pub(crate) fn start(helpers: &[u32]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let roots = Arc::new(Mutex::new(Vec::new()));
        let (stopped, trees, helpers) = (Arc::clone(&stop), Arc::clone(&roots), helpers.to_vec());
        let thread = std::thread::spawn(move || run(&stopped, &trees, &helpers));
        Self { stop, roots, thread }
    }

    /// Watches this process and all below it.
    pub(crate) fn watch(&self, pid: u32) {
        if let Ok(mut roots) = self.roots.lock() {
            roots.push(pid);
        }
    }

    /// Stops it.
    pub(crate) fn finish(self) -> Samples {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

fn run(stop: &AtomicBool, roots: &Mutex<Vec<u32>>, helpers: &[u32]) -> Samples {
    let mut samples = Samples { step_seconds: STEP.as_secs_f64(), ..Samples::default() };
    let mut before: BTreeMap<u32, f64> = BTreeMap::new();
    let mut length = 0;
    let mut next = Instant::now();
    loop {
        let pids: Vec<u32> = roots.lock().map(|r| r.clone()).unwrap_or_default();
        let tree: BTreeSet<u32> = pids.into_iter().flat_map(below).collect();
        let (mut memory, mut helper_memory) = (0, 0);
        let mut now = BTreeMap::new();
        for (pid, helper) in tree.iter().map(|&p| (p, false)).chain(helpers.iter().map(|&p| (p, true))) {
            let Some(seen) = process(pid) else { continue };
            *(if helper { &mut helper_memory } else { &mut memory }) += seen.resident;
            let was = before.get(&pid).copied().unwrap_or(if helper { seen.cpu_seconds } else { 0.0 });
            let busy = (seen.cpu_seconds - was).max(0.0) / STEP.as_secs_f64();
            let series = samples.cpu.entry(seen.name).or_default();
            series.resize(length + 1, 0.0);
            if let Some(last) = series.last_mut() {
                *last += busy;
            }
            now.insert(pid, seen.cpu_seconds);
        }
        before = now;
        length += 1;
        samples.peak_memory = samples.peak_memory.max(memory);
        samples.helper_peak_memory = samples.helper_peak_memory.max(helper_memory);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        next += STEP;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    for series in samples.cpu.values_mut() {
        series.resize(length, 0.0);
    }
    samples
}

/// A process and all below it.
pub(crate) fn below(pid: u32) -> Vec<u32> {
    let (mut all, mut at) = (vec![pid], 0);
    while let Some(&next) = all.get(at) {
        // A tree of processes is finite, but it changes while it is read.
        for child in children(next).into_iter().take(1000) {
            if !all.contains(&child) {
                all.push(child);
            }
        }
        at += 1;
    }
    all
}

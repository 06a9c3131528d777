//! Damaged RAWs given to the worker, many of them: does anything but the worker ever fall?
//!
//! `cargo run --release -p lightfast-worker --example mutated -- PROGRAM COUNT FILE…`
//!
//! PROGRAM is lightfast. Each file is damaged in COUNT / files ways, the same ones each time (bytes
//! changed, most of them near the front, where directories lie; or cut short), and developed by
//! two workers. Printed: how each ended, and the longest time. (`/usr/bin/time -v` tells the workers' largest memory.)
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lightfast_worker::{DevelopOptions, Fault, Job, JobError, Task, Worker, WorkerOptions};

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end.max(1)
    }
}

fn damaged(original: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    random.below(2);
    let mut bytes = original.to_vec();
    for _ in 0..1 + random.below(8) {
        let reach = if random.below(4) > 0 { bytes.len().min(4096) } else { bytes.len() };
        let at = random.below(reach);
        let extreme = [0, 1, 0x7f, 0x80, 0xff];
        bytes[at] = if random.below(2) == 0 { extreme[random.below(5)] } else { random.below(256) as u8 };
    }
    if random.below(8) == 0 {
        bytes.truncate(random.below(original.len()));
    }
    bytes
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, count) = (&arguments[0], arguments[1].parse::<usize>().expect("a number"));
    let files: Vec<Vec<u8>> = arguments[2..].iter().map(|path| std::fs::read(path).expect("a file")).collect();
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let longest = Mutex::new(Duration::ZERO);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut worker = Worker::new(WorkerOptions::new(program));
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let bytes = damaged(&files[at % files.len()], at as u64 + 1);
                    let memory = rustix::fs::memfd_create("raw", rustix::fs::MemfdFlags::CLOEXEC).expect("memory");
                    let mut file = std::fs::File::from(memory);
                    file.write_all(&bytes).expect("memory");
                    let task = Task::Develop(DevelopOptions::default());
                    let start = Instant::now();
                    let outcome = worker.run(&Job { file: file.as_fd(), offset: 0, length: bytes.len() as u64, task });
                    let took = start.elapsed();
                    let word = match &outcome {
                        Ok(_) => "rendered".to_owned(),
                        Err(JobError::Refused { kind, .. }) => format!("refused, {kind:?}"),
                        Err(JobError::GivenUp { fault: Fault::Crashed { how, said }, .. }) => {
                            eprintln!("{at}: {}: crashed ({how}): {said}", arguments[2 + at % files.len()]);
                            format!("the worker crashed, {how}")
                        }
                        Err(JobError::GivenUp { fault, .. }) => {
                            eprintln!("{at}: {}: {fault}", arguments[2 + at % files.len()]);
                            format!("the worker {fault}")
                        }
                        Err(error) => panic!("{error}"),
                    };
                    *outcomes.lock().expect("a lock").entry(word).or_default() += 1;
                    let mut longest = longest.lock().expect("a lock");
                    *longest = took.max(*longest);
                }
            });
        }
    });
    for (word, number) in outcomes.into_inner().expect("a lock") {
        println!("{number:>6}  {word}");
    }
    let longest = longest.into_inner().expect("a lock");
    println!(
        "{count} files in {:.0} s; the longest took {:.1} s",
        began.elapsed().as_secs_f64(),
        longest.as_secs_f64()
    );
}

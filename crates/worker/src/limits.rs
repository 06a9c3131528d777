//! What a job may cost, by its kind.
//!
//! A decoder checks pixels and bytes before it starts. Address space and
//! processor time are the kernel's to enforce, on the child; the time on the
//! wall is the caller's. The figures are generous: several times what the
//! largest real files need, so that what hits one is broken or hostile.

use std::time::Duration;

use crate::Task;

/// What one job may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the stored picture.
    pub pixels: u64,
    /// Bytes read of the file.
    pub input: u64,
    /// Bytes of the answer.
    pub output: u64,
    /// Bytes of the child's address space.
    pub memory: u64,
    /// Processor time of the child.
    pub cpu: Duration,
    /// Time on the wall; ten times that for a child of idle priority, which may have to wait for its turn.
    pub wall: Duration,
}

/// The limits of each kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    /// For [`Task::Thumbnail`].
    pub thumbnail: Limits,
    /// For [`Task::Fit`].
    pub fit: Limits,
    /// For [`Task::Develop`].
    pub develop: Limits,
}

impl Default for TaskLimits {
    fn default() -> Self {
        let thumbnail = Limits {
            pixels: 1_000_000_000,
            input: 256 << 20,
            output: 16 << 20,
            memory: 2 << 30,
            cpu: Duration::from_secs(20),
            wall: Duration::from_secs(120),
        };
        let fit = Limits {
            output: 64 << 20,
            memory: 3 << 30,
            cpu: Duration::from_secs(60),
            wall: Duration::from_secs(300),
            ..thumbnail
        };
        let develop = Limits {
            pixels: 200_000_000,
            input: 512 << 20,
            output: 256 << 20,
            memory: 3 << 30,
            cpu: Duration::from_secs(60),
            wall: Duration::from_secs(300),
        };
        Self { thumbnail, fit, develop }
    }
}

impl TaskLimits {
    /// For one job.
    pub fn of(&self, task: &Task) -> Limits {
        match task {
            Task::Thumbnail { .. } => self.thumbnail,
            Task::Fit { .. } => self.fit,
            Task::Develop(_) => self.develop,
        }
    }
}

//! Working through the queue: workers, what holds them up, and what is said meanwhile.
//!
//! A thread for each worker takes an item, has it rendered and keeps the picture. It waits
//! while an import holds the library's lock, and while the disk is full, and goes on by
//! itself. A file that cannot be rendered is noted with its reason and left; one whose worker
//! was killed from outside is tried again behind the others. Stopping it at any moment
//! leaves whole pictures only, and the next build goes on from there.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use lightfast_worker::{Fault, Job, JobError, Picture, Refusal, Task, Worker, WorkerOptions};

use crate::entry::{Entry, Level};
use crate::locked::is_locked;
use crate::queue::{Item, Queue};
use crate::store::{Store, StoreError};

/// How often it is looked whether what holds the build up is over.
const LOOK: Duration = Duration::from_millis(300);
/// How long a person who looked at a picture is taken to look at more.
const MOMENT: Duration = Duration::from_secs(2);
/// Bytes that must be free, beyond the picture, before a build goes on after the disk was full.
const MARGIN: u64 = 64 << 20;
/// A file whose worker was killed from outside is put behind the others so many times.
const MOST_KILLS: u32 = 5;

/// One build.
#[derive(Debug)]
pub struct Build<'a> {
    /// What is to be rendered.
    pub queue: &'a Queue,
    /// Where it is kept.
    pub store: &'a Store,
    /// At which size.
    pub level: Level,
    /// How a worker is started.
    pub worker: WorkerOptions,
    /// How many, at least one.
    pub workers: usize,
    /// The file that an import locks; builds wait for it.
    pub import_lock: Option<&'a Path>,
    /// Until when somebody needs the machine for what is looked at; builds wait for it.
    pub looked_at: Option<&'a LookedAt>,
    /// The clock, for when an entry was used.
    pub now: fn() -> SystemTime,
}

/// When somebody last looked at a picture. Idle priority alone is not enough: two threads of a processor share what a core
/// has, and the picture that is waited for comes a tenth later.
#[derive(Debug, Default)]
pub struct LookedAt(Mutex<Option<Instant>>);

impl LookedAt {
    /// Somebody looks now.
    pub fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether it was a moment ago.
    pub fn is_recent(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| at.elapsed() < MOMENT)
    }
}

/// What a build says.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A picture was rendered and kept.
    Rendered {
        /// The file.
        name: String,
    },
    /// A file was not rendered.
    Failed {
        /// The file.
        name: String,
        /// Why.
        reason: String,
    },
    /// How far it is.
    Progress {
        /// Files done, failures among them.
        files: u64,
        /// Files in all.
        files_total: u64,
        /// Bytes of RAW done.
        bytes: u64,
        /// Bytes of RAW in all.
        bytes_total: u64,
        /// Time left, from the speed so far.
        eta: Option<Duration>,
    },
    /// It waits.
    Paused {
        /// For what.
        reason: &'static str,
    },
    /// It goes on.
    Resumed,
}

/// Takes what a build says. Called from several threads.
pub trait Events: Sync {
    /// The next event; it must not block for long.
    fn event(&self, event: Event);
}

impl<F: Fn(Event) + Sync> Events for F {
    fn event(&self, event: Event) {
        self(event);
    }
}

/// How a build ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Pictures rendered and kept.
    pub rendered: u64,
    /// Files that could not be rendered.
    pub failed: u64,
    /// Files left in the queue.
    pub left: u64,
    /// What ended it early, other than a wish to stop.
    pub stopped: Option<Stopped>,
    /// How long it took.
    pub seconds: f64,
}

/// What ends a build early.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The cache holds no more.
    #[error(transparent)]
    Store(StoreError),
    /// No worker can be started.
    #[error(transparent)]
    Worker(JobError),
}

struct Shared<'a> {
    build: &'a Build<'a>,
    events: &'a dyn Events,
    stop: &'a AtomicBool,
    began: Instant,
    total: (u64, u64),
    files: AtomicU64,
    bytes: AtomicU64,
    rendered: AtomicU64,
    failed: AtomicU64,
    /// Threads that wait.
    waiting: AtomicU64,
    stopped: Mutex<Option<Stopped>>,
}

/// Renders what is queued, until it is done, stopped, or nothing more fits.
pub fn build(build: &Build<'_>, events: &dyn Events, stop: &AtomicBool) -> Outcome {
    let shared = Shared {
        build,
        events,
        stop,
        began: Instant::now(),
        total: build.queue.waiting(),
        files: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        rendered: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        waiting: AtomicU64::new(0),
        stopped: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        for _ in 0..build.workers.max(1) {
            scope.spawn(|| shared.work());
        }
    });
    Outcome {
        rendered: shared.rendered.load(Ordering::Relaxed),
        failed: shared.failed.load(Ordering::Relaxed),
        left: build.queue.waiting().0,
        stopped: shared.stopped.into_inner().unwrap_or_else(PoisonError::into_inner),
        seconds: shared.began.elapsed().as_secs_f64(),
    }
}

impl Shared<'_> {
    fn work(&self) {
        let mut worker = Worker::new(self.build.worker.clone());
        loop {
            self.wait("an import is running", || self.build.import_lock.is_some_and(is_locked));
            self.wait("somebody looks at pictures", || self.build.looked_at.is_some_and(LookedAt::is_recent));
            if self.ends() {
                return;
            }
            let Some(item) = self.build.queue.take() else { return };
            self.one(&mut worker, item);
        }
    }

    fn ends(&self) -> bool {
        let has_stopped = || self.stopped.lock().is_ok_and(|stopped| stopped.is_some());
        self.stop.load(Ordering::Relaxed) || has_stopped()
    }

    fn one(&self, worker: &mut Worker, mut item: Item) {
        let entry = Entry { hash: item.hash, level: self.build.level };
        if self.build.store.has(&entry) {
            return self.done(&item);
        }
        if let Some(reason) = self.build.store.failure(&item.hash) {
            return self.fail(&item, reason);
        }
        match self.render(worker, &item) {
            Ok(picture) => self.keep(&entry, &item, &picture),
            Err(JobError::GivenUp { fault: Fault::Killed, .. }) if item.kills < MOST_KILLS => {
                item.kills += 1;
                self.build.queue.put_back(item);
            }
            Err(error @ JobError::Start { .. }) => {
                self.build.queue.put_back(item);
                self.end(Stopped::Worker(error));
            }
            Err(error) => {
                // What cannot be read or was killed may go well another time.
                let lasts = !matches!(
                    error,
                    JobError::Refused { kind: Refusal::Read, .. } | JobError::GivenUp { fault: Fault::Killed, .. }
                );
                if lasts {
                    let _ = self.build.store.fail(&item.hash, &error.to_string());
                }
                self.fail(&item, error.to_string());
            }
        }
    }

    fn render(&self, worker: &mut Worker, item: &Item) -> Result<Picture, JobError> {
        let unreadable = |detail: String| JobError::Refused { kind: Refusal::Read, detail };
        let mut why = "no copy of it is on disk now".to_owned();
        for path in &item.paths {
            match File::open(path).and_then(|file| file.metadata().map(|found| (file, found.len()))) {
                Ok((file, length)) => {
                    let task = Task::Develop(self.build.level.options());
                    return worker.run(&Job { file: file.as_fd(), offset: 0, length, task });
                }
                Err(error) => why = format!("open {}: {error}", path.display()),
            }
        }
        Err(unreadable(why))
    }

    fn keep(&self, entry: &Entry, item: &Item, picture: &Picture) {
        loop {
            match self.build.store.put(entry, &picture.jpeg, (self.build.now)()) {
                Ok(()) => {
                    self.rendered.fetch_add(1, Ordering::Relaxed);
                    self.events.event(Event::Rendered { name: item.name.clone() });
                    return self.done(item);
                }
                Err(StoreError::NoSpace { .. }) if !self.ends() => {
                    // A quota may leave free space that is not ours: so look not too often.
                    std::thread::sleep(LOOK);
                    let needed = (picture.jpeg.len() as u64).saturating_add(MARGIN);
                    self.wait("the disk is full", || self.build.store.free().is_ok_and(|free| free < needed));
                }
                Err(error) => {
                    self.build.queue.put_back(item.clone());
                    return self.end(Stopped::Store(error));
                }
            }
        }
    }

    /// Waits as long as something holds the build up. The first thread that waits says so, the last that goes on too.
    fn wait(&self, reason: &'static str, held_up: impl Fn() -> bool) {
        if self.ends() || !held_up() {
            return;
        }
        if self.waiting.fetch_add(1, Ordering::AcqRel) == 0 {
            self.events.event(Event::Paused { reason });
        }
        while held_up() && !self.ends() {
            std::thread::sleep(LOOK);
        }
        if self.waiting.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.events.event(Event::Resumed);
        }
    }

    fn fail(&self, item: &Item, reason: String) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        self.events.event(Event::Failed { name: item.name.clone(), reason });
        self.done(item);
    }

    fn done(&self, item: &Item) {
        let files = self.files.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes.fetch_add(item.bytes, Ordering::Relaxed) + item.bytes;
        let (files_total, bytes_total) = self.total;
        let left = bytes_total.saturating_sub(bytes) as f64 / bytes.max(1) as f64;
        let eta = Duration::try_from_secs_f64(self.began.elapsed().as_secs_f64() * left).ok();
        self.events.event(Event::Progress { files, files_total, bytes, bytes_total, eta });
    }

    fn end(&self, why: Stopped) {
        if let Ok(mut stopped) = self.stopped.lock() {
            stopped.get_or_insert(why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_recent_when_it_was_just_now_and_not_before_the_first() {
        let looked = LookedAt::default();
        assert!(!looked.is_recent());
        looked.now();
        assert!(looked.is_recent());
    }
}

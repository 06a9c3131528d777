//! How far the import is: counters that the threads turn, and events made from them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lightfast_model::{Event, Progress, Stage};

use crate::options::Events;

/// The shortest time between two progress events.
const INTERVAL: Duration = Duration::from_millis(100);
/// How quickly the shown speed follows the measured one: the time after which a change has mostly arrived.
const SMOOTHING: f64 = 2.0;

/// Counts bytes and files, and says how far they are, ten times a second at most.
pub(crate) struct Meter<'a> {
    events: &'a dyn Events,
    /// Bytes read from the card and written.
    pub(crate) copied: AtomicU64,
    /// Bytes read back.
    pub(crate) verified: AtomicU64,
    /// Files answered.
    pub(crate) files: AtomicU64,
    files_total: u64,
    bytes_total: u64,
    verifies: bool,
    pace: Mutex<Pace>,
}

#[derive(Debug)]
struct Pace {
    last: Option<Instant>,
    last_work: u64,
    last_bytes: u64,
    /// Of both stages together, which the time to come is told from.
    working: f64,
    /// Of the stage that is shown.
    shown: f64,
}

/// A speed that follows what is measured, smoothed.
fn follow(speed: f64, bytes: u64, since: Duration) -> f64 {
    let measured = bytes as f64 / since.as_secs_f64();
    let weight = 1.0 - (-since.as_secs_f64() / SMOOTHING).exp();
    if speed == 0.0 { measured } else { speed + (measured - speed) * weight }
}

impl<'a> Meter<'a> {
    pub(crate) fn new(events: &'a dyn Events, files_total: u64, bytes_total: u64, verifies: bool) -> Self {
        let pace = Mutex::new(Pace { last: None, last_work: 0, last_bytes: 0, working: 0.0, shown: 0.0 });
        let zero = || AtomicU64::new(0);
        Self { events, copied: zero(), verified: zero(), files: zero(), files_total, bytes_total, verifies, pace }
    }

    /// Says how far it is, if it is time.
    pub(crate) fn tick(&self) {
        let Ok(mut pace) = self.pace.lock() else { return };
        let now = Instant::now();
        let since = pace.last.map(|last| now.duration_since(last));
        if since.is_some_and(|since| since < INTERVAL) {
            return;
        }
        let copied = self.copied.load(Ordering::Relaxed).min(self.bytes_total);
        let verified = self.verified.load(Ordering::Relaxed).min(self.bytes_total);
        let is_copying = copied < self.bytes_total || !self.verifies;
        let (stage, bytes) = if is_copying { (Stage::Copy, copied) } else { (Stage::Verify, verified) };
        // Work done in both stages together, so that the time to come does not jump where they change.
        let work = copied + if self.verifies { verified } else { 0 };
        let total = self.bytes_total * if self.verifies { 2 } else { 1 };
        if let Some(since) = since {
            pace.working = follow(pace.working, work.saturating_sub(pace.last_work), since);
            // Where the stage changes its bytes fall back: the speed of the one before stays until the next time.
            if bytes >= pace.last_bytes {
                pace.shown = follow(pace.shown, bytes - pace.last_bytes, since);
            }
        }
        (pace.last, pace.last_work, pace.last_bytes) = (Some(now), work, bytes);
        let eta_seconds = (pace.working > 1.0).then(|| total.saturating_sub(work) as f64 / pace.working);
        let progress = Progress {
            stage,
            files: self.files.load(Ordering::Relaxed),
            files_total: self.files_total,
            bytes,
            bytes_total: self.bytes_total,
            bytes_per_second: pace.shown as u64,
            eta_seconds,
        };
        drop(pace);
        self.events.event(Event::Progress(progress));
    }
}

//! For how long a stage was busy: the time during which at least one thread was at work in it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A stage's clock. Stages overlap, so their times add up to more than the whole.
#[derive(Debug, Default)]
pub(crate) struct Busy(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    active: u32,
    since: Option<Instant>,
    total: Duration,
}

/// Counts one thread as busy until it is dropped.
pub(crate) struct Guard<'a>(&'a Busy);

impl Busy {
    /// Begins a piece of work.
    pub(crate) fn start(&self) -> Guard<'_> {
        if let Ok(mut state) = self.0.lock() {
            if state.active == 0 {
                state.since = Some(Instant::now());
            }
            state.active += 1;
        }
        Guard(self)
    }

    /// Seconds so far.
    pub(crate) fn seconds(&self) -> f64 {
        self.0.lock().map_or(0.0, |state| {
            let running = state.since.map_or(Duration::ZERO, |since| since.elapsed());
            (state.total + running).as_secs_f64()
        })
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Ok(mut state) = self.0.0.lock() {
            state.active = state.active.saturating_sub(1);
            if state.active == 0
                && let Some(since) = state.since.take()
            {
                state.total += since.elapsed();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_work_is_counted_once() {
        let busy = Busy::default();
        let a = busy.start();
        let b = busy.start();
        drop(a);
        assert!(busy.0.lock().unwrap().since.is_some());
        drop(b);
        let total = busy.seconds();
        assert!(busy.0.lock().unwrap().since.is_none());
        assert_eq!(busy.seconds(), total);
    }
}

//! How long something that is costly waits for company.
//!
//! A sync costs a millisecond on one disk and a tenth of a second on another. Each sync serves all files that wait for
//! it, so the slower they are, the more files they should serve: a kind of sync may take a tenth of the time, and
//! nothing waits for it longer than a second.

use std::time::{Duration, Instant};

const MOST: Duration = Duration::from_secs(1);
/// The costly thing may take one part in so many of the time.
const SHARE: u32 = 10;

/// When the costly thing was last done, and how long it took.
pub(super) struct Pace {
    ended: Instant,
    took: Duration,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { ended: Instant::now(), took: Duration::ZERO }
    }

    /// Until when it waits for company.
    pub(super) fn due(&self) -> Instant {
        self.ended + (self.took * (SHARE - 1)).min(MOST)
    }

    /// How much longer it waits.
    pub(super) fn left(&self) -> Duration {
        self.due().saturating_duration_since(Instant::now())
    }

    /// Does it, and notes how long it took.
    pub(super) fn timed<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.ended = Instant::now();
        self.took = self.ended - began;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cost_nothing_waits_for_nothing_and_what_cost_much_a_second_at_most() {
        let mut pace = Pace::new();
        pace.timed(|| ());
        assert!(pace.due() < pace.ended + Duration::from_millis(100));
        pace.took = Duration::from_millis(20);
        assert_eq!(pace.due() - pace.ended, Duration::from_millis(180));
        pace.took = Duration::from_secs(5);
        assert_eq!(pace.due() - pace.ended, MOST);
    }
}

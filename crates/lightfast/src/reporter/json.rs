//! Events as JSON, one object a line, in the engine's order; progress at most ten times a second.

use std::time::{Duration, Instant};

use lightfast_model::Event;

use super::Reporter;
use crate::ui::Ui;

/// The shortest time between two progress events.
const PAUSE: Duration = Duration::from_millis(100);

/// Writes each event as a line.
pub(crate) struct Lines<'a> {
    ui: &'a Ui,
    shown: Option<Instant>,
}

impl<'a> Lines<'a> {
    /// On this screen.
    pub(crate) fn new(ui: &'a Ui) -> Self {
        Self { ui, shown: None }
    }

    fn event_at(&mut self, event: &Event, now: Instant) {
        if matches!(event, Event::Progress(_)) {
            if self.shown.is_some_and(|shown| now.saturating_duration_since(shown) < PAUSE) {
                return;
            }
            self.shown = Some(now);
        }
        self.ui.object(event);
        self.ui.flush();
    }
}

impl Reporter for Lines<'_> {
    fn event(&mut self, event: &Event) {
        self.event_at(event, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Wishes;
    use crate::ui::tests::Capture;
    use lightfast_model::{Progress, Stage};

    #[test]
    fn progress_comes_at_most_ten_times_a_second() {
        let out = Capture::default();
        let wishes = Wishes { json: true, ..Wishes::default() };
        let ui = Ui::for_test(Box::new(out.clone()), Box::new(std::io::sink()), wishes);
        let mut lines = Lines::new(&ui);
        let start = Instant::now();
        for tick in 0..100u64 {
            let progress = Progress {
                stage: Stage::Copy,
                files: tick,
                files_total: 100,
                bytes: tick,
                bytes_total: 100,
                bytes_per_second: 1,
                eta_seconds: None,
            };
            lines.event_at(&Event::Progress(progress), start + Duration::from_millis(10 * tick));
        }
        assert_eq!(out.text().lines().count(), 10);
    }
}

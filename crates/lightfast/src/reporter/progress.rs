//! Two moving lines on standard error: what is being done, how far it is, how fast and how long it will take.
//!
//! Nothing is shown for the first 250 ms, so that a short job does not flicker; then it is drawn at most 30
//! times a second. Speed and remaining time are smoothed, because a number that jumps cannot be read. Stages
//! overlap; the display shows the first one that is not complete.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lightfast_model::{Progress, Stage};

use crate::ui::{Ui, count, duration, of_total, rate};

/// How long nothing is shown.
const QUIET: Duration = Duration::from_millis(250);
/// Draws a second, at most.
const HERTZ: u8 = 30;
/// The time over which a speed is averaged, in seconds.
const MEMORY: f64 = 2.0;

/// The two lines.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    colored: bool,
    visible: bool,
    started: Instant,
    stages: Vec<(Progress, Speed)>,
}

impl Bar {
    /// Not shown yet; never shown where no person looks.
    pub(crate) fn new(ui: &Ui) -> Self {
        let bar = ui.shows_progress().then(|| ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden()));
        Self { bar, colored: ui.error_styles().is_on(), visible: false, started: Instant::now(), stages: Vec::new() }
    }

    /// Shows how far a stage is.
    pub(crate) fn update(&mut self, progress: Progress) {
        let now = Instant::now();
        self.learn(progress, now);
        let Some(bar) = &self.bar else { return };
        if self.stages.len() == 1 {
            bar.set_style(self.style());
        }
        if !self.visible && now.saturating_duration_since(self.started) >= QUIET {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(HERTZ));
            self.visible = true;
        }
        if let Some((progress, speed)) = self.leading() {
            bar.set_prefix(doing(progress.stage));
            bar.set_position(permille(progress));
            bar.set_message(describe(progress, speed.per_second));
        }
    }

    /// Says that something is being done whose length is not known yet.
    pub(crate) fn tick(&mut self) {
        let Some(bar) = &self.bar else { return };
        let now = Instant::now();
        if self.stages.is_empty() && now.saturating_duration_since(self.started) >= QUIET {
            if !self.visible
                && let Ok(style) = ProgressStyle::with_template("{spinner} {msg}")
            {
                bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
                bar.set_message("Looking at what is there");
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(HERTZ));
                self.visible = true;
            }
            bar.tick();
        }
    }

    /// Writes something above the lines without tearing them.
    pub(crate) fn above(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) if self.visible => bar.suspend(write),
            _ => write(),
        }
    }

    /// Takes the lines away.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn style(&self) -> ProgressStyle {
        let bar = if self.colored { "{wide_bar:.green/dim}" } else { "{wide_bar}" };
        ProgressStyle::with_template(&format!("{{prefix}} {bar} {{percent:>3}} %\n  {{msg}}"))
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─")
    }

    fn learn(&mut self, progress: Progress, now: Instant) {
        let at = now.saturating_duration_since(self.started).as_secs_f64();
        match self.stages.iter_mut().find(|(known, _)| known.stage == progress.stage) {
            Some((known, speed)) => {
                speed.add(progress.bytes, at);
                *known = progress;
            }
            None => {
                let mut speed = Speed::default();
                speed.add(progress.bytes, at);
                self.stages.push((progress, speed));
                self.stages.sort_by_key(|(progress, _)| order(progress.stage));
            }
        }
    }

    fn leading(&self) -> Option<&(Progress, Speed)> {
        self.stages.iter().find(|(progress, _)| permille(progress) < 1000).or(self.stages.last())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A speed that forgets slowly.
#[derive(Clone, Copy, Debug, Default)]
struct Speed {
    last: Option<(u64, f64)>,
    per_second: Option<f64>,
}

impl Speed {
    /// Learns that so many bytes were done at this time, in seconds from any start.
    fn add(&mut self, bytes: u64, at: f64) {
        let Some((before, then)) = self.last else {
            self.last = Some((bytes, at));
            return;
        };
        let seconds = at - then;
        // Several events within a moment say nothing about speed; wait until they do.
        if seconds < 0.05 {
            return;
        }
        let now = bytes.saturating_sub(before) as f64 / seconds;
        let keep = (-seconds / MEMORY).exp();
        self.per_second = Some(self.per_second.map_or(now, |old| old * keep + now * (1.0 - keep)));
        self.last = Some((bytes, at));
    }
}

/// What is being done, for the first line.
fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Scan => "Listing the card",
        Stage::Plan => "Planning",
        Stage::Copy => "Copying",
        Stage::Sync => "Writing to the disk",
        Stage::Verify => "Reading back",
        Stage::Metadata => "Reading metadata",
        Stage::Thumbnails => "Making thumbnails",
        Stage::Catalog => "Cataloguing",
        Stage::Previews => "Rendering previews",
    }
}

/// The order in which stages are shown when several are under way.
fn order(stage: Stage) -> u8 {
    match stage {
        Stage::Scan => 0,
        Stage::Plan => 1,
        Stage::Metadata => 2,
        Stage::Copy => 3,
        Stage::Sync => 4,
        Stage::Verify => 5,
        Stage::Catalog => 6,
        Stage::Thumbnails => 7,
        Stage::Previews => 8,
    }
}

/// How far, in thousandths; by bytes where they are known, else by files.
fn permille(progress: &Progress) -> u64 {
    let (done, total) = if progress.bytes_total > 0 {
        (progress.bytes, progress.bytes_total)
    } else {
        (progress.files, progress.files_total)
    };
    if total == 0 { 0 } else { (u128::from(done.min(total)) * 1000 / u128::from(total)) as u64 }
}

/// The second line.
fn describe(progress: &Progress, per_second: Option<f64>) -> String {
    let mut out = if progress.files_total > 0 {
        format!("{} of {} files", count(progress.files), count(progress.files_total))
    } else {
        format!("{} files", count(progress.files))
    };
    if progress.bytes_total > 0 {
        let _ = write!(out, " · {}", of_total(progress.bytes, progress.bytes_total));
        // The engine knows what is still to do in later stages; only where it says nothing is the speed seen here taken.
        let said = (progress.bytes_per_second > 0).then_some(progress.bytes_per_second as f64);
        if let Some(speed) = said.or(per_second).filter(|speed| *speed >= 1.0) {
            let rest = progress.bytes_total.saturating_sub(progress.bytes) as f64 / speed;
            let _ = write!(out, " · {}", rate(speed));
            match progress.eta_seconds.unwrap_or(rest).ceil() {
                left if left < 1.0 => {}
                left if left < 60.0 => drop(write!(out, " · {left} s left")),
                left => drop(write!(out, " · {} left", duration(left))),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Wishes;

    fn at(stage: Stage, bytes: u64, bytes_total: u64) -> Progress {
        Progress { stage, files: 70, files_total: 113, bytes, bytes_total, bytes_per_second: 0, eta_seconds: None }
    }

    #[test]
    fn the_second_line_says_files_bytes_speed_and_time_left() {
        let progress = at(Stage::Copy, 1_700_000_000, 2_700_000_000);
        assert_eq!(describe(&progress, Some(500e6)), "70 of 113 files · 1.70 of 2.70 GB · 500 MB/s · 2 s left");
        assert_eq!(describe(&progress, None), "70 of 113 files · 1.70 of 2.70 GB");
        assert_eq!(describe(&at(Stage::Thumbnails, 0, 0), None), "70 of 113 files");
    }

    #[test]
    fn a_speed_moves_slowly() {
        let mut speed = Speed::default();
        for tick in 0..=100u32 {
            speed.add(u64::from(tick) * 50, f64::from(tick) * 0.1);
        }
        assert!((speed.per_second.unwrap() - 500.0).abs() < 1.0);
        speed.add(5000, 10.1);
        let after = speed.per_second.unwrap();
        assert!((450.0..500.0).contains(&after), "one stall of 0.1 s moves it a little: {after}");
    }

    #[test]
    fn the_first_stage_that_is_not_complete_is_shown() {
        let ui = Ui::for_test(Box::new(std::io::sink()), Box::new(std::io::sink()), Wishes::default());
        let mut bar = Bar::new(&ui);
        bar.update(at(Stage::Verify, 10, 100));
        bar.update(at(Stage::Copy, 50, 100));
        assert_eq!(bar.leading().unwrap().0.stage, Stage::Copy);
        bar.update(at(Stage::Copy, 100, 100));
        assert_eq!(bar.leading().unwrap().0.stage, Stage::Verify);
    }
}

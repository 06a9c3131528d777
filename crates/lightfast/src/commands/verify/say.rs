//! What a check says: one line a file that is not good, and a report whose numbers add up.

use std::time::Instant;

use lightfast_model::{BytePath, ContentHash, Progress, Stage};
use serde::Serialize;

use crate::context::Context;
use crate::error::Exit;
use crate::reporter::Bar;
use crate::ui::{bytes, count, duration, rate};

/// One file that is not as it should be.
#[derive(Serialize)]
pub(super) struct FileLine<'a> {
    event: &'static str,
    #[serde(flatten)]
    path: &'a BytePath,
    root: Option<&'a str>,
    state: &'static str,
    bytes: u64,
    hash: Option<String>,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<bool>,
}

impl<'a> FileLine<'a> {
    pub(super) fn new(path: &'a BytePath, state: &'static str, bytes: u64) -> Self {
        Self { event: "file", path, root: None, state, bytes, hash: None, reason: None, repaired: None }
    }

    pub(super) fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    pub(super) fn root(mut self, root: Option<&'a str>) -> Self {
        self.root = root;
        self
    }

    pub(super) fn hash(mut self, hash: ContentHash) -> Self {
        self.hash = Some(hash.to_string());
        self
    }

    /// What became of it under `--repair-from`.
    pub(super) fn repaired(mut self, repaired: Option<bool>) -> Self {
        self.repaired = repaired;
        self
    }
}

/// The end. `checked = good + bad + edited`; `repaired` is part of `bad`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    event: &'static str,
    pub(super) checked: u64,
    pub(super) good: u64,
    pub(super) bad: u64,
    pub(super) edited: u64,
    pub(super) unknown: u64,
    /// Named by a manifest, and in the trash or emptied from it.
    pub(super) trashed: u64,
    /// Bad ones in whose place is a good copy now.
    pub(super) repaired: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    /// Whether it went on where an interrupted check stopped, whose files are not counted again.
    pub(super) resumed: bool,
}

/// Says lines, shows progress, and counts.
pub(super) struct Saying<'a> {
    pub(super) context: &'a Context,
    pub(super) report: Report,
    pub(super) files_total: u64,
    pub(super) bytes_total: u64,
    bar: Bar,
    began: Instant,
}

impl<'a> Saying<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        let report = Report {
            event: "report",
            checked: 0,
            good: 0,
            bad: 0,
            edited: 0,
            unknown: 0,
            trashed: 0,
            repaired: 0,
            bytes: 0,
            seconds: 0.0,
            resumed: false,
        };
        Self { context, report, files_total: 0, bytes_total: 0, bar: Bar::new(&context.ui), began: Instant::now() }
    }

    pub(super) fn say(&self, line: &FileLine<'_>) {
        let ui = &self.context.ui;
        if ui.is_json() {
            ui.object(line);
            ui.flush();
            return;
        }
        let s = ui.styles();
        let word = format!("{:<10}", line.state);
        let word = if matches!(line.state, "unknown" | "trashed") { s.warning(&word) } else { s.error(&word) };
        let reason = line.reason.as_deref().map(|reason| s.faint(&format!("  {reason}"))).unwrap_or_default();
        let repaired = match line.repaired {
            Some(true) => s.good("  repaired"),
            Some(false) => s.error("  not repaired"),
            None => String::new(),
        };
        self.bar.above(|| {
            ui.answer(format!("{word} {}{reason}{repaired}", line.path.shown()));
            ui.flush();
        });
    }

    /// Another file was checked.
    pub(super) fn step(&mut self, bytes: u64) {
        self.report.checked += 1;
        self.report.bytes += bytes;
        self.bar.update(Progress {
            stage: Stage::Verify,
            files: self.report.checked,
            files_total: self.files_total,
            bytes: self.report.bytes,
            bytes_total: self.bytes_total,
            bytes_per_second: 0,
            eta_seconds: None,
        });
    }

    /// The report, and the exit code that it means.
    pub(super) fn end(mut self, whole: bool) -> Exit {
        self.bar.clear();
        self.report.seconds = self.began.elapsed().as_secs_f64();
        let ui = &self.context.ui;
        if ui.is_json() {
            ui.object(&self.report);
        } else {
            self.for_people(whole);
        }
        let bad = self.report.bad.saturating_sub(self.report.repaired);
        match (bad, whole) {
            (1.., _) => Exit::Fault,
            (0, true) => Exit::Done,
            (0, false) => Exit::Interrupted,
        }
    }

    fn for_people(&self, whole: bool) {
        let (ui, r) = (&self.context.ui, &self.report);
        let s = ui.styles();
        let mut parts = vec![format!("{} good", count(r.good))];
        let groups = [
            (r.bad, "bad"),
            (r.repaired, "repaired"),
            (r.edited, "edited sidecars"),
            (r.trashed, "put away (in the trash, or emptied from it)"),
            (r.unknown, "unknown"),
        ];
        parts.extend(groups.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n))));
        let speed = if r.seconds >= 0.05 { format!(", {}", rate(r.bytes as f64 / r.seconds)) } else { String::new() };
        ui.line(s.faint(&format!("{} in {}{speed}", bytes(r.bytes), duration(r.seconds))));
        let head = match (r.bad.saturating_sub(r.repaired), whole) {
            (1.., _) => s.error("Not whole:"),
            (0, false) => s.warning("Interrupted; so far:"),
            (0, true) if r.bad > 0 => s.good("Whole again:"),
            (0, true) => s.good("Whole:"),
        };
        ui.line(format!("{head} {}", parts.join(", ")));
    }
}

//! `lightfast verify`: every original read again from the medium and compared with its hash.
//!
//! It repairs nothing and changes no original. What it finds is noted in the catalogue, where that can be
//! written. A sidecar may be edited; that is counted and is not bad.

mod unknown;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use lightfast_catalog::{Checked, CheckedState, Original, Root};
use lightfast_import::{ReadBack, read_back};
use lightfast_model::{BytePath, ContentHash, Progress, Role, Stage};
use serde::Serialize;

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::library::{self, Access, Opened, catalog_error};
use crate::reporter::Bar;
use crate::ui::{bytes, count, duration, rate};

/// Rows read from the catalogue, and results noted in it, at once.
const PAGE: u32 = 256;

/// Read every original again from the medium and compare it with its hash
///
/// Nothing is repaired or changed. Exit code 3 when any original is bad.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Only part N of T, such as 1/7: a different part each day proves everything in a week
    #[arg(long, value_name = "N/T", value_parser = part)]
    subset: Option<Part>,
}

/// Part `n` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    n: i64,
    of: i64,
}

fn part(text: &str) -> Result<Part, String> {
    let (n, of) = text.split_once('/').ok_or("write it as N/T, such as 1/7")?;
    match (n.trim().parse(), of.trim().parse()) {
        (Ok(n), Ok(of)) if 1 <= n && n <= of => Ok(Part { n, of }),
        _ => Err("N and T are whole numbers, and N is from 1 to T".to_owned()),
    }
}

/// One original that is not as it should be.
#[derive(Serialize)]
struct FileLine<'a> {
    event: &'static str,
    #[serde(flatten)]
    path: &'a BytePath,
    root: Option<&'a str>,
    state: &'static str,
    bytes: u64,
    hash: Option<ContentHash>,
    reason: Option<String>,
}

/// The end.
#[derive(Debug, Default, Serialize)]
struct Report {
    event: &'static str,
    checked: u64,
    good: u64,
    bad: u64,
    edited: u64,
    unknown: u64,
    bytes: u64,
    seconds: f64,
}

pub(crate) fn run(args: &Verify, context: &Context) -> Result<Exit, Error> {
    let mut opened = library::open(context, Access::Write).or_else(|refused| {
        let readable = library::open(context, Access::Read).map_err(|_| refused)?;
        context.ui.remark("The catalogue cannot be written; what is found will not be noted in it.");
        Ok(readable)
    })?;
    let stop = interrupt::watch()?;
    let mut check = Check::new(args.subset, context, &opened)?;
    let whole = check.all(&mut opened, &stop)?;
    if whole && args.subset.is_none() {
        check.unknown(&opened)?;
    }
    Ok(check.end(whole))
}

struct Check<'a> {
    context: &'a Context,
    part: Option<Part>,
    roots: Vec<Root>,
    bar: Bar,
    began: Instant,
    files_total: u64,
    bytes_total: u64,
    report: Report,
    offline: u64,
    noted: bool,
}

impl<'a> Check<'a> {
    fn new(part: Option<Part>, context: &'a Context, opened: &Opened) -> Result<Self, Error> {
        let mut check = Self {
            context,
            part,
            roots: opened.catalog.roots().map_err(catalog_error)?,
            bar: Bar::new(&context.ui),
            began: Instant::now(),
            files_total: 0,
            bytes_total: 0,
            report: Report { event: "report", ..Report::default() },
            offline: 0,
            noted: true,
        };
        let mut after = 0;
        loop {
            let page = opened.catalog.originals(after, PAGE).map_err(catalog_error)?;
            let Some(last) = page.last() else { return Ok(check) };
            after = last.row;
            for original in page {
                if check.wants(&original) {
                    check.files_total += 1;
                    check.bytes_total += original.size;
                }
            }
        }
    }

    fn wants(&self, original: &Original) -> bool {
        self.part.is_none_or(|part| original.row.rem_euclid(part.of) == part.n - 1)
    }

    /// Checks everything; false where it was interrupted.
    fn all(&mut self, opened: &mut Opened, stop: &AtomicBool) -> Result<bool, Error> {
        let mut after = 0;
        loop {
            let page = opened.catalog.originals(after, PAGE).map_err(catalog_error)?;
            let Some(last) = page.last() else { return Ok(true) };
            after = last.row;
            let mut results = Vec::new();
            for original in &page {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                if self.wants(original) {
                    results.extend(self.one(original, opened));
                }
            }
            self.note(&results, opened);
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
        }
    }

    fn one(&mut self, original: &Original, opened: &Opened) -> Option<Checked> {
        let path = self.place(original, opened)?;
        let found = read_back(&path, original.size);
        let edited = original.role == Role::Sidecar;
        let other = if edited { CheckedState::Edited } else { CheckedState::Changed };
        let (state, verified, reason) = match &found {
            ReadBack::Read { hash, verified } if *hash == original.hash => (CheckedState::Good, Some(*verified), None),
            ReadBack::Read { hash, .. } => (other, None, Some(format!("its content is now {hash}"))),
            ReadBack::OtherSize(size) => {
                (other, None, Some(format!("it has {} bytes, and had {}", count(*size), count(original.size))))
            }
            ReadBack::Missing => (CheckedState::Missing, None, Some("it is not there".to_owned())),
            ReadBack::Unreadable(error) => (CheckedState::Unreadable, None, Some(error.to_string())),
        };
        self.report.checked += 1;
        self.report.bytes += original.size;
        match state {
            CheckedState::Good => self.report.good += 1,
            CheckedState::Edited => self.report.edited += 1,
            CheckedState::Changed | CheckedState::Missing | CheckedState::Unreadable => {
                self.report.bad += 1;
                self.tell(original, word(state), reason);
            }
        }
        self.bar.update(Progress {
            stage: Stage::Verify,
            files: self.report.checked,
            files_total: self.files_total,
            bytes: self.report.bytes,
            bytes_total: self.bytes_total,
            bytes_per_second: 0,
            eta_seconds: None,
        });
        Some(Checked { row: original.row, state, verified })
    }

    /// Where an original is; `None` where its disk is not connected, which is not the same as missing.
    fn place(&mut self, original: &Original, opened: &Opened) -> Option<PathBuf> {
        let root = self.roots.iter().find(|root| root.id == original.root)?;
        let folder = opened.folder_of(root);
        if !folder.is_dir() {
            self.offline += 1;
            return None;
        }
        Some(folder.join(original.path.as_path()))
    }

    fn tell(&self, original: &Original, state: &'static str, reason: Option<String>) {
        let root = self.roots.iter().find(|root| root.id == original.root).map(|root| root.uuid.as_str());
        let line = FileLine {
            event: "file",
            path: &original.path,
            root,
            state,
            bytes: original.size,
            hash: Some(original.hash),
            reason,
        };
        self.say(&line);
    }

    fn say(&self, line: &FileLine<'_>) {
        let ui = &self.context.ui;
        if ui.is_json() {
            ui.object(line);
            ui.flush();
            return;
        }
        let s = ui.styles();
        let word = format!("{:<10}", line.state);
        let word = if line.state == "unknown" { s.warning(&word) } else { s.error(&word) };
        let reason = line.reason.as_deref().map(|reason| s.faint(&format!("  {reason}"))).unwrap_or_default();
        self.bar.above(|| {
            ui.answer(format!("{word} {}{reason}", line.path.shown()));
            ui.flush();
        });
    }

    fn note(&mut self, results: &[Checked], opened: &mut Opened) {
        if !self.noted || results.is_empty() {
            return;
        }
        // Not being able to note a result does not make it less true; the check goes on.
        if opened.catalog.record_verified(results, self.context.now()).is_err() {
            self.noted = false;
        }
    }

    fn unknown(&mut self, opened: &Opened) -> Result<(), Error> {
        let Some(root) = self.roots.iter().find(|root| root.uuid == opened.id) else { return Ok(()) };
        let mut found = Vec::new();
        unknown::files(opened, root.id, &mut |path, size| found.push((path, size)))?;
        for (path, size) in found {
            self.report.unknown += 1;
            let reason = Some("neither the catalogue nor a manifest lists it".to_owned());
            let line =
                FileLine { event: "file", path: &path, root: None, state: "unknown", bytes: size, hash: None, reason };
            self.say(&line);
        }
        Ok(())
    }

    fn end(mut self, whole: bool) -> Exit {
        self.bar.clear();
        self.report.seconds = self.began.elapsed().as_secs_f64();
        let ui = &self.context.ui;
        if self.offline > 0 {
            ui.remark(format!(
                "{} originals are on disks that are not connected; they were not checked.",
                count(self.offline)
            ));
        }
        if ui.is_json() {
            ui.object(&self.report);
        } else {
            self.for_people(whole);
        }
        match (self.report.bad, whole) {
            (1.., _) => Exit::Fault,
            (0, true) => Exit::Done,
            (0, false) => Exit::Interrupted,
        }
    }

    fn for_people(&self, whole: bool) {
        let (ui, r) = (&self.context.ui, &self.report);
        let s = ui.styles();
        let mut parts = vec![format!("{} good", count(r.good))];
        let groups = [(r.bad, "bad"), (r.edited, "edited sidecars"), (r.unknown, "unknown")];
        parts.extend(groups.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n))));
        let speed = if r.seconds >= 0.05 { format!(", {}", rate(r.bytes as f64 / r.seconds)) } else { String::new() };
        ui.line(s.faint(&format!("{} in {}{speed}", bytes(r.bytes), duration(r.seconds))));
        let head = match (r.bad, whole) {
            (1.., _) => s.error("Not whole:"),
            (0, false) => s.warning("Interrupted; so far:"),
            (0, true) => s.good("Whole:"),
        };
        ui.line(format!("{head} {}", parts.join(", ")));
    }
}

fn word(state: CheckedState) -> &'static str {
    match state {
        CheckedState::Good => "good",
        CheckedState::Changed => "changed",
        CheckedState::Edited => "edited",
        CheckedState::Missing => "missing",
        CheckedState::Unreadable => "unreadable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!(part("1/7"), Ok(Part { n: 1, of: 7 }));
        for wrong in ["0/7", "8/7", "1", "a/b", "-1/7", "1/0"] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }
}

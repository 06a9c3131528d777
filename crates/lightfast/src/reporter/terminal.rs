//! The display for a person: a heading for each card, two moving lines, a report, the verdict.
//!
//! Moving lines go to standard error and only to a terminal; the report goes to standard output, so that it
//! can be kept in a file. With `--quiet` nothing is said of an import that went well; otherwise the failures
//! and the verdict go to standard error.

use lightfast_model::{DestinationPlan, Event, FileEvent, FileState, Report};

use super::summary::{self, Seen};
use super::verdict::verdict;
use super::{Bar, Reporter, Words};
use crate::context::Context;
use crate::ui::{Align, Column, Table, bytes, count, harmless};

/// Shows events to a person.
pub(crate) struct Terminal<'a> {
    context: &'a Context,
    words: Words,
    bar: Bar,
    seen: Seen,
    planned: Vec<[String; 4]>,
}

impl<'a> Terminal<'a> {
    /// On this screen.
    pub(crate) fn new(context: &'a Context, words: Words) -> Self {
        Self { context, words, bar: Bar::new(&context.ui), seen: Seen::default(), planned: Vec::new() }
    }

    fn scan(&self, source: &std::path::Path, card: Option<&str>, files: u64, size: u64, junk: u64) {
        let s = self.context.ui.styles();
        let name = card.map(harmless).unwrap_or_else(|| "Card".to_owned());
        let place = self.context.shown(source);
        let junk = if junk > 0 { format!(", {} of them junk", count(junk)) } else { String::new() };
        let content = format!("{} files, {}{junk}", count(files), bytes(size));
        self.context.ui.line(format!("{}  {}  {content}", s.strong(&name), s.faint(&place)));
        self.context.ui.flush();
    }

    fn plan(&self, copy: u64, size: u64, destinations: &[DestinationPlan]) {
        let ui = &self.context.ui;
        for place in destinations {
            let path = self.context.shown(place.path.as_path());
            let space = format!("{} needed, {} free", bytes(place.needed), bytes(place.free));
            if self.words.dry_run || ui.is_verbose() {
                ui.line(format!("  to {path}: {} files, {}; {space}", count(copy), bytes(size)));
            } else {
                ui.line(format!("  to {path}"));
            }
        }
        ui.flush();
    }

    fn file(&mut self, file: &FileEvent) {
        let source = file.source.shown();
        let name = file.source.as_path().file_name().map(|n| harmless(&n.to_string_lossy())).unwrap_or_default();
        let reason = file.reason.as_deref().map(harmless).unwrap_or_default();
        match file.state {
            FileState::Failed => self.seen.failed.push((source.clone(), reason.clone())),
            FileState::Trashed => self.seen.trashed.push(source.clone()),
            FileState::Duplicate => self.seen.duplicate(&name),
            FileState::Ignored => self.seen.ignore(&name, &reason),
            FileState::Copied if !reason.is_empty() => self.seen.notes.push((source.clone(), reason.clone())),
            FileState::Copied | FileState::Added | FileState::WouldCopy => {}
        }
        let target = target(file, &reason);
        if self.words.dry_run {
            self.planned.push([state_word(file.state).to_owned(), source, bytes(file.bytes), target]);
        } else if self.context.ui.is_verbose() {
            self.bar.above(|| {
                self.context.ui.line(format!("  {:<12} {source}  {target}", state_word(file.state)));
                self.context.ui.flush();
            });
        }
    }

    fn report(&mut self, report: &Report) {
        self.bar.clear();
        let ui = &self.context.ui;
        let s = ui.styles();
        let line = verdict(report);
        if ui.is_quiet() {
            if report.failed > 0 || report.safe_to_format == Some(false) {
                for (path, reason) in &self.seen.failed {
                    ui.warn(format!("{path}: {reason}"));
                }
                ui.warn(line.unwrap_or_else(|| "some files failed".to_owned()));
            }
            return;
        }
        ui.line("");
        for text in summary::lines(report, &self.seen, ui.is_verbose(), s) {
            ui.line(text);
        }
        if report.copied > 0 {
            let command = format!("{} list imported:today{}", self.context.program(), self.words.library_option);
            ui.line(format!("  look at them with {}", s.command(&command)));
        }
        for source in &report.sources {
            let name = source.card.as_deref().map(harmless).unwrap_or_else(|| source.source.shown());
            let word = match source.safe_to_format {
                Some(true) => s.good("safe to format"),
                Some(false) => s.error("NOT safe to format"),
                None => continue,
            };
            ui.line(format!("  {name}: {word}"));
        }
        ui.line("");
        if let Some(line) = line {
            let (head, rest) = line.split_once(':').unwrap_or((line.as_str(), ""));
            let head = if report.safe_to_format == Some(true) { s.good(head) } else { s.error(head) };
            ui.line(format!("{head}:{rest}"));
        }
        ui.flush();
    }

    /// The plan of a dry run, as a table.
    fn show_plan(&mut self) {
        const COLUMNS: [Column; 4] = [
            Column { title: "", align: Align::Left, least: usize::MAX, drop: 0 },
            Column { title: "On the card", align: Align::Left, least: 20, drop: 0 },
            Column { title: "Size", align: Align::Right, least: usize::MAX, drop: 1 },
            Column { title: "In the library", align: Align::Left, least: 20, drop: 0 },
        ];
        let mut table = Table::new(COLUMNS);
        for row in self.planned.drain(..) {
            table.row(row);
        }
        let ui = &self.context.ui;
        ui.line("");
        for line in table.lines(ui.width(), ui.styles()) {
            ui.line(line);
        }
        ui.line("");
        ui.line("Nothing was copied: this is the plan.");
        ui.flush();
    }
}

impl Reporter for Terminal<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Scan { source, card, files, bytes, junk } => {
                self.bar.above(|| self.scan(source.as_path(), card.as_deref(), *files, *bytes, *junk));
            }
            Event::Plan { copy, bytes, destinations, .. } => {
                self.bar.above(|| self.plan(*copy, *bytes, destinations));
            }
            Event::File(file) => self.file(file),
            Event::Progress(progress) => self.bar.update(*progress),
            Event::Report(report) => self.report(report),
        }
    }

    fn tick(&mut self) {
        self.bar.tick();
    }

    fn end(&mut self) {
        self.bar.clear();
        if self.words.dry_run && !self.planned.is_empty() {
            self.show_plan();
        }
    }
}

fn state_word(state: FileState) -> &'static str {
    match state {
        FileState::Copied => "copied",
        FileState::Duplicate => "already here",
        FileState::Trashed => "in the trash",
        FileState::Added => "added",
        FileState::Ignored => "ignored",
        FileState::Failed => "failed",
        FileState::WouldCopy => "copy",
    }
}

/// Where a file went, or why it did not.
fn target(file: &FileEvent, reason: &str) -> String {
    match (&file.path, &file.duplicate_of) {
        (_, Some(same)) => format!("same as {}", harmless(same)),
        (Some(path), None) => path.shown(),
        (None, None) => reason.to_owned(),
    }
}

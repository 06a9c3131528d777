//! The report for a person, as lines: what happened to every file, by group, before the verdict.
//!
//! Pure: values in, lines out. Files that failed and files in the trash are always named, one a line; groups
//! that need no action are counted, and named in full with `-v`.

use std::collections::BTreeMap;

use lightfast_model::{Report, Stages};

use crate::ui::{Styles, bytes, count, duration, rate};

/// Names kept of a group that is only counted.
const SAMPLE: usize = 3;
/// Failures listed without `-v`; the rest are counted, so that a dead card does not scroll the verdict away.
const FAILURES: usize = 20;

/// Notes on copied files listed without `-v`.
const NOTES: usize = 5;

/// What the file events said that a report needs.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Path on the card and reason.
    pub(crate) failed: Vec<(String, String)>,
    /// Path on the card of what was copied, and what is worth knowing of it.
    pub(crate) notes: Vec<(String, String)>,
    /// Paths on the card.
    pub(crate) trashed: Vec<String>,
    /// The first names of duplicates.
    pub(crate) duplicates: Vec<String>,
    /// Reasons of what was ignored, with how often and the first name.
    pub(crate) ignored: BTreeMap<String, (u64, String)>,
}

impl Seen {
    /// Remembers a duplicate's name, while there is room for one.
    pub(crate) fn duplicate(&mut self, name: &str) {
        if self.duplicates.len() < SAMPLE {
            self.duplicates.push(name.to_owned());
        }
    }

    /// Remembers why a file was ignored.
    pub(crate) fn ignore(&mut self, name: &str, reason: &str) {
        self.ignored.entry(reason.to_owned()).or_insert_with(|| (0, name.to_owned())).0 += 1;
    }
}

/// The lines between the heading and the verdict.
pub(crate) fn lines(report: &Report, seen: &Seen, verbose: bool, s: Styles) -> Vec<String> {
    let mut out = Vec::new();
    let numbers = [report.copied, report.duplicates, report.trashed, report.added, report.ignored, report.failed];
    let wide = numbers.into_iter().map(|n| count(n).len()).max().unwrap_or(1);
    let row = |n: u64, word: &str, more: &str| {
        let number = s.strong(&format!("{:>wide$}", count(n)));
        format!("  {number} {word:<13} {more}").trim_end().to_owned()
    };
    if report.copied > 0 || report.files_seen == report.ignored + report.failed {
        out.push(row(report.copied, "copied", &s.faint(&speed(report))));
    }
    let shown = if verbose { seen.notes.len() } else { NOTES };
    out.extend(seen.notes.iter().take(shown).map(|(path, note)| format!("      {path}: {note}")));
    if seen.notes.len() > shown {
        out.push(format!("      and {} more (-v lists all)", count((seen.notes.len() - shown) as u64)));
    }
    if report.added > 0 {
        out.push(row(report.added, "added", ""));
    }
    if report.duplicates > 0 {
        let more = report.duplicates.saturating_sub(seen.duplicates.len() as u64);
        let mut names = seen.duplicates.join(", ");
        if more > 0 {
            names.push_str(&format!(" and {} more", count(more)));
        }
        out.push(row(report.duplicates, "already here", &s.faint(&names)));
    }
    if report.trashed > 0 {
        out.push(row(report.trashed, "in your trash", ""));
        out.extend(seen.trashed.iter().map(|path| format!("      {path}")));
    }
    if report.ignored > 0 {
        let reasons: Vec<String> = seen.ignored.iter().map(|(reason, group)| ignored(reason, group)).collect();
        out.push(row(report.ignored, "ignored", &s.faint(&reasons.join(", "))));
    }
    if report.failed > 0 {
        out.push(row(report.failed, &s.error("failed"), ""));
        let shown = if verbose { seen.failed.len() } else { FAILURES };
        out.extend(seen.failed.iter().take(shown).map(|(path, reason)| format!("      {path}: {reason}")));
        if seen.failed.len() > shown {
            out.push(format!("      and {} more (-v lists all)", count((seen.failed.len() - shown) as u64)));
        }
    }
    if verbose {
        out.push(s.faint(&format!("  {}", stages(&report.stages))));
    }
    out
}

fn ignored(reason: &str, (n, first): &(u64, String)) -> String {
    if *n == 1 { format!("{first} ({reason})") } else { format!("{} × {reason}", count(*n)) }
}

fn speed(report: &Report) -> String {
    if report.copied == 0 {
        return String::new();
    }
    let time = duration(report.seconds);
    if report.seconds < 0.05 {
        return format!("{} in {time}", bytes(report.bytes_copied));
    }
    format!("{} in {time}, {}", bytes(report.bytes_copied), rate(report.bytes_copied as f64 / report.seconds))
}

fn stages(stages: &Stages) -> String {
    let named = [
        ("scan", stages.scan),
        ("plan", stages.plan),
        ("copy", stages.copy),
        ("sync", stages.sync),
        ("verify", stages.verify),
        ("metadata", stages.metadata),
        ("thumbnails", stages.thumbnails),
        ("catalogue", stages.catalog),
    ];
    let parts: Vec<String> = named.iter().map(|(name, seconds)| format!("{name} {}", duration(*seconds))).collect();
    format!("stages (they overlap): {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::verdict::tests::report;
    use super::*;

    fn shown(report: &Report, seen: &Seen) -> String {
        lines(report, seen, false, Styles::new(false)).join("\n")
    }

    #[test]
    fn every_group_is_counted_and_what_needs_a_look_is_named() {
        let mut whole = report(110, 12, 1);
        whole.ignored = 3;
        whole.failed = 1;
        whole.files_seen += 4;
        let mut seen = Seen::default();
        for n in 1..=12 {
            seen.duplicate(&format!("IMG_{n:04}.CR2"));
        }
        seen.trashed.push("DCIM/100EOS5D/IMG_0042.CR2".into());
        seen.failed.push(("DCIM/100EOS5D/IMG_0007.CR2".into(), "read at byte 4096: input/output error".into()));
        for name in [".DS_Store", "._IMG_0001.CR2", "._IMG_0002.CR2"] {
            seen.ignore(name, if name == ".DS_Store" { "macOS folder view" } else { "AppleDouble" });
        }
        assert_eq!(
            shown(&whole, &seen),
            "  110 copied        2.53 GB in 4.0 s, 632 MB/s\n\
             \x20  12 already here  IMG_0001.CR2, IMG_0002.CR2, IMG_0003.CR2 and 9 more\n\
             \x20   1 in your trash\n\
             \x20     DCIM/100EOS5D/IMG_0042.CR2\n\
             \x20   3 ignored       2 × AppleDouble, .DS_Store (macOS folder view)\n\
             \x20   1 failed\n\
             \x20     DCIM/100EOS5D/IMG_0007.CR2: read at byte 4096: input/output error"
        );
    }

    #[test]
    fn a_dead_card_does_not_scroll_the_verdict_away() {
        let mut dead = report(0, 0, 0);
        dead.failed = 2000;
        dead.files_seen = 2000;
        let seen = Seen { failed: vec![("a".into(), "gone".into()); 2000], ..Seen::default() };
        assert_eq!(lines(&dead, &seen, false, Styles::new(false)).len(), 1 + 1 + FAILURES + 1);
    }
}

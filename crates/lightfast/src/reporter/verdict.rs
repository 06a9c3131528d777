//! The verdict in words: the last line of a report, and the one that a person acts on.
//!
//! It says no more than the engine's `safe_to_format`. What counts as safe is decided there, never here.

use std::collections::BTreeMap;

use lightfast_model::Report;

use crate::ui::count;

/// Reasons named in the line; the rest are counted.
const NAMED: usize = 3;

/// The verdict's line; `None` where there is none to give (nothing was copied from a card).
pub(crate) fn verdict(report: &Report) -> Option<String> {
    Some(if report.safe_to_format? { safe(report) } else { not_safe(report) })
}

fn safe(report: &Report) -> String {
    let mut parts = Vec::new();
    let reread: u64 = report.destinations.iter().map(|d| d.verified.reread).max().unwrap_or(0);
    if report.copied > 0 || (report.duplicates == 0 && report.trashed == 0) {
        parts.push(format!("{} verified", count(report.copied)));
    }
    if report.duplicates > 0 {
        parts.push(format!("{} already here", count(report.duplicates)));
    }
    if report.trashed > 0 {
        parts.push(format!("{} in your trash (listed above)", count(report.trashed)));
    }
    let mut line = format!("Safe to format: {}", parts.join(", "));
    if reread > 0 {
        line.push_str(&format!(
            "; {} could only be read back through the file system's own cache (--strict refuses that)",
            count(reread)
        ));
    }
    line
}

fn not_safe(report: &Report) -> String {
    let mut files = 0u64;
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let mut general = Vec::new();
    for item in &report.not_safe {
        if item.source.as_bytes().is_empty() || item.source.as_bytes() == b"." {
            general.push(item.reason.as_str());
        } else {
            files += 1;
            *reasons.entry(cause(&item.reason)).or_default() += 1;
        }
    }
    let mut parts = Vec::new();
    if files > 0 {
        parts.push(format!("{} of {} files: {}", count(files), count(report.files_seen), grouped(&reasons, files)));
    }
    parts.extend(general.into_iter().map(str::to_owned));
    if parts.is_empty() {
        parts.push("not every file could be proven".to_owned());
    }
    format!("NOT safe to format: {}", parts.join("; "))
}

/// What files fail of alike: of `could not open /a/b: Too many open files (os error 24)` what the system said. Where
/// and at which step is in the list above.
fn cause(reason: &str) -> &str {
    let said = reason.strip_prefix("could not ").and_then(|rest| rest.rsplit_once(": "));
    let Some((_, said)) = said else { return reason };
    said.split_once(" (os error ").map_or(said, |(words, _)| words)
}

/// `3 input/output error, 1 disk full`, the most frequent first; without the number where there is one reason.
fn grouped(reasons: &BTreeMap<&str, u64>, files: u64) -> String {
    let mut sorted: Vec<_> = reasons.iter().collect();
    sorted.sort_by_key(|(reason, n)| (std::cmp::Reverse(**n), **reason));
    if let [(reason, _)] = sorted.as_slice() {
        return (**reason).to_owned();
    }
    let named: u64 = sorted.iter().take(NAMED).map(|(_, n)| **n).sum();
    let mut parts: Vec<String> =
        sorted.iter().take(NAMED).map(|(reason, n)| format!("{} {reason}", count(**n))).collect();
    if named < files {
        parts.push(format!("{} for other reasons (listed above)", count(files - named)));
    }
    parts.join(", ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lightfast_model::{BytePath, DestinationReport, NotSafe, SessionId, Stages, VerifiedCounts, VerifyMode};

    pub(crate) fn report(copied: u64, duplicates: u64, trashed: u64) -> Report {
        Report {
            session: Some(SessionId(1)),
            files_seen: copied + duplicates + trashed,
            copied,
            duplicates,
            trashed,
            added: 0,
            ignored: 0,
            failed: 0,
            bytes_copied: copied * 23_000_000,
            seconds: 4.0,
            stages: Stages::default(),
            verify: VerifyMode::Cold,
            safe_to_format: Some(true),
            destinations: vec![DestinationReport {
                path: BytePath::from_bytes(b"/library"),
                copied,
                failed: 0,
                verified: VerifiedCounts { cold: copied + duplicates, ..VerifiedCounts::default() },
                safe: true,
            }],
            not_safe: Vec::new(),
            sources: Vec::new(),
        }
    }

    pub(crate) fn because(path: &str, reason: &str) -> NotSafe {
        NotSafe { source: BytePath::from_bytes(path.as_bytes()), reason: reason.to_owned() }
    }

    #[test]
    fn the_line_that_lets_a_card_be_formatted() {
        let line = |report: &Report| verdict(report).unwrap();
        assert_eq!(
            line(&report(110, 2, 1)),
            "Safe to format: 110 verified, 2 already here, 1 in your trash (listed above)"
        );
        assert_eq!(line(&report(110, 0, 0)), "Safe to format: 110 verified");
        assert_eq!(line(&report(0, 113, 0)), "Safe to format: 113 already here");
        let mut reread = report(3, 0, 0);
        reread.destinations[0].verified = VerifiedCounts { reread: 3, ..VerifiedCounts::default() };
        assert!(line(&reread).contains("3 could only be read back through"), "{}", line(&reread));
    }

    #[test]
    fn the_line_that_forbids_it_counts_and_gives_the_reasons() {
        let mut bad = report(110, 0, 0);
        bad.safe_to_format = Some(false);
        bad.not_safe = vec![because("DCIM/a", "input/output error")];
        assert_eq!(verdict(&bad).unwrap(), "NOT safe to format: 1 of 110 files: input/output error");
        bad.not_safe.extend([
            because("DCIM/b", "disk full"),
            because("DCIM/c", "disk full"),
            because("", "the card changed"),
        ]);
        assert_eq!(
            verdict(&bad).unwrap(),
            "NOT safe to format: 3 of 110 files: 2 disk full, 1 input/output error; the card changed"
        );
        for n in 0..5 {
            bad.not_safe.push(because("DCIM/d", ["v", "w", "x", "y", "z"][n]));
        }
        assert!(verdict(&bad).unwrap().contains("4 for other reasons"), "{}", verdict(&bad).unwrap());
    }

    #[test]
    fn files_that_fail_of_one_cause_at_several_places_are_one_reason() {
        let mut bad = report(9, 0, 0);
        bad.safe_to_format = Some(false);
        bad.not_safe = vec![
            because("a", "could not open /card/a: Too many open files (os error 24)"),
            because("b", "could not create /library/b: c: Too many open files (os error 24)"),
        ];
        assert_eq!(verdict(&bad).unwrap(), "NOT safe to format: 2 of 9 files: Too many open files");
    }

    #[test]
    fn no_verdict_where_nothing_came_from_a_card() {
        let mut added = report(0, 0, 0);
        added.safe_to_format = None;
        assert_eq!(verdict(&added), None);
    }
}

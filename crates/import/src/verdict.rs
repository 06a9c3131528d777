//! Adds up what became of every file, and says whether the card may be formatted.

use lightfast_catalog::SessionCounts;
use lightfast_model::{
    BytePath, DestinationReport, Event, FileEvent, FileState, NotSafe, Report, SourceReport, VerifiedCounts, VerifyMode,
};

use crate::copy::Outcome;
use crate::options::Events;
use crate::plan::{Action, Plan};

/// The running account of an import. Every file of the plan is entered once.
pub(crate) struct Account<'a> {
    plan: &'a Plan,
    strict: bool,
    /// Counts of each source.
    counts: Vec<SessionCounts>,
    /// What keeps each source from being safe.
    not_safe: Vec<Vec<NotSafe>>,
    verified: VerifiedCounts,
}

impl<'a> Account<'a> {
    pub(crate) fn new(plan: &'a Plan, strict: bool) -> Self {
        let sources = plan.sources.len();
        Self {
            plan,
            strict,
            counts: vec![SessionCounts::default(); sources],
            not_safe: vec![Vec::new(); sources],
            verified: VerifiedCounts::default(),
        }
    }

    /// Enters a file that is junk.
    pub(crate) fn ignored(&mut self, index: usize, events: &dyn Events) {
        let Some(file) = self.plan.files.get(index) else { return };
        let Action::Ignored(reason) = file.action else { return };
        if let Some(counts) = self.counts.get_mut(file.source) {
            counts.files_seen += 1;
            counts.ignored += 1;
        }
        let event = FileEvent { reason: Some(reason.into()), ..self.event(index, FileState::Ignored) };
        events.event(Event::File(Box::new(event)));
    }

    /// Enters what became of a file, and tells it.
    pub(crate) fn enter(&mut self, index: usize, outcome: &Outcome, events: &dyn Events) {
        let Some(file) = self.plan.files.get(index) else { return };
        let mut counts = self.counts.get(file.source).copied().unwrap_or_default();
        counts.files_seen += 1;
        let event = match outcome {
            Outcome::Copied { path, hash, verified } => {
                counts.copied += 1;
                counts.bytes_copied += file.file.size;
                self.proven(index, *verified);
                let event = self.event(index, FileState::Copied);
                FileEvent { path: Some(BytePath(path.clone())), hash: Some(*hash), verified: Some(*verified), ..event }
            }
            Outcome::Duplicate { copy, matched, verified } => {
                counts.duplicates += 1;
                self.proven(index, *verified);
                FileEvent {
                    path: Some(copy.path.clone()),
                    hash: Some(copy.hash),
                    verified: Some(*verified),
                    matched: Some(*matched),
                    duplicate_of: Some(copy.path.0.to_string_lossy().into_owned()),
                    ..self.event(index, FileState::Duplicate)
                }
            }
            Outcome::Trashed { hash } => {
                counts.trashed += 1;
                FileEvent { hash: Some(*hash), ..self.event(index, FileState::Trashed) }
            }
            Outcome::Failed(why) => {
                counts.failed += 1;
                let reason = why.to_string();
                self.bar(file.source, file.file.path.clone(), reason.clone());
                FileEvent { reason: Some(reason), ..self.event(index, FileState::Failed) }
            }
        };
        if let Some(slot) = self.counts.get_mut(file.source) {
            *slot = counts;
        }
        events.event(Event::File(Box::new(event)));
    }

    fn event(&self, index: usize, state: FileState) -> FileEvent {
        let file = self.plan.files.get(index);
        FileEvent {
            source: file.map_or_else(|| BytePath::from_bytes(b""), |file| file.file.path.clone()),
            path: None,
            state,
            bytes: file.map_or(0, |file| file.file.size),
            hash: None,
            verified: None,
            reason: None,
            matched: None,
            duplicate_of: None,
            destinations: Vec::new(),
        }
    }

    fn proven(&mut self, index: usize, verified: lightfast_model::Verified) {
        self.verified.add(verified);
        if !verified.is_safe(self.strict)
            && let Some(file) = self.plan.files.get(index)
        {
            let reason = match verified {
                lightfast_model::Verified::Stream => "synced, but not read back (--verify stream)",
                _ => "read back, but the system's cache cannot be passed there (--strict)",
            };
            self.bar(file.source, file.file.path.clone(), reason.into());
        }
    }

    /// Notes what keeps a source from being safe.
    pub(crate) fn bar(&mut self, source: usize, path: BytePath, reason: String) {
        if let Some(list) = self.not_safe.get_mut(source) {
            list.push(NotSafe { source: path, reason });
        }
    }

    /// A source's counts.
    pub(crate) fn counts(&self, source: usize) -> SessionCounts {
        self.counts.get(source).copied().unwrap_or_default()
    }

    /// Whether a source may be formatted.
    pub(crate) fn is_safe(&self, source: usize) -> bool {
        let all = self.plan.files.iter().filter(|file| file.source == source).count() as u64;
        self.not_safe.get(source).is_some_and(Vec::is_empty) && self.counts(source).files_seen == all
    }

    /// The report, but for its times and its session.
    pub(crate) fn report(self, verify: VerifyMode) -> Report {
        let sum = |field: fn(&SessionCounts) -> u64| self.counts.iter().map(field).sum::<u64>();
        let safe: Vec<bool> = (0..self.plan.sources.len()).map(|source| self.is_safe(source)).collect();
        let all_safe = safe.iter().all(|safe| *safe);
        let sources = self.plan.sources.iter().zip(&safe).map(|(source, safe)| SourceReport {
            source: BytePath(source.card.source.clone()),
            card: Some(source.card.name()),
            safe_to_format: Some(*safe),
        });
        let destinations = self.plan.destinations.iter().map(|destination| DestinationReport {
            path: destination.path.clone(),
            copied: sum(|counts| counts.copied),
            failed: sum(|counts| counts.failed),
            verified: self.verified,
            safe: all_safe,
        });
        Report {
            session: None,
            files_seen: sum(|counts| counts.files_seen),
            copied: sum(|counts| counts.copied),
            duplicates: sum(|counts| counts.duplicates),
            trashed: sum(|counts| counts.trashed),
            added: sum(|counts| counts.added),
            ignored: sum(|counts| counts.ignored),
            failed: sum(|counts| counts.failed),
            bytes_copied: sum(|counts| counts.bytes_copied),
            seconds: 0.0,
            stages: lightfast_model::Stages::default(),
            verify,
            safe_to_format: Some(all_safe),
            destinations: destinations.collect(),
            sources: if self.plan.sources.len() > 1 { sources.collect() } else { Vec::new() },
            not_safe: self.not_safe.into_iter().flatten().collect(),
        }
    }
}

//! Adds up what became of every file, and says whether the card may be formatted.

use lightfast_catalog::SessionCounts;
use lightfast_model::{
    BytePath, DestinationFile, DestinationReport, Event, FileEvent, FileState, Match, NotSafe, Report, SourceReport,
    Verified, VerifiedCounts, VerifyMode,
};

use crate::copy::{Answer, Told};
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
    /// The account of each destination.
    destinations: Vec<DestinationAccount>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DestinationAccount {
    copied: u64,
    failed: u64,
    /// Files that stand there, and are not proven well enough to count.
    weak: u64,
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
            destinations: vec![DestinationAccount::default(); plan.destinations.len()],
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
    pub(crate) fn enter(&mut self, index: usize, told: &Told, events: &dyn Events) {
        let Some(file) = self.plan.files.get(index) else { return };
        let mut event = self.event(index, FileState::Trashed);
        match told {
            Told::Trashed { hash } => event.hash = Some(*hash),
            Told::Answered { hash, matched, answers } => {
                event.hash = *hash;
                self.answers(index, *matched, answers, &mut event);
            }
        }
        if let Some(counts) = self.counts.get_mut(file.source) {
            counts.files_seen += 1;
            match event.state {
                FileState::Copied => {
                    counts.copied += 1;
                    counts.bytes_copied += file.file.size;
                }
                FileState::Duplicate => counts.duplicates += 1,
                FileState::Trashed => counts.trashed += 1,
                _ => counts.failed += 1,
            }
        }
        events.event(Event::File(Box::new(event)));
    }

    /// Merges the destinations' answers: the first state that applies anywhere of failed, copied, duplicate; the
    /// library's path; the weakest proof.
    fn answers(&mut self, index: usize, matched: Option<Match>, answers: &[Answer], event: &mut FileEvent) {
        let is = |wanted: FileState| answers.iter().any(|answer| answer.state() == wanted);
        event.state =
            [FileState::Failed, FileState::Copied].into_iter().find(|s| is(*s)).unwrap_or(FileState::Duplicate);
        event.path = answers.first().and_then(Answer::path);
        let proofs: Option<Vec<Verified>> = answers.iter().map(Answer::verified).collect();
        event.verified = proofs.and_then(|proofs| proofs.into_iter().min());
        if event.state == FileState::Duplicate {
            event.matched = matched;
            event.duplicate_of = event.path.as_ref().map(|path| path.0.to_string_lossy().into_owned());
        }
        let source = self.plan.files.get(index).map_or(0, |file| file.source);
        if event.state == FileState::Copied {
            let note = self.plan.files.get(index).and_then(|file| file.target()).and_then(|target| target.note);
            event.reason = note.map(str::to_owned);
        }
        for (dest, answer) in answers.iter().enumerate() {
            let reason = self.answer(dest, answer);
            if let Some(reason) = &reason {
                let at = self.plan.destinations.get(dest).filter(|_| answers.len() > 1);
                let place = at.map(|d| format!("{}: ", d.path.shown())).unwrap_or_default();
                self.bar(source, event.source.clone(), format!("{place}{reason}"));
            }
            let failure = reason.filter(|_| answer.state() == FileState::Failed);
            if event.reason.is_none() {
                event.reason.clone_from(&failure);
            }
            if answers.len() > 1 {
                let path = self.plan.files.get(index).and_then(|file| file.target()).map(|t| BytePath(t.path.clone()));
                event.destinations.push(DestinationFile {
                    path: answer.path().or(path).unwrap_or_else(|| event.source.clone()),
                    state: answer.state(),
                    verified: answer.verified(),
                    reason: failure,
                });
            }
        }
    }

    /// Enters one destination's answer. Says why it keeps the card from being safe, if it does.
    fn answer(&mut self, dest: usize, answer: &Answer) -> Option<String> {
        let account = self.destinations.get_mut(dest)?;
        match answer {
            Answer::Failed(why) => {
                account.failed += 1;
                return Some(why.to_string());
            }
            Answer::Copied { .. } => account.copied += 1,
            Answer::Stands { .. } => {}
        }
        let verified = answer.verified()?;
        account.verified.add(verified);
        if verified.is_safe(self.strict) {
            return None;
        }
        account.weak += 1;
        Some(match verified {
            Verified::Stream => "synced, but not read back (--verify stream)".into(),
            _ => "read back, but the system's cache cannot be passed there (--strict)".into(),
        })
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
        // What is wrong with the card itself is wrong for every destination.
        let of_files: u64 = self.destinations.iter().map(|account| account.failed + account.weak).sum();
        let card_is_fine = self.not_safe.iter().map(Vec::len).sum::<usize>() as u64 == of_files;
        let destinations =
            self.plan.destinations.iter().zip(&self.destinations).map(|(plan, account)| DestinationReport {
                path: plan.path.clone(),
                copied: account.copied,
                failed: account.failed,
                verified: account.verified,
                safe: card_is_fine && account.failed + account.weak == 0,
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

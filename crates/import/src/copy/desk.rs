//! The publisher's desk: gives out work, collects what is proven, and commits it in batches.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lightfast_catalog::{Duplicate, Failed, Published};
use lightfast_model::{BytePath, ContentHash, Match, QuickKey, SessionId, Verified, VerifyMode};

use super::publish::{Named, Publisher};
use super::run::{Copying, Done, Work, prove_copy};
use super::settle::Settled;
use super::{AlignedBuffer, Outcome, Why};
use crate::error::Step;
use crate::fault::{Op, point};
use crate::plan::{Action, KnownCopy, PlannedFile, standing_copy};
use crate::sys::FsClass;

/// Files committed in one go at most.
const BATCH: usize = 16;
/// How often the meter is read while nothing is finished.
const TICK: Duration = Duration::from_millis(100);

/// What is to be done, what is under way, and what is proven and waits for its commit.
pub(super) struct Desk<'a, 't> {
    c: Copying<'a>,
    class: FsClass,
    halt: &'a AtomicBool,
    publisher: Publisher<'a>,
    tell: &'t mut dyn FnMut(usize, Outcome),
    work_to: Option<Sender<Work>>,
    /// Pieces of work given out and not answered.
    open: usize,
    /// Files whose content may be here already: looked at when all others are published, since one of those may be it.
    compare: Vec<usize>,
    proven: Vec<(usize, Settled)>,
    duplicates: Vec<(usize, Found)>,
    pub(super) ended: Option<String>,
}

/// A duplicate that waits for its commit.
struct Found {
    copy: KnownCopy,
    quick: QuickKey,
    verified: Verified,
}

impl<'a, 't> Desk<'a, 't> {
    pub(super) fn new(
        c: Copying<'a>,
        class: FsClass,
        halt: &'a AtomicBool,
        work_to: Sender<Work>,
        tell: &'t mut dyn FnMut(usize, Outcome),
    ) -> Self {
        let publisher = Publisher::new(c.library, class);
        let work_to = Some(work_to);
        let (compare, proven, duplicates) = (Vec::new(), Vec::new(), Vec::new());
        Self { c, class, halt, publisher, tell, work_to, open: 0, compare, proven, duplicates, ended: None }
    }

    /// Works until everything is answered.
    pub(super) fn direct(&mut self, done: &Receiver<Done>) {
        self.give_out();
        loop {
            if self.c.stop.load(Ordering::Relaxed) {
                self.halt.store(true, Ordering::Relaxed);
            }
            if self.open == 0 {
                self.flush();
                if self.compare.is_empty() && self.open == 0 {
                    break;
                }
                for index in std::mem::take(&mut self.compare) {
                    self.give(Work::Hash(index));
                }
            }
            match done.recv_timeout(TICK) {
                Ok(first) => {
                    self.take(first);
                    while self.proven.len() < BATCH
                        && let Ok(next) = done.try_recv()
                    {
                        self.take(next);
                    }
                    self.flush();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.c.meter.tick();
        }
        self.work_to = None;
    }

    fn give(&mut self, work: Work) {
        if let Some(work_to) = &self.work_to {
            self.open += usize::from(work_to.send(work).is_ok());
        }
    }

    fn give_out(&mut self) {
        for index in 0..self.c.plan.files.len() {
            match self.c.plan.files.get(index).map(|file| &file.action) {
                Some(Action::Copy(_)) => self.give(Work::Copy(index)),
                Some(Action::Compare(_)) => self.compare.push(index),
                Some(Action::Duplicate(copy)) => match copy.verified.filter(|level| self.is_enough(*level)) {
                    Some(verified) => {
                        (self.tell)(index, Outcome::Duplicate { copy: copy.clone(), matched: Match::Card, verified });
                    }
                    None => self.give(Work::Prove(index)),
                },
                Some(Action::Trashed(hash)) => (self.tell)(index, Outcome::Trashed { hash: *hash }),
                Some(Action::Refused(reason)) => (self.tell)(index, Outcome::Failed(Why::Refused(reason.clone()))),
                Some(Action::Ignored(_)) | None => {}
            }
        }
    }

    /// Whether a copy that was proven so need not be read back for this import.
    fn is_enough(&self, level: Verified) -> bool {
        self.c.verify == VerifyMode::Stream || level != Verified::Stream
    }

    fn take(&mut self, done: Done) {
        self.open = self.open.saturating_sub(1);
        match done {
            Done::Settled(index, settled) => {
                if let Some(thumbs) = self.c.thumbs {
                    thumbs.is_content(index, settled.hash);
                }
                self.proven.push((index, settled));
            }
            Done::Hashed(index, hash, quick) => self.compared(index, hash, quick),
            Done::Proven(index, verified) => {
                if let Some(Action::Duplicate(copy)) = self.c.plan.files.get(index).map(|file| &file.action) {
                    self.record_proof(copy, verified);
                    (self.tell)(index, Outcome::Duplicate { copy: copy.clone(), matched: Match::Card, verified });
                }
            }
            Done::Failed(index, why) => self.fail(index, why),
        }
    }

    /// A file was hashed whole: it is here already, or in the trash, or it is new and is copied after all.
    fn compared(&mut self, index: usize, hash: ContentHash, quick: QuickKey) {
        let known = match self.c.catalog.known_by_hash(&hash) {
            Ok(known) => known,
            Err(error) => return self.fail(index, error.into()),
        };
        let Some(known) = known else { return self.give(Work::Copy(index)) };
        if known.trashed && !self.c.again {
            return (self.tell)(index, Outcome::Trashed { hash });
        }
        let copy = standing_copy(self.c.library, self.c.root, known.file, hash, &known.copies);
        let Some(copy) = copy else { return self.give(Work::Copy(index)) };
        let proof = match copy.verified.filter(|level| self.is_enough(*level)) {
            Some(level) => Ok(level),
            None => prove_copy(self.c.library, &copy, known.size, self.class, &mut AlignedBuffer::new()),
        };
        match proof {
            Ok(verified) => {
                self.record_proof(&copy, verified);
                self.duplicates.push((index, Found { copy, quick, verified }));
            }
            // The library's copy is not what it was: it is told of, and the card's file is copied beside it.
            Err(_) => {
                let _ = self.c.catalog.copy_vanished(self.c.root, &copy.path);
                self.give(Work::Copy(index));
            }
        }
    }

    /// Notes that a copy was read back now; only a proof better than the recorded one is worth a row.
    fn record_proof(&mut self, copy: &KnownCopy, verified: Verified) {
        if copy.verified != Some(verified) {
            let now = (self.c.now)();
            let _ = self.c.catalog.record_proof(self.c.root, &copy.path, verified, now);
        }
    }

    /// Names what is proven, makes the names durable, commits, and only then tells.
    fn flush(&mut self) {
        self.flush_duplicates();
        let proven = std::mem::take(&mut self.proven);
        if proven.is_empty() {
            return;
        }
        let mut named = Vec::new();
        for (index, settled) in proven {
            let planned = self.c.plan.files.get(index).and_then(PlannedFile::target).map(|target| target.path.clone());
            let outcome = match (planned, &self.ended) {
                (_, Some(reason)) => Err(Why::Stopped(reason.clone())),
                (None, None) => Err(Why::Interrupted),
                (Some(path), None) => self.publisher.name(settled, &path),
            };
            match outcome {
                Ok(file) => named.push((index, file)),
                Err(why) => self.fail(index, why),
            }
        }
        if let Err(why) = self.publisher.sync_folders(named.iter().map(|(_, file)| file)) {
            return self.fail_all(named, &why);
        }
        if let Err(why) = self.commit(&named) {
            return self.fail_all(named, &why);
        }
        for (index, file) in named {
            self.tell_named(index, file);
        }
    }

    fn commit(&mut self, named: &[(usize, Named)]) -> Result<(), Why> {
        let _busy = self.c.clocks.catalog.start();
        for (session, rows) in self.by_session(named) {
            point(Op::Commit).map_err(|error| Why::Refused(format!("could not commit: {error}")))?;
            self.c.catalog.publish(session, &rows)?;
        }
        Ok(())
    }

    fn by_session(&self, named: &[(usize, Named)]) -> Vec<(SessionId, Vec<Published>)> {
        let mut sessions: Vec<(SessionId, Vec<Published>)> = Vec::new();
        for (index, file) in named {
            let Some(planned) = self.c.plan.files.get(*index) else { continue };
            let parts = planned.target().zip(self.c.intents.get(index)).zip(self.c.sessions.get(planned.source));
            let Some(((target, (intent, _)), session)) = parts else { continue };
            let row = Published {
                intent: *intent,
                path: BytePath(file.path.clone()),
                hash: file.settled.hash,
                quick: file.settled.quick,
                size: file.settled.size,
                mtime_ns: file.mtime_ns,
                verified: file.settled.verified,
                verified_at: (self.c.now)(),
                facts: Some(target.facts.clone()),
                taken: target.taken,
                kind: target.kind,
            };
            match sessions.iter_mut().find(|(id, _)| id == session) {
                Some((_, rows)) => rows.push(row),
                None => sessions.push((*session, vec![row])),
            }
        }
        sessions
    }

    fn tell_named(&mut self, index: usize, file: Named) {
        let Named { path, settled, was_there, .. } = file;
        self.make_up_thumbnail(index, &path);
        let known = was_there.then(|| self.c.catalog.known_by_hash(&settled.hash).ok().flatten()).flatten();
        let outcome = match known {
            Some(known) => {
                let copy = KnownCopy {
                    file: known.file,
                    hash: settled.hash,
                    path: BytePath(path),
                    verified: Some(settled.verified),
                };
                Outcome::Duplicate { copy, matched: Match::Full, verified: settled.verified }
            }
            None => Outcome::Copied { path, hash: settled.hash, verified: settled.verified },
        };
        (self.tell)(index, outcome);
    }

    /// Where the preview's bytes could not be kept while copying, the thumbnail is made from the library's copy.
    fn make_up_thumbnail(&self, index: usize, path: &Path) {
        let preview = self.c.plan.files.get(index).and_then(PlannedFile::target).and_then(|t| t.thumbnail_from);
        if let Some((thumbs, preview)) = self.c.thumbs.zip(preview)
            && !thumbs.was_handed_over(index)
        {
            thumbs.read_from(index, &self.c.library.join(path), preview);
        }
    }

    fn flush_duplicates(&mut self) {
        let found = std::mem::take(&mut self.duplicates);
        let mut by_session: Vec<(SessionId, Vec<Duplicate>)> = Vec::new();
        for (index, found) in &found {
            let Some(planned) = self.c.plan.files.get(*index) else { continue };
            let Some(session) = self.c.sessions.get(planned.source) else { continue };
            let row = Duplicate {
                source: planned.file.path.clone(),
                size: planned.file.size,
                mtime_ns: planned.file.mtime_ns,
                hash: found.copy.hash,
                quick: Some(found.quick),
                of: found.copy.file,
                intent: self.c.intents.get(index).map(|(intent, _)| *intent),
            };
            match by_session.iter_mut().find(|(id, _)| id == session) {
                Some((_, rows)) => rows.push(row),
                None => by_session.push((*session, vec![row])),
            }
        }
        let _busy = self.c.clocks.catalog.start();
        let committed = by_session.iter().try_for_each(|(session, rows)| self.c.catalog.duplicate(*session, rows));
        let failed = committed.err().map(|error| error.to_string());
        for (index, Found { copy, verified, .. }) in found {
            match &failed {
                None => (self.tell)(index, Outcome::Duplicate { copy, matched: Match::Full, verified }),
                Some(reason) => self.fail(index, Why::Stopped(reason.clone())),
            }
        }
    }

    /// A file failed: noted in the journal, told, and where going on is pointless, the session is ended.
    fn fail(&mut self, index: usize, why: Why) {
        if self.ended.is_none() && (why.ends_session() || self.is_card_gone(index, &why)) {
            self.ended = Some(why.to_string());
            self.halt.store(true, Ordering::Relaxed);
        }
        let why = match (&why, &self.ended) {
            (Why::Interrupted, Some(reason)) => Why::Stopped(reason.clone()),
            _ => why,
        };
        let is_open = matches!(why, Why::Interrupted | Why::Stopped(_));
        let session = self.c.plan.files.get(index).and_then(|file| self.c.sessions.get(file.source));
        // What was not tried stays intended, so that the next import takes it up under the same name.
        if let Some((session, (intent, _))) = session.zip(self.c.intents.get(&index)).filter(|_| !is_open) {
            let (errno, offset) = match &why {
                Why::Io(error) => (error.source.raw_os_error(), error.offset),
                _ => (None, None),
            };
            let reason = why.to_string();
            let row = Failed { intent: *intent, step: why.step().into(), errno, offset, reason };
            let _ = self.c.catalog.fail(*session, &[row]);
        }
        (self.tell)(index, Outcome::Failed(why));
    }

    /// Whether a file could not be opened because its whole card is not there any more: unplugged, or unmounted so that
    /// only an empty folder of another file system is left.
    fn is_card_gone(&self, index: usize, why: &Why) -> bool {
        let on_card = matches!(why, Why::Io(error) if matches!(error.step, Step::Open | Step::Read));
        let card = self.c.plan.files.get(index).and_then(|file| self.c.plan.sources.get(file.source));
        on_card && card.is_some_and(|source| !source.card.is_here())
    }

    /// The names are there, but not known to be durable, or not committed: recovery takes them up.
    fn fail_all(&mut self, named: Vec<(usize, Named)>, why: &Why) {
        let reason = why.to_string();
        self.ended.get_or_insert_with(|| reason.clone());
        self.halt.store(true, Ordering::Relaxed);
        for (index, _) in named {
            self.fail(index, Why::Stopped(reason.clone()));
        }
    }
}

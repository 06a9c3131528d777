//! The publisher's desk: gives out work, collects what comes back, and tells a file's outcome when every destination
//! has answered. What is proven is committed in batches, by its second half in `commit`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use lightfast_catalog::{Failed, KnownFile};
use lightfast_model::{BytePath, ContentHash, Match, QuickKey, Verified, VerifyMode};

use super::pace::Pace;
use super::publish::Publisher;
use super::run::{Copying, Done, Stops, Work, prove_copy};
use super::settle::Settled;
use super::{AlignedBuffer, Answer, Told, Why};
use crate::destination::Dests;
use crate::plan::{Action, KnownCopy, standing_copy};

/// Files committed in one go at most.
const BATCH: usize = 16;
/// How often the meter is read while nothing is finished.
const TICK: Duration = Duration::from_millis(100);

/// What is to be done, what is under way, and what is proven and waits for its commit.
pub(super) struct Desk<'a, 't> {
    pub(super) c: Copying<'a>,
    pub(super) stops: &'a Stops,
    /// Files that are to be copied and have not come to the settlers yet.
    coming: &'a AtomicUsize,
    /// Why each destination, or the whole import (the last), had to end.
    pub(super) reasons: Vec<Option<String>>,
    pub(super) publishers: Vec<Publisher<'a>>,
    pub(super) tell: &'t mut dyn FnMut(usize, Told),
    pub(super) work_to: Option<Sender<Work>>,
    /// Pieces of work given out and not answered.
    pub(super) open: usize,
    /// Files whose content may be here already: looked at when all others are published, since one of those may be it.
    pub(super) compare: Vec<usize>,
    pub(super) proven: Vec<(usize, usize, Settled)>,
    pub(super) duplicates: Vec<(usize, Option<QuickKey>, KnownCopy)>,
    pub(super) files: HashMap<usize, Open>,
}

/// A file of which some destinations have not answered yet.
pub(super) struct Open {
    /// The name that it has in another destination already, in place of the planned one.
    pub(super) named: Option<BytePath>,
    pub(super) hash: Option<ContentHash>,
    pub(super) matched: Option<Match>,
    pub(super) answers: Vec<Option<Answer>>,
}

impl<'a, 't> Desk<'a, 't> {
    pub(super) fn new(
        c: Copying<'a>,
        stops: &'a Stops,
        coming: &'a AtomicUsize,
        work_to: Sender<Work>,
        tell: &'t mut dyn FnMut(usize, Told),
    ) -> Self {
        let publishers = c.destinations.iter().map(|d| Publisher::new(d.path(), d.class)).collect();
        Self {
            reasons: vec![None; c.destinations.len() + 1],
            publishers,
            c,
            stops,
            coming,
            tell,
            work_to: Some(work_to),
            open: 0,
            compare: Vec::new(),
            proven: Vec::new(),
            duplicates: Vec::new(),
            files: HashMap::new(),
        }
    }

    /// Why the import had to end early: for the whole of it first, else for the first destination that had to.
    pub(super) fn ended(self) -> Option<String> {
        self.reasons.into_iter().rev().flatten().next()
    }

    /// Works until everything is answered.
    pub(super) fn direct(&mut self, done: &Receiver<Done>) {
        self.give_out();
        let mut pace = Pace::new();
        loop {
            if self.c.stop.load(Ordering::Relaxed) {
                self.stops.all.store(true, Ordering::Relaxed);
            }
            if self.open == 0 {
                self.flush();
                if self.compare.is_empty() && self.open == 0 {
                    break;
                }
                for index in std::mem::take(&mut self.compare) {
                    self.give(Work::Hash(index), 1);
                }
            }
            let wait = if self.proven.is_empty() { TICK } else { TICK.min(pace.left()) };
            match done.recv_timeout(wait) {
                Ok(first) => {
                    self.take(first);
                    while self.proven.len() < BATCH
                        && let Ok(next) = done.try_recv()
                    {
                        self.take(next);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.proven.is_empty() {
                self.flush_duplicates();
            } else if self.proven.len() >= BATCH || pace.left().is_zero() {
                pace.timed(|| self.flush());
            }
            self.c.meter.tick();
        }
        self.work_to = None;
    }

    /// Gives out work that will be answered `answers` times.
    fn give(&mut self, work: Work, answers: usize) {
        if let Some(work_to) = &self.work_to
            && work_to.send(work).is_ok()
        {
            self.open += answers;
        }
    }

    fn copy(&mut self, index: usize, dests: Dests) {
        self.coming.fetch_add(1, Ordering::AcqRel);
        self.give(Work::Copy(index, dests), dests.iter().count());
    }

    fn give_out(&mut self) {
        let everywhere = Dests::all(self.c.destinations.len());
        for (index, file) in self.c.plan.files.iter().enumerate() {
            match &file.action {
                Action::Copy(_) => self.copy(index, everywhere),
                Action::Compare(_) => self.compare.push(index),
                Action::Duplicate(copy) => {
                    self.file(index).matched = Some(Match::Card);
                    self.file(index).hash = Some(copy.hash);
                    let standing = std::iter::once(Some(copy)).chain(file.elsewhere.iter().map(Option::as_ref));
                    let mut missing = Dests::default();
                    for (dest, copy) in standing.enumerate() {
                        match copy {
                            Some(copy) => self.stands(index, dest, copy.clone()),
                            None => missing = missing.with(dest),
                        }
                    }
                    if !missing.is_empty() {
                        self.copy(index, missing);
                    }
                }
                Action::Trashed(hash) => (self.tell)(index, Told::Trashed { hash: *hash }),
                Action::Refused(reason) => self.fail_everywhere(index, Why::Refused(reason.clone())),
                Action::Ignored(_) => {}
            }
        }
    }

    /// A copy stands in a destination; where it was not proven well enough for this import, it is read back first.
    fn stands(&mut self, index: usize, dest: usize, copy: KnownCopy) {
        match copy.verified.filter(|level| self.is_enough(*level)) {
            Some(verified) => self.answer(index, dest, Answer::Stands { path: copy.path, verified }),
            None => self.give(Work::Prove(index, dest, copy), 1),
        }
    }

    /// Whether a copy that was proven so need not be read back for this import.
    fn is_enough(&self, level: Verified) -> bool {
        self.c.verify == VerifyMode::Stream || level != Verified::Stream
    }

    pub(super) fn file(&mut self, index: usize) -> &mut Open {
        let dests = self.c.destinations.len();
        let new = || Open { named: None, hash: None, matched: None, answers: (0..dests).map(|_| None).collect() };
        self.files.entry(index).or_insert_with(new)
    }

    /// Enters one destination's answer; the last one tells.
    pub(super) fn answer(&mut self, index: usize, dest: usize, answer: Answer) {
        let file = self.file(index);
        if let Some(slot) = file.answers.get_mut(dest) {
            *slot = Some(answer);
        }
        if file.answers.iter().all(Option::is_some)
            && let Some(Open { hash, matched, answers, .. }) = self.files.remove(&index)
        {
            (self.tell)(index, Told::Answered { hash, matched, answers: answers.into_iter().flatten().collect() });
        }
    }

    fn take(&mut self, done: Done) {
        self.open = self.open.saturating_sub(match &done {
            Done::Unread(_, dests, _) => dests.iter().count(),
            _ => 1,
        });
        match done {
            Done::Settled(index, dest, settled) => {
                let hash = settled.content.hash;
                if self.file(index).hash.replace(hash).is_none()
                    && let Some(thumbs) = self.c.thumbs
                {
                    thumbs.is_content(index, hash);
                }
                self.proven.push((index, dest, settled));
            }
            Done::Hashed(index, hash, quick) => self.compared(index, hash, quick),
            Done::Proven(index, dest, copy, verified) => {
                self.record_proof(dest, &copy, verified);
                self.answer(index, dest, Answer::Stands { path: copy.path, verified });
            }
            Done::Failed(index, _, why) if self.is_uncompared(index) => self.fail_everywhere(index, why),
            Done::Failed(index, dest, why) => {
                if let (Why::CopyDiffers { path }, Some(destination)) = (&why, self.c.destinations.get(dest)) {
                    // Not overwritten: the next import copies the card's file beside it.
                    let _ = self.c.catalog.copy_vanished(destination.root, &BytePath(path.clone()));
                }
                self.fail(index, dest, why);
            }
            Done::Unread(index, dests, why) => self.fail_all_of(index, dests, why),
        }
    }

    /// Whether a file was only to be hashed so far, so that no destination has been asked.
    fn is_uncompared(&self, index: usize) -> bool {
        let compares = matches!(self.c.plan.files.get(index).map(|f| &f.action), Some(Action::Compare(_)));
        compares && !self.files.contains_key(&index)
    }

    /// A file was hashed whole: it is here already, or in the trash, or it is new and is copied after all.
    fn compared(&mut self, index: usize, hash: ContentHash, quick: QuickKey) {
        let known = match self.c.catalog.known_by_hash(&hash) {
            Ok(known) => known,
            Err(error) => return self.fail_everywhere(index, error.into()),
        };
        if known.as_ref().is_some_and(|known| known.trashed) && !self.c.again {
            return (self.tell)(index, Told::Trashed { hash });
        }
        let standing: Vec<Option<(KnownCopy, Verified)>> = (0..self.c.destinations.len())
            .map(|dest| known.as_ref().and_then(|known| self.proven_copy(dest, known)))
            .collect();
        let mut missing = Dests::default();
        let mut first = None;
        for (dest, copy) in standing.into_iter().enumerate() {
            match copy {
                Some((copy, verified)) => {
                    self.file(index).matched = Some(Match::Full);
                    self.file(index).hash = Some(hash);
                    first.get_or_insert_with(|| copy.clone());
                    let answer = Answer::Stands { path: copy.path, verified };
                    // Told only when its history is committed, with the others of its batch.
                    if let Some(slot) = self.file(index).answers.get_mut(dest) {
                        *slot = Some(answer);
                    }
                }
                None => missing = missing.with(dest),
            }
        }
        if !missing.is_empty() {
            self.file(index).named = first.map(|copy| copy.path);
            self.copy(index, missing);
        } else if let Some(copy) = first {
            self.duplicates.push((index, Some(quick), copy));
        }
    }

    /// The copy of a content that stands in a destination, proven well enough, read back now if need be.
    fn proven_copy(&mut self, dest: usize, known: &KnownFile) -> Option<(KnownCopy, Verified)> {
        let destination = self.c.destinations.get(dest)?;
        let copy = standing_copy(destination.path(), destination.root, known.file, known.hash, &known.copies)?;
        if let Some(level) = copy.verified.filter(|level| self.is_enough(*level)) {
            return Some((copy, level));
        }
        match prove_copy(destination, &copy, known.size, &mut AlignedBuffer::new()) {
            Ok(level) => {
                self.record_proof(dest, &copy, level);
                Some((copy, level))
            }
            // The copy is not what it was: the card's file is copied beside it.
            Err(_) => {
                let _ = self.c.catalog.copy_vanished(destination.root, &copy.path);
                None
            }
        }
    }

    /// Notes that a copy was read back now; only a proof that differs from the recorded one is worth a row.
    fn record_proof(&mut self, dest: usize, copy: &KnownCopy, verified: Verified) {
        if let Some(destination) = self.c.destinations.get(dest)
            && copy.verified != Some(verified)
        {
            let _ = self.c.catalog.record_proof(destination.root, &copy.path, verified, (self.c.now)());
        }
    }

    /// Ends one destination, or the whole import. Where no destination is left, that is the whole import.
    pub(super) fn end(&mut self, dest: Option<usize>, reason: &str) {
        let all = self.c.destinations.len();
        let at = dest.unwrap_or(all);
        if let Some(slot) = self.reasons.get_mut(at) {
            slot.get_or_insert_with(|| reason.to_owned());
        }
        let stop = dest.map_or(Some(&self.stops.all), |dest| self.stops.each.get(dest));
        if let Some(stop) = stop {
            stop.store(true, Ordering::Relaxed);
        }
        if self.stops.each.iter().all(|stop| stop.load(Ordering::Relaxed)) {
            self.stops.all.store(true, Ordering::Relaxed);
        }
    }

    fn fail_everywhere(&mut self, index: usize, why: Why) {
        self.fail_all_of(index, Dests::all(self.c.destinations.len()), why);
    }

    /// A file fails for several destinations for one reason: the first keeps the error itself, the others its words.
    fn fail_all_of(&mut self, index: usize, dests: Dests, why: Why) {
        let is_over = matches!(why, Why::Interrupted);
        let words = why.to_string();
        let mut why = Some(why);
        for dest in dests.iter() {
            let again = if is_over { Why::Interrupted } else { Why::Refused(words.clone()) };
            self.fail(index, dest, why.take().unwrap_or(again));
        }
    }

    /// A file failed in a destination: noted in the journal and answered; where going on is pointless, that is ended.
    pub(super) fn fail(&mut self, index: usize, dest: usize, why: Why) {
        let is_all = why.ends_session() && (why.is_card() || matches!(why, Why::Catalog(_)));
        if is_all || self.is_card_gone(index, &why) {
            self.end(None, &why.to_string());
        } else if why.ends_session() {
            self.end(Some(dest), &why.to_string());
        }
        let all = self.c.destinations.len();
        let reason = self.reasons.get(dest).cloned().flatten().or_else(|| self.reasons.get(all).cloned().flatten());
        let why = match (why, reason) {
            (Why::Interrupted, Some(reason)) => Why::Stopped(reason),
            (why, _) => why,
        };
        let is_open = matches!(why, Why::Interrupted | Why::Stopped(_));
        let session = self.c.plan.files.get(index).and_then(|file| self.c.sessions.get(file.source));
        // What was not tried stays intended, so that the next import takes it up under the same name.
        if let Some((session, (intent, _))) = session.zip(self.c.intents.get(&(index, dest))).filter(|_| !is_open) {
            let (errno, offset) = match &why {
                Why::Io(error) => (error.source.raw_os_error(), error.offset),
                _ => (None, None),
            };
            let reason = why.to_string();
            let row = Failed { intent: *intent, step: why.step().into(), errno, offset, reason };
            let _ = self.c.catalog.fail(*session, &[row]);
        }
        self.answer(index, dest, Answer::Failed(why));
    }

    /// Whether a file could not be opened because its whole card is not there any more: unplugged, or unmounted so that
    /// only an empty folder of another file system is left.
    fn is_card_gone(&self, index: usize, why: &Why) -> bool {
        let card = self.c.plan.files.get(index).and_then(|file| self.c.plan.sources.get(file.source));
        why.is_card() && card.is_some_and(|source| !source.card.is_here())
    }
}

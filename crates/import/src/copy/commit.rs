//! The desk's second half: names what is proven, makes the names durable, commits, and only then answers.

use std::path::Path;

use lightfast_catalog::{Duplicate, Published};
use lightfast_model::{BytePath, Match, SessionId};

use super::desk::{Desk, Open};
use super::publish::Named;
use super::settle::Settled;
use super::{Answer, Told, Why};
use crate::fault::{Op, point};
use crate::plan::PlannedFile;

impl Desk<'_, '_> {
    /// Names what is proven, makes the names durable, commits, and only then answers.
    pub(super) fn flush(&mut self) {
        self.flush_duplicates();
        let mut by_dest: Vec<Vec<(usize, Settled)>> = self.c.destinations.iter().map(|_| Vec::new()).collect();
        for (index, dest, settled) in std::mem::take(&mut self.proven) {
            if let Some(list) = by_dest.get_mut(dest) {
                list.push((index, settled));
            }
        }
        for (dest, proven) in by_dest.into_iter().enumerate().filter(|(_, proven)| !proven.is_empty()) {
            self.publish(dest, proven);
        }
    }

    fn publish(&mut self, dest: usize, proven: Vec<(usize, Settled)>) {
        let mut named: Vec<(usize, Named)> = Vec::new();
        for (index, settled) in proven {
            let target = self.c.plan.files.get(index).and_then(PlannedFile::target);
            let named_so = self.files.get(&index).and_then(|file| file.named.as_ref()).map(|path| path.0.clone());
            let planned = named_so.or_else(|| target.map(|target| target.path.clone()));
            let outcome = match (planned, self.reasons.get(dest).cloned().flatten(), self.publishers.get_mut(dest)) {
                (_, Some(reason), _) => Err(Why::Stopped(reason)),
                (Some(path), None, Some(publisher)) => publisher.name(settled, &path),
                _ => Err(Why::Interrupted),
            };
            match outcome {
                Ok(file) => named.push((index, file)),
                Err(why) => self.fail(index, dest, why),
            }
        }
        let publisher = self.publishers.get(dest).filter(|_| !self.c.without.sync);
        let synced = publisher.map_or(Ok(()), |p| p.sync_folders(named.iter().map(|(_, file)| file)));
        if let Err(why) = synced.and_then(|()| self.commit(dest, &named)) {
            // The names are there, but not known to be durable, or not committed: recovery takes them up.
            let reason = why.to_string();
            self.end(Some(dest), &reason);
            for (index, _) in named {
                self.fail(index, dest, Why::Stopped(reason.clone()));
            }
            return;
        }
        for (index, file) in named {
            if dest == 0 {
                self.make_up_thumbnail(index, &file.path);
            }
            let verified = file.settled.verified;
            let answer = if file.was_there {
                self.file(index).matched = Some(Match::Full);
                Answer::Stands { path: BytePath(file.path), verified }
            } else {
                Answer::Copied { path: file.path, verified }
            };
            self.answer(index, dest, answer);
        }
    }

    fn commit(&mut self, dest: usize, named: &[(usize, Named)]) -> Result<(), Why> {
        let _busy = self.c.clocks.catalog.start();
        for (session, rows) in self.by_session(dest, named) {
            point(Op::Commit).map_err(|error| Why::Refused(format!("could not commit: {error}")))?;
            self.c.catalog.publish(session, &rows)?;
            point(Op::Commit).map_err(|error| Why::Refused(format!("could not go on after a commit: {error}")))?;
        }
        Ok(())
    }

    fn by_session(&self, dest: usize, named: &[(usize, Named)]) -> Vec<(SessionId, Vec<Published>)> {
        let mut rows = Vec::new();
        for (index, file) in named {
            let Some(planned) = self.c.plan.files.get(*index) else { continue };
            let parts =
                planned.target().zip(self.c.intents.get(&(*index, dest))).zip(self.c.sessions.get(planned.source));
            let Some(((target, (intent, _)), session)) = parts else { continue };
            let content = file.settled.content;
            let row = Published {
                intent: *intent,
                path: BytePath(file.path.clone()),
                hash: content.hash,
                quick: content.quick,
                size: content.size,
                mtime_ns: file.mtime_ns,
                verified: file.settled.verified,
                verified_at: (self.c.now)(),
                facts: target.facts.clone(),
                taken: target.taken,
                kind: target.kind,
            };
            rows.push((*session, row));
        }
        grouped(rows)
    }

    /// Where the preview's bytes could not be kept while copying, the thumbnail is made from the library's copy.
    fn make_up_thumbnail(&self, index: usize, path: &Path) {
        let target = self.c.plan.files.get(index).and_then(PlannedFile::target);
        let preview = target.and_then(|target| target.thumbnail_from);
        let library = self.c.destinations.first();
        if let Some(((thumbs, target), library)) = self.c.thumbs.zip(target.filter(|t| t.poster)).zip(library) {
            let duration = target.facts.as_ref().and_then(|facts| facts.video.as_ref()?.duration);
            if thumbs.poster(index, &library.path().join(path), duration, preview) {
                return;
            }
        }
        if let Some(((thumbs, preview), library)) = self.c.thumbs.zip(preview).zip(library)
            && !thumbs.was_handed_over(index)
        {
            thumbs.read_from(index, &library.path().join(path), preview);
        }
    }

    pub(super) fn flush_duplicates(&mut self) {
        let found = std::mem::take(&mut self.duplicates);
        let mut rows = Vec::new();
        for (index, quick, copy) in &found {
            let Some(planned) = self.c.plan.files.get(*index) else { continue };
            let Some(session) = self.c.sessions.get(planned.source) else { continue };
            let row = Duplicate {
                source: planned.file.path.clone(),
                size: planned.file.size,
                mtime_ns: planned.file.mtime_ns,
                hash: copy.hash,
                quick: *quick,
                of: copy.file,
                intent: self.c.intents.get(&(*index, 0)).map(|(intent, _)| *intent),
            };
            rows.push((*session, row));
        }
        let _busy = self.c.clocks.catalog.start();
        let committed = grouped(rows).iter().try_for_each(|(session, rows)| self.c.catalog.duplicate(*session, rows));
        let failed = committed.err().map(|error| error.to_string());
        drop(_busy);
        for (index, _, _) in found {
            match &failed {
                Some(reason) => self.fail(index, 0, Why::Stopped(reason.clone())),
                None => {
                    // All answers are in; this one only tells.
                    if let Some(Open { hash, matched, answers, .. }) = self.files.remove(&index) {
                        let answers = answers.into_iter().flatten().collect();
                        (self.tell)(index, Told::Answered { hash, matched, answers });
                    }
                }
            }
        }
    }
}

/// Rows by their session, the sessions in the order of their first rows.
fn grouped<T>(rows: Vec<(SessionId, T)>) -> Vec<(SessionId, Vec<T>)> {
    let mut sessions: Vec<(SessionId, Vec<T>)> = Vec::new();
    for (session, row) in rows {
        match sessions.iter_mut().find(|(id, _)| *id == session) {
            Some((_, rows)) => rows.push(row),
            None => sessions.push((session, vec![row])),
        }
    }
    sessions
}

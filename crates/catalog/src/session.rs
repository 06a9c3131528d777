//! Sessions and their journal: what an import intends, what became of it, and how it ended.

use jiff::Timestamp;
use lightfast_model::{BytePath, SessionId};

use crate::{Catalog, Failed, Intent, IntentId, NewSession, Result, SessionCounts, UnfinishedIntent};

/// A session, as `imports` lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSummary {
    /// Its row.
    pub id: SessionId,
    /// The folder it read.
    pub source: BytePath,
    /// The card's label, else its identity.
    pub card: String,
    /// The job code.
    pub job: Option<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it was closed; empty while it runs, or where it was cut off.
    pub ended: Option<Timestamp>,
    /// Its counts, once it is closed.
    pub counts: Option<SessionCounts>,
    /// Its verdict; empty where none was given.
    pub safe: Option<bool>,
}

impl Catalog {
    /// Begins an import: one row, on stable storage when this returns.
    pub fn begin_session(&mut self, _session: &NewSession) -> Result<SessionId> {
        unimplemented!()
    }

    /// Journals what will be written, in one transaction; the ids are in the order of the intents.
    pub fn intend(&mut self, _session: SessionId, _intents: &[Intent]) -> Result<Vec<IntentId>> {
        unimplemented!()
    }

    /// Notes files that failed, in one transaction.
    pub fn fail(&mut self, _session: SessionId, _failed: &[Failed]) -> Result<()> {
        unimplemented!()
    }

    /// Ends a session with its counts and verdict.
    pub fn close_session(
        &mut self,
        _session: SessionId,
        _counts: &SessionCounts,
        _ended: Timestamp,
        _safe: Option<bool>,
    ) -> Result<()> {
        unimplemented!()
    }

    /// Intents that were neither finished nor given up, of all sessions, oldest first.
    pub fn unfinished(&self) -> Result<Vec<UnfinishedIntent>> {
        unimplemented!()
    }

    /// Gives up intents, with one reason: recovery found nothing to adopt.
    pub fn abandon(&mut self, _intents: &[IntentId], _reason: &str) -> Result<()> {
        unimplemented!()
    }

    /// Sessions, the newest first.
    pub fn sessions(&self, _limit: Option<u32>) -> Result<Vec<SessionSummary>> {
        unimplemented!()
    }
}

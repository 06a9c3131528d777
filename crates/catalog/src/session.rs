//! Sessions and their journal: what an import intends, what became of it, and how it ended.
//!
//! An intent is written before anything is written to the destination, and is settled in the transaction that
//! makes the file's rows; whatever is not settled is what recovery has to look at. Intents of a closed session
//! are dropped once its lines are in the library's journal folder: `copy` and `history` hold what they said.

use jiff::Timestamp;
use lightfast_model::{BytePath, PhotoId, Role, SessionId};
use rusqlite::{OptionalExtension as _, params};

use crate::codes::{self, Code as _, intent_state};
use crate::error::Doing as _;
use crate::{
    Catalog, CatalogError, Failed, Intent, IntentId, NewSession, Result, RootId, SessionCounts, UnfinishedIntent,
};

/// A session, as a list of imports shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSummary {
    /// Its row.
    pub id: SessionId,
    /// The folder it read.
    pub source: BytePath,
    /// The card's identity.
    pub card: String,
    /// The card's label.
    pub card_label: Option<String>,
    /// The job code.
    pub job: Option<String>,
    /// When it began.
    pub started: Timestamp,
    /// When it was closed; empty while it runs, or where it was cut off.
    pub ended: Option<Timestamp>,
    /// Its counts, once it is closed; empty where it was cut off.
    pub counts: Option<SessionCounts>,
    /// Its verdict; empty where none was given.
    pub safe: Option<bool>,
}

impl Catalog {
    /// Begins an import: one row, on stable storage when this returns.
    pub fn begin_session(&mut self, session: &NewSession) -> Result<SessionId> {
        let transaction = self.writing()?;
        let card: i64 = transaction
            .query_row(
                "INSERT INTO card (identity, label) VALUES (?1, ?2) \
                 ON CONFLICT (identity) DO UPDATE SET label = ifnull(excluded.label, label) RETURNING id",
                params![session.card.id, session.card.label],
                |row| row.get(0),
            )
            .doing("note a card")?;
        let id = transaction
            .query_row(
                "INSERT INTO session (source, card, job, options, started) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
                params![
                    session.source.as_bytes(),
                    card,
                    session.job,
                    session.options_json,
                    codes::micros(session.started)
                ],
                |row| row.get(0).map(SessionId),
            )
            .doing("begin a session")?;
        transaction.commit().doing("begin a session")?;
        Ok(id)
    }

    /// Journals what will be written, in one transaction; the ids are in the order of the intents.
    pub fn intend(&mut self, session: SessionId, intents: &[Intent]) -> Result<Vec<IntentId>> {
        let transaction = self.writing()?;
        let mut ids = Vec::with_capacity(intents.len());
        {
            let mut statement = transaction
                .prepare_cached(
                    "INSERT INTO intent (session, root, source, size, mtime_ns, path, temp, photo, role, grp, seq) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                )
                .doing("journal intents")?;
            for intent in intents {
                let id = statement
                    .insert(params![
                        session.0,
                        intent.root.0,
                        intent.source.as_bytes(),
                        codes::size(intent.size),
                        intent.mtime_ns,
                        intent.path.as_bytes(),
                        intent.temp.as_bytes(),
                        intent.photo.as_str(),
                        intent.role.code(),
                        intent.group,
                        intent.seq,
                    ])
                    .doing("journal intents")?;
                ids.push(IntentId(id));
            }
        }
        transaction.commit().doing("journal intents")?;
        Ok(ids)
    }

    /// Notes files that failed, in one transaction.
    pub fn fail(&mut self, session: SessionId, failed: &[Failed]) -> Result<()> {
        let transaction = self.writing()?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "UPDATE intent SET state = ?3, step = ?4, errno = ?5, offset = ?6, reason = ?7 \
                     WHERE id = ?1 AND session = ?2",
                )
                .doing("note failures")?;
            for file in failed {
                let changed = statement
                    .execute(params![
                        file.intent.0,
                        session.0,
                        intent_state::FAILED,
                        file.step,
                        file.errno,
                        file.offset.map(codes::size),
                        file.reason,
                    ])
                    .doing("note failures")?;
                if changed == 0 {
                    return Err(CatalogError::Unknown { what: "intent", name: file.intent.0.to_string() });
                }
            }
        }
        transaction.commit().doing("note failures")
    }

    /// Ends a session with its counts and verdict.
    pub fn close_session(
        &mut self,
        session: SessionId,
        counts: &SessionCounts,
        ended: Timestamp,
        safe: Option<bool>,
    ) -> Result<()> {
        let counts = serde_json::to_string(counts).unwrap_or_default();
        let changed = self
            .db
            .execute(
                "UPDATE session SET ended = ?2, counts = ?3, safe = ?4, journaled = 0 WHERE id = ?1",
                params![session.0, codes::micros(ended), counts, safe],
            )
            .doing("close a session")?;
        if changed == 0 {
            return Err(CatalogError::Unknown { what: "session", name: session.to_string() });
        }
        Ok(())
    }

    /// Closes, without counts or verdict, the sessions that were cut off; how many there were. To be called by
    /// recovery, while the import lock is held and before a session begins.
    pub fn close_interrupted(&mut self, now: Timestamp) -> Result<u64> {
        let changed = self
            .db
            .execute("UPDATE session SET ended = ?1, journaled = 0 WHERE ended IS NULL", [codes::micros(now)])
            .doing("close sessions that were cut off")?;
        Ok(changed as u64)
    }

    /// Intents that were neither finished nor given up, of all sessions, oldest first.
    pub fn unfinished(&self) -> Result<Vec<UnfinishedIntent>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT i.id, i.session, s.source, c.identity, i.root, i.source, i.size, i.mtime_ns, i.path, i.temp, \
                        i.photo, i.role, i.grp, i.seq \
                 FROM intent i JOIN session s ON s.id = i.session JOIN card c ON c.id = s.card \
                 WHERE i.state = 0 ORDER BY i.id",
            )
            .doing("read the journal")?;
        let mut rows = statement.query([]).doing("read the journal")?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().doing("read the journal")? {
            found.push(unfinished(row)?);
        }
        Ok(found)
    }

    /// Gives up intents, with one reason: recovery found nothing to adopt.
    pub fn abandon(&mut self, intents: &[IntentId], reason: &str) -> Result<()> {
        let transaction = self.writing()?;
        {
            let mut statement = transaction
                .prepare_cached("UPDATE intent SET state = ?2, reason = ?3 WHERE id = ?1 AND state = 0")
                .doing("give up intents")?;
            for intent in intents {
                statement.execute(params![intent.0, intent_state::ABANDONED, reason]).doing("give up intents")?;
            }
        }
        transaction.commit().doing("give up intents")
    }

    /// Sessions, the newest first.
    pub fn sessions(&self, limit: Option<u32>) -> Result<Vec<SessionSummary>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT s.id, s.source, c.identity, c.label, s.job, s.started, s.ended, s.counts, s.safe \
                 FROM session s JOIN card c ON c.id = s.card ORDER BY s.id DESC LIMIT ?1",
            )
            .doing("read sessions")?;
        let mut rows = statement.query([limit.map_or(-1, i64::from)]).doing("read sessions")?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().doing("read sessions")? {
            found.push(summary(row)?);
        }
        Ok(found)
    }

    /// One session.
    pub fn session(&self, id: SessionId) -> Result<Option<SessionSummary>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT s.id, s.source, c.identity, c.label, s.job, s.started, s.ended, s.counts, s.safe \
                 FROM session s JOIN card c ON c.id = s.card WHERE s.id = ?1",
            )
            .doing("read a session")?;
        statement.query_row([id.0], |row| Ok(summary(row))).optional().doing("read a session")?.transpose()
    }
}

fn summary(row: &rusqlite::Row<'_>) -> Result<SessionSummary> {
    let read = || -> rusqlite::Result<_> {
        let source: Vec<u8> = row.get(1)?;
        let times: (i64, Option<i64>) = (row.get(5)?, row.get(6)?);
        let counts: Option<String> = row.get(7)?;
        let names: (String, Option<String>, Option<String>) = (row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((row.get(0)?, source, names, times, counts, row.get(8)?))
    };
    let (id, source, (card, card_label, job), (started, ended), counts, safe) = read().doing("read sessions")?;
    let counts = counts.map(|text| {
        serde_json::from_str(&text).map_err(|_| CatalogError::Value { what: "session's counts", value: text })
    });
    Ok(SessionSummary {
        id: SessionId(id),
        source: BytePath::from_bytes(&source),
        card,
        card_label,
        job,
        started: codes::timestamp(started)?,
        ended: ended.map(codes::timestamp).transpose()?,
        counts: counts.transpose()?,
        safe,
    })
}

fn unfinished(row: &rusqlite::Row<'_>) -> Result<UnfinishedIntent> {
    let path = |i: usize| row.get::<_, Vec<u8>>(i).map(|bytes| BytePath::from_bytes(&bytes));
    let read = || -> rusqlite::Result<_> {
        let photo: String = row.get(10)?;
        let ids = (row.get(0)?, row.get(1)?, row.get(4)?);
        let paths = (path(2)?, path(5)?, path(8)?, path(9)?);
        let numbers = (row.get(6)?, row.get(7)?, row.get(11)?);
        Ok((ids, paths, numbers, row.get::<_, String>(3)?, photo, row.get::<_, u32>(12)?, row.get(13)?))
    };
    let (ids, paths, numbers, card, photo, group, seq) = read().doing("read the journal")?;
    Ok(UnfinishedIntent {
        id: IntentId(ids.0),
        session: SessionId(ids.1),
        session_source: paths.0,
        card,
        intent: Intent {
            root: RootId(ids.2),
            source: paths.1,
            size: codes::bytes(numbers.0),
            mtime_ns: numbers.1,
            path: paths.2,
            temp: paths.3,
            photo: PhotoId::parse(&photo).ok_or(CatalogError::Value { what: "photo id", value: photo })?,
            role: Role::from_code(numbers.2)?,
            group,
            seq,
        },
    })
}

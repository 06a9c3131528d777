//! Step 9 of the protocol: a file that is on stable storage becomes a row.
//!
//! One call is one transaction: intent, file, copy, photo, member, history and search rows come together or not
//! at all, and when the call has returned they are durable. This is on the import's critical path, so each
//! statement is prepared once a connection and repeated names are looked up once a batch.

use lightfast_model::{BytePath, PhotoId, Role, SessionId, Verified};
use rusqlite::{OptionalExtension as _, params};

use crate::codes::{self, Code as _, intent_state};
use crate::error::Doing as _;
use crate::writer::{Arrival, NewCopy, NewFile, Writer};
use crate::{Catalog, CatalogError, Duplicate, IntentId, Published, Result, RootId};

const DOING: &str = "publish files";

/// What a published file's intent says.
struct Settling {
    root: RootId,
    source: Vec<u8>,
    mtime_ns: i64,
    photo: PhotoId,
    role: Role,
    /// Its content, where it is settled already.
    settled: Option<Vec<u8>>,
}

impl Catalog {
    /// Makes rows of files that are on stable storage, in one transaction: the intent is settled, and file, copy,
    /// photo, member, history and search rows are written. When this returns they are durable; when it fails
    /// none of them is there.
    ///
    /// A photo appears with its first picture (companions wait for it). A more primary member (RAW before HEIF
    /// before JPEG …) that comes later replaces its facts. A picture whose content already belongs to another
    /// photo becomes one more copy of that content, and no member; if that photo was in the trash, it comes back.
    /// Calling it again for the same intent and content changes nothing.
    pub fn publish(&mut self, session: SessionId, files: &[Published]) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let transaction = self.writing()?;
        {
            let (card, job): (i64, Option<String>) = transaction
                .prepare_cached("SELECT card, job FROM session WHERE id = ?1")
                .and_then(|mut s| s.query_row([session.0], |row| Ok((row.get(0)?, row.get(1)?))))
                .optional()
                .doing(DOING)?
                .ok_or_else(|| CatalogError::Unknown { what: "session", name: session.to_string() })?;
            let mut writer = Writer::begin(&transaction)?;
            for file in files {
                publish_one(&mut writer, session, card, job.as_deref(), file)?;
            }
            writer.finish()?;
            // A session that recovery adds to after its end is to be journaled anew.
            transaction
                .prepare_cached("UPDATE session SET journaled = 0 WHERE id = ?1 AND journaled = 1")
                .and_then(|mut s| s.execute([session.0]))
                .doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }

    /// Notes, in one transaction, files of the card whose content is in the library already, so that the next
    /// run can tell them by card, path, size and time alone.
    pub fn duplicate(&mut self, session: SessionId, files: &[Duplicate]) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let transaction = self.writing()?;
        {
            let card: i64 = transaction
                .query_row("SELECT card FROM session WHERE id = ?1", [session.0], |row| row.get(0))
                .optional()
                .doing(DOING)?
                .ok_or_else(|| CatalogError::Unknown { what: "session", name: session.to_string() })?;
            let mut proven = transaction
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM copy WHERE file = ?1 AND verified > 0)")
                .doing(DOING)?;
            let mut settle = transaction
                .prepare_cached("UPDATE intent SET state = ?2, file = ?3 WHERE id = ?1 AND state <> ?4")
                .doing(DOING)?;
            for file in files {
                let is_proven: bool = proven.query_row([file.of.0], |row| row.get(0)).doing(DOING)?;
                let quick = file.quick.map(lightfast_model::QuickKey::to_bytes);
                note_history(
                    &transaction,
                    &Seen {
                        card,
                        session,
                        source: file.source.as_bytes(),
                        size: file.size,
                        mtime_ns: file.mtime_ns,
                        hash: &file.hash.0,
                        quick: quick.as_ref().map(|q| &q[..]),
                        proven: is_proven,
                    },
                )?;
                if let Some(quick) = quick {
                    transaction
                        .prepare_cached("UPDATE file SET quick = ?2 WHERE id = ?1 AND quick IS NULL")
                        .and_then(|mut s| s.execute(params![file.of.0, &quick[..]]))
                        .doing(DOING)?;
                }
                if let Some(intent) = file.intent {
                    settle
                        .execute(params![intent.0, intent_state::DUPLICATE, file.of.0, intent_state::VERIFIED])
                        .doing(DOING)?;
                }
            }
        }
        transaction.commit().doing(DOING)
    }
}

fn publish_one(
    writer: &mut Writer<'_>,
    session: SessionId,
    card: i64,
    job: Option<&str>,
    published: &Published,
) -> Result<()> {
    let intent = settling(writer, session, published.intent)?;
    if intent.settled.as_deref() == Some(&published.hash.0[..]) {
        return Ok(());
    }
    let file = writer.file(&NewFile {
        hash: published.hash,
        size: published.size,
        quick: Some(published.quick),
        facts: published.facts.as_ref(),
    })?;
    writer.copy(&NewCopy {
        file,
        root: intent.root,
        path: &published.path,
        mtime_ns: published.mtime_ns,
        verified: Some(published.verified),
        verified_at: published.verified_at,
        session: Some(session),
    })?;
    writer.arrive(&Arrival {
        file,
        uid: &intent.photo,
        role: intent.role,
        kind: published.kind,
        taken: published.taken,
        facts: published.facts.as_ref(),
        path: &published.path,
        source: &BytePath::from_bytes(&intent.source),
        job,
        session: Some(session),
        imported: published.verified_at,
    })?;
    note_history(
        writer.db,
        &Seen {
            card,
            session,
            source: &intent.source,
            size: published.size,
            mtime_ns: intent.mtime_ns,
            hash: &published.hash.0,
            quick: Some(&published.quick.to_bytes()),
            proven: published.verified > Verified::Stream,
        },
    )?;
    writer
        .db
        .prepare_cached("UPDATE intent SET state = ?2, file = ?3, path = ?4 WHERE id = ?1")
        .and_then(|mut s| {
            s.execute(params![published.intent.0, intent_state::VERIFIED, file.0, published.path.as_bytes()])
        })
        .doing(DOING)?;
    Ok(())
}

fn settling(writer: &Writer<'_>, session: SessionId, intent: IntentId) -> Result<Settling> {
    let mut statement = writer
        .db
        .prepare_cached(
            "SELECT i.root, i.source, i.mtime_ns, i.photo, i.role, i.state, f.hash \
             FROM intent i LEFT JOIN file f ON f.id = i.file WHERE i.id = ?1 AND i.session = ?2",
        )
        .doing(DOING)?;
    type Columns = (i64, Vec<u8>, i64, String, i64, i64, Option<Vec<u8>>);
    let columns: Option<Columns> = statement
        .query_row([intent.0, session.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
        })
        .optional()
        .doing(DOING)?;
    let (root, source, mtime_ns, photo, role, state, hash) =
        columns.ok_or_else(|| CatalogError::Unknown { what: "intent", name: intent.0.to_string() })?;
    Ok(Settling {
        root: RootId(root),
        source,
        mtime_ns,
        photo: PhotoId::parse(&photo).ok_or(CatalogError::Value { what: "photo id", value: photo })?,
        role: Role::from_code(role)?,
        settled: hash.filter(|_| state == intent_state::VERIFIED),
    })
}

/// A file of a card, as history keeps it.
pub(crate) struct Seen<'a> {
    pub(crate) card: i64,
    pub(crate) session: SessionId,
    pub(crate) source: &'a [u8],
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
    pub(crate) hash: &'a [u8],
    pub(crate) quick: Option<&'a [u8]>,
    pub(crate) proven: bool,
}

pub(crate) fn note_history(db: &rusqlite::Connection, seen: &Seen<'_>) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO history (card, source, hash, size, mtime_ns, quick, proven, first, seen) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) \
         ON CONFLICT DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, \
           quick = ifnull(excluded.quick, quick), proven = max(proven, excluded.proven), seen = excluded.seen",
    )
    .and_then(|mut s| {
        s.execute(params![
            seen.card,
            seen.source,
            seen.hash,
            codes::size(seen.size),
            seen.mtime_ns,
            seen.quick,
            seen.proven,
            seen.session.0
        ])
    })
    .doing("note history")?;
    Ok(())
}

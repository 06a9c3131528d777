//! What a look at the disk found: copies that moved, came back, changed or are gone, and files that are new.
//!
//! A file that moved keeps its row, and with it its photo and all marks: content decides, not the path.

use jiff::Timestamp;
use lightfast_model::{BytePath, SessionId};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::codes::copy_state;
use crate::error::Doing as _;
use crate::rebuild::Found;
use crate::writer::{Arrival, NewCopy, NewFile, Writer, file_name};
use crate::{Catalog, CatalogError, Result, journal_writer};

const DOING: &str = "keep what was found";

/// What became of one recorded copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rescanned {
    /// It lies elsewhere in its root, with the same content.
    Moved {
        /// The copy's row.
        row: i64,
        /// Where it lies now.
        path: BytePath,
        /// Its modification time now.
        mtime_ns: i64,
    },
    /// It is there, with the same content.
    Present {
        /// The copy's row.
        row: i64,
        /// Its modification time now.
        mtime_ns: i64,
    },
    /// It is not there.
    Missing {
        /// The copy's row.
        row: i64,
    },
    /// Other bytes lie there.
    Changed {
        /// The copy's row.
        row: i64,
    },
}

impl Catalog {
    /// Keeps what became of recorded copies, in one transaction.
    pub fn record_rescanned(&mut self, found: &[Rescanned]) -> Result<()> {
        let transaction = self.writing()?;
        let mut writer = Writer::begin(&transaction)?;
        // Two files may have changed places, so all of them leave theirs first.
        for change in found {
            if let Rescanned::Moved { row, .. } = change {
                transaction
                    .prepare_cached("UPDATE copy SET path = CAST('/moving/' || id AS BLOB) WHERE id = ?1")
                    .and_then(|mut s| s.execute([row]))
                    .doing(DOING)?;
            }
        }
        for change in found {
            match change {
                Rescanned::Moved { row, path, mtime_ns } => moved(&mut writer, *row, path, *mtime_ns)?,
                Rescanned::Present { row, mtime_ns } => {
                    state(writer.db, *row, copy_state::PRESENT)?;
                    writer
                        .db
                        .prepare_cached("UPDATE copy SET mtime_ns = ?2 WHERE id = ?1")
                        .and_then(|mut s| s.execute(params![row, mtime_ns]))
                        .doing(DOING)?;
                }
                Rescanned::Missing { row } => state(writer.db, *row, copy_state::VANISHED)?,
                Rescanned::Changed { row } => state(writer.db, *row, copy_state::CHANGED)?,
            }
        }
        writer.finish()?;
        transaction.commit().doing(DOING)
    }

    /// Catalogues files where they lie, in one transaction. Outside a session, the journal gets a line for each photo.
    pub fn add_files(&mut self, session: Option<SessionId>, files: &[Found], now: Timestamp) -> Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        let transaction = self.writing()?;
        let job: Option<String> = match session {
            None => None,
            Some(id) => transaction
                .query_row("SELECT job FROM session WHERE id = ?1", [id.0], |row| row.get(0))
                .optional()
                .doing(DOING)?
                .ok_or_else(|| CatalogError::Unknown { what: "session", name: id.to_string() })?,
        };
        let mut writer = Writer::begin(&transaction)?;
        let mut photos = Vec::new();
        for found in files {
            add(&mut writer, found, session, job.as_deref(), now)?;
            let photo: Option<i64> = transaction
                .prepare_cached("SELECT photo FROM member m JOIN file f ON f.id = m.file WHERE f.hash = ?1")
                .and_then(|mut s| s.query_row([&found.hash.0[..]], |row| row.get(0)).optional())
                .doing(DOING)?;
            photos.extend(photo);
        }
        writer.finish()?;
        if session.is_none() {
            photos.sort_unstable();
            photos.dedup();
            journal_writer::put_photos(&transaction, &photos)?;
        }
        transaction.commit().doing(DOING)
    }
}

fn state(db: &Connection, row: i64, state: i64) -> Result<()> {
    db.prepare_cached("UPDATE copy SET state = ?2 WHERE id = ?1")
        .and_then(|mut s| s.execute([row, state]))
        .doing(DOING)?;
    // The photos it belongs to are shown with their copies.
    db.prepare_cached(
        "UPDATE photo SET revision = (SELECT revision FROM state) \
         WHERE id IN (SELECT m.photo FROM copy c JOIN member m ON m.file = c.file WHERE c.id = ?1)",
    )
    .and_then(|mut s| s.execute([row]))
    .doing(DOING)?;
    Ok(())
}

fn moved(writer: &mut Writer<'_>, row: i64, path: &BytePath, mtime_ns: i64) -> Result<()> {
    let db = writer.db;
    // What was recorded there and is not there any more gives way.
    db.prepare_cached("DELETE FROM copy WHERE root = (SELECT root FROM copy WHERE id = ?1) AND path = ?2 AND id <> ?1")
        .and_then(|mut s| s.execute(params![row, path.as_bytes()]))
        .doing(DOING)?;
    db.prepare_cached("UPDATE copy SET path = ?2, mtime_ns = ?3, home = NULL WHERE id = ?1")
        .and_then(|mut s| s.execute(params![row, path.as_bytes(), mtime_ns]))
        .doing(DOING)?;
    state(db, row, copy_state::PRESENT)?;
    let name = file_name(path);
    let photos: Vec<(i64, String)> = db
        .prepare_cached(
            "SELECT t.photo, t.names FROM copy c JOIN member m ON m.file = c.file \
             JOIN photo_text t ON t.photo = m.photo WHERE c.id = ?1",
        )
        .and_then(|mut s| s.query_map([row], |r| Ok((r.get(0)?, r.get(1)?)))?.collect())
        .doing(DOING)?;
    for (photo, names) in photos {
        db.prepare_cached(
            "UPDATE photo SET name = ?2 WHERE id = ?1 AND file = (SELECT file FROM copy WHERE id = ?3) AND name <> ?2",
        )
        .and_then(|mut s| s.execute(params![photo, name, row]))
        .doing(DOING)?;
        if !names.split('\n').any(|known| known == name) {
            let names = if names.is_empty() { name.clone() } else { format!("{names}\n{name}") };
            db.prepare_cached("UPDATE photo_text SET names = ?2 WHERE photo = ?1")
                .and_then(|mut s| s.execute(params![photo, names]))
                .doing(DOING)?;
            writer.words_changed(photo)?;
        }
    }
    Ok(())
}

fn add(
    writer: &mut Writer<'_>,
    found: &Found,
    session: Option<SessionId>,
    job: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let file = writer.file(&NewFile {
        hash: found.hash,
        size: found.size,
        quick: found.quick,
        facts: found.facts.as_ref(),
    })?;
    writer.copy(&NewCopy {
        file,
        root: found.root,
        path: &found.path,
        mtime_ns: found.mtime_ns,
        verified: found.verified,
        verified_at: now,
        session,
    })?;
    writer.arrive(&Arrival {
        file,
        uid: &found.photo,
        role: found.role,
        kind: found.kind,
        taken: found.taken,
        facts: found.facts.as_ref(),
        path: &found.path,
        source: &found.path,
        job,
        session,
        imported: now,
    })?;
    let quick = found.quick.map(lightfast_model::QuickKey::to_bytes);
    if let Some(quick) = quick {
        writer
            .db
            .prepare_cached("UPDATE file SET quick = ?2 WHERE id = ?1 AND quick IS NULL")
            .and_then(|mut s| s.execute(params![file.0, &quick[..]]))
            .doing(DOING)?;
    }
    Ok(())
}

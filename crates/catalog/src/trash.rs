//! The trash: photos that a person put away, and whose files lie under `.lightfast/trash` until it is emptied.
//!
//! The catalogue says first where a file will be, then the caller moves it, then says that it is done. Both ends
//! of a move are in the copy's row meanwhile, so a move that was cut off can be finished: [`Catalog::moves`] lists
//! what may still lie at the other end. What was put away stays known by its content, also when the trash was
//! emptied, so that no later import brings it back unasked.

use std::path::Path;

use jiff::Timestamp;
use lightfast_model::{BytePath, ContentHash, PhotoId};
use rusqlite::{Connection, params, params_from_iter};

use crate::codes::{self, copy_state};
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::journal::Line;
use crate::query::Condition;
use crate::writer::Writer;
use crate::{Catalog, CatalogError, FileId, Query, Result, RootId, journal_writer};

const DOING: &str = "use the trash";

/// Where files of the trash lie, relative to their root: in a folder of their photo each.
const FOLDER: &str = ".lightfast/trash";

/// A file that has to be moved for the catalogue to be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The row of the copy.
    pub row: i64,
    /// The root within which it is moved.
    pub root: RootId,
    /// Where it may still lie, relative to the root.
    pub from: BytePath,
    /// Where it belongs.
    pub to: BytePath,
    /// Its content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
}

/// What going into the trash or out of it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrashOutcome {
    /// Photos that were put away or brought back.
    pub photos: u64,
    /// Files to move now.
    pub moves: Vec<Move>,
}

impl Catalog {
    /// Puts the photos that match away. A file that another photo still has stays where it is, and so do copies in the
    /// roots of `stay`: further destinations, which are what the trash can later be emptied for.
    pub fn trash(&mut self, query: &Query, stay: &[RootId], now: Timestamp) -> Result<TrashOutcome> {
        let stay = serde_json::to_string(stay).unwrap_or_default();
        let zone = self.zone.clone();
        let Condition { sql, values } = Condition::of(query, &self.db, &zone)?;
        let transaction = self.writing()?;
        let db = &*transaction;
        let photos = choose(db, &format!("p.trashed IS NULL AND ({sql})"), values)?;
        let revision = next_revision(db)?;
        let at = codes::micros(now);
        db.execute("UPDATE photo SET trashed = ?1, revision = ?2 WHERE id IN (SELECT id FROM chosen)", [at, revision])
            .doing(DOING)?;
        // Files of the chosen photos that no photo outside the trash has.
        db.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS put_away (file INTEGER PRIMARY KEY, uid TEXT); DELETE FROM put_away; \
             INSERT OR IGNORE INTO put_away SELECT m.file, p.uid FROM chosen c JOIN photo p ON p.id = c.id \
               JOIN member m ON m.photo = p.id WHERE NOT EXISTS (SELECT 1 FROM member o JOIN photo q ON q.id = o.photo \
               WHERE o.file = m.file AND q.trashed IS NULL);",
        )
        .doing(DOING)?;
        db.execute("UPDATE file SET trashed = ?1 WHERE id IN (SELECT file FROM put_away)", [at]).doing(DOING)?;
        let copies: Vec<(i64, String, Vec<u8>)> = db
            .prepare_cached(
                "SELECT c.id, a.uid, c.path FROM put_away a JOIN copy c ON c.file = a.file \
                 WHERE c.state NOT IN (?1, ?2) AND c.root NOT IN (SELECT value FROM json_each(?3)) ORDER BY c.id",
            )
            .and_then(|mut s| {
                s.query_map(params![copy_state::VANISHED, copy_state::TRASH, stay], |r| {
                    Ok((r.get(0)?, r.get(1)?, r.get(2)?))
                })?
                .collect()
            })
            .doing(DOING)?;
        let mut ids = Vec::with_capacity(copies.len());
        for (id, uid, path) in copies {
            let to = BytePath::from(Path::new(FOLDER).join(uid).join(BytePath::from_bytes(&path).as_path()));
            db.prepare_cached("UPDATE copy SET state = ?2, home = path, path = ?3 WHERE id = ?1")
                .and_then(|mut s| s.execute(params![id, copy_state::TRASH, to.as_bytes()]))
                .doing(DOING)?;
            ids.push(id);
        }
        note(db, "trashed", now)?;
        let moves = moves_of(db, &ids)?;
        transaction.commit().doing(DOING)?;
        Ok(TrashOutcome { photos, moves })
    }

    /// Brings the photos that match back out of the trash, each file to where it came from. Where another file
    /// has taken that place meanwhile, `elsewhere` is asked for a free path, relative to the root.
    pub fn restore(
        &mut self,
        query: &Query,
        now: Timestamp,
        elsewhere: &mut dyn FnMut(RootId, &BytePath) -> BytePath,
    ) -> Result<TrashOutcome> {
        let zone = self.zone.clone();
        let Condition { sql, values } = Condition::of_any(query, &self.db, &zone)?;
        let transaction = self.writing()?;
        let db = &*transaction;
        let photos = choose(db, &format!("p.trashed IS NOT NULL AND p.gone = 0 AND ({sql})"), values)?;
        let revision = next_revision(db)?;
        db.execute("UPDATE photo SET trashed = NULL, revision = ?1 WHERE id IN (SELECT id FROM chosen)", [revision])
            .doing(DOING)?;
        db.execute_batch(
            "UPDATE file SET trashed = NULL WHERE id IN \
             (SELECT m.file FROM chosen c JOIN member m ON m.photo = c.id);",
        )
        .doing(DOING)?;
        let copies: Vec<(i64, i64, Vec<u8>)> = db
            .prepare_cached(
                "SELECT DISTINCT c.id, c.root, c.home FROM chosen h JOIN member m ON m.photo = h.id \
                 JOIN copy c ON c.file = m.file WHERE c.state = ?1 AND c.home IS NOT NULL ORDER BY c.id",
            )
            .and_then(|mut s| s.query_map([copy_state::TRASH], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect())
            .doing(DOING)?;
        let mut ids = Vec::with_capacity(copies.len());
        for (id, root, home) in copies {
            let mut to = BytePath::from_bytes(&home);
            while is_taken(db, root, &to)? {
                let next = elsewhere(RootId(root), &to);
                if next == to {
                    return Err(CatalogError::Unknown { what: "free path", name: to.shown() });
                }
                to = next;
            }
            db.prepare_cached("DELETE FROM copy WHERE root = ?1 AND path = ?2 AND state = ?3")
                .and_then(|mut s| s.execute(params![root, to.as_bytes(), copy_state::VANISHED]))
                .doing(DOING)?;
            db.prepare_cached("UPDATE copy SET state = ?2, home = path, path = ?3 WHERE id = ?1")
                .and_then(|mut s| s.execute(params![id, copy_state::PRESENT, to.as_bytes()]))
                .doing(DOING)?;
            ids.push(id);
        }
        note(db, "restored", now)?;
        let moves = moves_of(db, &ids)?;
        transaction.commit().doing(DOING)?;
        Ok(TrashOutcome { photos, moves })
    }

    /// Says that files are where they belong: those that came back need no other end any more. A file in the trash
    /// keeps its home, for it may come back.
    pub fn moved(&mut self, rows: &[i64]) -> Result<()> {
        let transaction = self.writing()?;
        for row in rows {
            transaction
                .prepare_cached("UPDATE copy SET home = NULL WHERE id = ?1 AND state <> ?2")
                .and_then(|mut s| s.execute([*row, copy_state::TRASH]))
                .doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }

    /// Moves that may not have been finished, and all files of the trash: each is right when it lies at `to`.
    pub fn moves(&self) -> Result<Vec<Move>> {
        let ids: Vec<i64> = self
            .db
            .prepare_cached("SELECT id FROM copy WHERE home IS NOT NULL ORDER BY id")
            .and_then(|mut s| s.query_map([], |row| row.get(0))?.collect())
            .doing(DOING)?;
        moves_of(&self.db, &ids)
    }

    /// Files that lie in the trash, as moves that brought them there.
    pub fn in_trash(&self) -> Result<Vec<Move>> {
        let ids: Vec<i64> = self
            .db
            .prepare_cached("SELECT id FROM copy WHERE state = ?1 ORDER BY id")
            .and_then(|mut s| s.query_map([copy_state::TRASH], |row| row.get(0))?.collect())
            .doing(DOING)?;
        moves_of(&self.db, &ids)
    }

    /// Says that files of the trash were deleted for good. A photo without a file left is gone; its content stays
    /// known as put away.
    pub fn emptied(&mut self, rows: &[i64], now: Timestamp) -> Result<()> {
        let transaction = self.writing()?;
        let db = &*transaction;
        for row in rows {
            db.prepare_cached(
                "INSERT OR REPLACE INTO emptied (root, path, at) \
                 SELECT root, home, ?3 FROM copy WHERE id = ?1 AND state = ?2 AND home IS NOT NULL",
            )
            .and_then(|mut s| s.execute([*row, copy_state::TRASH, codes::micros(now)]))
            .doing(DOING)?;
            db.prepare_cached("DELETE FROM copy WHERE id = ?1 AND state = ?2")
                .and_then(|mut s| s.execute([*row, copy_state::TRASH]))
                .doing(DOING)?;
        }
        let condition = format!(
            "p.trashed IS NOT NULL AND p.gone = 0 AND NOT EXISTS (SELECT 1 FROM member m JOIN copy c ON c.file = m.file \
             WHERE m.photo = p.id AND c.state = {})",
            copy_state::TRASH
        );
        choose(db, &condition, Vec::new())?;
        let revision = next_revision(db)?;
        db.execute("UPDATE photo SET gone = 1, revision = ?1 WHERE id IN (SELECT id FROM chosen)", [revision])
            .doing(DOING)?;
        db.execute("DELETE FROM sidecar WHERE photo IN (SELECT id FROM chosen)", []).doing(DOING)?;
        note(db, "emptied", now)?;
        transaction.commit().doing(DOING)
    }

    /// Where files of a root lay before they went into the trash that was emptied; something else may lie there now.
    pub fn emptied_from(&self, root: RootId) -> Result<Vec<BytePath>> {
        self.db
            .prepare_cached("SELECT path FROM emptied WHERE root = ?1")
            .and_then(|mut s| {
                s.query_map([root.0], |row| Ok(BytePath::from_bytes(row.get_ref(0)?.as_blob()?)))?.collect()
            })
            .doing(DOING)
    }

    /// Says that sidecars lie elsewhere in their root, as their photos went into the trash or came back.
    pub fn sidecars_moved(&mut self, moves: &[(RootId, BytePath, BytePath)]) -> Result<()> {
        let transaction = self.writing()?;
        for (root, from, to) in moves {
            transaction
                .prepare_cached("UPDATE sidecar SET path = ?3 WHERE root = ?1 AND path = ?2")
                .and_then(|mut s| s.execute(params![root.0, from.as_bytes(), to.as_bytes()]))
                .doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }

    /// Whether another copy of a content was proven and should be on disk, and where: what a copy in the trash may be
    /// deleted for. Copies on the same root do not count.
    pub fn copies_elsewhere(&self, hash: &ContentHash, root: RootId) -> Result<Vec<crate::CopyAt>> {
        let known = self.known_by_hash(hash)?;
        Ok(known.into_iter().flat_map(|k| k.copies).filter(|c| c.root != root && c.verified.is_some()).collect())
    }
}

/// Puts photos into the temporary table `chosen`; how many there are.
fn choose(db: &Connection, condition: &str, values: Vec<rusqlite::types::Value>) -> Result<u64> {
    db.execute_batch("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY); DELETE FROM chosen;")
        .doing(DOING)?;
    db.prepare_cached(&format!("INSERT INTO chosen SELECT p.id FROM photo p WHERE {condition}"))
        .and_then(|mut s| s.execute(params_from_iter(values)))
        .doing(DOING)
        .map(|n| n as u64)
}

fn is_taken(db: &Connection, root: i64, path: &BytePath) -> Result<bool> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM copy WHERE root = ?1 AND path = ?2 AND state <> ?3)")
        .and_then(|mut s| s.query_row(params![root, path.as_bytes(), copy_state::VANISHED], |row| row.get(0)))
        .doing(DOING)
}

fn moves_of(db: &Connection, copies: &[i64]) -> Result<Vec<Move>> {
    let mut statement = db
        .prepare_cached(
            "SELECT c.root, c.home, c.path, f.hash, f.size FROM copy c JOIN file f ON f.id = c.file WHERE c.id = ?1",
        )
        .doing(DOING)?;
    let mut moves = Vec::with_capacity(copies.len());
    for row in copies {
        let (root, home, path, hash, size): (i64, Option<Vec<u8>>, Vec<u8>, Vec<u8>, i64) =
            statement.query_row([row], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?))).doing(DOING)?;
        moves.push(Move {
            row: *row,
            root: RootId(root),
            from: BytePath::from_bytes(home.as_deref().unwrap_or(&path)),
            to: BytePath::from_bytes(&path),
            hash: codes::content_hash(&hash)?,
            size: codes::bytes(size),
        });
    }
    Ok(moves)
}

/// The photo and the home of a file that lies in the trash, from its path.
pub(crate) fn place_of(path: &BytePath) -> Option<(PhotoId, BytePath)> {
    let inside = path.as_path().strip_prefix(FOLDER).ok()?;
    let mut parts = inside.components();
    let photo = PhotoId::parse(parts.next()?.as_os_str().to_str()?)?;
    let home = parts.as_path();
    (!home.as_os_str().is_empty()).then(|| (photo, BytePath::from(home)))
}

/// Makes a file that was found in the trash be there: its copy, its content and its photo.
pub(crate) fn restore_place(
    writer: &Writer<'_>,
    photo: &PhotoId,
    file: FileId,
    root: RootId,
    path: &BytePath,
    home: &BytePath,
    now: Timestamp,
) -> Result<()> {
    let at = codes::micros(now);
    let db = writer.db;
    db.prepare_cached("UPDATE copy SET state = ?3, home = ?4 WHERE root = ?1 AND path = ?2")
        .and_then(|mut s| s.execute(params![root.0, path.as_bytes(), copy_state::TRASH, home.as_bytes()]))
        .doing(DOING)?;
    db.prepare_cached("UPDATE photo SET trashed = ?2, revision = ?3 WHERE uid = ?1 AND trashed IS NULL")
        .and_then(|mut s| s.execute(params![photo.as_str(), at, writer.revision]))
        .doing(DOING)?;
    db.prepare_cached("UPDATE file SET trashed = ?2 WHERE id = ?1")
        .and_then(|mut s| s.execute([file.0, at]))
        .doing(DOING)?;
    Ok(())
}

/// Leaves a line for the library's journal: what became of the chosen photos.
fn note(db: &Connection, state: &'static str, now: Timestamp) -> Result<()> {
    let rows: Vec<(String, Option<Vec<u8>>)> = db
        .prepare_cached(
            "SELECT p.uid, f.hash FROM chosen c JOIN photo p ON p.id = c.id LEFT JOIN member m ON m.photo = p.id \
             LEFT JOIN file f ON f.id = m.file ORDER BY p.id",
        )
        .and_then(|mut s| s.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .doing(DOING)?;
    for chunk in rows.chunks(500) {
        journal_writer::put(db, &Line::trash(state, now, chunk)?)?;
    }
    Ok(())
}

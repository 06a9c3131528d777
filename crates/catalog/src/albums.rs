//! Albums: photos chosen by hand, in an order of their own, and searches that were given a name.
//!
//! Putting photos in and taking them out are steps of the log of marks, so that undo takes them back. Making,
//! renaming and deleting an album are not; a deleted album's photos stay where they are.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use crate::codes;
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::journal::{AlbumLine, Line};
use crate::marks::{self, field};
use crate::query::Condition;
use crate::writer::fold;
use crate::{Catalog, MarkOutcome, Query, Result, journal_writer};

const DOING: &str = "use albums";

/// An album.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Album {
    /// Its number in this catalogue.
    pub id: i64,
    /// As the person wrote it.
    pub name: String,
    /// The search that it is; empty for one that is chosen by hand.
    pub query: Option<String>,
    /// Photos that were put in and are not in the trash; 0 for a search.
    pub photos: u64,
}

impl Catalog {
    /// All albums by name.
    pub fn albums(&self) -> Result<Vec<Album>> {
        self.db
            .prepare_cached(
                "SELECT a.id, a.name, a.query, (SELECT count(*) FROM album_photo ap JOIN photo p ON p.id = ap.photo \
                 WHERE ap.album = a.id AND p.trashed IS NULL) FROM album a ORDER BY a.folded",
            )
            .and_then(|mut s| {
                let album = |r: &rusqlite::Row<'_>| {
                    Ok(Album { id: r.get(0)?, name: r.get(1)?, query: r.get(2)?, photos: codes::bytes(r.get(3)?) })
                };
                s.query_map([], album)?.collect()
            })
            .doing(DOING)
    }

    /// Makes an album; none where the name is taken or empty. With a query it is a saved search.
    pub fn create_album(&mut self, name: &str, query: Option<&str>, now: Timestamp) -> Result<Option<i64>> {
        let name = name.trim();
        let transaction = self.writing()?;
        if name.is_empty() || named(&transaction, name)?.is_some() {
            return Ok(None);
        }
        let count: i64 =
            transaction.query_row("SELECT ifnull(max(id), 0) + 1 FROM album", [], |row| row.get(0)).doing(DOING)?;
        let uid = format!("{:x}-{count:x}", codes::micros(now));
        let id = transaction
            .query_row(
                "INSERT INTO album (uid, name, folded, query) VALUES (?1, ?2, ?3, ?4) RETURNING id",
                params![uid, name, fold(name), query],
                |row| row.get(0),
            )
            .doing(DOING)?;
        note(&transaction, id, false)?;
        next_revision(&transaction)?;
        transaction.commit().doing(DOING)?;
        Ok(Some(id))
    }

    /// Gives an album another name; whether there is such an album and the name is free.
    pub fn rename_album(&mut self, id: i64, name: &str) -> Result<bool> {
        let name = name.trim();
        let transaction = self.writing()?;
        if name.is_empty() || named(&transaction, name)?.is_some_and(|other| other != id) {
            return Ok(false);
        }
        let renamed = transaction
            .execute("UPDATE album SET name = ?2, folded = ?3 WHERE id = ?1", params![id, name, fold(name)])
            .doing(DOING)?;
        if renamed == 0 {
            return Ok(false);
        }
        note(&transaction, id, false)?;
        touch(&transaction, id)?;
        transaction.commit().doing(DOING)?;
        Ok(true)
    }

    /// Deletes an album, not its photos; whether there was one.
    pub fn delete_album(&mut self, id: i64) -> Result<bool> {
        let transaction = self.writing()?;
        let known: Option<i64> = transaction
            .query_row("SELECT id FROM album WHERE id = ?1", [id], |row| row.get(0))
            .optional()
            .doing(DOING)?;
        if known.is_none() {
            return Ok(false);
        }
        note(&transaction, id, true)?;
        touch(&transaction, id)?;
        transaction.execute("DELETE FROM album_photo WHERE album = ?1", [id]).doing(DOING)?;
        transaction.execute("DELETE FROM album WHERE id = ?1", [id]).doing(DOING)?;
        transaction.commit().doing(DOING)?;
        Ok(true)
    }

    /// Puts the photos that match into an album, at its end by capture time, or takes them out.
    pub fn album_photos(&mut self, id: i64, query: &Query, put: bool, now: Timestamp) -> Result<MarkOutcome> {
        let zone = self.zone.clone();
        let transaction = self.writing()?;
        let db = &*transaction;
        let Condition { sql, values } = Condition::of(query, db, &zone)?;
        let by_hand = "SELECT 1 FROM album WHERE id = ?1 AND query IS NULL";
        let known: Option<i64> = db.query_row(by_hand, [id], |row| row.get(0)).optional().doing(DOING)?;
        let matched: i64 = db
            .prepare_cached(&format!("SELECT count(*) FROM photo p WHERE {sql}"))
            .and_then(|mut s| s.query_row(params_from_iter(values.clone()), |row| row.get(0)))
            .doing(DOING)?;
        let mut outcome = MarkOutcome { matched: codes::bytes(matched), ..MarkOutcome::default() };
        db.execute_batch("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY); DELETE FROM chosen;")
            .doing(DOING)?;
        let differs = if put { "NOT EXISTS" } else { "EXISTS" };
        let changed = db
            .prepare_cached(&format!(
                "INSERT INTO chosen SELECT p.id FROM photo p WHERE ({sql}) \
                 AND {differs} (SELECT 1 FROM album_photo ap WHERE ap.album = {id} AND ap.photo = p.id)"
            ))
            .and_then(|mut s| s.execute(params_from_iter(values)))
            .doing(DOING)?;
        if known.is_none() || changed == 0 {
            return Ok(outcome);
        }
        let step = marks::begin_step(db, changed as i64, now)?;
        db.execute(
            "INSERT INTO mark (step, field, item, photo, before, after) SELECT ?1, ?2, ?3, id, 1 - ?4, ?4 FROM chosen",
            params![step, field::ALBUM, id, i64::from(put)],
        )
        .doing(DOING)?;
        set_photos(db, step, id, "after")?;
        let revision = next_revision(db)?;
        db.execute("UPDATE photo SET revision = ?1 WHERE id IN (SELECT id FROM chosen)", [revision]).doing(DOING)?;
        transaction.commit().doing(DOING)?;
        outcome.changed = changed as u64;
        outcome.step = Some(step);
        outcome.steps = vec![step];
        Ok(outcome)
    }

    /// Moves photos of an album, in the order given, to before another of its photos, or to its end.
    pub fn arrange_album(&mut self, id: i64, rows: &[u32], before: Option<u32>) -> Result<bool> {
        let transaction = self.writing()?;
        let mut order: Vec<u32> = transaction
            .prepare_cached("SELECT photo FROM album_photo WHERE album = ?1 ORDER BY place, photo")
            .and_then(|mut s| s.query_map([id], |row| row.get(0))?.collect())
            .doing(DOING)?;
        let moved: Vec<u32> = rows.iter().copied().filter(|row| order.contains(row)).collect();
        if moved.is_empty() {
            return Ok(false);
        }
        order.retain(|row| !moved.contains(row));
        let at = before.and_then(|row| order.iter().position(|other| *other == row)).unwrap_or(order.len());
        order.splice(at..at, moved);
        {
            let mut place = transaction
                .prepare_cached("UPDATE album_photo SET place = ?3 WHERE album = ?1 AND photo = ?2 AND place <> ?3")
                .doing(DOING)?;
            for (n, row) in order.iter().enumerate() {
                place.execute(params![id, row, n as i64 + 1]).doing(DOING)?;
            }
        }
        touch(&transaction, id)?;
        transaction.commit().doing(DOING)?;
        Ok(true)
    }
}

fn named(db: &Connection, name: &str) -> Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM album WHERE folded = ?1")
        .and_then(|mut s| s.query_row([fold(name)], |row| row.get(0)).optional())
        .doing(DOING)
}

/// Lets whoever shows the album know that it is not as before.
fn touch(db: &Connection, id: i64) -> Result<()> {
    let revision = next_revision(db)?;
    db.execute(
        "UPDATE photo SET revision = ?2 WHERE id IN (SELECT photo FROM album_photo WHERE album = ?1)",
        [id, revision],
    )
    .doing(DOING)?;
    Ok(())
}

/// Leaves a line about an album for the journal.
fn note(db: &Connection, id: i64, gone: bool) -> Result<()> {
    let line = db
        .query_row("SELECT uid, name, query FROM album WHERE id = ?1", [id], |r| {
            Ok(AlbumLine { id: r.get(0)?, name: r.get(1)?, query: r.get(2)?, gone })
        })
        .doing(DOING)?;
    journal_writer::put(db, &Line::Album(line))
}

/// Puts the photos of a step in an album or takes them out, as one side of the log says.
pub(crate) fn set_photos(db: &Connection, step: i64, album: i64, side: &str) -> Result<()> {
    db.prepare_cached(&format!(
        "INSERT OR IGNORE INTO album_photo (album, photo, place) SELECT m.item, m.photo, \
           (SELECT ifnull(max(place), 0) FROM album_photo WHERE album = ?3) + row_number() OVER (ORDER BY p.taken, p.id) \
         FROM mark m JOIN photo p ON p.id = m.photo JOIN album a ON a.id = m.item \
         WHERE m.step = ?1 AND m.field = ?2 AND m.item = ?3 AND m.{side} = 1"
    ))
    .and_then(|mut s| s.execute([step, field::ALBUM, album]))
    .doing(DOING)?;
    db.prepare_cached(&format!(
        "DELETE FROM album_photo WHERE album = ?3 \
         AND photo IN (SELECT photo FROM mark WHERE step = ?1 AND field = ?2 AND item = ?3 AND {side} = 0)"
    ))
    .and_then(|mut s| s.execute([step, field::ALBUM, album]))
    .doing(DOING)?;
    Ok(())
}

/// The lasting names of the albums that a photo is in.
pub(crate) fn of_photo(db: &Connection, photo: i64) -> Result<Vec<String>> {
    db.prepare_cached(
        "SELECT a.uid FROM album_photo ap JOIN album a ON a.id = ap.album WHERE ap.photo = ?1 ORDER BY a.uid",
    )
    .and_then(|mut s| s.query_map([photo], |row| row.get(0))?.collect())
    .doing(DOING)
}

/// Makes an album again that the journal remembers. A name that is taken meanwhile leaves it out.
pub(crate) fn restore(db: &Connection, album: &AlbumLine) -> Result<()> {
    db.prepare_cached("INSERT OR IGNORE INTO album (uid, name, folded, query) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut s| s.execute(params![album.id, album.name, fold(&album.name), album.query]))
        .doing(DOING)?;
    Ok(())
}

/// Puts a photo in the albums that the journal says it was in; their order is that of capture time where it was never
/// written down.
pub(crate) fn restore_photo(db: &Connection, photo: i64, albums: &[&str]) -> Result<()> {
    db.prepare_cached("DELETE FROM album_photo WHERE photo = ?1").and_then(|mut s| s.execute([photo])).doing(DOING)?;
    for uid in albums {
        db.prepare_cached(
            "INSERT OR IGNORE INTO album_photo (album, photo, place) SELECT a.id, ?1, \
             (SELECT ifnull(max(place), 0) + 1 FROM album_photo WHERE album = a.id) FROM album a WHERE a.uid = ?2",
        )
        .and_then(|mut s| s.execute(params![photo, uid]))
        .doing(DOING)?;
    }
    Ok(())
}

//! Keeping what came of bringing a photo and its sidecars together.

use jiff::Timestamp;
use lightfast_model::{Flag, Label, SessionId};
use rusqlite::{Connection, params};

use super::marked::marks_of;
use super::{Marks, Naming, SidecarBase};
use crate::codes::Code as _;
use crate::error::Doing as _;
use crate::writer::Writer;
use crate::{Catalog, Result, RootId, journal_writer, oriented};

const DOING: &str = "keep what sidecars hold";

/// What came of bringing a photo and its sidecars together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarOutcome {
    /// The photo.
    pub row: i64,
    /// The marks it had when it was looked at; where it has others by now, nothing is taken and it stays due.
    pub seen: Marks,
    /// The marks it is to have.
    pub marks: Marks,
    /// Sidecars as they are now.
    pub bases: Vec<SidecarBase>,
    /// Sidecars that are not there any more.
    pub gone: Vec<(RootId, Naming)>,
    /// Whether both sides changed the same property.
    pub conflict: bool,
    /// Whether a sidecar is still to be written.
    pub due: bool,
}

impl Catalog {
    /// Keeps outcomes, in one transaction; how many photos have other marks than before.
    pub fn record_sidecars(&mut self, outcomes: &[SidecarOutcome], now: Timestamp) -> Result<u64> {
        if outcomes.is_empty() {
            return Ok(0);
        }
        let transaction = self.writing()?;
        let mut writer = Writer::begin(&transaction)?;
        let mut taken = 0;
        for outcome in outcomes {
            taken += u64::from(record(&mut writer, outcome, now)?);
        }
        writer.finish()?;
        transaction.commit().doing(DOING)?;
        Ok(taken)
    }

    /// Says that the marks of a session's photos are to be written to sidecars and to the journal: what an import gave
    /// them on the way in is in no file.
    pub fn given_on_the_way_in(&mut self, session: SessionId, now: Timestamp) -> Result<()> {
        let transaction = self.writing()?;
        let photos: Vec<i64> = transaction
            .prepare_cached("SELECT id FROM photo WHERE session = ?1 ORDER BY id")
            .and_then(|mut s| s.query_map([session.0], |row| row.get(0))?.collect())
            .doing(DOING)?;
        transaction.execute("UPDATE photo SET due = 1 WHERE session = ?1", [session.0]).doing(DOING)?;
        journal_writer::put_marks(&transaction, &photos, now)?;
        transaction.commit().doing(DOING)
    }

    /// Says that sidecars of these photos are to be written anew.
    pub fn make_sidecars_due(&mut self, rows: &[i64]) -> Result<()> {
        let transaction = self.writing()?;
        for row in rows {
            transaction
                .prepare_cached("UPDATE photo SET due = 1 WHERE id = ?1")
                .and_then(|mut s| s.execute([row]))
                .doing(DOING)?;
        }
        transaction.commit().doing(DOING)
    }
}

/// Keeps one outcome; whether the photo has other marks than before.
fn record(writer: &mut Writer<'_>, outcome: &SidecarOutcome, now: Timestamp) -> Result<bool> {
    let db = writer.db;
    let row = outcome.row;
    for (root, naming) in &outcome.gone {
        db.prepare_cached("DELETE FROM sidecar WHERE photo = ?1 AND root = ?2 AND naming = ?3")
            .and_then(|mut s| s.execute(params![row, root.0, naming.code()]))
            .doing(DOING)?;
    }
    for base in &outcome.bases {
        let text = serde_json::to_string(&base.base).unwrap_or_default();
        db.prepare_cached(
            "INSERT INTO sidecar (photo, root, naming, path, hash, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
             ON CONFLICT DO UPDATE SET path = excluded.path, hash = excluded.hash, base = excluded.base",
        )
        .and_then(|mut s| {
            s.execute(params![row, base.root.0, base.naming.code(), base.path.as_bytes(), &base.hash.0[..], text])
        })
        .doing(DOING)?;
    }
    let is_as_seen = marks_of(db, row)? == outcome.seen;
    let due = outcome.due || !is_as_seen;
    db.prepare_cached("UPDATE photo SET due = ?2, conflict = ?3 WHERE id = ?1")
        .and_then(|mut s| s.execute(params![row, due, outcome.conflict]))
        .doing(DOING)?;
    if !is_as_seen || outcome.marks == outcome.seen {
        writer.touch(row)?;
        return Ok(false);
    }
    set(writer, row, &outcome.seen, &outcome.marks)?;
    journal_writer::put_marks(db, &[row], now)?;
    Ok(true)
}

/// Gives a photo other marks.
fn set(writer: &mut Writer<'_>, row: i64, old: &Marks, new: &Marks) -> Result<()> {
    let db = writer.db;
    db.prepare_cached("UPDATE photo SET rating = ?2, flag = ?3, label = ?4, marked = 1 WHERE id = ?1")
        .and_then(|mut s| {
            s.execute(params![row, new.rating, new.flag.map_or(0, Flag::code), new.label.map_or(0, Label::code)])
        })
        .doing(DOING)?;
    if new.orientation != old.orientation {
        turn(db, row, new.orientation)?;
    }
    db.prepare_cached("UPDATE photo_text SET title = ?2, caption = ?3, creator = ?4, copyright = ?5 WHERE photo = ?1")
        .and_then(|mut s| s.execute(params![row, new.title, new.caption, new.creator, new.copyright]))
        .doing(DOING)?;
    let folded = |marks: &Marks| -> Vec<String> { marks.keywords.iter().map(|k| Marks::fold(k)).collect() };
    let (had, has) = (folded(old), folded(new));
    for keyword in new.keywords.iter().filter(|k| !had.contains(&Marks::fold(k))) {
        writer.add_keyword(row, keyword)?;
    }
    for keyword in had.iter().filter(|k| !has.contains(k)) {
        db.prepare_cached(
            "DELETE FROM photo_keyword WHERE photo = ?1 AND keyword = (SELECT id FROM keyword WHERE folded = ?2)",
        )
        .and_then(|mut s| s.execute(params![row, keyword]))
        .doing(DOING)?;
    }
    writer.words_changed(row)
}

/// Sets the turns that lead from the file's own orientation to another; one that no turn leads to changes nothing.
fn turn(db: &Connection, row: i64, to: Option<u8>) -> Result<()> {
    let own: u8 = db
        .prepare_cached("SELECT orientation FROM photo WHERE id = ?1")
        .and_then(|mut s| s.query_row([row], |r| r.get(0)))
        .doing(DOING)?;
    let quarters = to.map_or(Some(0), |to| (0..4).find(|quarters| oriented::turned(own, *quarters) == to));
    if let Some(quarters) = quarters {
        db.prepare_cached("UPDATE photo SET turned = ?2 WHERE id = ?1")
            .and_then(|mut s| s.execute(params![row, quarters]))
            .doing(DOING)?;
    }
    Ok(())
}

//! Marks: stars, flags, labels, keywords, turns, titles; with a log, so that they can be undone.
//!
//! A mark is one transaction over all photos that match, done in SQL on sets: first the log gets before and
//! after of what really changes, then the columns follow the log. Undo and redo bring the photos to one side of
//! the log, in the order of the steps. The log is kept through restarts.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_model::{Flag, Label, PhotoId};
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use crate::codes::{self, Code as _};
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::query::Condition;
use crate::writer::{Writer, fold};
use crate::{Catalog, Query, Result, search};

/// What to do with the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagChange {
    /// Set it.
    Set(Flag),
    /// Take it off.
    Clear,
}

/// What to do with the colour label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelChange {
    /// Set it.
    Set(Label),
    /// Take it off.
    Clear,
}

/// A change of marks; what is empty stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Stars, 0 to 5.
    pub rating: Option<u8>,
    /// The flag.
    pub flag: Option<FlagChange>,
    /// The label.
    pub label: Option<LabelChange>,
    /// Keywords to add.
    pub add_keywords: Vec<String>,
    /// Keywords to take off.
    pub remove_keywords: Vec<String>,
    /// Degrees clockwise to turn by: a multiple of 90.
    pub rotate: Option<i32>,
    /// A new title; an empty one takes it off.
    pub title: Option<String>,
    /// A new caption; an empty one takes it off.
    pub caption: Option<String>,
    /// A new creator; an empty one takes it off.
    pub creator: Option<String>,
    /// A new copyright line; an empty one takes it off.
    pub copyright: Option<String>,
}

/// What a mark did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkOutcome {
    /// Photos that matched.
    pub matched: u64,
    /// Photos that are not as before.
    pub changed: u64,
    /// The step that undo takes back; empty where nothing changed.
    pub step: Option<i64>,
    /// All steps that were taken back or done again.
    pub steps: Vec<i64>,
}

/// The fields of the log; their numbers are part of the stored format.
mod field {
    pub(super) const RATING: i64 = 1;
    pub(super) const FLAG: i64 = 2;
    pub(super) const LABEL: i64 = 3;
    pub(super) const TURNED: i64 = 4;
    pub(super) const KEYWORD: i64 = 5;
    pub(super) const TITLE: i64 = 6;
    pub(super) const CAPTION: i64 = 7;
    pub(super) const CREATOR: i64 = 8;
    pub(super) const COPYRIGHT: i64 = 9;
}

/// Columns of `photo`, by field.
const PHOTO_COLUMNS: &[(i64, &str)] =
    &[(field::RATING, "rating"), (field::FLAG, "flag"), (field::LABEL, "label"), (field::TURNED, "turned")];

/// Columns of `photo_text`, by field.
const TEXT_COLUMNS: &[(i64, &str)] = &[
    (field::TITLE, "title"),
    (field::CAPTION, "caption"),
    (field::CREATOR, "creator"),
    (field::COPYRIGHT, "copyright"),
];

/// One column's new value: an expression over `p` and, bound as `?1`, its value.
struct Change {
    field: i64,
    table: Table,
    column: &'static str,
    value: Value,
}

#[derive(Clone, Copy, PartialEq)]
enum Table {
    Photo,
    Text,
}

impl Change {
    /// The new value in SQL, with the bound value's name.
    fn new_value(&self, bound: &str) -> String {
        if self.field == field::TURNED { format!("((p.turned + {bound}) % 4)") } else { bound.to_owned() }
    }

    fn old_value(&self) -> String {
        let row = if self.table == Table::Photo { "p" } else { "t" };
        format!("{row}.{}", self.column)
    }
}

impl Mark {
    fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut photo = |field, column, value: Option<i64>| {
            let value = value.map(Value::Integer);
            changes.extend(value.map(|value| Change { field, table: Table::Photo, column, value }));
        };
        photo(field::RATING, "rating", self.rating.map(|r| i64::from(r.min(5))));
        let flag = |change| match change {
            FlagChange::Set(flag) => Flag::code(flag),
            FlagChange::Clear => 0,
        };
        photo(field::FLAG, "flag", self.flag.map(flag));
        let label = |change| match change {
            LabelChange::Set(label) => Label::code(label),
            LabelChange::Clear => 0,
        };
        photo(field::LABEL, "label", self.label.map(label));
        let quarters = self.rotate.map(|degrees| i64::from(degrees.div_euclid(90).rem_euclid(4)));
        photo(field::TURNED, "turned", quarters.filter(|q| *q != 0));
        let mut text = |field, column, value: &Option<String>| {
            let value = value.as_deref().map(str::trim);
            let value = value.map(|v| if v.is_empty() { Value::Null } else { Value::Text(v.to_owned()) });
            changes.extend(value.map(|value| Change { field, table: Table::Text, column, value }));
        };
        text(field::TITLE, "title", &self.title);
        text(field::CAPTION, "caption", &self.caption);
        text(field::CREATOR, "creator", &self.creator);
        text(field::COPYRIGHT, "copyright", &self.copyright);
        changes
    }

    /// Whether a photo `p` with its texts `t` would not be as before; values are bound after those of `values`.
    fn condition(&self, values: &mut Vec<Value>) -> String {
        let mut parts = Vec::new();
        let mut bind = |value: Value| {
            values.push(value);
            format!("?{}", values.len())
        };
        for change in self.changes() {
            let bound = bind(change.value.clone());
            parts.push(format!("{} IS NOT {}", change.old_value(), change.new_value(&bound)));
        }
        let has = "EXISTS (SELECT 1 FROM photo_keyword pk JOIN keyword k ON k.id = pk.keyword \
                   WHERE pk.photo = p.id AND k.folded = ";
        for keyword in real(&self.add_keywords) {
            parts.push(format!("NOT {has}{})", bind(Value::Text(fold(keyword)))));
        }
        for keyword in real(&self.remove_keywords) {
            parts.push(format!("{has}{})", bind(Value::Text(fold(keyword)))));
        }
        if parts.is_empty() { "FALSE".to_owned() } else { parts.join(" OR ") }
    }
}

/// Keywords without those that are empty.
fn real(keywords: &[String]) -> impl Iterator<Item = &str> {
    keywords.iter().map(|k| k.trim()).filter(|k| !k.is_empty())
}

const DOING: &str = "mark photos";

impl Catalog {
    /// Marks the photos that match, in one transaction. What had been taken back can then no longer be redone.
    pub fn mark(&mut self, query: &Query, mark: &Mark, now: Timestamp) -> Result<MarkOutcome> {
        let zone = self.zone.clone();
        let transaction = self.writing()?;
        let db = &*transaction;
        let matched = matching(query, None, db, &zone)?;
        choose(query, mark, db, &zone)?;
        let changed: i64 = db.query_row("SELECT count(*) FROM chosen", [], |row| row.get(0)).doing(DOING)?;
        if changed == 0 {
            return Ok(MarkOutcome { matched, ..MarkOutcome::default() });
        }
        db.execute("UPDATE step SET state = 2 WHERE state = 1", []).doing(DOING)?;
        let step: i64 = db
            .query_row(
                "INSERT INTO step (at, photos) VALUES (?1, ?2) RETURNING id",
                params![codes::micros(now), changed],
                |row| row.get(0),
            )
            .doing(DOING)?;
        let mut writer = Writer::begin(db)?;
        for change in mark.changes() {
            note_and_set(db, step, &change)?;
        }
        for (keywords, to_have) in [(&mark.add_keywords, true), (&mark.remove_keywords, false)] {
            for keyword in real(keywords) {
                keyword_step(&mut writer, step, keyword, to_have)?;
            }
        }
        db.execute("UPDATE photo SET marked = 1, revision = ?1 WHERE id IN (SELECT id FROM chosen)", [writer.revision])
            .doing(DOING)?;
        refresh_words(db, step)?;
        transaction.commit().doing(DOING)?;
        Ok(MarkOutcome { matched, changed: codes::bytes(changed), step: Some(step), steps: vec![step] })
    }

    /// What [`Catalog::mark`] would do.
    pub fn would_mark(&self, query: &Query, mark: &Mark) -> Result<MarkOutcome> {
        Ok(MarkOutcome {
            matched: matching(query, None, &self.db, &self.zone)?,
            changed: matching(query, Some(mark), &self.db, &self.zone)?,
            ..MarkOutcome::default()
        })
    }

    /// Takes back the last `steps` marks; `changed` counts photos, `step` is the last one taken back.
    pub fn undo(&mut self, steps: u32, now: Timestamp) -> Result<MarkOutcome> {
        self.step_through(steps, now, "SELECT max(id) FROM step WHERE state = 0", 1, "before")
    }

    /// Does again what was last taken back.
    pub fn redo(&mut self, steps: u32, now: Timestamp) -> Result<MarkOutcome> {
        self.step_through(steps, now, "SELECT min(id) FROM step WHERE state = 1", 0, "after")
    }

    /// The photos that a step changed.
    pub fn photos_of_step(&self, step: i64) -> Result<Vec<PhotoId>> {
        let uids: Vec<String> = self
            .db
            .prepare_cached(
                "SELECT DISTINCT p.uid FROM mark m JOIN photo p ON p.id = m.photo WHERE m.step = ?1 ORDER BY p.id",
            )
            .and_then(|mut s| s.query_map([step], |row| row.get(0))?.collect())
            .doing("read a step")?;
        Ok(uids.iter().filter_map(|uid| PhotoId::parse(uid)).collect())
    }

    fn step_through(&mut self, steps: u32, now: Timestamp, next: &str, state: i64, side: &str) -> Result<MarkOutcome> {
        let transaction = self.writing()?;
        let db = &*transaction;
        let revision = next_revision(db)?;
        let mut outcome = MarkOutcome::default();
        for _ in 0..steps {
            let step: Option<i64> = db.query_row(next, [], |row| row.get(0)).doing(DOING)?;
            let Some(step) = step else { break };
            apply_side(db, step, side)?;
            let changed = db
                .execute(
                    "UPDATE photo SET marked = 1, revision = ?2 WHERE id IN (SELECT photo FROM mark WHERE step = ?1)",
                    params![step, revision],
                )
                .doing(DOING)?;
            db.execute(
                "UPDATE step SET state = ?2, at = ?3, journaled = 0 WHERE id = ?1",
                params![step, state, codes::micros(now)],
            )
            .doing(DOING)?;
            refresh_words(db, step)?;
            outcome.changed += changed as u64;
            outcome.step = Some(step);
            outcome.steps.push(step);
        }
        outcome.matched = outcome.changed;
        transaction.commit().doing(DOING)?;
        Ok(outcome)
    }
}

/// How many photos match and, where a mark is given, would not be as before.
fn matching(query: &Query, mark: Option<&Mark>, db: &Connection, zone: &TimeZone) -> Result<u64> {
    let Condition { sql, mut values } = Condition::of(query, db, zone)?;
    let (join, and) = match mark {
        None => ("", String::new()),
        Some(mark) => ("JOIN photo_text t ON t.photo = p.id", format!(" AND ({})", mark.condition(&mut values))),
    };
    db.prepare_cached(&format!("SELECT count(*) FROM photo p {join} WHERE ({sql}){and}"))
        .and_then(|mut s| s.query_row(params_from_iter(values), |row| row.get(0)))
        .doing(DOING)
        .map(codes::bytes)
}

/// Puts the photos that a mark would change into the temporary table `chosen`.
fn choose(query: &Query, mark: &Mark, db: &Connection, zone: &TimeZone) -> Result<()> {
    db.execute_batch("CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY); DELETE FROM chosen;")
        .doing(DOING)?;
    let Condition { sql, mut values } = Condition::of(query, db, zone)?;
    let changed = mark.condition(&mut values);
    db.prepare_cached(&format!(
        "INSERT INTO chosen SELECT p.id FROM photo p JOIN photo_text t ON t.photo = p.id WHERE ({sql}) AND ({changed})"
    ))
    .and_then(|mut s| s.execute(params_from_iter(values)))
    .doing(DOING)?;
    Ok(())
}

/// Logs one column's change of the chosen photos, then makes it.
fn note_and_set(db: &Connection, step: i64, change: &Change) -> Result<()> {
    let (old, new) = (change.old_value(), change.new_value("?1"));
    let (field, column) = (change.field, change.column);
    db.prepare_cached(&format!(
        "INSERT INTO mark (step, field, item, photo, before, after) SELECT {step}, {field}, 0, p.id, {old}, {new} \
         FROM chosen c JOIN photo p ON p.id = c.id JOIN photo_text t ON t.photo = c.id WHERE {old} IS NOT {new}"
    ))
    .and_then(|mut s| s.execute([&change.value]))
    .doing(DOING)?;
    set_from_log(db, step, field, change.table, column, "after")
}

/// Sets a column of the photos of a step to one side of the log.
fn set_from_log(db: &Connection, step: i64, field: i64, table: Table, column: &str, side: &str) -> Result<()> {
    let (table, key) = match table {
        Table::Photo => ("photo", "id"),
        Table::Text => ("photo_text", "photo"),
    };
    db.prepare_cached(&format!(
        "UPDATE {table} SET {column} = m.{side} FROM mark m \
         WHERE m.step = ?1 AND m.field = ?2 AND m.item = 0 AND m.photo = {table}.{key}"
    ))
    .and_then(|mut s| s.execute([step, field]))
    .doing(DOING)?;
    Ok(())
}

fn keyword_step(writer: &mut Writer<'_>, step: i64, keyword: &str, to_have: bool) -> Result<()> {
    let Some(item) = writer.keyword(keyword)? else { return Ok(()) };
    writer
        .db
        .prepare_cached(
            "INSERT OR IGNORE INTO mark (step, field, item, photo, before, after) \
             SELECT ?1, ?2, ?3, c.id, 1 - ?4, ?4 FROM chosen c \
             WHERE EXISTS (SELECT 1 FROM photo_keyword WHERE photo = c.id AND keyword = ?3) <> ?4",
        )
        .and_then(|mut s| s.execute(params![step, field::KEYWORD, item, i64::from(to_have)]))
        .doing(DOING)?;
    set_keywords(writer.db, step, item, "after")
}

/// Gives or takes the keyword as one side of the log says.
fn set_keywords(db: &Connection, step: i64, item: i64, side: &str) -> Result<()> {
    db.prepare_cached(&format!(
        "INSERT OR IGNORE INTO photo_keyword (photo, keyword) \
         SELECT photo, item FROM mark WHERE step = ?1 AND field = ?2 AND item = ?3 AND {side} = 1"
    ))
    .and_then(|mut s| s.execute([step, field::KEYWORD, item]))
    .doing(DOING)?;
    db.prepare_cached(&format!(
        "DELETE FROM photo_keyword WHERE keyword = ?3 \
         AND photo IN (SELECT photo FROM mark WHERE step = ?1 AND field = ?2 AND item = ?3 AND {side} = 0)"
    ))
    .and_then(|mut s| s.execute([step, field::KEYWORD, item]))
    .doing(DOING)?;
    Ok(())
}

/// Brings everything that a step changed to one side of the log.
fn apply_side(db: &Connection, step: i64, side: &str) -> Result<()> {
    for (field, column) in PHOTO_COLUMNS {
        set_from_log(db, step, *field, Table::Photo, column, side)?;
    }
    for (field, column) in TEXT_COLUMNS {
        set_from_log(db, step, *field, Table::Text, column, side)?;
    }
    let items: Vec<i64> = db
        .prepare_cached("SELECT DISTINCT item FROM mark WHERE step = ?1 AND field = ?2")
        .and_then(|mut s| s.query_map([step, field::KEYWORD], |row| row.get(0))?.collect())
        .doing(DOING)?;
    for item in items {
        set_keywords(db, step, item, side)?;
    }
    Ok(())
}

/// Brings the full-text index up to date for the photos whose words a step changed.
fn refresh_words(db: &Connection, step: i64) -> Result<()> {
    let photos: Vec<i64> = db
        .prepare_cached("SELECT DISTINCT photo FROM mark WHERE step = ?1 AND field IN (?2, ?3, ?4)")
        .and_then(|mut s| {
            s.query_map([step, field::KEYWORD, field::TITLE, field::CAPTION], |row| row.get(0))?.collect()
        })
        .doing(DOING)?;
    search::refresh(db, &photos, false)
}

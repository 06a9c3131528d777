//! Marks: stars, flags, labels, keywords, turns, titles; with a log, so that they can be undone.
//!
//! A mark is one transaction over all photos that match, done in SQL on sets: first the log gets before and
//! after of what really changes, then the columns follow the log. Undo and redo bring the photos to one side of
//! the log, in the order of the steps. The log is kept through restarts.

mod log;
mod memory;

use jiff::Timestamp;
use lightfast_model::{Flag, Label, PhotoId};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::codes::{self, Code as _};
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::writer::{Writer, fold};
use crate::{Catalog, Query, Result};

use log::{apply_side, choose, keyword_step, matching, note_and_set, refresh_words};
pub(crate) use memory::{current, keywords, restore};

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
pub(crate) mod field {
    pub(crate) const RATING: i64 = 1;
    pub(crate) const FLAG: i64 = 2;
    pub(crate) const LABEL: i64 = 3;
    pub(crate) const TURNED: i64 = 4;
    pub(crate) const KEYWORD: i64 = 5;
    pub(crate) const TITLE: i64 = 6;
    pub(crate) const CAPTION: i64 = 7;
    pub(crate) const CREATOR: i64 = 8;
    pub(crate) const COPYRIGHT: i64 = 9;
    pub(crate) const STACK: i64 = 10;
    pub(crate) const ALBUM: i64 = 11;
}

/// Columns of `photo`, by field.
const PHOTO_COLUMNS: &[(i64, &str)] = &[
    (field::RATING, "rating"),
    (field::FLAG, "flag"),
    (field::LABEL, "label"),
    (field::TURNED, "turned"),
    (field::STACK, "stack"),
];

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

/// A new step of the log; what had been taken back can then no longer be done again.
pub(crate) fn begin_step(db: &Connection, changed: i64, now: Timestamp) -> Result<i64> {
    db.execute("UPDATE step SET state = 2 WHERE state = 1", []).doing(DOING)?;
    db.query_row(
        "INSERT INTO step (at, photos) VALUES (?1, ?2) RETURNING id",
        params![codes::micros(now), changed],
        |row| row.get(0),
    )
    .doing(DOING)
}

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
        let step = begin_step(db, changed, now)?;
        let mut writer = Writer::begin(db)?;
        for change in mark.changes() {
            note_and_set(db, step, &change)?;
        }
        for (keywords, to_have) in [(&mark.add_keywords, true), (&mark.remove_keywords, false)] {
            for keyword in real(keywords) {
                keyword_step(&mut writer, step, keyword, to_have)?;
            }
        }
        db.execute(
            "UPDATE photo SET marked = 1, due = 1, revision = ?1 WHERE id IN (SELECT id FROM chosen)",
            [writer.revision],
        )
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
                    "UPDATE photo SET marked = 1, due = 1, revision = ?2 \
                     WHERE id IN (SELECT photo FROM mark WHERE step = ?1)",
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

//! Marks in SQL: the log of what changed, and the columns that follow it.

use jiff::tz::TimeZone;
use rusqlite::{Connection, params, params_from_iter};

use super::{Change, DOING, Mark, PHOTO_COLUMNS, TEXT_COLUMNS, Table, field};
use crate::codes;
use crate::error::Doing as _;
use crate::query::Condition;
use crate::writer::Writer;
use crate::{Query, Result, albums, search};

/// How many photos match and, where a mark is given, would not be as before.
pub(super) fn matching(query: &Query, mark: Option<&Mark>, db: &Connection, zone: &TimeZone) -> Result<u64> {
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
pub(super) fn choose(query: &Query, mark: &Mark, db: &Connection, zone: &TimeZone) -> Result<()> {
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
pub(super) fn note_and_set(db: &Connection, step: i64, change: &Change) -> Result<()> {
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

pub(super) fn keyword_step(writer: &mut Writer<'_>, step: i64, keyword: &str, to_have: bool) -> Result<()> {
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
pub(super) fn apply_side(db: &Connection, step: i64, side: &str) -> Result<()> {
    for (field, column) in PHOTO_COLUMNS {
        set_from_log(db, step, *field, Table::Photo, column, side)?;
    }
    for (field, column) in TEXT_COLUMNS {
        set_from_log(db, step, *field, Table::Text, column, side)?;
    }
    for item in items_of(db, step, field::KEYWORD)? {
        set_keywords(db, step, item, side)?;
    }
    for album in items_of(db, step, field::ALBUM)? {
        albums::set_photos(db, step, album, side)?;
    }
    Ok(())
}

/// The keywords or albums that a step speaks of.
fn items_of(db: &Connection, step: i64, field: i64) -> Result<Vec<i64>> {
    db.prepare_cached("SELECT DISTINCT item FROM mark WHERE step = ?1 AND field = ?2")
        .and_then(|mut s| s.query_map([step, field], |row| row.get(0))?.collect())
        .doing(DOING)
}

/// Brings the full-text index up to date for the photos whose words a step changed.
pub(super) fn refresh_words(db: &Connection, step: i64) -> Result<()> {
    let photos: Vec<i64> = db
        .prepare_cached("SELECT DISTINCT photo FROM mark WHERE step = ?1 AND field IN (?2, ?3, ?4)")
        .and_then(|mut s| {
            s.query_map([step, field::KEYWORD, field::TITLE, field::CAPTION], |row| row.get(0))?.collect()
        })
        .doing(DOING)?;
    search::refresh(db, &photos, false)
}

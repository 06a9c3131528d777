//! Schemas, by date. Each is a `.sql` file that is never edited once released; a catalogue's `user_version`
//! says how many of them it has. Counting triggers are derived from the schema, so they are made anew after
//! any migration. Nothing here loses data: a step that fails leaves the catalogue as it was.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::connection::{mark_as_ours, opening};
use crate::error::Doing as _;
use crate::{CatalogError, Result, tally};

/// A step from one schema to the next.
pub(crate) struct Migration {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

/// All of them, oldest first.
pub(crate) const ALL: &[Migration] = &[
    Migration { name: "2026-11-30-first", sql: include_str!("../migrations/2026-11-30-first.sql") },
    Migration {
        name: "2026-11-30-trash-and-journal",
        sql: include_str!("../migrations/2026-11-30-trash-and-journal.sql"),
    },
];

fn version(db: &Connection, path: &Path) -> Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(|e| opening(path, e))
}

fn known() -> i64 {
    i64::try_from(ALL.len()).unwrap_or(i64::MAX)
}

/// Brings a catalogue to the newest schema.
pub(crate) fn apply(db: &mut Connection, path: &Path) -> Result<()> {
    if version(db, path)? == known() {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate).doing("begin a migration")?;
    // Read again: another process may have been first.
    let found = version(&transaction, path)?;
    if found > known() {
        return Err(CatalogError::Newer { path: path.to_owned(), found, known: known() });
    }
    if found < known() {
        run(&transaction, found)?;
    }
    transaction.commit().doing("commit a migration")
}

/// The steps after the first `found`, and what is derived from the schema.
fn run(db: &Connection, found: i64) -> Result<()> {
    let done = usize::try_from(found).unwrap_or(0);
    if done == 0 {
        mark_as_ours(db)?;
    }
    for migration in ALL.iter().skip(done) {
        db.execute_batch(migration.sql).doing(migration.name)?;
    }
    tally::recount(db)?;
    db.pragma_update(None, "user_version", known()).doing("note the schema")
}

/// For a reader, which cannot migrate: the schema must be the newest.
pub(crate) fn require_current(db: &Connection, path: &Path) -> Result<()> {
    let found = version(db, path)?;
    match found.cmp(&known()) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(CatalogError::Newer { path: path.to_owned(), found, known: known() }),
        std::cmp::Ordering::Less => Err(CatalogError::Older { path: path.to_owned(), found }),
    }
}

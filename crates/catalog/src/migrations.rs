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
    Migration {
        name: "2026-12-01-albums-and-stacks",
        sql: include_str!("../migrations/2026-12-01-albums-and-stacks.sql"),
    },
    Migration { name: "2026-12-01-sidecars", sql: include_str!("../migrations/2026-12-01-sidecars.sql") },
    Migration { name: "2026-12-01-emptied", sql: include_str!("../migrations/2026-12-01-emptied.sql") },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, CatalogError, Place, Query, Sort};

    /// A photo, as the first schema held it.
    const FIRST: &str = "
        INSERT INTO root (id, uuid, path) VALUES (1, 'root-1', CAST('/library' AS BLOB));
        INSERT INTO card VALUES (1, 'ABCD-1234', 'EOS_DIGITAL');
        INSERT INTO session (id, source, card, options, started) VALUES (1, CAST('/card' AS BLOB), 1, '{}', 0);
        INSERT INTO term VALUES (1, 0, 'Canon EOS 5D Mark II', 'canon eos 5d mark ii');
        INSERT INTO file (id, hash, size) VALUES (1, zeroblob(32), 5);
        INSERT INTO copy (file, root, path, mtime_ns) VALUES (1, 1, CAST('a.CR2' AS BLOB), 0);
        INSERT INTO photo (id, uid, kind, taken, taken_nanos, taken_digits, taken_from, camera, name, role, file,
            session, imported, revision)
          VALUES (1, '0123456789abcdef', 0, 0, 0, 0, 0, 1, 'a.CR2', 0, 1, 1, 0, 1);
        INSERT INTO photo_text (photo, names) VALUES (1, 'a.CR2');
        INSERT INTO member VALUES (1, 1, 0);
    ";

    /// A catalogue file with the first `count` schemas.
    fn old(place: &Place, count: usize) {
        std::fs::create_dir_all(place.dir()).unwrap();
        let db = Connection::open(place.file()).unwrap();
        mark_as_ours(&db).unwrap();
        for (n, migration) in ALL.iter().take(count).enumerate() {
            db.execute_batch(migration.sql).unwrap();
            if n == 0 {
                db.execute_batch(FIRST).unwrap();
            }
        }
        db.pragma_update(None, "user_version", count as i64).unwrap();
    }

    #[test]
    fn every_old_schema_opens_and_keeps_its_photos() {
        for count in 1..=ALL.len() {
            let dir = tempfile::tempdir().unwrap();
            let place = Place::in_library(dir.path());
            old(&place, count);
            if count < ALL.len() {
                assert!(matches!(Catalog::open_read_only(&place), Err(CatalogError::Older { .. })));
                let catalog = Catalog::open(&place).unwrap();
                assert_eq!(catalog.count(&Query::all()).unwrap(), 1, "counted anew after schema {count}");
            }
            let catalog = Catalog::open(&place).unwrap();
            let photos = catalog.photos(&Query::all(), Sort::default(), None, 0).unwrap();
            assert_eq!(photos[0].camera.as_deref(), Some("Canon EOS 5D Mark II"));
            assert_eq!(photos[0].files[0].copies.len(), 1);
            drop(catalog);
            assert!(Catalog::open_read_only(&place).is_ok());
        }
    }

    #[test]
    fn a_migrated_catalogue_has_the_schema_of_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::in_library(dir.path());
        old(&place, 1);
        let schema = |catalog: &Catalog| -> Vec<(String, Option<String>)> {
            let mut statement = catalog.db.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let migrated = Catalog::open(&place).unwrap();
        assert_eq!(schema(&migrated), schema(&Catalog::in_memory().unwrap()));
    }
}

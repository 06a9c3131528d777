//! Thumbnails as blobs in a SQLite file of their own, `previews.db`, keyed by content.
//!
//! It is a cache: not synced, safe to delete at any time, made anew when it is damaged, and never asked whether
//! a photo is safe. A power cut may lose or tear what was put last, so a thumbnail is looked at when it is read
//! and one that is not a whole JPEG counts as absent.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lightfast_model::ContentHash;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::connection::{opening, with_suffix};
use crate::error::Doing as _;
use crate::{CatalogError, Result};

const DOING: &str = "use thumbnails";

/// Version of the file's layout; another version is a cache that is made anew.
const LAYOUT: i64 = 1;

const SCHEMA: &str = "
    CREATE TABLE thumbnail (
      id INTEGER PRIMARY KEY,
      hash BLOB NOT NULL UNIQUE,
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      jpeg BLOB NOT NULL
    ) STRICT;
";

/// One thumbnail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// The JPEG.
    pub jpeg: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// The store of thumbnails.
#[derive(Debug)]
pub struct Thumbnails {
    db: Connection,
}

impl Thumbnails {
    /// Opens `previews.db` in the catalogue's folder; a damaged one is made anew.
    pub fn open(dir: &Path) -> Result<Self> {
        let path = dir.join("previews.db");
        match Self::open_file(&path) {
            Err(CatalogError::Damaged { .. }) => {
                for suffix in ["", "-wal", "-shm"] {
                    remove(with_suffix(&path, suffix))?;
                }
                Self::open_file(&path)
            }
            other => other,
        }
    }

    /// A store in memory, for tests.
    pub fn in_memory() -> Result<Self> {
        let mut db = Connection::open_in_memory().doing(DOING)?;
        layout(&mut db, Path::new(":memory:"))?;
        Ok(Self { db })
    }

    fn open_file(path: &Path) -> Result<Self> {
        let mut db = Connection::open(path).map_err(|e| opening(path, e))?;
        let settings = || -> rusqlite::Result<()> {
            db.busy_timeout(Duration::from_secs(10))?;
            db.pragma_update(None, "page_size", 16_384)?;
            // First, because making the file is not worth a sync either.
            db.pragma_update(None, "synchronous", "OFF")?;
            db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            db.pragma_update(None, "temp_store", "MEMORY")?;
            db.pragma_update(None, "mmap_size", 0)?;
            db.pragma_update(None, "cache_size", -4_096)?;
            db.pragma_update(None, "trusted_schema", false)
        };
        settings().map_err(|e| opening(path, e))?;
        layout(&mut db, path)?;
        Ok(Self { db })
    }

    /// Keeps thumbnails (content, JPEG, pixels across, pixels down), in one transaction.
    pub fn put(&mut self, thumbnails: &[(ContentHash, &[u8], u32, u32)]) -> Result<()> {
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate).doing(DOING)?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "INSERT INTO thumbnail (hash, width, height, jpeg) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT (hash) DO UPDATE SET width = excluded.width, height = excluded.height, \
                       jpeg = excluded.jpeg",
                )
                .doing(DOING)?;
            for (hash, jpeg, width, height) in thumbnails {
                statement.execute(params![&hash.0[..], width, height, jpeg]).doing(DOING)?;
            }
        }
        transaction.commit().doing(DOING)
    }

    /// One thumbnail.
    pub fn get(&self, hash: &ContentHash) -> Result<Option<Thumbnail>> {
        let mut statement =
            self.db.prepare_cached("SELECT jpeg, width, height FROM thumbnail WHERE hash = ?1").doing(DOING)?;
        let found = statement
            .query_row([&hash.0[..]], |row| {
                Ok(Thumbnail { jpeg: row.get(0)?, width: row.get(1)?, height: row.get(2)? })
            })
            .optional()
            .doing(DOING)?;
        Ok(found.filter(|thumbnail| is_whole(&thumbnail.jpeg)))
    }

    /// Several, in the order asked.
    pub fn get_many(&self, hashes: &[ContentHash]) -> Result<Vec<Option<Thumbnail>>> {
        hashes.iter().map(|hash| self.get(hash)).collect()
    }

    /// Which are there, in the order asked.
    pub fn has(&self, hashes: &[ContentHash]) -> Result<Vec<bool>> {
        let mut statement =
            self.db.prepare_cached("SELECT EXISTS (SELECT 1 FROM thumbnail WHERE hash = ?1)").doing(DOING)?;
        let look = |hash: &ContentHash| statement.query_row([&hash.0[..]], |row| row.get(0)).doing(DOING);
        hashes.iter().map(look).collect()
    }

    /// How many there are.
    pub fn count(&self) -> Result<u64> {
        self.db
            .query_row("SELECT count(*) FROM thumbnail", [], |row| row.get::<_, i64>(0))
            .doing(DOING)
            .map(crate::codes::bytes)
    }

    /// Forgets all of them.
    pub fn clear(&mut self) -> Result<()> {
        self.db.execute_batch("DELETE FROM thumbnail; VACUUM;").doing(DOING)
    }
}

fn layout(db: &mut Connection, path: &Path) -> Result<()> {
    let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(|e| opening(path, e))?;
    if found == LAYOUT {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate).doing(DOING)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).doing(DOING)?;
    if found != LAYOUT {
        transaction.execute_batch("DROP TABLE IF EXISTS thumbnail;").doing(DOING)?;
        transaction.execute_batch(SCHEMA).doing(DOING)?;
        transaction.pragma_update(None, "user_version", LAYOUT).doing(DOING)?;
    }
    transaction.commit().doing(DOING)
}

fn remove(path: PathBuf) -> Result<()> {
    match fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(CatalogError::Io { path, step: "remove", source })
        }
        _ => Ok(()),
    }
}

/// Begins and ends as a JPEG does.
fn is_whole(jpeg: &[u8]) -> bool {
    jpeg.starts_with(&[0xff, 0xd8]) && jpeg.ends_with(&[0xff, 0xd9])
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ContentHash = ContentHash([1; 32]);
    const B: ContentHash = ContentHash([2; 32]);
    const JPEG: &[u8] = &[0xff, 0xd8, 7, 0xff, 0xd9];

    #[test]
    fn thumbnails_come_back_in_the_order_asked() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Thumbnails::open(dir.path()).unwrap();
        store.put(&[(A, JPEG, 512, 341)]).unwrap();
        store.put(&[(A, JPEG, 341, 512)]).unwrap();
        let again = Thumbnails::open(dir.path()).unwrap();
        assert_eq!(again.has(&[B, A]).unwrap(), [false, true]);
        let found = again.get_many(&[B, A]).unwrap();
        assert_eq!(found, [None, Some(Thumbnail { jpeg: JPEG.to_vec(), width: 341, height: 512 })]);
        store.clear().unwrap();
        assert_eq!(again.count().unwrap(), 0);
    }

    #[test]
    fn a_torn_thumbnail_counts_as_absent() {
        let mut store = Thumbnails::in_memory().unwrap();
        store.put(&[(A, &[0xff, 0xd8, 0, 0], 1, 1)]).unwrap();
        assert_eq!(store.get(&A).unwrap(), None);
    }

    #[test]
    fn a_damaged_store_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("previews.db"), b"this is not a database, whatever its name says").unwrap();
        let mut store = Thumbnails::open(dir.path()).unwrap();
        store.put(&[(A, JPEG, 1, 1)]).unwrap();
        assert!(store.get(&A).unwrap().is_some());
    }
}

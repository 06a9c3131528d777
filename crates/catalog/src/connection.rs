//! One connection to the catalogue: making, opening, checking, closing.
//!
//! SQLite runs with a write-ahead log and `synchronous=FULL`: a commit that has returned survives a power cut.
//! Nothing is memory-mapped and nothing spills outside the folder. A catalogue that was left without being
//! closed is checked once, by the first that opens it; `catalog.open` beside it says whether others have it
//! open. A damaged file is reported and left as it is.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior};

use lightfast_model::BytePath;

use crate::error::Doing as _;
use crate::search::apart;
use crate::writer::fold;
use crate::{CatalogError, Place, Result, Root, RootId, migrations};

/// Marks the file as ours in its header: "Lfct".
const APPLICATION_ID: i64 = 0x4c66_6374;

/// How long a writer waits for another.
const BUSY: Duration = Duration::from_secs(10);

/// One connection to the catalogue. It may go to another thread, and is used by one at a time.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) db: Connection,
    /// What `imported:2009-07-12` means; UTC unless it is set.
    pub(crate) zone: TimeZone,
    /// Repeated names that were read; a number never changes its name.
    pub(crate) terms: RefCell<HashMap<i64, Arc<str>>>,
    /// Held, shared, while the catalogue is open.
    _open: Option<File>,
}

impl Catalog {
    fn of(db: Connection, open: Option<File>) -> Self {
        Self { db, zone: TimeZone::UTC, terms: RefCell::default(), _open: open }
    }

    /// Says in which zone the person lives: a day of import is a day there.
    pub fn set_zone(&mut self, zone: TimeZone) {
        self.zone = zone;
    }

    /// Makes a new catalogue. The folder is made where it is missing; a catalogue that is there already is an error.
    pub fn create(place: &Place, now: Timestamp) -> Result<Self> {
        let path = place.file();
        fs::create_dir_all(&place.dir).map_err(|source| io(&place.dir, "make", source))?;
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > 0) {
            return Err(CatalogError::Exists { path });
        }
        let open = share(&place.dir).0;
        make(&path, now)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags).map_err(|e| opening(&path, e))?;
        prepare(&db, true).map_err(|e| opening(&path, e))?;
        hand_on(open.as_ref());
        Ok(Self::of(db, open))
    }

    /// Opens for reading and writing; older schemas are migrated. A catalogue that was not cleanly closed is
    /// checked; a damaged one is an error and left as it is.
    pub fn open(place: &Place) -> Result<Self> {
        let path = place.file();
        exists(&path)?;
        let (open, alone) = share(&place.dir);
        let unclean = alone && fs::metadata(with_suffix(&path, "-wal")).is_ok_and(|meta| meta.len() > 0);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(&path, flags).map_err(|e| opening(&path, e))?;
        // A damaged file must not get the log written into it when this connection is closed.
        let checkpoint = |on: bool| db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on);
        checkpoint(!unclean).map_err(|e| opening(&path, e))?;
        recognise(&db, &path)?;
        prepare(&db, true).map_err(|e| opening(&path, e))?;
        if unclean {
            check(&db, &path)?;
            checkpoint(true).map_err(|e| opening(&path, e))?;
        }
        migrations::apply(&mut db, &path)?;
        hand_on(open.as_ref());
        Ok(Self::of(db, open))
    }

    /// Opens for reading alone, beside an import or on a medium that cannot be written.
    pub fn open_read_only(place: &Place) -> Result<Self> {
        let path = place.file();
        exists(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let attempt = |db: Connection| -> Result<Connection> {
            recognise(&db, &path)?;
            prepare(&db, false).map_err(|e| opening(&path, e))?;
            migrations::require_current(&db, &path)?;
            Ok(db)
        };
        let first = Connection::open_with_flags(&path, flags).map_err(|e| opening(&path, e)).and_then(attempt);
        let db = match first {
            Err(error)
                if matches!(error.fault(), crate::Fault::ReadOnly | crate::Fault::Disk | crate::Fault::Unopened) =>
            {
                // A write-ahead log needs a writable folder even for reading; without one, and with nothing in
                // the log, the file itself is the whole catalogue and cannot change.
                if fs::metadata(with_suffix(&path, "-wal")).is_ok_and(|meta| meta.len() > 0) {
                    return Err(error);
                }
                let uri = format!("file:{}?immutable=1", percent_encoded(&path));
                let db = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI);
                db.map_err(|e| opening(&path, e)).and_then(attempt)?
            }
            other => other?,
        };
        let (open, _) = share(&place.dir);
        hand_on(open.as_ref());
        Ok(Self::of(db, open))
    }

    /// A new catalogue in memory, for tests and for measuring what the one on the disk costs.
    pub fn in_memory() -> Result<Self> {
        let mut db = Connection::open_in_memory().doing("open in memory")?;
        prepare(&db, true).doing("open in memory")?;
        migrations::apply(&mut db, Path::new(":memory:"))?;
        Ok(Self::of(db, None))
    }

    /// The root of that lasting name, noting where it is now; a new one where the name is new.
    pub fn root_for(&mut self, uuid: &str, path: &Path) -> Result<RootId> {
        let path = BytePath::from(path);
        let known: Option<(i64, Vec<u8>)> = self
            .db
            .query_row("SELECT id, path FROM root WHERE uuid = ?1", [uuid], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .doing("read roots")?;
        match known {
            Some((id, old)) if old == path.as_bytes() => Ok(RootId(id)),
            _ => self
                .db
                .query_row(
                    "INSERT INTO root (uuid, path) VALUES (?1, ?2) \
                     ON CONFLICT (uuid) DO UPDATE SET path = excluded.path RETURNING id",
                    (uuid, path.as_bytes()),
                    |row| row.get(0).map(RootId),
                )
                .doing("note a root"),
        }
    }

    /// All roots, the oldest first.
    pub fn roots(&self) -> Result<Vec<Root>> {
        let mut statement =
            self.db.prepare_cached("SELECT id, uuid, path FROM root ORDER BY id").doing("read roots")?;
        let rows = statement
            .query_map([], |row| {
                let path: Vec<u8> = row.get(2)?;
                Ok(Root { id: RootId(row.get(0)?), uuid: row.get(1)?, path: BytePath::from_bytes(&path) })
            })
            .doing("read roots")?;
        rows.collect::<rusqlite::Result<_>>().doing("read roots")
    }

    /// Changes whenever photos change, by whatever process; for asking what is new.
    pub fn revision(&self) -> Result<i64> {
        self.db.query_row("SELECT revision FROM state", [], |row| row.get(0)).doing("read the revision")
    }

    /// A transaction that has the right to write from its beginning, so that it never fails half-way as busy.
    pub(crate) fn writing(&mut self) -> Result<Transaction<'_>> {
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate).doing("begin to write")?;
        transaction
            .prepare_cached("UPDATE state SET changes = changes + 1")
            .and_then(|mut s| s.execute([]))
            .doing("begin to write")?;
        Ok(transaction)
    }

    /// A transaction for several reads: they see one state, and the file is locked once and not for each.
    pub(crate) fn reading(&self) -> Result<Transaction<'_>> {
        self.db.unchecked_transaction().doing("begin to read")
    }

    /// Whether the whole file holds together; takes about a second for a million photos.
    pub fn check(&self, path: &Path) -> Result<()> {
        check(&self.db, path)
    }
}

/// The revision of the transaction that runs.
pub(crate) fn next_revision(db: &Connection) -> Result<i64> {
    db.prepare_cached("UPDATE state SET revision = revision + 1 RETURNING revision")
        .and_then(|mut s| s.query_row([], |row| row.get(0)))
        .doing("count a change")
}

fn io(path: &Path, step: &'static str, source: std::io::Error) -> CatalogError {
    CatalogError::Io { path: path.to_owned(), step, source }
}

fn exists(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(CatalogError::Missing { path: path.to_owned() })
        }
        Err(source) => Err(io(path, "open", source)),
    }
}

/// Opens `catalog.open`: the handle, locked, and whether nobody else has the catalogue open. Where the folder
/// cannot be written, or locks do not work, there is no handle and the answer is yes.
fn share(dir: &Path) -> (Option<File>, bool) {
    let path = dir.join("catalog.open");
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let Ok(file) = file else { return (None, true) };
    match file.try_lock() {
        Ok(()) => (Some(file), true),
        Err(fs::TryLockError::WouldBlock) => {
            // Waits, at most, for another's check to end.
            let _ = file.lock_shared();
            (Some(file), false)
        }
        Err(fs::TryLockError::Error(_)) => (None, true),
    }
}

/// Lets others open it too; where locks do not work, there is nothing to hand on.
fn hand_on(open: Option<&File>) {
    if let Some(file) = open {
        let _ = file.unlock();
        let _ = file.lock_shared();
    }
}

/// Makes an empty catalogue under another name, which is synced once, when it is whole, and then named.
fn make(path: &Path, now: Timestamp) -> Result<()> {
    let part = with_suffix(path, "-new");
    match fs::remove_file(&part) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(io(&part, "remove", source)),
        _ => {}
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(&part, flags).map_err(|e| opening(&part, e))?;
    db.execute_batch("PRAGMA synchronous = OFF").map_err(|e| opening(&part, e))?;
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(|e| opening(&part, e))?;
    migrations::apply(&mut db, &part)?;
    db.execute("UPDATE state SET created = ?1", [now.as_microsecond()]).doing("create")?;
    db.close().map_err(|(_, source)| source).doing("create")?;
    name_durably(&part, path)
}

/// Brings a finished file to stable storage and gives it its name.
#[allow(clippy::disallowed_methods, reason = "a file of the catalogue, no original; synced here, before and after")]
pub(crate) fn name_durably(part: &Path, path: &Path) -> Result<()> {
    File::open(part).and_then(|file| file.sync_all()).map_err(|source| io(part, "sync", source))?;
    fs::rename(part, path).map_err(|source| io(path, "rename", source))?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn prepare(db: &Connection, writing: bool) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // Without it a partial index makes SQLite plan a statement anew whenever its values are bound: ten times slower.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "mmap_size", 0)?;
    db.pragma_update(None, "cache_size", -16_384)?;
    if writing {
        db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        db.pragma_update(None, "synchronous", "FULL")?;
        db.pragma_update(None, "wal_autocheckpoint", 2_000)?;
        db.pragma_update(None, "journal_size_limit", 64 << 20)?;
        db.pragma_update(None, "cell_size_check", true)?;
    } else {
        db.pragma_update(None, "query_only", true)?;
    }
    db.set_prepared_statement_cache_capacity(128);
    // SQLite's own `lower` knows ASCII alone.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    db.create_scalar_function("folded", 1, flags, |context| Ok(context.get::<Option<String>>(0)?.map(|t| fold(&t))))?;
    db.create_scalar_function("apart", 1, flags, |context| Ok(context.get::<Option<String>>(0)?.map(|t| apart(&t))))
}

/// Whether the file is a catalogue at all, before anything is written to it.
fn recognise(db: &Connection, path: &Path) -> Result<()> {
    db.busy_timeout(BUSY).doing("open")?;
    let id: i64 = db.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(|e| opening(path, e))?;
    let tables: i64 =
        db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(|e| opening(path, e))?;
    // Cut off before its first commit, it is empty and can be begun again.
    if id == APPLICATION_ID || (id == 0 && tables == 0) {
        return Ok(());
    }
    Err(CatalogError::Damaged { path: path.to_owned(), detail: "it is a SQLite file, but not a catalogue".to_owned() })
}

fn check(db: &Connection, path: &Path) -> Result<()> {
    let answer: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|e| opening(path, e))?;
    if answer == "ok" {
        return Ok(());
    }
    Err(CatalogError::Damaged { path: path.to_owned(), detail: answer })
}

/// An error while opening: a file that is not a whole database is damaged, the rest is as SQLite says.
pub(crate) fn opening(path: &Path, source: rusqlite::Error) -> CatalogError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            CatalogError::Damaged { path: path.to_owned(), detail: source.to_string() }
        }
        _ => CatalogError::Sql { doing: "open", source },
    }
}

pub(crate) fn mark_as_ours(db: &Connection) -> Result<()> {
    db.pragma_update(None, "application_id", APPLICATION_ID).doing("mark the file")
}

pub(crate) fn sync_folder(dir: &Path) -> Result<()> {
    let folder = File::open(dir).map_err(|source| io(dir, "open", source))?;
    match folder.sync_all() {
        // Some file systems cannot sync a folder; they have no entries to lose.
        Err(source) if source.kind() != std::io::ErrorKind::InvalidInput => Err(io(dir, "sync", source)),
        _ => Ok(()),
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A path for a `file:` URI.
fn percent_encoded(path: &Path) -> String {
    let bytes = BytePath::from(path);
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"/-_.~".contains(b);
    bytes.as_bytes().iter().map(|b| if plain(b) { (*b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

//! Making, opening, and files that are not what they should be.

use std::fs;

use lightfast_catalog::{Catalog, CatalogError, Fault, Place, Query};

use crate::shelf::{NOW, Shelf, raw};

fn library() -> (tempfile::TempDir, Place) {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::in_library(dir.path());
    (dir, place)
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() {
    let (_dir, place) = library();
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&[raw(1)]);
    drop(shelf);
    assert!(!place.dir().join("catalog.db-wal").exists(), "closed cleanly");
    assert_eq!(Catalog::open(&place).unwrap().count(&Query::all()).unwrap(), 1);
    assert_eq!(Catalog::open_read_only(&place).unwrap().count(&Query::all()).unwrap(), 1);
}

#[test]
fn a_reader_sees_what_a_writer_commits() {
    let (_dir, place) = library();
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    let reader = Catalog::open_read_only(&place).unwrap();
    let revision = reader.revision().unwrap();
    shelf.put(&[raw(1)]);
    assert_eq!(reader.count(&Query::all()).unwrap(), 1);
    assert!(reader.revision().unwrap() > revision);
    let other = Catalog::open(&place).unwrap();
    assert_eq!(other.count(&Query::all()).unwrap(), 1);
}

#[test]
fn a_reader_cannot_write() {
    let (_dir, place) = library();
    drop(Catalog::create(&place, NOW).unwrap());
    let mut reader = Catalog::open_read_only(&place).unwrap();
    let error = reader.root_for("x", std::path::Path::new("/x")).unwrap_err();
    assert_eq!(error.fault(), Fault::ReadOnly);
}

#[test]
fn none_and_one_already_are_errors_of_their_own() {
    let (_dir, place) = library();
    assert!(matches!(Catalog::open(&place), Err(CatalogError::Missing { .. })));
    assert!(matches!(Catalog::open_read_only(&place), Err(CatalogError::Missing { .. })));
    drop(Catalog::create(&place, NOW).unwrap());
    assert!(matches!(Catalog::create(&place, NOW), Err(CatalogError::Exists { .. })));
}

#[test]
fn a_catalogue_that_cannot_be_opened_is_not_blamed_on_the_disk() {
    let (_dir, place) = library();
    // As with too many files open, nothing is known of the disk.
    fs::create_dir_all(place.file()).unwrap();
    let error = Catalog::open(&place).unwrap_err();
    assert_eq!(error.fault(), Fault::Unopened, "{error}");
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let (_dir, place) = library();
    fs::create_dir_all(place.dir()).unwrap();
    let text = b"somebody's notes, not a catalogue at all".repeat(50);
    fs::write(place.file(), &text).unwrap();
    let error = Catalog::open(&place).unwrap_err();
    assert!(matches!(error, CatalogError::Damaged { .. }), "{error}");
    assert_eq!(error.fault(), Fault::Damaged);
    assert!(matches!(Catalog::open_read_only(&place), Err(CatalogError::Damaged { .. })));
    assert_eq!(fs::read(place.file()).unwrap(), text);
}

#[test]
fn another_program_s_database_is_left_as_it_is() {
    let (_dir, place) = library();
    fs::create_dir_all(place.dir()).unwrap();
    let other = rusqlite::Connection::open(place.file()).unwrap();
    other.execute_batch("CREATE TABLE notes (text)").unwrap();
    drop(other);
    let before = fs::read(place.file()).unwrap();
    assert!(matches!(Catalog::open(&place), Err(CatalogError::Damaged { .. })));
    assert_eq!(fs::read(place.file()).unwrap(), before);
}

#[test]
fn a_newer_schema_is_not_touched() {
    let (_dir, place) = library();
    drop(Catalog::create(&place, NOW).unwrap());
    let db = rusqlite::Connection::open(place.file()).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    drop(db);
    assert!(matches!(Catalog::open(&place), Err(CatalogError::Newer { found: 999, .. })));
    assert!(matches!(Catalog::open_read_only(&place), Err(CatalogError::Newer { found: 999, .. })));
}

#[test]
fn one_that_was_cut_off_before_its_first_commit_is_begun_again() {
    let (_dir, place) = library();
    fs::create_dir_all(place.dir()).unwrap();
    fs::write(place.file(), b"").unwrap();
    assert_eq!(Catalog::open(&place).unwrap().count(&Query::all()).unwrap(), 0);
}

#[test]
fn damage_is_noticed_when_it_was_not_closed_cleanly() {
    let (_dir, place) = library();
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&(1..=200).map(raw).collect::<Vec<_>>());
    drop(shelf);
    // Pages in the middle are overwritten, and a log that is left says that it was not closed.
    let mut bytes = fs::read(place.file()).unwrap();
    let page = 4096;
    let pages = bytes.len() / page;
    for n in (pages / 3)..(pages / 2) {
        bytes[n * page..(n + 1) * page].fill(0xa5);
    }
    fs::write(place.file(), &bytes).unwrap();
    fs::write(place.dir().join("catalog.db-wal"), [0; 100]).unwrap();
    let error = Catalog::open(&place).unwrap_err();
    assert!(matches!(error, CatalogError::Damaged { .. }), "{error}");
    assert!(fs::read(place.file()).unwrap() == bytes, "left as it is");
}

#[test]
fn a_damaged_catalogue_and_its_log_are_left_as_they_are() {
    let (_dir, place) = library();
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&(1..=200).map(raw).collect::<Vec<_>>());
    drop(shelf);
    let mut shelf = Shelf::on(Catalog::open(&place).unwrap());
    shelf.put(&[raw(201)]);
    // As a kill leaves it, and then damaged.
    let (_other, left) = library();
    fs::create_dir_all(left.dir()).unwrap();
    let log = fs::read(place.dir().join("catalog.db-wal")).unwrap();
    let mut file = fs::read(place.file()).unwrap();
    let middle = file.len() / 2;
    file[middle - 40_000..middle].fill(0xa5);
    fs::write(left.file(), &file).unwrap();
    fs::write(left.dir().join("catalog.db-wal"), &log).unwrap();
    assert!(matches!(Catalog::open(&left), Err(CatalogError::Damaged { .. })));
    assert!(fs::read(left.file()).unwrap() == file);
    assert!(fs::read(left.dir().join("catalog.db-wal")).unwrap() == log);
}

#[test]
fn a_library_on_a_medium_that_cannot_be_written_can_be_looked_at() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_dir, place) = library();
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&[raw(1)]);
    drop(shelf);
    fs::remove_file(place.dir().join("catalog.open")).unwrap();
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o444)).unwrap();
    let count = Catalog::open_read_only(&place).and_then(|catalog| catalog.count(&Query::all()));
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(count.unwrap(), 1);
}

//! A catalogue made again says what is not as it was, and blesses nothing.

use std::fs;
use std::path::PathBuf;

use crate::support::{TestLibrary, many_photos, text};

fn forget(library: &TestLibrary) {
    for name in ["catalog.db", "catalog.db-wal", "catalog.db-shm"] {
        let _ = fs::remove_file(library.path().join(".lightfast").join(name));
    }
}

fn original(library: &TestLibrary, number: u64) -> PathBuf {
    let name = format!("IMG_{number:04}.JPG");
    let found = library.originals().into_iter().find(|path| path.ends_with(&name)).unwrap();
    library.path().join(found)
}

fn flip(library: &TestLibrary, number: u64) {
    let path = original(library, number);
    let mut bytes = fs::read(&path).unwrap();
    bytes[300] ^= 1;
    fs::write(&path, bytes).unwrap();
}

#[test]
fn bytes_that_changed_before_a_rebuild_stay_bad_until_they_are_repaired() {
    let library = TestLibrary::new();
    let further = library.dir().join("further");
    let card = many_photos(4);
    let import = ["import", text(card.path()), "--also", text(&further), "--json"];
    let _ = library.run(import).exits(0);
    let _ = library.run(["mark", "IMG_0002", "--rating", "5"]).exits(0);
    flip(&library, 2);
    forget(&library);
    let output = library.run(["rebuild", "--yes", "--json"]).exits(3);
    assert_eq!(output.report()["failed"], 1);
    assert!(output.err.contains("IMG_0002.JPG: it has other bytes than were imported"), "{}", output.err);
    // It is the photo that it was, with its mark, and every check still finds it.
    let photos = library.run(["list", "rating:5", "--json"]).exits(0).json();
    assert_eq!((photos.len(), library.run(["list", "--json"]).exits(0).json().len()), (1, 4));
    let found = library.run(["verify", "--json"]).exits(3).events("file");
    assert_eq!((found.len(), &found[0]["state"]), (1, &"changed".into()));
    let report = library.run(["verify", "--repair-from", text(&further), "--json"]).exits(0).report();
    assert_eq!(report["repaired"], 1);
    assert_eq!(library.run(["verify", "--json"]).exits(0).report()["good"], 8, "in both places");
    assert_eq!(library.run(["rebuild", "--yes", "--json"]).exits(0).report()["failed"], 0);
}

#[test]
fn what_is_not_there_after_a_rebuild_is_named() {
    let library = TestLibrary::new();
    let card = many_photos(4);
    let _ = library.import(&card).exits(0);
    let gone = original(&library, 1);
    let moved = original(&library, 3);
    fs::remove_file(&gone).unwrap();
    fs::create_dir(library.path().join("elsewhere")).unwrap();
    fs::write(library.path().join("elsewhere/moved.JPG"), fs::read(&moved).unwrap()).unwrap();
    fs::remove_file(&moved).unwrap();
    let output = library.run(["rebuild", "--yes", "--json"]).exits(3);
    assert!(output.err.contains("IMG_0001.JPG: it was imported, and is not there"), "{}", output.err);
    assert_eq!(output.report()["failed"], 1, "what was moved is not lost: {}", output.err);
    // The card still has it, so it comes back.
    let report = library.import(&card).exits(0).report();
    assert_eq!((&report["copied"], &report["safe_to_format"]), (&1.into(), &true.into()));
}

#[test]
fn without_a_journal_a_manifest_tells_what_changed() {
    let library = TestLibrary::new();
    let card = many_photos(4);
    let _ = library.run(["import", text(card.path()), "--mhl", "--json"]).exits(0);
    flip(&library, 2);
    fs::remove_dir_all(library.path().join(".lightfast/journal")).unwrap();
    forget(&library);
    let output = library.run(["rebuild", "--yes", "--json"]).exits(3);
    assert!(output.err.contains("IMG_0002.JPG: it is not what a manifest lists"), "{}", output.err);
    assert_eq!((&output.report()["failed"], &output.report()["files"]), (&1.into(), &4.into()));
}

//! The same card, or the same bytes, a second time.

use std::path::Path;

use lightfast_model::{FileState, Match};
use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{TestLibrary, noise, run};

const SIZE: usize = 700_000;

fn card() -> TestCard {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    TestCard::new()
        .file_dated("DCIM/IMG_0001.CR2", noise(1, SIZE), at)
        .file_dated("DCIM/IMG_0001.JPG", noise(2, 5000), at)
        .file_dated("DCIM/IMG_0002.CR2", noise(3, SIZE), at)
}

#[test]
fn the_same_card_again_copies_nothing_and_reads_nothing() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let again = library.import(card.path());
    assert_eq!(again.counts(), (0, 3, 0, 0, 0));
    assert!(again.is_safe());
    assert!(again.files.iter().all(|file| file.matched == Some(Match::Card) && file.duplicate_of.is_some()));
}

#[test]
fn the_same_bytes_on_another_card_are_hashed_and_not_written() {
    let library = TestLibrary::new();
    assert!(library.import(card().path()).is_safe());
    let other = card();
    let said = library.import(other.path());
    assert_eq!(said.counts(), (0, 3, 0, 0, 0));
    assert!(said.is_safe());
    assert!(said.files.iter().all(|file| file.matched == Some(Match::Full)));
    assert_eq!(library.names().len(), 3);
    let third = library.import(other.path());
    assert!(third.files.iter().all(|file| file.matched == Some(Match::Card)), "its history is known now");
}

#[test]
fn a_file_that_differs_in_one_byte_outside_the_quick_key_is_copied() {
    let library = TestLibrary::new();
    assert!(library.import(card().path()).is_safe());
    let mut content = noise(1, SIZE);
    content[150_000] ^= 1;
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let other = TestCard::new().file_dated("DCIM/IMG_0001.CR2", &content, at);
    let said = library.import(other.path());
    assert_eq!(said.counts(), (1, 0, 0, 0, 0));
    assert!(library.tree()[Path::new("2023/2023-04-01/IMG_0001-2.CR2")] == content);
}

#[test]
fn a_copy_that_vanished_is_copied_again_under_its_name() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let before = library.tree();
    std::fs::remove_file(library.path().join("2023/2023-04-01/IMG_0001.JPG")).unwrap();
    let again = library.import(card.path());
    assert_eq!(again.counts(), (1, 2, 0, 0, 0));
    assert!(again.is_safe());
    assert!(library.tree() == before);
}

#[test]
fn a_copy_that_was_cut_short_is_not_overwritten_and_the_file_is_copied_again() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let short = library.path().join("2023/2023-04-01/IMG_0002.CR2");
    std::fs::File::options().write(true).open(&short).unwrap().set_len(SIZE as u64 - 4).unwrap();
    let again = library.import(card.path());
    assert_eq!(again.counts(), (1, 2, 0, 0, 0));
    assert!(again.is_safe());
    assert_eq!(std::fs::metadata(&short).unwrap().len(), SIZE as u64 - 4);
    assert!(library.tree().values().any(|bytes| *bytes == noise(3, SIZE)));
}

#[test]
fn twins_on_one_card_are_written_once_and_both_noted() {
    let card = TestCard::new()
        .file("SLOT1/DCIM/IMG_0001.CR2", noise(1, SIZE))
        .file("SLOT2/DCIM/IMG_0001.CR2", noise(1, SIZE))
        .file("SLOT2/DCIM/IMG_0002.CR2", noise(2, SIZE));
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert_eq!(said.counts(), (2, 1, 0, 0, 0));
    assert!(said.is_safe());
    assert_eq!(library.names().len(), 2);
}

#[test]
fn a_time_shifted_by_an_hour_is_read_hashed_and_not_copied_again() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let path = card.at("DCIM/IMG_0002.CR2");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    let time = file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_secs(3600);
    file.set_modified(time).unwrap();
    let again = library.import(card.path());
    assert_eq!(again.counts(), (0, 3, 0, 0, 0));
    assert_eq!(again.file("DCIM/IMG_0002.CR2").matched, Some(Match::Full));
}

#[test]
fn a_late_jpeg_finds_its_raw() {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let card = TestCard::new().file_dated("DCIM/IMG_0001.CR2", samples::cr2(&Shot::default()), at);
    let library = TestLibrary::new();
    let mut options = library.options(card.path());
    options.name = "{seq:4}".parse().unwrap();
    assert!(run(options.clone()).unwrap().is_safe());
    let card = card.file_dated("DCIM/IMG_0001.JPG", samples::jpeg(&Shot::default()), at);
    assert!(run(options).unwrap().is_safe());
    assert_eq!(library.names(), ["0001.CR2", "0001.JPG"]);
    let place = lightfast_catalog::Place::in_library(library.path());
    let catalog = lightfast_catalog::Catalog::open_read_only(&place).unwrap();
    assert_eq!(catalog.count(&lightfast_catalog::Query::all()).unwrap(), 1, "one photo");
    drop(card);
}

#[test]
fn a_library_whose_catalogue_was_deleted_is_not_filled_twice() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let before = library.names();
    for name in ["catalog.db", "catalog.db-wal", "catalog.db-shm"] {
        let _ = std::fs::remove_file(library.path().join(".lightfast").join(name));
    }
    let again = library.import(card.path());
    assert!(again.is_safe());
    assert_eq!(again.count(FileState::Failed), 0);
    assert_eq!(library.names(), before);
}

#[test]
fn an_import_leaves_its_journal_and_a_copy_of_the_catalogue() {
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.JPG", b"not really");
    let library = TestLibrary::new();
    let _ = library.import(card.path());
    let own = library.path().join(".lightfast");
    let names = |folder: &str| {
        let mut names: Vec<String> = std::fs::read_dir(own.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let journal = names("journal");
    assert_eq!(journal.len(), 1);
    let text = std::fs::read_to_string(own.join("journal").join(&journal[0])).unwrap();
    let mut memory = lightfast_catalog::Memory::default();
    let read = memory.read(text.as_bytes()).unwrap();
    assert!(read.problems.is_empty() && text.contains("IMG_0001.JPG"), "{text}");
    assert_eq!(names("backups").len(), 1);
    // The second import has a journal of its own; the copy is of today already.
    let _ = library.import(card.path());
    assert_eq!((names("journal").len(), names("backups").len()), (2, 1));
}

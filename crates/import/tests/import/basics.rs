//! What goes in comes out, named by rule, and the verdict is true.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use lightfast_import::StartError;
use lightfast_model::{FileState, Verified, VerifyMode};
use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{TestLibrary, noise, run};

#[test]
fn every_file_arrives_whole_under_its_name_and_with_its_time() {
    let shot = Shot::default();
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.JPG", samples::jpeg(&shot))
        .file("DCIM/100EOS5D/IMG_0002.CR2", noise(2, 3_000_001))
        .file("MISC/AUTPRINT.MRK", "")
        .junk();
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe(), "{:?}", said.report().not_safe);
    let copied = said.count(FileState::Copied);
    assert_eq!(copied, 3);
    for file in said.files.iter().filter(|file| file.state == FileState::Copied) {
        let original = card.at(file.source.as_path());
        let copy = library.path().join(file.path.as_ref().unwrap().as_path());
        assert!(std::fs::read(&original).unwrap() == std::fs::read(&copy).unwrap());
        let mtime = |path: &std::path::Path| std::fs::metadata(path).map(|m| (m.mtime(), m.mtime_nsec())).unwrap();
        assert_eq!(mtime(&original), mtime(&copy));
        assert_eq!(std::fs::metadata(&copy).unwrap().mode() & 0o200, 0o200);
    }
    assert!(!library.path().join(".lightfast/incoming").read_dir().unwrap().any(|_| true), "incoming is empty");
}

#[test]
fn a_file_that_cannot_be_parsed_is_filed_by_its_own_time_and_says_so() {
    let at = jiff::civil::date(2011, 2, 3).at(4, 5, 6, 0);
    let card = TestCard::new().file_dated("IMG_0001.CR2", noise(1, 1000), at);
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert_eq!(library.names(), ["2011/2011-02-03/IMG_0001.CR2"]);
    assert!(said.is_safe());
}

#[test]
fn names_that_are_not_utf8_are_kept_byte_for_byte() {
    let card = TestCard::new().file_bytes(b"DCIM/\xff\xfe.JPG", noise(1, 10)).file("DCIM/a\nb.jpg", noise(2, 10));
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    assert!(library.tree().keys().any(|path| path.file_name() == Some(OsStr::from_bytes(b"\xff\xfe.JPG"))));
}

#[test]
fn two_cards_with_the_same_names_lose_nothing() {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let a = TestCard::new().file_dated("100CANON/IMG_0001.JPG", noise(1, 5000), at);
    let b = TestCard::new().file_dated("100CANON/IMG_0001.JPG", noise(2, 5000), at).file_dated(
        "100CANON/IMG_0001.CR2",
        noise(3, 9000),
        at,
    );
    let library = TestLibrary::new();
    assert!(library.import(a.path()).is_safe());
    assert!(library.import(b.path()).is_safe());
    let day = "2023/2023-04-01";
    let expected = ["IMG_0001-2.CR2", "IMG_0001-2.JPG", "IMG_0001.JPG"].map(|name| format!("{day}/{name}"));
    assert_eq!(library.names(), expected);
    assert!(library.tree()[std::path::Path::new("2023/2023-04-01/IMG_0001.JPG")] == noise(1, 5000));
}

#[test]
fn numbers_that_wrap_after_9999_are_different_photos() {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let card = TestCard::new().file_dated("100CANON/IMG_0001.JPG", noise(1, 100), at).file_dated(
        "101CANON/IMG_0001.JPG",
        noise(2, 100),
        at,
    );
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert_eq!(said.counts(), (2, 0, 0, 0, 0));
    assert_eq!(library.names().len(), 2);
}

#[test]
fn a_template_without_a_unique_token_keeps_every_photo() {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let mut card = TestCard::new();
    for i in 0..5 {
        card = card.file_dated(format!("IMG_{i:04}.JPG"), noise(i, 100), at);
    }
    let library = TestLibrary::new();
    let mut options = library.options(card.path());
    options.name = "{date:%Y%m%d_%H%M%S}".parse().unwrap();
    assert!(run(options).unwrap().is_safe());
    assert_eq!(library.names().len(), 5);
    assert!(library.names().contains(&"20230401_120000-5.JPG".to_owned()));
}

#[test]
fn sequence_numbers_follow_capture_time_and_are_shared_by_a_pair() {
    let at = |minute| jiff::civil::date(2023, 4, 1).at(12, minute, 0, 0);
    let card = TestCard::new()
        .file_dated("A_0002.JPG", noise(1, 100), at(1))
        .file_dated("A_0001.JPG", noise(2, 100), at(2))
        .file_dated("A_0001.CR2", noise(3, 100), at(2));
    let library = TestLibrary::new();
    let mut options = library.options(card.path());
    options.name = "{seq:3}".parse().unwrap();
    assert!(run(options).unwrap().is_safe());
    assert_eq!(library.names(), ["001.JPG", "002.CR2", "002.JPG"]);
}

#[test]
fn a_stream_is_never_safe_to_format() {
    let card = TestCard::new().file("a.jpg", noise(1, 100));
    let library = TestLibrary::new();
    let mut options = library.options(card.path());
    options.verify = VerifyMode::Stream;
    let said = run(options).unwrap();
    assert_eq!(said.counts(), (1, 0, 0, 0, 0));
    assert!(!said.is_safe());
    assert_eq!(said.files[0].verified, Some(Verified::Stream));
    // The next import of the card proves what the first had left unproven, without copying it.
    let again = library.import(card.path());
    assert_eq!(again.counts(), (0, 1, 0, 0, 0));
    assert!(again.is_safe());
}

#[test]
fn a_card_that_is_read_only_is_imported_and_left_as_it_was() {
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", noise(1, 100_000));
    let stat = |path: &std::path::Path| {
        let meta = std::fs::metadata(path).unwrap();
        (meta.mtime_nsec(), meta.ctime_nsec(), meta.atime_nsec(), meta.size())
    };
    let file = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    let before = (stat(&file), stat(card.path()));
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    assert_eq!((stat(&file), stat(card.path())), before);
}

#[test]
fn a_dry_run_changes_nothing() {
    let card = TestCard::new().file("a.jpg", noise(1, 100));
    let library = TestLibrary::new();
    let mut options = library.options(card.path());
    options.dry_run = true;
    let stop = std::sync::atomic::AtomicBool::new(false);
    let files = std::sync::Mutex::new(Vec::new());
    let events = |event| files.lock().unwrap().push(event);
    let host = crate::support::host();
    lightfast_import::prepare(options, &host, &events, &stop).unwrap().dry_run(&events).unwrap();
    assert_eq!(files.lock().unwrap().len(), 3, "scan, plan, file");
    assert!(!library.path().exists());
}

#[test]
fn wrong_sources_are_refused_and_nothing_is_made() {
    let card = TestCard::new().file("a.jpg", noise(1, 100));
    let library = TestLibrary::new();
    let error = |options| run(options).err().unwrap();
    assert!(matches!(error(library.options(&card.at("nothing"))), StartError::NoSource { .. }));
    assert!(matches!(error(library.options(&card.at("a.jpg"))), StartError::SourceNotFolder { .. }));
    let empty = TestCard::new().junk();
    assert!(matches!(error(library.options(empty.path())), StartError::NothingToImport { .. }));
    let mut inside = library.options(card.path());
    inside.library = card.at("sub/library");
    assert!(matches!(error(inside), StartError::LibraryInsideSource { .. }));
    assert!(!library.path().exists() && !card.at("sub").exists());
    assert!(library.import(card.path()).is_safe());
    let reverse = library.options(&library.path().join("2026"));
    std::fs::create_dir_all(library.path().join("2026")).unwrap();
    assert!(matches!(error(reverse), StartError::SourceInsideLibrary { .. }));
}

#[test]
fn two_imports_at_once_into_one_library_are_one_too_many() {
    let card = TestCard::new().file("a.jpg", noise(1, 100));
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    let found = lightfast_import::Library::find(&library.path()).unwrap().unwrap();
    let _held = found.lock().unwrap();
    assert!(matches!(run(library.options(card.path())).err().unwrap(), StartError::Locked { .. }));
}

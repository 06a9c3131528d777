//! Further destinations: the same read, each with its own steps and its own verdict.

use std::path::Path;

use lightfast_import::{Options, StartError};
use lightfast_model::{FileState, VerifyMode};
use lightfast_testkit::TestCard;

use crate::support::{Said, TestLibrary, noise, run, tree_of};

fn card() -> TestCard {
    let at = jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0);
    let mut card = TestCard::new();
    for i in 0..5 {
        card = card.file_dated(format!("DCIM/IMG_{i:04}.CR2"), noise(i, 1_500_000), at);
    }
    card
}

fn with_also(library: &TestLibrary, card: &Path, also: &Path) -> Options {
    Options { also: vec![also.to_owned()], ..library.options(card) }
}

#[test]
fn both_destinations_hold_the_same_files_under_the_same_names() {
    let (card, library, dir) = (card(), TestLibrary::new(), tempfile::tempdir().unwrap());
    let also = dir.path().join("second");
    let said = run(with_also(&library, card.path(), &also)).unwrap();
    assert!(said.is_safe(), "{:?}", said.report().not_safe);
    assert!(tree_of(&also) == library.tree());
    assert_eq!(said.report().destinations.len(), 2);
    assert!(said.report().destinations.iter().all(|d| d.safe && d.copied == 5 && d.verified.total() == 5));
    assert!(said.files.iter().all(|file| file.destinations.len() == 2));
    let again = run(with_also(&library, card.path(), &also)).unwrap();
    assert_eq!(again.counts(), (0, 5, 0, 0, 0));
    assert!(again.is_safe());
}

#[test]
fn a_file_missing_on_one_destination_is_copied_there_alone() {
    let (card, library, dir) = (card(), TestLibrary::new(), tempfile::tempdir().unwrap());
    assert!(library.import(card.path()).is_safe());
    let also = dir.path().join("second");
    let said = run(with_also(&library, card.path(), &also)).unwrap();
    assert!(said.is_safe(), "{:?}", said.report().not_safe);
    assert_eq!(said.counts(), (5, 0, 0, 0, 0));
    let states = |said: &Said| said.files[0].destinations.iter().map(|d| d.state).collect::<Vec<_>>();
    assert_eq!(states(&said), [FileState::Duplicate, FileState::Copied]);
    assert!(tree_of(&also) == library.tree());

    std::fs::remove_file(also.join("2023/2023-04-01/IMG_0003.CR2")).unwrap();
    let healed = run(with_also(&library, card.path(), &also)).unwrap();
    assert_eq!(healed.counts(), (1, 4, 0, 0, 0));
    assert!(healed.is_safe() && tree_of(&also) == library.tree());
}

#[test]
fn the_same_bytes_from_another_card_fill_the_gap_of_one_destination() {
    let (library, dir) = (TestLibrary::new(), tempfile::tempdir().unwrap());
    let also = dir.path().join("second");
    let first = card();
    assert!(library.import(first.path()).is_safe());
    let other = card();
    let said = run(with_also(&library, other.path(), &also)).unwrap();
    assert!(said.is_safe(), "{:?}", said.report().not_safe);
    assert!(tree_of(&also) == library.tree());
}

#[test]
fn one_destination_that_fails_does_not_stop_the_other_and_only_all_are_safe() {
    let (card, library, dir) = (card(), TestLibrary::new(), tempfile::tempdir().unwrap());
    let also = dir.path().join("second");
    std::fs::create_dir(&also).unwrap();
    std::fs::write(also.join("2023"), "a file where the year's folder should be").unwrap();
    let said = run(with_also(&library, card.path(), &also)).unwrap();
    assert!(!said.is_safe());
    assert_eq!(said.counts(), (0, 0, 0, 0, 5));
    let [first, second] = &said.report().destinations[..] else { panic!("two destinations") };
    assert!(first.safe && first.copied == 5);
    assert!(!second.safe && second.failed == 5);
    assert_eq!(library.tree().len(), 5);
    std::fs::remove_file(also.join("2023")).unwrap();
    let again = run(with_also(&library, card.path(), &also)).unwrap();
    assert!(again.is_safe(), "{:?}", again.report().not_safe);
    assert!(tree_of(&also) == library.tree());
}

#[test]
fn destinations_that_overlap_are_refused() {
    let (card, library) = (card(), TestLibrary::new());
    for also in [library.path(), library.path().join("inside")] {
        let error = run(with_also(&library, card.path(), &also)).err().unwrap();
        assert!(matches!(error, StartError::DestinationsOverlap { .. }), "{error}");
    }
    assert!(!library.path().exists());
}

#[test]
fn twice_reads_the_card_a_second_time_for_every_destination() {
    let (card, library, dir) = (card(), TestLibrary::new(), tempfile::tempdir().unwrap());
    let mut options = with_also(&library, card.path(), &dir.path().join("second"));
    options.verify = VerifyMode::Twice;
    let said = run(options).unwrap();
    assert!(said.is_safe());
    let proven = said.report().destinations.iter().map(|d| d.verified.twice + d.verified.reread);
    assert_eq!(proven.collect::<Vec<_>>(), [5, 5]);
}

#[test]
fn two_cards_at_once_each_get_their_own_verdict() {
    let (a, b, library) = (card(), TestCard::new().file("B/x.jpg", noise(9, 1000)), TestLibrary::new());
    let mut options = library.options(a.path());
    options.sources.push(b.path().to_owned());
    let said = run(options).unwrap();
    assert!(said.is_safe());
    assert_eq!(said.counts(), (6, 0, 0, 0, 0));
    assert_eq!(said.report().sources.len(), 2);
    assert!(said.report().sources.iter().all(|source| source.safe_to_format == Some(true)));
}

//! What belongs together stays together and keeps one name; what does not is never joined.

use lightfast_catalog::{Catalog, Place, Query};
use lightfast_model::FileState;
use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{Said, TestLibrary, noise, run};

fn day() -> jiff::civil::DateTime {
    jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0)
}

fn named(library: &TestLibrary, card: &TestCard, template: &str) -> Said {
    let mut options = library.options(card.path());
    options.name = template.parse().unwrap();
    run(options).unwrap()
}

fn photos(library: &TestLibrary) -> u64 {
    let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
    catalog.count(&Query::all()).unwrap()
}

/// A card of files of their own content, all of one time.
fn card(paths: &[&str]) -> TestCard {
    let mut card = TestCard::new();
    for (seed, path) in (1..).zip(paths) {
        card = card.file_dated(path, noise(seed, 2000 + seed as usize), day());
    }
    card
}

#[test]
fn a_live_photo_does_not_share_one_sidecar_between_its_files() {
    let card = card(&["A.HEIC", "A.MOV", "A.HEIC.xmp", "A.MOV.xmp"]);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{seq:4}").is_safe());
    assert_eq!(library.names(), ["0001.HEIC", "0001.HEIC.xmp", "0001.MOV", "0001.MOV.xmp"]);
    assert_eq!(photos(&library), 1);
}

#[test]
fn a_sidecar_named_by_the_stem_is_renamed_with_its_raw() {
    let card = card(&["image1.jpg", "image1.arw", "image1.xmp"]);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{date}-{seq:4}").is_safe());
    assert_eq!(library.names(), ["2023-04-01-0001.arw", "2023-04-01-0001.jpg", "2023-04-01-0001.xmp"]);
    assert_eq!(photos(&library), 1);
}

#[test]
fn the_same_name_in_two_folders_is_two_photos_with_a_sidecar_each() {
    let card = card(&["2004/IMG_0015.CR2", "2004/IMG_0015.xmp", "2006/IMG_0015.CR2", "2006/IMG_0015.xmp"]);
    let library = TestLibrary::new();
    let said = named(&library, &card, "{name}");
    assert!(said.is_safe());
    let place = |source: &str| said.file(source).path.as_ref().unwrap().as_path().with_extension("");
    for year in ["2004", "2006"] {
        assert_eq!(place(&format!("{year}/IMG_0015.CR2")), place(&format!("{year}/IMG_0015.xmp")), "{year}");
    }
    assert_ne!(place("2004/IMG_0015.xmp"), place("2006/IMG_0015.xmp"));
    assert_eq!(photos(&library), 2);
}

#[test]
fn a_pixels_cover_and_original_are_one_photo_under_one_name() {
    let card =
        card(&["PXL_20230401_120000123.RAW-01.COVER.jpg", "PXL_20230401_120000123.RAW-02.ORIGINAL.dng", "other.jpg"]);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{kind}-{seq:4}").is_safe());
    assert_eq!(photos(&library), 2);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{name}").is_safe());
    assert!(library.names().contains(&"PXL_20230401_120000123.RAW-01.COVER.jpg".to_owned()), "{:?}", library.names());
}

#[test]
fn sequence_numbers_do_not_skip_for_clips_pairs_and_damaged_exif() {
    let card = TestCard::new()
        .file_dated("IMG_0001.CR2", noise(1, 5000), day())
        .file_dated("IMG_0001.JPG", noise(2, 5000), day())
        .file_dated("IMG_0002.MOV", noise(3, 5000), day())
        .file_dated("IMG_0003.JPG", [&samples::jpeg(&Shot::default())[..60], &noise(4, 400)].concat(), day())
        .file_dated("IMG_0004.CR2", noise(5, 5000), day());
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{seq}").is_safe());
    assert_eq!(library.names(), ["1.CR2", "1.JPG", "2.MOV", "3.JPG", "4.CR2"]);
}

#[test]
fn two_slots_with_the_same_photos_are_imported_once_and_both_are_noted() {
    let slot = |card: TestCard, slot: &str| {
        card.file_dated(format!("{slot}/DCIM/100_FUJI/DSCF0001.RAF"), noise(1, 5000), day()).file_dated(
            format!("{slot}/DCIM/100_FUJI/DSCF0001.JPG"),
            noise(2, 5000),
            day(),
        )
    };
    let card = slot(slot(TestCard::new(), "SLOT1"), "SLOT2");
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    assert_eq!(said.counts(), (2, 2, 0, 0, 0));
    assert_eq!(library.names().len(), 2);
    assert_eq!(photos(&library), 1);
    let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
    let id = lightfast_import::card::identify(card.path()).unwrap().identity.id;
    assert_eq!(catalog.card_history(&id).unwrap().len(), 4, "both slots are noted");
}

#[test]
fn an_edit_keeps_its_own_name_beside_its_original_and_its_adjustments() {
    let card = card(&["IMG_1234.HEIC", "IMG_1234.AAE", "IMG_E1234.JPG", "IMG_O1234.AAE"]);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{name}").is_safe());
    assert_eq!(library.names(), ["IMG_1234.AAE", "IMG_1234.HEIC", "IMG_E1234.JPG", "IMG_O1234.AAE"]);
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{seq:4}").is_safe());
    assert_eq!(library.names(), ["0001-2.AAE", "0001.AAE", "0001.HEIC", "0001.JPG"]);
}

#[test]
fn chapters_of_one_recording_are_one_photo_in_their_order() {
    let card = card(&["GX020123.MP4", "GX010123.MP4", "GX010123.THM", "GL010123.LRV"]);
    let library = TestLibrary::new();
    let said = named(&library, &card, "{seq:4}");
    assert!(said.is_safe());
    assert_eq!(said.file("GX010123.MP4").path.as_ref().unwrap().shown(), "0001.MP4");
    assert_eq!(said.file("GX020123.MP4").path.as_ref().unwrap().shown(), "0001-2.MP4");
    assert_eq!(said.file("GX010123.THM").path.as_ref().unwrap().shown(), "0001.THM");
    assert_eq!(photos(&library), 1);
}

#[test]
fn a_sidecar_without_its_photo_is_copied_and_reported() {
    let card = card(&["DCIM/IMG_0001.xmp", "DCIM/IMG_0002.CR2", "DCIM/IMG_0002.xmp"]);
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    let orphan = said.file("DCIM/IMG_0001.xmp");
    assert_eq!(orphan.state, FileState::Copied);
    assert_eq!(orphan.reason.as_deref(), Some("a sidecar without its photo"));
    assert_eq!(said.file("DCIM/IMG_0002.xmp").reason, None);
}

#[test]
fn a_name_that_is_taken_moves_a_photo_and_its_sidecars_together() {
    let library = TestLibrary::new();
    assert!(named(&library, &card(&["x/IMG_0001.xmp.txt", "x/0001.xmp"]), "{name}").is_safe());
    let second = TestCard::new()
        .file_dated("0001.CR2", noise(8, 900), day())
        .file_dated("0001.xmp", noise(9, 901), day())
        .file_dated("0001.CR2.xmp", noise(10, 902), day());
    assert!(named(&library, &second, "{name}").is_safe());
    let names = library.names();
    assert!(["0001-2.CR2", "0001-2.CR2.xmp", "0001-2.xmp"].iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
}

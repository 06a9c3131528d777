//! What went wrong for people with other importers: lost and overwritten files, wrong times.

use lightfast_catalog::{Catalog, Place, Query};
use lightfast_model::{FileState, Match, TimeSource};
use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{Said, TestLibrary, noise, run, run_in};

fn day() -> jiff::civil::DateTime {
    jiff::civil::date(2023, 4, 1).at(12, 0, 0, 0)
}

fn named(library: &TestLibrary, card: &TestCard, template: &str) -> Said {
    let mut options = library.options(card.path());
    options.name = template.parse().unwrap();
    run(options).unwrap()
}

/// A JPEG whose EXIF times are this text.
fn timed(text: &str, seed: u64) -> Vec<u8> {
    let jpeg = samples::jpeg(&Shot::sized(64, 48).seeded(seed));
    replaced(jpeg, b"2009:07:12 14:03:22", format!("{text:\0<19}").as_bytes())
}

fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        (0..bytes.len().saturating_sub(from.len())).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// What the catalogue has of the only photo.
fn only_photo(library: &TestLibrary) -> lightfast_model::Photo {
    let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
    assert_eq!(catalog.count(&Query::all()).unwrap(), 1);
    catalog.photos_of_rows(&[1]).unwrap().pop().unwrap()
}

// Silent loss or overwrite while copying.

#[test]
fn a_pair_from_a_second_camera_does_not_overwrite_the_first_ones_jpeg() {
    let library = TestLibrary::new();
    let first = TestCard::new().file_dated("A/DSC_1.JPG", noise(1, 5000), day());
    assert!(named(&library, &first, "{date:%Y%m%d}_{seq:4}").is_safe());
    let second = TestCard::new().file_dated("B/IMG_1.CR2", noise(2, 9000), day()).file_dated(
        "B/IMG_1.JPG",
        noise(3, 5000),
        day(),
    );
    assert!(named(&library, &second, "{date:%Y%m%d}_{seq:4}").is_safe());
    assert_eq!(library.names(), ["20230401_0001-2.CR2", "20230401_0001-2.JPG", "20230401_0001.JPG"]);
    assert!(library.tree()[std::path::Path::new("20230401_0001.JPG")] == noise(1, 5000));
}

#[test]
fn a_burst_within_one_second_lands_whole() {
    let mut card = TestCard::new();
    for number in 1..=5 {
        card = card.file(format!("IMG_{number:04}.JPG"), timed("2023:04:01 12:00:00", number));
    }
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{date}-{time}").is_safe());
    assert_eq!(library.names().len(), 5);
}

#[test]
fn a_counter_that_wrapped_is_not_taken_for_transferred() {
    let library = TestLibrary::new();
    let card = TestCard::new().file_dated("DCIM/100CANON/IMG_0001.JPG", noise(1, 5000), day());
    assert!(library.import(card.path()).is_safe());
    let card = card.file_dated("DCIM/101CANON/IMG_0001.JPG", noise(2, 5000), day());
    let said = library.import(card.path());
    assert_eq!(said.counts(), (1, 1, 0, 0, 0));
    assert_eq!(library.names(), ["2023/2023-04-01/IMG_0001-2.JPG", "2023/2023-04-01/IMG_0001.JPG"]);
}

#[test]
fn a_telephone_whose_numbers_came_round_keeps_its_live_pairs_together() {
    let still = |time: &str, seed| timed(time, seed);
    let clip = |hour, seed| {
        let at = jiff::civil::date(2023, 4, 1).at(hour, 0, 1, 0);
        samples::mp4(&Shot::sized(64, 48).taken_at(at).seeded(seed))
    };
    let card = TestCard::new()
        .file("DCIM/100APPLE/IMG_0001.JPG", still("2023:04:01 08:00:00", 1))
        .file("DCIM/100APPLE/IMG_0001.MOV", clip(8, 1))
        .file("DCIM/101APPLE/IMG_0001.JPG", still("2023:04:01 09:00:00", 2))
        .file("DCIM/101APPLE/IMG_0001.MOV", clip(9, 2));
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    let stem = |source: &str| said.file(source).path.as_ref().unwrap().as_path().with_extension("");
    for folder in ["100APPLE", "101APPLE"] {
        let [jpg, mov] = ["JPG", "MOV"].map(|ext| stem(&format!("DCIM/{folder}/IMG_0001.{ext}")));
        assert_eq!(jpg, mov, "{folder}");
    }
    assert_ne!(stem("DCIM/100APPLE/IMG_0001.JPG"), stem("DCIM/101APPLE/IMG_0001.JPG"));
}

#[test]
fn an_orf_with_unreadable_metadata_is_copied_to_a_folder_by_its_own_time() {
    let mut orf = b"IIRO\x08\0\0\0\xff\xff".to_vec();
    orf.extend(noise(1, 5000));
    let card = TestCard::new().file_dated("DCIM/P1010001.ORF", orf, day());
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    assert_eq!(library.names(), ["2023/2023-04-01/P1010001.ORF"]);
}

#[test]
fn keeping_the_original_name_gives_exactly_one_file() {
    let card = TestCard::new().file_dated("DCIM/_R7_3376.CR3", samples::cr3(&Shot::sized(64, 48)), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    assert_eq!(library.names(), ["2009/2009-07-12/_R7_3376.CR3"]);
}

// Time.

#[test]
fn a_time_off_by_the_two_seconds_of_fat_is_hashed_and_not_copied_again() {
    let card = TestCard::new().file_dated("DCIM/IMG_0001.CR2", noise(1, 700_000), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    let file = std::fs::File::options().write(true).open(card.at("DCIM/IMG_0001.CR2")).unwrap();
    let time = file.metadata().unwrap().modified().unwrap() + std::time::Duration::from_secs(1);
    file.set_modified(time).unwrap();
    let again = library.import(card.path());
    assert_eq!(again.counts(), (0, 1, 0, 0, 0));
    assert_eq!(again.file("DCIM/IMG_0001.CR2").matched, Some(Match::Full));
}

/// A clip with nothing but a header of the wide form, made so many seconds after 1904.
fn bare_clip(created: u64) -> Vec<u8> {
    let boxed = |kind: &[u8], content: &[u8]| [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat();
    let header = [&[1, 0, 0, 0][..], &created.to_be_bytes(), &created.to_be_bytes(), &[0; 96]].concat();
    [boxed(b"ftyp", b"isom\0\0\0\0isom"), boxed(b"moov", &boxed(b"mvhd", &header))].concat()
}

#[test]
fn a_clip_whose_header_is_utc_is_not_filed_on_the_next_day() {
    // 2020-06-09T06:30:00Z
    let card = TestCard::new().file_dated("VID_1.MP4", bare_clip(3_674_529_000), day());
    let library = TestLibrary::new();
    let said = run_in(library.options(card.path()), -7);
    assert!(said.is_safe());
    assert_eq!(library.names(), ["2020/2020-06-08/VID_1.MP4"]);
}

#[test]
fn a_still_without_an_offset_is_not_taken_for_utc() {
    let card = TestCard::new().file("IMG_1.JPG", timed("2020:06:09 06:30:00", 1));
    let library = TestLibrary::new();
    assert!(run_in(library.options(card.path()), -7).is_safe());
    assert_eq!(library.names(), ["2020/2020-06-09/IMG_1.JPG"]);
    let photo = only_photo(&library);
    assert_eq!((photo.utc_offset, photo.taken_from), (None, Some(TimeSource::Exif)));
}

#[test]
fn a_clip_dated_in_the_year_171546_is_imported_and_its_date_is_missing() {
    let card = TestCard::new().file_dated("CLIP.MP4", bare_clip(5_413_046_400_000), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    assert_eq!(library.names(), ["2023/2023-04-01/CLIP.MP4"]);
}

#[test]
fn hour_24_and_other_impossible_times_break_nothing_and_are_missing_whole() {
    let texts = [
        "2018:10:13 24:24:27",
        "0000:00:00 00:00:00",
        "                   ",
        "\0\0\0",
        "    :  :     :  :  ",
        "2018:13:01 10:00:00",
        "2018:02:30 10:00:00",
        "0-0-0",
    ];
    let mut card = TestCard::new();
    for (seed, text) in (1..).zip(texts) {
        card = card.file_dated(format!("IMG_{seed:04}.JPG"), timed(text, seed), day());
    }
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    assert!(library.names().iter().all(|name| name.starts_with("2023/2023-04-01/")), "{:?}", library.names());
    assert_eq!(library.names().len(), texts.len(), "one bad date hides no other file");
}

#[test]
fn the_year_2050_is_missing_and_not_clamped_to_this_year() {
    let card = TestCard::new().file_dated("IMG_1.JPG", timed("2050:12:31 10:00:00", 1), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    assert_eq!(library.names(), ["2023/2023-04-01/IMG_1.JPG"]);
    assert_eq!(only_photo(&library).taken_from, Some(TimeSource::File));
}

#[test]
fn a_file_without_a_date_is_never_of_1970_and_says_that_its_date_is_a_guess() {
    let card = TestCard::new().file_dated("scan.jpg", samples::jpeg_without_exif(64, 48, 1), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    assert_eq!(library.names(), ["2023/2023-04-01/scan.jpg"]);
    let photo = only_photo(&library);
    assert_eq!((photo.taken.as_deref(), photo.taken_from), (Some("2023-04-01T12:00:00"), Some(TimeSource::File)));
}

#[test]
fn a_file_without_exif_keeps_its_path_on_the_card_in_the_catalogue() {
    let path = "Holiday/beach/scan.jpg";
    let card = TestCard::new().file_dated(path, samples::jpeg_without_exif(64, 48, 1), day());
    let library = TestLibrary::new();
    assert!(library.import(card.path()).is_safe());
    let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
    let id = lightfast_import::card::identify(card.path()).unwrap().identity.id;
    assert!(catalog.card_history(&id).unwrap().contains_key(path.as_bytes()));
}

#[test]
fn resource_forks_and_the_trash_are_junk_and_a_clips_thumbnail_is_not() {
    let card = TestCard::new()
        .file_dated("DCIM/100/IMG_1.CR2", noise(1, 5000), day())
        .file("DCIM/100/._IMG_1.CR2", noise(2, 4096))
        .file(".Trashes/501/IMG_9.CR2", noise(3, 4096))
        .file_dated("PRIVATE/M4ROOT/CLIP/C0001.MP4", bare_clip(3_674_529_000), day())
        .file_dated("PRIVATE/M4ROOT/THMBNL/C0001T01.JPG", samples::jpeg_without_exif(64, 48, 1), day());
    let library = TestLibrary::new();
    let said = library.import(card.path());
    assert!(said.is_safe());
    assert_eq!(said.counts(), (3, 0, 0, 2, 0));
    assert_eq!(said.file("PRIVATE/M4ROOT/THMBNL/C0001T01.JPG").state, FileState::Copied);
}

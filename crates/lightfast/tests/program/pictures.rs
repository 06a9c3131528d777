//! Pictures of what was imported: thumbnails made while the card is in, of stills, HEIC and clips.

use lightfast_catalog::{Place, Thumbnails};
use lightfast_model::ContentHash;
use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{TestLibrary, files_below, many_photos, skipped};

/// The stored thumbnail of each imported file, by its name on the card.
fn thumbnails(library: &TestLibrary, card: &TestCard) -> Vec<(String, Option<(u32, u32)>)> {
    let said = library.import(card).exits(0);
    let store = Thumbnails::open(Place::in_library(library.path()).dir()).unwrap();
    let files = said.events("file");
    let size = |event: &serde_json::Value| {
        let hash: ContentHash = serde_json::from_value(event["hash"].clone()).ok()?;
        let found = store.get(&hash).unwrap()?;
        assert!(found.jpeg.starts_with(&[0xff, 0xd8]));
        Some((found.width, found.height))
    };
    files.iter().map(|event| (event["source"].as_str().unwrap().to_owned(), size(event))).collect()
}

#[test]
fn after_an_import_every_thumbnail_is_there_with_the_card_gone() {
    let library = TestLibrary::new();
    let card = many_photos(12);
    let found = thumbnails(&library, &card);
    drop(card);
    assert_eq!(found.len(), 12);
    assert!(found.iter().all(|(_, size)| size.is_some()), "{found:?}");
}

#[test]
fn a_raw_that_cannot_be_developed_is_imported_and_keeps_its_thumbnail() {
    let mut raw = samples::cr2(&Shot::sized(720, 480));
    let half = raw.len() * 2 / 3;
    raw[half..].fill(0xff);
    let found = thumbnails(&TestLibrary::new(), &TestCard::new().file("DCIM/IMG_0001.CR2", raw));
    assert!(found[0].1.is_some());
}

#[cfg(feature = "heif")]
#[test]
fn a_heic_has_an_upright_thumbnail_and_can_be_looked_at_whole() {
    let library = TestLibrary::new();
    let card = TestCard::new().file("DCIM/IMG_0001.HEIC", samples::heic_quarters(6));
    let found = thumbnails(&library, &card);
    assert_eq!(found[0].1, Some((64, 96)));
    let out = library.dir().join("large.jpg");
    let path = card.at("DCIM/IMG_0001.HEIC");
    let arguments = [path.as_os_str(), "--size".as_ref(), "1:1".as_ref(), "-o".as_ref(), out.as_os_str()];
    library.run(["preview".as_ref()].into_iter().chain(arguments)).exits(0);
    assert!(std::fs::read(&out).unwrap().starts_with(&[0xff, 0xd8]));
}

#[test]
fn a_damaged_heic_is_imported_without_a_picture() {
    let found =
        thumbnails(&TestLibrary::new(), &TestCard::new().file("IMG_0001.HEIC", samples::heic(&Shot::default())));
    assert_eq!(found[0].1, None);
}

#[test]
fn a_clip_gets_a_frame_where_ffmpeg_is_and_what_the_camera_made_where_it_is_not() {
    let shot = Shot::sized(640, 480);
    let card = TestCard::new()
        .file("DCIM/MVI_0001.MOV", samples::mov(&shot))
        .file("DCIM/MVI_0001.THM", samples::thm(&shot))
        .file("DCIM/MVI_0002.MP4", samples::mp4(&shot));
    let without = TestLibrary::new();
    let mut command = without.command(["import".as_ref(), card.path().as_os_str(), "--json".as_ref()]);
    let said = crate::support::Output::of(command.env("PATH", "/nonexistent")).exits(0);
    assert_eq!(said.report()["copied"], 3);
    let store = Thumbnails::open(Place::in_library(without.path()).dir()).unwrap();
    let hash = |source: &str| -> ContentHash {
        let event = said.events("file").into_iter().find(|event| event["source"] == source).unwrap();
        serde_json::from_value(event["hash"].clone()).unwrap()
    };
    let size = |store: &Thumbnails, source: &str| store.get(&hash(source)).unwrap().map(|t| (t.width, t.height));
    assert!(size(&store, "DCIM/MVI_0001.MOV").or(size(&store, "DCIM/MVI_0001.THM")).is_some_and(|s| s.0 <= 160));
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|p| p.join("ffmpeg").is_file());
    if !found {
        return skipped("a frame of a clip", "ffmpeg is not installed");
    }
    let with = TestLibrary::new();
    let _ = thumbnails(&with, &card);
    let store = Thumbnails::open(Place::in_library(with.path()).dir()).unwrap();
    assert_eq!(size(&store, "DCIM/MVI_0001.MOV"), Some((512, 384)));
    assert_eq!(size(&store, "DCIM/MVI_0002.MP4"), Some((512, 384)));
}

#[test]
fn nothing_is_staged_in_the_temporary_or_the_home_folder_during_an_import() {
    let library = TestLibrary::new();
    let card = many_photos(4).file("DCIM/MVI_0001.MOV", samples::mov(&Shot::sized(96, 64)));
    let temporary = library.dir().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = library.command(["import".as_ref(), card.path().as_os_str()]);
    let said = crate::support::Output::of(command.env("TMPDIR", &temporary)).exits(0);
    assert!(said.text().contains("Safe to format"));
    let outside: Vec<_> = files_below(library.dir()).into_iter().filter(|path| !path.starts_with("library")).collect();
    assert!(outside.is_empty(), "{outside:?}");
}

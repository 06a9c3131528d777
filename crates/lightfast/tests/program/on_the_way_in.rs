//! What an import gives photos on the way in: words, corrected clocks, zones, days, layouts, presets.

use std::path::PathBuf;

use jiff::civil::date;
use lightfast_model::CaptureTime;
use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::{Value, json};

use crate::support::{Output, TestLibrary, small_card};

fn import(library: &TestLibrary, card: &TestCard, more: &[&str]) -> Output {
    let mut arguments = vec!["import", card.path().to_str().unwrap(), "--json"];
    arguments.extend(more);
    library.run(arguments)
}

fn photos(library: &TestLibrary) -> Vec<Value> {
    library.run(["list", "--json", "--sort", "name"]).exits(0).json()
}

fn names(library: &TestLibrary) -> Vec<String> {
    library.originals().iter().map(|path: &PathBuf| path.to_str().unwrap().to_owned()).collect()
}

/// A JPEG of a camera, taken at a time of 2009-07-12.
fn jpeg(model: &str, hour: i8, minute: i8, seed: u64) -> Vec<u8> {
    let base = Shot::sized(64, 48).seeded(seed);
    let taken = CaptureTime { local: date(2009, 7, 12).at(hour, minute, 0, 0), fraction_digits: 0, ..base.taken };
    samples::jpeg(&Shot { model: model.to_owned(), taken, ..base })
}

#[test]
fn keywords_creator_and_copyright_are_given_and_written_beside() {
    let library = TestLibrary::new();
    let more = ["--keyword", "wedding,Ada & Ben", "--creator", "Cleo", "--copyright", "© Cleo"];
    let _ = import(&library, &small_card(), &more).exits(0);
    for photo in photos(&library) {
        assert_eq!(photo["keywords"], json!(["Ada & Ben", "wedding"]));
        assert_eq!((&photo["creator"], &photo["copyright"]), (&json!("Cleo"), &json!("© Cleo")));
    }
    let sidecars: Vec<String> = names(&library).into_iter().filter(|name| name.ends_with(".xmp")).collect();
    assert_eq!(sidecars, ["2009/2009-07-12/IMG_0001.xmp", "2009/2009-07-12/IMG_0002.xmp"]);
    let found = lightfast_media::xmp::Xmp::read(&std::fs::read(library.path().join(&sidecars[0])).unwrap());
    assert_eq!((found.creator.as_deref(), found.keywords.len()), (Some("Cleo"), 2));
    // And they outlive the catalogue.
    let _ = library.run(["rebuild", "--yes"]).exits(0);
    assert_eq!(photos(&library)[0]["keywords"], json!(["Ada & Ben", "wedding"]));
}

#[test]
fn a_sidecar_that_comes_along_is_read_and_what_is_given_wins() {
    let xmp = lightfast_media::xmp::merge(
        None,
        &[
            lightfast_media::xmp::Change::text(lightfast_media::xmp::ns::XMP, "Rating", "3"),
            lightfast_media::xmp::Change::text(lightfast_media::xmp::ns::XMP, "Label", "Rot"),
            lightfast_media::xmp::Change::seq(lightfast_media::xmp::ns::DC, "creator", &["Somebody"]),
            lightfast_media::xmp::Change::bag(lightfast_media::xmp::ns::DC, "subject", &["sea"]),
        ],
    )
    .unwrap();
    let library = TestLibrary::new();
    let card = small_card().file("DCIM/100EOS5D/IMG_0001.xmp", &xmp);
    let _ = import(&library, &card, &["--creator", "Cleo", "--keyword", "wedding"]).exits(0);
    let photo = photos(&library).remove(0);
    assert_eq!((&photo["rating"], &photo["label"]), (&json!(3), &json!("red")));
    assert_eq!((&photo["creator"], &photo["keywords"]), (&json!("Cleo"), &json!(["sea", "wedding"])));
    let now = std::fs::read(library.path().join("2009/2009-07-12/IMG_0001.xmp")).unwrap();
    let now = lightfast_media::xmp::Xmp::read(&now);
    assert_eq!((now.creator.as_deref(), now.label.as_deref(), now.keywords.len()), (Some("Cleo"), Some("Rot"), 2));
}

#[test]
fn sidecars_of_the_same_bytes_go_each_with_its_own_photo() {
    let rating = lightfast_media::xmp::Change::text(lightfast_media::xmp::ns::XMP, "Rating", "3");
    let xmp = lightfast_media::xmp::merge(None, &[rating]).unwrap();
    let library = TestLibrary::new();
    let card = small_card().file("DCIM/100EOS5D/IMG_0001.xmp", &xmp).file("DCIM/100EOS5D/IMG_0002.xmp", &xmp);
    let report = import(&library, &card, &[]).exits(0).report();
    assert_eq!((&report["copied"], &report["duplicates"]), (&json!(5), &json!(0)));
    assert!(photos(&library).iter().all(|photo| photo["rating"] == 3));
    let report = import(&library, &card, &[]).exits(0).report();
    assert_eq!((&report["copied"], &report["duplicates"]), (&json!(0), &json!(5)));
    // The same files on another card.
    let other = small_card().file("DCIM/100EOS5D/IMG_0001.xmp", &xmp).file("DCIM/100EOS5D/IMG_0002.xmp", &xmp);
    let report = import(&library, &other, &[]).exits(0).report();
    assert_eq!((&report["copied"], &report["duplicates"]), (&json!(0), &json!(5)));
    let _ = library.run(["mark", "IMG_0002", "--rating", "1"]).exits(0);
    assert_eq!(library.run(["list", "rating:3", "--json"]).exits(0).json().len(), 1);
    let report = library.run(["verify", "--json"]).exits(0).report();
    assert_eq!((&report["bad"], &report["edited"]), (&json!(0), &json!(1)));
}

#[test]
fn a_clock_that_was_wrong_is_put_right_for_its_camera() {
    let library = TestLibrary::new();
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.JPG", jpeg("Canon EOS 5D Mark II", 23, 30, 1))
        .file("DCIM/100EOS5D/IMG_0002.JPG", jpeg("NIKON D90", 23, 30, 2));
    let _ = import(&library, &card, &["--clock", "5D=+01:00"]).exits(0);
    assert_eq!(names(&library), ["2009/2009-07-12/IMG_0002.JPG", "2009/2009-07-13/IMG_0001.JPG"]);
    assert_eq!(photos(&library)[0]["taken"], "2009-07-13T00:30:00");

    let library = TestLibrary::new();
    let _ = import(&library, &card, &["--clock", "5D=IMG_0001.JPG@2009-07-14T08:00:00"]).exits(0);
    assert_eq!(photos(&library)[0]["taken"], "2009-07-14T08:00:00");
    let library = TestLibrary::new();
    let output = import(&library, &card, &["--clock", "5D=IMG_0077.JPG@08:00:00"]).exits(2);
    assert!(output.error().contains("IMG_0077.JPG is not on the card"), "{}", output.err);
    assert!(!library.path().exists());
    let _ = import(&library, &card, &["--clock", "5D=1h"]).exits(2);
    let output = import(&library, &card, &["--clock", "Leica=+01:00"]).exits(0);
    assert!(output.err.contains("leica"), "{}", output.err);
}

#[test]
fn a_zone_says_where_the_cameras_were_and_a_day_may_begin_late() {
    let library = TestLibrary::new();
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.JPG", jpeg("Canon EOS 5D Mark II", 2, 30, 1))
        .file("DCIM/100EOS5D/IMG_0002.JPG", jpeg("Canon EOS 5D Mark II", 5, 30, 2));
    let _ = import(&library, &card, &["--zone", "Europe/Berlin", "--day-start", "04:00"]).exits(0);
    assert_eq!(names(&library), ["2009/2009-07-11/IMG_0001.JPG", "2009/2009-07-12/IMG_0002.JPG"]);
    let first = photos(&library).remove(0);
    assert_eq!((&first["taken"], &first["utc_offset"]), (&json!("2009-07-12T02:30:00"), &json!("+02:00")));
    let _ = import(&library, &card, &["--zone", "Berlin"]).exits(2);
    let _ = import(&library, &card, &["--day-start", "25:00"]).exits(2);
}

#[test]
fn the_layout_mirror_keeps_the_cards_own_tree_in_one_folder_an_import() {
    let library = TestLibrary::new();
    let card = small_card().file("MISC/AUTPRINT.MRK", b"print");
    let name = card.path().file_name().unwrap().to_str().unwrap().to_owned();
    let _ = import(&library, &card, &["--layout", "mirror"]).exits(0);
    let all = names(&library);
    let container = all[0].split('/').next().unwrap().to_owned();
    assert!(container.ends_with(&name.trim_start_matches('.').to_owned()) || container.contains('-'), "{container}");
    let inside: Vec<&str> = all.iter().map(|path| path.split_once('/').unwrap().1).collect();
    assert_eq!(
        inside,
        ["DCIM/100EOS5D/IMG_0001.CR2", "DCIM/100EOS5D/IMG_0002.CR2", "DCIM/100EOS5D/IMG_0002.JPG", "MISC/AUTPRINT.MRK"]
    );
    let report = import(&library, &card, &["--layout", "mirror"]).exits(0).report();
    assert_eq!((&report["copied"], &report["duplicates"]), (&json!(0), &json!(4)));
    let card = card.file("DCIM/100EOS5D/IMG_0003.JPG", jpeg("Canon EOS 5D Mark II", 1, 0, 3));
    let _ = import(&library, &card, &["--layout", "mirror"]).exits(0);
    let containers: std::collections::BTreeSet<String> =
        names(&library).iter().map(|path| path.split('/').next().unwrap().to_owned()).collect();
    assert_eq!(containers.len(), 2, "{containers:?}");
    let _ = import(&library, &card, &["--layout", "mirror", "--name", "{name}"]).exits(2);
}

#[test]
fn a_preset_gives_all_of_it_and_what_is_typed_wins() {
    let library = TestLibrary::new().config(
        "[preset.wedding]\nname = \"{job}/{card}/{folder}/{name}\"\njob = \"ada\"\nkeyword = [\"wedding\"]\n\
         creator = \"Cleo\"\nclock = [\"5D=+01:00\"]\nzone = \"Europe/Berlin\"\nday-start = \"04:00\"\n",
    );
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.JPG", jpeg("Canon EOS 5D Mark II", 2, 30, 1));
    let _ = import(&library, &card, &["--preset", "wedding", "--creator", "Dora"]).exits(0);
    let photo = photos(&library).remove(0);
    assert_eq!((&photo["creator"], &photo["keywords"]), (&json!("Dora"), &json!(["wedding"])));
    assert_eq!((&photo["taken"], &photo["utc_offset"]), (&json!("2009-07-12T03:30:00"), &json!("+02:00")));
    let path = names(&library).into_iter().find(|name| name.ends_with(".JPG")).unwrap();
    assert!(path.starts_with("ada/") && path.ends_with("/100EOS5D/IMG_0001.JPG"), "{path}");
    let _ = import(&library, &card, &["--preset", "wedding", "--name", "{path}/{name}", "--again"]).exits(0);
}

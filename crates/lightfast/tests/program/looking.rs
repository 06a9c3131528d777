//! `list`, `show` and `preview`.

use std::path::Path;

use lightfast_testkit::{Shot, TestCard, samples};

use crate::support::{TestLibrary, many_photos, small_card};

#[test]
fn list_gives_photos_and_not_files() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let photos = library.run(["list", "--json"]).exits(0).json();
    assert_eq!(photos.len(), 2);
    let pair = photos.iter().find(|photo| photo["files"].as_array().unwrap().len() == 2).unwrap();
    assert_eq!((&pair["files"][0]["role"], &pair["files"][1]["role"]), (&"raw".into(), &"jpeg".into()));
    assert_eq!(pair["camera"], "Canon EOS 5D Mark II");
    assert_eq!(pair["taken"], "2009-07-12T14:03:22.45");
    assert_eq!(pair["files"][0]["copies"][0]["verified"], if cold(&library) { "cold" } else { "reread" });

    let words = library.run(["list"]).exits(0).text();
    assert_eq!(words.lines().count(), 3, "{words}");
    assert!(words.contains("IMG_0001.CR2") && words.contains("raw+jpeg"), "{words}");
}

/// Whether the temporary folder is on a file system whose cache can be passed.
fn cold(library: &TestLibrary) -> bool {
    let done = std::process::Command::new("stat").args(["-f", "-c", "%T"]).arg(library.path()).output().unwrap();
    ["ext2/ext3", "xfs", "btrfs"].contains(&String::from_utf8_lossy(&done.stdout).trim())
}

#[test]
fn list_takes_a_query_an_order_and_a_limit() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(5)).exits(0);
    let names = |arguments: &[&str]| -> Vec<String> {
        let photos = library.run(arguments).exits(0).json();
        let path = |photo: &serde_json::Value| photo["files"][0]["copies"][0]["path"].as_str().unwrap().to_owned();
        photos.iter().map(|p| Path::new(&path(p)).file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["list", "--json", "--sort", "name", "--limit", "2"]), ["IMG_0001.JPG", "IMG_0002.JPG"]);
    assert_eq!(names(&["list", "IMG_0003", "--json"]), ["IMG_0003.JPG"]);
    assert_eq!(names(&["list", "--json", "-IMG_0003", "--sort", "name"]).len(), 4);
    let _ = library.run(["mark", "IMG_0004", "--rating", "5"]).exits(0);
    assert_eq!(names(&["list", "--json", "--sort", "rating"])[0], "IMG_0004.JPG");
    assert_eq!(names(&["list", "rating:5", "--json"]), ["IMG_0004.JPG"]);
}

#[test]
fn show_tells_a_photo_by_id_path_name_and_any_file_without_a_library() {
    let library = TestLibrary::new();
    let card = small_card();
    let raw = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    let file = library.run(["show", raw.to_str().unwrap(), "--json"]).exits(0).json().remove(0);
    assert_eq!(file["id"], serde_json::Value::Null);
    assert_eq!(file["lens"], "EF24-105mm f/4L IS USM");
    assert_eq!(file["format"], "CR2");
    assert_eq!((&file["taken_from"], &file["iso"]), (&"exif".into(), &400.into()));

    let _ = library.import(&card).exits(0);
    let by_name = library.run(["show", "IMG_0001", "--json"]).exits(0).json().remove(0);
    let id = by_name["id"].as_str().unwrap().to_owned();
    let relative = by_name["files"][0]["copies"][0]["path"].as_str().unwrap().to_owned();
    let absolute = library.path().join(&relative);
    for what in [id.as_str(), relative.as_str(), absolute.to_str().unwrap()] {
        assert_eq!(library.run(["show", what, "--json"]).exits(0).json()[0]["id"], id.as_str(), "{what}");
    }
    let words = library.run(["show", &id]).exits(0).text();
    assert!(words.contains("1/250 s, f/5.6, 50 mm, ISO 400"), "{words}");
    assert!(library.run(["show", "IMG"]).exits(1).error().contains("matches several photos"));
    assert!(library.run(["show", "nothing-like-it"]).exits(1).error().contains("no photo and no file"));
    assert!(library.run(["show", "/nonexistent/a.jpg"]).exits(1).error().contains("No such file"));
}

#[test]
fn a_1_to_1_preview_is_the_cameras_own_bytes() {
    let library = TestLibrary::new();
    let raw = samples::cr2(&Shot::sized(720, 480));
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", &raw);
    let _ = library.import(&card).exits(0);
    let out = library.dir().join("large.jpg");
    let _ = library.run(["preview", "IMG_0001", "--size", "1:1", "-o", out.to_str().unwrap()]).exits(0);
    let jpeg = std::fs::read(&out).unwrap();
    assert!(raw.windows(jpeg.len()).any(|part| part == jpeg), "not re-encoded");

    let turned = TestCard::new().file("a.cr2", samples::cr2(&Shot::sized(720, 480).oriented(6)));
    let to_stdout = library.run(["preview", turned.at("a.cr2").to_str().unwrap(), "--size", "1:1", "-o", "-"]).exits(0);
    let mut source = lightfast_media::BytesSource(&to_stdout.out);
    assert_eq!(lightfast_media::facts(&mut source, "a.jpg".as_ref()).orientation.value(), 6);
}

#[test]
fn a_preview_is_never_written_over_an_original() {
    let library = TestLibrary::new();
    let card = small_card();
    let _ = library.import(&card).exits(0);
    let original = library.path().join(&library.originals()[0]);
    let before = std::fs::read(&original).unwrap();
    let output = library.run(["preview", "IMG_0001", "--size", "1:1", "-o", original.to_str().unwrap()]).exits(2);
    assert!(output.error().contains("never written over"), "{}", output.err);
    assert_eq!(std::fs::read(&original).unwrap(), before);
    let same = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    let same = same.to_str().unwrap();
    let _ = library.run(["preview", same, "--size", "1:1", "-o", same]).exits(2);
}

#[test]
fn a_file_without_a_picture_has_no_preview() {
    let library = TestLibrary::new();
    let card = TestCard::new().file("notes.txt", b"text");
    let path = card.at("notes.txt");
    let output = library.run(["preview", path.to_str().unwrap(), "-o", "x.jpg"]).exits(3);
    assert!(output.error().contains("preview unavailable"), "{}", output.err);
    assert!(!library.dir().join("x.jpg").exists());
}

#[test]
fn smaller_previews_are_upright_and_of_their_size() {
    let library = TestLibrary::new();
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&Shot::sized(1440, 960).oriented(6)));
    let _ = library.import(&card).exits(0);
    let sides = |what: &str, size: &str| {
        let jpeg = library.run(["preview", what, "--size", size, "-o", "-"]).exits(0).out;
        let mut source = lightfast_media::BytesSource(&jpeg);
        let facts = lightfast_media::facts(&mut source, "a.jpg".as_ref());
        (facts.width.unwrap(), facts.height.unwrap(), facts.orientation.value())
    };
    let file = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    for what in ["IMG_0001", file.to_str().unwrap()] {
        let (width, height, orientation) = sides(what, "thumbnail");
        assert_eq!((height, orientation), (512, 1), "{what}");
        assert!((340..=342).contains(&width), "{what}: {width}");
        // A picture is never made larger than it is.
        assert_eq!(sides(what, "fit"), (960, 1440, 1), "{what}");
    }
    // Turned by hand, the kept thumbnail is not used as it is.
    let _ = library.run(["mark", "IMG_0001", "--rotate", "90"]).exits(0);
    assert_eq!(sides("IMG_0001", "thumbnail").0, 512);
}

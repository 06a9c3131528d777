//! Marks as XMP: what other programs read of them, what they keep, and what happens where both sides changed something.
//! ExifTool and exiv2 are the judges where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use lightfast_media::xmp::{self, Change, ns};
use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::{Value, json};

use crate::support::{TestLibrary, skipped};

const FOLDER: &str = "2009/2009-07-12";

/// A RAW, a RAW with its JPEG, a HEIC.
fn card() -> TestCard {
    let shot = |seed| Shot::sized(240, 160).seeded(seed);
    TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&shot(1)))
        .file("DCIM/100EOS5D/IMG_0002.CR2", samples::cr2(&shot(2)))
        .file("DCIM/100EOS5D/IMG_0002.JPG", samples::jpeg(&shot(2)))
        .file("DCIM/100EOS5D/IMG_0003.HEIC", samples::heic(&shot(3)))
}

fn at(library: &TestLibrary, name: &str) -> PathBuf {
    library.path().join(FOLDER).join(name)
}

fn photo(library: &TestLibrary, name: &str) -> Value {
    library.run(["show", name, "--json"]).exits(0).json().remove(0)
}

/// What ExifTool reads of a file, without groups; none where it is not installed.
fn exiftool(path: &Path, options: &[&str]) -> Option<Value> {
    let done = Command::new("exiftool").args(["-j"]).args(options).arg(path).output().ok()?;
    let all: Value = serde_json::from_slice(&done.stdout).ok()?;
    Some(all[0].clone())
}

/// What exiv2 reads of one property; none where it is not installed.
fn exiv2(path: &Path, key: &str) -> Option<String> {
    let done = Command::new("exiv2").args(["-q", "-K", key, "-Pv"]).arg(path).output().ok()?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

fn edit(path: &Path, changes: &[Change]) {
    let before = std::fs::read(path).unwrap();
    std::fs::write(path, xmp::merge(Some(&before), changes).unwrap()).unwrap();
}

fn rating(path: &Path) -> Option<String> {
    xmp::read(&std::fs::read(path).unwrap()).text(ns::XMP, "Rating").map(str::to_owned)
}

#[test]
fn marks_are_written_beside_raw_pair_and_heic_and_other_programs_read_the_same() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let before: Vec<(PathBuf, Vec<u8>)> = library
        .originals()
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(library.path().join(path)).unwrap()))
        .collect();
    let done = library.run(["mark", "IMG", "--rating", "4", "--keyword", "+a", "--flag", "pick", "--json"]).exits(0);
    assert_eq!((&done.json()[0]["changed"], &done.json()[0]["sidecars"]), (&json!(3), &json!(3)));
    let names: Vec<String> =
        library.originals().iter().filter_map(|p| Some(p.file_name()?.to_str()?.to_owned())).collect();
    let xmp: Vec<&String> = names.iter().filter(|name| name.ends_with(".xmp")).collect();
    assert_eq!(xmp, ["IMG_0001.xmp", "IMG_0002.xmp", "IMG_0003.HEIC.xmp"]);
    for (path, bytes) in before {
        assert!(std::fs::read(library.path().join(&path)).unwrap() == bytes, "{} was written into", path.display());
    }
    for name in xmp {
        let path = at(&library, name);
        let Some(read) = exiftool(&path, &["-XMP-xmp:Rating", "-XMP-dc:Subject", "-XMP-xmpDM:all"]) else {
            return skipped("marks_are_written_beside", "no exiftool");
        };
        assert_eq!((&read["Rating"], &read["Subject"]), (&json!(4), &json!("a")), "{read}");
        assert_eq!(read["Pick"], json!(1), "{read}");
        let warnings = exiftool(&path, &["-validate", "-warning", "-a"]).unwrap();
        assert_eq!(warnings.get("Warning"), None, "{warnings}");
        let Some(stars) = exiv2(&path, "Xmp.xmp.Rating") else {
            return skipped("marks_are_written_beside", "no exiv2");
        };
        assert_eq!((stars.as_str(), exiv2(&path, "Xmp.dc.subject").as_deref()), ("4", Some("a")));
        assert_eq!(exiv2(&path, "Xmp.xmpDM.pick").as_deref(), Some("1"));
    }
    // What lightfast wrote is nothing strange to it.
    let report = library.run(["verify", "--json"]).exits(0).report();
    assert_eq!((&report["bad"], &report["unknown"]), (&json!(0), &json!(0)));
    assert!(library.run(["rescan", "--json"]).exits(0).events("file").is_empty());
}

#[test]
fn every_mark_is_read_alike_and_undo_takes_it_back_in_the_file_too() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let _ = library
        .run(["mark", "IMG_0001", "--rating", "3", "--flag", "reject", "--label", "green", "--rotate", "90"])
        .exits(0);
    let _ = library.run(["mark", "IMG_0001", "--title", "Häfen & <sea>", "--caption", "Two\nlines"]).exits(0);
    let path = at(&library, "IMG_0001.xmp");
    let Some(read) = exiftool(&path, &["-n", "-XMP:all"]) else { return skipped("every_mark", "no exiftool") };
    assert_eq!((&read["Rating"], &read["Label"], &read["Orientation"]), (&json!(-1), &json!("Green"), &json!(6)));
    assert_eq!((&read["Title"], &read["Description"]), (&json!("Häfen & <sea>"), &json!("Two\nlines")));
    assert_eq!(exiv2(&path, "Xmp.tiff.Orientation").as_deref(), Some("6"));
    assert_eq!(exiv2(&path, "Xmp.dc.title").as_deref(), Some("lang=\"x-default\" Häfen & <sea>"));
    let _ = library.run(["mark", "--undo", "2"]).exits(0);
    let read = exiftool(&path, &["-n", "-XMP:all"]).unwrap();
    assert_eq!((&read["Rating"], &read["Orientation"]), (&json!(0), &json!(1)), "{read}");
    assert_eq!((read.get("Label"), read.get("Title")), (None, None));
}

#[test]
fn a_change_elsewhere_is_taken_and_one_on_both_sides_is_a_conflict_that_names_itself() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let _ = library.run(["mark", "IMG_0001", "--rating", "3", "--keyword", "sea"]).exits(0);
    let path = at(&library, "IMG_0001.xmp");

    // Only there: taken, whether rescan or the next mark sees it first.
    edit(&path, &[Change::text(ns::XMP, "Rating", "2"), Change::bag(ns::DC, "subject", &["sea", "boat"])]);
    let events = library.run(["rescan", "--json"]).exits(0).events("file");
    assert_eq!((events.len(), &events[0]["state"]), (1, &json!("sidecar")));
    assert_eq!(
        (&photo(&library, "IMG_0001")["rating"], &photo(&library, "IMG_0001")["keywords"]),
        (&json!(2), &json!(["boat", "sea"]))
    );
    edit(&path, &[Change::text(ns::XMP, "Label", "Blue")]);
    let _ = library.run(["mark", "IMG_0001", "--rating", "5", "--keyword", "-sea"]).exits(0);
    let now = photo(&library, "IMG_0001");
    assert_eq!((&now["rating"], &now["label"], &now["keywords"]), (&json!(5), &json!("blue"), &json!(["boat"])));
    assert_eq!(rating(&path).as_deref(), Some("5"));

    // On both sides: ours stays in the catalogue, the file is left alone, the photo is named.
    edit(&path, &[Change::text(ns::XMP, "Rating", "1")]);
    let bytes = std::fs::read(&path).unwrap();
    let output = library.run(["mark", "IMG_0001", "--rating", "4", "--json"]).exits(3);
    let conflict = &output.json()[0]["conflicts"][0];
    assert_eq!(
        (&conflict["properties"], &conflict["path"]),
        (&json!(["rating"]), &json!(format!("{FOLDER}/IMG_0001.xmp")))
    );
    assert!(output.err.contains("rating") && output.err.contains("IMG_0001.xmp"), "{}", output.err);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(photo(&library, "IMG_0001")["rating"], 4);
    assert_eq!(library.run(["list", "has:conflict", "--json"]).exits(0).json().len(), 1);
    let again = library.run(["rescan", "--json"]).exits(3);
    assert_eq!((&again.events("file")[0]["state"], &again.report()["conflicts"]), (&json!("conflict"), &json!(1)));
    // Another photo's mark does not speak of it again.
    let _ = library.run(["mark", "IMG_0002", "--rating", "1"]).exits(0);

    let _ = library.run(["rescan", "--keep", "ours", "--json"]).exits(0);
    assert_eq!(rating(&path).as_deref(), Some("4"));
    assert!(library.run(["list", "has:conflict", "--json"]).exits(0).out.is_empty());
}

#[test]
fn theirs_can_be_kept_too() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let _ = library.run(["mark", "IMG_0001", "--title", "ours"]).exits(0);
    let path = at(&library, "IMG_0001.xmp");
    edit(&path, &[Change::alt(ns::DC, "title", "theirs")]);
    let _ = library.run(["mark", "IMG_0001", "--title", "ours again"]).exits(3);
    let _ = library.run(["rescan", "--keep", "theirs"]).exits(0);
    assert_eq!(photo(&library, "IMG_0001")["title"], "theirs");
    assert!(library.run(["list", "has:conflict", "--json"]).exits(0).out.is_empty());
}

/// Sidecars that darktable wrote, from the corpus; else one of the same shape.
fn darktable() -> Vec<Vec<u8>> {
    let corpus = std::env::var_os("LIGHTFAST_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    let mut found = Vec::new();
    for name in [
        "0022-color-zones/color-zones.xmp",
        "0171-capture-sharpen/capture-sharpen.xmp",
        "0103-almost-all/almost-all.xmp",
    ] {
        found.extend(std::fs::read(corpus.join("xmp/darktable-tests").join(name)));
    }
    if found.is_empty() {
        skipped("a_sidecar_of_darktable", "no corpus; a made one is used");
    }
    found.push(
        br#"<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
 <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:darktable="http://darktable.sf.net/"
   xmp:Rating="1" darktable:xmp_version="5" darktable:history_end="1">
  <darktable:history><rdf:Seq><rdf:li darktable:num="0" darktable:operation="exposure" darktable:params="00"/></rdf:Seq></darktable:history>
 </rdf:Description></rdf:RDF></x:xmpmeta>
"#
        .to_vec(),
    );
    found
}

/// What is darktable's own in a sidecar, as its bytes have it.
fn own_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.split_whitespace()
        .filter(|word| word.contains("darktable:") || word.contains("=\""))
        .map(|w| w.trim_end_matches(['>', '/']).to_owned())
        .filter(|word| !word.starts_with("xmp:Rating") && !word.starts_with("xmlns"))
        .collect()
}

#[test]
fn a_sidecar_of_darktable_is_read_at_the_import_and_keeps_every_property_of_its_own() {
    for sidecar in darktable() {
        let library = TestLibrary::new();
        let card = card().file("DCIM/100EOS5D/IMG_0001.CR2.xmp", &sidecar);
        let _ = library.import(&card).exits(0);
        let stars: i64 = xmp::read(&sidecar).text(ns::XMP, "Rating").unwrap().parse().unwrap();
        assert_eq!(photo(&library, "IMG_0001")["rating"], stars);
        let _ = library.run(["mark", "IMG_0001", "--rating", "4", "--keyword", "+a", "--flag", "pick"]).exits(0);
        let path = at(&library, "IMG_0001.CR2.xmp");
        let now = std::fs::read(&path).unwrap();
        assert_eq!(rating(&path).as_deref(), Some("4"));
        assert_eq!(rating(&at(&library, "IMG_0001.xmp")).as_deref(), Some("4"));
        let (before, after) = (own_lines(&sidecar), own_lines(&now));
        for line in &before {
            assert!(after.contains(line), "{line} is gone");
        }
        if let (Some(before), Some(after)) = (
            exiftool(
                &card.at("DCIM/100EOS5D/IMG_0001.CR2.xmp"),
                &["-struct", "-n", "-XMP-darktable:all", "-XMP-xmpMM:all", "-XMP-exif:all"],
            ),
            exiftool(&path, &["-struct", "-n", "-XMP-darktable:all", "-XMP-xmpMM:all", "-XMP-exif:all"]),
        ) {
            for (name, value) in before.as_object().unwrap().iter().filter(|(name, _)| *name != "SourceFile") {
                assert_eq!(Some(value), after.get(name), "{name}");
            }
        }
        // The card is imported again: its sidecar is here, though it was edited.
        let report = library.import(&card).exits(0).report();
        assert_eq!((&report["copied"], &report["duplicates"]), (&json!(0), &json!(5)), "{report}");
        assert_eq!(library.run(["verify", "--json"]).exits(0).report()["edited"], 1);
    }
}

#[test]
fn a_sidecar_that_turns_up_later_is_read_by_rescan_and_yields_to_a_mark() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let made = darktable().pop().unwrap();
    std::fs::write(at(&library, "IMG_0001.CR2.xmp"), &made).unwrap();
    std::fs::write(at(&library, "IMG_0002.CR2.xmp"), &made).unwrap();
    let _ = library.run(["mark", "IMG_0001", "--rating", "4"]).exits(0);
    assert_eq!(rating(&at(&library, "IMG_0001.CR2.xmp")).as_deref(), Some("4"));
    assert_eq!(photo(&library, "IMG_0002")["rating"], 0);
    let report = library.run(["rescan", "--json"]).exits(0).report();
    assert_eq!((&report["sidecars"], &report["new"]), (&json!(1), &json!(0)), "{report}");
    assert_eq!(photo(&library, "IMG_0002")["rating"], 1);
}

#[test]
fn both_namings_are_written_where_the_config_says_so() {
    let library = TestLibrary::new().config("sidecar_names = \"both\"\n");
    let _ = library.import(&card()).exits(0);
    let _ = library.run(["mark", "IMG", "--rating", "2"]).exits(0);
    for name in ["IMG_0001.xmp", "IMG_0001.CR2.xmp", "IMG_0002.xmp", "IMG_0002.CR2.xmp", "IMG_0003.HEIC.xmp"] {
        assert_eq!(rating(&at(&library, name)).as_deref(), Some("2"), "{name}");
    }
    assert!(!at(&library, "IMG_0002.JPG.xmp").exists() && !at(&library, "IMG_0003.xmp").exists());
}

#[test]
fn a_damaged_sidecar_is_left_as_it_is_and_named() {
    let library = TestLibrary::new();
    let _ = library.import(&card()).exits(0);
    let _ = library.run(["mark", "IMG_0001", "--rating", "3"]).exits(0);
    let path = at(&library, "IMG_0001.xmp");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let output = library.run(["mark", "IMG_0001", "--rating", "4"]).exits(3);
    assert!(output.err.contains("IMG_0001.xmp") && output.err.contains("left as it is"), "{}", output.err);
    assert_eq!(std::fs::read(&path).unwrap(), bytes[..bytes.len() / 2]);
    assert_eq!(photo(&library, "IMG_0001")["rating"], 4, "and nothing is taken from it");
    std::fs::write(&path, &bytes).unwrap();
    let _ = library.run(["mark", "IMG_0002", "--rating", "1"]).exits(0);
    assert_eq!(rating(&path).as_deref(), Some("4"), "the next mark writes what was due");
}

#[test]
fn two_photos_of_one_stem_never_share_a_sidecar() {
    let library = TestLibrary::new();
    let shot = |seed| Shot::sized(64, 48).seeded(seed);
    let first = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&shot(1)));
    let second = TestCard::new().file("DCIM/100LEICA/IMG_0001.DNG", samples::dng(&shot(2)));
    let _ = library.import(&first).exits(0);
    let _ = library.run(["mark", "type:CR2", "--rating", "5"]).exits(0);
    let _ = library.import(&second).exits(0);
    let _ = library.run(["mark", "type:DNG", "--rating", "1"]).exits(0);
    let _ = library.run(["rescan"]).exits(0);
    assert_eq!(library.run(["list", "rating:5", "--json"]).exits(0).json().len(), 1);
    assert_eq!(library.run(["list", "rating:1", "--json"]).exits(0).json().len(), 1);
}

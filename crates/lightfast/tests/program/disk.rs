//! The disk behind the catalogue: trash, moved folders, places where originals live, a catalogue made again, counts.

#![allow(clippy::disallowed_methods, reason = "tests rename what a person would")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::civil::date;
use lightfast_model::CaptureTime;
use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::{Value, json};

use crate::support::{Output, TestLibrary, files_below, many_photos, small_card};

fn photo(library: &TestLibrary, name: &str) -> Value {
    library.run(["show", name, "--json"]).exits(0).json().remove(0)
}

fn marked(library: &TestLibrary) -> Vec<(String, Value, Value, Value)> {
    let photos = library.run(["list", "--json", "--sort", "name"]).exits(0).json();
    photos
        .into_iter()
        .map(|p| (p["id"].as_str().unwrap().to_owned(), p["rating"].clone(), p["keywords"].clone(), p["flag"].clone()))
        .collect()
}

#[test]
fn what_was_put_in_the_trash_stays_out_and_again_brings_it() {
    let library = TestLibrary::new();
    let card = small_card();
    let _ = library.import(&card).exits(0);
    let _ = library.run(["mark", "IMG_0002", "--rating", "2"]).exits(0);
    let said = library.run(["trash", "IMG_0002"]).exits(0).text();
    assert_eq!(said, "1 photo put into the trash\n");
    assert_eq!(library.originals().len(), 1, "RAW, JPEG and sidecar are in the trash: {:?}", library.originals());
    assert_eq!(library.run(["list", "--json"]).exits(0).json().len(), 1);
    assert_eq!(library.run(["trash", "list", "--json"]).exits(0).json().len(), 1);

    let again = library.import(&card).exits(0);
    let report = again.report();
    assert_eq!((&report["trashed"], &report["copied"], &report["duplicates"]), (&json!(2), &json!(0), &json!(1)));
    assert_eq!(report["safe_to_format"], true);
    assert_eq!(library.originals().len(), 1);

    let path = card.path().to_str().unwrap().to_owned();
    let report = library.run(["import", &path, "--again", "--json"]).exits(0).report();
    assert_eq!((&report["trashed"], &report["copied"]), (&json!(0), &json!(2)));
    assert_eq!(library.run(["list", "--json"]).exits(0).json().len(), 2);
    assert_eq!(photo(&library, "IMG_0002")["rating"], 2, "with its marks");
    let report = library.import(&card).exits(0).report();
    assert_eq!((&report["trashed"], &report["duplicates"]), (&json!(0), &json!(3)));
}

#[test]
fn the_trash_gives_back_what_was_put_in_it() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let _ = library.run(["mark", "IMG_0002", "--rating", "3", "--keyword", "sea"]).exits(0);
    let before = (library.originals(), marked(&library));
    let _ = library.run(["trash", "rating:3", "--json"]).exits(0);
    assert_eq!(library.run(["trash", "restore"]).exits(2).code, 2);
    let done = library.run(["trash", "restore", "IMG_0002", "--json"]).exits(0).json().remove(0);
    assert_eq!((&done["photos"], &done["files"]), (&json!(1), &json!(2)));
    assert_eq!((library.originals(), marked(&library)), before);
    assert_eq!(library.run(["verify", "--json"]).exits(0).report()["unknown"], 0);
    // A name that was taken meanwhile is not overwritten.
    let _ = library.run(["trash", "IMG_0001"]).exits(0);
    assert!(library.run(["trash", "list", "--json"]).exits(0).json()[0]["id"].is_string());
}

#[test]
fn trash_asks_before_it_takes_many_or_all() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(21)).exits(0);
    assert!(library.run(["trash"]).exits(2).error().contains("--all"));
    assert!(library.run(["trash", "--all"]).exits(2).error().contains("--yes"));
    assert_eq!(library.run(["trash", "--all", "--dry-run"]).exits(0).text(), "21 photos would be put away\n");
    assert_eq!(library.run(["trash", "--all", "--yes"]).exits(0).text(), "21 photos put into the trash\n");
    assert!(library.originals().is_empty());
    assert_eq!(library.run(["trash", "restore", "--all"]).exits(0).text(), "21 photos brought back\n");
    assert_eq!(library.originals().len(), 21);
}

#[test]
fn the_trash_is_emptied_only_of_what_has_a_proven_second_copy() {
    let library = TestLibrary::new();
    let second = library.dir().join("second");
    let card = small_card();
    let import = |also: bool| -> Output {
        let mut arguments = vec!["import".to_owned(), card.path().to_str().unwrap().to_owned(), "--json".to_owned()];
        if also {
            arguments.extend(["--also".to_owned(), second.to_str().unwrap().to_owned()]);
        }
        library.run(arguments)
    };
    let _ = import(false).exits(0);
    let _ = library.run(["mark", "IMG_0001", "--rating", "1"]).exits(0);
    let _ = library.run(["trash", "IMG_0001"]).exits(0);
    assert!(library.run(["trash", "empty"]).exits(2).error().contains("--yes"));
    let kept = library.run(["trash", "empty", "--yes", "--json"]).exits(3);
    assert_eq!((&kept.report()["deleted"], &kept.report()["kept"]), (&json!(0), &json!(1)));
    assert_eq!(kept.events("file")[0]["state"], "kept");
    let _ = library.run(["trash", "restore", "--all"]).exits(0);

    // With a second copy elsewhere; one that went bad is none.
    let _ = import(true).exits(0);
    let _ = library.run(["trash", "IMG_0001"]).exits(0);
    let copy = second.join("2009/2009-07-12/IMG_0001.CR2");
    let bytes = std::fs::read(&copy).unwrap();
    let mut other = bytes.clone();
    other[1000] ^= 1;
    std::fs::write(&copy, &other).unwrap();
    let _ = library.run(["trash", "empty", "--yes", "--json"]).exits(3);
    std::fs::write(&copy, &bytes).unwrap();
    let report = library.run(["trash", "empty", "--yes", "--json"]).exits(0).report();
    assert_eq!((&report["deleted"], &report["kept"]), (&json!(1), &json!(0)));
    assert!(copy.exists(), "the second copy stays");
    assert!(files_below(&library.path().join(".lightfast/trash")).is_empty());
    assert!(library.run(["trash", "list", "--json"]).exits(0).out.is_empty());
    // It stays out all the same.
    let report = import(false).exits(0).report();
    assert_eq!((&report["trashed"], &report["safe_to_format"]), (&json!(1), &json!(true)));

    let _ = library.run(["trash", "IMG_0002"]).exits(0);
    std::fs::remove_dir_all(&second).unwrap();
    let _ = library.run(["trash", "empty", "--yes"]).exits(3);
    let _ = library.run(["trash", "empty", "--yes", "--last-copies"]).exits(0);
    assert!(library.run(["trash", "list", "--json"]).exits(0).out.is_empty());
}

#[test]
fn a_folder_that_was_moved_keeps_all_marks() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(6)).exits(0);
    let _ = library.import(&small_card()).exits(0);
    let _ = library.run(["mark", "--all", "--rating", "3", "--keyword", "sea", "--yes"]).exits(0);
    let _ = library.run(["mark", "IMG_0004", "--flag", "pick", "--title", "Fourth"]).exits(0);
    let before = marked(&library);
    let sidecars = library.originals().iter().filter(|p| p.extension().is_some_and(|e| e == "xmp")).count();
    assert_eq!(sidecars, before.len());
    let (old, new) = (library.path().join("2009/2009-07-12"), library.path().join("wedding of Ada"));
    std::fs::rename(&old, &new).unwrap();
    std::fs::rename(new.join("IMG_0004.JPG"), new.join("first kiss.JPG")).unwrap();

    let output = library.run(["rescan", "--json"]).exits(0);
    let report = output.report();
    let numbers = ["moved", "new", "missing", "changed", "conflicts"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(numbers, [9, 0, 0, 0, 0], "{}", output.text());
    assert_eq!(marked(&library).len(), before.len());
    let by_id = |list: Vec<(String, Value, Value, Value)>| -> BTreeMap<String, (Value, Value, Value)> {
        list.into_iter().map(|(id, rating, keywords, flag)| (id, (rating, keywords, flag))).collect()
    };
    assert_eq!(by_id(marked(&library)), by_id(before));
    assert_eq!(photo(&library, "wedding of Ada/first kiss.JPG")["title"], "Fourth");
    assert!(library.run(["rescan", "--json"]).exits(0).events("file").is_empty(), "and all is as recorded now");
    assert_eq!(library.run(["verify", "--json"]).exits(0).report()["bad"], 0);
    // The next mark writes beside the photo's new place.
    let _ = library.run(["mark", "IMG_0001", "--rating", "1"]).exits(0);
    assert!(!old.exists());
}

#[test]
fn rescan_finds_new_changed_missing_and_back() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let folder = library.path().join("2009/2009-07-12");
    let (raw, aside) = (folder.join("IMG_0001.CR2"), library.dir().join("aside.CR2"));
    let bytes = std::fs::read(&raw).unwrap();
    std::fs::rename(&raw, &aside).unwrap();
    let mut jpeg = std::fs::read(folder.join("IMG_0002.JPG")).unwrap();
    jpeg.extend_from_slice(b"more");
    std::fs::write(folder.join("IMG_0002.JPG"), jpeg).unwrap();
    std::fs::write(folder.join("IMG_0009.JPG"), samples::jpeg(&Shot::sized(64, 48).seeded(9))).unwrap();
    let states = |output: &Output| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut all: Vec<_> = output.events("file").iter().map(|e| (text(&e["state"]), text(&e["path"]))).collect();
        all.sort();
        all
    };
    let pair = |state: &str, name: &str| (state.to_owned(), name.to_owned());
    let output = library.run(["rescan", "--json"]).exits(0);
    assert_eq!(
        states(&output),
        [pair("changed", "IMG_0002.JPG"), pair("missing", "IMG_0001.CR2"), pair("new", "IMG_0009.JPG")]
    );
    assert_eq!(library.run(["list", "--json"]).exits(0).json().len(), 3);
    std::fs::write(&raw, bytes).unwrap();
    let output = library.run(["rescan", folder.to_str().unwrap(), "--json"]).exits(0);
    assert_eq!(states(&output), [pair("back", "IMG_0001.CR2"), pair("changed", "IMG_0002.JPG")]);
    assert!(library.run(["rescan", library.dir().to_str().unwrap()]).exits(2).error().contains("no place"));
}

#[test]
fn a_new_file_joins_the_photo_beside_it() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let folder = library.path().join("2009/2009-07-12");
    std::fs::write(folder.join("IMG_0001.JPG"), samples::jpeg(&Shot::sized(64, 48).seeded(1))).unwrap();
    let _ = library.run(["rescan"]).exits(0);
    assert_eq!(library.run(["list", "--json"]).exits(0).json().len(), 2);
    assert_eq!(photo(&library, "IMG_0001.CR2")["files"].as_array().unwrap().len(), 2);
}

/// A card with the given shots: ISO mode and day of each.
fn card_of(shots: &[(bool, jiff::civil::Date)]) -> TestCard {
    let mut card = TestCard::new();
    for (number, (auto, day)) in shots.iter().enumerate() {
        let base = Shot::sized(96, 64).seeded(number as u64);
        let taken = CaptureTime { local: day.at(12, 0, number as i8, 0), ..base.taken };
        let shot = Shot { iso_auto: *auto, taken, ..base };
        card = card.file(format!("DCIM/100EOS5D/IMG_{number:04}.CR2"), samples::cr2(&shot));
    }
    card
}

#[test]
fn stats_in_two_dimensions_equal_a_count_by_hand() {
    let (july, august, year) = (date(2009, 7, 12), date(2009, 8, 1), date(2010, 7, 1));
    let shots =
        [(true, july), (true, july), (false, july), (true, august), (false, year), (false, year), (false, august)];
    let library = TestLibrary::new();
    let mut card = card_of(&shots);
    // A JPEG without a maker note does not say how its ISO was chosen.
    card = card.file("DCIM/100EOS5D/IMG_0100.JPG", samples::jpeg(&Shot::sized(64, 48)));
    let _ = library.import(&card).exits(0);
    let counts = library.run(["stats", "--by", "iso-mode,month", "--json"]).exits(0).json();
    let mut found: Vec<(String, String, u64)> = counts
        .iter()
        .map(|c| {
            let word = |key: &str| c[key].as_str().unwrap_or("unknown").to_owned();
            (word("iso-mode"), word("month"), c["photos"].as_u64().unwrap())
        })
        .collect();
    found.sort();
    // By hand: what each photo is shown with, added up one by one.
    let mut by_hand: BTreeMap<(String, String), u64> = BTreeMap::new();
    let photos = library.run(["list", "--json"]).exits(0).json();
    assert_eq!(photos.len(), shots.len() + 1);
    for photo in &photos {
        let mode = match photo["iso_auto"].as_bool() {
            Some(true) => "auto",
            Some(false) => "manual",
            None => "unknown",
        };
        let month = photo["taken"].as_str().unwrap()[..7].to_owned();
        *by_hand.entry((mode.to_owned(), month)).or_default() += 1;
    }
    assert_eq!(by_hand[&("auto".to_owned(), "2009-07".to_owned())], 2);
    assert_eq!(by_hand[&("auto".to_owned(), "2009-08".to_owned())], 1);
    let by_hand: Vec<_> = by_hand.into_iter().map(|((mode, month), photos)| (mode, month, photos)).collect();
    assert_eq!(found, by_hand);
    let table = library.run(["stats", "--by", "iso-mode,month"]).exits(0).text();
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["iso-mode", "2009-07", "2009-08", "2010-07", "all"]);
    let has = |line: &[&str]| lines.iter().any(|found| found == line);
    assert!(has(&["auto", "2", "1", "·", "3"]) && has(&["all", "4", "2", "2", "8"]), "{table}");
    let bars = library.run(["stats", "iso-mode:auto", "--by", "month"]).exits(0).text();
    assert!(bars.contains("2009-07") && bars.contains('2') && !bars.contains("2010"), "{bars}");
    let _ = library.run(["stats", "--by", "colour"]).exits(2);
    let _ = library.run(["stats"]).exits(2);
}

#[test]
fn a_folder_is_added_where_it_lies_and_marks_stay_out_of_it_unless_asked_for() {
    let library = TestLibrary::new();
    let added = library.dir().join("old photos");
    let put = |name: &str, bytes: Vec<u8>| {
        let path = added.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    put("2005/a.CR2", samples::cr2(&Shot::sized(96, 64).seeded(1)));
    put("2005/a.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(1)));
    put("2006/b.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(2)));
    put("2006/.DS_Store", b"junk".to_vec());
    let before: Vec<PathBuf> = files_below(&added);
    let folder = added.to_str().unwrap();
    let output = library.run(["import", folder, "--add", "--keyword", "old", "--json"]).exits(0);
    let report = output.report();
    let numbers = ["files_seen", "added", "copied", "ignored", "failed"].map(|name| report[name].as_u64().unwrap());
    assert_eq!((numbers, &report["safe_to_format"]), ([4, 3, 0, 1, 0], &Value::Null));
    assert_eq!(output.events("scan").len() + output.events("plan").len(), 2);
    assert_eq!((files_below(&added), library.originals().len()), (before.clone(), 0), "nothing is written or copied");
    assert_eq!(library.run(["list", "keyword:old", "--json"]).exits(0).json().len(), 2);
    let _ = library.run(["mark", "b.JPG", "--rating", "4"]).exits(0);
    assert_eq!(files_below(&added), before);
    let roots = library.run(["roots", "--json"]).exits(0).json();
    let kinds: Vec<&str> = roots.iter().map(|root| root["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["library", "added"]);
    assert_eq!((&roots[1]["path"], &roots[1]["online"], &roots[1]["files"]), (&json!(folder), &json!(true), &json!(3)));

    let report = library.run(["import", folder, "--add", "--sidecars", "--json"]).exits(0).report();
    assert_eq!((&report["added"], &report["duplicates"]), (&json!(0), &json!(3)));
    let _ = library.run(["mark", "b.JPG", "--rating", "5"]).exits(0);
    assert!(added.join("2006/b.JPG.xmp").exists());
    // Moved within its root, and gone offline.
    std::fs::rename(added.join("2006"), added.join("2007")).unwrap();
    assert_eq!(library.run(["rescan", folder, "--json"]).exits(0).report()["moved"], 1);
    assert_eq!(photo(&library, "b.JPG")["rating"], 5);
    std::fs::rename(&added, library.dir().join("unplugged")).unwrap();
    let report = library.run(["rescan", "--json"]).exits(0).report();
    assert_eq!((&report["missing"], &report["offline"]), (&json!(0), &json!(1)));
    assert_eq!(library.run(["roots", "--json"]).exits(0).json()[1]["online"], false);
}

#[test]
fn photos_that_were_added_or_found_by_a_rescan_had_no_thumbnails() {
    let library = TestLibrary::new();
    let added = library.dir().join("old photos");
    std::fs::create_dir_all(&added).unwrap();
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(added.join(name), bytes).unwrap();
    put("a.CR2", samples::cr2(&Shot::sized(96, 64).seeded(1)));
    put("a.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(1)));
    put("b.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(2)));
    let folder = added.to_str().unwrap();
    let thumbnails = || {
        let status = library.run(["previews", "status", "--json"]).exits(0).json();
        status.iter().find_map(|line| line["thumbnails"].as_u64()).unwrap()
    };
    let _ = library.run(["import", folder, "--add", "--thumbnails", "no"]).exits(0);
    assert_eq!(thumbnails(), 0);
    put("c.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(3)));
    assert_eq!(library.run(["rescan", "--json"]).exits(0).report()["new"], 1);
    assert_eq!(thumbnails(), 1, "of what the rescan found");
    put("d.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(4)));
    let _ = library.run(["import", folder, "--add"]).exits(0);
    assert_eq!(thumbnails(), 2, "of what was added");
}

#[test]
fn a_card_is_never_added() {
    let library = TestLibrary::new();
    let card = small_card();
    for folder in [card.path().to_owned(), card.at("DCIM/100EOS5D")] {
        let output = library.run([Path::new("import"), &folder, Path::new("--add")]).exits(2);
        assert!(output.error().contains("card") && output.error().contains("--add"), "{}", output.err);
    }
    assert!(!library.path().exists());
    let _ = library.run(["import", "somewhere", "--add", "--name", "{name}"]).exits(2);
    // A folder that lies beside a DCIM, as in a home folder that a telephone is copied to, is none.
    let home = small_card().file("Pictures/a.JPG", samples::jpeg(&Shot::sized(64, 48)));
    let _ = library.run([Path::new("import"), &home.at("Pictures"), Path::new("--add")]).exits(0);
    let _ = library.run(["import", "somewhere", "--sidecars"]).exits(2);
}

#[test]
fn the_catalogue_is_made_again_from_files_sidecars_and_journal() {
    let library = TestLibrary::new();
    let card = small_card();
    let _ = library.import(&card).exits(0);
    let added = library.dir().join("added");
    std::fs::create_dir_all(&added).unwrap();
    std::fs::write(added.join("x.JPG"), samples::jpeg(&Shot::sized(64, 48).seeded(7))).unwrap();
    let _ = library.run(["import", added.to_str().unwrap(), "--add"]).exits(0);
    let _ = library.run(["mark", "IMG_0001", "--rating", "4", "--keyword", "sea", "--flag", "pick"]).exits(0);
    let _ = library.run(["mark", "x.JPG", "--title", "only in the journal"]).exits(0);
    let _ = library.run(["trash", "IMG_0002"]).exits(0);
    let before = library.run(["list", "--json", "--sort", "name"]).exits(0).json();
    let _ = library.run(["rebuild"]).exits(2);
    for round in 0..2 {
        if round == 1 {
            for name in ["catalog.db", "catalog.db-wal", "catalog.db-shm"] {
                let _ = std::fs::remove_file(library.path().join(".lightfast").join(name));
            }
        }
        let report = library.run(["rebuild", "--yes", "--json"]).exits(0).report();
        assert_eq!((&report["failed"], report["aside"].is_string()), (&json!(0), round == 0));
        let after = library.run(["list", "--json", "--sort", "name"]).exits(0).json();
        for (old, new) in before.iter().zip(&after) {
            for key in ["id", "taken", "rating", "flag", "keywords", "title", "camera", "imported"] {
                assert_eq!(old[key], new[key], "{key}");
            }
        }
        assert_eq!(before.len(), after.len());
        assert_eq!(library.run(["trash", "list", "--json"]).exits(0).json().len(), 1);
        let report = library.import(&card).exits(0).report();
        assert_eq!((&report["trashed"], &report["duplicates"], &report["copied"]), (&json!(2), &json!(1), &json!(0)));
    }
    // Without a journal the sidecar still says which photo it is.
    let id = photo(&library, "IMG_0001")["id"].clone();
    std::fs::remove_dir_all(library.path().join(".lightfast/journal")).unwrap();
    let _ = library.run(["rebuild", "--yes"]).exits(0);
    let now = photo(&library, "IMG_0001");
    assert_eq!(
        (&now["id"], &now["rating"], &now["keywords"], &now["flag"]),
        (&id, &json!(4), &json!(["sea"]), &json!("pick"))
    );
}

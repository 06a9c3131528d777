//! `mark` and `verify`.

use std::fs;

use crate::support::{TestLibrary, many_photos, small_card};

#[test]
fn marks_are_made_counted_and_taken_back() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let said = library.run(["mark", "IMG_0001", "--rating", "4", "--flag", "pick", "--keyword", "+sea,sand"]).exits(0);
    assert_eq!(said.text(), "1 photo changed\n");
    let photo = library.run(["show", "IMG_0001", "--json"]).exits(0).json().remove(0);
    assert_eq!((&photo["rating"], &photo["flag"]), (&4.into(), &"pick".into()));
    assert_eq!(photo["keywords"], serde_json::json!(["sand", "sea"]));
    let _ = library.run(["mark", "IMG_0001", "--keyword", "-sea", "--flag", "none"]).exits(0);
    let photo = library.run(["show", "IMG_0001", "--json"]).exits(0).json().remove(0);
    assert_eq!((&photo["keywords"], &photo["flag"]), (&serde_json::json!(["sand"]), &serde_json::Value::Null));
    assert_eq!(library.run(["mark", "--undo"]).exits(0).text(), "1 photo taken back\n");
    let photo = library.run(["show", "IMG_0001", "--json"]).exits(0).json().remove(0);
    assert_eq!(photo["keywords"], serde_json::json!(["sand", "sea"]));
    let done = library.run(["mark", "IMG", "--rating", "2", "--json"]).exits(0).json().remove(0);
    assert_eq!((&done["matched"], &done["changed"]), (&2.into(), &2.into()));
}

#[test]
fn above_twenty_photos_mark_wants_a_yes() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(21)).exits(0);
    let output = library.run(["mark", "--all", "--rating", "3"]).exits(2);
    assert!(output.error().contains("21 photos") && output.error().contains("--yes"), "{}", output.err);
    assert!(library.run(["list", "rating:3", "--json"]).exits(0).out.is_empty());
    assert_eq!(
        library.run(["mark", "--all", "--rating", "3", "--dry-run"]).exits(0).text(),
        "21 photos would change\n"
    );
    assert_eq!(library.run(["mark", "--all", "--rating", "3", "--yes"]).exits(0).text(), "21 photos changed\n");
    assert_eq!(library.run(["mark", "IMG_0001", "--rating", "1"]).exits(0).text(), "1 photo changed\n");
}

#[test]
fn mark_without_a_query_needs_all_and_something_to_mark() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    assert!(library.run(["mark", "--rating", "3"]).exits(2).error().contains("--all"));
    assert!(library.run(["mark", "IMG_0001"]).exits(2).error().contains("nothing to mark"));
    assert!(library.run(["mark", "IMG_0001", "--rotate", "45"]).exits(2).error().contains("90"));
    let _ = library.run(["mark", "IMG_0001", "--rating", "6"]).exits(2);
}

#[test]
fn verify_names_what_is_changed_missing_and_unknown() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let report = library.run(["verify", "--json"]).exits(0).report();
    assert_eq!((&report["checked"], &report["good"], &report["bad"]), (&3.into(), &3.into(), &0.into()));

    let originals = library.originals();
    let changed = library.path().join(&originals[0]);
    let mut bytes = fs::read(&changed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&changed, bytes).unwrap();
    fs::remove_file(library.path().join(&originals[1])).unwrap();
    fs::write(library.path().join("stranger.txt"), b"?").unwrap();

    let output = library.run(["verify", "--json"]).exits(3);
    let states: Vec<(String, String)> = output
        .events("file")
        .iter()
        .map(|file| (file["state"].as_str().unwrap().to_owned(), file["path"].as_str().unwrap().to_owned()))
        .collect();
    let path = |index: usize| originals[index].to_str().unwrap().to_owned();
    let mut wanted = vec![
        ("changed".to_owned(), path(0)),
        ("missing".to_owned(), path(1)),
        ("unknown".to_owned(), "stranger.txt".to_owned()),
    ];
    wanted.sort();
    let mut found = states;
    found.sort();
    assert_eq!(found, wanted);
    let report = output.report();
    let numbers = ["checked", "good", "bad", "edited", "unknown"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(numbers, [3, 1, 2, 0, 1]);
    let words = library.run(["verify"]).exits(3).text();
    assert!(words.ends_with("Not whole: 1 good, 2 bad, 1 unknown\n"), "{words}");
}

#[test]
fn the_parts_of_a_subset_are_the_whole() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(10)).exits(0);
    let checked = |part: &str| {
        let report = library.run(["verify", "--subset", part, "--json"]).exits(0).report();
        report["checked"].as_u64().unwrap()
    };
    assert_eq!(["1/3", "2/3", "3/3"].map(checked).iter().sum::<u64>(), 10);
}

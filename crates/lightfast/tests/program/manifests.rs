//! `--mhl` and `verify` by manifests: what we write is accepted by the reference implementation, and what that writes
//! is verified by us. Where `ascmhl` is not installed the half that needs it is skipped by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lightfast_testkit::TestCard;

use crate::other_faults::{Held, arguments};
use crate::support::{Output, TestLibrary, files_below, many_photos, noise, ran, skipped, text};

fn import(library: &TestLibrary, card: &TestCard, more: &[&str]) -> Output {
    let mut arguments = vec!["import", text(card.path()), "--mhl", "--json", "--thumbnails", "no"];
    arguments.extend(more);
    library.run(arguments)
}

/// The folders below that have manifests.
fn folders(root: &Path) -> Vec<PathBuf> {
    let chains = files_below(root).into_iter().filter(|path| path.ends_with("ascmhl/ascmhl_chain.xml"));
    chains.map(|path| root.join(path.parent().unwrap().parent().unwrap())).collect()
}

fn generations(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder.join("ascmhl")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "mhl"));
    found.sort();
    found
}

/// The reference implementation, on a copy of the folder, since it adds a generation: its exit code and its words.
/// `None` where it is not installed.
fn reference(test: &str, folder: &Path) -> Option<(i32, String)> {
    let Some(program) = ascmhl() else {
        skipped(test, "ascmhl is not installed");
        return None;
    };
    let copy = tempfile::tempdir().unwrap();
    assert!(ran("cp", &["-a", text(folder), text(copy.path())]));
    let folder = copy.path().join(folder.file_name().unwrap());
    let done = Command::new(program).args(["create", "-n", "-h", "xxh128"]).arg(folder).output().unwrap();
    let words = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    Some((done.status.code().unwrap(), words))
}

fn ascmhl() -> Option<PathBuf> {
    let named = std::env::var_os("LIGHTFAST_ASCMHL").map(PathBuf::from);
    named.or_else(|| ran("ascmhl", &["--version"]).then(|| "ascmhl".into())).filter(|p| ran(text(p), &["--version"]))
}

fn accepted(test: &str, root: &Path) {
    for folder in folders(root) {
        if let Some((code, words)) = reference(test, &folder) {
            assert_eq!(code, 0, "{words}");
        }
    }
}

#[test]
fn manifests_are_accepted_on_first_second_and_resumed_import() {
    let test = "manifests_are_accepted_on_first_second_and_resumed_import";
    let library = TestLibrary::new();
    let further = library.dir().join("further");
    let also = ["--also", text(&further)];
    let card = many_photos(12).file("DCIM/100EOS5D/IMG_0001.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>");
    let _ = import(&library, &card, &also).exits(0);
    for root in [library.path(), &further] {
        let [folder] = &folders(root)[..] else { panic!("one day is one folder") };
        assert_eq!(generations(folder).len(), 1);
        let manifest = fs::read_to_string(&generations(folder)[0]).unwrap();
        assert_eq!(manifest.matches("<hash>").count(), 12, "the sidecar is left out");
        accepted(test, root);
    }
    // A second import adds a generation of its own files; the first is as it was.
    let first = fs::read(&generations(&folders(library.path())[0])[0]).unwrap();
    let again = fs::read(card.at("DCIM/100EOS5D/IMG_0001.JPG")).unwrap();
    let card = card.file("DCIM/100EOS5D/IMG_0013.JPG", again);
    let more = lightfast_testkit::samples::jpeg(&lightfast_testkit::Shot::sized(64, 48).seeded(77));
    let card = card.file("DCIM/100EOS5D/IMG_0014.JPG", more);
    let _ = import(&library, &card, &also).exits(0);
    let folder = &folders(library.path())[0];
    assert_eq!(generations(folder).len(), 2);
    assert_eq!(fs::read(&generations(folder)[0]).unwrap(), first);
    assert_eq!(fs::read_to_string(&generations(folder)[1]).unwrap().matches("<hash>").count(), 1);
    accepted(test, library.path());
    // Nothing new, no generation.
    let _ = import(&library, &card, &also).exits(0);
    assert_eq!(generations(folder).len(), 2);
    // What was imported before without a manifest, or was cut off before it was written, is listed by the next.
    let resumed = TestLibrary::new();
    let _ = resumed.import(&card).exits(0);
    assert!(folders(resumed.path()).is_empty());
    let _ = import(&resumed, &card, &[]).exits(0);
    let listed = fs::read_to_string(&generations(&folders(resumed.path())[0])[0]).unwrap().matches("<hash>").count();
    assert_eq!(listed, 13);
    accepted(test, resumed.path());
    let _ = resumed.run(["verify", "--json"]).exits(0);
}

#[test]
fn marks_do_not_break_manifests() {
    let test = "marks_do_not_break_manifests";
    let library = TestLibrary::new();
    let _ = import(&library, &many_photos(60), &[]).exits(0);
    for number in 1..=50 {
        let _ = library.run(["mark", &format!("IMG_{number:04}"), "--rating", "4"]).exits(0);
    }
    for number in 51..=60 {
        let _ = library.run(["mark", &format!("IMG_{number:04}"), "--flag", "reject"]).exits(0);
    }
    // Another program leaves its sidecars.
    let folder = folders(library.path()).remove(0);
    fs::write(folder.join("IMG_0001.xmp"), b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>").unwrap();
    accepted(test, library.path());
    assert_eq!(library.run(["verify", "--json"]).exits(0).report()["bad"], 0);
    assert_eq!(library.run(["verify", text(&folder), "--json"]).exits(0).report()["good"], 60);
}

/// Photos in the trash are missing where a manifest lists them: the reference names exactly these, and `verify` knows
/// where they are. Emptied from the trash they were deleted on purpose, and that is said too.
#[test]
fn photos_in_the_trash_are_missing_to_others_and_known_to_us() {
    let test = "photos_in_the_trash_are_missing_to_others_and_known_to_us";
    let library = TestLibrary::new();
    let _ = import(&library, &many_photos(30), &[]).exits(0);
    let thrown: Vec<String> = (11..=20).map(|number| format!("IMG_{number:04}.JPG")).collect();
    for name in &thrown {
        let _ = library.run(["trash", name]).exits(0);
    }
    let folder = folders(library.path()).remove(0);
    if let Some((code, words)) = reference(test, &folder) {
        assert_eq!(code, 10, "{words}");
        let missing = |n: u64| words.contains(&format!("IMG_{n:04}.JPG"));
        let named: Vec<u64> = (1..=30).filter(|n| missing(*n)).collect();
        assert_eq!(named, (11..=20).collect::<Vec<_>>(), "{words}");
    }
    let names = |output: &Output, state: &str| -> Vec<String> {
        let files = output.events("file").into_iter().filter(|event| event["state"] == state);
        let name = |event: serde_json::Value| event["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut names: Vec<String> = files.map(name).collect();
        names.sort();
        names
    };
    let output = library.run(["verify", "--json"]).exits(0);
    let report = output.report();
    assert_eq!(
        (&report["bad"], &report["trashed"], names(&output, "trashed")),
        (&0.into(), &10.into(), thrown.clone())
    );
    // Corruption is still seen beside them, in a photo that stayed and in one that is in the trash.
    let kept = folder.join("IMG_0001.JPG");
    let bytes = fs::read(&kept).unwrap();
    let mut wrong = bytes.clone();
    wrong[200] ^= 1;
    fs::write(&kept, &wrong).unwrap();
    let output = library.run(["verify", "--json"]).exits(3);
    assert_eq!((names(&output, "changed"), names(&output, "trashed")), (vec!["IMG_0001.JPG".into()], thrown.clone()));
    if let Some((code, words)) = reference(test, &folder) {
        assert!(code != 0 && words.contains("IMG_0001.JPG"), "{code}: {words}");
    }
    fs::write(&kept, &bytes).unwrap();
    // Emptied for good.
    let _ = library.run(["trash", "empty", "--yes", "--last-copies"]).exits(0);
    let output = library.run(["verify", "--json"]).exits(0);
    assert_eq!((&output.report()["trashed"], names(&output, "trashed")), (&10.into(), thrown));
    // What vanished otherwise is missing.
    fs::remove_file(&kept).unwrap();
    let output = library.run(["verify", "--json"]).exits(3);
    assert_eq!(names(&output, "missing"), ["IMG_0001.JPG"]);
}

/// Cut off in the middle, by hand and by force: the same command finishes, and its manifests list each file once.
#[test]
fn the_manifests_of_an_import_that_was_cut_off_are_whole_after_the_same_command() {
    let test = "the_manifests_of_an_import_that_was_cut_off_are_whole_after_the_same_command";
    for signal in ["-INT", "-KILL"] {
        let library = TestLibrary::new();
        let Some(held) = Held::new(test, &library, &["--mhl"]) else { return };
        held.signal(signal);
        let (card, output) = held.end();
        let _ = output.exits(if signal == "-INT" { 130 } else { -9 });
        accepted(test, library.path());
        let _ = library.run(arguments(&card, &["--mhl"])).exits(0);
        accepted(test, library.path());
        let [folder] = &folders(library.path())[..] else { panic!("one day is one folder") };
        let manifests = generations(folder).iter().map(|path| fs::read_to_string(path).unwrap()).collect::<String>();
        for number in 1..=6 {
            let times = manifests.matches(&format!(">IMG_{number:04}.CR2<")).count();
            assert_eq!(times, 1, "IMG_{number:04} after {signal}: {manifests}");
        }
        let report = library.run(["verify", "--json"]).exits(0).report();
        assert_eq!((&report["good"], &report["bad"]), (&6.into(), &0.into()));
    }
}

/// Corruption, a deleted row, a deleted generation, a file that nothing covers: each is told.
#[test]
fn what_happens_to_files_and_manifests_is_told() {
    let test = "what_happens_to_files_and_manifests_is_told";
    let library = TestLibrary::new();
    let card = many_photos(3);
    let _ = import(&library, &card, &[]).exits(0);
    let card = card.file("DCIM/100EOS5D/IMG_0009.CR2", noise(30_000, 9));
    let _ = import(&library, &card, &[]).exits(0);
    let folder = folders(library.path()).remove(0);
    let plain = tempfile::tempdir().unwrap();
    assert!(ran("cp", &["-a", text(&folder), text(plain.path())]));
    let copy = plain.path().join(folder.file_name().unwrap());
    let check = |code: i32| library.run(["verify", text(&copy), "--json"]).exits(code);
    let restore = |path: &Path, bytes: &[u8]| fs::write(path, bytes).unwrap();

    let originals = files_below(&copy).into_iter().filter(|path| !path.starts_with("ascmhl")).count();
    assert_eq!(check(0).report()["checked"].as_u64().unwrap() as usize, originals);
    // A file of the folder is changed.
    let file = files_below(&copy).into_iter().find(|p| p.extension().is_some_and(|e| e == "JPG")).unwrap();
    let (path, bytes) = (copy.join(&file), fs::read(copy.join(&file)).unwrap());
    let mut wrong = bytes.clone();
    wrong[100] ^= 1;
    restore(&path, &wrong);
    let found = check(3).events("file");
    assert_eq!((&found[0]["state"], &found[0]["path"]), (&"changed".into(), &text(&file).into()));
    if let Some((code, words)) = reference(test, &copy) {
        assert_eq!(code, 11, "{words}");
    }
    // It is missing.
    fs::remove_file(&path).unwrap();
    assert_eq!(check(3).events("file")[0]["state"], "missing");
    if let Some((code, words)) = reference(test, &copy) {
        assert_eq!(code, 10, "{words}");
    }
    restore(&path, &bytes);
    // One that no manifest lists.
    fs::write(copy.join("stranger.JPG"), b"?").unwrap();
    let found = check(0).events("file");
    assert_eq!((&found[0]["state"], &found[0]["path"]), (&"unknown".into(), &"stranger.JPG".into()));
    fs::remove_file(copy.join("stranger.JPG")).unwrap();
    // A row of a manifest is deleted.
    let first = generations(&copy).remove(0);
    let manifest = fs::read_to_string(&first).unwrap();
    let row = manifest.find("    <hash>").unwrap()..manifest.find("</hash>\n").unwrap() + 8;
    fs::write(&first, format!("{}{}", &manifest[..row.start], &manifest[row.end..])).unwrap();
    let found = check(3).events("file");
    assert!(found.iter().any(|event| event["reason"].as_str().unwrap().contains("changed after it was written")));
    assert!(found.iter().any(|event| event["state"] == "unknown"), "the file of that row is covered by nothing");
    restore(&first, manifest.as_bytes());
    // A generation is deleted; in the library too, where the catalogue still vouches for the originals.
    for (root, arguments) in [(&copy, vec!["verify", text(&copy), "--json"]), (&folder, vec!["verify", "--json"])] {
        let last = generations(root).pop().unwrap();
        fs::remove_file(&last).unwrap();
        let found = library.run(arguments).exits(3).events("file");
        let reason = found[0]["reason"].as_str().unwrap();
        assert!(reason.contains("is in the chain and is not there"), "{reason}");
    }
}

#[test]
fn what_the_reference_implementation_writes_is_verified() {
    let test = "what_the_reference_implementation_writes_is_verified";
    let Some(program) = ascmhl() else { return skipped(test, "ascmhl is not installed") };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("A001");
    fs::create_dir_all(folder.join("Clips/Sub & <more>")).unwrap();
    for (number, name) in ["Clips/A 1.mov", "Clips/Sub & <more>/ü.mov", "notes.txt"].iter().enumerate() {
        fs::write(folder.join(name), noise(70_000 + number, number as u64)).unwrap();
    }
    let library = TestLibrary::new();
    for kinds in [&["-h", "md5", "-h", "xxh128"][..], &["-h", "c4", "-h", "sha1"], &["-h", "xxh64", "-h", "xxh3"]] {
        let done = Command::new(&program).arg("create").args(kinds).arg(&folder).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        let report = library.run(["verify", text(&folder), "--json"]).exits(0).report();
        assert_eq!((&report["good"], &report["unknown"]), (&3.into(), &0.into()));
    }
    fs::write(folder.join("Clips/A 1.mov"), noise(70_000, 99)).unwrap();
    let output = library.run(["verify", text(&folder), "--json"]).exits(3);
    assert_eq!(output.events("file")[0]["path"], "Clips/A 1.mov");
}

#[test]
fn mhl_1_1_is_verified() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("Clips")).unwrap();
    fs::write(dir.path().join("Clips/raw"), b"raw").unwrap();
    fs::write(dir.path().join("more"), b"?").unwrap();
    let manifest = r#"<?xml version="1.0" encoding="UTF-8"?>
<hashlist version="1.1"><creatorinfo><username>u</username><hostname>h</hostname><tool>t</tool></creatorinfo>
<hash><file>Clips/raw</file><size>3</size><md5>bdd166af3a63f7be696dd17a218a6ffb</md5>
<xxhash64be>67be920e14d52a62</xxhash64be><hashdate>2016-10-19T18:35:26Z</hashdate></hash></hashlist>"#;
    fs::write(dir.path().join("card_2016-10-19_183526.mhl"), manifest).unwrap();
    let library = TestLibrary::new();
    let output = library.run(["verify", text(dir.path()), "--json"]).exits(0);
    assert_eq!((&output.report()["good"], &output.report()["unknown"]), (&1.into(), &1.into()));
    fs::write(dir.path().join("Clips/raw"), b"row").unwrap();
    let output = library.run(["verify", text(dir.path()), "--json"]).exits(3);
    assert_eq!(output.events("file")[0]["state"], "changed");
    let none = tempfile::tempdir().unwrap();
    assert!(library.run(["verify", text(none.path())]).exits(1).error().contains("no manifest"));
}

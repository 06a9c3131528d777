//! What comes out: JSON of the shape that scripts rely on, a report for people, and quiet where it was asked for.

use std::fs::File;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Output, TestLibrary, many_photos, small_card};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sorted<const N: usize>(mut names: [&str; N]) -> Vec<&str> {
    names.sort_unstable();
    names.to_vec()
}

#[test]
fn an_import_says_scan_plan_files_and_one_report_last() {
    let library = TestLibrary::new();
    let output = library.import(&small_card()).exits(0);
    assert_eq!(output.err, "");
    let events = output.json();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["scan", "plan"]);
    assert_eq!(kinds.iter().filter(|kind| **kind == "report").count(), 1);
    assert_eq!(*kinds.last().unwrap(), "report");
    assert_eq!(output.events("file").len(), 4, "one event a file, junk among them");

    assert_eq!(keys(&events[0]), sorted(["event", "source", "card", "files", "bytes", "junk"]));
    assert_eq!(keys(&events[1]), sorted(["event", "copy", "duplicates", "trashed", "bytes", "destinations"]));
    let file = &output.events("file")[0];
    let names = ["event", "source", "path", "state", "bytes", "hash", "verified", "reason", "match", "duplicate_of"];
    assert_eq!(keys(file), sorted(names));
    let report = output.report();
    let names = [
        "event",
        "session",
        "files_seen",
        "copied",
        "duplicates",
        "trashed",
        "added",
        "ignored",
        "failed",
        "bytes_copied",
        "seconds",
        "stages",
        "verify",
        "safe_to_format",
        "destinations",
        "not_safe",
    ];
    assert_eq!(keys(&report), sorted(names));
    let names = ["scan", "plan", "copy", "sync", "verify", "metadata", "thumbnails", "catalog"];
    assert_eq!(keys(&report["stages"]), sorted(names));
    assert_eq!(keys(&report["destinations"][0]), sorted(["path", "copied", "failed", "verified", "safe"]));
    let sum: u64 = ["copied", "duplicates", "trashed", "added", "ignored", "failed"]
        .iter()
        .map(|name| report[*name].as_u64().unwrap())
        .sum();
    assert_eq!(report["files_seen"], sum);
}

#[test]
fn a_dry_run_shows_the_plan_and_changes_nothing() {
    let library = TestLibrary::new();
    let card = small_card();
    let path = card.path().to_str().unwrap();
    let output = library.run(["import", path, "--dry-run", "--json"]).exits(0);
    let states: Vec<_> = output.events("file").iter().map(|file| file["state"].as_str().unwrap().to_owned()).collect();
    assert_eq!(states.iter().filter(|state| *state == "would-copy").count(), 3);
    assert_eq!(states.iter().filter(|state| *state == "ignored").count(), 1);
    assert_eq!(output.events("report").len(), 0);
    assert!(!library.path().exists());
    let words = library.run(["import", path, "--dry-run"]).exits(0).text();
    assert!(words.contains("IMG_0001.CR2") && words.contains("Nothing was copied"), "{words}");
    assert!(!library.path().exists());
}

#[test]
fn names_that_are_not_utf8_keep_their_bytes() {
    let library = TestLibrary::new();
    let card = small_card().file_bytes(b"DCIM/100EOS5D/\xff\xfe.CR2", b"odd");
    let output = library.import(&card).exits(0);
    let odd = output.events("file").into_iter().find(|file| !file["source_bytes"].is_null()).unwrap();
    assert_eq!(odd["source"], "DCIM/100EOS5D/\u{fffd}\u{fffd}.CR2");
    assert_eq!(odd["source_bytes"], "RENJTS8xMDBFT1M1RC///i5DUjI=");
    assert!(odd["path_bytes"].is_string());
    let words = TestLibrary::new().run(["import", card.path().to_str().unwrap(), "-v"]).exits(0);
    assert!(words.text().contains("\u{fffd}\u{fffd}.CR2"));
}

#[test]
fn a_name_cannot_move_the_cursor() {
    let library = TestLibrary::new();
    let card = small_card().file("DCIM/100EOS5D/a\x1b[2Jb.JPG", b"x");
    let output = library.run(["import", card.path().to_str().unwrap(), "-v"]).exits(0);
    assert!(!output.text().contains('\x1b'), "{}", output.text());
    assert!(!library.run(["list"]).exits(0).text().contains('\x1b'));
}

#[test]
fn the_report_ends_with_the_verdict() {
    let library = TestLibrary::new();
    let card = small_card();
    let path = card.path().to_str().unwrap();
    let first = library.run(["import", path]).exits(0).text();
    assert_eq!(first.lines().last().unwrap(), "Safe to format: 3 verified");
    let second = library.run(["import", path]).exits(0).text();
    assert_eq!(second.lines().last().unwrap(), "Safe to format: 3 already here");
    assert!(!first.contains('\x1b') && !second.contains('\x1b'), "no colours where no person looks");
}

#[test]
fn quiet_is_silent_when_all_is_well_and_speaks_when_not() {
    let library = TestLibrary::new();
    let card = small_card();
    let path = card.path().to_str().unwrap();
    let output = library.run(["import", path, "--quiet"]).exits(0);
    assert_eq!((output.text().as_str(), output.err.as_str()), ("", ""));
    let output = TestLibrary::new().run(["import", path, "--quiet", "--verify", "stream"]).exits(0);
    assert!(output.err.contains("NOT safe to format"), "{}", output.err);
}

#[test]
fn verbose_names_every_file() {
    let card = small_card();
    let words = TestLibrary::new().run(["import", card.path().to_str().unwrap(), "-v"]).exits(0).text();
    for name in ["IMG_0001.CR2", "IMG_0002.CR2", "IMG_0002.JPG", ".DS_Store", "stages"] {
        assert!(words.contains(name), "{name}: {words}");
    }
}

#[test]
fn stdout_closed() {
    let library = TestLibrary::new();
    let card = many_photos(30);
    let path = card.path().to_str().unwrap();
    let mut child = library.command(["import", path, "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = Output::from(child.wait_with_output().unwrap()).exits(0);
    assert_eq!(library.originals().len(), 30, "an import does not stop because its reader went away");

    let mut child = library.command(["list", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = Output::from(child.wait_with_output().unwrap()).exits(0);
    assert_eq!(output.err, "");
}

#[test]
fn stdout_on_a_full_disk() {
    let library = TestLibrary::new();
    let card = small_card();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = library.command(["import", card.path().to_str().unwrap(), "--json"]);
    let output = Output::from(command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap());
    let output = output.exits(3);
    assert!(output.err.contains("cannot write to standard output"), "{}", output.err);
    assert_eq!(library.originals().len(), 3, "the import itself was whole");
}

#[test]
fn help_shows_what_is_built_and_nothing_else() {
    let library = TestLibrary::new();
    let help = library.run(["--help"]).exits(0).text();
    for command in
        ["import", "cards", "list", "show", "mark", "verify", "preview", "demo-card", "demo", "completions", "man"]
    {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{command}: {help}");
    }
    for absent in ["worker", "publish", "migrate"] {
        assert!(!help.contains(absent), "{absent}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
    let version = library.run(["--version"]).exits(0).text();
    assert_eq!(version, format!("lightfast {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_and_manual_pages() {
    let library = TestLibrary::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(library.run(["completions", shell]).exits(0).text().contains("demo-card"), "{shell}");
    }
    let dir = library.dir().join("man");
    let _ = library.run(["man", dir.to_str().unwrap()]).exits(0);
    let page = std::fs::read_to_string(dir.join("lightfast-import.1")).unwrap();
    assert!(page.contains("TEMPLATE"));
}

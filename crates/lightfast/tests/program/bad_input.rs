//! Bad input: one clear line that says what, where, why and what next; the right exit code; nothing changed.

use std::path::Path;

use lightfast_testkit::TestCard;

use crate::support::{Mounted, TestLibrary, as_nobody, files_below, mode, skipped, small_card};

/// The program says no and nothing was made.
#[track_caller]
fn refused(library: &TestLibrary, arguments: &[&str], code: i32, words: &[&str]) {
    let output = library.run(arguments).exits(code);
    let line = output.error();
    for word in words {
        assert!(line.contains(word), "{word:?} is not in {line:?}");
    }
    assert!(!library.path().exists(), "nothing is changed");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn no_source_and_no_card() {
    let library = TestLibrary::new();
    if !library.run(["cards", "--json"]).exits(0).out.is_empty() {
        return skipped("no_source_and_no_card", "a card is mounted on this machine");
    }
    refused(&library, &["import"], 1, &["no card is mounted", "lightfast import FOLDER"]);
    refused(&library, &["import", "--all"], 1, &["no card is mounted"]);
}

#[test]
fn source_does_not_exist() {
    refused(&TestLibrary::new(), &["import", "/nonexistent/card"], 1, &["no such folder", "/nonexistent/card"]);
}

#[test]
fn source_is_a_file() {
    let card = TestCard::new().file("a.jpg", b"x");
    refused(&TestLibrary::new(), &["import", text(&card.at("a.jpg"))], 2, &["not a folder", "a.jpg"]);
}

#[test]
fn card_is_empty() {
    let card = TestCard::new().folder("DCIM/100EOS5D");
    refused(&TestLibrary::new(), &["import", text(card.path())], 4, &["nothing to import", "empty"]);
}

#[test]
fn card_has_only_junk() {
    let card = TestCard::new().junk();
    let library = TestLibrary::new();
    refused(&library, &["import", text(card.path())], 4, &["nothing to import", "only junk"]);
    let output = library.run(["import", text(card.path()), "--json"]).exits(4);
    assert!(!output.text().contains("safe_to_format"), "{}", output.text());
}

#[test]
fn unreadable_source() {
    let library = TestLibrary::new();
    let card = small_card();
    mode(card.path(), 0o000);
    let command = as_nobody(&library, ["import", text(card.path())]);
    let Some(mut command) = command else { return skipped("unreadable_source", "no setpriv") };
    let output = crate::support::Output::of(&mut command).exits(1);
    mode(card.path(), 0o755);
    assert!(output.error().contains("Permission denied"), "{}", output.err);
    assert!(!library.path().exists());
}

#[test]
fn library_inside_the_source_and_the_reverse() {
    let card = small_card();
    let inside = TestLibrary::at(card.at("DCIM/library"));
    refused(&inside, &["import", text(card.path())], 2, &["inside", "--library"]);

    let library = TestLibrary::new();
    let folder = library.path().join("cards/DCIM");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("IMG_0001.JPG"), b"x").unwrap();
    let before = files_below(library.path());
    let output = library.run(["import", text(&library.path().join("cards"))]).exits(2);
    assert!(output.error().contains("inside the library"), "{}", output.err);
    assert_eq!(files_below(library.path()), before);
}

#[test]
fn the_same_source_twice() {
    let card = small_card();
    let again = card.at("DCIM/..");
    refused(&TestLibrary::new(), &["import", text(card.path()), text(&again)], 2, &["given twice"]);
}

#[test]
fn two_imports_at_once() {
    let library = TestLibrary::new();
    let card = small_card();
    let _ = library.import(&card).exits(0);
    let before = library.originals();
    let lock = std::fs::File::options().write(true).open(library.path().join(".lightfast/lock")).unwrap();
    lock.lock().unwrap();
    let output = library.run(["import", text(card.path())]).exits(1);
    assert!(output.error().contains("another import is running"), "{}", output.err);
    assert_eq!(library.originals(), before);
    // Looking goes on beside an import.
    assert_eq!(library.run(["list", "--json"]).exits(0).json().len(), 2);
    drop(lock);
    let _ = library.import(&card).exits(0);
}

#[test]
fn destination_is_too_small_for_the_plan() {
    let Some(disk) = Mounted::tmpfs("1m") else {
        return skipped("destination_is_too_small_for_the_plan", "tmpfs cannot be mounted");
    };
    let library = TestLibrary::at(disk.path().join("library"));
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", vec![7; 3_000_000]);
    refused(&library, &["import", text(card.path())], 1, &["not enough space", "needed", "free", "make room"]);
}

#[test]
fn destination_is_read_only() {
    let Some(disk) = Mounted::tmpfs("64m") else {
        return skipped("destination_is_read_only", "tmpfs cannot be mounted");
    };
    assert!(disk.read_only());
    let library = TestLibrary::at(disk.path().join("library"));
    refused(&library, &["import", text(small_card().path())], 1, &["Read-only file system", "--library DIR"]);
}

#[test]
fn destination_may_not_be_written() {
    let library = TestLibrary::new();
    let card = small_card();
    mode(card.path(), 0o755);
    let closed = library.dir().join("closed");
    std::fs::create_dir(&closed).unwrap();
    mode(&closed, 0o555);
    let place = closed.join("library");
    let command = as_nobody(&library, ["import", text(card.path()), "--library", text(&place)]);
    let Some(mut command) = command else { return skipped("destination_may_not_be_written", "no setpriv") };
    let output = crate::support::Output::of(&mut command).exits(1);
    assert!(output.error().contains("Permission denied"), "{}", output.err);
    assert!(!place.exists());
}

#[test]
fn wrong_templates() {
    let card = small_card();
    let cases = [
        ("/photos/{year}/{name}", "--library /photos --name '{year}/{name}'"),
        ("../{name}", "--name '{name}'"),
        ("{yaer}/{name}", "{year}"),
        ("{name", "partner"),
        ("", "{year}/{date}/{name}"),
        ("{date:%Q}", "{date:%Q}"),
    ];
    for (template, word) in cases {
        refused(&TestLibrary::new(), &["import", text(card.path()), "--name", template], 2, &[word]);
    }
    let library = TestLibrary::new();
    let folder = library.dir().join("photos");
    std::fs::create_dir(&folder).unwrap();
    refused(&library, &["import", text(card.path()), "--name", "photos"], 2, &["folder", "--library"]);
}

#[test]
fn wrong_usage() {
    let library = TestLibrary::new();
    for arguments in [
        &["import", "--nonsense"][..],
        &["import", "--verify", "twice-over"],
        &["import", "--thumbnails", "maybe"],
        &["import", "--preset", "unknown", "."],
        &["import", "--all", "."],
        &["publish"],
        &["list", "--sort", "size"],
        &["list", "iso:much"],
        &["verify", "--subset", "8/7"],
        &["mark"],
        &["preview", "x"],
        &["frobnicate"],
        &[],
    ] {
        let output = library.run(arguments).exits(2);
        assert!(output.err.starts_with("error: "), "{arguments:?}: {}", output.err);
        assert!(output.out.is_empty(), "{arguments:?}");
    }
    assert!(!library.path().exists());
}

#[test]
fn a_library_that_is_not_there() {
    for arguments in [&["list"][..], &["verify"], &["mark", "x", "--rating", "1"], &["show", "IMG_0001"]] {
        refused(&TestLibrary::new(), arguments, 1, &["does not exist", "--library"]);
    }
    let library = TestLibrary::new();
    std::fs::create_dir(library.path()).unwrap();
    let output = library.run(["list"]).exits(1);
    assert!(output.error().contains("is not a library"), "{}", output.err);
}

#[test]
fn a_misspelt_config_file() {
    let library = TestLibrary::new().config("libary = \"/photos\"\n");
    refused(&library, &["list"], 2, &["config.toml", "line 1", "libary"]);
    // A worker must run whatever the config says, and so must help.
    let _ = library.run(["--help"]).exits(0);
}

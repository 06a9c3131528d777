//! `verify` as a scrub: going on where it was interrupted, repairing from another destination, and what it notes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::support::{Output, TestLibrary, many_photos, noise, text};

fn spoil(path: &std::path::Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_bad_original_is_repaired_from_a_second_destination() {
    let library = TestLibrary::new();
    let further = library.dir().join("further");
    let card = many_photos(4);
    let _ = library.run(["import", text(card.path()), "--also", text(&further), "--json"]).exits(0);
    let originals = library.originals();
    let at = |index: usize| library.path().join(&originals[index]);
    let good: Vec<Vec<u8>> = (0..3).map(|index| fs::read(at(index)).unwrap()).collect();
    spoil(&at(0));
    fs::remove_file(at(1)).unwrap();
    // The third is bad in both places: it cannot be repaired, and is left as it is.
    spoil(&at(2));
    spoil(&further.join(&originals[2]));
    let bad = fs::read(at(2)).unwrap();
    let _ = library.run(["verify", "--json"]).exits(3);
    let output = library.run(["verify", "--repair-from", text(&further), "--json"]).exits(3);
    let report = output.report();
    // The further destination's own bad copy is found and named too.
    assert_eq!((&report["bad"], &report["repaired"]), (&4.into(), &2.into()), "{}", output.text());
    assert_eq!(fs::read(at(0)).unwrap(), good[0]);
    assert_eq!(fs::read(at(1)).unwrap(), good[1]);
    assert_eq!(fs::read(at(2)).unwrap(), bad);
    let aside = library.path().join(".lightfast/quarantine/verify").join(&originals[0]);
    assert!(aside.is_file() && fs::read(aside).unwrap() != good[0], "the bad one is kept");
    // Now the second destination is mended from the library's own.
    fs::write(at(2), &good[2]).unwrap();
    let output = library.run(["verify", "--repair-from", text(library.path()), "--json"]).exits(0);
    assert_eq!((&output.report()["bad"], &output.report()["repaired"]), (&1.into(), &1.into()));
    assert_eq!(fs::read(further.join(&originals[2])).unwrap(), good[2]);
    let report = library.run(["verify", "--json"]).exits(0).report();
    assert_eq!((&report["good"], &report["bad"]), (&8.into(), &0.into()));
    let output = library.run(["verify", "--repair-from", "/nowhere"]).exits(1);
    assert!(output.error().contains("no folder"), "{}", output.err);
}

/// A check that was interrupted goes on where it stopped, and looks at what was bad again.
#[test]
fn an_interrupted_check_goes_on_where_it_stopped() {
    let library = TestLibrary::new();
    let mut card = many_photos(300);
    // Large enough that the signal comes while it is read.
    card = card.file("DCIM/101EOS5D/MVI_0001.MOV", noise(4_000_000, 1));
    fs::File::options().write(true).open(card.at("DCIM/101EOS5D/MVI_0001.MOV")).unwrap().set_len(1 << 30).unwrap();
    let _ = library.run(["import", text(card.path()), "--thumbnails", "no", "--json"]).exits(0);
    let bad = library.originals().into_iter().find(|path| path.ends_with("IMG_0001.JPG")).unwrap();
    spoil(&library.path().join(&bad));
    let mut command = library.command(["verify", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    assert_ne!(out.read_line(&mut line).unwrap(), 0);
    assert!(line.contains("\"state\":\"changed\""), "{line}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = line.into_bytes();
    out.read_to_end(&mut rest).unwrap();
    let first = Output { out: rest, ..Output::from(child.wait_with_output().unwrap()) };
    let report = first.report();
    let checked = report["checked"].as_u64().unwrap();
    assert!(checked < 301, "it was interrupted: {report}");
    assert_eq!(first.code, 3, "a bad one was found before");
    let again = library.run(["verify", "--json"]).exits(3).report();
    assert_eq!(again["resumed"], true);
    assert_eq!(again["bad"], 1, "what was bad is looked at again");
    assert_eq!(again["checked"].as_u64().unwrap(), 301 - checked + 1, "the rest, and the bad one");
    let whole = library.run(["verify", "--json"]).exits(3).report();
    assert_eq!((&whole["resumed"], &whole["checked"]), (&false.into(), &301.into()));
}

#[test]
fn verify_of_a_folder_that_is_a_library_checks_that_library() {
    let library = TestLibrary::new();
    let _ = library.import(&many_photos(3)).exits(0);
    let other = TestLibrary::new();
    let report = other.run(["verify", text(library.path()), "--json"]).exits(0).report();
    assert_eq!(report["good"], 3);
}

//! Each exit code, as scripts rely on it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use lightfast_testkit::TestCard;

use crate::support::{Mounted, Output, TestLibrary, as_nobody, files_below, mode, skipped, small_card};

#[test]
fn exit_0_when_all_is_safe() {
    let library = TestLibrary::new();
    let report = library.import(&small_card()).exits(0).report();
    assert_eq!(report["safe_to_format"], true);
    assert_eq!(report["copied"], 3);
}

#[test]
fn exit_0_for_stream_though_its_verdict_is_not_safe() {
    let library = TestLibrary::new();
    let card = small_card();
    let output = library.run(["import", card.path().to_str().unwrap(), "--verify", "stream", "--json"]).exits(0);
    let report = output.report();
    assert_eq!(report["safe_to_format"], false);
    assert_eq!(report["destinations"][0]["verified"]["stream"], 3);
    let words = TestLibrary::new().run(["import", card.path().to_str().unwrap(), "--verify", "stream"]).exits(0);
    assert!(words.text().lines().last().unwrap().starts_with("NOT safe to format: 3 of 4 files"), "{}", words.text());
}

#[test]
fn exit_0_for_a_query_that_matches_nothing() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    assert!(library.run(["list", "nothing-like-it", "--json"]).exits(0).out.is_empty());
}

#[test]
fn exit_3_when_a_file_cannot_be_read_and_0_when_the_same_command_resumes() {
    let library = TestLibrary::new();
    let card = small_card();
    let path = card.path().to_str().unwrap().to_owned();
    mode(card.path(), 0o755);
    let closed = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    mode(&closed, 0o000);
    let Some(mut command) = as_nobody(&library, ["import", &path, "--json"]) else {
        return skipped("exit_3_when_a_file_cannot_be_read", "no setpriv");
    };
    let output = Output::of(&mut command).exits(3);
    let report = output.report();
    assert_eq!(
        (&report["copied"], &report["failed"], &report["safe_to_format"]),
        (&2.into(), &1.into(), &false.into())
    );
    assert_eq!(report["not_safe"][0]["source"], "DCIM/100EOS5D/IMG_0001.CR2");
    assert!(report["not_safe"][0]["reason"].as_str().unwrap().contains("ermission denied"), "{report}");

    mode(&closed, 0o644);
    let again = Output::of(&mut as_nobody(&library, ["import", &path, "--json"]).unwrap()).exits(0).report();
    assert_eq!(
        (&again["copied"], &again["duplicates"], &again["safe_to_format"]),
        (&1.into(), &2.into(), &true.into())
    );
}

#[test]
fn exit_3_when_strict_refuses_what_could_only_be_reread() {
    let Some(disk) = Mounted::tmpfs("64m") else {
        return skipped("exit_3_when_strict_refuses_what_could_only_be_reread", "tmpfs cannot be mounted");
    };
    let card = small_card();
    let path = card.path().to_str().unwrap();
    let strict = TestLibrary::at(disk.path().join("strict"));
    let report = strict.run(["import", path, "--strict", "--json"]).exits(3).report();
    assert_eq!(report["destinations"][0]["verified"]["reread"], 3);
    assert_eq!(report["safe_to_format"], false);
    // Without it, it counts, and the verdict says so.
    let relaxed = TestLibrary::at(disk.path().join("relaxed"));
    let words = relaxed.run(["import", path]).exits(0).text();
    let verdict = words.lines().last().unwrap();
    assert!(verdict.starts_with("Safe to format: 3 verified") && verdict.contains("--strict"), "{verdict}");
}

#[test]
fn exit_130_when_interrupted_and_the_same_command_resumes() {
    let library = TestLibrary::new();
    let card = small_card().file("DCIM/100EOS5D/MVI_0003.MOV", b"");
    // Large enough that the signal comes while it is copied; a hole, so that the card takes no space.
    std::fs::File::options()
        .write(true)
        .open(card.at("DCIM/100EOS5D/MVI_0003.MOV"))
        .and_then(|file| file.set_len(2 << 30))
        .unwrap();
    let path = card.path().to_str().unwrap();
    let mut child =
        library.command(["import", path, "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"event\":\"plan\"") {
        line.clear();
        assert_ne!(out.read_line(&mut line).unwrap(), 0, "the import ended before its plan");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    let done = Output { out: rest, ..Output::from(child.wait_with_output().unwrap()) }.exits(130);
    assert!(done.err.contains("run the same command again"), "{}", done.err);
    assert_eq!(done.report()["safe_to_format"], false);
    let incoming = files_below(&library.path().join(".lightfast/incoming"));
    assert!(incoming.is_empty(), "{incoming:?}");

    std::fs::remove_file(card.at("DCIM/100EOS5D/MVI_0003.MOV")).unwrap();
    let report = library.import(&card).exits(0).report();
    assert_eq!(report["safe_to_format"], true);
    assert_eq!(library.originals().len(), 3);
}

#[test]
fn exit_4_is_never_safe() {
    let output = TestLibrary::new().import(&TestCard::new().junk()).exits(4);
    assert_eq!(output.events("report").len(), 0);
}

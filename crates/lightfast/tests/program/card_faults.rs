//! Cards that fail, each in one way: what is said, the exit code, and that the same command finishes once the card is
//! well again.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lightfast_testkit::fuse::{BadCard, CardFault};
use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in};

use crate::support::{Mounted, Output, TestLibrary, noise, skipped};

const FIRST: &str = "DCIM/100EOS5D/IMG_0001.CR2";
const SECOND: &str = "DCIM/100EOS5D/IMG_0002.CR2";
const LAST: &str = "DCIM/101EOS5D/IMG_0003.CR2";
/// A place that is read by the copy alone: neither head, middle nor tail of the second file.
const PLACE: u64 = 700_001;

fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let file = |path: &str, size, seed| (PathBuf::from(path), noise(size, seed));
    vec![file(FIRST, 1_100_000, 1), file(SECOND, 2_500_000, 2), file(LAST, 1_300_000, 3)]
}

/// What the card holds, for the checker.
fn snapshot() -> Snapshot {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files() {
        std::fs::create_dir_all(dir.path().join(&path).parent().unwrap()).unwrap();
        std::fs::write(dir.path().join(path), bytes).unwrap();
    }
    Snapshot::of(dir.path()).unwrap()
}

struct Case {
    card: BadCard,
    library: TestLibrary,
}

impl Case {
    /// `None` where FUSE is not to be had: said by the test's name.
    fn new(test: &str, fault: CardFault) -> Option<Self> {
        match BadCard::mount(&files(), fault) {
            Ok(card) => Some(Self { card, library: TestLibrary::new() }),
            Err(error) => {
                skipped(test, &format!("no FUSE: {error}"));
                None
            }
        }
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let mut all = vec!["import", self.card.path().to_str().unwrap(), "--json"];
        all.extend(more);
        all
    }

    fn import(&self, more: &[&str]) -> Output {
        self.library.run(self.arguments(more))
    }

    fn start(&self) -> Child {
        let mut command = self.library.command(self.arguments(&[]));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn broken(&self, moment: Moment) -> Vec<String> {
        broken_in(&snapshot(), Places::of(self.library.path()), moment).unwrap()
    }

    /// Nothing is broken now; mended, the same command finishes.
    fn finishes(&self) {
        assert_eq!(self.broken(Moment::AfterFault), Vec::<String>::new());
        self.card.mend();
        let report = self.import(&[]).exits(0).report();
        assert_eq!(report["safe_to_format"], true, "{report}");
        assert_eq!(self.broken(Moment::Finished), Vec::<String>::new());
    }
}

/// The reason that a file is not safe.
fn reason(output: &Output, path: &str) -> String {
    let report = output.report();
    let all = report["not_safe"].as_array().unwrap();
    let found = all.iter().find(|entry| entry["source"] == path);
    found.unwrap_or_else(|| panic!("{path} is not named: {report}"))["reason"].as_str().unwrap().to_owned()
}

#[test]
fn card_eio_at_offset() {
    let Some(case) = Case::new("card_eio_at_offset", CardFault::ReadError { path: SECOND, at: PLACE }) else { return };
    let output = case.import(&[]).exits(3);
    let report = output.report();
    assert_eq!((&report["copied"], &report["failed"]), (&2.into(), &1.into()), "the others land: {report}");
    assert_eq!(report["safe_to_format"], false);
    let why = reason(&output, SECOND);
    assert!(why.contains("could not read") && why.contains("Input/output error"), "{why}");
    case.finishes();
}

#[test]
fn card_pulled_before_list() {
    let Some(case) = Case::new("card_pulled_before_list", CardFault::GoneBeforeListing) else { return };
    let output = case.import(&[]).exits(1);
    assert!(output.error().contains("No such device"), "{}", output.err);
    assert!(!case.library.path().exists(), "nothing was changed");
    case.finishes();
}

#[test]
fn card_pulled_mid_list() {
    let fault = CardFault::GoneAtFolder { path: "DCIM/101EOS5D" };
    let Some(case) = Case::new("card_pulled_mid_list", fault) else { return };
    let output = case.import(&[]);
    let report = output.exits(3).report();
    assert_eq!(report["safe_to_format"], false);
    assert!(report["not_safe"].to_string().contains("No such device"), "{report}");
    case.finishes();
}

#[test]
fn card_pulled_between_files() {
    let Some(case) = Case::new("card_pulled_between_files", CardFault::GoneAfter { path: FIRST }) else { return };
    // How far the others were by then is chance; the card is gone at the latest when it is listed again.
    let report = case.import(&[]).exits(3).report();
    assert_eq!(report["safe_to_format"], false);
    assert!(report["not_safe"].to_string().contains("No such device"), "{report}");
    case.finishes();
}

#[test]
fn card_pulled_mid_file() {
    let Some(case) = Case::new("card_pulled_mid_file", CardFault::GoneAt { path: SECOND, at: PLACE }) else { return };
    let output = case.import(&[]).exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    assert!(output.err.contains("stopped early") && output.err.contains("No such device"), "{}", output.err);
    case.finishes();
}

#[test]
fn card_pulled_at_last_file() {
    let Some(case) = Case::new("card_pulled_at_last_file", CardFault::GoneAt { path: LAST, at: 300_001 }) else {
        return;
    };
    let output = case.import(&[]).exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    case.finishes();
}

#[test]
fn card_size_lies() {
    for listed in [0, 1_000_000, 2_499_999, 2_500_001, 5_000_000] {
        let Some(case) = Case::new("card_size_lies", CardFault::SizeLies { path: SECOND, listed }) else { return };
        let output = case.import(&[]).exits(3);
        assert_eq!(output.report()["failed"], 1, "{listed}");
        let why = reason(&output, SECOND);
        assert!(why.contains("changed while it was read"), "{listed}: {why}");
        case.finishes();
    }
}

#[test]
fn card_changes_under_us() {
    let Some(case) = Case::new("card_changes_under_us", CardFault::Changes { path: SECOND, at: PLACE }) else { return };
    let output = case.import(&[]).exits(3);
    assert_eq!(output.report()["failed"], 1);
    assert!(reason(&output, SECOND).contains("changed while it was read"));
    case.finishes();
}

#[test]
fn card_rereads_differ() {
    let fault = CardFault::OtherByte { path: SECOND, at: PLACE };
    let Some(case) = Case::new("card_rereads_differ", fault) else { return };
    let output = case.import(&["--verify", "twice"]).exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    let why = reason(&output, SECOND);
    assert!(why.contains("other bytes when it was read a second time"), "{why}");
    case.finishes();
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::yield_now();
    }
}

/// A read that is not answered cannot be ended by any program; it is said, and a second Ctrl-C gives up.
#[test]
fn card_hangs() {
    let Some(case) = Case::new("card_hangs", CardFault::Hangs { path: SECOND, at: PLACE }) else { return };
    let mut child = case.start();
    wait_until("the read that hangs", || case.card.is_hanging());
    // Waits for the word that nothing moves, which comes by itself.
    let mut err = child.stderr.take().unwrap();
    let mut said = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&said).contains("does not answer") {
        assert_eq!(err.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
    interrupt(&child);
    assert!(child.try_wait().unwrap().is_none(), "the first Ctrl-C waits for the read");
    interrupt(&child);
    // The process is gone once the system lets it: when the card answers, or its reader is unplugged.
    case.card.mend();
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    case.finishes();
}

/// After `umount -l` a card looks like an empty folder: that is a card that is gone, not one that is done.
#[test]
fn card_unmounted_in_the_middle() {
    let fault = CardFault::Hangs { path: SECOND, at: PLACE };
    let Some(case) = Case::new("card_unmounted_in_the_middle", fault) else { return };
    let mut child = case.start();
    wait_until("the read that hangs", || case.card.is_hanging());
    let place = case.card.path().to_str().unwrap();
    assert!(Command::new("umount").args(["-l", place]).status().unwrap().success());
    case.card.mend();
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    let done = Output { out, ..Output::from(child.wait_with_output().unwrap()) }.exits(3);
    assert_eq!(done.report()["safe_to_format"], false);
    assert_eq!(case.broken(Moment::AfterFault), Vec::<String>::new());
    // The same command then finds an empty folder, and does not call it safe.
    let _ = case.import(&[]).exits(4);
}

/// A card whose medium ends before its files do.
#[test]
fn card_short() {
    let Some(disk) = Mounted::image(32, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped("card_short", "no loop-mounted ext4");
    };
    let folder = disk.path().join("DCIM/100EOS5D");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 1..=9u64 {
        std::fs::write(folder.join(format!("IMG_{number:04}.CR2")), noise(2_000_000, number)).unwrap();
    }
    assert!(Command::new("sync").status().unwrap().success());
    disk.shorten(14 << 20);
    let library = TestLibrary::new();
    let output = library.run(["import", disk.path().to_str().unwrap(), "--json"]).exits(3);
    let report = output.report();
    assert_eq!(report["safe_to_format"], false);
    assert!(report["failed"].as_u64().unwrap() > 0 && report["copied"].as_u64().unwrap() > 0, "{report}");
    let first = report["not_safe"][0]["reason"].as_str().unwrap();
    assert!(first.contains("Input/output error"), "{first}");
    for original in library.originals() {
        let name = Path::new(original.file_name().unwrap()).to_str().unwrap();
        let number: u64 = name[4..8].parse().unwrap();
        assert!(std::fs::read(library.path().join(&original)).unwrap() == noise(2_000_000, number), "{name}");
    }
}

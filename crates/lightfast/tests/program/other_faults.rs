//! Destinations and machines that fail, each in one way. A card that hangs at a known place holds the import there
//! while the fault happens; then it is let go.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lightfast_testkit::fuse::{BadCard, CardFault};
use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in};

use crate::support::{Mounted, Output, TestLibrary, files_below, noise, ran, skipped, text};

const HELD: &str = "DCIM/100EOS5D/IMG_0003.CR2";

fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let file = |n: u64| (PathBuf::from(format!("DCIM/100EOS5D/IMG_{n:04}.CR2")), noise(1_200_000 + n as usize, 60 + n));
    (1..=6).map(file).collect()
}

fn snapshot() -> Snapshot {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files() {
        fs::create_dir_all(dir.path().join(&path).parent().unwrap()).unwrap();
        fs::write(dir.path().join(path), bytes).unwrap();
    }
    Snapshot::of(dir.path()).unwrap()
}

/// An import that waits in the middle of its third file.
pub(crate) struct Held {
    pub(crate) card: BadCard,
    pub(crate) child: Child,
}

pub(crate) fn card(test: &str) -> Option<BadCard> {
    let fault = CardFault::Hangs { path: HELD, at: 900_001 };
    BadCard::mount(&files(), fault).map_err(|error| skipped(test, &format!("no FUSE: {error}"))).ok()
}

pub(crate) fn arguments<'a>(card: &'a BadCard, more: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["import", text(card.path()), "--json", "--thumbnails", "no"];
    all.extend(more);
    all
}

fn begin(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

impl Held {
    pub(crate) fn new(test: &str, library: &TestLibrary, more: &[&str]) -> Option<Self> {
        let card = card(test)?;
        let child = begin(&mut library.command(arguments(&card, more)));
        let this = Self { card, child };
        let begin = Instant::now();
        while !this.card.is_hanging() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the import does not come to the third file");
            std::thread::yield_now();
        }
        Some(this)
    }

    pub(crate) fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Lets the import go on, waits for its end, and keeps the card.
    pub(crate) fn end(mut self) -> (BadCard, Output) {
        self.card.mend();
        let mut out = Vec::new();
        self.child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
        let done = Output { out, ..Output::from(self.child.wait_with_output().unwrap()) };
        assert!(!done.err.contains("panicked"), "{}", done.err);
        (self.card, done)
    }
}

pub(crate) fn is_whole(library: &Path, moment: Moment) {
    assert_eq!(broken_in(&snapshot(), Places::of(library), moment).unwrap(), Vec::<String>::new());
}

/// The same command finishes.
pub(crate) fn finishes(library: &TestLibrary, card: &BadCard) {
    let report = library.run(arguments(card, &[])).exits(0).report();
    assert_eq!(report["safe_to_format"], true, "{report}");
    is_whole(library.path(), Moment::Finished);
}

#[test]
fn inodes_exhausted() {
    let test = "inodes_exhausted";
    let Some(disk) = Mounted::memory("size=64m,nr_inodes=20") else { return skipped(test, "tmpfs cannot be mounted") };
    let Some(card) = card(test) else { return };
    card.mend();
    let library = TestLibrary::at(disk.path().join("library"));
    let output = library.run(arguments(&card, &[])).exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    assert!(output.err.contains("No space left"), "{}", output.err);
    is_whole(library.path(), Moment::AfterFault);
    assert!(ran("mount", &["-o", "remount,nr_inodes=1000", text(disk.path())]));
    finishes(&library, &card);
}

/// The disk under the library stops answering in the middle: every call is an error until it is mounted again.
#[test]
fn disk_dies_mid_session() {
    let test = "disk_dies_mid_session";
    let Some(disk) = Mounted::image(96, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped(test, "no loop-mounted ext4");
    };
    let library = TestLibrary::at(disk.path().join("library"));
    let Some(held) = Held::new(test, &library, &[]) else { return };
    if !ran("xfs_io", &["-x", "-c", "shutdown -f", text(disk.path())]) {
        let _ = held.end();
        return skipped(test, "the file system cannot be shut down");
    }
    let (card, output) = held.end();
    let output = output.exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    assert!(output.err.contains("stopped early"), "{}", output.err);
    assert!(disk.unmount() && disk.mount());
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);
}

/// One of two destinations dies: the other is whole, and each has its own verdict.
#[test]
fn a_further_destination_that_dies_does_not_stop_the_library() {
    let test = "a_further_destination_that_dies_does_not_stop_the_library";
    let Some(disk) = Mounted::image(96, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped(test, "no loop-mounted ext4");
    };
    let library = TestLibrary::new();
    let further = disk.path().join("further");
    let also = ["--also", text(&further)];
    let Some(held) = Held::new(test, &library, &also) else { return };
    if !ran("xfs_io", &["-x", "-c", "shutdown -f", text(disk.path())]) {
        let _ = held.end();
        return skipped(test, "the file system cannot be shut down");
    }
    let (card, output) = held.end();
    let report = output.exits(3).report();
    assert_eq!(report["safe_to_format"], false);
    let safe: Vec<bool> =
        report["destinations"].as_array().unwrap().iter().map(|place| place["safe"].as_bool().unwrap()).collect();
    assert_eq!(safe, [true, false], "{report}");
    is_whole(library.path(), Moment::Finished);
    assert!(disk.unmount() && disk.mount());
    let report = library.run(arguments(&card, &also)).exits(0).report();
    assert_eq!(report["safe_to_format"], true);
    let also = [further];
    let places = Places { library: library.path(), catalog: None, also: &also };
    assert_eq!(broken_in(&snapshot(), places, Moment::Finished).unwrap(), Vec::<String>::new());
}

#[test]
fn library_moved_mid_session() {
    let test = "library_moved_mid_session";
    let library = TestLibrary::new();
    let Some(held) = Held::new(test, &library, &[]) else { return };
    let moved = library.dir().join("moved");
    assert!(ran("mv", &[text(library.path()), text(&moved)]));
    let (card, output) = held.end();
    assert_eq!(output.exits(3).report()["safe_to_format"], false);
    is_whole(&moved, Moment::AfterFault);
    let moved = TestLibrary::at(moved);
    finishes(&moved, &card);
}

/// After `umount -l` the library's path is an empty folder of another disk: no original may land there.
#[test]
fn library_unmounted_mid_session() {
    let test = "library_unmounted_mid_session";
    let Some(disk) = Mounted::image(96, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped(test, "no loop-mounted ext4");
    };
    let library = TestLibrary::at(disk.path().to_owned());
    let Some(held) = Held::new(test, &library, &[]) else { return };
    assert!(ran("umount", &["-l", text(disk.path())]));
    let (card, output) = held.end();
    assert_eq!(output.exits(3).report()["safe_to_format"], false);
    assert_eq!(files_below(disk.path()), Vec::<PathBuf>::new(), "nothing is written where the library is not");
    assert!(disk.mount());
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);
}

#[test]
fn sigint_once_twice() {
    let test = "sigint_once_twice";
    let library = TestLibrary::new();
    let Some(held) = Held::new(test, &library, &[]) else { return };
    held.signal("-INT");
    let (card, output) = held.end();
    let output = output.exits(130);
    assert!(output.err.contains("run the same command again"), "{}", output.err);
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);

    let library = TestLibrary::new();
    let Some(held) = Held::new(test, &library, &[]) else { return };
    held.signal("-INT");
    held.signal("-TERM");
    let (card, output) = held.end();
    let _ = output.exits(130);
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);
}

#[test]
fn sigstop_and_go_on() {
    let library = TestLibrary::new();
    let Some(held) = Held::new("sigstop_and_go_on", &library, &[]) else { return };
    held.signal("-STOP");
    held.card.mend();
    held.signal("-CONT");
    let (_, output) = held.end();
    assert_eq!(output.exits(0).report()["safe_to_format"], true);
    is_whole(library.path(), Moment::Finished);
}

/// The import goes on when nobody reads what it says.
#[test]
fn stdout_closed_mid_session() {
    let library = TestLibrary::new();
    let Some(mut held) = Held::new("stdout_closed_mid_session", &library, &[]) else { return };
    drop(held.child.stdout.take());
    held.card.mend();
    let done = held.child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&done.stderr).contains("panicked"));
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &held.card);
}

/// Under a limit of open files, of memory, of file size: an end with a reason, and nothing broken.
fn limited(test: &str, limit: &str, codes: &[i32], reason: &str) {
    let Some(card) = card(test) else { return };
    card.mend();
    if !ran("prlimit", &["--nofile=100:100", "true"]) {
        return skipped(test, "no prlimit");
    }
    let library = TestLibrary::new();
    let mut command = Command::new("prlimit");
    command.arg(limit).arg(env!("CARGO_BIN_EXE_lightfast")).args(arguments(&card, &[]));
    let output = Output::of(library.surround(&mut command));
    let said = format!("exit {}: {}{}", output.code, output.text(), output.err);
    assert!(codes.contains(&output.code), "{said}");
    assert!(said.contains(reason), "{said}");
    assert_eq!(output.code == 0, said.contains("\"safe_to_format\":true"), "{said}");
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);
}

#[test]
fn emfile() {
    limited("emfile", "--nofile=5:5", &[1], "unable to open");
    limited("emfile", "--nofile=10:10", &[3], "Too many open files");
    limited("emfile", "--nofile=13:13", &[3], "Too many open files");
    limited("emfile", "--nofile=64:64", &[0], "");
}

/// The address space of the process is limited; what cannot be had ends the import with its reason, wherever it was
/// wanted: in the catalogue with an error, in the program itself as the system has it, by an abort.
#[test]
fn memory_limit() {
    limited("memory_limit", "--as=100000000", &[3, -6], "memory");
    limited("memory_limit", "--as=1500000000", &[0], "");
}

/// Where files may not be as large as an original, each write that goes beyond is an error of its file.
#[test]
fn file_size_limit() {
    limited("file_size_limit", "--fsize=1000000", &[3], "File too large");
}

/// A clock that was set back changes no order and no verdict.
#[test]
fn clock_back_25_years() {
    let test = "clock_back_25_years";
    if !ran("faketime", &["-f", "-25y", "true"]) {
        return skipped(test, "no faketime");
    }
    let Some(card) = card(test) else { return };
    card.mend();
    let library = TestLibrary::new();
    let back = |arguments: Vec<&str>| {
        let mut command = Command::new("faketime");
        command.args(["-f", "-25y", env!("CARGO_BIN_EXE_lightfast")]).args(arguments);
        Output::of(library.surround(&mut command))
    };
    let report = library.run(arguments(&card, &[])).exits(0).report();
    assert_eq!(report["copied"], 6);
    let report = back(arguments(&card, &[])).exits(0).report();
    assert_eq!((&report["duplicates"], &report["safe_to_format"]), (&6.into(), &true.into()));
    let other = TestLibrary::new();
    let mut command = Command::new("faketime");
    command.args(["-f", "-25y", env!("CARGO_BIN_EXE_lightfast")]).args(arguments(&card, &[]));
    let report = Output::of(other.surround(&mut command)).exits(0).report();
    assert_eq!((&report["copied"], &report["safe_to_format"]), (&6.into(), &true.into()));
    let report = other.run(arguments(&card, &[])).exits(0).report();
    assert_eq!(report["duplicates"], 6);
    is_whole(other.path(), Moment::Finished);
}

/// No call of an import asks for anything that could leave the machine.
#[test]
fn no_network_used() {
    let test = "no_network_used";
    let Some(card) = card(test) else { return };
    card.mend();
    let library = TestLibrary::new();
    let log = library.dir().join("calls");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=socket,connect,sendto,bind", "-o", text(&log)]);
    command.arg(env!("CARGO_BIN_EXE_lightfast")).args(["import", text(card.path()), "--json"]);
    if !ran("strace", &["-V"]) {
        return skipped(test, "no strace");
    }
    let _ = Output::of(library.surround(&mut command)).exits(0);
    let calls = fs::read_to_string(&log).unwrap();
    assert!(!calls.contains("AF_INET"), "{calls}");
    // And it needs none.
    let mut command = Command::new("unshare");
    command.arg("-n").arg(env!("CARGO_BIN_EXE_lightfast")).args(arguments(&card, &[]));
    if ran("unshare", &["-n", "true"]) {
        let _ = Output::of(library.surround(&mut command)).exits(0);
    }
}

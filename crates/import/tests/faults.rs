//! Breaks the import at every point at which it touches the world, and looks whether a promise broke.
//!
//! The points are numbered by the engine itself (the `faults` feature). Each run is a child process, this test
//! program again, told by environment variables where to be killed or to fail. After each the checker looks;
//! then the same import runs again without a fault, must finish, and the checker looks once more.
//!
//! By default every n-th point is visited, so that the suite stays quick; `LIGHTFAST_FAULTS=all` visits all.
#![cfg(feature = "faults")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use lightfast_import::fault::{Injection, Op, arm, count};
use lightfast_import::{Host, Options, prepare};
use lightfast_testkit::TestCard;
use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in};
use rustix::io::Errno;

/// What a child is told.
const CARD: &str = "LIGHTFAST_FAULT_CARD";
const LIBRARY: &str = "LIGHTFAST_FAULT_LIBRARY";
const ALSO: &str = "LIGHTFAST_FAULT_ALSO";
const LANES: &str = "LIGHTFAST_FAULT_LANES";
const FAULT: &str = "LIGHTFAST_FAULT";
/// Points visited of each kind by default.
const SAMPLE: u64 = 10;

/// How the import runs whose points are visited.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// One file at a time.
    Single,
    /// Several files in flight.
    Threaded,
    /// With a further destination, several files in flight.
    Further,
}

const WAYS: [Way; 3] = [Way::Single, Way::Threaded, Way::Further];

fn noise(seed: u64, len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn card() -> TestCard {
    TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.CR2", noise(1, 2_500_000))
        .file("DCIM/100EOS5D/IMG_0001.JPG", noise(2, 300_000))
        .file("DCIM/100EOS5D/IMG_0002.CR2", noise(3, 1_048_576))
        .junk()
}

/// The child: one import, with a fault armed. It is a test only so that it can be started by name.
#[test]
fn child() {
    let Ok(fault) = std::env::var(FAULT) else { return };
    let (card, library) = (std::env::var_os(CARD).unwrap(), std::env::var_os(LIBRARY).unwrap());
    let host = Host { now: jiff::Timestamp::now, zone: jiff::tz::TimeZone::UTC, worker: None, workers: 1 };
    let stop = AtomicBool::new(false);
    let events = |_| {};
    let mut options = Options::new(vec![card.into()], library.into());
    options.also = std::env::var_os(ALSO).into_iter().map(Into::into).collect();
    options.lanes = std::env::var(LANES).ok().map(|lanes| lanes.parse().unwrap());
    arm(parse(&fault));
    let ended = prepare(options, &host, &events, &stop).and_then(|prepared| prepared.perform(&host, &events, &stop));
    let points = count();
    match ended {
        Ok(ended) => {
            println!(
                "safe={:?} points={points} stopped={:?} not_safe={:?}",
                ended.report.safe_to_format, ended.stopped, ended.report.not_safe
            )
        }
        Err(error) => println!("safe=None points={points} not started: {error}"),
    }
}

fn parse(text: &str) -> Option<Injection> {
    let mut words = text.split(':');
    let at = |word: Option<&str>| word.unwrap().parse().unwrap();
    match words.next().unwrap() {
        "kill" => Some(Injection::Kill { at: at(words.next()) }),
        "short" => Some(Injection::Short { at: at(words.next()) }),
        "fail" => {
            let (at, errno) = (at(words.next()), words.next().unwrap().parse().unwrap());
            Some(Injection::Fail { at, errno, only: words.next().and_then(op) })
        }
        _ => None,
    }
}

fn op(name: &str) -> Option<Op> {
    let ops = [Op::Sync, Op::Write, Op::Create, Op::Commit, Op::Rename, Op::MakeFolder];
    ops.into_iter().find(|op| format!("{op:?}") == name)
}

fn import(way: Way, card: &Path, dir: &Path, fault: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env(CARD, card).env(FAULT, fault);
    command.env(LIBRARY, dir.join("library")).env(LANES, if matches!(way, Way::Single) { "1" } else { "4" });
    if matches!(way, Way::Further) {
        command.env(ALSO, dir.join("further"));
    }
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn number(text: &str, key: &str) -> u64 {
    let rest = text.split(key).nth(1).unwrap_or_else(|| panic!("no {key} in {text}"));
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// The points to visit: all, or an even sample of them.
fn points(total: u64) -> Vec<u64> {
    let all = std::env::var("LIGHTFAST_FAULTS").is_ok_and(|value| value == "all");
    let step = if all { 1 } else { total.div_ceil(SAMPLE).max(1) };
    (1..=total).step_by(step as usize).collect()
}

/// Runs one fault, and the same import again; gives what the faulty run said.
fn survive(way: Way, fault: &str) -> String {
    let (card, dir) = (card(), tempfile::tempdir().unwrap());
    let library = dir.path().join("library");
    let also = [dir.path().join("further")];
    let also = if matches!(way, Way::Further) { &also[..] } else { &[] };
    let places = Places { library: &library, catalog: None, also };
    let before = Snapshot::of(card.path()).unwrap();
    let first = said(&import(way, card.path(), dir.path(), fault));
    let found = broken_in(&before, places, Moment::AfterFault).unwrap();
    assert!(found.is_empty(), "{way:?} {fault}: {found:#?}\n{first}");
    let again = said(&import(way, card.path(), dir.path(), "none"));
    assert!(again.contains("safe=Some(true)"), "{way:?} {fault}: the second run: {again}\nafter: {first}");
    let found = broken_in(&before, places, Moment::Finished).unwrap();
    assert!(found.is_empty(), "{way:?} {fault}: {found:#?}");
    assert!(Snapshot::of(card.path()).unwrap() == before, "P1: {way:?} {fault}");
    first
}

fn total_points(way: Way) -> u64 {
    let (card, dir) = (card(), tempfile::tempdir().unwrap());
    let text = said(&import(way, card.path(), dir.path(), "none"));
    assert!(text.contains("safe=Some(true)"), "{text}");
    number(&text, "points=")
}

/// Visits points of every way to run an import with a fault, and says how many there were.
fn every_point(name: &str, fault: impl Fn(u64) -> String) {
    for way in WAYS {
        let total = total_points(way);
        let visited = points(total);
        for at in &visited {
            let first = survive(way, &fault(*at));
            assert!(!(first.contains("safe=Some(true)") && first.contains("stopped=Some")), "{first}");
        }
        println!("{name}, {way:?}: visited {} of {total} points, 0 broken, all reruns completed", visited.len());
    }
}

fn fail_every_point(name: &str, errno: Errno) {
    every_point(name, |at| format!("fail:{at}:{}", errno.raw_os_error()));
}

#[test]
fn kill9_every_point() {
    every_point("kill -9", |at| format!("kill:{at}"));
}

#[test]
fn eio_every_point() {
    fail_every_point("EIO", Errno::IO);
}

#[test]
fn enospc_every_point() {
    fail_every_point("ENOSPC", Errno::NOSPC);
}

#[test]
fn eintr_every_point() {
    fail_every_point("EINTR", Errno::INTR);
}

#[test]
fn emfile_every_point() {
    fail_every_point("EMFILE", Errno::MFILE);
}

/// A call that moves only some of its bytes is no fault at all: the import goes on behind them.
#[test]
fn short_write_every_point() {
    for way in WAYS {
        let total = total_points(way);
        let visited = points(total);
        for at in &visited {
            let first = survive(way, &format!("short:{at}"));
            assert!(first.contains("safe=Some(true)"), "{way:?} {at}: {first}");
        }
        println!("short transfers, {way:?}: visited {} of {total} points, all safe at once", visited.len());
    }
}

fn fails_first(kind: Op, errno: Errno) -> String {
    survive(Way::Threaded, &format!("fail:1:{}:{kind:?}", errno.raw_os_error()))
}

fn is_refused(said: &str) -> bool {
    said.contains("safe=Some(false)") || said.contains("not started")
}

#[test]
fn fsync_fails_once() {
    let first = fails_first(Op::Sync, Errno::IO);
    assert!(is_refused(&first), "{first}");
}

/// The disk is full at the first call of each kind that can find it so, and at the first that concerns an original.
#[test]
fn disk_full_at_each_step() {
    for kind in [Op::Create, Op::Write, Op::Sync, Op::MakeFolder, Op::Rename, Op::Commit] {
        let first = fails_first(kind, Errno::NOSPC);
        assert!(is_refused(&first), "{kind:?}: {first}");
    }
}

/// A further destination that is gone is filled again by the same command; one that cannot be made is no start.
#[test]
fn a_further_destination_that_was_lost_is_filled_again() {
    let (card, dir) = (card(), tempfile::tempdir().unwrap());
    let text = said(&import(Way::Further, card.path(), dir.path(), "none"));
    assert!(text.contains("safe=Some(true)"), "{text}");
    let before = Snapshot::of(card.path()).unwrap();
    let further = dir.path().join("further");
    std::fs::remove_dir_all(&further).unwrap();
    std::fs::write(&further, b"in the way").unwrap();
    let text = said(&import(Way::Further, card.path(), dir.path(), "none"));
    assert!(text.contains("safe=None") && text.contains("not started"), "{text}");
    std::fs::remove_file(&further).unwrap();
    let text = said(&import(Way::Further, card.path(), dir.path(), "none"));
    assert!(text.contains("safe=Some(true)"), "{text}");
    let library = dir.path().join("library");
    let places = Places { library: &library, catalog: None, also: std::slice::from_ref(&further) };
    assert_eq!(broken_in(&before, places, Moment::Finished).unwrap(), Vec::<String>::new());
}

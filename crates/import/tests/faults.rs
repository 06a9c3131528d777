//! Breaks the import at every point at which it touches the world, and looks whether a promise broke.
//!
//! The points are numbered by the engine itself (the `faults` feature). Each run is a child process, this test
//! program again, told by environment variables where to be killed or to fail. After each the checker looks;
//! then the same import runs again without a fault, must finish, and the checker looks once more.
//!
//! By default every n-th point is visited, so that the suite stays quick; `LIGHTFAST_FAULTS=all` visits all.
#![cfg(feature = "faults")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use lightfast_import::fault::{Injection, Op, arm, count};
use lightfast_import::{Host, Options, prepare};
use lightfast_testkit::TestCard;
use lightfast_testkit::invariants::{Moment, Snapshot, broken};
use rustix::io::Errno;

/// What a child is told.
const CARD: &str = "LIGHTFAST_FAULT_CARD";
const LIBRARY: &str = "LIGHTFAST_FAULT_LIBRARY";
const FAULT: &str = "LIGHTFAST_FAULT";
/// Points visited of each kind by default.
const SAMPLE: u64 = 24;

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
    arm(parse(&fault));
    let host = Host { now: jiff::Timestamp::now, zone: jiff::tz::TimeZone::UTC, worker: None, workers: 1 };
    let stop = AtomicBool::new(false);
    let events = |_| {};
    let options = Options::new(vec![card.into()], library.into());
    let ended = prepare(options, &host, &events, &stop).and_then(|prepared| prepared.perform(&host, &events, &stop));
    let points = count();
    match ended {
        Ok(ended) => {
            println!("safe={:?} points={points} not_safe={:?}", ended.report.safe_to_format, ended.report.not_safe)
        }
        Err(error) => println!("safe=None points={points} not started: {error}"),
    }
}

fn parse(text: &str) -> Option<Injection> {
    let mut words = text.split(':');
    let at = |word: Option<&str>| word.unwrap().parse().unwrap();
    match words.next().unwrap() {
        "kill" => Some(Injection::Kill { at: at(words.next()) }),
        "fail" => {
            let (at, errno) = (at(words.next()), words.next().unwrap().parse().unwrap());
            Some(Injection::Fail { at, errno, only: words.next().and_then(op) })
        }
        _ => None,
    }
}

fn op(name: &str) -> Option<Op> {
    [Op::Sync, Op::Write, Op::Commit, Op::Rename, Op::MakeFolder].into_iter().find(|op| format!("{op:?}") == name)
}

fn import(card: &Path, library: &Path, fault: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CARD, card)
        .env(LIBRARY, library)
        .env(FAULT, fault)
        .output()
        .unwrap()
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
fn survive(fault: &str) -> String {
    let (card, dir) = (card(), tempfile::tempdir().unwrap());
    let library = dir.path().join("library");
    let before = Snapshot::of(card.path()).unwrap();
    let first = said(&import(card.path(), &library, fault));
    let found = broken(card.path(), &before, &library, Moment::AfterFault).unwrap();
    assert!(found.is_empty(), "{fault}: {found:#?}\n{first}");
    let again = said(&import(card.path(), &library, "none"));
    assert!(again.contains("safe=Some(true)"), "{fault}: the second run did not finish: {again}\nafter: {first}");
    let found = broken(card.path(), &before, &library, Moment::Finished).unwrap();
    assert!(found.is_empty(), "{fault}: {found:#?}");
    first
}

fn total_points() -> u64 {
    let (card, dir) = (card(), tempfile::tempdir().unwrap());
    let text = said(&import(card.path(), &dir.path().join("library"), "none"));
    assert!(text.contains("safe=Some(true)"), "{text}");
    number(&text, "points=")
}

#[test]
fn kill9_every_point() {
    let total = total_points();
    let visited = points(total + 2);
    for at in &visited {
        survive(&format!("kill:{at}"));
    }
    println!("killed at {} of {total} points", visited.len());
}

fn fail_every_point(errno: Errno) {
    let total = total_points();
    for at in points(total) {
        let first = survive(&format!("fail:{at}:{}", errno.raw_os_error()));
        let is_safe = first.contains("safe=Some(true)");
        // A fault at a point that only clears up afterwards may leave the verdict as it is; whatever it says is checked.
        if is_safe {
            assert!(!first.contains("not started"), "{first}");
        }
    }
}

#[test]
fn eio_every_point() {
    fail_every_point(Errno::IO);
}

#[test]
fn enospc_every_point() {
    fail_every_point(Errno::NOSPC);
}

#[test]
fn eintr_every_point() {
    fail_every_point(Errno::INTR);
}

#[test]
fn emfile_every_point() {
    fail_every_point(Errno::MFILE);
}

#[test]
fn fsync_fails_once() {
    let first = survive(&format!("fail:1:{}:Sync", Errno::IO.raw_os_error()));
    assert!(first.contains("safe=Some(false)") || first.contains("not started"), "{first}");
}

#[test]
fn disk_full_at_commit() {
    let first = survive(&format!("fail:1:{}:Commit", Errno::NOSPC.raw_os_error()));
    assert!(first.contains("safe=Some(false)"), "{first}");
}

#[test]
fn disk_full_at_rename() {
    let first = survive(&format!("fail:1:{}:Rename", Errno::NOSPC.raw_os_error()));
    assert!(first.contains("safe=Some(false)"), "{first}");
}

#[test]
fn disk_full_at_mkdir() {
    let first = survive(&format!("fail:1:{}:MakeFolder", Errno::NOSPC.raw_os_error()));
    assert!(first.contains("safe=Some(false)"), "{first}");
}

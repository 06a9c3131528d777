//! The power fails in the middle of an import: on ext4 and xfs (the file system is shut down without its log), and on
//! a disk of our own that forgets what was not synced. Nothing that was said to be copied may be gone, no original may
//! be torn, and the same command finishes. With the syncs taken out the same cuts lose files, so the harness can see.
//!
//! A few cuts by default; `LIGHTFAST_CUTS=400` makes so many of each kind.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use lightfast_testkit::TestCard;
use lightfast_testkit::fuse::{Disk, LossyDisk, Sync};
use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in, lost};
use serde_json::Value;

use crate::support::{Mounted, Output, TestLibrary, noise, ran, skipped, text};

/// How many cuts of each kind.
fn cuts(default: u64) -> u64 {
    std::env::var("LIGHTFAST_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// From where cuts are numbered, so that a long run can be made in parts.
fn first_seed() -> u64 {
    std::env::var("LIGHTFAST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A number below `below`, the same for the same seed.
fn chance(seed: u64, below: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x % below.max(1)
}

fn card() -> TestCard {
    (1..=24u64).fold(TestCard::new(), |card, n| {
        let size = 20_000 + (n * 37 % 11) as usize * 30_000;
        card.file(format!("DCIM/100EOS5D/IMG_{n:04}.CR2"), noise(size, n))
    })
}

/// An import whose power fails after some time.
struct Cut<'a> {
    card: &'a TestCard,
    library: &'a TestLibrary,
    more: &'a [&'a str],
    /// In front of the program: `strace` that takes the syncs out.
    before: &'a [&'a str],
}

/// What was said before the cut.
struct Said {
    copied: Vec<(PathBuf, String)>,
    /// Whether the import had ended before the power did.
    had_ended: bool,
}

impl Cut<'_> {
    fn command(&self) -> Command {
        let mut arguments = vec!["import", text(self.card.path()), "--json", "--thumbnails", "no"];
        arguments.extend(self.more);
        match self.before {
            [] => self.library.command(arguments),
            [program, rest @ ..] => {
                let mut command = Command::new(program);
                command.args(rest).arg(env!("CARGO_BIN_EXE_lightfast")).args(arguments);
                self.library.surround(&mut command);
                command
            }
        }
    }

    fn finish(&self) -> Output {
        Output::of(&mut self.command())
    }

    /// Imports until `after`, then calls `power_off`, and kills what is left of the process.
    fn run(&self, after: Duration, power_off: impl FnOnce()) -> Said {
        let mut child = self.command().stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (lines_to, lines) = channel();
        let reader = std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = lines_to.send(line);
            }
        });
        let begin = Instant::now();
        let mut said = Vec::new();
        let had_ended = loop {
            match lines.recv_timeout(after.saturating_sub(begin.elapsed())) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Timeout) => break false,
                Err(RecvTimeoutError::Disconnected) => break true,
            }
            if begin.elapsed() >= after {
                break false;
            }
        };
        said.extend(lines.try_iter());
        power_off();
        let _ = child.kill();
        let _ = child.wait();
        let _ = reader.join();
        let files = said.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let copied = files.filter(|event| event["event"] == "file" && event["state"] == "copied");
        let copied = copied
            .filter_map(|event| Some((PathBuf::from(event["path"].as_str()?), event["hash"].as_str()?.to_owned())));
        Said { copied: copied.collect(), had_ended }
    }
}

#[derive(Default)]
struct Count {
    cuts: u64,
    in_the_middle: u64,
    said: u64,
    lost: Vec<String>,
    broken: Vec<String>,
    unfinished: u64,
}

impl Count {
    /// Looks at what a cut left.
    fn look(&mut self, said: &Said, before: &Snapshot, library: &Path) {
        self.cuts += 1;
        self.in_the_middle += u64::from(!said.had_ended);
        self.said += said.copied.len() as u64;
        let claims = said.copied.iter().map(|(path, hash)| (path.as_path(), hash.as_str()));
        self.lost.extend(lost(claims, library).unwrap());
        self.broken.extend(broken_in(before, Places::of(library), Moment::AfterFault).unwrap());
    }

    fn finished(&mut self, output: &Output, before: &Snapshot, library: &Path) {
        let is_done = output.code == 0 && output.report()["safe_to_format"] == true;
        if !is_done {
            self.unfinished += 1;
            self.broken.push(format!("rerun: exit {}, {}", output.code, output.err));
        }
        self.broken.extend(broken_in(before, Places::of(library), Moment::Finished).unwrap());
    }

    fn say(&self, kind: &str, begin: Instant) {
        println!(
            "power cuts on {kind}: {} cuts ({} in the middle), {} files said to be copied, {} lost, {} broken, {} reruns not finished, {:.1} min",
            self.cuts,
            self.in_the_middle,
            self.said,
            self.lost.len(),
            self.broken.len(),
            self.unfinished,
            begin.elapsed().as_secs_f64() / 60.0
        );
    }

    fn none_is_lost(&self) {
        assert!(self.lost.is_empty() && self.broken.is_empty(), "{:#?} {:#?}", self.lost, self.broken);
        assert_eq!(self.unfinished, 0);
        assert!(self.in_the_middle > 0, "no cut came in the middle of an import");
    }
}

const NO_SYNCS: &[&str] =
    &["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync,fdatasync,sync_file_range:retval=0"];

/// Cuts the power of a mounted image; `None`, said by name, where that cannot be done here.
fn cut_block(test: &str, make: &[&str], megabytes: u64, times: u64, before: &[&str]) -> Option<Count> {
    let memory = Mounted::memory("size=2g");
    let folder = memory.as_ref().map(Mounted::path);
    let card = card();
    let snapshot = Snapshot::of(card.path()).unwrap();
    let begin = Instant::now();
    let mut count = Count::default();
    let mut span = Duration::ZERO;
    let mut disk: Option<Mounted> = None;
    for at in 0..times {
        let seed = first_seed() + at;
        if at % 8 == 0 {
            disk = None;
        }
        if disk.is_none() {
            disk = Mounted::image_in(folder, megabytes, make, &["mount"]);
        }
        let Some(here) = &disk else {
            skipped(test, &format!("{} cannot be mounted", make[0]));
            return None;
        };
        let library = TestLibrary::at(here.path().join(format!("library-{at}")));
        let cut = Cut { card: &card, library: &library, more: &[], before };
        if span.is_zero() {
            // How long it takes when nothing happens; the cuts fall anywhere in that time.
            let whole = Instant::now();
            let other = TestLibrary::at(here.path().join("whole"));
            let _ = Cut { library: &other, ..cut }.finish().exits(0);
            span = whole.elapsed();
        }
        let after = span * chance(seed, 1100) as u32 / 1000;
        let place = text(here.path()).to_owned();
        let mut off = true;
        let said = cut.run(after, || off = ran("xfs_io", &["-x", "-c", "shutdown", &place]));
        if !off || !here.unmount() || !here.mount() {
            skipped(test, "the file system cannot be shut down, or not be mounted again");
            return None;
        }
        count.look(&said, &snapshot, library.path());
        if before.is_empty() {
            count.finished(&cut.finish(), &snapshot, library.path());
        }
    }
    count.say(test, begin);
    Some(count)
}

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-F"];
const XFS: &[&str] = &["mkfs.xfs", "-q", "-f"];

#[test]
fn power_cut_ext4() {
    if let Some(count) = cut_block("power_cut_ext4", EXT4, 96, cuts(6), &[]) {
        count.none_is_lost();
    }
}

#[test]
fn power_cut_xfs() {
    if let Some(count) = cut_block("power_cut_xfs", XFS, 320, cuts(6), &[]) {
        count.none_is_lost();
    }
}

/// The same without syncs: the harness must see that files are lost.
#[test]
fn power_cut_without_syncs_loses_files() {
    if !ran("strace", &["-V"]) {
        return skipped("power_cut_without_syncs_loses_files", "no strace");
    }
    let test = "power_cut_without_syncs_loses_files";
    if let Some(count) = cut_block(test, EXT4, 96, cuts(6).clamp(6, 40), NO_SYNCS) {
        assert!(!count.lost.is_empty() || !count.broken.is_empty(), "no loss was seen in {} cuts", count.cuts);
    }
}

fn lossy(test: &str, disk: Disk, sync: Sync) -> Option<LossyDisk> {
    LossyDisk::mount(disk, sync).map_err(|error| skipped(test, &format!("no FUSE: {error}"))).ok()
}

#[test]
fn power_cut_forgets_what_was_not_synced() {
    let test = "power_cut_forgets_what_was_not_synced";
    let card = card();
    let snapshot = Snapshot::of(card.path()).unwrap();
    let begin = Instant::now();
    let mut count = Count::default();
    let mut span = Duration::ZERO;
    for at in 0..cuts(6) {
        let seed = first_seed() + at;
        if span.is_zero() {
            let Some(disk) = lossy(test, Disk::new(), Sync::Honest) else { return };
            let library = TestLibrary::at(disk.path().join("library"));
            let whole = Instant::now();
            let _ = Cut { card: &card, library: &library, more: &[], before: &[] }.finish().exits(0);
            span = whole.elapsed();
        }
        let Some(disk) = lossy(test, Disk::new(), Sync::Honest) else { return };
        let library = TestLibrary::at(disk.path().join("library"));
        let cut = Cut { card: &card, library: &library, more: &[], before: &[] };
        let said = cut.run(span * chance(seed, 1100) as u32 / 1000, || disk.cut());
        let Some(disk) = lossy(test, disk.after_cut(seed), Sync::Honest) else { return };
        let library = TestLibrary::at(disk.path().join("library"));
        count.look(&said, &snapshot, library.path());
        let cut = Cut { card: &card, library: &library, more: &[], before: &[] };
        count.finished(&cut.finish(), &snapshot, library.path());
    }
    count.say(test, begin);
    count.none_is_lost();
}

/// A disk that lies about syncs is beyond any program; `verify` finds what it lost.
#[test]
fn fsync_lies_then_power_cut() {
    let test = "fsync_lies_then_power_cut";
    let Some(disk) = lossy(test, Disk::new(), Sync::Lies) else { return };
    let catalog = tempfile::tempdir().unwrap();
    let card = card();
    let library = TestLibrary::at(disk.path().join("library"));
    let more = ["--catalog", text(catalog.path())];
    let cut = Cut { card: &card, library: &library, more: &more, before: &[] };
    let report = cut.finish().exits(0).report();
    assert_eq!(report["safe_to_format"], true, "the disk said that all was synced");
    let Some(disk) = lossy(test, disk.after_cut(1), Sync::Honest) else { return };
    let library = TestLibrary::at(disk.path().join("library"));
    let output = library.run(["verify", "--json", "--catalog", text(catalog.path())]);
    assert!(matches!(output.code, 1 | 3), "exit {}: {}", output.code, output.text());
    if output.code == 3 {
        assert!(output.report()["bad"].as_u64().unwrap() > 0);
    }
}

//! The tracer over real programs: its bytes must be the truth, and staged files must be found.
//!
//! Generated files only. Where `strace` is not installed or not allowed, a test says so and returns.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test's helpers fail loudly and say why nothing ran")]

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lightfast_bench::trace::{
    Evidence, Output, Place, Target, TraceError, TraceOptions, TraceReport, html, text, trace, watch,
};

/// Bytes of each made file; no two alike, none a multiple of a block.
const SIZES: [usize; 4] = [3_000_001, 2_000_003, 1_000_033, 65_537];

struct Room {
    dir: tempfile::TempDir,
    /// A folder on another file system, where the machine has one.
    shm: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let card = dir.path().join("card");
        std::fs::create_dir_all(&card).unwrap();
        for (n, size) in SIZES.iter().enumerate() {
            // Noise: each block begins with bytes found nowhere else.
            let mut state = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let noise = (0..*size).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            });
            std::fs::write(card.join(format!("IMG_{n} (1), a.CR2")), noise.collect::<Vec<u8>>()).unwrap();
        }
        Self { dir, shm: tempfile::tempdir_in("/dev/shm").unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    /// Traces a shell script; `$CARD`, `$DEST` and `$STAGE` are its folders.
    fn sh(&self, script: &str) -> Option<TraceReport> {
        self.run(&["sh", "-c", script])
    }

    fn run(&self, command: &[&str]) -> Option<TraceReport> {
        let dest = self.path("library");
        let set = |name: &str, value: &Path| OsString::from(format!("{name}={}", value.display()));
        let mut words: Vec<OsString> = vec!["env".into()];
        words.extend([set("CARD", &self.path("card")), set("DEST", &dest), set("STAGE", self.shm.path())]);
        words.extend(command.iter().map(OsString::from));
        match trace(&TraceOptions {
            target: Target::Command(words),
            dest: Some(dest),
            output: Output::Discarded,
            timeout: None,
        }) {
            Ok(report) => Some(report),
            Err(e @ (TraceError::NoStrace | TraceError::Refused(_))) => {
                eprintln!("not run: {e}");
                None
            }
            Err(e) => panic!("{e}"),
        }
    }
}

fn all() -> u64 {
    SIZES.iter().map(|&s| s as u64).sum()
}

fn within_1_percent(found: u64, truth: u64) {
    assert!(found.abs_diff(truth) * 100 <= truth, "{found} is not {truth}");
}

/// Bytes out of and into all folders below this one.
fn below(report: &TraceReport, folder: &Path) -> (u64, u64) {
    let inside = report.folders.iter().filter(|f| f.path.as_path().starts_with(folder));
    inside.fold((0, 0), |(out, into), f| (out + f.totals.bytes_out(), into + f.totals.bytes_in()))
}

#[test]
fn cp_moves_each_byte_once_and_stages_nothing() {
    let room = Room::new();
    let Some(report) = room.sh("cp -a \"$CARD\" \"$DEST\"; sync -f \"$DEST\"") else { return };
    within_1_percent(below(&report, &room.path("card")).0, all());
    within_1_percent(below(&report, &room.path("library")).1, all());
    assert_eq!(report.staging.files, 0, "{:?}", report.staging.list);
    assert_eq!(report.exit, Some(0));
    assert!(report.processes.iter().any(|p| p.name == "cp"), "{:?}", report.processes);
}

#[test]
fn staging_on_another_file_system_and_moving_in_is_found() {
    let room = Room::new();
    let Some(report) = room.sh("mkdir \"$DEST\"; cp \"$CARD\"/* \"$STAGE\"; mv \"$STAGE\"/* \"$DEST\"") else { return };
    assert_eq!(report.staging.files, 4, "{}", text(&report));
    within_1_percent(report.staging.written, all());
    within_1_percent(report.staging.read_back, all());
    within_1_percent(below(&report, room.shm.path()).1, all());
    assert!(report.staging.list.iter().all(|s| s.cleaned_up && s.staged.as_path().starts_with(room.shm.path())));
    assert!(report.renames.across_file_systems_refused >= 1, "{:?}", report.renames);
}

#[test]
fn staging_on_the_same_file_system_and_renaming_is_found_and_costs_no_second_write() {
    let room = Room::new();
    let script = "mkdir \"$DEST\" \"$DEST/../tmp\"; cp \"$CARD\"/* \"$DEST/../tmp\"; mv \"$DEST\"/../tmp/* \"$DEST\"";
    let Some(report) = room.sh(script) else { return };
    assert_eq!(report.staging.files, 4, "{}", text(&report));
    assert!(report.staging.list.iter().all(|s| s.evidence == Evidence::Renamed));
    within_1_percent(report.staging.written, all());
    assert_eq!(report.staging.read_back, 0);
    assert_eq!(report.renames.into_destination, 4);
    // They were written outside, whatever they are called now.
    within_1_percent(below(&report, &room.path("tmp")).1, all());
}

#[test]
fn a_file_read_back_by_another_program_is_known_by_its_content() {
    let room = Room::new();
    // `dd` reads and writes through memory; the two halves are different processes joined by a pipe.
    let script = "mkdir \"$DEST\"; for f in \"$CARD\"/*; do dd if=\"$f\" of=\"$STAGE/x\" bs=64k; \
                  cat \"$STAGE/x\" | dd of=\"$DEST/${f##*/}\" bs=64k iflag=fullblock; rm \"$STAGE/x\"; done";
    let Some(report) = room.sh(script) else { return };
    assert_eq!(report.staging.files, 4, "{}", text(&report));
    within_1_percent(report.staging.written, all());
}

#[test]
fn reading_one_file_while_writing_another_is_no_staging() {
    let room = Room::new();
    let script = "mkdir \"$DEST\"; cp \"$CARD\"/IMG_0* \"$STAGE/note\"; cat \"$STAGE/note\" > /dev/null; \
                  head -c 500000 /dev/urandom > \"$DEST/other\"";
    let Some(report) = room.sh(script) else { return };
    assert_eq!(report.staging.files, 0, "{:?}", report.staging.list);
}

#[test]
fn positioned_and_direct_writes_are_noted_and_counted() {
    let room = Room::new();
    let script = "
import os
src, dest = os.environ['CARD'], os.environ['DEST']
os.mkdir(dest)
for name in os.listdir(src):
    a = os.open(src + '/' + name, os.O_RDONLY)
    b = os.open(dest + '/' + name, os.O_WRONLY | os.O_CREAT)
    at = 0
    while data := os.pread(a, 100000, at):
        os.pwritev(b, [data[:10], data[10:]], at)
        at += len(data)
    os.fsync(b)
";
    let Some(report) = room.run(&["python3", "-c", script]) else { return };
    within_1_percent(below(&report, &room.path("card")).0, all());
    within_1_percent(below(&report, &room.path("library")).1, all());
    let written = report.files.iter().filter(|f| f.place == Place::Destination && f.totals.written > 0);
    assert!(written.clone().count() == 4 && written.clone().all(|f| f.positioned && f.totals.syncs == 1));
}

#[test]
fn threads_count_for_their_process() {
    let room = Room::new();
    let script = "
import os, shutil, threading
src, dest = os.environ['CARD'], os.environ['DEST']
os.mkdir(dest)
def copy(name):
    with open(src + '/' + name, 'rb') as a, open(dest + '/' + name, 'wb') as b:
        while data := a.read(50000):
            b.write(data)
threads = [threading.Thread(target=copy, args=(n,)) for n in os.listdir(src)]
[t.start() for t in threads]
[t.join() for t in threads]
";
    let Some(report) = room.run(&["python3", "-c", script]) else { return };
    within_1_percent(below(&report, &room.path("library")).1, all());
    let python: Vec<_> = report.processes.iter().filter(|p| p.totals.bytes_in() > 0).collect();
    assert_eq!(python.len(), 1, "{:?}", report.processes);
    within_1_percent(python[0].totals.bytes_in(), all());
}

#[test]
fn a_mapped_write_is_named_as_not_counted() {
    let room = Room::new();
    let script = "
import mmap, os
os.mkdir(os.environ['DEST'])
f = open(os.environ['DEST'] + '/mapped', 'w+b')
f.truncate(1000000)
m = mmap.mmap(f.fileno(), 1000000)
m[0:5] = b'hello'
";
    let Some(report) = room.run(&["python3", "-c", script]) else { return };
    assert!(report.not_counted.iter().any(|l| l.contains("library/mapped")), "{:?}", report.not_counted);
}

#[test]
fn the_status_of_the_program_is_told() {
    let room = Room::new();
    let Some(report) = room.sh("exit 7") else { return };
    assert_eq!(report.exit, Some(7));
    assert_eq!(room.sh("kill -9 $$").unwrap().exit, Some(137));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let options = TraceOptions {
        target: Target::Command(vec!["no-such-program".into()]),
        dest: None,
        output: Output::Discarded,
        timeout: None,
    };
    assert_eq!(trace(&options).unwrap_err().to_string(), "find the program no-such-program");
    let options =
        TraceOptions { target: Target::Process(4_194_304), dest: None, output: Output::Discarded, timeout: None };
    assert!(matches!(trace(&options), Err(TraceError::NoProcess(_))));
}

#[test]
fn a_running_program_can_be_joined() {
    let room = Room::new();
    let go = room.path("go");
    let script = format!(
        "while [ ! -e {0} ]; do sleep 0.05; done; cp {1}/IMG_0* {0}.copy",
        go.display(),
        room.path("card").display()
    );
    let mut child = std::process::Command::new("sh").args(["-c", &script]).spawn().unwrap();
    let pid = child.id();
    let joined = std::thread::spawn(move || {
        trace(&TraceOptions { target: Target::Process(pid), dest: None, output: Output::Discarded, timeout: None })
    });
    // The program waits until it is traced, so that nothing depends on how fast the tracer joins.
    let traced =
        || std::fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|s| !s.contains("TracerPid:\t0\n"));
    while !traced() && !joined.is_finished() {
        std::thread::yield_now();
    }
    std::fs::write(&go, "").unwrap();
    child.wait().unwrap();
    match joined.join().unwrap() {
        Ok(report) => {
            within_1_percent(below(&report, &room.path("card")).0, SIZES[0] as u64);
            assert_eq!(report.exit, None);
        }
        Err(e @ (TraceError::NoStrace | TraceError::Refused(_))) => eprintln!("not run: {e}"),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_watch_names_the_process_that_writes() {
    let room = Room::new();
    let (folder, outside) = (room.path("watched"), room.path("outside"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    let (mut seen, mut child) = (Vec::new(), None);
    let script = format!(
        "head -c 5 /dev/zero > {0}/x; head -c 5000 /dev/urandom > {1}/new",
        outside.display(),
        folder.display()
    );
    let result = watch(
        std::slice::from_ref(&folder),
        &mut |event| {
            let done = event.done;
            seen.push(event);
            if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
        &mut || {
            // The first look comes when the watch stands, so nothing can be missed.
            child.get_or_insert_with(|| std::process::Command::new("sh").args(["-c", &script]).spawn().unwrap());
            ControlFlow::Continue(())
        },
    );
    match result {
        Ok(()) => {
            assert!(seen.iter().all(|w| w.path.as_path() == folder.join("new")), "{seen:?}");
            assert_eq!(seen.last().map(|w| (w.bytes, w.done)), Some((5000, true)), "{seen:?}");
        }
        Err(e) => eprintln!("not run: {e}"),
    }
    if let Some(mut child) = child {
        child.wait().unwrap();
    }
}

#[test]
fn the_page_of_a_trace_stands_alone() {
    let room = Room::new();
    let Some(report) = room.sh("mkdir \"$DEST\"; cp \"$CARD\"/* \"$STAGE\"; mv \"$STAGE\"/* \"$DEST\"; sleep 0.3")
    else {
        return;
    };
    let page = html(&report);
    assert!(page.contains("<svg") && page.contains("Written first to") && page.contains("IMG_0 (1), a.CR2"));
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("@import"));
    let links = page.matches("http").count();
    assert_eq!(links, page.matches("http://www.w3.org/2000/svg").count(), "nothing is loaded from elsewhere");
    if let Some(folder) = std::env::var_os("LIGHTFAST_KEEP_PAGES") {
        std::fs::write(PathBuf::from(folder).join("trace.html"), &page).unwrap();
    }
}

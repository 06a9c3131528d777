//! A soak: many files imported under one random fault after another, the same command again each time, until it is
//! done. The library must then be the card.
//!
//! Small by default; `LIGHTFAST_SOAK=all` takes 20,000 small files and 200 large ones.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in};

use crate::support::{Output, TestLibrary, noise, ran, skipped, text};

struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

fn fill(card: &Path, small: u64, large: u64) {
    for number in 0..small + large {
        let folder = card.join(format!("DCIM/{:03}EOS5D", 100 + number / 1000));
        fs::create_dir_all(&folder).unwrap();
        let size = if number < small { 2_000 + (number % 97) as usize * 61 } else { 18_000_000 + number as usize };
        fs::write(folder.join(format!("IMG_{:04}.CR2", number % 1000)), noise(size, number + 1)).unwrap();
    }
}

/// One run of the import with a fault; whether it said that all is safe.
fn attempt(library: &TestLibrary, card: &Path, chance: &mut Chance, span: u64, traced: bool) -> (String, bool) {
    let import = ["import", text(card), "--json", "--thumbnails", "no"];
    let kinds = if traced { 8 } else { 3 };
    let at = 1 + chance.next(400);
    let (fault, mut command, signal) = match chance.next(kinds) {
        0 => ("kill -9".to_owned(), library.command(import), Some("-KILL")),
        1 => ("SIGINT".to_owned(), library.command(import), Some("-INT")),
        2 => ("SIGTERM".to_owned(), library.command(import), Some("-TERM")),
        kind => {
            let (call, error) = [
                ("fsync", "EIO"),
                ("pwrite64", "ENOSPC"),
                ("renameat2", "EIO"),
                ("openat", "EMFILE"),
                ("fdatasync", "EIO"),
            ][kind as usize - 3];
            let inject = format!("inject={call}:error={error}:when={at}");
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
            command.arg(env!("CARGO_BIN_EXE_lightfast")).args(import);
            library.surround(&mut command);
            (format!("{error} at {call} {at}"), command, None)
        }
    };
    let log = library.dir().join("said");
    let out = fs::File::create(&log).unwrap();
    let mut child = command.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    if let Some(signal) = signal {
        let (ended_to, ended) = channel::<()>();
        let pid = child.id().to_string();
        let after = Duration::from_millis(chance.next(span));
        let sender = std::thread::spawn(move || {
            // Ends early when the child has ended, so that its number is never another's.
            if ended.recv_timeout(after).is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args([signal, &pid]).output();
            }
        });
        let done = child.wait();
        drop(ended_to);
        let _ = sender.join();
        let _ = done;
    } else {
        let _ = child.wait();
    }
    let said = fs::read_to_string(&log).unwrap();
    (fault, said.contains("\"safe_to_format\":true"))
}

#[test]
fn soak_under_random_faults() {
    let all = std::env::var("LIGHTFAST_SOAK").is_ok_and(|value| value == "all");
    let (small, large, faults) = if all { (20_000, 200, 60) } else { (200, 2, 8) };
    let traced = ran("strace", &["-V"]);
    if !traced {
        skipped("soak_under_random_faults", "no strace: only signals");
    }
    let begin = Instant::now();
    let library = TestLibrary::new();
    let card = library.dir().join("card");
    fill(&card, small, large);
    let before = Snapshot::of(&card).unwrap();
    let mut chance = Chance(20_261_130);
    let span = if all { 6_000 } else { 400 };
    let mut runs = 0;
    for number in 0..faults {
        let (fault, safe) = attempt(&library, &card, &mut chance, span, traced);
        runs += 1;
        // The whole library is looked at now and then, and at the end.
        if !all || number % 10 == 9 {
            let found = broken_in(&before, Places::of(library.path()), Moment::AfterFault).unwrap();
            assert!(found.is_empty(), "{fault}: {found:#?}");
        }
        if safe && number > faults / 2 {
            break;
        }
    }
    let report = Output::of(&mut library.command(["import", text(&card), "--json", "--thumbnails", "no"])).exits(0);
    assert_eq!(report.report()["safe_to_format"], true);
    let found = broken_in(&before, Places::of(library.path()), Moment::Finished).unwrap();
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(library.originals().len() as u64, small + large);
    assert!(Snapshot::of(&card).unwrap() == before);
    println!(
        "soak: {} files, {runs} runs with faults, 0 broken, the library is the card, {:.1} min",
        small + large,
        begin.elapsed().as_secs_f64() / 60.0
    );
}

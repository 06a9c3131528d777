//! The benchmark over small made cards. `lightfast` itself is stood in for by a script with the same command line
//! and events, so that these tests need no other binary; what it measures of the real one is in docs/BENCHMARKS.md.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test's helpers fail loudly and say why nothing ran")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lightfast_bench::bench::{
    BenchOptions, BenchReport, Encryption, MadeCard, Program, Row, SlowDisk, Verdict, bench, compare, html, read_saved,
    text,
};

const FILES: usize = 5;
const SIZE: usize = 600_000;

struct Room {
    dir: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let card = dir.path().join("card/DCIM/100");
        std::fs::create_dir_all(&card).unwrap();
        let mut state: u64 = 7;
        for n in 0..FILES {
            let noise = (0..SIZE + n).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            });
            std::fs::write(card.join(format!("IMG_{n}.CR2")), noise.collect::<Vec<u8>>()).unwrap();
        }
        std::fs::create_dir(dir.path().join("to")).unwrap();
        let exe = dir.path().join("lightfast");
        let script = "#!/bin/sh\ncase $1 in\n--json) for word; do from=$to; to=$word; done;;\n\
                      import) from=$2 to=$4;;\n*) exit 1;;\nesac\ncp -a \"$from/.\" \"$to\"\n\
                      echo '{\"event\":\"progress\",\"stage\":\"thumbnails\",\"files\":1}'\n\
                      echo '{\"event\":\"report\",\"safe_to_format\":false,\"stages\":{\"copy\":0.25}}'\n";
        std::fs::write(&exe, script).unwrap();
        std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn options(&self, against: &[&str]) -> BenchOptions {
        BenchOptions {
            exe: self.path("lightfast"),
            to: vec![self.path("to")],
            encrypted: Vec::new(),
            accounts: Vec::new(),
            card: Some(self.path("card")),
            make: MadeCard { files: 1, megapixels: 1, seed: 1 },
            card_speed: None,
            against: against.iter().map(|a| Program::against(a).unwrap()).collect(),
            rendered: false,
            ablate: false,
            slow_disk: None,
            rounds: 2,
            timeout: Duration::from_secs(60),
            idle: Duration::from_millis(50),
            made_at: "2026-11-30T20:00:00Z".into(),
            command: vec!["lightfast".into(), "bench".into()],
        }
    }
}

fn run(options: &BenchOptions) -> BenchReport {
    bench(options, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

fn row<'a>(report: &'a BenchReport, program: &str) -> &'a Row {
    report.rows.iter().find(|r| r.program == program).unwrap_or_else(|| panic!("{program}"))
}

#[test]
fn every_program_is_measured_whole_and_staging_is_told() {
    let room = Room::new();
    let stage = tempfile::tempdir_in("/dev/shm").unwrap();
    let staging = format!("stages={{ t={}; cp -r {{src}}/. $t; mv $t/* {{dst}}; }}", stage.path().display());
    let report = run(&room.options(&[&staging]));
    for row in &report.rows {
        assert_eq!(row.complete, FILES as u64, "{}", row.program);
        assert_eq!(row.failure, None, "{}", row.program);
        assert!(row.durable_seconds.unwrap().rounds == 2 && row.exit_seconds.is_some());
    }
    assert_eq!(row(&report, "cp -a").ratio.map(|r| (r.low, r.high)), Some((1.0, 1.0)));
    assert!(row(&report, "lightfast stream").first_thumbnail_seconds.is_some());
    assert_eq!(row(&report, "lightfast cold").stages["copy"], 0.25);
    // sha256sum reads both sides; the copy alone does not burn so much.
    let checked = row(&report, "cp -a, then sha256sum of both");
    assert!(checked.user_seconds > Some(0.0), "{checked:?}");
    match row(&report, "stages").traced.clone() {
        Some(traced) => {
            assert_eq!(traced.staged_files, FILES as u64);
            assert!(traced.outside >= (FILES * SIZE) as u64);
            assert_eq!(row(&report, "cp -a").traced.as_ref().map(|t| (t.outside, t.staged_files)), Some((0, 0)));
        }
        None => eprintln!("not traced: {:?}", report.remarks),
    }
    assert_eq!(std::fs::read_dir(room.path("to")).unwrap().count(), 0, "everything is taken down again");
}

#[test]
fn a_program_that_hangs_fails_or_loses_a_file_costs_its_own_row_only() {
    let room = Room::new();
    let mut options = room.options(&[
        "hangs=echo {src} {dst} >/dev/null; sleep 600",
        "fails=echo {src} {dst} >/dev/null; echo 'no such camera' >&2; exit 9",
        "loses=cp -a {src}/. {dst}; rm {dst}/DCIM/100/IMG_3.CR2",
    ]);
    options.timeout = Duration::from_secs(5);
    options.rounds = 1;
    let report = run(&options);
    let failure = |name: &str| row(&report, name).failure.clone().unwrap_or_default();
    assert_eq!(failure("hangs"), "it was stopped after 5 s without an end");
    assert_eq!(failure("fails"), "it ended with status 9: no such camera");
    assert_eq!(failure("loses"), "only 4 of 5 files arrived whole");
    assert_eq!(row(&report, "cp -a").failure, None);
    assert_eq!(row(&report, "loses").verdict, Verdict::Failed);
    assert!(text(&report).contains("failed: it ended with status 9: no such camera"));
}

#[test]
fn what_is_saved_can_be_compared_and_the_page_stands_alone() {
    let room = Room::new();
    let report = run(&room.options(&[]));
    let saved = room.path("run.json");
    std::fs::write(&saved, serde_json::to_string(&report).unwrap()).unwrap();
    let again = read_saved(&saved).unwrap();
    assert_eq!(text(&again), text(&report));
    let both = compare(&[("old".into(), report), ("new".into(), again)]);
    assert!(both.contains("old") && both.contains("lightfast cold") && !both.contains("different cards"), "{both}");
    let page = html(&read_saved(&saved).unwrap());
    assert!(page.contains("<svg") && !page.contains("<script") && !page.contains("src="));
    if let Some(folder) = std::env::var_os("LIGHTFAST_KEEP_PAGES") {
        std::fs::write(Path::new(&folder).join("bench.html"), &page).unwrap();
    }
    std::fs::write(&saved, "{\"version\":99}").unwrap();
    assert!(read_saved(&saved).unwrap_err().to_string().contains("its version is 99"));
}

#[test]
fn an_encrypted_destination_is_made_booked_and_taken_down() {
    let room = Room::new();
    let mut options = room.options(&[]);
    options.encrypted = vec![Encryption::Gocryptfs];
    options.rounds = 1;
    let report = run(&options);
    let Some(n) = report.destinations.iter().position(|d| d.name == "gocryptfs") else {
        eprintln!("not run: {:?}", report.remarks);
        return;
    };
    let row = report.rows.iter().find(|r| r.destination == n && r.program == "cp -a").unwrap();
    assert_eq!((row.complete, &row.failure), (FILES as u64, &None));
    // The daemon writes what the program does not: the encrypted bytes.
    assert!(row.helper_written >= (FILES * SIZE) as u64, "{row:?}");
    assert_eq!(std::fs::read_dir(room.path("to")).unwrap().count(), 0);
}

#[test]
fn a_card_that_cannot_be_slowed_is_said_and_the_rest_comes() {
    let room = Room::new();
    let mut options = room.options(&[]);
    options.rounds = 1;
    options.card_speed = Some(6_000_000);
    let report = run(&options);
    match report.card_speed {
        // 3 MB at 6 MB/s take half a second; the first slice of time comes as a burst.
        Some(_) => assert!(row(&report, "cp -a").durable_seconds.unwrap().low > 0.3, "{}", text(&report)),
        None => assert!(report.remarks.iter().any(|r| r.starts_with("the card is not slowed")), "{:?}", report.remarks),
    }
    assert_eq!(std::fs::read_dir(room.path("to")).unwrap().count(), 0);
}

#[test]
fn what_is_left_out_gets_a_cost_and_the_old_importer_a_sum() {
    let room = Room::new();
    let mut options = room.options(&[]);
    options.ablate = true;
    options.rounds = 1;
    let report = run(&options);
    let costs: Vec<(&str, usize)> = report.ablations.iter().map(|a| (a.program.as_str(), a.parts.len())).collect();
    assert_eq!(costs, [("lightfast cold", 6), ("old importer", 5)]);
    assert!(report.ablations[1].sum.is_some() && report.ablations[0].sum.is_none());
    assert!(text(&report).contains("What each part of old importer costs"));
    assert!(html(&report).contains("What each part of lightfast cold costs"));
}

#[test]
fn a_disk_that_seeks_is_made_and_taken_down_or_said_not_to_be() {
    let room = Room::new();
    let mut options = room.options(&[]);
    options.rounds = 1;
    options.slow_disk = Some(SlowDisk { bytes_per_second: 6_000_000, requests_per_second: 100, memory: 1 << 30 });
    let report = run(&options);
    match report.destinations.iter().position(|d| d.name == "slow disk") {
        Some(n) => {
            let row = report.rows.iter().find(|r| r.destination == n && r.program == "cp -a").unwrap();
            assert_eq!((row.complete, &row.failure), (FILES as u64, &None));
            assert!(row.durable_seconds.unwrap().low > 0.3, "{}", text(&report));
            assert!(report.slow_disk.is_some());
        }
        None => assert!(report.remarks.iter().any(|r| r.starts_with("no slow disk: ")), "{:?}", report.remarks),
    }
    assert_eq!(std::fs::read_dir(room.path("to")).unwrap().count(), 0);
}

#[test]
fn another_account_has_its_own_row_or_is_said_not_to_be() {
    let room = Room::new();
    std::fs::set_permissions(room.dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(room.path("theirs")).unwrap();
    let mut options = room.options(&[]);
    options.accounts = vec![("nobody".into(), room.path("theirs")), ("no-such-account".into(), room.path("theirs"))];
    options.rounds = 1;
    let report = run(&options);
    assert!(report.remarks.iter().any(|r| r.starts_with("no transfer as no-such-account: ")), "{:?}", report.remarks);
    match report.destinations.iter().position(|d| d.account.as_deref() == Some("nobody")) {
        Some(n) => {
            let row = report.rows.iter().find(|r| r.destination == n && r.program == "cp -a").unwrap();
            // A folder above may be closed to others; then the row says so.
            assert!(row.complete == FILES as u64 || row.failure.is_some(), "{row:?}");
        }
        None => {
            assert!(report.remarks.iter().any(|r| r.starts_with("no transfer as nobody: ")), "{:?}", report.remarks)
        }
    }
    assert_eq!(std::fs::read_dir(room.path("theirs")).unwrap().count(), 0);
}

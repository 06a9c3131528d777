//! The copy engine and its hashes: a made card imported by `stream` and `cold`, a copy read back, BLAKE3, XXH3.
//!
//! `cargo bench -p lightfast-import --bench copy`. The card (24 RAWs of 4 megapixels) is made once, under the build's
//! temporary folder, and imported from the page cache: what is measured is the engine and the destination's disk, not
//! the card's reader. Thumbnails are left out, since workers are another program; `bench --ablate` has them.
#![allow(clippy::unwrap_used, reason = "a measuring program")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use lightfast_import::{Host, Options, prepare, read_back};
use lightfast_model::{Event, VerifyMode};
use lightfast_testkit::{CardOptions, make_card};

fn main() {
    divan::main();
}

fn temporary() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The card, and its bytes.
fn card() -> &'static (PathBuf, u64) {
    static CARD: OnceLock<(PathBuf, u64)> = OnceLock::new();
    CARD.get_or_init(|| {
        let dir = temporary().join("bench-card");
        let _ = std::fs::remove_dir_all(&dir);
        let made = make_card(&dir, &CardOptions { files: 24, megapixels: 4, seed: 1 }, &mut |_| ()).unwrap();
        (dir, made.bytes())
    })
}

fn import(card: &Path, library: &Path, verify: VerifyMode) {
    let mut options = Options::new(vec![card.to_owned()], library.to_owned());
    options.verify = verify;
    options.thumbnails = false;
    let host = Host { now: jiff::Timestamp::now, zone: jiff::tz::TimeZone::UTC, worker: None, workers: 1 };
    let (events, stop) = (|_: Event| (), AtomicBool::new(false));
    let ended = prepare(options, &host, &events, &stop).unwrap().perform(&host, &events, &stop).unwrap();
    assert_eq!(ended.report.failed, 0);
}

#[divan::bench(args = ["stream", "cold"], sample_count = 12, sample_size = 1)]
fn import_card(bencher: Bencher<'_, '_>, verify: &str) {
    let (card, bytes) = card();
    let mode = if verify == "cold" { VerifyMode::Cold } else { VerifyMode::Stream };
    let fresh = || tempfile::tempdir_in(temporary()).unwrap();
    bencher.counter(BytesCount::new(*bytes)).with_inputs(fresh).bench_refs(|dir| {
        import(card, &dir.path().join("library"), mode);
    });
}

#[divan::bench(sample_count = 12, sample_size = 1)]
fn read_a_copy_back(bencher: Bencher<'_, '_>) {
    const SIZE: usize = 64 << 20;
    let dir = tempfile::tempdir_in(temporary()).unwrap();
    let path = dir.path().join("copy");
    std::fs::write(&path, noise(SIZE)).unwrap();
    std::fs::File::open(&path).unwrap().sync_all().unwrap();
    bencher.counter(BytesCount::new(SIZE)).bench(|| read_back(black_box(&path), SIZE as u64));
}

fn noise(size: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..size).map(|_| next()).collect()
}

const BLOCKS: usize = 16 << 20;

/// The identity of every original.
#[divan::bench]
fn hash_blake3(bencher: Bencher<'_, '_>) {
    let data = noise(BLOCKS);
    bencher.counter(BytesCount::new(BLOCKS)).bench(|| blake3::hash(black_box(&data)));
}

/// Quick keys.
#[divan::bench]
fn hash_xxh3_128(bencher: Bencher<'_, '_>) {
    let data = noise(BLOCKS);
    bencher.counter(BytesCount::new(BLOCKS)).bench(|| xxhash_rust::xxh3::xxh3_128(black_box(&data)));
}

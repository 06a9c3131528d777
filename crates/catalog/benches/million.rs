//! The catalogue at a million photos (or `LIGHTFAST_BENCH_PHOTOS`): pages, search, counts, marks, batches.
//!
//! The catalogue is made once, under the build's temporary folder, and used again by later runs; its making
//! prints how many photos a CPU second went in. Run with `cargo bench -p lightfast-catalog --features synthetic`.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a measuring program")]

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use divan::{Bencher, black_box};
use jiff::Timestamp;
use jiff::civil::date;
use lightfast_catalog::{Catalog, Place, Query, Sort, SortKey, synthetic};

fn photos() -> u32 {
    std::env::var("LIGHTFAST_BENCH_PHOTOS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000)
}

fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("catalog-{}", photos()));
        let place = Place::elsewhere("/synthetic", dir);
        let whole = place.dir().join("whole");
        if !whole.exists() {
            let _ = std::fs::remove_dir_all(place.dir());
            let mut catalog = Catalog::create(&place, Timestamp::UNIX_EPOCH).unwrap();
            let (wall, cpu) = (Instant::now(), cpu_seconds());
            synthetic::fill(&mut catalog, photos(), 1).unwrap();
            let cpu = cpu_seconds() - cpu;
            drop(catalog);
            let size = std::fs::metadata(place.file()).unwrap().len() >> 20;
            eprintln!(
                "made {} photos in {:.1} s, {cpu:.1} CPU s, {:.0} photos a CPU second, {size} MiB",
                photos(),
                wall.elapsed().as_secs_f64(),
                f64::from(photos()) / cpu
            );
            std::fs::write(whole, "").unwrap();
        }
        place
    })
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields.iter().skip(11).take(2).map(|n| n.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

fn open() -> Catalog {
    Catalog::open_read_only(place()).unwrap()
}

fn query(text: &str) -> Query {
    Query::parse(text, date(2026, 11, 30)).unwrap()
}

const PAGES: &[&str] = &[
    "",
    "taken:2012",
    "iso:1600..",
    "lens:70-200",
    "camera:5D iso:1600.. rating:3..",
    "keyword:beach",
    "beach",
    "wedding night",
    "-keyword:beach",
    "type:jpeg",
    "camera:nosuch",
];

#[divan::bench(args = PAGES)]
fn page_of_200_by_date(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    bencher.bench_local(|| black_box(catalog.photos(&query, Sort::default(), Some(200), 0).unwrap()));
}

#[divan::bench(args = PAGES)]
fn row_numbers_of_that_page(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    bencher.bench_local(|| black_box(catalog.rows(&query, Sort::default(), Some(200), 0).unwrap()));
}

#[divan::bench]
fn page_of_200_by_rating(bencher: Bencher<'_, '_>) {
    let catalog = open();
    let sort = Sort { key: SortKey::Rating, descending: true };
    bencher.bench_local(|| black_box(catalog.photos(&Query::all(), sort, Some(200), 0).unwrap()));
}

#[divan::bench(args = PAGES)]
fn count(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    bencher.bench_local(|| black_box(catalog.count(&query).unwrap()));
}

fn main() {
    place();
    divan::main();
}

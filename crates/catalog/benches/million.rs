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
use lightfast_catalog::{By, Catalog, Columns, Place, Query, Sort, SortKey, synthetic};

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

const FILTERS: &[&str] = &[
    "",
    "camera:5D iso:1600.. rating:3..",
    "kind:photo -flag:reject iso:..3200",
    "lens:70-200 taken:2012..2014 rating:1..",
    "keyword:beach rating:1..",
    "-beach",
];

fn columns(catalog: &Catalog) -> &'static Columns {
    static COLUMNS: OnceLock<Columns> = OnceLock::new();
    COLUMNS.get_or_init(|| {
        let columns = Columns::default();
        columns.count(catalog, &Query::all()).unwrap();
        columns
    })
}

#[divan::bench(args = FILTERS)]
fn index_from_columns(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    let columns = columns(&catalog);
    bencher.bench_local(|| black_box(columns.index(&catalog, &query, Sort::default()).unwrap()));
}

#[divan::bench(args = FILTERS, sample_count = 5)]
fn index_from_the_catalogue(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    bencher.bench_local(|| black_box(catalog.index(&query, Sort::default(), None).unwrap()));
}

#[divan::bench(args = FILTERS, sample_count = 20)]
fn facets_from_columns(bencher: Bencher<'_, '_>, text: &str) {
    let (catalog, query) = (open(), query(text));
    let columns = columns(&catalog);
    bencher.bench_local(|| black_box(columns.facets(&catalog, &query).unwrap()));
}

#[divan::bench(sample_count = 3)]
fn columns_read_from_the_start(bencher: Bencher<'_, '_>) {
    let catalog = open();
    bencher.bench_local(|| black_box(Columns::default().count(&catalog, &Query::all()).unwrap()));
}

#[divan::bench(args = ["camera", "iso", "month", "camera,month"], sample_count = 10)]
fn stats(bencher: Bencher<'_, '_>, by: &str) {
    let catalog = open();
    let by: Vec<By> = by.split(',').map(|word| By::parse(word).unwrap()).collect();
    bencher.bench_local(|| black_box(catalog.stats(&Query::all(), &by).unwrap()));
}

/// Batches as an import commits them, on the disk under the build's temporary folder.
#[divan::bench(args = [1, 16, 64], sample_count = 40)]
fn publish_a_batch(bencher: Bencher<'_, '_>, files: usize) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::in_library(dir.path());
    let mut batches = synthetic::Batches::begin(Catalog::create(&place, Timestamp::UNIX_EPOCH).unwrap(), 1).unwrap();
    let batches = std::cell::RefCell::new(&mut batches);
    bencher
        .with_inputs(|| batches.borrow_mut().intend(files).unwrap())
        .bench_local_values(|batch| batches.borrow_mut().publish(&batch).unwrap());
}

fn main() {
    place();
    divan::main();
}

//! Metadata: everything that one file says of itself, by kind of file, in files a second.
//!
//! `cargo bench -p lightfast-media --bench facts [-- PATTERN]`. The files are made once, under the build's temporary
//! folder, and read from the page cache; `LIGHTFAST_BENCH_FILES` names a folder of real ones to read instead.
#![allow(clippy::unwrap_used, reason = "a measuring program")]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use lightfast_media::{FileSource, facts};
use lightfast_testkit::{CardOptions, make_card};

fn main() {
    divan::main();
}

/// Files by the upper-case end of their name.
fn files() -> &'static BTreeMap<String, Vec<PathBuf>> {
    static FILES: OnceLock<BTreeMap<String, Vec<PathBuf>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let dir = match std::env::var_os("LIGHTFAST_BENCH_FILES") {
            Some(dir) => PathBuf::from(dir),
            None => {
                let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench-files");
                let _ = std::fs::remove_dir_all(&dir);
                make_card(&dir, &CardOptions { files: 24, megapixels: 2, seed: 1 }, &mut |_| ()).unwrap();
                dir
            }
        };
        let mut found = BTreeMap::new();
        collect(&dir, &mut found);
        found
    })
}

fn collect(dir: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if let Some(end) = path.extension() {
            found.entry(end.to_string_lossy().to_uppercase()).or_default().push(path);
        }
    }
}

fn kinds() -> Vec<&'static str> {
    files().keys().map(String::as_str).collect()
}

#[divan::bench(args = kinds())]
fn facts_of_files(bencher: Bencher<'_, '_>, kind: &str) {
    let files = files().get(kind).map(Vec::as_slice).unwrap_or_default();
    bencher.counter(ItemsCount::new(files.len())).bench(|| {
        for path in files {
            let file = File::open(path).unwrap();
            black_box(facts(&mut FileSource::new(&file).unwrap(), path.file_name().unwrap()));
        }
    });
}

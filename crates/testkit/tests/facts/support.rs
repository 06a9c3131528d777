//! A small language for these tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use lightfast_media::{BytesSource, FileSource, Source, facts};
use lightfast_model::Facts;

/// The facts of bytes under a name.
pub(crate) fn facts_of(bytes: &[u8], name: &str) -> Facts {
    facts(&mut BytesSource(bytes), OsStr::new(name))
}

/// A source that counts what is asked of it.
pub(crate) struct Counted<'a> {
    pub(crate) bytes: BytesSource<'a>,
    pub(crate) reads: u64,
    pub(crate) read: u64,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: BytesSource(bytes), reads: 0, read: 0 }
    }
}

impl Source for Counted<'_> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read_at(offset, buf)?;
        (self.reads, self.read) = (self.reads + 1, self.read + count as u64);
        Ok(count)
    }
}

/// The corpus of real files: `LIGHTFAST_CORPUS`, else `shared/corpus` beside the repository. Without it a test says so.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let place = std::env::var_os("LIGHTFAST_CORPUS").map_or(beside, PathBuf::from);
    if place.is_dir() {
        return Some(place);
    }
    eprintln!("skipped: no corpus of real files here (LIGHTFAST_CORPUS)");
    None
}

/// Every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort();
    found
}

/// The facts of a file on disk.
pub(crate) fn facts_at(path: &Path) -> Facts {
    let mut source = FileSource::new(std::fs::File::open(path).unwrap()).unwrap();
    facts(&mut source, path.file_name().unwrap())
}

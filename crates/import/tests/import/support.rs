//! A small language for imports in tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use lightfast_import::{Ended, Host, Options, StartError, prepare};
use lightfast_model::{Event, FileEvent, FileState, Report};

/// A library in a temporary folder.
pub(crate) struct TestLibrary {
    dir: tempfile::TempDir,
}

/// What an import said.
#[must_use]
pub(crate) struct Said {
    pub(crate) ended: Ended,
    pub(crate) files: Vec<FileEvent>,
}

impl TestLibrary {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("library")
    }

    pub(crate) fn options(&self, card: &Path) -> Options {
        Options::new(vec![card.to_owned()], self.path())
    }

    pub(crate) fn import(&self, card: &Path) -> Said {
        run(self.options(card)).unwrap()
    }

    /// Originals by their path in the library.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        tree_of(&self.path())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.tree().keys().map(|path| path.to_string_lossy().into_owned()).collect()
    }
}

/// Originals of any destination by their path in it.
pub(crate) fn tree_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut tree = BTreeMap::new();
    collect(root, Path::new(""), &mut tree);
    tree
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if path == Path::new(".lightfast") {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(root, &path, tree);
        } else {
            tree.insert(path, std::fs::read(entry.path()).unwrap());
        }
    }
}

pub(crate) fn host() -> Host {
    Host { now: jiff::Timestamp::now, zone: jiff::tz::TimeZone::UTC, worker: None, workers: 1 }
}

pub(crate) fn run(options: Options) -> Result<Said, StartError> {
    run_on(options, &host())
}

/// On a machine in a zone so many hours east of UTC.
pub(crate) fn run_in(options: Options, hours: i8) -> Said {
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(hours));
    run_on(options, &Host { zone, ..host() }).unwrap()
}

fn run_on(options: Options, host: &Host) -> Result<Said, StartError> {
    let files = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let events = |event: Event| {
        if let Event::File(file) = event {
            files.lock().unwrap().push(*file);
        }
    };
    let prepared = prepare(options, host, &events, &stop)?;
    let ended = prepared.perform(host, &events, &stop)?;
    let said = Said { ended, files: files.into_inner().unwrap() };
    said.check_sums();
    Ok(said)
}

impl Said {
    pub(crate) fn report(&self) -> &Report {
        &self.ended.report
    }

    /// Copied, duplicates, trashed, ignored, failed.
    pub(crate) fn counts(&self) -> (u64, u64, u64, u64, u64) {
        let r = self.report();
        (r.copied, r.duplicates, r.trashed, r.ignored, r.failed)
    }

    pub(crate) fn is_safe(&self) -> bool {
        self.report().safe_to_format == Some(true)
    }

    pub(crate) fn file(&self, source: &str) -> &FileEvent {
        self.files.iter().find(|file| file.source.shown() == source).unwrap()
    }

    pub(crate) fn count(&self, state: FileState) -> usize {
        self.files.iter().filter(|file| file.state == state).count()
    }

    fn check_sums(&self) {
        let r = self.report();
        assert_eq!(r.files_seen, r.copied + r.duplicates + r.trashed + r.added + r.ignored + r.failed);
        assert_eq!(r.files_seen, self.files.len() as u64, "one event a file");
        assert_eq!(r.copied, self.count(FileState::Copied) as u64);
        assert_eq!(r.failed, self.count(FileState::Failed) as u64);
        if r.failed > 0 {
            assert_eq!(r.safe_to_format, Some(false));
        }
    }
}

/// `len` bytes that look like nothing, different for each seed.
pub(crate) fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..len).map(|_| next()).collect()
}

//! A card for a test: a temporary folder with chosen files of chosen content.
//!
//! It panics when the temporary folder cannot be written: it is for tests
//! alone. The folder goes when the value is dropped.
#![allow(clippy::expect_used)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use tempfile::TempDir;

use crate::card::seconds_since_epoch;

/// A temporary folder that stands for a card.
///
/// ```
/// use lightfast_testkit::TestCard;
/// let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", b"not a picture").junk();
/// assert!(card.path().join("DCIM/100EOS5D/IMG_0001.CR2").exists());
/// ```
#[derive(Debug)]
#[must_use]
pub struct TestCard {
    root: TempDir,
}

impl TestCard {
    /// An empty card.
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("card-").tempdir().expect("a temporary folder");
        Self { root }
    }

    /// An empty card in a folder of the caller's choice, for tests that need a certain file system.
    pub fn new_in(parent: &Path) -> Self {
        let root = tempfile::Builder::new().prefix("card-").tempdir_in(parent).expect("a temporary folder");
        Self { root }
    }

    /// The card's top folder.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where `relative` lies.
    pub fn at(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(relative)
    }

    /// With this file in it (replaced if it is there), its folders made.
    pub fn file(self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        let path = self.at(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a folder on the card");
        }
        fs::write(&path, content.as_ref()).expect("a file on the card");
        self
    }

    /// With a file whose name is these bytes, UTF-8 or not.
    pub fn file_bytes(self, relative: &[u8], content: impl AsRef<[u8]>) -> Self {
        self.file(OsStr::from_bytes(relative), content)
    }

    /// With a file whose modification time is this one, read as UTC.
    pub fn file_dated(self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>, time: DateTime) -> Self {
        let relative = relative.as_ref().to_owned();
        let card = self.file(&relative, content);
        let file = fs::File::options().write(true).open(card.at(&relative)).expect("a file on the card");
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds_since_epoch(time));
        file.set_modified(at).expect("a modification time");
        card
    }

    /// With an empty folder.
    pub fn folder(self, relative: impl AsRef<Path>) -> Self {
        fs::create_dir_all(self.at(relative)).expect("a folder on the card");
        self
    }

    /// With a symbolic link at `relative` to `target` (a target relative to the link's folder).
    pub fn symlink(self, relative: impl AsRef<Path>, target: impl AsRef<Path>) -> Self {
        let path = self.at(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a folder on the card");
        }
        std::os::unix::fs::symlink(target, path).expect("a link on the card");
        self
    }

    /// With what computers leave on cards: `.DS_Store`, `._*`, `.Spotlight-V100`, `.Trashes`,
    /// `System Volume Information`.
    pub fn junk(self) -> Self {
        self.file(".DS_Store", b"\0\0\0\x01Bud1")
            .file("DCIM/._100EOS5D", b"\0\x05\x16\x07")
            .file(".Spotlight-V100/VolumeConfiguration.plist", b"<plist/>")
            .file(".Trashes/501/IMG_0000.JPG", b"thrown away")
            .file("System Volume Information/IndexerVolumeGuid", b"{\0}\0")
    }

    /// Every regular file with its bytes, by relative path, sorted: to compare before and after.
    pub fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder that can be listed") {
                let path = entry.expect("an entry").path();
                let kind = fs::symlink_metadata(&path).expect("an entry's kind").file_type();
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    let relative = path.strip_prefix(self.root.path()).expect("below the card").to_owned();
                    found.push((relative, fs::read(&path).expect("a file that can be read")));
                }
            }
        }
        found.sort();
        found
    }
}

impl Default for TestCard {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_it_was_given_and_goes_when_dropped() {
        let card = TestCard::new()
            .file("DCIM/100EOS5D/IMG_0001.CR2", b"one")
            .file_bytes(b"DCIM/\xff.CR2", b"two")
            .file_dated("a.txt", b"three", jiff::civil::date(2009, 7, 12).at(14, 3, 22, 0));
        let names: Vec<_> = card.contents().into_iter().map(|(path, _)| path).collect();
        assert_eq!(names.len(), 3);
        assert_eq!(names[2], Path::new("a.txt"));
        let modified = fs::metadata(card.at("a.txt")).unwrap().modified().unwrap();
        assert_eq!(modified.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs(), 1_247_407_402);
        let path = card.path().to_owned();
        drop(card);
        assert!(!path.exists());
    }
}

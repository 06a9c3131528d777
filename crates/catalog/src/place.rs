//! Where a catalogue lies: usually `LIBRARY/.lightfast`, or wherever `--catalog` says. Nothing here touches
//! the disk.

use std::path::{Path, PathBuf};

/// A library and the folder of its catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The library's folder.
    pub library: PathBuf,
    /// The folder of `catalog.db`, its backups and `previews.db`.
    pub dir: PathBuf,
}

impl Place {
    /// The catalogue inside the library.
    pub fn in_library(library: impl Into<PathBuf>) -> Self {
        let library = library.into();
        let dir = library.join(".lightfast");
        Self { library, dir }
    }

    /// The catalogue elsewhere (`--catalog`).
    pub fn elsewhere(library: impl Into<PathBuf>, dir: impl Into<PathBuf>) -> Self {
        Self { library: library.into(), dir: dir.into() }
    }

    /// The catalogue's file.
    pub fn file(&self) -> PathBuf {
        self.dir.join("catalog.db")
    }

    /// The folder of the catalogue's backups.
    pub fn backups(&self) -> PathBuf {
        self.dir.join("backups")
    }

    /// The folder of the catalogue.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

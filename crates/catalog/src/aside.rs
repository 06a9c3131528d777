//! Setting a damaged catalogue aside, so that a new one can be made in its place. It is renamed, never deleted, and
//! keeps its log beside it, so that it can still be looked into.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::connection::{sync_folder, with_suffix};
use crate::{CatalogError, Place, Result};

impl Place {
    /// Renames the catalogue's file, and what SQLite keeps beside it, to a name that says when and that it is damaged;
    /// the new path. To be called while no connection is open.
    pub fn set_aside(&self, now: Timestamp) -> Result<PathBuf> {
        self.set_aside_as("damaged", now)
    }

    /// Puts a catalogue that was made in another folder of the same file system in the place of this one, which is set
    /// aside under a name that says so; the path of the old one, if there was one. No connection to either may be open.
    pub fn take_over(&self, made: &Self, now: Timestamp) -> Result<Option<PathBuf>> {
        let aside = if self.file().exists() { Some(self.set_aside_as("before-rebuild", now)?) } else { None };
        for suffix in ["-wal", ""] {
            rename(&with_suffix(&made.file(), suffix), &with_suffix(&self.file(), suffix))?;
        }
        sync_folder(&self.dir)?;
        Ok(aside)
    }

    fn set_aside_as(&self, word: &str, now: Timestamp) -> Result<PathBuf> {
        let file = self.file();
        let stamp = now.strftime("%Y%m%dT%H%M%SZ");
        let free = |name: &PathBuf| !name.exists();
        let names = (0u32..).map(|n| match n {
            0 => self.dir.join(format!("catalog-{word}-{stamp}.db")),
            n => self.dir.join(format!("catalog-{word}-{stamp}-{n}.db")),
        });
        let aside = names.take(1_000).find(free).ok_or_else(|| CatalogError::Exists { path: file.clone() })?;
        // The log first: a catalogue without its log would look whole, and be older than it is.
        for suffix in ["-wal", "-shm", ""] {
            rename(&with_suffix(&file, suffix), &with_suffix(&aside, suffix))?;
        }
        sync_folder(&self.dir)?;
        Ok(aside)
    }
}

#[allow(clippy::disallowed_methods, reason = "the catalogue, not an original; its folder is synced after")]
fn rename(from: &Path, to: &Path) -> Result<()> {
    match fs::rename(from, to) {
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(CatalogError::Io { path: from.to_owned(), step: "rename", source }),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, Query};

    #[test]
    fn a_damaged_catalogue_is_kept_beside_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::in_library(dir.path());
        fs::create_dir_all(place.dir()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        for round in 0..2 {
            fs::write(place.file(), format!("damage {round}")).unwrap();
            fs::write(with_suffix(&place.file(), "-wal"), "log").unwrap();
            let aside = place.set_aside(now).unwrap();
            assert_eq!(fs::read_to_string(&aside).unwrap(), format!("damage {round}"));
            assert_eq!(fs::read_to_string(with_suffix(&aside, "-wal")).unwrap(), "log");
            assert!(!place.file().exists());
        }
        assert_eq!(Catalog::create(&place, now).unwrap().count(&Query::all()).unwrap(), 0);
    }
}

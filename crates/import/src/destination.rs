//! Where originals go: the library itself, and with `--also` further destinations, each proven on its own.

use std::fs::File;
use std::path::{Path, PathBuf};

use lightfast_catalog::{Catalog, RootId};

use crate::error::StartError;
use crate::library::{Library, make_folders};
use crate::sys::{self, FsClass};

/// A destination that exists and is locked for this import. The first is the library.
pub(crate) struct Destination {
    pub(crate) library: Library,
    /// Its row in the catalogue.
    pub(crate) root: RootId,
    /// How a copy can be proven there.
    pub(crate) class: FsClass,
    /// Held as long as the import runs; none for a dry run.
    pub(crate) _lock: Option<File>,
}

impl Destination {
    /// Its folder.
    pub(crate) fn path(&self) -> &Path {
        &self.library.root
    }

    /// Opens one that exists.
    pub(crate) fn open(library: Library, root: RootId, lock: Option<File>) -> Self {
        let (class, _) = sys::fs_class(&library.root);
        Self { library, root, class, _lock: lock }
    }

    /// Makes a new one, locked, and enters it in the catalogue.
    pub(crate) fn create(path: &Path, catalog: &mut Catalog) -> Result<Self, StartError> {
        let library = create_folder(path)?;
        let lock = library.lock()?;
        let root = catalog.root_for(&library.id, &library.root)?;
        Ok(Self::open(library, root, Some(lock)))
    }
}

/// Makes a destination's folder and its own folder inside.
pub(crate) fn create_folder(path: &Path) -> Result<Library, StartError> {
    let mut id = [0u8; 10];
    // The system's source of randomness does not fail after boot.
    let _ = getrandom::fill(&mut id);
    make_folders(path)?;
    Ok(Library::create(path, lightfast_model::PhotoId::from_random(id).as_str())?)
}

/// A set of destinations, by their place in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dests(u64);

/// More destinations than this are refused.
pub(crate) const MOST: usize = 32;

impl Dests {
    /// The first `count`.
    pub(crate) fn all(count: usize) -> Self {
        Self((0..count.min(MOST)).fold(0, |bits, at| bits | 1 << at))
    }

    pub(crate) fn with(self, at: usize) -> Self {
        Self(self.0 | 1u64.checked_shl(at as u32).unwrap_or(0))
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their places, ascending.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOST).filter(move |at| self.0 >> at & 1 == 1)
    }
}

/// Folders of further destinations, as the person gave them.
pub(crate) fn folders(options: &crate::Options) -> impl Iterator<Item = &PathBuf> {
    std::iter::once(&options.library).chain(&options.also)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_destinations_is_what_was_put_in() {
        let set = Dests::default().with(3).with(0);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3]);
        assert!(!set.is_empty() && Dests::default().is_empty());
        assert_eq!(Dests::all(2).iter().count(), 2);
    }
}

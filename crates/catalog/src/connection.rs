//! One connection to the catalogue.

use jiff::Timestamp;
use lightfast_model::{BytePath, PhotoId};
use rusqlite::Connection;
use std::path::Path;

use crate::{Place, Result, Root, RootId};

/// One connection to the catalogue. It may go to another thread, and is used by one at a time.
#[derive(Debug)]
pub struct Catalog {
    #[allow(dead_code)]
    pub(crate) db: Connection,
}

impl Catalog {
    /// Makes a new catalogue. The folder is made where it is missing; a catalogue that is there already is an error.
    pub fn create(_place: &Place, _now: Timestamp) -> Result<Self> {
        unimplemented!()
    }

    /// Opens for reading and writing; older schemas are migrated. A catalogue that was not cleanly closed is
    /// checked; a damaged one is an error and left as it is.
    pub fn open(_place: &Place) -> Result<Self> {
        unimplemented!()
    }

    /// Opens for reading alone, beside an import or on a medium that cannot be written.
    pub fn open_read_only(_place: &Place) -> Result<Self> {
        unimplemented!()
    }

    /// A new catalogue in memory, for tests.
    pub fn in_memory() -> Result<Self> {
        unimplemented!()
    }

    /// The root of that lasting name, noting where it is now; a new one where the name is new.
    pub fn root_for(&mut self, _uuid: &str, _path: &Path) -> Result<RootId> {
        unimplemented!()
    }

    /// All roots, the oldest first.
    pub fn roots(&self) -> Result<Vec<Root>> {
        unimplemented!()
    }

    /// The photo that has a file at this path of this root.
    pub fn photo_at(&self, _root: RootId, _path: &BytePath) -> Result<Option<PhotoId>> {
        unimplemented!()
    }
}

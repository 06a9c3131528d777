//! Copies of the catalogue: at most daily, only when it changed, the last five.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::{Catalog, Place, Result};

impl Catalog {
    /// Copies the catalogue into its backups folder if the last copy is a day old and something changed since;
    /// the path of the new copy, if one was made.
    pub fn backup(&mut self, _place: &Place, _now: Timestamp) -> Result<Option<PathBuf>> {
        unimplemented!()
    }
}

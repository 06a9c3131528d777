//! How many photos there are of what.

use crate::codes;
use crate::error::Doing as _;
use crate::tally::Tally;
use crate::{Catalog, Result};

impl Catalog {
    pub(crate) fn count_all(&self) -> Result<u64> {
        self.db
            .prepare_cached("SELECT ifnull(sum(photos), 0) FROM tally WHERE dim = ?1")
            .and_then(|mut s| s.query_row([Tally::All.code()], |row| row.get(0)))
            .doing("count photos")
            .map(codes::bytes)
    }
}

//! What `verify` needs: every copy with its hash, and a place for the result.

use jiff::Timestamp;
use lightfast_model::{BytePath, ContentHash, PhotoId, Role, Verified};

use crate::{Catalog, FileId, Result, RootId};

/// A copy that `verify` should find on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The row of the copy: the cursor for the next page.
    pub row: i64,
    /// Its content's row.
    pub file: FileId,
    /// Its content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// Modification time as recorded, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its root.
    pub root: RootId,
    /// Relative to the root.
    pub path: BytePath,
    /// What it is to its photo; a sidecar may be edited.
    pub role: Role,
    /// The photo it belongs to.
    pub photo: Option<PhotoId>,
    /// How it was last proven.
    pub verified: Option<Verified>,
    /// When it was last checked by `verify`.
    pub checked_at: Option<Timestamp>,
}

/// What `verify` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckedState {
    /// The right bytes.
    Good,
    /// Other bytes.
    Changed,
    /// A sidecar with other bytes: edited, not bad.
    Edited,
    /// Not there.
    Missing,
    /// There, and cannot be read.
    Unreadable,
}

/// One result of `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The row of the copy, from [`Original::row`].
    pub row: i64,
    /// What was found.
    pub state: CheckedState,
    /// How it was read, where it is good.
    pub verified: Option<Verified>,
}

impl Catalog {
    /// The next page of copies after a row (0 begins), in the order of their rows; an empty page is the end.
    pub fn originals(&self, _after: i64, _limit: u32) -> Result<Vec<Original>> {
        unimplemented!()
    }

    /// Keeps results of `verify`, in one transaction.
    pub fn record_verified(&mut self, _checked: &[Checked], _now: Timestamp) -> Result<()> {
        unimplemented!()
    }
}

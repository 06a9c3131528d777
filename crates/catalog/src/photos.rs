//! Reading photos: pages of a query, one photo, its previews.

use lightfast_model::{BytePath, ContentHash, Orientation, Photo, PhotoId, Preview};

use crate::{Catalog, CopyAt, Query, Result};

/// What photos are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortKey {
    /// Capture time.
    #[default]
    Taken,
    /// Time of the import.
    Imported,
    /// Stars.
    Rating,
    /// File name.
    Name,
}

/// An order of photos; equal ones are told apart by capture time, then by row, so that pages never overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sort {
    /// What they are sorted by.
    pub key: SortKey,
    /// Largest, or newest, first.
    pub descending: bool,
}

/// Where a photo's previews lie.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedPreviews {
    /// The content that they are in.
    pub hash: ContentHash,
    /// Copies of that content that should be on disk.
    pub copies: Vec<CopyAt>,
    /// The previews, largest first.
    pub previews: Vec<Preview>,
    /// What must be done to the main picture's own pixels to see it upright.
    pub orientation: Orientation,
    /// Quarter turns clockwise that the person added.
    pub turned: u8,
}

impl Catalog {
    /// A page of the photos that match.
    pub fn photos(&self, _query: &Query, _sort: Sort, _limit: Option<u32>, _offset: u64) -> Result<Vec<Photo>> {
        unimplemented!()
    }

    /// One photo.
    pub fn photo(&self, _id: &PhotoId) -> Result<Option<Photo>> {
        unimplemented!()
    }

    /// The photo that has a file at this path, relative to any root.
    pub fn photo_by_path(&self, _path: &BytePath) -> Result<Option<Photo>> {
        unimplemented!()
    }

    /// How many photos match.
    pub fn count(&self, _query: &Query) -> Result<u64> {
        unimplemented!()
    }

    /// The previews inside a photo's files, the most primary file first.
    pub fn previews_of(&self, _id: &PhotoId) -> Result<Vec<LocatedPreviews>> {
        unimplemented!()
    }
}

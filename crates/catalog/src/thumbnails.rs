//! Thumbnails as blobs in a SQLite file of their own, keyed by content: a cache, not synced, safe to delete.

use std::path::Path;

use lightfast_model::ContentHash;

use crate::Result;

/// One thumbnail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// The JPEG.
    pub jpeg: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// The store of thumbnails.
#[derive(Debug)]
pub struct Thumbnails {}

impl Thumbnails {
    /// Opens `previews.db` in the catalogue's folder; a damaged one is made anew.
    pub fn open(_dir: &Path) -> Result<Self> {
        unimplemented!()
    }

    /// Keeps thumbnails (content, JPEG, pixels across, pixels down), in one transaction.
    pub fn put(&mut self, _thumbnails: &[(ContentHash, &[u8], u32, u32)]) -> Result<()> {
        unimplemented!()
    }

    /// One thumbnail.
    pub fn get(&self, _hash: &ContentHash) -> Result<Option<Thumbnail>> {
        unimplemented!()
    }

    /// Several, in the order asked.
    pub fn get_many(&self, _hashes: &[ContentHash]) -> Result<Vec<Option<Thumbnail>>> {
        unimplemented!()
    }

    /// Which are there, in the order asked.
    pub fn has(&self, _hashes: &[ContentHash]) -> Result<Vec<bool>> {
        unimplemented!()
    }
}

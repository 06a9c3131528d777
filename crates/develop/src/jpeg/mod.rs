//! JPEG: headers, decoding at a reduced size, encoding, and orientation without decoding.
//!
//! Bytes come from files and are hostile: every read is checked, and every
//! allocation follows the caller's [`Limits`]. Common camera JPEGs are decoded
//! to an eighth by our own reader that skips what an eighth does not need
//! (`eighth`); everything else goes to libjpeg-turbo (`turbo`).

mod bits;
mod eighth;
mod header;
mod huffman;
mod planes;
pub(crate) mod profile;
mod turbo;

pub use eighth::eighth;
pub use header::{Component, Header, Process};
pub use planes::{Plane, Planes};
pub(crate) use turbo::{Decoded, Turbo, YccPlanes};

/// What a decode may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the picture as stored.
    pub pixels: u64,
}

impl Default for Limits {
    /// 1,000 megapixels: more than any camera or common stitching.
    fn default() -> Self {
        Self { pixels: 1_000_000_000 }
    }
}

impl Limits {
    /// Refuses what is larger.
    pub fn check(self, width: u32, height: u32) -> Result<(), JpegError> {
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(JpegError::TooLarge { width, height, limit: self.pixels });
        }
        Ok(())
    }
}

/// Why a JPEG was not decoded or encoded.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum JpegError {
    /// The bytes break the format.
    #[error("damaged JPEG: {0}")]
    Damaged(&'static str),
    /// A JPEG, but of a kind that this decoder does not do.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// More pixels than allowed.
    #[error("{width}x{height} pixels are more than the {limit} allowed")]
    TooLarge {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Pixels allowed.
        limit: u64,
    },
    /// libjpeg-turbo's own words.
    #[error("{0}")]
    Library(String),
}

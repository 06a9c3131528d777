//! Writers of the containers that made files need: TIFF, EXIF, Canon's maker note, JPEG segments, boxes.
//!
//! Each writes what it is told, in one way only. None reads anything.

pub(crate) mod boxes;
pub(crate) mod canon;
pub(crate) mod exif;
pub(crate) mod jpeg;
pub(crate) mod tiff;

//! The formats: each file here leads a kind of file to the walkers.

pub(crate) mod jpeg_file;
pub(crate) mod tiff_file;

//! JPEGs, with and without EXIF.

use crate::Shot;
use crate::format::exif::{self, MakerNote};
use crate::format::jpeg::{encode, with_exif};
use crate::scene;

/// A JPEG with EXIF: every field of the shot, a thumbnail, and no maker note (so `iso_auto` and `file_number`
/// are not in it, and the serial number is in EXIF's own tag).
pub fn jpeg(shot: &Shot) -> Vec<u8> {
    let exif = exif::block(shot, MakerNote::None, Some(&thumbnail(shot)));
    with_exif(&picture(shot.width, shot.height, shot.seed), &exif)
}

/// A JPEG that says nothing of itself.
pub fn jpeg_without_exif(width: u32, height: u32, seed: u64) -> Vec<u8> {
    picture(width, height, seed)
}

/// A thumbnail as cameras have it: 160x120.
pub(crate) fn thumbnail(shot: &Shot) -> Vec<u8> {
    picture(160, 120, shot.seed)
}

/// A drawn picture as a JPEG. Empty if it cannot be coded, which no test would take for a picture.
pub(crate) fn picture(width: u32, height: u32, seed: u64) -> Vec<u8> {
    encode(&scene::draw(seed, width, height), width, height, 90).unwrap_or_default()
}

//! Fujifilm's note. The lens is in EXIF; the note's serial number is not the one on the body, so it is left alone.

use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    // The count's top bit says how it was read, not how often the shutter was released.
    let count = ifd.find(0x1438).and_then(|e| tiff.unsigned(head, e)).map(|v| v & 0x7fff);
    found.maker.shutter_count = count.filter(|&v| v > 0);
    found.maker.rating = ifd.find(0x1431).and_then(|e| tiff.unsigned(head, e)).and_then(|v| i64::try_from(v).ok());
}

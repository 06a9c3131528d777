//! Panasonic's and Leica's notes: the lens in words, and Leica's serial numbers.
//!
//! Panasonic's own serial number is not the one printed on the body, so it is left alone.

use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let lens = ifd.find(0x0051).and_then(|e| tiff.text(head, e));
    // Some write `14-42/F3.5-5.6`, which is read better with its unit.
    let named = lens.map(|name| if name.contains("mm") { name } else { name.replacen("/F", "mm F", 1) });
    found.maker.lens = named.filter(|name| name.contains("mm"));
}

/// The M9 and its like.
pub(super) fn leica4(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let inner = ifd.find(0x3000).and_then(|e| tiff.unsigned(head, e)).and_then(|offset| tiff.ifd(head, offset));
    found.maker.serial = inner.unwrap_or_else(|| ifd.clone()).find(0x3103).and_then(|e| tiff.text(head, e));
}

/// The X1 and its like.
pub(super) fn leica5(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.lens = ifd.find(0x0303).and_then(|e| tiff.text(head, e));
    found.maker.serial =
        ifd.find(0x0305).and_then(|e| tiff.unsigned(head, e)).filter(|&v| v > 0).map(|v| v.to_string());
}

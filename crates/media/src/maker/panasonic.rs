//! Panasonic's note, which some Leicas have as well: the lens in words.
//!
//! Panasonic's own serial number is not the one printed on the body, so it is left alone.

use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let lens = ifd.find(0x0051).and_then(|e| tiff.text(head, e));
    // Some write `14-42/F3.5-5.6`, which is read better with its unit.
    let named = lens.map(|name| if name.contains("mm") { name } else { name.replacen("/F", "mm F", 1) });
    let iso = ifd.find(0x00d1).and_then(|e| tiff.unsigned(head, e)).filter(|v| (1..0xffff_fff0).contains(v));
    found.maker.iso = iso.and_then(|v| u32::try_from(v).ok());
    found.maker.lens = named.filter(|name| name.contains("mm"));
}

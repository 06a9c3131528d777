//! Leica's own notes: lens codes of the M bodies, lenses in words, serial numbers.

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

/// The M8.
pub(super) fn early(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = number(head, tiff, ifd, 0x0303).map(|v| v.to_string());
    found.maker.lens_id = number(head, tiff, ifd, 0x0310).map(LensId::Leica);
}

/// The M9 and its like: directories inside the note.
pub(super) fn in_parts(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let offsets: Vec<u64> = [0x3000, 0x3100, 0x3400, 0x3900]
        .iter()
        .filter_map(|&tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e)))
        .collect();
    let parts = offsets.into_iter().filter_map(|offset| tiff.ifd(head, offset)).collect::<Vec<Ifd>>();
    for part in std::iter::once(ifd).chain(&parts) {
        found.maker.serial = part.find(0x3103).and_then(|e| tiff.text(head, e)).or(found.maker.serial.take());
        found.maker.lens_id = number(head, tiff, part, 0x3405).map(LensId::Leica).or(found.maker.lens_id.take());
    }
}

/// The X, T, Q and SL.
pub(super) fn compact(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    in_words(head, tiff, ifd, found);
    found.maker.serial = number(head, tiff, ifd, 0x0305).map(|v| v.to_string());
}

/// The S and the M from the Typ 240 on.
pub(super) fn in_words(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.lens = ifd.find(0x0303).and_then(|e| tiff.text(head, e)).map(|text| text.trim().to_owned());
}

/// A number that is not 0.
fn number(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, tag: u16) -> Option<u32> {
    ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok()).filter(|&v| v > 0)
}

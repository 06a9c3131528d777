//! Leica's own notes: lens codes of the M bodies, lenses in words, serial numbers.

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

/// The digital backs of the R8 and R9.
pub(super) fn back(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let block = ifd.find(0x000b).and_then(|e| tiff.data(head, e)).unwrap_or(&[]);
    found.maker.serial = block.get(4..12).and_then(crate::text::trimmed);
}

/// The M8.
pub(super) fn early(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = number(head, tiff, ifd, 0x0303).map(|v| v.to_string());
    let code = ifd.find(0x0310).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
    found.maker.lens_id = code.map(LensId::Leica);
}

/// The M9 and its like: directories inside the note.
pub(super) fn in_parts(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let parts: Vec<Ifd> = [0x3000, 0x3100, 0x3400, 0x3900]
        .iter()
        .filter_map(|&tag| tiff.ifd_at(head, ifd.find(tag).and_then(|e| tiff.span(e))?.0))
        .collect();
    for part in std::iter::once(ifd).chain(&parts) {
        found.maker.serial = part.find(0x3103).and_then(|e| tiff.text(head, e)).or(found.maker.serial.take());
        let code = part.find(0x3405).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
        found.maker.lens_id = code.map(LensId::Leica).or(found.maker.lens_id.take());
        if found.maker.lens_id.is_none() {
            let block = part.find(0x3901).and_then(|e| tiff.data(head, e)).unwrap_or(&[]);
            let code = block.get(0x16..0x1a).and_then(|b| b.try_into().ok()).map(|b| tiff.order.u32(b));
            found.maker.lens_id = code.filter(|&v| v > 0).map(LensId::Leica);
        }
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

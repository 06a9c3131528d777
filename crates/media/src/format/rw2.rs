//! RW2: Panasonic's and Leica's RAW, a TIFF with tags of its own and a JPEG that holds EXIF.

use crate::Head;
use crate::exif;
use crate::found::Found;
use crate::previews;
use crate::tiff::{Header, Number};

use super::jpeg_file;

/// Reads an RW2.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let len = head.len();
    let ifd = Header::read(head, 0, len).and_then(|header| Some((header.tiff, header.tiff.ifd(head, header.first)?)));
    let Some((tiff, ifd)) = ifd else {
        found.problems.push("the main directory cannot be read".to_owned());
        return;
    };
    if let Some((at, len)) = ifd.find(0x002e).and_then(|e| tiff.span(e)) {
        let end = at.saturating_add(len).min(head.len());
        jpeg_file::embedded(head, at, end, found);
        previews::note(head, found, at, len, None);
    }
    let note = exif::main_directory(head, &tiff, &ifd, found);
    if let Some(note) = note {
        crate::maker::read(head, &tiff, note, found);
    }
    let mut value = |tag| {
        ifd.find(tag).and_then(|e| tiff.number(head, e)).and_then(Number::unsigned).and_then(|v| u32::try_from(v).ok())
    };
    let (top, left, bottom, right) = (value(4), value(5), value(6), value(7));
    let iso = value(0x17).filter(|&v| v > 0);
    let size =
        right.zip(left).and_then(|(r, l)| r.checked_sub(l)).zip(bottom.zip(top).and_then(|(b, t)| b.checked_sub(t)));
    found.stored = size.filter(|&(w, h)| w > 0 && h > 0).or(found.stored);
    found.exif.iso = found.exif.iso.or(iso);
}

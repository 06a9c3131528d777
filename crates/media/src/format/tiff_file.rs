//! TIFF files and TIFF-based RAWs, and the TIFF structure inside other formats.

use lightfast_model::Orientation;

use crate::Head;
use crate::exif;
use crate::found::Found;
use crate::maker;
use crate::previews;
use crate::tiff::{Header, Ifd, Tiff};

/// The most directories in a chain.
const MAX_CHAIN: usize = 16;

/// Reads a TIFF file or a TIFF-based RAW.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let len = head.len();
    let Some(main) = embedded(head, 0, len, found) else {
        found.problems.push("the main directory cannot be read".to_owned());
        return;
    };
    found.stored = found.stored.or(main);
}

/// Reads the TIFF structure at `base`; gives the size that its main directory states.
pub(crate) fn embedded(head: &mut Head<'_>, base: u64, len: u64, found: &mut Found) -> Option<Option<(u32, u32)>> {
    let header = Header::read(head, base, len)?;
    if !matches!(header.magic, 42 | 43) {
        return None;
    }
    let tiff = header.tiff;
    let mut offset = header.first;
    let mut size = None;
    for index in 0..MAX_CHAIN {
        let Some(ifd) = tiff.ifd(head, offset) else {
            if index == 0 {
                return None;
            }
            break;
        };
        if index == 0 {
            size = stated_size(head, &tiff, &ifd);
            let note = exif::main_directory(head, &tiff, &ifd, found);
            if let Some(note) = note {
                maker::read(head, &tiff, note, found);
            }
        }
        jpegs_of(head, &tiff, &ifd, found);
        if ifd.next == offset {
            break;
        }
        offset = ifd.next;
    }
    Some(size)
}

/// The size that a directory states.
pub(crate) fn stated_size(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd) -> Option<(u32, u32)> {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
    value(0x0100).zip(value(0x0101)).filter(|&(w, h)| w > 0 && h > 0)
}

/// The JPEGs of a directory: the thumbnail's own tags, or a single strip that is a JPEG.
fn jpegs_of(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e));
    let own = value(0x0112).and_then(|v| Orientation::new(u16::try_from(v).ok()?));
    let thumbnail = value(0x0201).zip(value(0x0202));
    let strip = match ifd.find(0x0111) {
        Some(entry) if entry.count == 1 && matches!(value(0x0103), Some(6 | 7)) => value(0x0111).zip(value(0x0117)),
        _ => None,
    };
    for (offset, length) in [thumbnail, strip].into_iter().flatten() {
        if let Some(at) = tiff.base.checked_add(offset).filter(|&at| at < tiff.end) {
            previews::note(head, found, at, length.min(tiff.end - at), own);
        }
    }
}

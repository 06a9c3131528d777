//! The maker note that a DNG converter kept: Adobe's private data, with the place where it once lay.

use crate::Head;
use crate::exif::MakerNote;
use crate::found::Found;
use crate::maker;
use crate::tiff::{Order, Tiff};

/// Reads DNG's private data at a position of the source.
pub(super) fn read(head: &mut Head<'_>, around: &Tiff, at: u64, len: u64, found: &mut Found) {
    if let Some(mark) = head.array::<8>(at)
        && matches!(&mark, b"PENTAX \0" | b"SAMSUNG\0" | b"RICOH\0II" | b"RICOH\0MM")
    {
        // Cameras that write DNG themselves put their note here as it is.
        maker::read(head, around, MakerNote { at, len }, found);
        return;
    }
    if head.bytes(at, 6).is_none_or(|mark| mark != b"Adobe\0") {
        return;
    }
    let end = at.saturating_add(len).min(head.len());
    let mut at = at + 6;
    for _ in 0..64 {
        let Some([k0, k1, k2, k3, s0, s1, s2, s3]) = head.array(at).filter(|_| at + 8 <= end) else { return };
        let size = u64::from(u32::from_be_bytes([s0, s1, s2, s3]));
        if [k0, k1, k2, k3] == *b"MakN" {
            maker_note(head, around, at + 8, size.min(end - at - 8), found);
            return;
        }
        // Blocks begin at even places.
        at = at.saturating_add(8 + size + size % 2);
    }
}

/// Byte order, the note's offset in the original file, the note.
fn maker_note(head: &mut Head<'_>, around: &Tiff, at: u64, len: u64, found: &mut Found) {
    let Some([o0, o1, p0, p1, p2, p3]) = head.array(at).filter(|_| len > 6) else { return };
    let order = match (o0, o1) {
        (b'I', b'I') => Order::Little,
        (b'M', b'M') => Order::Big,
        _ => return,
    };
    let original = u64::from(u32::from_be_bytes([p0, p1, p2, p3]));
    let start = at + 6;
    // Offsets count from where the file began then.
    let base = start.wrapping_sub(original);
    let tiff = Tiff { base, end: (at + len).min(around.end), order, big: false };
    maker::read(head, &tiff, MakerNote { at: start, len: len - 6 }, found);
}

//! MPF: further pictures behind the main one of a JPEG file.
//!
//! Only those that are said to be large thumbnails count: the others are other pictures (panoramas, gain maps, depth).
//! Source of the format: CIPA DC-007.

use crate::Head;
use crate::cursor::Cursor;
use crate::found::Found;
use crate::previews;
use crate::tiff::{Header, Order};

/// The most pictures of one file.
const MAX_PICTURES: usize = 50;

/// Reads the list, a TIFF structure from which the pictures' offsets count.
pub(super) fn read(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    let Some(header) = Header::read(head, at, len) else { return };
    let tiff = header.tiff;
    let Some(ifd) = tiff.ifd(head, header.first) else { return };
    let Some(list) = ifd.find(0xb002).and_then(|e| tiff.data(head, e)).map(<[u8]>::to_vec) else { return };
    for entry in list.chunks_exact(16).take(MAX_PICTURES) {
        let mut cursor = Cursor::new(entry);
        let mut long = || {
            cursor.array().map_or(0, |b: [u8; 4]| {
                if tiff.order == Order::Little { u32::from_le_bytes(b) } else { u32::from_be_bytes(b) }
            })
        };
        let (kind, length, offset) = (long() & 0x00ff_ffff, long(), long());
        if kind >> 16 == 1 && offset > 0 {
            previews::note(head, found, at.saturating_add(offset.into()), length.into(), None);
        }
    }
}

//! RAF: Fujifilm's RAW. A JPEG with all the metadata, and a directory of its own for the size.

use crate::Head;
use crate::cursor::Cursor;
use crate::found::Found;
use crate::previews;

use super::jpeg_file;

/// Reads a RAF.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let Some(places) = head.array::<16>(84) else {
        found.problems.push("the header is cut short".to_owned());
        return;
    };
    let mut cursor = Cursor::new(&places);
    let mut next = || cursor.u32().map_or(0, u64::from);
    let (jpeg, jpeg_len, directory, directory_len) = (next(), next(), next(), next());
    let end = jpeg.saturating_add(jpeg_len).min(head.len());
    if jpeg_file::embedded(head, jpeg, end, found).is_none() {
        found.problems.push("the JPEG with the metadata cannot be read".to_owned());
    }
    previews::note(head, found, jpeg, jpeg_len, None);
    if let Some(size) = size(head, directory, directory_len) {
        found.stored = Some(size);
    }
}

/// The cropped size of the directory: tag, length, value.
fn size(head: &mut Head<'_>, at: u64, len: u64) -> Option<(u32, u32)> {
    let bytes = head.up_to(at, len.min(64 << 10) as usize);
    let mut cursor = Cursor::new(bytes);
    let mut size = None;
    for _ in 0..cursor.u32()?.min(256) {
        let (tag, length) = (cursor.u16()?, cursor.u16()?);
        let value = cursor.take(usize::from(length))?;
        if tag == 0x0111 {
            let mut value = Cursor::new(value);
            let (height, width) = (value.u16()?, value.u16()?);
            size = Some((u32::from(width), u32::from(height)));
        }
    }
    size
}

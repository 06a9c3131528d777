//! GoPro's own records (GPMF): model and serial number. Source: GoPro's GPMF introduction.

use crate::Head;
use crate::cursor::Cursor;
use crate::found::Found;
use crate::text;

/// The longest block that is read, and the most records in it.
const MAX_BLOCK: u64 = 64 << 10;
const MAX_RECORDS: usize = 2_000;

/// Reads the records between two positions of the source.
pub(crate) fn read(head: &mut Head<'_>, at: u64, end: u64, found: &mut Found) {
    let block = head.up_to(at, end.saturating_sub(at).min(MAX_BLOCK) as usize);
    let mut cursor = Cursor::new(block);
    for _ in 0..MAX_RECORDS {
        let Some(key) = cursor.array::<4>() else { return };
        let (Some(kind), Some(size), Some(repeat)) = (cursor.u8(), cursor.u8(), cursor.u16()) else { return };
        // A container: its records follow at once.
        if kind == 0 {
            continue;
        }
        let len = usize::from(size) * usize::from(repeat);
        let Some(value) = cursor.take(len) else { return };
        let _padding = cursor.take(len.next_multiple_of(4) - len);
        match &key {
            b"MINF" => found.maker.model = text::trimmed(value),
            b"CASN" => found.maker.serial = text::trimmed(value),
            _ => {}
        }
    }
}

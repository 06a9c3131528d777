//! The record of thermal cameras (FLIR's FFF), in pieces over the application segments of a JPEG: serial number, lens, time.
//!
//! The pieces are put together by their places; nothing of the picture is read.

use crate::Head;
use crate::found::Found;
use crate::text;
use crate::tiff::Order;

/// The most pieces, and entries of the index.
const MAX_PIECES: usize = 300;
const MAX_ENTRIES: u32 = 100;

/// The pieces of a record, in order: position in the source and length.
#[derive(Debug, Default)]
pub(super) struct Record {
    pieces: Vec<(u64, u64)>,
}

impl Record {
    /// Takes the next piece.
    pub(super) fn add(&mut self, at: u64, len: u64) {
        if self.pieces.len() < MAX_PIECES && len > 0 {
            self.pieces.push((at, len));
        }
    }

    /// The bytes at a place of the record; at most up to the end of the pieces, never more than asked for.
    fn bytes(&self, head: &mut Head<'_>, offset: u64, len: usize) -> Option<Vec<u8>> {
        let mut wanted = Vec::new();
        let mut before = 0u64;
        for &(at, piece) in &self.pieces {
            let place = offset.checked_add(wanted.len() as u64)?;
            if place < before + piece && wanted.len() < len {
                let skip = place.checked_sub(before)?;
                let here = usize::try_from(piece - skip).ok()?.min(len - wanted.len());
                wanted.extend_from_slice(head.bytes(at + skip, here)?);
            }
            before += piece;
        }
        (wanted.len() == len).then_some(wanted)
    }

    /// Reads the record, if there is one.
    pub(super) fn read(&self, head: &mut Head<'_>, found: &mut Found) {
        if !self.pieces.is_empty() {
            let _ = self.index(head, found);
        }
    }

    /// The header of 64 bytes leads to an index of entries of 32 bytes.
    fn index(&self, head: &mut Head<'_>, found: &mut Found) -> Option<()> {
        let header = self.bytes(head, 0, 64)?;
        if !matches!(header.get(..4), Some(b"FFF\0" | b"AFF\0")) {
            return None;
        }
        let word = |order: Order, bytes: &[u8], at: usize| Some(order.u32(bytes.get(at..at + 4)?.try_into().ok()?));
        let versions = 100..200;
        let order = [Order::Big, Order::Little]
            .into_iter()
            .find(|o| word(*o, &header, 0x14).is_some_and(|v| versions.contains(&v)))?;
        let (at, count) = (u64::from(word(order, &header, 0x18)?), word(order, &header, 0x1c)?.min(MAX_ENTRIES));
        for number in 0..u64::from(count) {
            let entry = self.bytes(head, at.checked_add(number * 32)?, 32)?;
            let kind = order.u16(entry.get(..2)?.try_into().ok()?);
            if kind == 0x20 {
                self.camera(head, u64::from(word(order, &entry, 0x0c)?), word(order, &entry, 0x10)?, found);
                return Some(());
            }
        }
        None
    }

    /// Camera information.
    fn camera(&self, head: &mut Head<'_>, at: u64, len: u32, found: &mut Found) {
        let words = |head: &mut Head<'_>, offset: u32, room: u32| {
            (offset.checked_add(room)? <= len).then_some(())?;
            text::trimmed(&self.bytes(head, at.checked_add(u64::from(offset))?, room as usize)?)
        };
        found.maker.serial = words(head, 0x104, 16).or(found.maker.serial.take());
        found.maker.lens = words(head, 0x170, 32).or(found.maker.lens.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    #[test]
    fn serial_and_lens_of_a_record_in_two_pieces() {
        let mut record = b"FFF\0".to_vec();
        record.resize(64, 0);
        record[0x14..0x18].copy_from_slice(&100u32.to_be_bytes());
        record[0x18..0x1c].copy_from_slice(&64u32.to_be_bytes());
        record[0x1c..0x20].copy_from_slice(&1u32.to_be_bytes());
        let mut entry = vec![0; 32];
        entry[1] = 0x20;
        entry[0x0c..0x10].copy_from_slice(&96u32.to_be_bytes());
        entry[0x10..0x14].copy_from_slice(&0x200u32.to_be_bytes());
        record.extend(entry);
        record.resize(96 + 0x200, 0);
        record[96 + 0x104..96 + 0x10d].copy_from_slice(b"470023842");
        record[96 + 0x170..96 + 0x174].copy_from_slice(b"FOL7");
        for cut in [1, 40, 96 + 0x108, record.len() - 1] {
            let file = [&record[..cut], b"between", &record[cut..]].concat();
            let mut pieces = Record::default();
            pieces.add(0, cut as u64);
            pieces.add(cut as u64 + 7, (record.len() - cut) as u64);
            let mut found = Found::default();
            pieces.read(&mut Head::new(&mut BytesSource(&file)), &mut found);
            assert_eq!(found.maker.serial.as_deref(), Some("470023842"), "cut at {cut}");
            assert_eq!(found.maker.lens.as_deref(), Some("FOL7"));
        }
        for len in 0..record.len() {
            let mut pieces = Record::default();
            pieces.add(0, len as u64);
            pieces.read(&mut Head::new(&mut BytesSource(&record[..len])), &mut Found::default());
        }
    }
}

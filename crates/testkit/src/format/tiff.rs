//! TIFF directories, little-endian, as cameras write them.
//!
//! A directory is a sorted list of values; [`TiffWriter`] puts it down with
//! the values that do not fit their entry right behind it, and tells where
//! each value came to lie, so that offsets of later parts can be filled in.

use std::collections::BTreeMap;

use lightfast_model::Ratio;

const ASCII: u16 = 2;
const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;
const UNDEFINED: u16 = 7;
const SRATIONAL: u16 = 10;

/// One value: its TIFF type, how many, and its bytes.
#[derive(Clone, Debug)]
struct Value {
    kind: u16,
    count: u32,
    bytes: Vec<u8>,
}

/// A directory that is being put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ifd {
    values: BTreeMap<u16, Value>,
}

impl Ifd {
    fn with(mut self, tag: u16, kind: u16, count: usize, bytes: Vec<u8>) -> Self {
        self.values.insert(tag, Value { kind, count: count as u32, bytes });
        self
    }

    /// The same without this tag.
    pub(crate) fn without(mut self, tag: u16) -> Self {
        self.values.remove(&tag);
        self
    }

    pub(crate) fn bytes(self, tag: u16, value: &[u8]) -> Self {
        self.with(tag, 1, value.len(), value.to_vec())
    }

    /// Text with its closing zero.
    pub(crate) fn ascii(self, tag: u16, text: &str) -> Self {
        self.ascii_padded(tag, text, text.len() + 1)
    }

    /// Text filled up with zeros to `length`, the closing one included.
    pub(crate) fn ascii_padded(self, tag: u16, text: &str, length: usize) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(length.max(text.len() + 1), 0);
        self.with(tag, ASCII, bytes.len(), bytes)
    }

    pub(crate) fn short(self, tag: u16, value: u16) -> Self {
        self.shorts(tag, &[value])
    }

    pub(crate) fn shorts(self, tag: u16, values: &[u16]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.with(tag, SHORT, values.len(), bytes)
    }

    pub(crate) fn long(self, tag: u16, value: u32) -> Self {
        self.longs(tag, &[value])
    }

    pub(crate) fn longs(self, tag: u16, values: &[u32]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.with(tag, LONG, values.len(), bytes)
    }

    pub(crate) fn rational(self, tag: u16, value: Ratio) -> Self {
        self.rationals(tag, &[value])
    }

    pub(crate) fn rationals(self, tag: u16, values: &[Ratio]) -> Self {
        let bytes = values.iter().flat_map(|v| [v.num as u32, v.den as u32]).flat_map(u32::to_le_bytes).collect();
        self.with(tag, RATIONAL, values.len(), bytes)
    }

    pub(crate) fn signed_rationals(self, tag: u16, values: &[(i32, i32)]) -> Self {
        let bytes = values.iter().flat_map(|v| [v.0, v.1]).flat_map(i32::to_le_bytes).collect();
        self.with(tag, SRATIONAL, values.len(), bytes)
    }

    pub(crate) fn undefined(self, tag: u16, value: &[u8]) -> Self {
        self.with(tag, UNDEFINED, value.len(), value.to_vec())
    }
}

/// Where a directory and its values came to lie, from the start of the TIFF.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// The directory itself.
    pub(crate) offset: u32,
    /// The pointer to the next directory.
    next_at: usize,
    /// Each value: in its entry where it fits, else where the entry points.
    values: BTreeMap<u16, usize>,
}

/// Bytes of a TIFF that grow from its header on.
#[derive(Debug)]
pub(crate) struct TiffWriter {
    out: Vec<u8>,
}

impl TiffWriter {
    /// Begins with `header` (the eight bytes of TIFF, or sixteen of CR2), whose offset of the first directory
    /// is filled in with [`TiffWriter::set`].
    pub(crate) fn new(header: &[u8]) -> Self {
        Self { out: header.to_vec() }
    }

    /// Bytes so far, evened up: where the next part will lie.
    pub(crate) fn position(&mut self) -> u32 {
        if self.out.len() % 2 == 1 {
            self.out.push(0);
        }
        self.out.len() as u32
    }

    /// Appends bytes at an even place, and tells where.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> u32 {
        let at = self.position();
        self.out.extend_from_slice(bytes);
        at
    }

    /// Puts a directory down, its larger values behind it.
    pub(crate) fn put(&mut self, ifd: &Ifd) -> Placed {
        let offset = self.position();
        let next_at = self.out.len() + 2 + 12 * ifd.values.len();
        let mut values_end = next_at + 4;
        let mut entries = Vec::new();
        let mut outside = Vec::new();
        let mut values = BTreeMap::new();
        entries.extend((ifd.values.len() as u16).to_le_bytes());
        for (&tag, value) in &ifd.values {
            entries.extend(tag.to_le_bytes());
            entries.extend(value.kind.to_le_bytes());
            entries.extend(value.count.to_le_bytes());
            if value.bytes.len() <= 4 {
                values.insert(tag, self.out.len() + entries.len());
                let mut inline = value.bytes.clone();
                inline.resize(4, 0);
                entries.extend(inline);
            } else {
                values.insert(tag, values_end);
                entries.extend((values_end as u32).to_le_bytes());
                outside.extend(&value.bytes);
                if outside.len() % 2 == 1 {
                    outside.push(0);
                }
                values_end = next_at + 4 + outside.len();
            }
        }
        entries.extend(0u32.to_le_bytes());
        self.out.extend(entries);
        self.out.extend(outside);
        Placed { offset, next_at, values }
    }

    /// Fills in four bytes at `at`.
    pub(crate) fn set(&mut self, at: usize, value: u32) {
        if let Some(place) = self.out.get_mut(at..at + 4) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Fills in a value of a directory that was put down with a placeholder.
    pub(crate) fn set_value(&mut self, placed: &Placed, tag: u16, value: u32) {
        if let Some(&at) = placed.values.get(&tag) {
            self.set(at, value);
        }
    }

    /// Fills in one of several values, which lie behind the directory if there are more than one.
    pub(crate) fn set_nth(&mut self, placed: &Placed, tag: u16, nth: usize, value: u32) {
        if let Some(&at) = placed.values.get(&tag) {
            self.set(at + 4 * nth, value);
        }
    }

    /// Makes a value's entry point to `offset` with `count` elements for a value that was put
    /// down with at most four bytes, so that it lies in its entry.
    pub(crate) fn set_entry(&mut self, placed: &Placed, tag: u16, count: u32, offset: u32) {
        if let Some(&at) = placed.values.get(&tag) {
            self.set(at - 4, count);
            self.set(at, offset);
        }
    }

    /// Links `next` behind `placed`.
    pub(crate) fn chain(&mut self, placed: &Placed, next: &Placed) {
        self.set(placed.next_at, next.offset);
    }

    /// All of it.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_lie_in_their_entry_and_large_ones_behind_the_directory() {
        let mut writer = TiffWriter::new(b"II*\0\x08\0\0\0");
        let ifd = Ifd::default().short(0x112, 6).ascii(0x10f, "Canon").long(0x8769, 0);
        let placed = writer.put(&ifd);
        writer.set_value(&placed, 0x8769, 0x1234);
        let bytes = writer.finish();
        assert_eq!(placed.offset, 8);
        assert_eq!(&bytes[8..10], [3, 0]);
        assert_eq!(&bytes[10..18], [0x0f, 1, 2, 0, 6, 0, 0, 0], "sorted by tag");
        let at = u32::from_le_bytes(bytes[18..22].try_into().unwrap()) as usize;
        assert_eq!(&bytes[at..at + 6], b"Canon\0");
        assert_eq!(&bytes[30..34], [6, 0, 0, 0]);
        assert_eq!(&bytes[42..46], [0x34, 0x12, 0, 0]);
    }
}

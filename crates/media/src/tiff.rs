//! One bounded walker for TIFF: headers, directories and values.
//!
//! TIFF is at once a picture format, the frame of most RAWs, and how EXIF and maker notes are
//! laid out inside JPEG, HEIF and the rest, so everything goes through here. Nothing recurses,
//! every offset is checked, a directory has at most 2,000 entries and a value at most 1 MiB.
//! It knows no tag's meaning: that is `exif`'s and the makers' modules' work.
//! Source of the format: TIFF 6.0, section 2; BigTIFF for the wider variant.

mod value;

use crate::Head;

pub(crate) use value::Number;

/// The most entries that a directory may have; real ones stay below 400.
const MAX_ENTRIES: u64 = 2_000;
/// The most bytes that one value may have.
const MAX_VALUE: u64 = 1 << 20;

/// Byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `II`.
    Little,
    /// `MM`.
    Big,
}

impl Order {
    pub(crate) fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    pub(crate) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(crate) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }
}

/// A TIFF structure inside a source: where its offsets count from, where it ends, its byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiff {
    /// Offsets inside the structure count from here. A note that a program moved to the front can count from before the
    /// source's start: then this wraps around, and so does adding an offset to it.
    pub(crate) base: u64,
    /// Nothing of the structure lies at or after this position of the source.
    pub(crate) end: u64,
    /// Byte order.
    pub(crate) order: Order,
    /// BigTIFF: 64-bit offsets and counts.
    pub(crate) big: bool,
}

/// What a TIFF header says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// The structure.
    pub(crate) tiff: Tiff,
    /// The number after the byte order: 42, or a maker's own.
    pub(crate) magic: u16,
    /// Offset of the first directory, from the base.
    pub(crate) first: u64,
}

/// One entry of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Tag.
    pub(crate) tag: u16,
    /// Type of the value.
    pub(crate) kind: u16,
    /// Number of values.
    pub(crate) count: u64,
    /// Position in the source of the value, or of the offset to it.
    slot: u64,
    /// The value itself, or the offset to it.
    inline: [u8; 8],
}

/// A directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ifd {
    /// Entries in the order of the file.
    pub(crate) entries: Vec<Entry>,
    /// Offset of the next directory from the base; 0 is the end.
    pub(crate) next: u64,
}

impl Ifd {
    /// The first entry with this tag.
    pub(crate) fn find(&self, tag: u16) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.tag == tag)
    }
}

impl Header {
    /// Reads a header of 8 bytes (BigTIFF: 16) at `base`; the structure ends `len` bytes on.
    pub(crate) fn read(head: &mut Head<'_>, base: u64, len: u64) -> Option<Self> {
        let bytes: [u8; 8] = head.array(base)?;
        let [o0, o1, m0, m1, f0, f1, f2, f3] = bytes;
        let order = match (o0, o1) {
            (b'I', b'I') => Order::Little,
            (b'M', b'M') => Order::Big,
            _ => return None,
        };
        let magic = order.u16([m0, m1]);
        let big = magic == 43;
        let first =
            if big { order.u64(head.array(base.checked_add(8)?)?) } else { u64::from(order.u32([f0, f1, f2, f3])) };
        let end = base.saturating_add(len).min(head.len());
        Some(Self { tiff: Tiff { base, end, order, big }, magic, first })
    }
}

impl Tiff {
    /// The position in the source of an offset, if it lies inside the structure.
    pub(crate) fn position(&self, offset: u64) -> Option<u64> {
        Some(self.base.wrapping_add(offset)).filter(|&at| at < self.end)
    }

    /// Reads the directory at `offset` from the base.
    pub(crate) fn ifd(&self, head: &mut Head<'_>, offset: u64) -> Option<Ifd> {
        let at = self.position(offset).filter(|_| offset != 0)?;
        self.ifd_at(head, at)
    }

    /// Reads the directory at a position of the source, also at the base itself (maker notes begin so).
    pub(crate) fn ifd_at(&self, head: &mut Head<'_>, at: u64) -> Option<Ifd> {
        let (count, start) = if self.big {
            (self.order.u64(head.array(at)?), at.checked_add(8)?)
        } else {
            (u64::from(self.order.u16(head.array(at)?)), at.checked_add(2)?)
        };
        self.entries(head, count, start)
    }

    /// Reads a directory whose number of entries takes four bytes, two of them empty, as some notes have it.
    pub(crate) fn wide_ifd(&self, head: &mut Head<'_>, offset: u64) -> Option<Ifd> {
        let at = self.position(offset).filter(|_| offset != 0)?;
        let [c0, c1, c2, c3] = head.array(at)?;
        let (first, second) = (self.order.u16([c0, c1]), self.order.u16([c2, c3]));
        let count = if first == 0 { second } else { first };
        self.entries(head, u64::from(count), at.checked_add(4)?).filter(|_| first == 0 || second == 0)
    }

    /// Reads `count` entries that begin at a position of the source, and what follows them.
    fn entries(&self, head: &mut Head<'_>, count: u64, start: u64) -> Option<Ifd> {
        let width = self.entry_width();
        if count == 0 || count > MAX_ENTRIES {
            return None;
        }
        let wanted = usize::try_from(count * width).ok()?;
        let order = *self;
        if start.checked_add(count * width)? > self.end {
            return None;
        }
        // A directory that is cut short is none: what is left of it may be anything.
        let bytes = head.bytes(start, wanted)?;
        let entries: Vec<Entry> = bytes
            .chunks_exact(width as usize)
            .zip((start..).step_by(width as usize))
            .filter_map(|(chunk, at)| order.entry(chunk, at))
            .collect();
        // A directory whose first entry has no type there is none; some makers leave that entry empty.
        if entries
            .first()
            .is_some_and(|entry| value::width(entry.kind).is_none() && (entry.kind, entry.count) != (0, 0))
        {
            return None;
        }
        let after = start.checked_add(count * width)?;
        let next = if self.big {
            head.array(after).map_or(0, |bytes| self.order.u64(bytes))
        } else {
            head.array(after).map_or(0, |bytes| u64::from(self.order.u32(bytes)))
        };
        Some(Ifd { entries, next })
    }

    fn entry_width(&self) -> u64 {
        if self.big { 20 } else { 12 }
    }

    fn entry(&self, chunk: &[u8], at: u64) -> Option<Entry> {
        let tag = self.order.u16(chunk.get(0..2)?.try_into().ok()?);
        let kind = self.order.u16(chunk.get(2..4)?.try_into().ok()?);
        if self.big {
            let count = self.order.u64(chunk.get(4..12)?.try_into().ok()?);
            let inline = chunk.get(12..20)?.try_into().ok()?;
            return Some(Entry { tag, kind, count, slot: at + 12, inline });
        }
        let count = u64::from(self.order.u32(chunk.get(4..8)?.try_into().ok()?));
        let mut inline = [0; 8];
        inline.get_mut(..4)?.copy_from_slice(chunk.get(8..12)?);
        Some(Entry { tag, kind, count, slot: at + 8, inline })
    }
}

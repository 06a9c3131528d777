//! The entropy-coded bytes of a scan as a stream of bits.
//!
//! Stuffed zero bytes are taken out ahead of the reader, a window at a time,
//! so that a refill is one unaligned load. The window is small: a scan is
//! never held twice in memory. Past the end of a segment (a marker, or the end
//! of the bytes) the reader gives zeros, and [`Bits::overrun`] tells.

use memchr::memchr;

/// Bytes of the window; a refill of it happens at most once in as many bytes.
const WINDOW: usize = 64 << 10;
/// Zeros kept behind the window's last byte for the 8-byte loads.
const PADDING: usize = 16;

/// The bytes that a [`Cursor`] reads, of a fixed size so that a load is checked against a constant.
pub(super) type Window = [u8; WINDOW + PADDING];

/// A place in the window: 64 bits at the top of a word, in registers while a loop runs.
#[derive(Clone, Copy, Default)]
pub(super) struct Cursor {
    /// Next byte of the window to load.
    next: usize,
    word: u64,
    count: u32,
}

impl Cursor {
    /// Makes at least 56 bits available.
    #[inline(always)]
    pub(super) fn refill(&mut self, window: &Window) {
        let loaded = match window.get(self.next..).and_then(|bytes| bytes.first_chunk::<8>()) {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => 0,
        };
        self.word |= loaded >> (self.count & 63);
        self.next = self.next.wrapping_add((63u32.wrapping_sub(self.count) >> 3) as usize);
        self.count |= 56;
    }

    /// The next bits, at the top.
    #[inline(always)]
    pub(super) fn word(&self) -> u64 {
        self.word
    }

    /// Passes over bits: the low six bits of `length` tell how many, at most as many as are available.
    #[inline(always)]
    pub(super) fn skip(&mut self, length: u32) {
        self.word = self.word.wrapping_shl(length);
        self.count = self.count.wrapping_sub(length & 63);
    }
}

/// Reads bits, first bit first, from the top of a 64-bit word.
pub(super) struct Bits<'a> {
    /// What is not yet unstuffed.
    rest: &'a [u8],
    window: Box<Window>,
    /// Bytes in the window, without the padding.
    filled: usize,
    cursor: Cursor,
    /// Whether the segment's last byte is in the window.
    ended: bool,
}

impl<'a> Bits<'a> {
    /// On the bytes that follow a start-of-scan header.
    pub(super) fn new(scan: &'a [u8]) -> Self {
        let window = Box::new([0; WINDOW + PADDING]);
        let mut bits = Self { rest: scan, window, filled: 0, cursor: Cursor::default(), ended: false };
        bits.fill();
        bits
    }

    /// What the loop works on; give it back with [`Self::set`].
    #[inline(always)]
    pub(super) fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Takes the cursor back.
    #[inline(always)]
    pub(super) fn set(&mut self, cursor: Cursor) {
        self.cursor = cursor;
    }

    /// The bytes that a cursor reads.
    #[inline(always)]
    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    /// Makes sure that `bytes` more lie in the window, unless the segment ends before.
    #[inline(always)]
    pub(super) fn reserve(&mut self, bytes: usize) {
        if self.cursor.next + bytes > self.filled && !self.ended {
            self.fill();
        }
    }

    /// Whether more bits were taken than the segment had.
    pub(super) fn overrun(&self) -> bool {
        self.ended && self.cursor.next * 8 > self.filled * 8 + self.cursor.count as usize
    }

    /// Goes to the byte after the next marker, drops what is left before it, and gives the marker. `None` at the end.
    pub(super) fn next_segment(&mut self) -> Option<u8> {
        while !self.ended {
            self.cursor.next = self.filled;
            self.fill();
        }
        let marker = loop {
            let at = memchr(0xff, self.rest)?;
            let marker = *self.rest.get(at + 1)?;
            match marker {
                0x00 => self.rest = self.rest.get(at + 2..)?,
                0xff => self.rest = self.rest.get(at + 1..)?,
                _ => {
                    self.rest = self.rest.get(at + 2..)?;
                    break marker;
                }
            }
        };
        (self.filled, self.cursor, self.ended) = (0, Cursor::default(), false);
        self.fill();
        Some(marker)
    }

    /// Moves what is unread to the front of the window and unstuffs more behind it.
    #[cold]
    fn fill(&mut self) {
        let unread = self.cursor.next.min(self.filled)..self.filled;
        let mut at = unread.len();
        self.window.copy_within(unread, 0);
        self.cursor.next = 0;
        while at < WINDOW {
            let room = WINDOW - at;
            let piece = self.rest.get(..room.min(self.rest.len())).unwrap_or_default();
            let plain = memchr(0xff, piece).unwrap_or(piece.len());
            let (Some(from), Some(to)) = (piece.get(..plain), self.window.get_mut(at..at + plain)) else { break };
            to.copy_from_slice(from);
            at += plain;
            self.rest = self.rest.get(plain..).unwrap_or_default();
            if plain == piece.len() {
                if self.rest.is_empty() {
                    self.ended = true;
                    break;
                }
                continue;
            }
            match self.rest.get(1) {
                Some(0) => {
                    if let Some(byte) = self.window.get_mut(at) {
                        *byte = 0xff;
                    }
                    at += 1;
                    self.rest = self.rest.get(2..).unwrap_or_default();
                }
                // Fill bytes before a marker.
                Some(0xff) => self.rest = self.rest.get(1..).unwrap_or_default(),
                _ => {
                    self.ended = true;
                    break;
                }
            }
        }
        self.filled = at;
        if let Some(padding) = self.window.get_mut(at..at + PADDING) {
            padding.fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(bits: &mut Bits<'_>, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..count {
            bits.reserve(16);
            let mut cursor = bits.cursor();
            cursor.refill(bits.window());
            bytes.push((cursor.word() >> 56) as u8);
            cursor.skip(8);
            bits.set(cursor);
        }
        bytes
    }

    #[test]
    fn stuffed_zeros_are_taken_out_and_markers_end_a_segment() {
        let mut bits = Bits::new(&[1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0, 0xff, 0xff, 0xd9]);
        assert_eq!(bytes_of(&mut bits, 3), [1, 0xff, 2]);
        assert!(!bits.overrun());
        assert_eq!(bytes_of(&mut bits, 1), [0]);
        assert!(bits.overrun());
        assert_eq!(bits.next_segment(), Some(0xd0));
        assert_eq!(bytes_of(&mut bits, 2), [3, 0xff]);
        assert_eq!(bits.next_segment(), Some(0xd9));
        assert_eq!(bits.next_segment(), None);
    }

    #[test]
    fn a_long_segment_passes_the_window_several_times() {
        let plain: Vec<u8> = (0..5 * WINDOW).map(|i| if i % 7 == 0 { 0xff } else { (i * 31 % 251) as u8 }).collect();
        let stuffed: Vec<u8> =
            plain.iter().flat_map(|&byte| if byte == 0xff { vec![0xff, 0] } else { vec![byte] }).collect();
        let mut bits = Bits::new(&stuffed);
        assert_eq!(bytes_of(&mut bits, plain.len()), plain);
        assert!(!bits.overrun());
    }
}

//! A bounded reader: the start of a file in one read, the rest in windows, within a budget.
//!
//! Almost all facts of a photo lie in its first 128 KiB, so that is read once and served
//! from memory; what lies further on (a preview's frame header, a clip's index) is read in
//! windows. Every byte and every read counts against a budget, so no file, whatever it
//! claims, can make us read without end. A failed read, the end of the file and an
//! exhausted budget all look the same to a parser: the bytes are not there.

use crate::Source;

/// How much a [`Head`] may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the first read.
    pub first: usize,
    /// Bytes of each further window, unless a parser asks for a longer piece.
    pub window: usize,
    /// The longest single piece a parser may ask for.
    pub piece: usize,
    /// Bytes altogether.
    pub bytes: u64,
    /// Reads altogether.
    pub reads: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { first: 128 << 10, window: 16 << 10, piece: 2 << 20, bytes: 16 << 20, reads: 512 }
    }
}

/// A reader over a [`Source`]; see the module.
pub struct Head<'s> {
    source: &'s mut dyn Source,
    limits: Limits,
    len: u64,
    first: Vec<u8>,
    window: Vec<u8>,
    window_at: u64,
    bytes: u64,
    reads: u32,
    failure: Option<String>,
}

impl<'s> Head<'s> {
    /// Reads the first window with the usual limits.
    pub fn new(source: &'s mut dyn Source) -> Self {
        Self::with_limits(source, Limits::default())
    }

    /// Reads the first window with limits of one's own.
    pub fn with_limits(source: &'s mut dyn Source, limits: Limits) -> Self {
        let len = source.len();
        let mut head = Self {
            source,
            limits,
            len,
            first: Vec::new(),
            window: Vec::new(),
            window_at: 0,
            bytes: 0,
            reads: 0,
            failure: None,
        };
        let wanted = usize::try_from(len).unwrap_or(usize::MAX).min(limits.first);
        head.first = head.fetch(0, wanted);
        head
    }

    /// Length of the source in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the source is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What went wrong while reading, if anything did: one line.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Exactly `len` bytes at `offset`, or nothing.
    pub fn bytes(&mut self, offset: u64, len: usize) -> Option<&[u8]> {
        if offset.checked_add(len as u64)? > self.len {
            return None;
        }
        let found = self.up_to(offset, len);
        (found.len() == len).then_some(found)
    }

    /// At most `len` bytes at `offset`: fewer at the end, at a failure, or when the budget is used up.
    pub fn up_to(&mut self, offset: u64, len: usize) -> &[u8] {
        let len =
            usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX).min(len).min(self.limits.piece);
        let end = offset.saturating_add(len as u64);
        if len == 0 {
            return &[];
        }
        if end > self.first.len() as u64 && !self.in_window(offset, end) {
            let wanted = usize::try_from(self.len - offset).unwrap_or(usize::MAX).min(self.limits.window.max(len));
            self.window = self.fetch(offset, wanted);
            self.window_at = offset;
        }
        if end <= self.first.len() as u64 {
            cut(&self.first, 0, offset, len)
        } else {
            cut(&self.window, self.window_at, offset, len)
        }
    }

    /// `N` bytes at `offset`.
    pub fn array<const N: usize>(&mut self, offset: u64) -> Option<[u8; N]> {
        self.bytes(offset, N)?.try_into().ok()
    }

    fn in_window(&self, offset: u64, end: u64) -> bool {
        offset >= self.window_at && end <= self.window_at + self.window.len() as u64
    }

    /// Reads `wanted` bytes, in as many reads as the source needs, within the budget.
    fn fetch(&mut self, offset: u64, wanted: usize) -> Vec<u8> {
        let mut buffer = vec![0; wanted];
        let mut done = 0;
        while done < wanted {
            if self.reads >= self.limits.reads || self.bytes >= self.limits.bytes {
                self.note("reading stopped: the file leads to more places than a photo or clip does".to_owned());
                break;
            }
            let Some(rest) = buffer.get_mut(done..) else { break };
            self.reads += 1;
            match self.source.read_at(offset + done as u64, rest) {
                Ok(0) => {
                    self.note(format!("ends at byte {}, {} expected", offset + done as u64, self.len));
                    break;
                }
                Ok(count) => {
                    done += count.min(wanted - done);
                    self.bytes += count as u64;
                }
                Err(error) => {
                    self.note(format!("cannot be read at byte {}: {error}", offset + done as u64));
                    break;
                }
            }
        }
        buffer.truncate(done);
        buffer
    }

    fn note(&mut self, failure: String) {
        self.failure.get_or_insert(failure);
    }
}

/// The part of `buffer`, which starts at `at`, that covers `offset..offset + len`.
fn cut(buffer: &[u8], at: u64, offset: u64, len: usize) -> &[u8] {
    let Some(start) = offset.checked_sub(at).and_then(|start| usize::try_from(start).ok()) else { return &[] };
    let end = start.saturating_add(len).min(buffer.len());
    buffer.get(start..end).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    struct Counted<'a>(BytesSource<'a>, Vec<(u64, usize)>);

    impl Source for Counted<'_> {
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
            self.1.push((offset, buf.len()));
            self.0.read_at(offset, buf)
        }
    }

    const SMALL: Limits = Limits { first: 16, window: 8, piece: 32, bytes: 64, reads: 4 };

    #[test]
    fn the_start_is_read_once_and_the_rest_in_windows() {
        let data: Vec<u8> = (0..100).collect();
        let mut source = Counted(BytesSource(&data), Vec::new());
        let mut head = Head::with_limits(&mut source, SMALL);
        assert_eq!(head.bytes(2, 4), Some(&[2, 3, 4, 5][..]));
        assert_eq!(head.bytes(40, 2), Some(&[40, 41][..]));
        assert_eq!(head.bytes(46, 2), Some(&[46, 47][..]));
        assert_eq!(head.bytes(14, 4), Some(&[14, 15, 16, 17][..]), "a piece across the first window's end");
        assert_eq!(head.array::<2>(99), None);
        assert_eq!(head.failure(), None, "the end of the file is not a failure");
        drop(head);
        assert_eq!(source.1, [(0, 16), (40, 8), (14, 8)]);
    }

    #[test]
    fn a_budget_ends_reading() {
        let data = [0; 1000];
        let mut source = BytesSource(&data);
        let mut head = Head::with_limits(&mut source, SMALL);
        let found = (0..100).filter(|i| head.bytes(20 + i * 9, 8).is_some()).count();
        assert_eq!(found, 3, "one read for the start, three windows");
        assert!(head.failure().is_some_and(|line| line.starts_with("reading stopped")));
    }

    #[test]
    fn a_length_that_lies_is_told_as_such() {
        struct Lies;
        impl Source for Lies {
            fn len(&self) -> u64 {
                1 << 40
            }
            fn read_at(&mut self, _: u64, _: &mut [u8]) -> std::io::Result<usize> {
                Ok(0)
            }
        }
        let mut lies = Lies;
        let mut head = Head::new(&mut lies);
        assert_eq!(head.array::<4>(0), None);
        assert_eq!(head.up_to(u64::MAX, 10), &[] as &[u8]);
        assert_eq!(head.failure(), Some("ends at byte 0, 1099511627776 expected"));
    }
}

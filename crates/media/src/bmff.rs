//! One bounded walker for ISO-BMFF and QuickTime: boxes, their sizes and their nesting.
//!
//! A box is only looked at where a parser asks for it; nothing recurses and nothing is copied but
//! headers. A box that reaches past its parent is cut to it, one of an impossible size ends the list.
//! Source of the format: ISO/IEC 14496-12, QuickTime File Format.

mod items;
mod track;

pub(crate) use items::{Items, Turn};
pub(crate) use track::Track;

use crate::Head;

/// The most boxes in one list; real ones have fewer than 200.
const MAX_BOXES: usize = 1_000;

/// A box: its type and where its content lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atom {
    /// Four characters.
    pub(crate) kind: [u8; 4],
    /// First byte of the content.
    pub(crate) at: u64,
    /// After the last byte of the content.
    pub(crate) end: u64,
}

impl Atom {
    pub(crate) fn len(&self) -> u64 {
        self.end - self.at
    }

    /// The boxes inside, after `skip` bytes of the content.
    pub(crate) fn children(&self, skip: u64) -> Atoms {
        Atoms { at: self.at.saturating_add(skip), end: self.end, left: MAX_BOXES }
    }

    /// The first box of a type inside, after `skip` bytes of the content.
    pub(crate) fn child(&self, head: &mut Head<'_>, skip: u64, kind: &[u8; 4]) -> Option<Atom> {
        let mut children = self.children(skip);
        while let Some(atom) = children.next(head) {
            if atom.kind == *kind {
                return Some(atom);
            }
        }
        None
    }

    /// The whole content, if it is at most `most` bytes.
    pub(crate) fn content<'h>(&self, head: &'h mut Head<'_>, most: u64) -> Option<&'h [u8]> {
        (self.len() <= most).then(|| head.up_to(self.at, self.len() as usize))
    }
}

/// A list of boxes.
pub(crate) struct Atoms {
    at: u64,
    end: u64,
    left: usize,
}

impl Atoms {
    /// The boxes of a whole file.
    pub(crate) fn of_file(head: &Head<'_>) -> Self {
        Self { at: 0, end: head.len(), left: MAX_BOXES }
    }

    /// The next box.
    pub(crate) fn next(&mut self, head: &mut Head<'_>) -> Option<Atom> {
        if self.left == 0 || self.at.checked_add(8)? > self.end {
            return None;
        }
        self.left -= 1;
        let [s0, s1, s2, s3, k0, k1, k2, k3] = head.array(self.at)?;
        let kind = [k0, k1, k2, k3];
        let (header, size) = match u32::from_be_bytes([s0, s1, s2, s3]) {
            0 => (8, self.end - self.at),
            1 => (16, u64::from_be_bytes(head.array(self.at + 8)?)),
            size => (8, u64::from(size)),
        };
        if size < header {
            return None;
        }
        let end = self.at.saturating_add(size).min(self.end);
        let atom = Atom { kind, at: (self.at + header).min(end), end };
        self.at = end;
        Some(atom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    fn kinds(bytes: &[u8]) -> Vec<(String, u64)> {
        let mut source = BytesSource(bytes);
        let mut head = Head::new(&mut source);
        let mut atoms = Atoms::of_file(&head);
        std::iter::from_fn(|| atoms.next(&mut head))
            .map(|a| (String::from_utf8_lossy(&a.kind).into_owned(), a.len()))
            .collect()
    }

    #[test]
    fn sizes_of_all_three_forms() {
        let mut bytes = b"\0\0\0\x0aftypab".to_vec();
        bytes.extend(b"\0\0\0\x01wide\0\0\0\0\0\0\0\x12cd");
        bytes.extend(b"\0\0\0\0mdat12345");
        assert_eq!(kinds(&bytes), [("ftyp".to_owned(), 2), ("wide".to_owned(), 2), ("mdat".to_owned(), 5)]);
    }

    #[test]
    fn an_impossible_size_ends_the_list() {
        assert_eq!(kinds(b"\0\0\0\x07ftyp"), []);
        assert_eq!(kinds(b"\0\0\0\x01ftyp\0\0\0\0\0\0\0\x0f"), []);
        assert_eq!(kinds(b"\0\0\0\x01ftyp\xff\xff\xff\xff\xff\xff\xff\xff"), [("ftyp".to_owned(), 0)]);
        assert_eq!(kinds(b"\x7f\0\0\x08ftypxx"), [("ftyp".to_owned(), 2)]);
    }
}

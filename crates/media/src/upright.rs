//! How to give a JPEG an orientation without touching its pixels.
//!
//! A JPEG inside a RAW often says nothing of how the camera was held, because the RAW's own directory does.
//! Taken out of it, byte for byte, it would lie on its side. This says which few bytes to change or to put in
//! between, so that the picture's own bytes can be sent straight from the original, whatever their length.
//! Nothing is decoded, and nothing but the head of the JPEG is looked at.

use lightfast_model::Orientation;

/// How many of a JPEG's first bytes are enough to find its EXIF block: one segment has at most 65,535.
pub const UPRIGHT_HEAD: usize = 128 * 1024;

/// What to do with a JPEG's bytes so that viewers show it upright.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upright {
    /// Nothing.
    AsIs,
    /// Put these two bytes in place of those at `offset`.
    Replace {
        /// From the start of the JPEG.
        offset: usize,
        /// The new bytes.
        bytes: [u8; 2],
    },
    /// Put these bytes in between, before the one at `offset`.
    Insert {
        /// From the start of the JPEG.
        offset: usize,
        /// The bytes to put in.
        bytes: Vec<u8>,
    },
}

/// Decides for the JPEG that begins with `head`, whose stored pixels need `orientation` to be seen upright.
pub fn upright(head: &[u8], orientation: Orientation) -> Upright {
    if head.get(..2) != Some(&[0xff, 0xd8]) {
        return Upright::AsIs;
    }
    match own_orientation(head) {
        Some(own) if own.value == u16::from(orientation.value()) => Upright::AsIs,
        Some(own) => {
            let value = u16::from(orientation.value());
            let bytes = if own.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
            Upright::Replace { offset: own.offset, bytes }
        }
        None if orientation.value() == 1 => Upright::AsIs,
        None => Upright::Insert { offset: 2, bytes: segment(orientation) },
    }
}

struct Own {
    offset: usize,
    value: u16,
    big_endian: bool,
}

/// Where the JPEG's own EXIF block keeps its orientation.
fn own_orientation(head: &[u8]) -> Option<Own> {
    let mut at = 2usize;
    // A JPEG has few segments before its picture; more than this is no camera's.
    for _ in 0..64 {
        let marker = head.get(at..at.checked_add(2)?)?;
        let [0xff, code] = *marker else { return None };
        match code {
            0xff => at = at.checked_add(1)?,
            0xda | 0xd9 => return None,
            0x01 | 0xd0..=0xd8 => at = at.checked_add(2)?,
            _ => {
                let length = usize::from(be16(head, at.checked_add(2)?)?);
                let content = at.checked_add(4)?;
                let tiff = content.checked_add(6)?;
                if code == 0xe1 && head.get(content..tiff) == Some(b"Exif\0\0".as_slice()) {
                    return orientation_entry(head, tiff);
                }
                at = at.checked_add(2)?.checked_add(length)?;
            }
        }
    }
    None
}

fn orientation_entry(head: &[u8], tiff: usize) -> Option<Own> {
    let big_endian = match head.get(tiff..tiff.checked_add(2)?)? {
        b"MM" => true,
        b"II" => false,
        _ => return None,
    };
    let short = |at: usize| Some(if big_endian { be16(head, at)? } else { be16(head, at)?.swap_bytes() });
    let first = tiff.checked_add(4)?;
    let long = (short(first)?, short(first.checked_add(2)?)?);
    let (high, low) = if big_endian { long } else { (long.1, long.0) };
    let directory = tiff.checked_add((usize::from(high) << 16) | usize::from(low))?;
    let count = short(directory)?;
    for index in 0..usize::from(count.min(512)) {
        let entry = directory.checked_add(2)?.checked_add(index.checked_mul(12)?)?;
        if short(entry)? == 0x0112 {
            // Type 3 is SHORT; anything else is not an orientation that a viewer would take.
            let offset = entry.checked_add(8)?;
            return (short(entry.checked_add(2)?)? == 3).then_some(Own { offset, value: short(offset)?, big_endian });
        }
    }
    None
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    pair.try_into().ok().map(u16::from_be_bytes)
}

/// An EXIF segment that holds an orientation and nothing else.
fn segment(orientation: Orientation) -> Vec<u8> {
    let mut out = Vec::with_capacity(36);
    out.extend([0xff, 0xe1, 0x00, 0x22]);
    out.extend(b"Exif\0\0MM\0\x2a");
    out.extend([0, 0, 0, 8, 0, 1]);
    out.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.value(), 0, 0]);
    out.extend([0, 0, 0, 0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orientation(value: u16) -> Orientation {
        Orientation::new(value).unwrap()
    }

    fn apply(jpeg: &[u8], value: u16) -> Vec<u8> {
        let mut out = jpeg.to_vec();
        match upright(jpeg, orientation(value)) {
            Upright::AsIs => {}
            Upright::Replace { offset, bytes } => out[offset..offset + 2].copy_from_slice(&bytes),
            Upright::Insert { offset, bytes } => drop(out.splice(offset..offset, bytes)),
        }
        out
    }

    #[test]
    fn an_orientation_is_put_in_then_changed_in_place() {
        let bare = [0xff, 0xd8, 0xff, 0xdb, 0, 4, 1, 2, 0xff, 0xda, 0, 2];
        assert_eq!(apply(&bare, 1), bare);
        let turned = apply(&bare, 6);
        assert_eq!(turned.len(), bare.len() + 36);
        assert_eq!(own_orientation(&turned).unwrap().value, 6);
        assert_eq!(upright(&turned, orientation(6)), Upright::AsIs);
        let back = apply(&turned, 1);
        assert_eq!(back.len(), turned.len());
        assert_eq!(own_orientation(&back).unwrap().value, 1);
    }

    #[test]
    fn little_endian_blocks_are_changed_in_their_own_order() {
        let mut jpeg = vec![0xff, 0xd8, 0xff, 0xe1, 0x00, 0x22];
        jpeg.extend(b"Exif\0\0II\x2a\0");
        jpeg.extend([8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(own_orientation(&jpeg).unwrap().value, 8);
        assert_eq!(own_orientation(&apply(&jpeg, 3)).unwrap().value, 3);
    }

    #[test]
    fn cut_or_wrong_bytes_change_nothing_or_are_put_before() {
        assert_eq!(upright(b"no jpeg", orientation(6)), Upright::AsIs);
        let whole = apply(&[0xff, 0xd8, 0xff, 0xda], 6);
        for end in 2..whole.len() {
            let _ = upright(&whole[..end], orientation(3));
        }
        let endless = [[0xff, 0xd8].as_slice(), &[0xff; 300]].concat();
        assert!(matches!(upright(&endless, orientation(6)), Upright::Insert { offset: 2, .. }));
    }
}

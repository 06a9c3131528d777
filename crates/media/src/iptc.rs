//! IPTC's record (IIM), as it lies in Photoshop's resources or in a TIFF tag.
//!
//! Texts are UTF-8 where the record says so, else whatever decodes. Source of the format: IPTC-NAA IIM 4.2,
//! Photoshop's image resources.

use crate::cursor::Cursor;
use crate::found::Iptc;
use crate::text;

/// The most entries of a record.
const MAX_ENTRIES: usize = 2_000;

/// Reads Photoshop's resources (`8BIM` blocks): the record, and the digest that says whether XMP was written after it.
pub(crate) fn photoshop(bytes: &[u8]) -> Option<Iptc> {
    let mut cursor = Cursor::new(bytes);
    let (mut record, mut digest) = (None, None);
    for _ in 0..MAX_ENTRIES {
        let Some(mark) = cursor.array::<4>() else { break };
        if !is_resource(mark) {
            break;
        }
        let (Some(id), Some(name)) = (cursor.u16(), cursor.u8()) else { break };
        // The name is padded to an even length, its own length byte included.
        let skip = usize::from(name) + usize::from(name % 2 == 0);
        let (Some(_), Some(len)) = (cursor.take(skip), cursor.u32()) else { break };
        let data = cursor.take(len as usize).unwrap_or_else(|| cursor.rest());
        if len % 2 == 1 {
            let _padding = cursor.u8();
        }
        match id {
            0x0404 => record = Some(data),
            0x0425 => digest = Some(data),
            _ => {}
        }
    }
    let record = record?;
    let mut iptc = read(record);
    // An absent or empty digest says nothing; one that fits says that nothing changed the record behind XMP's back.
    iptc.in_step = digest.is_none_or(|digest| digest.iter().all(|&b| b == 0) || crate::md5::digest(record) == digest);
    Some(iptc)
}

/// Whether a resource begins so: Photoshop's own mark, or those of programs that added theirs.
pub(crate) fn is_resource(mark: [u8; 4]) -> bool {
    matches!(&mark, b"8BIM" | b"PHUT" | b"DCSR" | b"AgHg" | b"MeSa")
}

/// Reads the record itself.
pub(crate) fn read(bytes: &[u8]) -> Iptc {
    let mut iptc = Iptc { in_step: true, ..Iptc::default() };
    let (mut date, mut time) = (None, None);
    let mut cursor = Cursor::new(bytes);
    for _ in 0..MAX_ENTRIES {
        let Some([0x1c, record, dataset]) = cursor.array::<3>() else { break };
        let Some(len) = cursor.u16() else { break };
        // Longer values have the length of their length here; no text of ours is that long.
        let Some(value) = (len < 0x8000).then(|| cursor.take(usize::from(len))).flatten() else { break };
        if record != 2 {
            continue;
        }
        let value = text::trimmed(value);
        match dataset {
            5 => iptc.title = iptc.title.or(value),
            25 => iptc.keywords.extend(value),
            55 => date = date.or(value),
            60 => time = time.or(value),
            80 => iptc.creators.extend(value),
            116 => iptc.copyright = iptc.copyright.or(value),
            120 => iptc.caption = iptc.caption.or(value),
            _ => {}
        }
    }
    iptc.created = date.zip(time).and_then(|(date, time)| created(&date, &time));
    iptc
}

/// `20090712` and `140322+0200` as one time.
fn created(date: &str, time: &str) -> Option<String> {
    let (year, month, day) = (date.get(..4)?, date.get(4..6)?, date.get(6..8)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..6)?);
    Some(format!("{year}:{month}:{day} {hour}:{minute}:{second}{}", time.get(6..).unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(dataset: u8, value: &[u8]) -> Vec<u8> {
        [&[0x1c, 2, dataset, 0, value.len() as u8], value].concat()
    }

    #[test]
    fn a_record_in_photoshops_resources() {
        let record = [
            entry(5, b"Title"),
            entry(25, b"one"),
            entry(25, b"two"),
            entry(55, b"20090712"),
            entry(60, b"140322+0200"),
        ]
        .concat();
        let mut block = b"8BIM\x03\xed\0\0\0\0\0\x02ab".to_vec();
        block.extend(b"8BIM\x04\x04\0\0");
        block.extend((record.len() as u32).to_be_bytes());
        block.extend(&record);
        let iptc = photoshop(&block).unwrap();
        assert_eq!((iptc.title.as_deref(), iptc.keywords.len(), iptc.in_step), (Some("Title"), 2, true));
        assert_eq!(iptc.created.as_deref(), Some("2009:07:12 14:03:22+0200"));
        for end in 0..block.len() {
            let _ = photoshop(&block[..end]);
        }
    }

    #[test]
    fn a_digest_that_does_not_fit_says_that_the_record_changed() {
        let record = entry(5, b"Title");
        let with = |digest: [u8; 16]| {
            let mut block = b"8BIM\x04\x04\0\0".to_vec();
            block.extend((record.len() as u32).to_be_bytes());
            block.extend(&record);
            block.extend(b"8BIM\x04\x25\0\0\0\0\0\x10");
            block.extend(digest);
            photoshop(&block).unwrap().in_step
        };
        assert!(with(crate::md5::digest(&record)));
        assert!(with([0; 16]));
        assert!(!with([7; 16]));
    }
}

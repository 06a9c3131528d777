//! What programs append behind a picture: captions and keywords (AFCP, FotoStation), or a packet (Canon's).
//!
//! The end of a JPEG is looked at only where the picture has no maker's note: what a camera wrote and nobody changed
//! has nothing there, and is read in one piece from its beginning. Source of the formats: the AXS file concatenation protocol;
//! FotoStation's and Canon's as EXIF tools publish them.

use crate::Head;
use crate::found::Found;
use crate::iptc;
use crate::tiff::Order;

use super::packet;

/// The longest record that is read.
const MAX_RECORD: u64 = 256 << 10;
/// The most records of one file.
const MAX_RECORDS: usize = 16;
/// How Canon's trailer begins and ends.
const CANON: &[u8] = b"CANON OPTIONAL DATA\0";

/// Reads what stands behind a JPEG.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    if found.has_note {
        return;
    }
    let mut end = head.len();
    // One read for the footers of all three.
    let _ = head.up_to(end.saturating_sub(64), 64);
    for _ in 0..MAX_RECORDS {
        let Some(before) = foto_station(head, end, found).or_else(|| concatenated(head, end, found)) else { break };
        if before >= end {
            break;
        }
        end = before;
    }
    canon(head, found);
}

/// One record of FotoStation's, which ends at `end`: the record, its number, its length with this footer, a mark. Gives where it
/// begins.
fn foto_station(head: &mut Head<'_>, end: u64, found: &mut Found) -> Option<u64> {
    let [n0, n1, l0, l1, l2, l3, 0xa1, 0xb2, 0xc3, 0xd4] = head.array(end.checked_sub(10)?)? else { return None };
    let len = u64::from(u32::from_be_bytes([l0, l1, l2, l3]));
    let start = end.checked_sub(len).filter(|_| len >= 10)?;
    if u16::from_be_bytes([n0, n1]) == 1 {
        record(head, start, len - 10, found);
    }
    Some(start)
}

/// AFCP: a footer that says where its directory is; entries of a name, a length and an offset. Gives where it begins.
fn concatenated(head: &mut Head<'_>, end: u64, found: &mut Found) -> Option<u64> {
    let footer: [u8; 12] = head.array(end.checked_sub(12)?)?;
    let order = match footer.get(..4)? {
        b"AXS!" => Order::Big,
        b"AXS*" => Order::Little,
        _ => return None,
    };
    let start = u64::from(order.u32(footer.get(4..8)?.try_into().ok()?));
    let header: [u8; 12] = head.array(start)?;
    if header.get(..4) != footer.get(..4) {
        return None;
    }
    let count = u64::from(order.u16(header.get(6..8)?.try_into().ok()?)).min(64);
    for index in 0..count {
        let entry: [u8; 12] = head.array(start + 12 + index * 12)?;
        let (name, rest) = entry.split_first_chunk::<4>()?;
        let (len, rest) = rest.split_first_chunk::<4>()?;
        let offset = rest.first_chunk::<4>()?;
        if name == b"IPTC" {
            record(head, u64::from(order.u32(*offset)), u64::from(order.u32(*len)), found);
        }
    }
    Some(start)
}

/// Takes an IPTC record where the picture itself has none.
fn record(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    if found.iptc.is_none() && len <= MAX_RECORD {
        let bytes = head.up_to(at, len as usize);
        found.iptc = (bytes.first() == Some(&0x1c)).then(|| iptc::read(bytes));
    }
}

/// Canon's trailer: blocks of a kind and a length, between a header of 28 bytes and a footer of 64.
pub(super) fn canon(head: &mut Head<'_>, found: &mut Found) {
    let _ = canon_blocks(head, found);
}

fn canon_blocks(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    let end = head.len().checked_sub(64)?;
    let footer: [u8; 64] = head.array(end)?;
    let len = u64::from(u32::from_be_bytes(*footer.strip_prefix(CANON)?.first_chunk::<4>()?));
    // The length counts neither header nor footer.
    let mut at = end.checked_sub(len)?;
    let start = at.checked_sub(28)?;
    if head.bytes(start, CANON.len())? != CANON {
        return None;
    }
    for _ in 0..MAX_RECORDS {
        if at + 8 > end {
            break;
        }
        let [k0, k1, k2, k3, s0, s1, s2, s3] = head.array(at)?;
        let size = u64::from(u32::from_be_bytes([s0, s1, s2, s3]));
        at += 8;
        if u32::from_be_bytes([k0, k1, k2, k3]) == 0xffff_00f6 && at + size <= end {
            packet::read(head, at, size, found);
        }
        at = at.checked_add(size)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    const RECORD: &[u8] = b"\x1c\x02\x78\0\x05words\x1c\x02\x19\0\x03one";

    fn caption(file: &[u8]) -> Option<String> {
        let mut found = Found::default();
        read(&mut Head::new(&mut BytesSource(file)), &mut found);
        found.iptc.and_then(|iptc| iptc.caption)
    }

    #[test]
    fn a_caption_in_fotostations_trailer() {
        let record = |number: u16, bytes: &[u8]| {
            let len = bytes.len() as u32 + 10;
            [bytes, &number.to_be_bytes(), &len.to_be_bytes(), &[0xa1, 0xb2, 0xc3, 0xd4]].concat()
        };
        let file = [b"\xff\xd8\xff\xd9".to_vec(), record(1, RECORD), record(2, b"crop")].concat();
        assert_eq!(caption(&file).as_deref(), Some("words"));
        for end in 0..file.len() {
            let _ = caption(&file[..end]);
        }
    }

    #[test]
    fn a_caption_in_an_afcp_trailer() {
        for order in [Order::Big, Order::Little] {
            let long = |v: u32| if order == Order::Big { v.to_be_bytes() } else { v.to_le_bytes() };
            let short = |v: u16| if order == Order::Big { v.to_be_bytes() } else { v.to_le_bytes() };
            let mark: &[u8] = if order == Order::Big { b"AXS!" } else { b"AXS*" };
            let mut file = b"\xff\xd8\xff\xd9".to_vec();
            file.extend([mark, &short(100), &short(1), &long(0)].concat());
            file.extend([&b"IPTC"[..], &long(RECORD.len() as u32), &long(28)].concat());
            file.extend(RECORD);
            file.extend([mark, &long(4), &long(0)].concat());
            assert_eq!(caption(&file).as_deref(), Some("words"));
            for end in 0..file.len() {
                let _ = caption(&file[..end]);
            }
        }
    }

    #[test]
    fn a_packet_in_canons_trailer() {
        let xmp = br#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="3"/></rdf:RDF>"#;
        let blocks = [&0xffff_00f6u32.to_be_bytes()[..], &(xmp.len() as u32).to_be_bytes(), xmp].concat();
        let header = [CANON, &[0, 1, 0, 0, 0, 0, 0, 0]].concat();
        let mut footer = [CANON, &(blocks.len() as u32).to_be_bytes()].concat();
        footer.resize(64, 0);
        let file = [b"picture".to_vec(), header, blocks, footer].concat();
        let rating = |file: &[u8]| {
            let mut found = Found::default();
            canon(&mut Head::new(&mut BytesSource(file)), &mut found);
            found.xmp.and_then(|xmp| xmp.rating)
        };
        assert_eq!(rating(&file), Some(3));
        for end in 0..file.len() {
            assert_eq!(rating(&file[..end]), None);
        }
    }
}

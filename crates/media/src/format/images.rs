//! PNG, WebP, JPEG XL, Photoshop, GIF and BMP: size, EXIF, XMP and IPTC, where each keeps them.

use crate::Head;
use crate::bmff::Atoms;
use crate::found::Found;
use crate::{iptc, previews};

use super::{packet, png_profile, tiff_file};

/// The most chunks of a file.
const MAX_CHUNKS: usize = 500;

/// Reads a picture of these formats.
pub(super) fn read(head: &mut Head<'_>, format: &str, found: &mut Found) {
    let read = match format {
        "PNG" => png(head, found),
        "WebP" => webp(head, found),
        "JXL" => jxl(head, found),
        "JP2" => jp2(head, found),
        "PSD" => psd(head, found),
        "GIF" => head.array(6).map(|[w0, w1, h0, h1]| {
            size(found, u16::from_le_bytes([w0, w1]).into(), u16::from_le_bytes([h0, h1]).into())
        }),
        _ => Some(()),
    };
    if read.is_none() {
        found.problems.push("the file is cut short or damaged".to_owned());
    }
}

fn size(found: &mut Found, width: u32, height: u32) {
    found.stored = Some((width, height)).filter(|&(w, h)| w > 0 && h > 0);
}

/// EXIF as a chunk; some put JPEG's mark before it.
fn exif(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    let skip = if head.bytes(at, 6).is_some_and(|b| b == b"Exif\0\0") { 6 } else { 0 };
    tiff_file::embedded(head, at + skip, len.saturating_sub(skip), found);
}

fn png(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    const XMP: &[u8] = b"XML:com.adobe.xmp\0";
    let mut at = 8;
    for _ in 0..MAX_CHUNKS {
        let [l0, l1, l2, l3, k0, k1, k2, k3] = head.array(at)?;
        let len = u64::from(u32::from_be_bytes([l0, l1, l2, l3]));
        match &[k0, k1, k2, k3] {
            b"IHDR" => {
                let [w0, w1, w2, w3, h0, h1, h2, h3] = head.array(at + 8)?;
                size(found, u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
            }
            b"eXIf" => exif(head, at + 8, len, found),
            b"iTXt" if head.up_to(at + 8, XMP.len()) == XMP => {
                // Flags of compression, language and translated keyword stand before the text.
                let start = head.up_to(at + 8, len.min(512) as usize).iter().position(|&b| b == b'<')? as u64;
                packet::read(head, at + 8 + start, len.saturating_sub(start), found);
            }
            b"tEXt" | b"zTXt" => png_profile::read(head, at + 8, len, found),
            b"IEND" => return Some(()),
            _ => {}
        }
        at = at.checked_add(12 + len)?;
    }
    Some(())
}

fn webp(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    let three = |[a, b, c]: [u8; 3]| u32::from_le_bytes([a, b, c, 0]);
    let mut at = 12;
    for _ in 0..MAX_CHUNKS {
        let Some([k0, k1, k2, k3, l0, l1, l2, l3]) = head.array(at) else { break };
        let len = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
        match &[k0, k1, k2, k3] {
            b"VP8X" => {
                let [w0, w1, w2, h0, h1, h2] = head.array(at + 12)?;
                size(found, three([w0, w1, w2]) + 1, three([h0, h1, h2]) + 1);
            }
            b"VP8 " if found.stored.is_none() => {
                let [w0, w1, h0, h1] = head.array(at + 14)?;
                size(
                    found,
                    u32::from(u16::from_le_bytes([w0, w1]) & 0x3fff),
                    u32::from(u16::from_le_bytes([h0, h1]) & 0x3fff),
                );
            }
            b"VP8L" if found.stored.is_none() => {
                let bits = u32::from_le_bytes(head.array(at + 9)?);
                size(found, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
            }
            b"EXIF" => exif(head, at + 8, len, found),
            b"XMP " => packet::read(head, at + 8, len, found),
            _ => {}
        }
        at = at.checked_add(8 + len + len % 2)?;
    }
    found.stored.map(|_| ())
}

fn jxl(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    if head.array(0)? == [0xff, 0x0a] {
        jxl_size(head, 0, found);
        return Some(());
    }
    let mut boxes = Atoms::of_file(head);
    while let Some(atom) = boxes.next(head) {
        match &atom.kind {
            b"Exif" => {
                let skip = 4 + u64::from(u32::from_be_bytes(head.array(atom.at)?));
                exif(head, atom.at.checked_add(skip)?, atom.len().saturating_sub(skip), found);
            }
            b"xml " => packet::read(head, atom.at, atom.len(), found),
            b"jxlc" => jxl_size(head, atom.at, found),
            b"jxlp" if found.stored.is_none() => jxl_size(head, atom.at + 4, found),
            _ => {}
        }
    }
    Some(())
}

fn jp2(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    const EXIF: &[u8; 16] = b"JpgTiffExif->JP2";
    const XMP: [u8; 16] =
        [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];
    const IPTC: [u8; 16] =
        [0x33, 0xc7, 0xa4, 0xd2, 0xb8, 0x1d, 0x47, 0x23, 0xa0, 0xba, 0xf1, 0xa3, 0xe0, 0x97, 0xad, 0x38];
    let mut boxes = Atoms::of_file(head);
    while let Some(atom) = boxes.next(head) {
        let (at, len) = (atom.at + 16, atom.len().saturating_sub(16));
        match (&atom.kind, head.array::<16>(atom.at)) {
            (b"jp2h", _) => {
                if let Some(header) = atom.child(head, 0, b"ihdr") {
                    let [h0, h1, h2, h3, w0, w1, w2, w3] = head.array(header.at)?;
                    size(found, u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
                }
            }
            (b"uuid", Some(id)) if id == *EXIF => exif(head, at, len, found),
            (b"uuid", Some(id)) if id == XMP => packet::read(head, at, len, found),
            (b"uuid", Some(id)) if id == IPTC => {
                found.iptc = Some(iptc::read(head.up_to(at, len.min(256 << 10) as usize)))
            }
            _ => {}
        }
    }
    Some(())
}

/// The size header of a code stream: bits from the lowest, after its two-byte mark.
fn jxl_size(head: &mut Head<'_>, at: u64, found: &mut Found) {
    let bytes = head.up_to(at, 16);
    let Some(&[0xff, 0x0a]) = bytes.first_chunk::<2>() else { return };
    let bits = bytes.iter().skip(2).take(12).rev().fold(0u128, |sum, &b| sum << 8 | u128::from(b));
    let mut at = 0;
    let mut take = |count: u32| {
        let value = (bits >> at & ((1 << count) - 1)) as u32;
        at += count;
        value
    };
    let small = take(1) == 1;
    let side = |take: &mut dyn FnMut(u32) -> u32| {
        if small {
            (take(5) + 1) * 8
        } else {
            let count = [9, 13, 18, 30].get(take(2) as usize).copied().unwrap_or(9);
            take(count) + 1
        }
    };
    let height = side(&mut take);
    let ratio = take(3);
    let of = |num: u64, den: u64| (u64::from(height) * num / den) as u32;
    let width = match ratio {
        0 => side(&mut take),
        1 => height,
        2 => of(12, 10),
        3 => of(4, 3),
        4 => of(3, 2),
        5 => of(16, 9),
        6 => of(5, 4),
        _ => of(2, 1),
    };
    size(found, width, height);
}

fn psd(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    let [h0, h1, h2, h3, w0, w1, w2, w3] = head.array(14)?;
    size(found, u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
    let colours = u64::from(u32::from_be_bytes(head.array(26)?));
    let start = 30 + colours;
    let end = start + 4 + u64::from(u32::from_be_bytes(head.array(start)?));
    let mut at = start + 4;
    for _ in 0..MAX_CHUNKS {
        let Some([m0, m1, m2, m3, i0, i1, name]) = head.array(at).filter(|_| at < end) else { break };
        if !iptc::is_resource([m0, m1, m2, m3]) {
            break;
        }
        let name = u64::from(name);
        let data = at + 7 + name + u64::from(name % 2 == 0) + 4;
        let len = u64::from(u32::from_be_bytes(head.array(data - 4)?));
        match u16::from_be_bytes([i0, i1]) {
            0x0404 => found.iptc = Some(iptc::read(head.up_to(data, len.min(256 << 10) as usize))),
            // A thumbnail, as a JPEG behind 28 bytes of its own sizes.
            0x0409 | 0x040c => previews::note(head, found, data + 28, len.saturating_sub(28), None),
            0x0422 => exif(head, data, len, found),
            0x0424 => packet::read(head, data, len, found),
            _ => {}
        }
        at = data + len + len % 2;
    }
    Some(())
}

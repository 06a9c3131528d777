//! Sony's note: lens, shutter count, preview. Newer bodies keep these in blocks behind a substitution.
//!
//! Sony writes no body serial into the note except one body; what looks like one inside is the sensor's.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Entry, Ifd, Order, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let model = found.exif.model.clone().unwrap_or_default();
    let mut a_mount = None;
    let mut e_mount = None;
    let mut adapter = None;
    for entry in &ifd.entries {
        match entry.tag {
            // The first bodies of the mount say it in their settings.
            0x0114 if model.starts_with("NEX-") && matches!(entry.count, 1536 | 2048) => {
                let block = tiff.data(head, entry).unwrap_or(&[]);
                e_mount = block.get(0x99).filter(|&&mount| mount != 1).and_then(|_| short(block, 0x3f7));
            }
            0x2001 => {
                // The preview begins with a few numbers of its own.
                if let Some((at, len)) = tiff.span(entry) {
                    let start = head.up_to(at, 64).windows(3).position(|w| w == [0xff, 0xd8, 0xff]);
                    if let Some(skip) = start.map(|s| s as u64) {
                        crate::previews::note(head, found, at + skip, len.saturating_sub(skip), None);
                    }
                }
            }
            0x2002 => found.maker.rating = tiff.unsigned(head, entry).and_then(|v| i64::try_from(v).ok()),
            0x2031 => found.maker.serial = tiff.text(head, entry).and_then(|text| serial(&text)),
            0xb027 => a_mount = tiff.unsigned(head, entry).and_then(|v| u16::try_from(v).ok()),
            0xb02a => found.maker.lens_spec = tiff.data(head, entry).and_then(spec),
            0x9050 => {
                let block = hidden(head, tiff, entry).unwrap_or_default();
                found.maker.shutter_count = shutter_count(&block, &model);
                if is_body_with_mount(&model) {
                    e_mount =
                        block.get(0x0105).filter(|&&mount| mount == 2).and_then(|_| short(&block, 0x0107)).or(e_mount);
                }
            }
            0x9405 => {
                let marks = tiff.data(head, entry).and_then(<[u8]>::first).copied();
                let known = |mark: &u8| {
                    matches!(mark, 0x1b | 0x40 | 0x7d | 0x3a | 0xb3 | 0x7e | 0x9a | 0x25 | 0xe1 | 0x76 | 0x8b)
                };
                if let (Some(mark), Some(block)) = (marks.filter(known), hidden(head, tiff, entry)) {
                    let mount_at = if matches!(mark, 0x1b | 0x40 | 0x7d) { 0x0604 } else { 0x005e };
                    let lens_at = if mount_at == 0x0604 { 0x0605 } else { 0x0060 };
                    let lens = block.get(mount_at).filter(|&&mount| mount == 2).and_then(|_| short(&block, lens_at));
                    e_mount = lens.or(e_mount);
                    if mount_at == 0x005e {
                        found.maker.exposure = exposure(&block, 0x0010).or(found.maker.exposure.take());
                    }
                }
            }
            0x9416 => {
                if let Some(block) = hidden(head, tiff, entry) {
                    let lens = block.get(0x004a).filter(|&&mount| mount == 2).and_then(|_| short(&block, 0x004b));
                    e_mount = lens.or(e_mount);
                    found.maker.exposure = exposure(&block, 0x000c).or(found.maker.exposure.take());
                }
            }
            0x940c if ["NEX-", "ILCE-", "ILME-", "Lunar", "ZV-E10"].iter().any(|name| model.starts_with(name)) => {
                adapter = hidden(head, tiff, entry).and_then(|block| short(&block, 0x0009));
            }
            _ => {}
        }
    }
    let e_mount = match e_mount {
        Some(0) => adapter.filter(|&v| v & 0x8000 != 0).or(Some(0)),
        other => other,
    };
    let valid = |id: u16| id & 0x8000 != 0 || id == 0;
    found.maker.lens_id = match (a_mount, e_mount) {
        (_, Some(id)) if valid(id) => Some(LensId::SonyE(id)),
        (Some(id), _) => Some(LensId::SonyA(id)),
        _ => None,
    };
}

/// Bodies of the first two layouts of the block with the shutter count, where the mount and the lens stand as well.
fn is_body_with_mount(model: &str) -> bool {
    const NEWER: [&str; 7] = ["DSC-", "Stellar", "ILCE-1", "ILCE-7M4", "ILCE-7RM5", "ILCE-7SM3", "ILME-"];
    !NEWER.iter().any(|name| model.starts_with(name)) && (!model.starts_with("ZV-") || model == "ZV-E10")
}

/// An exposure time as a fraction of two short numbers.
fn exposure(block: &[u8], at: usize) -> Option<Ratio> {
    let (num, den) = (short(block, at)?, short(block, at + 2)?);
    (num > 0 && den > 0).then(|| Ratio { num: num.into(), den: den.into() })
}

/// A serial number whose pairs of digits stand backwards.
fn serial(text: &str) -> Option<String> {
    let digits = text.trim();
    if digits.len() != 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return (!digits.is_empty()).then(|| digits.to_owned());
    }
    let pairs: Vec<&str> = [6, 4, 2, 0].iter().filter_map(|&at| digits.get(at..at + 2)).collect();
    let number = pairs.concat();
    Some(number.strip_prefix('0').unwrap_or(&number).to_owned())
}

fn short(block: &[u8], at: usize) -> Option<u16> {
    Some(Order::Little.u16(block.get(at..at + 2)?.try_into().ok()?))
}

fn shutter_count(block: &[u8], model: &str) -> Option<u64> {
    let body = model.split(['V', ' ']).next().unwrap_or_default();
    let is = |names: &[&str]| names.contains(&model) || names.contains(&body);
    let later = [
        "ILCE-6100",
        "ILCE-6300",
        "ILCE-6400",
        "ILCE-6500",
        "ILCE-6600",
        "ILCE-7C",
        "ILCE-7M3",
        "ILCE-7RM2",
        "ILCE-7RM3",
        "ILCE-7RM3A",
        "ILCE-7RM4",
        "ILCE-7RM4A",
        "ILCE-7SM2",
        "ILCE-9",
        "ILCE-9M2",
        "ILCA-99M2",
        "ZV-E10",
    ];
    let latest = ["ILCE-1", "ILCE-7M4", "ILCE-7RM5", "ILCE-7SM3", "ILME-FX3"];
    let at = if is(&later) {
        0x003a
    } else if is(&latest) {
        0x000a
    } else if ["DSC-", "Stellar", "ZV-"].iter().any(|name| model.starts_with(name)) {
        return None;
    } else {
        0x0032
    };
    let bytes = block.get(at..at + 4)?.try_into().ok()?;
    Some(u64::from(Order::Little.u32(bytes) & 0x00ff_ffff)).filter(|&v| v > 0)
}

/// A block behind the substitution `hidden = plain³ mod 249`.
fn hidden(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<Vec<u8>> {
    let mut plain = [0u8; 256];
    for (value, slot) in (0u32..).zip(plain.iter_mut()) {
        *slot = value as u8;
    }
    for value in 2u32..248 {
        if let Some(slot) = plain.get_mut((value * value * value % 249) as usize) {
            *slot = value as u8;
        }
    }
    let bytes = tiff.data(head, entry)?;
    Some(bytes.iter().filter_map(|&b| plain.get(usize::from(b)).copied()).collect())
}

/// The lens in Sony's short form: `DT 18-55mm F3.5-5.6 SAM`.
fn spec(bytes: &[u8]) -> Option<String> {
    let [flags1, s1, s0, l1, l0, wide, tele, flags2] = *bytes.first_chunk::<8>()?;
    // Lengths are written in decimal digits, a half byte each; f-numbers likewise in tenths.
    let digits = |b: u8| u32::from(b >> 4) * 10 + u32::from(b & 15);
    let (short, long) = (digits(s1) * 100 + digits(s0), digits(l1) * 100 + digits(l0));
    let (wide, tele) = (f64::from(digits(wide)) / 10.0, f64::from(digits(tele)) / 10.0);
    if short == 0 || wide == 0.0 {
        return None;
    }
    let mut name = if long > 0 && long != short { format!("{short}-{long}mm") } else { format!("{short}mm") };
    name += &format!(" F{wide}");
    if tele > 0.0 && tele != wide {
        name += &format!("-{tele}");
    }
    let flags = u16::from(flags1) << 8 | u16::from(flags2);
    for (mask, bits, word, in_front) in FEATURES {
        if flags & mask == *bits {
            name = if *in_front { format!("{word} {name}") } else { format!("{name} {word}") };
        }
    }
    Some(name)
}

/// Mask, bits, the word they stand for, and whether it stands in front.
const FEATURES: &[(u16, u16, &str, bool)] = &[
    (0x4000, 0x4000, "PZ", true),
    (0x0300, 0x0100, "DT", true),
    (0x0300, 0x0200, "FE", true),
    (0x0300, 0x0300, "E", true),
    (0x00e0, 0x0020, "STF", false),
    (0x00e0, 0x0040, "Reflex", false),
    (0x00e0, 0x0060, "Macro", false),
    (0x00e0, 0x0080, "Fisheye", false),
    (0x000c, 0x0004, "ZA", false),
    (0x000c, 0x0008, "G", false),
    (0x0003, 0x0001, "SSM", false),
    (0x0003, 0x0002, "SAM", false),
    (0x8000, 0x8000, "OSS", false),
    (0x2000, 0x2000, "LE", false),
    (0x0800, 0x0800, "II", false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_in_short_form() {
        assert_eq!(spec(&[0x01, 0x00, 0x18, 0x00, 0x55, 0x35, 0x56, 0x02]).as_deref(), Some("DT 18-55mm F3.5-5.6 SAM"));
        assert_eq!(spec(&[0x00, 0x00, 0x50, 0x00, 0x50, 0x14, 0x14, 0x00]).as_deref(), Some("50mm F1.4"));
        assert_eq!(spec(&[0; 8]), None);
    }

    #[test]
    fn a_serial_written_backwards() {
        assert_eq!(serial("78563412").as_deref(), Some("12345678"));
        assert_eq!(serial("78563402").as_deref(), Some("2345678"));
    }
}

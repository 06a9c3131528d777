//! X3F: Sigma's RAW. A directory at the end names sections: properties in words, and pictures.

use lightfast_model::{Orientation, Ratio};

use crate::Head;
use crate::found::Found;
use crate::maker::LensId;
use crate::previews;
use crate::tiff::Order;

use super::jpeg_file;

/// The most sections, and properties.
const MAX_SECTIONS: u32 = 100;
const MAX_PROPERTIES: u32 = 500;

/// Reads an X3F.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    if header(head, found).is_none() || sections(head, found).is_none() {
        found.problems.push("the directory at the end cannot be read: the file is cut short or damaged".to_owned());
    }
}

fn long(head: &mut Head<'_>, at: u64) -> Option<u32> {
    head.array(at).map(|bytes| Order::Little.u32(bytes))
}

fn header(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    let version = long(head, 4)?;
    let first = if version >= 0x0004_0000 { 40 } else { 28 };
    found.stored = Some((long(head, first)?, long(head, first + 4)?)).filter(|&(w, h)| w > 0 && h > 0);
    found.maker.orientation = match long(head, first + 8)? {
        90 => Orientation::new(6),
        180 => Orientation::new(3),
        270 => Orientation::new(8),
        _ => None,
    };
    Some(())
}

fn sections(head: &mut Head<'_>, found: &mut Found) -> Option<()> {
    let last = head.len().checked_sub(4)?;
    let directory = u64::from(long(head, last)?);
    if head.array(directory)? != *b"SECd" {
        return None;
    }
    for index in 0..long(head, directory + 8)?.min(MAX_SECTIONS) {
        let entry = directory + 12 + u64::from(index) * 12;
        let (at, len) = (u64::from(long(head, entry)?), u64::from(long(head, entry + 4)?));
        match &head.array(entry + 8)? {
            b"PROP" => {
                let _ = properties(head, at, len, found);
            }
            b"IMAG" | b"IMA2" => {
                // A header of 28 bytes; then a JPEG, or the sensor's values.
                let (start, end) = (at + 28, at.saturating_add(len).min(head.len()));
                if head.array(start) == Some([0xff, 0xd8]) {
                    let keep = found.stored;
                    jpeg_file::embedded(head, start, end, found);
                    found.stored = keep;
                    previews::note(head, found, start, end.saturating_sub(start), None);
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// Pairs of texts in UTF-16, by their offsets.
fn properties(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) -> Option<()> {
    let count = long(head, at + 8)?.min(MAX_PROPERTIES);
    let texts = at + 24 + u64::from(long(head, at + 8)?) * 8;
    let end = at.saturating_add(len);
    let word = |head: &mut Head<'_>, index: u32| {
        let start = texts.saturating_add(u64::from(index) * 2);
        let bytes = head.up_to(start, end.saturating_sub(start).min(256) as usize);
        crate::text::utf16(bytes, true)
    };
    for index in 0..count {
        let entry = at + 24 + u64::from(index) * 8;
        let (name, value) = (long(head, entry)?, long(head, entry + 4)?);
        if let (Some(name), Some(value)) = (word(head, name), word(head, value)) {
            take(&name, value, found);
        }
    }
    Some(())
}

fn take(name: &str, value: String, found: &mut Found) {
    let number = || value.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    match name {
        "CAMMANUF" => found.maker.make = Some(value),
        "CAMMODEL" => found.maker.model = Some(value),
        "CAMSERIAL" => found.maker.serial = Some(value),
        "ISO" => found.maker.iso = number().map(|v| v.round() as u32),
        "APERTURE" => found.maker.aperture = number(),
        "FLENGTH" => found.maker.focal_length = number(),
        "SHUTTER" => {
            found.maker.exposure =
                number().filter(|v| *v < 1e5).map(|v| Ratio { num: (v * 1e6).round() as u64, den: 1_000_000 });
        }
        "LENSFRANGE" => {
            let mut ends = value.split(" to ").map(|end| end.trim().parse::<f64>().ok());
            found.maker.lens_short = ends.next().flatten();
            found.maker.lens_long = ends.next().flatten().or(found.maker.lens_short);
        }
        "LENSMODEL" => {
            found.maker.lens_id = u16::from_str_radix(value.trim(), 16).ok().filter(|&v| v > 0).map(LensId::Sigma)
        }
        "TIME" => {
            let time = value.trim().parse().ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
            found.maker.time.text =
                time.map(|t| jiff::tz::TimeZone::UTC.to_datetime(t).strftime("%Y:%m:%d %H:%M:%S").to_string());
        }
        _ => {}
    }
}

//! Kodak's notes that hold a directory, and the directories that its RAWs and TIFFs keep for themselves.
//!
//! Models differ in everything; what stands at fixed places is `fixed`'s. Here are the directories inside a
//! note (each with a byte order of its own), and the ones that a TIFF's main directory leads to.

use lightfast_model::Ratio;

use crate::Head;
use crate::found::{Found, Maker};
use crate::text;
use crate::tiff::{Entry, Ifd, Order, Tiff};

/// Reads a note's directory: those below it have the facts.
pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    for entry in &ifd.entries {
        let below = match entry.tag {
            0xfc00..=0xfc06 => sub(head, tiff, entry),
            0xff00 => {
                let offset = tiff.unsigned(head, entry).unwrap_or_default();
                tiff.ifd(head, offset).map(|ifd| (*tiff, ifd))
            }
            _ => None,
        };
        if let Some((tiff, below)) = below {
            facts(head, &tiff, &below, entry.tag, &mut found.maker);
        }
    }
}

/// The layout of one model whose note begins with the byte order alone.
pub(super) fn short(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).filter(|&v| v > 0);
    let maker = &mut found.maker;
    maker.exposure = value(0x12).map(|num| Ratio { num, den: 100_000 });
    maker.aperture = value(0x13).map(|v| v as f64 / 10.0);
    maker.iso = value(0x14).filter(|&v| v < 60).map(|v| (25.0 * 2f64.powf(v as f64 / 3.0)).round() as u32);
    maker.focal_length = value(0x1d).map(|v| v as f64 / 100.0);
}

/// The layout of interchangeable-lens bodies under Kodak's name.
pub(super) fn pixpro(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.lens = ifd.find(0x0309).and_then(|e| tiff.text(head, e));
}

/// A directory below the note: its byte order, then the directory; its offsets count from its beginning, but for the first by
/// its offset, which counts as the note does.
fn sub(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<(Tiff, Ifd)> {
    let inline = entry.kind == 7;
    let at = if inline {
        tiff.span(entry)?.0
    } else {
        tiff.position(tiff.unsigned(head, entry).filter(|&offset| offset > 0)?)?
    };
    let base = if inline || entry.tag != 0xfc00 { at } else { tiff.base };
    let (order, at) = match &head.array(at)? {
        b"II" => (Order::Little, at + 2),
        b"MM" => (Order::Big, at + 2),
        _ => (tiff.order, at),
    };
    let tiff = Tiff { base, order, ..*tiff };
    Some((tiff, tiff.ifd_at(head, at)?))
}

/// What a directory's tags mean: aperture in hundredths, exposure in parts of a second, ISO, serial number.
fn facts(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, which: u16, maker: &mut Maker) {
    for entry in &ifd.entries {
        let value = |head: &mut Head<'_>| tiff.unsigned(head, entry).filter(|&v| v > 0);
        let iso =
            |head: &mut Head<'_>, unit: u64| value(head).and_then(|v| u32::try_from(v / unit).ok()).filter(|&v| v > 0);
        let seconds = |head: &mut Head<'_>, den| value(head).map(|num| Ratio { num, den });
        let f_number = |head: &mut Head<'_>| value(head).map(|v| v as f64 / 100.0);
        match (which, entry.tag) {
            (0xfc00, 0xfa19) | (0xff00, 0xfa04) => maker.serial = maker.serial.take().or(tiff.text(head, entry)),
            (0xfc00, 0xfa2e | 0xfa46) | (0xfc01, 0x0027 | 0x0028) | (0xff00, 0xfd06) => {
                maker.iso = maker.iso.or(iso(head, 1));
            }
            (0xfc02, 0xf105) => maker.iso = maker.iso.or(iso(head, 10)),
            (0xfc00, 0xfa23) | (0xfc02, 0xf103) | (0xff00, 0xfd04) => {
                maker.aperture = maker.aperture.or(f_number(head));
            }
            (0xfc00, 0xfa24) => maker.exposure = maker.exposure.or(seconds(head, 100_000)),
            (0xfc02, 0xf104) | (0xff00, 0xfd05) => maker.exposure = maker.exposure.or(seconds(head, 1_000_000)),
            _ => {}
        }
    }
}

/// The directory that the main one of older professional bodies' files leads to (0x8290): ISO, and settings in words.
pub(crate) fn professional(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let iso = ifd.find(0x1784).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
    found.maker.iso = found.maker.iso.or(iso.filter(|&v| v > 0));
    let words = ifd.find(0x03f1).and_then(|e| tiff.data(head, e)).map(text::decode).unwrap_or_default();
    for line in words.split('\0').next().unwrap_or_default().split(['\r', '\n']) {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        let number = || value.trim_start_matches(['f', 'F']).parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
        let maker = &mut found.maker;
        match name {
            "ISO" | "ISO Speed" => maker.iso = number().filter(|v| *v < 1e7).map(|v| v.round() as u32).or(maker.iso),
            "Serial Number" => maker.serial = Some(value.to_owned()).filter(|v| !v.is_empty()),
            "Aperture" => maker.aperture = number(),
            "Shutter" => maker.exposure = fraction(value).or(maker.exposure.take()),
            "Focal Length" => maker.focal_length = number(),
            _ => {}
        }
    }
}

/// The directory that the main one of newer bodies' RAWs leads to (0xfe00).
pub(crate) fn of_raw(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = ifd.find(0xfa00).and_then(|e| tiff.text(head, e)).or(found.maker.serial.take());
}

/// The directory of a JPEG's third application segment: a serial number behind the name of its character set.
pub(crate) fn meta(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let value = ifd.find(0xc354).and_then(|e| tiff.data(head, e)).unwrap_or(&[]);
    let words = match value.split_at_checked(8) {
        Some((b"ASCII\0\0\0" | b"\0\0\0\0\0\0\0\0", words)) => words,
        _ => value,
    };
    found.maker.serial = text::trimmed(words).or(found.maker.serial.take());
}

/// `1/250` or `0.5` seconds.
fn fraction(value: &str) -> Option<Ratio> {
    if let Some((num, den)) = value.split_once('/') {
        let (num, den) = (num.trim().parse().ok()?, den.trim().parse().ok()?);
        return (num > 0 && den > 0).then_some(Ratio { num, den });
    }
    let seconds = value.parse::<f64>().ok().filter(|v| *v > 0.0 && *v < 1e5)?;
    Some(Ratio { num: (seconds * 1e6).round() as u64, den: 1_000_000 })
}

//! Makers of whom only one or two tags matter, and notes that hold no directory.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::exif::MakerNote;
use crate::fixed;
use crate::found::Found;
use crate::previews;
use crate::text;
use crate::tiff::{Ifd, Order, Tiff};

/// Casio's first layout.
pub(super) fn casio(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.iso = whole(head, tiff, ifd, 0x0014);
}

/// Casio's second layout.
pub(super) fn casio2(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.iso = ifd.find(0x0014).and_then(|e| tiff.unsigned(head, e)).and_then(|v| match v {
        3 => Some(50),
        4 => Some(64),
        6 => Some(100),
        9 => Some(200),
        _ => None,
    });
    let exact = ifd.find(0x3014).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
    found.maker.iso = exact.filter(|&v| v > 0).or(found.maker.iso);
    found.maker.focal_length = ifd.find(0x001d).and_then(|e| super::positive(head, tiff, e));
    super::preview(head, tiff, ifd, 0x0004, 0x0003, found);
    if let Some((at, len)) = ifd.find(0x2000).and_then(|e| tiff.span(e)) {
        previews::note(head, found, at, len, None);
    }
}

/// Casio's note of the first QV cameras, in a segment of its own: the time stands at a fixed place, with dots.
pub(crate) fn casio_qvci(note: &[u8], found: &mut Found) {
    let Some(text) = note.get(0x4d..0x61).and_then(text::trimmed) else { return };
    let parts: Vec<&str> = text.split('.').collect();
    if let [year, month, day, hour, minute, second] = parts.as_slice() {
        found.maker.time.text = Some(format!("{year}:{month}:{day} {hour}:{minute}:{second}"));
    }
}

/// Minolta's and Konica Minolta's.
pub(super) fn minolta(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    super::preview(head, tiff, ifd, 0x0088, 0x0089, found);
    let id = ifd.find(0x010c).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u16::try_from(v).ok());
    found.maker.lens_id = id.filter(|&v| v > 0).map(LensId::SonyA);
    // Settings of compact bodies, in steps of eighths of a stop; one model has others there.
    if found.exif.model.as_deref() != Some("DiMAGE X31") {
        let settings = ifd.find(0x0003).or_else(|| ifd.find(0x0001));
        let bytes = settings.and_then(|e| tiff.data(head, e)).map(<[u8]>::to_vec).unwrap_or_default();
        let value = |at: usize| Some(f64::from(Order::Big.u32(bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?)));
        let steps = |at: usize| value(at).filter(|v| (1.0..256.0).contains(v));
        let maker = &mut found.maker;
        maker.iso = steps(8).map(|v| (2f64.powf((v - 48.0) / 8.0) * 100.0).round() as u32).filter(|&v| v > 0);
        maker.exposure = steps(9)
            .map(|v| 2f64.powf((48.0 - v) / 8.0))
            .map(|v| Ratio { num: (v * 1e6).round() as u64, den: 1_000_000 });
        maker.exposure = maker.exposure.filter(|v| v.num > 0);
        maker.aperture = steps(10).map(|v| 2f64.powf((v - 8.0) / 16.0));
        maker.focal_length = value(18).filter(|&v| v > 0.0).map(|v| v / 256.0);
    }
}

pub(super) fn motorola(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = ifd.find(0x5501).and_then(|e| tiff.text(head, e));
}

pub(super) fn ricoh(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let serial = ifd.find(0x0005).and_then(|e| tiff.data(head, e)).map(<[u8]>::to_vec).unwrap_or_default();
    // Some bodies keep other bytes there.
    let is_text =
        !serial.is_empty() && serial.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b' ' | b'_'));
    found.maker.serial = text::trimmed(&serial).filter(|_| is_text);
    found.maker.focal_length = ifd.find(0x1500).and_then(|e| super::positive(head, tiff, e));
}

pub(super) fn sanyo(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    if let Some((at, len)) = ifd.find(0x0100).and_then(|e| tiff.span(e)) {
        previews::note(head, found, at, len, None);
    }
}

/// Sigma's first layout.
pub(super) fn sigma(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    sigma_common(head, tiff, ifd, found);
    let maker = &mut found.maker;
    maker.aperture = ifd.find(0x0031).and_then(|e| super::positive(head, tiff, e));
    maker.exposure = ifd.find(0x0032).and_then(|e| super::seconds(head, tiff, e));
}

/// Sigma's later layouts, from the SD1 on, which know the lens.
pub(super) fn sigma_later(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    sigma_common(head, tiff, ifd, found);
    let maker = &mut found.maker;
    maker.aperture = ifd.find(0x0049).and_then(|e| super::positive(head, tiff, e));
    maker.exposure = ifd.find(0x004a).and_then(|e| super::seconds(head, tiff, e));
    // In hexadecimal digits, or as a number.
    let id = ifd.find(0x0027).and_then(|e| match tiff.text(head, e) {
        Some(text) => u16::from_str_radix(text.trim(), 16).ok(),
        None => tiff.unsigned(head, e).and_then(|v| u16::try_from(v).ok()),
    });
    maker.lens_id = id.filter(|&v| v > 0).map(LensId::Sigma);
    let ends = ifd.find(0x002a).map(|e| tiff.reals(head, e, 2)).unwrap_or_default();
    if ends.iter().all(|v| *v > 0.0 && v.fract() == 0.0) {
        maker.lens_short = ends.first().copied();
        maker.lens_long = ends.last().copied();
    }
}

fn sigma_common(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = ifd.find(0x0002).and_then(|e| tiff.text(head, e));
    found.maker.iso = whole(head, tiff, ifd, 0x0086);
}

/// A whole number above 0.
fn whole(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, tag: u16) -> Option<u32> {
    ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok()).filter(|&v| v > 0)
}

/// Notes that hold no directory; says whether it was one of them.
pub(super) fn without_directory(head: &mut Head<'_>, tiff: &Tiff, note: MakerNote, found: &mut Found) -> bool {
    let make = found.exif.make.as_deref().unwrap_or_default().to_ascii_uppercase();
    let bytes = head.up_to(note.at, note.len.min(512) as usize).to_vec();
    // Nothing but a preview.
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        previews::note(head, found, note.at, note.len, None);
        return true;
    }
    if bytes.starts_with(b"STMN") {
        samsung_preview(head, tiff, note, &bytes, found);
        return true;
    }
    if bytes.starts_with(b"610") && bytes.get(3).is_some_and(|&b| b <= 4) {
        hewlett_packard(head, note, found);
        return true;
    }
    let model = found.exif.model.clone().unwrap_or_default();
    fixed::NOTES.read(&bytes, &make, &model, &mut found.maker)
}

/// Words, and a preview behind them.
fn hewlett_packard(head: &mut Head<'_>, note: MakerNote, found: &mut Found) {
    let bytes = head.up_to(note.at, note.len.min(32 << 10) as usize).to_vec();
    let preview = bytes.windows(4).position(|w| w == [0xff, 0xd8, 0xff, 0xdb]);
    let words = text::decode(bytes.get(..preview.unwrap_or(bytes.len())).unwrap_or(&[]));
    let serial = words.split_once("Serial Number:").map(|(_, after)| after.trim_start_matches([' ', '\t', '\r', '\n']));
    found.maker.serial = serial.and_then(|text| {
        let end = text.find(|c: char| !(' '..='~').contains(&c)).unwrap_or(text.len());
        text.get(..end).map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
    });
    if let Some(skip) = preview.map(|at| at as u64) {
        previews::note(head, found, note.at + skip, note.len - skip, None);
    }
}

/// Blocks of an application segment: name, kind, length in four bytes each; those of one kind hold further ones.
pub(crate) fn hewlett_packard_blocks(bytes: &[u8], found: &mut Found) {
    let mut rest = bytes;
    for _ in 0..500 {
        let Some((name, after)) = rest.split_first_chunk::<4>() else { return };
        let Some((kind, after)) = after.split_first_chunk::<4>() else { return };
        let Some((len, after)) = after.split_first_chunk::<4>() else { return };
        let (kind, len) = (Order::Little.u32(*kind), Order::Little.u32(*len) as usize);
        if kind == 0x1_0001 {
            rest = after;
            continue;
        }
        let Some((value, after)) = after.split_at_checked(len) else { return };
        if name == b"CMSN" {
            found.maker.serial = text::trimmed(value);
        }
        rest = after;
    }
}

/// Samsung's early compacts: where the preview begins, from the note or from what is around it, and its length.
fn samsung_preview(head: &mut Head<'_>, tiff: &Tiff, note: MakerNote, bytes: &[u8], found: &mut Found) {
    let long = |at: usize| Some(u64::from(tiff.order.u32(bytes.get(at..at + 4)?.try_into().ok()?)));
    let Some((start, length)) = long(8).zip(long(12)).filter(|&(start, length)| start > 0 && length > 0) else {
        return;
    };
    for base in [tiff.base, note.at] {
        previews::note(head, found, base.saturating_add(start), length, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_is_nothing_but_a_preview() {
        let mut file = vec![0; 40];
        file.extend([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 120, 0, 160, 1, 1, 0x11, 0, 0xff, 0xda, 0, 2, 0xff, 0xd9]);
        let len = file.len() as u64;
        let tiff = Tiff { base: 30, end: len, order: Order::Little, big: false };
        let mut found = Found::default();
        let mut source = crate::BytesSource(&file);
        let note = MakerNote { at: 40, len: len - 40 };
        assert!(without_directory(&mut Head::new(&mut source), &tiff, note, &mut found));
        let sizes: Vec<_> = found.previews.iter().map(|p| (p.offset, p.width, p.height)).collect();
        assert_eq!(sizes, [(40, 160, 120)]);

        // The same preview by its place, counted from the structure around or from the note.
        for start in [10u32, 20] {
            let mut file = file.clone();
            file.splice(20..36, [b"STMN012\0".as_slice(), &start.to_le_bytes(), &20u32.to_le_bytes()].concat());
            let mut found = Found::default();
            let mut source = crate::BytesSource(&file);
            assert!(without_directory(&mut Head::new(&mut source), &tiff, MakerNote { at: 20, len: 16 }, &mut found));
            assert_eq!(found.previews.len(), 1);
        }
    }

    #[test]
    fn the_first_casio_cameras_write_their_time_with_dots() {
        let mut note = b"QVCI\0".to_vec();
        note.resize(0x4d, 0);
        note.extend(b"1998.10.24.12.08.57\0\x06KX-778");
        let mut found = Found::default();
        casio_qvci(&note, &mut found);
        assert_eq!(found.maker.time.text.as_deref(), Some("1998:10:24 12:08:57"));
        for end in 0..note.len() {
            casio_qvci(note.get(..end).unwrap(), &mut Found::default());
        }
    }
}

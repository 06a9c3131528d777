//! Makers of whom only one or two tags matter, and notes that hold no directory.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::exif::MakerNote;
use crate::found::Found;
use crate::previews;
use crate::text;
use crate::tiff::{Ifd, Order, Tiff};

/// Casio's first layout.
pub(super) fn casio(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.iso = ifd.find(0x0014).and_then(|e| tiff.unsigned(head, e)).and_then(|v| match v {
        50 | 64 | 80 | 100 | 125 | 160 | 200 | 244 | 250 | 400 | 500 | 800 => u32::try_from(v).ok(),
        _ => None,
    });
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
}

pub(super) fn sanyo(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    if let Some((at, len)) = ifd.find(0x0100).and_then(|e| tiff.span(e)) {
        previews::note(head, found, at, len, None);
    }
}

pub(super) fn sigma(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    found.maker.serial = ifd.find(0x0002).and_then(|e| tiff.text(head, e));
    let id = ifd.find(0x0027).and_then(|e| tiff.text(head, e)).and_then(|t| u16::from_str_radix(t.trim(), 16).ok());
    found.maker.lens_id = id.filter(|&v| v > 0).map(LensId::Sigma);
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
    if make.contains("KODAK") {
        return kodak(&bytes, &make, found);
    }
    if bytes.starts_with(&[0x01, 0xf1]) {
        reconyx(&bytes, found);
        return true;
    }
    false
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

/// Kodak's many fixed layouts.
fn kodak(bytes: &[u8], make: &str, found: &mut Found) -> bool {
    if !make.starts_with("EASTMAN KODAK") {
        return false;
    }
    let order = if bytes.starts_with(b"KDK INFO") { Order::Big } else { Order::Little };
    if bytes.starts_with(b"KDK") {
        let short = |at: usize| Some(order.u16(bytes.get(8 + at..10 + at)?.try_into().ok()?));
        let long = |at: usize| Some(order.u32(bytes.get(8 + at..12 + at)?.try_into().ok()?));
        found.maker.aperture = short(0x1e).filter(|&v| v > 0).map(|v| f64::from(v) / 100.0);
        found.maker.exposure = long(0x20).filter(|&v| v > 0).map(|v| Ratio { num: u64::from(v), den: 100_000 });
        found.maker.iso = short(0x60).filter(|&v| v > 0).map(u32::from);
        return true;
    }
    let serial_like = |text: &[u8]| {
        text.len() >= 12
            && matches!(text.first(), Some(b'C' | b'K'))
            && text.iter().take(12).all(|&b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ')
    };
    if bytes.get(..16).is_some_and(serial_like) {
        found.maker.serial = bytes.get(..16).and_then(text::trimmed);
        return true;
    }
    false
}

/// Trail cameras: time and serial at fixed places.
fn reconyx(bytes: &[u8], found: &mut Found) {
    let short = |at: usize| Some(Order::Little.u16(bytes.get(at..at + 2)?.try_into().ok()?));
    let parts: Option<Vec<u16>> = [0x16, 0x18, 0x1a, 0x1c, 0x1e, 0x20].iter().map(|&at| short(at)).collect();
    if let Some([second, minute, hour, month, day, year]) = parts.as_deref() {
        found.maker.time.text = Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"));
    }
    found.maker.serial = bytes.get(0x2a..0x48).and_then(|b| text::utf16(b, true));
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

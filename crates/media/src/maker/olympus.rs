//! Olympus', OM System's and early Minolta's and Epson's notes: serial, lens, previews.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::previews;
use crate::tiff::{Ifd, Number, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    for entry in &ifd.entries {
        match entry.tag {
            // A thumbnail that lies whole in the note.
            0x0100 => {
                if let Some((at, len)) = tiff.span(entry) {
                    previews::note(head, found, at, len, None);
                }
            }
            0x0404 | 0x101a => {
                let serial = tiff.text(head, entry).filter(|text| text.trim() != "OLYMPUS DIGITAL CAMERA");
                found.maker.serial = serial.map(|text| text.trim().to_owned()).or(found.maker.serial.take());
            }
            0x1000 => found.maker.exposure = tiff.number(head, entry).and_then(Number::real).and_then(seconds),
            0x1001 => {
                let value = tiff.number(head, entry).and_then(Number::real).map(|v| 100.0 * 2f64.powf(v - 5.0));
                found.maker.iso = value.filter(|v| (1.0..1e7).contains(v)).map(|v| v.round() as u32);
            }
            0x1002 => {
                let value = tiff.number(head, entry).and_then(Number::real).map(|v| 2f64.powf(v / 2.0));
                found.maker.aperture = value.filter(|v| (0.5..100.0).contains(v)).map(|v| (v * 10.0).round() / 10.0);
            }
            0x1006 => found.maker.compensation = tiff.number(head, entry).and_then(Number::real),
            0x2010 => {
                if let Some(equipment) = sub(head, tiff, entry) {
                    self::equipment(head, tiff, &equipment, found);
                }
            }
            0x2020 => {
                if let Some(settings) = sub(head, tiff, entry) {
                    super::preview(head, tiff, &settings, 0x0101, 0x0102, found);
                }
            }
            _ => {}
        }
    }
    super::preview(head, tiff, ifd, 0x0088, 0x0089, found);
    super::preview(head, tiff, ifd, 0x1036, 0x1037, found);
}

/// A directory inside the note: by its offset, or lying whole as the value.
fn sub(head: &mut Head<'_>, tiff: &Tiff, entry: &crate::tiff::Entry) -> Option<Ifd> {
    if matches!(entry.kind, 4 | 13) {
        let offset = tiff.unsigned(head, entry)?;
        return tiff.ifd(head, offset);
    }
    let (at, _) = tiff.span(entry)?;
    tiff.ifd_at(head, at)
}

fn equipment(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let text = |head: &mut Head<'_>, tag| ifd.find(tag).and_then(|e| tiff.text(head, e)).map(|t| t.trim().to_owned());
    found.maker.serial = text(head, 0x0101).or(found.maker.serial.take());
    found.maker.lens = text(head, 0x0203);
    let numbers: Vec<u64> = ifd
        .find(0x0201)
        .map(|e| tiff.numbers(head, e, 6))
        .unwrap_or_default()
        .into_iter()
        .filter_map(Number::unsigned)
        .collect();
    if let [make, _, model, kind, ..] = numbers.as_slice() {
        found.maker.lens_id = Some(LensId::Olympus(*make as u8, *model as u8, *kind as u8));
    }
}

fn seconds(apex: f64) -> Option<Ratio> {
    let value = 2f64.powf(-apex);
    (apex.abs() < 100.0 && (1e-6..1e5).contains(&value))
        .then(|| Ratio { num: 1_000_000, den: (1e6 / value).round() as u64 })
}

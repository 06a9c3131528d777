//! TIFF's, EXIF's and GPS's tags, wherever a TIFF structure lies.
//!
//! Walks the main directory, EXIF, GPS and the thumbnail's directory into [`Exif`], hands the maker
//! note to the makers' modules, and notes where JPEGs lie. It decides nothing between sources.
//! Source of the tags: EXIF 3.0 (CIPA DC-008), TIFF 6.0.

use lightfast_model::{Orientation, Ratio};

use crate::Head;
use crate::found::{Exif, Found, GpsTags};
use crate::text;
use crate::tiff::{Entry, Ifd, Number, Tiff};

/// Where the maker note of this structure lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MakerNote {
    pub(crate) at: u64,
    pub(crate) len: u64,
}

/// Reads one directory of the main chain: TIFF's tags, and EXIF and GPS behind their pointers.
pub(crate) fn main_directory(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) -> Option<MakerNote> {
    let mut note = None;
    for entry in &ifd.entries {
        match entry.tag {
            0x8769 => {
                let exif = tiff.unsigned(head, entry).and_then(|offset| tiff.ifd(head, offset));
                if let Some(exif) = exif {
                    note = exif_directory(head, tiff, &exif, &mut found.exif).or(note);
                }
            }
            0x8825 => {
                let gps = tiff.unsigned(head, entry).and_then(|offset| tiff.ifd(head, offset));
                if let Some(gps) = gps {
                    gps_directory(head, tiff, &gps, &mut found.exif.gps);
                }
            }
            _ => tiff_tag(head, tiff, entry, &mut found.exif),
        }
    }
    note
}

fn tiff_tag(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry, exif: &mut Exif) {
    match entry.tag {
        0x010e => exif.description = tiff.text(head, entry),
        0x010f => exif.make = tiff.text(head, entry),
        0x0110 => exif.model = tiff.text(head, entry),
        0x0112 => exif.orientation = tiff.unsigned(head, entry).and_then(|v| Orientation::new(u16::try_from(v).ok()?)),
        0x0132 => exif.modified.text = tiff.text(head, entry),
        0x013b => exif.artist = tiff.text(head, entry),
        0x4746 => exif.rating = tiff.unsigned(head, entry).and_then(|v| i64::try_from(v).ok()),
        0x8298 => exif.copyright = tiff.text(head, entry),
        0x9c9b => exif.windows_title = tiff.data(head, entry).and_then(|bytes| text::utf16(bytes, true)),
        0x9c9e => exif.windows_keywords = tiff.data(head, entry).and_then(|bytes| text::utf16(bytes, true)),
        _ => exif_tag(head, tiff, entry, exif),
    }
}

/// Reads an EXIF directory; gives where the maker note lies.
pub(crate) fn exif_directory(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, exif: &mut Exif) -> Option<MakerNote> {
    let mut note = None;
    for entry in &ifd.entries {
        if entry.tag == 0x927c {
            note = tiff.span(entry).map(|(at, len)| MakerNote { at, len });
        } else {
            exif_tag(head, tiff, entry, exif);
        }
    }
    note
}

fn exif_tag(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry, exif: &mut Exif) {
    match entry.tag {
        0x829a => exif.exposure = tiff.number(head, entry).and_then(ratio),
        0x829d => exif.aperture = positive(head, tiff, entry),
        0x8827 => exif.iso = tiff.unsigned(head, entry).and_then(|v| u32::try_from(v).ok()).filter(|&v| v > 0),
        0x8832 => {
            exif.recommended_iso = tiff.unsigned(head, entry).and_then(|v| u32::try_from(v).ok()).filter(|&v| v > 0)
        }
        0x9003 => exif.original.text = tiff.text(head, entry),
        0x9004 => exif.digitized.text = tiff.text(head, entry),
        0x9010 => exif.modified.offset = tiff.text(head, entry),
        0x9011 => exif.original.offset = tiff.text(head, entry),
        0x9012 => exif.digitized.offset = tiff.text(head, entry),
        0x8822 => exif.program = short(head, tiff, entry),
        0x9201 => exif.shutter_speed = tiff.number(head, entry).and_then(Number::real),
        0x9202 => exif.aperture_value = tiff.number(head, entry).and_then(Number::real),
        0x9204 => exif.compensation = tiff.number(head, entry).and_then(Number::real),
        0x9205 => exif.max_aperture = tiff.number(head, entry).and_then(Number::real),
        0x9207 => exif.metering = short(head, tiff, entry),
        0x9209 => exif.flash = short(head, tiff, entry),
        0x9290 => exif.modified.fraction = tiff.text(head, entry),
        0x9291 => exif.original.fraction = tiff.text(head, entry),
        0x9292 => exif.digitized.fraction = tiff.text(head, entry),
        0x920a => exif.focal_length = positive(head, tiff, entry),
        0xa002 => exif.width = long(head, tiff, entry),
        0xa003 => exif.height = long(head, tiff, entry),
        0xa431 => exif.serial = tiff.text(head, entry),
        0xa434 => exif.lens = tiff.text(head, entry),
        0xc62f => exif.dng_serial = tiff.text(head, entry),
        // What Adobe's converter puts into its TIFFs and JPEGs: a name, a colon, the value.
        0xfde9 if exif.serial.is_none() => exif.serial = tiff.text(head, entry).map(after_colon),
        0xfdea if exif.lens.is_none() => exif.lens = tiff.text(head, entry).map(after_colon),
        _ => {}
    }
}

/// Reads a GPS directory.
pub(crate) fn gps_directory(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, gps: &mut GpsTags) {
    for entry in &ifd.entries {
        match entry.tag {
            1 => gps.latitude_ref = tiff.text(head, entry),
            2 => gps.latitude = tiff.reals(head, entry, 3),
            3 => gps.longitude_ref = tiff.text(head, entry),
            4 => gps.longitude = tiff.reals(head, entry, 3),
            5 => gps.below_sea = tiff.unsigned(head, entry) == Some(1),
            6 => gps.altitude = tiff.number(head, entry).and_then(Number::real),
            7 => gps.time = tiff.reals(head, entry, 3),
            29 => gps.date = tiff.text(head, entry),
            _ => {}
        }
    }
}

fn after_colon(text: String) -> String {
    text.rsplit_once(": ").map_or(text.clone(), |(_, value)| value.to_owned())
}

fn short(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<u16> {
    tiff.unsigned(head, entry).and_then(|v| u16::try_from(v).ok())
}

fn long(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<u32> {
    tiff.unsigned(head, entry).and_then(|v| u32::try_from(v).ok())
}

fn positive(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<f64> {
    tiff.number(head, entry).and_then(Number::real).filter(|&v| v > 0.0)
}

/// An exposure time as the fraction that the file has.
fn ratio(number: Number) -> Option<Ratio> {
    match number {
        Number::Fraction(num, den) if num > 0 && den > 0 => Some(Ratio { num: num as u64, den: den as u64 }),
        Number::Unsigned(num) if num > 0 => Some(Ratio { num, den: 1 }),
        Number::Real(value) if value > 0.0 && value < 1e6 => {
            Some(Ratio { num: (value * 1e6).round() as u64, den: 1_000_000 })
        }
        _ => None,
    }
}

//! Pentax' note (also Ricoh's later bodies and Samsung's that Pentax made): lens, serial, shutter count, preview.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Order, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let mut date = Vec::new();
    let mut time = Vec::new();
    let mut count = None;
    for entry in &ifd.entries {
        let unsigned = |head: &mut Head<'_>| tiff.unsigned(head, entry);
        match entry.tag {
            0x0006 => date = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default(),
            0x0007 => time = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default(),
            0x0012 => {
                found.maker.exposure = unsigned(head).filter(|&v| v > 0).map(|v| Ratio { num: v, den: 100_000 });
            }
            0x0013 => found.maker.aperture = unsigned(head).filter(|&v| v > 0).map(|v| v as f64 / 10.0),
            0x0014 => found.maker.iso = unsigned(head).and_then(iso),
            0x001d => {
                let unit = if counts_in_tenths(found) { 10.0 } else { 100.0 };
                found.maker.focal_length = unsigned(head).filter(|&v| v > 0).map(|v| v as f64 / unit);
            }
            0x003f => {
                let bytes = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default();
                if let [series, number, ..] = bytes.as_slice() {
                    found.maker.lens_id = Some(LensId::Pentax(u16::from(*series), u16::from(*number)));
                }
            }
            0x005d => count = tiff.data(head, entry).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes),
            0x0207 => {
                let bytes = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default();
                found.maker.lens_id = found.maker.lens_id.take().or(lens(&bytes, found));
                found.maker.lens_aperture = widest(&bytes, found);
            }
            0x0239 => {
                let bytes = tiff.data(head, entry).unwrap_or(&[]);
                found.maker.lens = bytes.get(0x0c..).and_then(|b| crate::text::trimmed(b.get(..b.len().min(30))?));
            }
            0x0229 => found.maker.serial = tiff.text(head, entry),
            _ => {}
        }
    }
    found.maker.shutter_count = count.and_then(|count| shutter_count(count, &date, &time));
    super::preview(head, tiff, ifd, 0x0004, 0x0003, found);
}

/// Early compacts whose focal length is in tenths of millimetres; the others have hundredths.
fn counts_in_tenths(found: &Found) -> bool {
    const MODELS: [&str; 8] = ["30", "33WR", "43WR", "450", "550", "555", "750Z", "X"];
    let model = found.exif.model.as_deref().unwrap_or_default();
    let name = model.strip_prefix("PENTAX Optio ").unwrap_or_default();
    MODELS.contains(&name.split(' ').next().unwrap_or_default())
}

/// ISO: steps of a third from 3, steps of a half from 258, or the number itself on early Optios.
fn iso(value: u64) -> Option<u32> {
    const THIRDS: [u32; 43] = [
        50, 64, 80, 100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000,
        6400, 8000, 10_000, 12_800, 16_000, 20_000, 25_600, 32_000, 40_000, 51_200, 64_000, 80_000, 102_400, 128_000,
        160_000, 204_800, 256_000, 320_000, 409_600, 512_000, 640_000, 819_200,
    ];
    const HALVES: [u32; 29] = [
        50, 70, 100, 140, 200, 280, 400, 560, 800, 1100, 1600, 2200, 3200, 4500, 6400, 9000, 12_800, 18_000, 25_600,
        36_000, 51_200, 72_000, 102_400, 144_000, 204_800, 288_000, 409_600, 576_000, 819_200,
    ];
    match value {
        3..=45 => THIRDS.get(value as usize - 3).copied(),
        50 | 100 | 200 | 400 | 800 | 1600 | 3200 => u32::try_from(value).ok(),
        258..=286 => HALVES.get(value as usize - 258).copied(),
        _ => None,
    }
}

/// The lens of the lens information, whose layout its length tells.
fn lens(bytes: &[u8], found: &Found) -> Option<LensId> {
    let at = |i: usize| bytes.get(i).map(|&b| u16::from(b));
    let wide =
        |first: usize, high: usize, low: usize| Some(LensId::Pentax(at(first)? & 0x0f, at(high)? * 256 + at(low)?));
    let early = is_early(bytes, found);
    match bytes.len() {
        _ if early => Some(LensId::Pentax(at(0)?, at(1)?)),
        90 | 91 => wide(1, 3, 4),
        80 | 128 => wide(1, 4, 5),
        168 => None,
        _ => wide(0, 2, 3),
    }
}

/// The first layout: the *ist bodies, and some files of the K100D and K110D, told by what follows.
fn is_early(bytes: &[u8], found: &Found) -> bool {
    let model = found.exif.model.as_deref().unwrap_or_default();
    let names = |names: &[&str]| names.iter().any(|name| model.contains(name));
    let tail = (bytes.get(20), bytes.get(21));
    names(&["*ist", "GX-1L", "GX-1S"])
        || (names(&["K100D", "K110D"]) && matches!(tail, (Some(0xff), _) | (Some(0), Some(0))))
}

/// The widest aperture at the focal length that was set: a code of the lens data, which follow the lens.
fn widest(bytes: &[u8], found: &Found) -> Option<f64> {
    let model = found.exif.model.as_deref().unwrap_or_default();
    let start = match bytes.len() {
        _ if is_early(bytes, found) => 3,
        90 => 13,
        91 => 12,
        80 | 128 => 15,
        168 => return None,
        _ => 4,
    };
    // From the K-r on one more byte stands before it; the K-5 has something else there.
    let skip = if bytes.len() == 91 { 15 } else { 14 };
    let code = *bytes.get(start + skip)? & 0x7f;
    (code > 1 && !model.ends_with("K-5")).then(|| 2f64.powf((f64::from(code) - 1.0) / 32.0))
}

/// The shutter count, which is hidden with the date and time.
fn shutter_count(count: u32, date: &[u8], time: &[u8]) -> Option<u64> {
    let [y0, y1, month, day] = *date.get(..4)?.first_chunk::<4>()?;
    let [hour, minute, second] = *time.get(..3)?.first_chunk::<3>()?;
    let date = Order::Big.u32([y0, y1, month, day]);
    let time = Order::Big.u32([hour, minute, second, 0]);
    let value = u64::from(count ^ date ^ !time);
    // A count beyond this is one that was not hidden so.
    (value > 0 && value < 10_000_000).then_some(value)
}

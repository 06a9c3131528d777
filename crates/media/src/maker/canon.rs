//! Canon's maker note: serial, lens, file number, and the ISO that the camera chose.
//!
//! The ISO used is `base * auto / 100` where EXIF has none; whether the camera chose it is told by
//! the ISO setting of the camera settings. Numbers of tags and of their parts are those that EXIF tools publish, checked on
//! files of EOS and PowerShot bodies.

use lightfast_model::Ratio;

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Entry, Ifd, Number, Tiff};

/// Reads the directory.
pub(crate) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    for entry in &ifd.entries {
        match entry.tag {
            0x0001 => settings(&shorts(head, tiff, entry), found),
            0x0002 => focal_length(&shorts(head, tiff, entry), found),
            0x0004 => shot(&shorts(head, tiff, entry), found),
            0x0008 => found.maker.file_number = tiff.unsigned(head, entry).filter(|&v| v > 0),
            0x000c => found.maker.serial = tiff.unsigned(head, entry).filter(|&v| v > 0).map(|v| v.to_string()),
            0x0093 => file_info(&shorts(head, tiff, entry), found),
            0x000d => camera_info(tiff.data(head, entry).unwrap_or(&[]), found),
            0x0095 => found.maker.lens = tiff.text(head, entry).or(found.maker.lens.take()),
            _ => {}
        }
    }
}

/// Camera information (0x000d): the lens in words, in the three bodies that have it there before it got a tag of its own.
fn camera_info(block: &[u8], found: &mut Found) {
    const PLACES: [(&[&str], usize); 3] =
        [(&["EOS 40D"], 0x92b), (&["450D", "REBEL XSi", "Kiss X2"], 0x933), (&["1000D", "REBEL XS", "Kiss F"], 0x937)];
    let model = found.exif.model.as_deref().unwrap_or_default();
    let place = PLACES.iter().find(|(names, _)| names.iter().any(|name| model.ends_with(name)));
    if let Some(&(_, at)) = place {
        found.maker.lens = block.get(at..at + 64).and_then(crate::text::trimmed).filter(|name| name.is_ascii());
    }
}

/// Camera settings (0x0001).
pub(crate) fn settings(values: &[u16], found: &mut Found) {
    let maker = &mut found.maker;
    if let Some(&iso) = values.get(16) {
        // 14 and 15 are the two automatic settings, and 0 says nothing. 0x7fff is an EOS body whose ISO was set by hand, as
        // the same bodies write 15 when they choose it; in the fully automatic modes early ones write it whatever they do.
        let is_eos = found.exif.model.as_deref().is_some_and(|model| model.contains("EOS"));
        let by_hand = is_eos && values.get(11) == Some(&1);
        maker.iso_auto = match iso {
            0x7fff if by_hand => Some(false),
            0 | 0x7fff => None,
            14 | 15 => Some(true),
            _ => Some(false),
        };
        let set = match iso {
            16 => Some(50),
            17 => Some(100),
            18 => Some(200),
            19 => Some(400),
            20 => Some(800),
            v if v != 0x7fff && v & 0x4000 != 0 => Some(u32::from(v & 0x3fff)),
            _ => None,
        };
        maker.iso = set.or(maker.iso);
    }
    maker.lens_id =
        values.get(22).filter(|&&v| v != 0 && v != u16::MAX).map(|&v| LensId::Canon(v)).or(maker.lens_id.take());
    let unit = values.get(25).filter(|&&v| v > 0).map_or(1.0, |&v| f64::from(v));
    maker.focal_unit = Some(unit);
    let millimetres = |i: usize| values.get(i).map(|&v| f64::from(v) / unit).filter(|&v| v > 0.0);
    maker.lens_long = millimetres(23);
    maker.lens_short = millimetres(24);
    maker.lens_aperture = values.get(26).map(|&v| v as i16).filter(|&v| v > 0).map(|v| 2f64.powf(step(v) / 2.0));
}

/// Focal length (0x0002), in the unit of the camera settings, which may come later.
pub(crate) fn focal_length(values: &[u16], found: &mut Found) {
    found.maker.focal_length = values.get(1).filter(|&&v| v > 0).map(|&v| f64::from(v));
}

/// Shot information (0x0004).
pub(crate) fn shot(values: &[u16], found: &mut Found) {
    let signed = |i: usize| values.get(i).map(|&v| v as i16);
    let maker = &mut found.maker;
    if let (Some(auto), Some(base)) = (signed(1), signed(2)) {
        let stop = |v: i16| 2f64.powf(f64::from(v) / 32.0);
        let used = (100.0 / 32.0 * stop(base)) * (100.0 * stop(auto)) / 100.0;
        if maker.iso.is_none() && (1.0..1e7).contains(&used.round()) {
            maker.iso = Some(used.round() as u32);
        }
    }
    maker.aperture =
        signed(21).filter(|&v| v > 0).map(|v| 2f64.powf(step(v) / 2.0)).map(|v| (v * 100.0).round() / 100.0);
    maker.exposure =
        signed(22).filter(|&v| v != 0).map(|v| 2f64.powf(-step(v))).filter(|v| (1e-6..1e5).contains(v)).map(|v| {
            if v < 1.0 {
                Ratio { num: 1_000_000, den: (1e6 / v).round() as u64 }
            } else {
                Ratio { num: (v * 1000.0).round() as u64, den: 1000 }
            }
        });
}

/// File information (0x0093): the file's number as older bodies pack it, and RF lenses.
fn file_info(values: &[u16], found: &mut Found) {
    if let Some(&number) = values.get(61).filter(|&&v| v > 0) {
        found.maker.lens_id = Some(LensId::CanonRf(number));
    }
    let model = found.exif.model.as_deref().unwrap_or_default();
    let packed = values.get(1).zip(values.get(2)).map(|(&low, &high)| u64::from(high) << 16 | u64::from(low));
    let Some(packed) = packed.filter(|&v| v > 0) else { return };
    let ends = |names: &[&str]| names.iter().any(|name| model.contains(name));
    // The directory's number and the file's lie across the words; one family lost the directory's upper bits.
    let number = if ends(&["400D", "REBEL XTi", "Kiss Digital X", "K236"]) || model.ends_with("30D") {
        let mut folder = (packed & 0xffc00) >> 10;
        while folder < 100 {
            folder += 0x40;
        }
        Some(folder * 10_000 + ((packed & 0x3ff) << 4) + (packed >> 20 & 0x0f))
    } else if ends(&["350D", "REBEL XT", "Kiss Digital N"]) || model.ends_with("20D") {
        Some(((packed & 0xffc0) >> 6) * 10_000 + (packed >> 16 & 0xff) + ((packed & 0x3f) << 8))
    } else {
        None
    };
    found.maker.file_number = found.maker.file_number.or(number);
    if ends(&["1D Mark II", "1Ds Mark II"]) {
        found.maker.shutter_count = Some((packed >> 16) | (packed & 0xffff) << 16);
    }
}

/// Canon's steps: 32 to a stop, with thirds and halves rounded their own way.
fn step(value: i16) -> f64 {
    let magnitude = f64::from(value.unsigned_abs());
    let whole = (magnitude / 32.0).trunc() * 32.0;
    let part = match magnitude - whole {
        12.0 => 32.0 / 3.0,
        20.0 => 64.0 / 3.0,
        other => other,
    };
    (whole + part) / 32.0 * f64::from(value.signum())
}

fn shorts(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Vec<u16> {
    let numbers = tiff.numbers(head, entry, 256);
    let short = |number| match number {
        Number::Unsigned(value) => Some(value as u16),
        Number::Signed(value) => Some(value as u16),
        _ => None,
    };
    numbers.into_iter().filter_map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_iso_used_and_whether_the_camera_chose_it() {
        let mut values = [0; 30];
        let auto = |values: &[u16]| {
            let mut found = Found::default();
            settings(values, &mut found);
            (found.maker.iso, found.maker.iso_auto)
        };
        values[16] = 15;
        assert_eq!(auto(&values), (None, Some(true)));
        values[16] = 0x4000 | 1600;
        assert_eq!(auto(&values), (Some(1600), Some(false)));
        values[16] = 17;
        assert_eq!(auto(&values), (Some(100), Some(false)));
        values[16] = 0x7fff;
        assert_eq!(auto(&values), (None, None));
        let mut found = Found::default();
        found.exif.model = Some("Canon EOS 5D Mark II".to_owned());
        settings(&values, &mut found);
        assert_eq!(found.maker.iso_auto, None, "a fully automatic mode");
        values[11] = 1;
        settings(&values, &mut found);
        assert_eq!(found.maker.iso_auto, Some(false), "an EOS body's ISO set by hand");
        let mut found = Found::default();
        shot(&[0, 32, 160], &mut found);
        assert_eq!(found.maker.iso, Some(200), "base 100, doubled by the camera");
    }

    #[test]
    fn steps_of_thirds_and_halves() {
        assert_eq!(step(32), 1.0);
        assert_eq!(step(-16), -0.5);
        assert!((step(44) - 4.0 / 3.0).abs() < 1e-9);
        assert!((step(52) - 5.0 / 3.0).abs() < 1e-9);
    }
}

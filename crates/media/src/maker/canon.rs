//! Canon's maker note: serial, lens name, file number, and the ISO that the camera chose.
//!
//! The ISO used is `base * auto / 100` where EXIF has none; whether the camera chose it is told by
//! the ISO setting of the camera settings. Source: FORMATS of EXIF tools, checked on files of EOS and PowerShot bodies.

use crate::Head;
use crate::found::Found;
use crate::tiff::{Entry, Ifd, Number, Tiff};

/// Reads the directory.
pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    for entry in &ifd.entries {
        match entry.tag {
            0x0001 => camera_settings(head, tiff, entry, found),
            0x0004 => shot_info(head, tiff, entry, found),
            0x0008 => found.maker.file_number = tiff.unsigned(head, entry).filter(|&v| v > 0),
            0x000c => found.maker.serial = tiff.unsigned(head, entry).filter(|&v| v > 0).map(|v| v.to_string()),
            0x0095 => found.maker.lens = tiff.text(head, entry),
            _ => {}
        }
    }
}

fn camera_settings(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry, found: &mut Found) {
    let values = shorts(head, tiff, entry);
    let Some(&iso) = values.get(16) else { return };
    // 0 and 0x7fff mean that the setting is told elsewhere; 14 and 15 are the two automatic ones.
    found.maker.iso_auto = match iso {
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
    found.maker.iso = set.or(found.maker.iso);
}

fn shot_info(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry, found: &mut Found) {
    let values = shorts(head, tiff, entry);
    let stop = |i: usize| values.get(i).map(|&v| 2f64.powf(f64::from(v as i16) / 32.0));
    if let (Some(auto), Some(base)) = (stop(1), stop(2)) {
        let used = (100.0 / 32.0 * base) * (100.0 * auto) / 100.0;
        if found.maker.iso.is_none() && (1.0..1e7).contains(&used.round()) {
            found.maker.iso = Some(used.round() as u32);
        }
    }
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

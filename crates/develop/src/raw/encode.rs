//! From planes to the JPEG that is kept: smaller where asked, with profile and EXIF.

use super::error::DevelopError;
use super::output::Plane;
use super::sensor::Shot;
use super::{exif, icc};
use crate::jpeg::{Turbo, YccPlanes, profile};
use crate::resize::{Samples, Scaler};

/// Luma and chroma made smaller; `from` is what of them is picture.
pub(crate) fn smaller(
    scaler: &mut Scaler,
    planes: &[Plane; 3],
    from: (u32, u32),
    to: (u32, u32),
) -> Result<[Plane; 3], DevelopError> {
    let mut resized = |plane: &Plane, halves: u32| -> Result<Plane, DevelopError> {
        let samples =
            Samples { width: plane.width as u32, height: plane.height as u32, channels: 1, samples: &plane.bytes };
        let covered = (f64::from(from.0) / f64::from(halves), f64::from(from.1) / f64::from(halves));
        // Whole pairs of pixels, as halved chroma wants them.
        let even = |length: u32| length.next_multiple_of(2) / halves;
        let (width, height) = (even(to.0), even(to.1));
        let bytes = scaler.resize(samples, covered, width, height);
        let bytes = bytes.map_err(|error| DevelopError::Resize { detail: error.to_string() })?;
        Ok(Plane { bytes, width: width as usize, height: height as usize })
    };
    let [luma, blue, red] = planes;
    Ok([resized(luma, 1)?, resized(blue, 2)?, resized(red, 2)?])
}

/// The JPEG, with its profile and EXIF.
pub(crate) fn jpeg(
    turbo: &mut Turbo,
    planes: &[Plane; 3],
    (width, height): (u32, u32),
    quality: u8,
    shot: &Shot,
) -> Result<Vec<u8>, DevelopError> {
    let failed = |error: crate::jpeg::JpegError| DevelopError::Encode { detail: error.to_string() };
    let longest = 65_500;
    if width > longest || height > longest {
        return Err(DevelopError::TooLarge {
            detail: format!("{width}x{height} pixels: a JPEG's sides end at {longest}"),
        });
    }
    let [luma, blue, red] = planes;
    let planes = YccPlanes {
        luma: &luma.bytes,
        luma_stride: luma.width,
        chroma: [&blue.bytes, &red.bytes],
        chroma_stride: blue.width,
    };
    let coded = turbo.encode_ycc((width, height), &planes, quality).map_err(failed)?;
    let mut segments = Vec::new();
    let exif = exif::segment(shot, width, height);
    segments.extend([0xff, 0xe1]);
    segments.extend((exif.len() as u16 + 2).to_be_bytes());
    segments.extend(exif);
    segments.extend(profile::segments(&icc::srgb()));
    profile::with_segments(&coded, &segments).map_err(failed)
}

//! Pictures to another size, and turned upright.
//!
//! Works on 8-bit samples, one or three a pixel, as the encoders take them.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use lightfast_model::Orientation;

/// A picture does not have the size that it says it has: an error of ours, not of a file.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("resize {width}x{height} pixels to {to_width}x{to_height}")]
pub struct ResizeError {
    /// Pixels across of the source.
    pub width: u32,
    /// Pixels down of the source.
    pub height: u32,
    /// Pixels across asked for.
    pub to_width: u32,
    /// Pixels down asked for.
    pub to_height: u32,
}

/// Samples with their size: `width * height * channels`.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// 1 or 3 samples a pixel.
    pub channels: u32,
    /// The samples, row after row.
    pub samples: &'a [u8],
}

/// The size that fits a long edge without enlarging, as close to the same shape as whole pixels allow.
pub fn fitting(width: u32, height: u32, edge: u32) -> (u32, u32) {
    let (long, short) = (width.max(height), width.min(height));
    let edge = edge.max(1);
    if long <= edge {
        return (width, height);
    }
    let scaled = (u64::from(short) * u64::from(edge) + u64::from(long) / 2) / u64::from(long);
    let scaled = scaled.max(1) as u32;
    if width >= height { (edge, scaled) } else { (scaled, edge) }
}

/// Resizes; keeps its tables between pictures.
#[derive(Debug, Default)]
pub struct Scaler {
    resizer: Resizer,
}

impl Scaler {
    /// The part of a picture that begins at its first pixel and is `covered` wide and high, as `width` by `height`. What
    /// lies just beyond it has an influence on its edge.
    pub fn resize(
        &mut self,
        source: Samples<'_>,
        covered: (f64, f64),
        width: u32,
        height: u32,
    ) -> Result<Vec<u8>, ResizeError> {
        let error = ResizeError { width: source.width, height: source.height, to_width: width, to_height: height };
        let kind = if source.channels == 3 { PixelType::U8x3 } else { PixelType::U8 };
        let from = ImageRef::new(source.width, source.height, source.samples, kind).map_err(|_| error)?;
        let mut to = Image::new(width, height, kind);
        let options = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
            .crop(0.0, 0.0, covered.0, covered.1);
        self.resizer.resize(&from, &mut to, Some(&options)).map_err(|_| ResizeError {
            width: source.width,
            height: source.height,
            to_width: width,
            to_height: height,
        })?;
        Ok(to.into_vec())
    }
}

/// Pixels turned upright, with their new width and height.
pub fn turned(source: Samples<'_>, orientation: Orientation) -> (Vec<u8>, u32, u32) {
    let (width, height) = (source.width as usize, source.height as usize);
    let channels = source.channels as usize;
    let (to_width, to_height) = if orientation.swaps_sides() { (height, width) } else { (width, height) };
    let size = (to_width as u32, to_height as u32);
    if orientation == Orientation::UPRIGHT {
        return (source.samples.to_vec(), size.0, size.1);
    }
    let mut turned = Vec::with_capacity(source.samples.len());
    for y in 0..to_height {
        for x in 0..to_width {
            // In the loops x and y are below the sides that they are taken from.
            let (from_x, from_y) = match orientation.value() {
                2 => (width - 1 - x, y),
                3 => (width - 1 - x, height - 1 - y),
                4 => (x, height - 1 - y),
                5 => (y, x),
                6 => (y, height - 1 - x),
                7 => (width - 1 - y, height - 1 - x),
                8 => (width - 1 - y, x),
                _ => (x, y),
            };
            let at = (from_y * width + from_x) * channels;
            turned.extend_from_slice(source.samples.get(at..at + channels).unwrap_or_default());
        }
    }
    (turned, size.0, size.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_fits_its_edge_and_is_never_enlarged() {
        assert_eq!(fitting(5616, 3744, 512), (512, 341));
        assert_eq!(fitting(3744, 5616, 512), (341, 512));
        assert_eq!(fitting(300, 200, 512), (300, 200));
        assert_eq!(fitting(65_500, 1, 512), (512, 1));
        assert_eq!(fitting(0, 0, 0), (0, 0));
    }

    #[test]
    fn each_of_the_eight_orientations_is_turned_upright() {
        // What a camera stores for an upright "abc/def", by the definition of the EXIF tag: where row 0 and column 0 lie.
        let stored = [
            (1, 3, "abcdef"),
            (2, 3, "cbafed"),
            (3, 3, "fedcba"),
            (4, 3, "defabc"),
            (5, 2, "adbecf"),
            (6, 2, "cfbead"),
            (7, 2, "fcebda"),
            (8, 2, "daebfc"),
        ];
        for (value, width, samples) in stored {
            let samples = Samples { width, height: 6 / width, channels: 1, samples: samples.as_bytes() };
            let orientation = Orientation::new(value).unwrap();
            let (turned, width, height) = turned(samples, orientation);
            assert_eq!((String::from_utf8(turned).unwrap().as_str(), width, height), ("abcdef", 3, 2), "{value}");
        }
    }

    #[test]
    fn a_flat_picture_stays_flat_and_a_wrong_size_is_an_error() {
        let samples = [10; 6];
        let source = Samples { width: 3, height: 2, channels: 1, samples: &samples };
        assert_eq!(Scaler::default().resize(source, (2.5, 2.0), 2, 1), Ok(vec![10, 10]));
        let short = Samples { width: 3, height: 3, channels: 1, samples: &samples };
        assert!(Scaler::default().resize(short, (3.0, 3.0), 1, 1).is_err());
    }
}

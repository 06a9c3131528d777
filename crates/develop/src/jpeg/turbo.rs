//! libjpeg-turbo: decoding at a DCT scale, and encoding.
//!
//! It does every JPEG that our own reader does not. A damaged file gives what
//! could be decoded of it, grey where nothing could; only a file of which not
//! a pixel could be had is an error.

use turbojpeg::{
    Colorspace, Compressor, Decompressor, Image, OutputBuf, PixelFormat, ScalingFactor, Subsamp, YuvImage,
    YuvPlanesImage,
};

use super::planes::{Plane, Planes};
use super::{JpegError, Limits};
use crate::resize::Samples;

/// Scans of a progressive file, at most: cameras write about ten, and each costs a pass.
const MAX_SCANS: u32 = 500;
/// What a picture is filled with before it is decoded.
const GREY: u8 = 128;

/// A decoded picture.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// As the file has it.
    Planes(Planes),
    /// Three samples a pixel, where the file is of other colours: pixels across, down, and the samples.
    Rgb(u32, u32, Vec<u8>),
}

/// Keeps libjpeg-turbo's state between pictures.
#[derive(Debug)]
pub(crate) struct Turbo {
    decompressor: Decompressor,
    compressor: Compressor,
}

/// Luma, and chroma of half the size, an even number of luma's samples covered.
#[derive(Debug)]
pub(crate) struct YccPlanes<'a> {
    pub(crate) luma: &'a [u8],
    pub(crate) luma_stride: usize,
    /// Blue, red.
    pub(crate) chroma: [&'a [u8]; 2],
    pub(crate) chroma_stride: usize,
}

fn library(error: turbojpeg::Error) -> JpegError {
    match error {
        turbojpeg::Error::TurboJpegError(words) => JpegError::Library(words),
        other => JpegError::Library(other.to_string()),
    }
}

impl Turbo {
    pub(crate) fn new() -> Result<Self, JpegError> {
        let mut decompressor = Decompressor::new().map_err(library)?;
        decompressor.set_scan_limit(MAX_SCANS).map_err(library)?;
        Ok(Self { decompressor, compressor: Compressor::new().map_err(library)? })
    }

    /// Decodes at `eighths` of the size, 1 to 8.
    pub(crate) fn decode(&mut self, jpeg: &[u8], eighths: u32, limits: Limits) -> Result<Decoded, JpegError> {
        let scale = ScalingFactor::new(eighths.clamp(1, 8) as usize, 8);
        self.decompressor.set_scaling_factor(ScalingFactor::ONE).map_err(library)?;
        let header = self.decompressor.read_header(jpeg).map_err(library)?;
        limits.check(header.width as u32, header.height as u32)?;
        if header.is_lossless {
            return Err(JpegError::Unsupported("lossless JPEG"));
        }
        self.decompressor.set_scaling_factor(scale).map_err(library)?;
        let (width, height) = (scale.scale(header.width), scale.scale(header.height));
        let plain = matches!(header.colorspace, Colorspace::YCbCr | Colorspace::Gray);
        if plain && header.subsamp != Subsamp::Unknown {
            let full = (header.width as f64, header.height as f64);
            let share = f64::from(eighths) / 8.0;
            return self.planes(jpeg, width, height, header.subsamp, (full.0 * share, full.1 * share));
        }
        match header.colorspace {
            Colorspace::CMYK | Colorspace::YCCK => {
                let inks = self.pixels(jpeg, width, height, PixelFormat::CMYK)?;
                Ok(Decoded::Rgb(width as u32, height as u32, rgb_of_inks(&inks)))
            }
            _ => {
                let samples = self.pixels(jpeg, width, height, PixelFormat::RGB)?;
                Ok(Decoded::Rgb(width as u32, height as u32, samples))
            }
        }
    }

    fn planes(
        &mut self,
        jpeg: &[u8],
        width: usize,
        height: usize,
        subsamp: Subsamp,
        covered: (f64, f64),
    ) -> Result<Decoded, JpegError> {
        let length = turbojpeg::yuv_pixels_len(width, 1, height, subsamp).map_err(library)?;
        let mut image = YuvImage { pixels: vec![GREY; length], width, align: 1, height, subsamp };
        let outcome = self.decompressor.decompress_to_yuv(jpeg, image.as_deref_mut());
        tolerated(outcome, &image.pixels)?;
        let (luma, chroma) = (image.y_size(), image.uv_size());
        let mut rest = image.pixels;
        let mut take = |(across, down): (usize, usize), covered| {
            let tail = rest.split_off((across * down).min(rest.len()));
            let samples = std::mem::replace(&mut rest, tail);
            Plane { stride: across as u32, rows: down as u32, samples, covered }
        };
        let mut planes = vec![take(luma, covered)];
        if subsamp != Subsamp::Gray {
            let (across, down) = (8.0 / subsamp.mcu_width() as f64, 8.0 / subsamp.mcu_height() as f64);
            // Rounding up may have made the planes a little larger than the picture, never smaller.
            let covered = ((covered.0 * across).min(chroma.0 as f64), (covered.1 * down).min(chroma.1 as f64));
            planes.push(take(chroma, covered));
            planes.push(take(chroma, covered));
        }
        Planes::new(planes).map(Decoded::Planes).ok_or(JpegError::Damaged("no components"))
    }

    fn pixels(&mut self, jpeg: &[u8], width: usize, height: usize, format: PixelFormat) -> Result<Vec<u8>, JpegError> {
        let pitch = width * format.size();
        let mut image = Image { pixels: vec![GREY; pitch * height], width, pitch, height, format };
        let outcome = self.decompressor.decompress(jpeg, image.as_deref_mut());
        tolerated(outcome, &image.pixels)?;
        Ok(image.pixels)
    }

    /// Encodes luma of `width` by `height` with blue and red chroma of half the size, rounded up.
    pub(crate) fn encode_planes(
        &mut self,
        (width, height): (u32, u32),
        luma: &[u8],
        (blue, red): (&[u8], &[u8]),
        quality: u8,
    ) -> Result<Vec<u8>, JpegError> {
        let (width, height) = (width as usize, height as usize);
        let half = width.div_ceil(2);
        let padded;
        let (luma, stride) = if width % 2 == 1 || height % 2 == 1 {
            padded = even(luma, width);
            (padded.as_slice(), 2 * half)
        } else {
            (luma, width)
        };
        let planes = YccPlanes { luma, luma_stride: stride, chroma: [blue, red], chroma_stride: half };
        self.encode_ycc((width as u32, height as u32), &planes, quality)
    }

    /// Encodes planes whose rows may be longer than the picture is wide.
    pub(crate) fn encode_ycc(
        &mut self,
        (width, height): (u32, u32),
        planes: &YccPlanes<'_>,
        quality: u8,
    ) -> Result<Vec<u8>, JpegError> {
        self.compressor.set_quality(i32::from(quality)).map_err(library)?;
        let [u_plane, v_plane] = planes.chroma;
        let image = YuvPlanesImage {
            y_plane: planes.luma,
            u_plane,
            v_plane,
            width: width as usize,
            height: height as usize,
            y_stride: planes.luma_stride,
            u_stride: planes.chroma_stride,
            v_stride: planes.chroma_stride,
            subsamp: Subsamp::Sub2x2,
        };
        let mut output = OutputBuf::new_owned();
        self.compressor.compress_yuv_planes(&image, &mut output).map_err(library)?;
        Ok(output.to_vec())
    }

    /// Encodes one sample a pixel, or three with chroma of half the size.
    pub(crate) fn encode_pixels(&mut self, picture: Samples<'_>, quality: u8) -> Result<Vec<u8>, JpegError> {
        let (format, subsamp) = match picture.channels {
            1 => (PixelFormat::GRAY, Subsamp::Gray),
            _ => (PixelFormat::RGB, Subsamp::Sub2x2),
        };
        self.compressor.set_quality(i32::from(quality)).map_err(library)?;
        self.compressor.set_subsamp(subsamp).map_err(library)?;
        let (width, height) = (picture.width as usize, picture.height as usize);
        let image = Image { pixels: picture.samples, width, pitch: width * format.size(), height, format };
        self.compressor.compress_to_vec(image).map_err(library)
    }
}

/// A plane with its last column and row repeated where their number is odd, as whole blocks of chroma want it.
fn even(samples: &[u8], width: usize) -> Vec<u8> {
    let rows = samples.chunks_exact(width.max(1));
    let last = if rows.len() % 2 == 1 { rows.clone().next_back() } else { None };
    let mut padded = Vec::with_capacity(samples.len() + width + rows.len() + 1);
    for row in rows.chain(last) {
        padded.extend_from_slice(row);
        if width % 2 == 1 {
            padded.extend(row.last());
        }
    }
    padded
}

/// libjpeg reports what it could not make sense of after it has decoded the rest; that rest is worth showing.
fn tolerated(outcome: turbojpeg::Result<()>, pixels: &[u8]) -> Result<(), JpegError> {
    match outcome {
        Err(turbojpeg::Error::TurboJpegError(_)) if pixels.iter().any(|&sample| sample != GREY) => Ok(()),
        other => other.map_err(library),
    }
}

/// Inks as Adobe stores them, inverted, to light: each colour is dimmed by black.
fn rgb_of_inks(inks: &[u8]) -> Vec<u8> {
    let dimmed = |ink: u8, black: u8| ((u32::from(ink) * u32::from(black) + 127) / 255) as u8;
    inks.as_chunks::<4>().0.iter().flat_map(|&[c, m, y, k]| [dimmed(c, k), dimmed(m, k), dimmed(y, k)]).collect()
}

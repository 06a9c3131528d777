//! JPEG: the encoder, and the segments around what it makes.

use turbojpeg::{Compressor, Image, PixelFormat, Subsamp};

/// Pixels to a JPEG: 4:2:2, as cameras of the time wrote it. `pixels` is RGB, `width` by `height`.
pub(crate) fn encode(pixels: &[u8], width: u32, height: u32, quality: i32) -> Result<Vec<u8>, turbojpeg::Error> {
    let mut encoder = Encoder::new(quality)?;
    encoder.encode(pixels, width, height)
}

/// An encoder that is used for one picture after another.
#[derive(Debug)]
pub(crate) struct Encoder(Compressor);

impl Encoder {
    pub(crate) fn new(quality: i32) -> Result<Self, turbojpeg::Error> {
        let mut compressor = Compressor::new()?;
        compressor.set_quality(quality)?;
        compressor.set_subsamp(Subsamp::Sub2x1)?;
        Ok(Self(compressor))
    }

    pub(crate) fn encode(&mut self, pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, turbojpeg::Error> {
        self.encode_pitched(pixels, width as usize * 3, width, height)
    }

    /// The same of part of a larger picture, whose rows are `pitch` bytes apart.
    pub(crate) fn encode_pitched(
        &mut self,
        pixels: &[u8],
        pitch: usize,
        width: u32,
        height: u32,
    ) -> Result<Vec<u8>, turbojpeg::Error> {
        let (width, height) = (width as usize, height as usize);
        self.0.compress_to_vec(Image { pixels, width, pitch, height, format: PixelFormat::RGB })
    }
}

/// The same JPEG with this EXIF block in place of what it began with.
///
/// A JPEG with EXIF has no JFIF segment: the first segment after the start
/// marker must be APP1 (EXIF 2.31, 4.5.4).
pub(crate) fn with_exif(jpeg: &[u8], exif: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(jpeg.len() + exif.len() + 16);
    out.extend([0xff, 0xd8, 0xff, 0xe1]);
    out.extend(((exif.len() + 8) as u16).to_be_bytes());
    out.extend(b"Exif\0\0");
    out.extend(exif);
    out.extend(without_jfif(jpeg));
    out
}

/// What follows the start marker and, where there is one, the JFIF segment.
fn without_jfif(jpeg: &[u8]) -> &[u8] {
    match jpeg {
        [0xff, 0xd8, 0xff, 0xe0, high, low, ..] => {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            jpeg.get(4 + length..).unwrap_or_default()
        }
        _ => jpeg.get(2..).unwrap_or_default(),
    }
}

//! Small upright JPEGs from large ones (or from a HEIF), at the lowest cost.
//!
//! The source is decoded at the smallest of libjpeg's scales that is still
//! large enough, an eighth by our own reader where it can, and stays in the
//! colours that it is stored in: planes are resized, turned and encoded
//! without a detour over RGB. The pixels keep the source's colour space; see
//! `jpeg::profile` for when its ICC profile goes with them. Nothing else of the
//! source's metadata does.

use lightfast_model::Orientation;

use crate::heif;
use crate::jpeg::{Decoded, Header, JpegError, Limits, Plane, Planes, Turbo, eighth, profile};
use crate::resize::{ResizeError, Samples, Scaler, fitting, turned};

/// What to make of a JPEG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What must be done to the stored pixels to see them upright.
    pub orientation: Orientation,
    /// Pixels of the long side at most; a smaller picture is not enlarged.
    pub edge: u32,
    /// JPEG quality, 1 to 100.
    pub quality: u8,
    /// What the decode may cost.
    pub limits: Limits,
}

impl Request {
    /// For the grid.
    pub fn thumbnail(orientation: Orientation, edge: u32) -> Self {
        Self { orientation, edge, quality: 80, limits: Limits::default() }
    }

    /// For a screen.
    pub fn fit(orientation: Orientation, edge: u32) -> Self {
        Self { orientation, edge, quality: 88, limits: Limits::default() }
    }
}

/// A JPEG to be shown as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UprightJpeg {
    /// The whole file.
    pub jpeg: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl From<ResizeError> for JpegError {
    fn from(error: ResizeError) -> Self {
        Self::Library(error.to_string())
    }
}

/// Makes small JPEGs; keeps the libraries' state and buffers between them.
#[derive(Debug)]
pub struct Thumbnailer {
    turbo: Turbo,
    scaler: Scaler,
}

impl Thumbnailer {
    /// Ready for any number of pictures.
    pub fn new() -> Result<Self, JpegError> {
        Ok(Self { turbo: Turbo::new()?, scaler: Scaler::default() })
    }

    /// The JPEG, or the primary picture of a HEIF, made smaller and upright.
    pub fn make(&mut self, jpeg: &[u8], request: &Request) -> Result<UprightJpeg, JpegError> {
        if heif::is_heif(jpeg) {
            return self.make_of_heif(jpeg, request);
        }
        let header = Header::parse(jpeg)?;
        request.limits.check(header.width, header.height)?;
        let (width, height) = fitting(header.width, header.height, request.edge);
        let made = match self.decode(jpeg, &header, width.max(height), request.limits)? {
            Decoded::Planes(planes) => self.small_of_planes(&planes, width, height, request)?,
            Decoded::Rgb(across, down, samples) => {
                let decoded = Samples { width: across, height: down, channels: 3, samples: &samples };
                self.small_of_rgb(decoded, width, height, request)?
            }
        };
        let is_grey = header.components.len() == 1;
        match header.icc {
            Some(icc) if profile::worth_keeping(&icc, is_grey) => {
                Ok(UprightJpeg { jpeg: profile::with_profile(&made.jpeg, &icc)?, ..made })
            }
            _ => Ok(made),
        }
    }

    fn make_of_heif(&mut self, file: &[u8], request: &Request) -> Result<UprightJpeg, JpegError> {
        let heif::Decoded { width: across, height: down, samples, icc } =
            heif::decode(file, request.edge, request.limits)?;
        let (width, height) = fitting(across, down, request.edge);
        let decoded = Samples { width: across, height: down, channels: 3, samples: &samples };
        let made = self.small_of_rgb(decoded, width, height, request)?;
        match icc {
            Some(icc) if profile::worth_keeping(&icc, false) => {
                Ok(UprightJpeg { jpeg: profile::with_profile(&made.jpeg, &icc)?, ..made })
            }
            _ => Ok(made),
        }
    }

    /// Decodes at the smallest scale that is large enough.
    fn decode(&mut self, jpeg: &[u8], header: &Header<'_>, edge: u32, limits: Limits) -> Result<Decoded, JpegError> {
        let eighths = eighths(header.width.max(header.height), edge);
        if eighths == 1
            && let Ok(planes) = eighth(header, limits)
        {
            return Ok(Decoded::Planes(planes));
        }
        self.turbo.decode(jpeg, eighths, limits)
    }

    fn small_of_planes(
        &mut self,
        planes: &Planes,
        width: u32,
        height: u32,
        request: &Request,
    ) -> Result<UprightJpeg, JpegError> {
        let turn = request.orientation;
        let (luma, upright_width, upright_height) = self.plane(&planes.luma, width, height, turn)?;
        let size = (upright_width, upright_height);
        let jpeg = match &planes.chroma {
            Some([blue, red]) => {
                let half = (width.div_ceil(2), height.div_ceil(2));
                let (blue, ..) = self.plane(blue, half.0, half.1, turn)?;
                let (red, ..) = self.plane(red, half.0, half.1, turn)?;
                self.turbo.encode_planes(size, &luma, (&blue, &red), request.quality)?
            }
            None => {
                let picture = Samples { width: size.0, height: size.1, channels: 1, samples: &luma };
                self.turbo.encode_pixels(picture, request.quality)?
            }
        };
        Ok(UprightJpeg { jpeg, width: size.0, height: size.1 })
    }

    fn plane(
        &mut self,
        plane: &Plane,
        width: u32,
        height: u32,
        orientation: Orientation,
    ) -> Result<(Vec<u8>, u32, u32), JpegError> {
        let source = Samples { width: plane.stride, height: plane.rows, channels: 1, samples: &plane.samples };
        let samples = self.scaler.resize(source, plane.covered, width, height)?;
        Ok(upright(samples, width, height, 1, orientation))
    }

    fn small_of_rgb(
        &mut self,
        decoded: Samples<'_>,
        width: u32,
        height: u32,
        request: &Request,
    ) -> Result<UprightJpeg, JpegError> {
        let covered = (f64::from(decoded.width), f64::from(decoded.height));
        let samples = self.scaler.resize(decoded, covered, width, height)?;
        let (samples, width, height) = upright(samples, width, height, 3, request.orientation);
        let picture = Samples { width, height, channels: 3, samples: &samples };
        Ok(UprightJpeg { jpeg: self.turbo.encode_pixels(picture, request.quality)?, width, height })
    }
}

/// The smallest of libjpeg's scales at which a long side has `edge` pixels, or so nearly that enlarging by a
/// thirty-second is not seen: a thumbnail of 512 pixels from the 4032 of a telephone or the 4000 of a small camera, at an eighth.
fn eighths(long: u32, edge: u32) -> u32 {
    let enough = u64::from(edge) * 31 / 32;
    (enough * 8).div_ceil(u64::from(long.max(1))).clamp(1, 8) as u32
}

fn upright(samples: Vec<u8>, width: u32, height: u32, channels: u32, orientation: Orientation) -> (Vec<u8>, u32, u32) {
    if orientation == Orientation::UPRIGHT {
        return (samples, width, height);
    }
    turned(Samples { width, height, channels, samples: &samples }, orientation)
}

#[cfg(test)]
#[path = "thumbnail_tests.rs"]
mod tests;

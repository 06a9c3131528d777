//! From a planned frame to the bytes of its files.
//!
//! A [`Set`] is what all frames of a scene share: the scene drawn somewhat larger than a picture, and its mosaic.
//! Frames look at different parts of it, lighter or darker, each with its own noise. Several threads may make frames
//! of one set at a time; each holds about 100 MB at 21 megapixels, the set 140 MB.

use super::plan::{ClipFile, Frame};
use crate::Shot;
use crate::format::canon::DAYLIGHT;
use crate::format::exif::{self, MakerNote};
use crate::format::jpeg::{Encoder, with_exif};
use crate::raw::cr2::{self, Pictures};
use crate::raw::grain::Grain;
use crate::raw::lossless;
use crate::raw::mosaic::{Exposure, Mosaic};
use crate::raw::sensor::{APRON, Geometry};
use crate::raw::tone;
use crate::samples::linear;
use crate::scene::{Canvas, Look, draw_look};
use crate::video::h264::Size;
use crate::video::movie::{Clip, Container};

/// How much larger than the picture the scene is, in thousandths.
const TRAVEL: u32 = 120;
const QUALITY: i32 = 88;
/// Seconds of a clip times its 30 pictures.
const CLIP_PICTURES: u32 = 90;

/// A drawn scene, ready for its frames.
#[derive(Debug)]
pub(crate) struct Set {
    sensor: Geometry,
    canvas: Canvas,
    mosaic: Mosaic,
}

impl Set {
    /// Draws a scene for pictures of this size as stored; `turned` is the EXIF orientation they are taken in.
    pub(crate) fn draw(look: Look, seed: u64, picture: (u32, u32), turned: u8, threads: usize) -> Self {
        let sensor = Geometry::new(picture.0, picture.1);
        let room = |length: u32, apron: u32| length + length * TRAVEL / 1000 + 2 * apron;
        let (width, height) = (room(picture.0, APRON.0), room(picture.1, APRON.1));
        let canvas = match turned {
            6 => draw_look(look, seed, (height, width), threads).turned_left(),
            8 => draw_look(look, seed, (height, width), threads).turned_right(),
            _ => draw_look(look, seed, (width, height), threads),
        };
        let mosaic = Mosaic::of(&canvas, &sensor, DAYLIGHT, threads);
        Self { sensor, canvas, mosaic }
    }

    /// Where on the canvas a frame's first pixel lies; even, so that the mosaic's colours stay in place.
    fn place(&self, frame: &Frame) -> (usize, usize) {
        let at = |view: u32, length: u32, apron: u32| (apron + length * TRAVEL / 1000 * view / 1000) / 2 * 2;
        let (width, height) = self.sensor.picture;
        (at(frame.view.0, width, APRON.0) as usize, at(frame.view.1, height, APRON.1) as usize)
    }
}

/// The files of a frame.
#[derive(Debug)]
pub(crate) struct Developed {
    /// The RAW in two parts, one to be written after the other.
    pub(crate) raw: [Vec<u8>; 2],
    pub(crate) jpeg: Option<Vec<u8>>,
}

/// A worker's own tools.
#[derive(Debug)]
pub(crate) struct Darkroom<'a> {
    grain: &'a Grain,
    encoder: Encoder,
    small_encoder: Encoder,
    /// A picture with its tones changed.
    toned: Vec<u8>,
}

impl<'a> Darkroom<'a> {
    pub(crate) fn new(grain: &'a Grain) -> Result<Self, turbojpeg::Error> {
        Ok(Self { grain, encoder: Encoder::new(QUALITY)?, small_encoder: Encoder::new(85)?, toned: Vec::new() })
    }

    /// Makes the files of a frame.
    pub(crate) fn develop(&mut self, set: &Set, frame: &Frame) -> Result<Developed, turbojpeg::Error> {
        let at = set.place(frame);
        let tones = tone::exposed(frame.gain);
        let view = View { canvas: &set.canvas, at, size: set.sensor.picture, tones: &tones };
        let jpeg = if frame.gain == 256 {
            let (pixels, pitch) = view.pixels();
            self.encoder.encode_pitched(pixels, pitch, frame.shot.width, frame.shot.height)?
        } else {
            view.toned(&mut self.toned);
            self.encoder.encode(&self.toned, frame.shot.width, frame.shot.height)?
        };
        let thumbnail = self.thumbnail(&view)?;
        let exposure =
            Exposure::new(&set.sensor, &set.mosaic, self.grain, at, (frame.shot.seed, frame.gain, frame.shot.iso));
        let pictures = Pictures {
            small: linear(&view.reduced(cr2::small_size(&set.sensor))),
            sensor: lossless::compress(&set.sensor, |column, row, out| exposure.read_out(column, row, out)),
            jpeg,
            thumbnail,
        };
        let head = cr2::head(&frame.shot, &set.sensor, DAYLIGHT, &pictures);
        let jpeg = frame.jpeg.is_some().then(|| {
            let sensor = set.sensor.described(DAYLIGHT);
            let exif = exif::block(&frame.shot, MakerNote::Canon(sensor), Some(&pictures.thumbnail));
            with_exif(&pictures.jpeg, &exif)
        });
        Ok(Developed { raw: [head, pictures.sensor], jpeg })
    }

    /// 160x120, with black above and below, as the camera pads it.
    fn thumbnail(&mut self, view: &View<'_>) -> Result<Vec<u8>, turbojpeg::Error> {
        let mut pixels = vec![0; 160 * 120 * 3];
        let small = view.reduced((160, 106));
        if let Some(middle) = pixels.get_mut(7 * 160 * 3..113 * 160 * 3) {
            middle.copy_from_slice(&small);
        }
        self.small_encoder.encode(&pixels, 160, 120)
    }
}

/// A clip and its thumbnail file.
pub(crate) fn film(file: &ClipFile) -> Result<(Vec<u8>, Vec<u8>), turbojpeg::Error> {
    let shot = &file.shot;
    let size = Size { width: shot.width, height: shot.height };
    let pictures = if shot.width < 1000 { CLIP_PICTURES / 3 } else { CLIP_PICTURES };
    let wide = shot.width + Clip::travel(pictures);
    let canvas = draw_look(file.look, shot.seed, (wide, shot.height), 1);
    let tones = tone::exposed(256);
    let view = View { canvas: &canvas, at: (0, 0), size: (shot.width, shot.height), tones: &tones };
    let small = Encoder::new(85)?.encode(&view.reduced((160, 120)), 160, 120)?;
    let of_thumbnail = Shot { width: 160, height: 120, ..shot.clone() };
    let sensor = Geometry::new(160, 120).described(DAYLIGHT);
    let thumbnail = with_exif(&small, &exif::block(&of_thumbnail, MakerNote::Canon(sensor), None));
    let clip = Clip::pan(&canvas.into_pixels(), wide as usize, size, pictures, shot.seed);
    Ok((clip.file(shot, Container::Canon, &thumbnail), thumbnail))
}

/// Part of a canvas, lighter or darker.
#[derive(Debug)]
struct View<'a> {
    canvas: &'a Canvas,
    at: (usize, usize),
    size: (u32, u32),
    tones: &'a [u8; 256],
}

impl View<'_> {
    fn row(&self, y: usize) -> &[u8] {
        let start = self.at.0 * 3;
        self.canvas.row(self.at.1 + y).get(start..start + self.size.0 as usize * 3).unwrap_or_default()
    }

    /// The pixels as they lie on the canvas, and how many bytes one row is from the next.
    fn pixels(&self) -> (&[u8], usize) {
        let pitch = self.canvas.width() * 3;
        let start = self.at.1 * pitch + self.at.0 * 3;
        (self.canvas.pixels().get(start..).unwrap_or_default(), pitch)
    }

    // The index is a byte into 256 values.
    #[allow(clippy::indexing_slicing)]
    fn toned(&self, out: &mut Vec<u8>) {
        out.clear();
        for y in 0..self.size.1 as usize {
            out.extend(self.row(y).iter().map(|value| self.tones[usize::from(*value)]));
        }
    }

    /// At a smaller size: the mean of sixteen places of each part.
    // The index is a byte into 256 values.
    #[allow(clippy::indexing_slicing)]
    fn reduced(&self, size: (u32, u32)) -> Vec<u8> {
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let (columns, rows) = (size.0 as usize, size.1 as usize);
        let mut out = Vec::with_capacity(columns * rows * 3);
        for row in 0..rows {
            for column in 0..columns {
                let mut sum = [0u32; 3];
                for part in 0..16 {
                    let y = (row * 4 + part / 4) * height / (rows * 4);
                    let x = (column * 4 + part % 4) * width / (columns * 4);
                    for (sum, value) in sum.iter_mut().zip(self.row(y).get(x * 3..).unwrap_or_default()) {
                        *sum += u32::from(self.tones[usize::from(*value)]);
                    }
                }
                out.extend(sum.map(|sum| (sum / 16) as u8));
            }
        }
        out
    }
}

//! The whole way of one file: decode, choose the tone, render, encode.
//!
//! [`Developer`] keeps the encoder's state between files. What it is asked for beyond the
//! picture's own size it makes smaller after the pass; half the size and less comes from the
//! squares of the sensor in a quarter of the time.

use std::time::{Duration, Instant};

use super::bayer::Bayer;
use super::colour::{self, Matrix};
use super::encode;
use super::error::DevelopError;
use super::finish::{Finish, Sharpen};
use super::grid::Grid;
use super::half::{self, Half};
use super::levels::{self, Levels};
use super::options::{DevelopOptions, ToneSource, WhiteBalance};
use super::output::{Output, Picture};
use super::plain::Plain;
use super::render::{Pass, Rows};
use super::sensor::{Layout, Sensor};
use super::simd::Processor;
use super::source;
use super::tone;
use crate::jpeg::Turbo;
use crate::resize::{Samples, Scaler, fitting};

/// Detail below this many 64ths of a level is left alone at ISO 100; more where there is more noise.
const THRESHOLD: f32 = 40.0;
/// Part of the detail that is added, 32768 is one.
const AMOUNT: i16 = 13_000;
/// No pixel is sharpened by more, in 64ths of a level.
const MOST: i16 = 10 << 6;

/// How long each step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stages {
    /// The RAW's own compression undone.
    pub decode: Duration,
    /// The tone chosen and fitted.
    pub tone: Duration,
    /// The pass over the sensor, smaller sizes included.
    pub render: Duration,
    /// The JPEG encoded.
    pub encode: Duration,
}

/// A rendering as a JPEG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Developed {
    /// Upright, 8 bits, halved chroma, sRGB with its profile and the essential EXIF.
    pub jpeg: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Where its tone came from.
    pub tone: ToneSource,
    /// How long it took.
    pub stages: Stages,
}

/// A rendering as pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// sRGB, three bytes a pixel, upright, row after row.
    pub rgb: Vec<u8>,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Where its tone came from.
    pub tone: ToneSource,
}

/// Develops RAWs, one after the other.
#[derive(Debug)]
pub struct Developer {
    turbo: Turbo,
    scaler: Scaler,
    processor: Processor,
}

/// A decoded file and all that the pass needs to know.
pub(crate) struct Ready {
    pub(crate) sensor: Sensor,
    pub(crate) balance: [f32; 3],
    pub(crate) camera: Matrix,
    pub(crate) look: tone::Look,
    pub(crate) tone: ToneSource,
}

impl Developer {
    /// With the fastest instructions that this machine has.
    pub fn new() -> Result<Self, DevelopError> {
        Self::with(Processor::best())
    }

    /// With given instructions; the pixels are the same.
    pub fn with(processor: Processor) -> Result<Self, DevelopError> {
        let turbo = Turbo::new().map_err(|error| DevelopError::Encode { detail: error.to_string() })?;
        Ok(Self { turbo, scaler: Scaler::default(), processor })
    }

    /// The file as a JPEG.
    pub fn jpeg(&mut self, bytes: &[u8], options: &DevelopOptions) -> Result<Developed, DevelopError> {
        let mut stages = Stages::default();
        let ready = ready(bytes, options, &mut stages)?;
        let start = Instant::now();
        let (picture, (width, height)) = render(&ready, options, self.processor, true)?;
        let Picture::Ycc(planes) = picture else {
            return Err(DevelopError::Encode { detail: "pixels where planes were to be".into() });
        };
        let shot = ready.sensor.shot;
        // The sensor is not needed any more, and is the largest part of the memory.
        drop(ready.sensor.samples);
        let wanted = wanted(options, width, height);
        let planes = if wanted == (width, height) {
            planes
        } else {
            encode::smaller(&mut self.scaler, &planes, (width, height), wanted)?
        };
        stages.render = start.elapsed();
        let start = Instant::now();
        let jpeg = encode::jpeg(&mut self.turbo, &planes, wanted, options.jpeg_quality, &shot)?;
        stages.encode = start.elapsed();
        Ok(Developed { jpeg, width: wanted.0, height: wanted.1, tone: ready.tone, stages })
    }

    /// The file as pixels.
    pub fn pixels(&mut self, bytes: &[u8], options: &DevelopOptions) -> Result<Pixels, DevelopError> {
        let ready = ready(bytes, options, &mut Stages::default())?;
        self.finished_pixels(&ready, options)
    }

    /// Pixels of a decoded file.
    pub(crate) fn finished_pixels(&mut self, ready: &Ready, options: &DevelopOptions) -> Result<Pixels, DevelopError> {
        let (picture, (width, height)) = render(ready, options, self.processor, false)?;
        let Picture::Rgb(plane) = picture else {
            return Err(DevelopError::Encode { detail: "planes where pixels were to be".into() });
        };
        let wanted = wanted(options, width, height);
        let rgb = if wanted == (width, height) {
            plane.bytes
        } else {
            let samples = Samples { width, height, channels: 3, samples: &plane.bytes };
            let covered = (f64::from(width), f64::from(height));
            let made = self.scaler.resize(samples, covered, wanted.0, wanted.1);
            made.map_err(|error| DevelopError::Resize { detail: error.to_string() })?
        };
        Ok(Pixels { rgb, width: wanted.0 as usize, height: wanted.1 as usize, tone: ready.tone })
    }
}

fn wanted(options: &DevelopOptions, width: u32, height: u32) -> (u32, u32) {
    options.size.map_or((width, height), |edge| fitting(width, height, edge))
}

/// Decodes, and chooses balance and tone.
pub(crate) fn ready(bytes: &[u8], options: &DevelopOptions, stages: &mut Stages) -> Result<Ready, DevelopError> {
    options.check()?;
    let start = Instant::now();
    let mut sensor = source::decode(bytes, &options.limits)?;
    levels::level_columns(&mut sensor);
    stages.decode = start.elapsed();
    let start = Instant::now();
    let camera = colour::camera_to_srgb(sensor.from_xyz.as_ref());
    let as_shot = colour::normalised(neutral(&sensor));
    let balance = balance(&sensor, options.white_balance)?;
    let (look, tone) = tone::choose(bytes, &sensor, &camera, as_shot, options.tone);
    stages.tone = start.elapsed();
    Ok(Ready { sensor, balance, camera, look, tone })
}

/// The camera's balance, else daylight, else none.
pub(crate) fn neutral(sensor: &Sensor) -> [f32; 3] {
    sensor.as_shot.or_else(|| sensor.from_xyz.as_ref().and_then(colour::daylight)).unwrap_or([1.0; 3])
}

/// The balance that was asked for; its smallest multiplier is one.
fn balance(sensor: &Sensor, wanted: WhiteBalance) -> Result<[f32; 3], DevelopError> {
    let missing = || DevelopError::Option {
        option: "white balance",
        detail: "the file does not say what colours its camera sees; only the balance as shot and multipliers work"
            .into(),
    };
    let matrix = || sensor.from_xyz.as_ref().filter(|_| !sensor.is_balanced).ok_or_else(missing);
    let multipliers = match wanted {
        WhiteBalance::AsShot => neutral(sensor),
        WhiteBalance::Daylight => colour::daylight(matrix()?).ok_or_else(missing)?,
        WhiteBalance::Temperature(kelvin) => colour::temperature(matrix()?, kelvin).ok_or_else(missing)?,
        WhiteBalance::Multipliers(of) => of,
    };
    Ok(colour::normalised(multipliers))
}

/// The pass; also the size of the upright picture, which planes may exceed by a row or column.
pub(crate) fn render(
    ready: &Ready,
    options: &DevelopOptions,
    processor: Processor,
    planes: bool,
) -> Result<(Picture, (u32, u32)), DevelopError> {
    let sensor = &ready.sensor;
    let levels = Levels::new(sensor, ready.balance);
    let whole = Grid::new(sensor.crop, sensor.active, sensor.orientation);
    let squares = half::grid(sensor);
    let halved = matches!(sensor.layout, Layout::Bayer(_))
        && options.size.is_some_and(|edge| edge as usize <= squares.out.0.max(squares.out.1));
    let grid = if halved { squares } else { whole };
    let rows = match sensor.layout {
        Layout::Bayer(_) if halved => Rows::Half(Box::new(Half::new(sensor, &levels, grid))),
        Layout::Bayer(_) => Rows::Bayer(Box::new(Bayer::new(sensor, &levels, grid, options.quality))),
        _ => Rows::Plain(Box::new(Plain::new(sensor, &levels, grid))),
    };
    let mut output = if planes { Output::ycc(&grid)? } else { Output::rgb(&grid)? };
    let gain = options.exposure_ev.exp2();
    let finish = Finish::new(&levels, &ready.camera, &ready.look, gain, sharpen(sensor, options), &mut output);
    let mut pass = Pass { rows, finish, grid };
    processor.run(&mut pass);
    Ok((output.picture, (grid.out.0 as u32, grid.out.1 as u32)))
}

fn sharpen(sensor: &Sensor, options: &DevelopOptions) -> Sharpen {
    // Noise grows with the root of the sensitivity.
    let iso = sensor.shot.iso.unwrap_or(100).clamp(100, 25_600) as f32;
    let threshold = THRESHOLD * (iso / 100.0).sqrt();
    Sharpen { amount: if options.sharpen { AMOUNT } else { 0 }, threshold: threshold as i16, most: MOST }
}

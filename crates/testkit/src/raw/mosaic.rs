//! What the photosites see of a scene, and what the sensor reads out of it.
//!
//! [`Mosaic`] is made once for a scene: for each place the light that comes through the filter there, after the
//! camera's own colours and the lamp's white balance. [`Exposure`] turns a row of it into levels with noise, once
//! for each frame; it is the inner loop of the card maker.

use super::grain::{Grain, UNIT_BITS, mix};
use super::sensor::{Filter, Geometry};
use super::tone;
use crate::format::canon::{BLACK, WHITE, WhiteBalance};
use crate::scene::Canvas;

/// From linear sRGB to the camera's red, green and blue, in 4096ths, white staying white. From the 5D Mark II's
/// colour matrix for D65 (4716 603 -830 / -7798 15474 2480 / -1496 1937 6651, in ten-thousandths).
const TO_CAMERA: [[i32; 3]; 3] = [[2015, 1977, 104], [47, 3263, 786], [-40, 868, 3268]];

/// The highest value of a mosaic.
const FULL: u32 = 16383;

/// The light at every photosite of a canvas, 0 to 16383.
#[derive(Debug, Default)]
pub(crate) struct Mosaic {
    width: usize,
    light: Vec<u16>,
}

impl Mosaic {
    /// Of this canvas, with the filters of a sensor whose picture's first photosite lies at an even place of it.
    pub(crate) fn of(canvas: &Canvas, sensor: &Geometry, white_balance: WhiteBalance, threads: usize) -> Self {
        let (width, height) = (canvas.width(), canvas.height());
        let mut light = vec![0; width * height];
        let rows = Rows::new(sensor, white_balance);
        let band = height.div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            for (index, part) in light.chunks_mut(band * width).enumerate() {
                let rows = &rows;
                scope.spawn(move || {
                    for (y, out) in part.chunks_mut(width).enumerate() {
                        let y = index * band + y;
                        rows.see(y, canvas.row(y), out);
                    }
                });
            }
        });
        Self { width, light }
    }

    /// `length` photosites from this place on; fewer where the canvas ends.
    fn row(&self, x: usize, y: usize, length: usize) -> &[u16] {
        let start = y * self.width + x;
        self.light.get(start..start + length).unwrap_or_default()
    }
}

/// What a filter lets through: shares of red, green and blue, white balance undone.
type Shares = [i32; 3];

/// The filters of even and odd rows.
struct Rows {
    filters: [[Shares; 2]; 2],
}

impl Rows {
    fn new(sensor: &Geometry, white_balance: WhiteBalance) -> Self {
        let [red, green, _, blue] = white_balance.0.map(|gain| i32::from(gain.max(1)));
        let (left, top) = sensor.origin();
        let filter = |column: u32, row: u32| {
            let (shares, gain) = match sensor.filter(left + column, top + row) {
                Filter::Red => (TO_CAMERA[0], red),
                Filter::Green => (TO_CAMERA[1], green),
                Filter::Blue => (TO_CAMERA[2], blue),
            };
            shares.map(|share| share * 1024 / gain)
        };
        Self { filters: [[filter(0, 0), filter(1, 0)], [filter(0, 1), filter(1, 1)]] }
    }

    // Indices are a remainder of 2 and a byte into 256 values.
    #[allow(clippy::indexing_slicing)]
    fn see(&self, y: usize, pixels: &[u8], out: &mut [u16]) {
        let light = tone::light_table();
        let [even, odd] = self.filters[y % 2];
        let through = |shares: &Shares, pixel: &[u8]| {
            let [r, g, b, ..] = *pixel else { return 0 };
            let [r, g, b] = [r, g, b].map(|value| i32::from(light[usize::from(value)]) >> 2);
            let sum = r * shares[0] + g * shares[1] + b * shares[2];
            (sum >> 12).clamp(0, FULL as i32) as u16
        };
        for (pair, pixels) in out.chunks_mut(2).zip(pixels.chunks(6)) {
            if let [first, rest @ ..] = pair {
                *first = through(&even, pixels);
                if let [second] = rest {
                    *second = through(&odd, pixels.get(3..).unwrap_or_default());
                }
            }
        }
    }
}

/// How one frame is exposed: what the light of a mosaic becomes.
#[derive(Debug)]
pub(crate) struct Exposure<'a> {
    sensor: &'a Geometry,
    mosaic: &'a Mosaic,
    grain: &'a Grain,
    /// Where on the canvas the picture's first pixel lies; both even.
    at: (usize, usize),
    seed: u64,
    /// By light / 4: the level, and how strong noise is there (in 16ths of a level).
    response: Vec<(u16, u16)>,
}

impl<'a> Exposure<'a> {
    /// `gain` in 256ths; the noise is that of `iso`.
    pub(crate) fn new(
        sensor: &'a Geometry,
        mosaic: &'a Mosaic,
        grain: &'a Grain,
        at: (usize, usize),
        frame: (u64, u32, u32),
    ) -> Self {
        let (seed, gain, iso) = frame;
        let range = u32::from(WHITE - BLACK);
        let (read, shot) = noise_of(iso);
        let response = (0..=FULL / 4)
            .map(|light| {
                let level = (u64::from(light * 4) * u64::from(gain) * u64::from(range) / (256 * u64::from(FULL)))
                    .min(u64::from(range)) as u32;
                // Variances add: that of reading, and that of counting photons. In 256ths, so that the root is 16ths.
                let variance = u64::from(read) * u64::from(read) * 256 + u64::from(level) * u64::from(shot);
                (level as u16, variance.isqrt() as u16)
            })
            .collect();
        Self { sensor, mosaic, grain, at, seed, response }
    }

    /// Fills `out` with the levels from this photosite on, along a row.
    pub(crate) fn read_out(&self, column: usize, row: usize, out: &mut [u16]) {
        let grain = self.grain.row(mix(self.seed ^ ((row as u64) << 16) ^ column as u64), out.len());
        let (lit_column, lit_row) = self.sensor.lit();
        let masked = if row < lit_row as usize { out.len() } else { (lit_column as usize).saturating_sub(column) };
        let masked = masked.min(out.len());
        let (dark, lit) = out.split_at_mut(masked);
        let (dark_grain, lit_grain) = grain.split_at(masked.min(grain.len()));
        let dark_noise = self.response.first().map_or(0, |response| response.1);
        for (out, grain) in dark.iter_mut().zip(dark_grain) {
            *out = level(0, dark_noise, *grain);
        }
        let (left, top) = self.sensor.origin();
        let x = (self.at.0 + column + masked).saturating_sub(left as usize);
        let y = (self.at.1 + row).saturating_sub(top as usize);
        let light = self.mosaic.row(x, y, lit.len());
        for ((out, light), grain) in lit.iter_mut().zip(light).zip(lit_grain) {
            let (signal, noise) = self.response.get(usize::from(*light >> 2)).copied().unwrap_or_default();
            *out = level(signal, noise, *grain);
        }
    }
}

/// A signal with noise of this strength (16ths) on top of black.
fn level(signal: u16, noise: u16, grain: i16) -> u16 {
    let noise = (i32::from(grain).wrapping_mul(i32::from(noise))) >> (UNIT_BITS + 4);
    (i32::from(BLACK) + i32::from(signal)).wrapping_add(noise).clamp(0, 15760) as u16
}

/// Noise of reading (levels), and how much variance (256ths) each level of signal brings.
///
/// A real sensor's noise doubles with two stops of ISO; here it grows by a twelfth a stop, so that the files stay near
/// the size they have at ISO 100.
fn noise_of(iso: u32) -> (u32, u32) {
    let stops = (iso / 100).max(1).ilog2();
    let (mut read, mut shot) = (6 * 16, 44 * 16);
    for _ in 0..stops {
        read += read / 6;
        shot += shot / 6;
    }
    (read / 16, shot / 16)
}

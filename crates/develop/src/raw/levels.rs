//! From samples to coded values: black, white, balance, and a square root.
//!
//! A coded value is `round(16384 * sqrt(linear + floor²))` in 16 bits, where `linear` is
//! 1.0 at the sensor's full level of the least amplified channel, and `floor` keeps the
//! noise around black from being cut (1/32; 1/16 above ISO 1600, where there is more).
//! On that scale noise is about even and equal ratios of light are about equal steps, so
//! interpolating differences of colours errs less than on linear values, and 15 bits hold
//! four times full white. Squaring gives linear light back.

use super::lanes::Encode;
use super::sensor::{Black, Sensor};

/// Coded value of linear one, without the floor.
pub(crate) const ONE: f32 = 16384.0;

/// How samples of one sensor become coded values.
#[derive(Debug, Clone)]
pub(crate) struct Levels {
    /// Multiplier of each colour: balance over the range from black to white.
    gain: [f32; 3],
    black: Black,
    /// `floor²` on the scale of `linear`.
    pub(crate) floor: f32,
    /// Coded value at which red, green and blue are full.
    pub(crate) full: [i16; 3],
}

impl Levels {
    /// For a sensor, with multipliers whose smallest is one.
    pub(crate) fn new(sensor: &Sensor, balance: [f32; 3]) -> Self {
        let root: f32 = if sensor.shot.iso.unwrap_or(100) > 1600 { 1.0 / 16.0 } else { 1.0 / 32.0 };
        let floor = root * root;
        let mean = sensor.black.values.iter().sum::<f32>() / sensor.black.values.len().max(1) as f32;
        let full = saturation(sensor);
        let range = std::array::from_fn::<f32, 3, _>(|c| (full.get(c).copied().unwrap_or(1.0) - mean).max(1.0));
        let gain =
            std::array::from_fn(|c| balance.get(c).copied().unwrap_or(1.0) / range.get(c).copied().unwrap_or(1.0));
        let code = |linear: f32| ((linear + floor).sqrt() * ONE).min(32767.0) as i16;
        Self { gain, black: sensor.black.clone(), floor, full: balance.map(code) }
    }

    /// Multiplier and offset of a sample at a place of the buffer.
    fn site(&self, x: usize, y: usize, colour: usize, channel: usize) -> (f32, f32) {
        let gain = self.gain.get(colour).copied().unwrap_or(1.0);
        let scale = gain * (ONE * ONE);
        (scale, self.floor * (ONE * ONE) - self.black.at(x, y, channel) * scale)
    }

    /// For a row of samples one a pixel, from a place of the buffer on.
    pub(crate) fn encode(&self, sensor: &Sensor, x: usize, y: usize) -> Encode {
        let site = |x: usize| self.site(x, y, sensor.layout.colour(x, y, 0), 0);
        let ((even, from_even), (odd, from_odd)) = (site(x), site(x.saturating_add(1)));
        Encode { scale: [even, odd], offset: [from_even, from_odd] }
    }

    /// One sample, the same way as [`Lanes::encode`](super::lanes::Lanes::encode).
    pub(crate) fn encode_one(&self, sensor: &Sensor, x: usize, y: usize, channel: usize, sample: u16) -> i16 {
        let (scale, offset) = self.site(x, y, sensor.layout.colour(x, y, channel), channel);
        super::lanes::root(sample, scale, offset)
    }
}

/// Makes the black level of a sensor one that repeats every two columns, by moving the samples.
pub(crate) fn level_columns(sensor: &mut Sensor) {
    if !sensor.black.varies_along_a_row() || sensor.layout.samples() != 1 {
        return;
    }
    let black = sensor.black.clone();
    let least = black.values.iter().copied().fold(f32::MAX, f32::min).clamp(0.0, 65535.0);
    for (y, row) in sensor.samples.chunks_exact_mut(sensor.width.max(1)).enumerate() {
        for (x, sample) in row.iter_mut().enumerate() {
            *sample = (f32::from(*sample) - black.at(x, y, 0) + least).clamp(0.0, 65535.0) as u16;
        }
    }
    sensor.black = Black { rows: 1, columns: 1, samples: 1, values: vec![least], by_row: vec![], by_column: vec![] };
}

/// The level at which each colour is full.
///
/// Cameras saturate below the level that is written down, more so at some sensitivities.
/// Where the brightest samples of the picture crowd at one value, that is the level:
/// otherwise clipped areas would keep a colour. One row in 32 is looked at.
fn saturation(sensor: &Sensor) -> [f32; 3] {
    let stated = sensor.white;
    if sensor.layout.samples() != 1 {
        return stated;
    }
    let mut histogram = vec![0_u32; 65536];
    let mut seen = 0_u64;
    let area = sensor.active;
    for y in (area.y..area.y.saturating_add(area.height)).step_by(31) {
        for sample in sensor.row(y).iter().skip(area.x).take(area.width) {
            if let Some(count) = histogram.get_mut(usize::from(*sample)) {
                *count = count.wrapping_add(1);
            }
        }
        seen = seen.saturating_add(area.width as u64);
    }
    let Some(most) = histogram.iter().rposition(|count| *count > 0) else { return stated };
    let least_white = stated.iter().copied().fold(f32::MAX, f32::min);
    if (most as f32) >= least_white || (most as f32) < least_white * 0.6 {
        return stated;
    }
    let count = |from: usize, to: usize| -> u64 {
        histogram.get(from..to.max(from)).unwrap_or_default().iter().map(|n| u64::from(*n)).sum()
    };
    let crowd = most - most / 200;
    let (top, below) = (count(crowd, most + 1), count(crowd - most / 50, crowd));
    if top >= seen / 5000 && top >= 32 && top > below.saturating_mul(2) {
        return [crowd as f32; 3];
    }
    stated
}

//! A small picture of what the sensor saw, and of what the camera made of it.
//!
//! Both on the same grid, so that each place gives a pair: mean linear camera colours, and
//! the camera's shown ones. Embedded pictures may have black bars, another shape than the
//! sensor's crop, or be upright already.

use crate::jpeg::{Decoded, Header, Limits as JpegLimits, Planes, Turbo, eighth};
use crate::raw::grid::Turn;
use crate::raw::sensor::{Embedded, Layout, Sensor};
use crate::resize::{Samples, Scaler};

/// Places along the longer side.
const EDGE: usize = 120;
/// Pixels of an embedded JPEG, at most: a camera's are as large as its sensor.
const MOST_PIXELS: u64 = 250_000_000;

/// One place of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// Linear balanced camera colours; 1.0 is the full level of the least amplified.
    pub(crate) camera: [f32; 3],
    /// Shown red, green, blue, 0 to 1.
    pub(crate) shown: [f32; 3],
    /// How much it counts: little where the place is not even.
    pub(crate) weight: f32,
}

/// The camera's picture, small: rows of shown colours.
#[derive(Debug, Clone)]
pub(crate) struct Small {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[f32; 3]>,
}

impl Small {
    /// From a JPEG or plain pixels inside the file.
    pub(crate) fn of(bytes: &[u8], embedded: &Embedded) -> Option<Self> {
        let bytes = bytes.get(embedded.range.clone())?;
        if !embedded.plain {
            return Self::of_jpeg(bytes);
        }
        let (width, height) = (u32::try_from(embedded.width).ok()?, u32::try_from(embedded.height).ok()?);
        let length = embedded.width.checked_mul(embedded.height)?.checked_mul(3)?;
        let samples = Samples { width, height, channels: 3, samples: bytes.get(..length)? };
        Self::of_rgb(samples)
    }

    /// From a JPEG.
    pub(crate) fn of_jpeg(jpeg: &[u8]) -> Option<Self> {
        let header = Header::parse(jpeg).ok()?;
        let limits = JpegLimits { pixels: MOST_PIXELS };
        limits.check(header.width, header.height).ok()?;
        let longer = header.width.max(header.height) as usize;
        if longer >= 8 * EDGE
            && let Ok(planes) = eighth(&header, limits)
        {
            return Self::of_planes(&planes);
        }
        let eighths = (8 * 2 * EDGE).div_ceil(longer.max(1)).clamp(1, 8) as u32;
        match Turbo::new().ok()?.decode(jpeg, eighths, limits).ok()? {
            Decoded::Planes(planes) => Self::of_planes(&planes),
            Decoded::Rgb(width, height, samples) => {
                Self::of_rgb(Samples { width, height, channels: 3, samples: &samples })
            }
        }
    }

    fn of_planes(planes: &Planes) -> Option<Self> {
        let (width, height) = fitting(planes.luma.covered.0, planes.luma.covered.1);
        let mut scaler = Scaler::default();
        let mut of = |plane: &crate::jpeg::Plane| {
            let source = Samples { width: plane.stride, height: plane.rows, channels: 1, samples: &plane.samples };
            scaler.resize(source, plane.covered, width as u32, height as u32).ok()
        };
        let luma = of(&planes.luma)?;
        let [blue, red] = match &planes.chroma {
            Some([blue, red]) => [of(blue)?, of(red)?],
            None => [vec![128; luma.len()], vec![128; luma.len()]],
        };
        let pixels = luma.iter().zip(blue).zip(red).map(|((y, b), r)| {
            let (y, b, r) = (f32::from(*y), f32::from(b) - 128.0, f32::from(r) - 128.0);
            [y + 1.402 * r, y - 0.344_14 * b - 0.714_14 * r, y + 1.772 * b].map(|v| (v / 255.0).clamp(0.0, 1.0))
        });
        Some(Self { width, height, pixels: pixels.collect() })
    }

    fn of_rgb(samples: Samples<'_>) -> Option<Self> {
        let covered = (f64::from(samples.width), f64::from(samples.height));
        let (width, height) = fitting(covered.0, covered.1);
        let bytes = Scaler::default().resize(samples, covered, width as u32, height as u32).ok()?;
        let pixels = bytes.as_chunks::<3>().0.iter().map(|rgb| rgb.map(|v| f32::from(v) / 255.0)).collect();
        Some(Self { width, height, pixels })
    }

    fn row(&self, y: usize) -> &[[f32; 3]] {
        self.pixels.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// Mean brightness of a rectangle.
    fn brightness(&self, xs: std::ops::Range<usize>, ys: std::ops::Range<usize>) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0_f32);
        for y in ys {
            for pixel in self.row(y).get(xs.clone()).unwrap_or_default() {
                sum += pixel.iter().sum::<f32>() / 3.0;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The part that shows something of the sensor's shape, and which part of the sensor's
    /// crop that is; as (x, y, width, height), the latter in parts of one.
    fn match_shape(&self, aspect: f32) -> ([usize; 4], [f32; 4]) {
        let (w, h) = (self.width as f32, self.height as f32);
        let own = w / h;
        if (own / aspect - 1.0).abs() < 0.02 {
            return ([0, 0, self.width, self.height], [0.0, 0.0, 1.0, 1.0]);
        }
        // Bars above and below, or left and right.
        let (width, height) = if own < aspect { (w, w / aspect) } else { (h * aspect, h) };
        let (left, top) = (((w - width) / 2.0).floor() as usize, ((h - height) / 2.0).floor() as usize);
        let bars = if top > left {
            self.brightness(0..self.width, 0..top.saturating_sub(1).max(1))
        } else {
            self.brightness(0..left.saturating_sub(1).max(1), 0..self.height)
        };
        if bars < 0.08 {
            // A pixel less on each side: the bar's edge is not sharp.
            let part = [left + 1, top + 1, (width as usize).saturating_sub(2), (height as usize).saturating_sub(2)];
            let cut = |v: f32, of: f32| v / of;
            let inside = [cut(1.0, width), cut(1.0, height), cut(width - 2.0, width), cut(height - 2.0, height)];
            return (part, inside);
        }
        // The camera cut its picture from the middle of the sensor's.
        let (across, down) = if own < aspect { (own / aspect, 1.0) } else { (1.0, aspect / own) };
        ([0, 0, self.width, self.height], [(1.0 - across) / 2.0, (1.0 - down) / 2.0, across, down])
    }
}

fn fitting(width: f64, height: f64) -> (usize, usize) {
    let scale = (EDGE as f64 / width.max(height).max(1.0)).min(1.0);
    (((width * scale) as usize).max(1), ((height * scale) as usize).max(1))
}

/// Pairs of a sensor and a small picture; `turned` says that the picture is upright already.
pub(crate) fn pairs(sensor: &Sensor, balance: [f32; 3], small: &Small, turned: bool) -> Vec<Pair> {
    let turn =
        if turned { Turn::new(sensor.orientation) } else { Turn { mirror_x: false, mirror_y: false, exchange: false } };
    let crop = sensor.crop;
    let aspect = crop.width as f32 / crop.height as f32;
    let (part, inside) = small.match_shape(if turn.exchange { 1.0 / aspect } else { aspect });
    let reader = Reader::new(sensor, balance);
    let mut pairs = Vec::with_capacity(part[2] * part[3]);
    for y in 0..part[3] {
        let row = small.row(part[1] + y);
        for x in 0..part[2] {
            let Some(shown) = row.get(part[0] + x) else { continue };
            // The place as part of the upright crop, then of the sensor's.
            let of = |at: usize, length: usize, from: f32, size: f32| {
                let step = size / length as f32;
                (from + at as f32 * step, from + (at + 1) as f32 * step)
            };
            let (u, v) = (of(x, part[2], inside[0], inside[2]), of(y, part[3], inside[1], inside[3]));
            let (u, v) = if turn.exchange { (v, u) } else { (u, v) };
            let mirrored = |(a, b): (f32, f32), mirror: bool| if mirror { (1.0 - b, 1.0 - a) } else { (a, b) };
            let (u, v) = (mirrored(u, turn.mirror_x), mirrored(v, turn.mirror_y));
            if let Some((camera, weight)) = reader.mean(u, v) {
                pairs.push(Pair { camera, shown: *shown, weight });
            }
        }
    }
    pairs
}

/// Reads mean colours of parts of the sensor.
struct Reader<'a> {
    sensor: &'a Sensor,
    gain: [f32; 3],
    black: f32,
    /// Side of the square that holds every colour.
    square: usize,
}

impl<'a> Reader<'a> {
    fn new(sensor: &'a Sensor, balance: [f32; 3]) -> Self {
        let black = sensor.black.values.iter().sum::<f32>() / sensor.black.values.len().max(1) as f32;
        let white = sensor.white;
        let gain = [0, 1, 2].map(|c: usize| {
            let of = |list: [f32; 3]| list.get(c).copied().unwrap_or(1.0);
            of(balance) / (of(white) - black).max(1.0)
        });
        let square = match sensor.layout {
            Layout::Bayer(_) => 2,
            Layout::XTrans(_) => 3,
            _ => 1,
        };
        Self { sensor, gain, black, square }
    }

    /// Mean colours of a part of the crop, and how even it is: from at most 16 squares.
    fn mean(&self, across: (f32, f32), down: (f32, f32)) -> Option<([f32; 3], f32)> {
        let crop = self.sensor.crop;
        let range = |(from, to): (f32, f32), length: usize| {
            let (from, to) = ((from * length as f32).max(0.0) as usize, (to * length as f32) as usize);
            let to = to.min(length);
            let count = (to.checked_sub(from)? / self.square).min(4);
            let step = ((to - from) / count.max(1)).max(1);
            Some((from, step, count.max(1)))
        };
        let (x0, x_step, x_count) = range(across, crop.width)?;
        let (y0, y_step, y_count) = range(down, crop.height)?;
        let (mut sum, mut squared, mut count) = ([0.0_f32; 3], 0.0_f32, 0.0_f32);
        for j in 0..y_count {
            for i in 0..x_count {
                let (x, y) = (x0 + i * x_step, y0 + j * y_step);
                let Some(colours) = self.square_at(crop.x + x, crop.y + y) else { continue };
                for (s, c) in sum.iter_mut().zip(colours) {
                    *s += c;
                }
                let grey = colours.iter().sum::<f32>() / 3.0;
                squared += grey * grey;
                count += 1.0;
            }
        }
        if count == 0.0 {
            return None;
        }
        let mean = sum.map(|v| v / count);
        let grey = mean.iter().sum::<f32>() / 3.0;
        let spread = (squared / count - grey * grey).max(0.0).sqrt() / (grey.abs() + 0.003);
        Some((mean, 1.0 / (1.0 + 25.0 * spread * spread)))
    }

    /// Colours of the square at a place of the buffer.
    fn square_at(&self, x: usize, y: usize) -> Option<[f32; 3]> {
        let depth = self.sensor.layout.samples();
        let (mut sum, mut count) = ([0.0_f32; 3], [0.0_f32; 3]);
        for down in 0..self.square {
            let row = self.sensor.row(y + down);
            for right in 0..self.square {
                for channel in 0..depth {
                    let sample = f32::from(*row.get((x + right) * depth + channel)?) - self.black;
                    let colour = self.sensor.layout.colour(x + right, y + down, channel);
                    if let (Some(s), Some(c), Some(gain)) =
                        (sum.get_mut(colour), count.get_mut(colour), self.gain.get(colour))
                    {
                        *s += sample * gain;
                        *c += 1.0;
                    }
                }
            }
        }
        if matches!(self.sensor.layout, Layout::Grey) {
            return Some([sum[1]; 3]);
        }
        let [r, g, b] = [0, 1, 2].map(|c: usize| {
            let of = |list: [f32; 3]| list.get(c).copied().unwrap_or(0.0);
            (of(count) > 0.0).then(|| of(sum) / of(count))
        });
        Some([r?, g?, b?])
    }
}

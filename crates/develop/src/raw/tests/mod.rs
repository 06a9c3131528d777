//! The renderer on mosaics whose truth the tests make, and on whole files of the test kit.

mod files;
mod mosaics;

use super::colour::IDENTITY;
use super::develop::{Ready, render};
use super::options::{DevelopOptions, ToneSource};
use super::output::Picture;
use super::sensor::{Area, Black, Layout, Sensor, Shot};
use super::simd::Processor;
use super::tone::Look;
use lightfast_model::Orientation;

/// Multipliers of the made camera.
const BALANCE: [f32; 3] = [2.0, 1.0, 1.5];
const BLACK: f32 = 512.0;
const WHITE: f32 = 15_000.0;
const RGGB: Layout = Layout::Bayer([[0, 1], [1, 2]]);
const GBRG: Layout = Layout::Bayer([[1, 2], [0, 1]]);
const XTRANS: Layout = Layout::XTrans([
    [1, 1, 0, 1, 1, 2],
    [1, 1, 2, 1, 1, 0],
    [2, 0, 1, 0, 2, 1],
    [1, 1, 2, 1, 1, 0],
    [1, 1, 0, 1, 1, 2],
    [0, 2, 1, 2, 0, 1],
]);

/// A sensor that saw a scene of linear, balanced colours from 0 to 1.
fn sensor(layout: Layout, width: usize, height: usize, scene: impl Fn(usize, usize) -> [f32; 3]) -> Sensor {
    let depth = layout.samples();
    let mut samples = Vec::with_capacity(width * height * depth);
    for y in 0..height {
        for x in 0..width {
            let seen = scene(x, y);
            for channel in 0..depth {
                let colour = layout.colour(x, y, channel);
                let light = (seen[colour] / BALANCE[colour]).min(1.0);
                samples.push((BLACK + light * (WHITE - BLACK)).round().clamp(0.0, 65535.0) as u16);
            }
        }
    }
    let whole = Area { x: 0, y: 0, width, height };
    Sensor {
        samples,
        width,
        layout,
        active: whole,
        crop: whole,
        black: Black { rows: 1, columns: 1, samples: 1, values: vec![BLACK], by_row: vec![], by_column: vec![] },
        white: [WHITE; 3],
        as_shot: Some(BALANCE),
        is_balanced: false,
        from_xyz: None,
        orientation: Orientation::UPRIGHT,
        embedded: vec![],
        shot: Shot::default(),
    }
}

/// Options that change nothing after the interpolation.
fn plain() -> DevelopOptions {
    DevelopOptions { sharpen: false, ..DevelopOptions::default() }
}

fn ready(sensor: Sensor) -> Ready {
    Ready { sensor, balance: BALANCE, camera: IDENTITY, look: Look::linear(), tone: ToneSource::Linear }
}

/// Rendered as RGB: pixels and width.
fn rgb(sensor: &Sensor, options: &DevelopOptions, processor: Processor) -> (Vec<[u8; 3]>, usize) {
    let (picture, (width, _)) = render(&ready(sensor.clone()), options, processor, false).unwrap();
    let Picture::Rgb(plane) = picture else { panic!("no pixels") };
    (plane.bytes.as_chunks::<3>().0.to_vec(), width as usize)
}

/// Numbers that repeat for the same seed, 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }
}

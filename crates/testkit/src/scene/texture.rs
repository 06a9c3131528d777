//! Noise that looks like clouds, rock, water or grass, depending on how it is stretched.

use std::sync::OnceLock;

use crate::raw::grain::{Random, mix};

/// The tile's side; it repeats without a seam.
const SIDE_BITS: u32 = 9;
const SIDE: usize = 1 << SIDE_BITS;

/// Fractal noise, 0 to 65535, the mean near 32768.
#[derive(Debug)]
pub(crate) struct Texture {
    tile: Vec<u16>,
}

impl Texture {
    /// The one tile that all scenes use, each at places of its own.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Texture> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut sums = vec![0u32; SIDE * SIDE];
        let mut random = Random::new(0x74_6578_7475_7265);
        for octave in 0..6 {
            let cells = 4usize << octave;
            let step = SIDE / cells;
            let knots: Vec<i32> = (0..cells * cells).map(|_| (random.next() >> 48) as i32).collect();
            let knot = |x: usize, y: usize| knots.get(y % cells * cells + x % cells).copied().unwrap_or(0);
            for (y, row) in sums.chunks_exact_mut(SIDE).enumerate() {
                let (cell_y, down) = (y / step, smooth((y % step) as i32 * 256 / step as i32));
                for (x, sum) in row.iter_mut().enumerate() {
                    let (cell_x, across) = (x / step, smooth((x % step) as i32 * 256 / step as i32));
                    let top = between(knot(cell_x, cell_y), knot(cell_x + 1, cell_y), across);
                    let bottom = between(knot(cell_x, cell_y + 1), knot(cell_x + 1, cell_y + 1), across);
                    *sum += between(top, bottom, down) as u32 * (32 >> octave);
                }
            }
        }
        Self { tile: sums.into_iter().map(|sum| (sum / 63) as u16).collect() }
    }

    /// At a place in 65536ths of the tile's pixels.
    #[inline]
    pub(crate) fn at(&self, x: i64, y: i64) -> i32 {
        let mask = SIDE - 1;
        let (column, row) = ((x >> 16) as usize & mask, (y >> 16) as usize & mask);
        let (across, down) = ((x & 0xffff) as i32 >> 8, (y & 0xffff) as i32 >> 8);
        let value = |column: usize, row: usize| {
            let index = ((row & mask) << SIDE_BITS) | (column & mask);
            i32::from(self.tile.get(index).copied().unwrap_or(0))
        };
        let top = between(value(column, row), value(column + 1, row), across);
        let bottom = between(value(column, row + 1), value(column + 1, row + 1), across);
        between(top, bottom, down)
    }
}

/// From `a` to `b` in 256 steps.
#[inline]
fn between(a: i32, b: i32, step: i32) -> i32 {
    a + (((b - a) * step) >> 8)
}

/// Slow at both ends.
fn smooth(step: i32) -> i32 {
    (step * step * (768 - 2 * step)) >> 16
}

/// Noise along a line: `x` in 65536ths of the widest bump; 0 to 65535. Each octave adds bumps half as wide and high.
pub(crate) fn along(seed: u64, x: i64, octaves: u32) -> i32 {
    let (mut sum, mut whole) = (0i64, 0i64);
    for octave in 0..octaves {
        let x = x << octave;
        let knot = |at: i64| (mix(seed ^ ((u64::from(octave)) << 40) ^ at as u64) >> 48) as i32;
        let value = between(knot(x >> 16), knot((x >> 16) + 1), smooth((x & 0xffff) as i32 >> 8));
        sum += i64::from(value) << (octaves - octave);
        whole += 1 << (octaves - octave);
    }
    (sum / whole.max(1)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tile_repeats_without_a_seam_and_uses_its_range() {
        let texture = Texture::shared();
        let side = (SIDE as i64) << 16;
        assert_eq!(texture.at(5 << 16, 7 << 16), texture.at((5 << 16) + side, (7 << 16) - side));
        let seam = texture.at(side - 1, 0) - texture.at(0, 0);
        assert!(seam.abs() < 3000, "{seam}");
        let values: Vec<i32> = (0..4096).map(|i| texture.at((i * 77) << 16, (i * 131) << 16)).collect();
        let (low, high) = (values.iter().min().unwrap(), values.iter().max().unwrap());
        assert!(*low < 20_000 && *high > 45_000, "{low} {high}");
    }
}

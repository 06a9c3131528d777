//! Colours, and the part of a picture that one thread paints.

use crate::raw::grain::{Grain, mix};

/// Red, green, blue in 256ths of a level.
pub(crate) type Colour = [i32; 3];

/// A colour as web pages write it.
pub(crate) const fn hex(rgb: u32) -> Colour {
    [((rgb >> 16) as i32 & 255) << 8, ((rgb >> 8) as i32 & 255) << 8, (rgb as i32 & 255) << 8]
}

/// From one colour to another in 256 steps.
#[inline]
pub(crate) fn blend(a: Colour, b: Colour, step: i32) -> Colour {
    let one = |a: i32, b: i32| a + (((b - a) * step) >> 8);
    let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
    [one(a0, b0), one(a1, b1), one(a2, b2)]
}

/// Lighter or darker, in 256ths.
#[inline]
pub(crate) fn lit(colour: Colour, amount: i32) -> Colour {
    colour.map(|value| (value * amount) >> 8)
}

/// A colour between those of a palette; `at` is 0 to 1000, and so are the places of the palette, in order.
pub(crate) fn graded(palette: &[(i32, Colour)], at: i32) -> Colour {
    let above = palette.partition_point(|(place, _)| *place <= at);
    match (above.checked_sub(1).and_then(|below| palette.get(below)), palette.get(above)) {
        (Some((low, a)), Some((high, b))) => blend(*a, *b, (at - low) * 256 / (high - low).max(1)),
        (Some((_, only)), None) | (None, Some((_, only))) => *only,
        (None, None) => [0; 3],
    }
}

/// The square root, to a whole number. (IEEE 754 defines the floating-point root to the last bit, so this is the same
/// on any machine, unlike powers and logarithms.)
#[inline]
pub(crate) fn root(value: i64) -> i32 {
    (value.max(0) as f64).sqrt() as i32
}

/// The sine of an angle in degrees, in 4096ths (Bhaskara's approximation, good to 0.2%).
pub(crate) fn sine(degrees: i32) -> i32 {
    let degrees = degrees.rem_euclid(360);
    let half = i64::from(degrees % 180);
    let product = half * (180 - half);
    let value = (4 * product * 4096 / (40_500 - product)) as i32;
    if degrees < 180 { value } else { -value }
}

/// Some whole rows of a picture.
#[derive(Debug)]
pub(crate) struct Band<'a> {
    /// The first row.
    pub(crate) top: i32,
    /// The whole picture's size.
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) pixels: &'a mut [u8],
    pub(crate) grain: &'a Grain,
    /// A thousandth of the shorter side, in 256ths of a pixel.
    pub(crate) unit: i64,
    pub(crate) seed: u64,
}

impl Band<'_> {
    /// So many thousandths of the shorter side in pixels.
    pub(crate) fn px(&self, thousandths: i32) -> i32 {
        ((i64::from(thousandths) * self.unit) >> 8) as i32
    }

    /// How far a texture moves with each pixel so that `thousandths` of the shorter side show one pixel of its tile;
    /// in 65536ths.
    pub(crate) fn pace(&self, thousandths: i64) -> i64 {
        (256 << 16) / (thousandths * self.unit).max(1)
    }

    /// Rows with their number.
    pub(crate) fn rows(&mut self) -> impl Iterator<Item = (i32, Row<'_>)> {
        let (top, seed, grain) = (self.top, self.seed, self.grain);
        let length = self.width.max(1) as usize * 3;
        self.pixels.chunks_exact_mut(length).enumerate().map(move |(index, pixels)| {
            let y = top + index as i32;
            let dither = grain.row(mix(seed ^ (y as u64) << 20), length / 3);
            (y, Row { pixels, dither })
        })
    }

    /// The rows from `first` to `last`, the last not included.
    pub(crate) fn rows_between(&mut self, first: i32, last: i32) -> impl Iterator<Item = (i32, Row<'_>)> {
        let from = (first - self.top).max(0) as usize;
        let count = (last - self.top.max(first)).max(0) as usize;
        self.rows().skip(from).take(count)
    }
}

/// A row of pixels that is being painted.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pixels: &'a mut [u8],
    /// A little noise, so that slow gradients show no steps.
    dither: &'a [i16],
}

impl Row<'_> {
    /// Paints every pixel: `colour` tells by column.
    pub(crate) fn fill(&mut self, mut colour: impl FnMut(i32) -> Colour) {
        for ((x, pixel), dither) in self.pixels.chunks_exact_mut(3).enumerate().zip(self.dither) {
            set(pixel, colour(x as i32), *dither);
        }
    }

    /// Paints from column `first` to `last` (not included): `colour` tells the colour and how much of it, 0 to 256, by
    /// column.
    pub(crate) fn cover(&mut self, first: i32, last: i32, mut colour: impl FnMut(i32) -> (Colour, i32)) {
        let from = first.max(0) as usize;
        let count = (last - first.max(0)).max(0) as usize;
        let pixels = self.pixels.chunks_exact_mut(3).enumerate().skip(from).take(count);
        for ((x, pixel), dither) in pixels.zip(self.dither.iter().skip(from)) {
            let (colour, amount) = colour(x as i32);
            match amount {
                ..=0 => {}
                256.. => set(pixel, colour, *dither),
                _ => set(pixel, blend(get(pixel), colour, amount), *dither / 2),
            }
        }
    }
}

#[inline]
fn get(pixel: &[u8]) -> Colour {
    match pixel {
        [r, g, b, ..] => [i32::from(*r) << 8, i32::from(*g) << 8, i32::from(*b) << 8],
        _ => [0; 3],
    }
}

#[inline]
fn set(pixel: &mut [u8], colour: Colour, dither: i16) {
    for (out, value) in pixel.iter_mut().zip(colour) {
        *out = ((value + i32::from(dither) + 128).clamp(0, 65535) >> 8) as u8;
    }
}

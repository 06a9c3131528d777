//! Tone: how linear light becomes what is shown.
//!
//! A [`Look`] is a small correction of colours and one curve a channel. It comes from the
//! JPEG that the camera put into the same file (`fit`), from the line of its maker
//! (`maker`), or it is the sRGB curve alone. Applying it is a table.

mod choose;
pub(crate) mod fit;
pub(crate) mod maker;
pub(crate) mod small;

pub(crate) use choose::{choose, own};

use super::colour::{IDENTITY, Matrix, srgb_encode};
use super::lanes::{INDEX_COUNT, INDEX_LOW, INDEX_SHIFT};

/// Number of points of a curve, less one.
pub(crate) const STEPS: usize = 64;
/// Entries of a table: a power of two, so that an index can be masked instead of checked.
pub(crate) const TABLE: usize = 4096;

/// A rising curve from linear 0 to 1 to shown 0 to 1: its heights at the squares of
/// `0/64, 1/64, …, 64/64`, straight between them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve(pub(crate) [f32; STEPS + 1]);

impl Curve {
    /// The sRGB curve.
    pub(crate) fn srgb() -> Self {
        Self(std::array::from_fn(|k| srgb_encode((k as f32 / STEPS as f32).powi(2))))
    }

    /// The mean of three.
    pub(crate) fn mean(of: [&Self; 3]) -> Self {
        Self(std::array::from_fn(|k| of.iter().filter_map(|curve| curve.0.get(k)).sum::<f32>() / 3.0))
    }

    /// The height at a linear value.
    pub(crate) fn at(&self, linear: f32) -> f32 {
        let place = linear.clamp(0.0, 1.0).sqrt() * STEPS as f32;
        let step = (place as usize).min(STEPS - 1);
        let of = |k: usize| self.0.get(k).copied().unwrap_or(1.0);
        let (from, to) = (of(step), of(step + 1));
        from + (to - from) * (place - step as f32)
    }

    /// The linear value at a height.
    pub(crate) fn inverse(&self, shown: f32) -> f32 {
        let step = self.0.partition_point(|h| *h < shown).clamp(1, STEPS) - 1;
        let of = |k: usize| self.0.get(k).copied().unwrap_or(1.0);
        let (from, to) = (of(step), of(step + 1));
        let part = if to > from { ((shown - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        ((step as f32 + part) / STEPS as f32).powi(2)
    }
}

/// What is done to linear sRGB to show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Look {
    /// A correction of colours, in linear light.
    pub(crate) mix: Matrix,
    /// Curves of red, green, blue.
    pub(crate) curves: [Curve; 3],
}

impl Look {
    /// The sRGB curve alone.
    pub(crate) fn linear() -> Self {
        Self { mix: IDENTITY, curves: [Curve::srgb(), Curve::srgb(), Curve::srgb()] }
    }
}

/// A curve as a table over [`index_of`](super::lanes::index_of), in 255ths with 6 bits of fraction.
pub(crate) fn table(curve: &Curve) -> Box<[i16; TABLE]> {
    let mut table = Box::new([255 << 6; TABLE]);
    let base = INDEX_LOW.to_bits() >> INDEX_SHIFT;
    for (index, entry) in (0_u32..).zip(table.iter_mut().take(INDEX_COUNT)) {
        // The middle of the values that share the index.
        let bits = ((base + index) << INDEX_SHIFT) + (1 << (INDEX_SHIFT - 1));
        *entry = (curve.at(linear_of(f32::from_bits(bits))) * (255.0 * 64.0)).round().clamp(0.0, 255.0 * 64.0) as i16;
    }
    table
}

/// The linear value that [`to_index_scale`] takes to `value`.
fn linear_of(value: f32) -> f32 {
    value * (1.0 + INDEX_LOW) - INDEX_LOW
}

/// Multiplier and constant that take linear 0 to 1 to the range that indices tell apart.
pub(crate) fn to_index_scale() -> (f32, f32) {
    (1.0 / (1.0 + INDEX_LOW), INDEX_LOW / (1.0 + INDEX_LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::lanes::index_of;

    #[test]
    fn a_table_is_its_curve_within_a_quarter_of_a_level() {
        let curve = Curve::srgb();
        let table = table(&curve);
        let (scale, constant) = to_index_scale();
        for i in 0..=20_000 {
            let linear = i as f32 / 20_000.0;
            let shown = f32::from(table[index_of(linear * scale + constant) as usize]) / 64.0;
            assert!((shown - 255.0 * curve.at(linear)).abs() < 0.25, "{linear}: {shown}");
        }
    }

    #[test]
    fn the_curve_is_near_srgb_and_has_an_inverse() {
        let curve = Curve::srgb();
        for i in 0..=1000 {
            let linear = i as f32 / 1000.0;
            assert!((curve.at(linear) - srgb_encode(linear)).abs() < 0.002);
            assert!((curve.inverse(curve.at(linear)) - linear).abs() < 1e-4);
        }
    }
}

//! The few operations the renderer's kernels are written in, once, for every processor.
//!
//! A [`Lanes`] value is one register of 16-bit integers. Kernels are generic over
//! it; [`Portable`] is plain Rust arrays, which compilers turn into whatever the
//! processor has, and `simd` holds the hand-picked instructions. Every operation is
//! defined exactly (saturation, rounding, order of the floating-point steps), so all
//! paths give the same pixels: what differs is how many lanes go at once.
//! Nothing here knows what a picture is.

/// Multiplier and offset that turn the samples of a row into coded values, for the
/// even and the odd columns: `coded = round(sqrt(max(sample * scale + offset, 0)))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Encode {
    pub(crate) scale: [f32; 2],
    pub(crate) offset: [f32; 2],
}

/// Three rows of `[from red, from green, from blue, constant]` that mix the squares of
/// coded values into linear output channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mix(pub(crate) [[f32; 4]; 3]);

/// Smallest value that [`Lanes::index`] tells apart; see [`index_of`].
pub(crate) const INDEX_LOW: f32 = 1.0 / 1024.0;
/// Just below 1.0, the largest value that [`Lanes::index`] tells apart.
pub(crate) const INDEX_HIGH: f32 = 1.0 - 1.0 / 16_777_216.0;
/// Bits of a float below the part that [`Lanes::index`] keeps: 8 bits of mantissa stay.
pub(crate) const INDEX_SHIFT: u32 = 15;
/// Number of indices that [`Lanes::index`] can return: ten octaves of 256 steps.
pub(crate) const INDEX_COUNT: usize = 2560;

/// The index of a linear value: `floor` of its position on a scale that is logarithmic
/// with 256 equal steps within each octave, clamped to `INDEX_LOW..=INDEX_HIGH`.
#[inline(always)]
pub(crate) fn index_of(value: f32) -> i16 {
    let low = if value > INDEX_LOW { value } else { INDEX_LOW };
    let both = if low < INDEX_HIGH { low } else { INDEX_HIGH };
    let base = INDEX_LOW.to_bits() >> INDEX_SHIFT;
    (both.to_bits() >> INDEX_SHIFT).wrapping_sub(base) as i16
}

/// One register of signed 16-bit lanes.
///
/// `load` and `store` outside of the slice read zero and write nothing, so that no
/// geometry can reach foreign memory; kernels never rely on it.
pub(crate) trait Lanes: Copy + Sized {
    /// How many lanes.
    const N: usize;
    /// The same value in every lane.
    fn splat(value: i16) -> Self;
    /// Lanes `at..at + N` of a row.
    fn load(row: &[i16], at: usize) -> Self;
    /// Writes lanes to `at..at + N` of a row.
    fn store(self, row: &mut [i16], at: usize);
    /// Saturating sum.
    fn add(self, other: Self) -> Self;
    /// Saturating difference.
    fn sub(self, other: Self) -> Self;
    /// The smaller of each.
    fn min(self, other: Self) -> Self;
    /// The larger of each.
    fn max(self, other: Self) -> Self;
    /// `(a + b + 1) / 2` of values that are not negative.
    fn mean(self, other: Self) -> Self;
    /// `(a * b + 16384) >> 15`: product with a weight where 32768 would be one.
    fn scaled(self, weight: Self) -> Self;
    /// Arithmetic shift to the right.
    fn shr<const BITS: i32>(self) -> Self;
    /// Shift to the left; bits that leave are lost.
    fn shl<const BITS: i32>(self) -> Self;
    /// All ones where `self > other`, else zero.
    fn above(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Whether any lane is not zero.
    fn any(self) -> bool;
    /// `a / (a + b)` as a weight (32767 is one), for values that are positive.
    fn share(self, other: Self) -> Self;
    /// `a² / (a² + b²)` as a weight, for values that are positive.
    fn share_squared(self, other: Self) -> Self;
    /// Coded values of `2 * N` samples from `at`: those of even places, those of odd.
    fn encode(samples: &[u16], at: usize, by: &Encode) -> (Self, Self);
    /// Indices ([`index_of`]) of the three mixed channels of coded red, green, blue.
    fn index(red: Self, green: Self, blue: Self, by: &Mix) -> [Self; 3];
    /// Writes `2 * N` bytes from `at`: values with 6 bits of fraction, rounded and
    /// clamped, `even` at even places.
    fn store_bytes_woven(even: Self, odd: Self, row: &mut [u8], at: usize);
    /// Writes `N` bytes from `at`: values with 6 bits of fraction, rounded and clamped.
    fn store_bytes(self, row: &mut [u8], at: usize);

    /// Magnitude, at most 32767.
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.max(Self::splat(0).sub(self))
    }
    /// Halfway between two values of any sign (rounded towards the first).
    #[inline(always)]
    fn halfway(self, other: Self) -> Self {
        self.add(other.sub(self).shr::<1>())
    }
    /// Magnitude of the saturated difference.
    #[inline(always)]
    fn gap(self, other: Self) -> Self {
        self.sub(other).magnitude()
    }
    /// `self` where the weight is 0, `other` where it is one, between them in between.
    #[inline(always)]
    fn towards(self, other: Self, weight: Self) -> Self {
        self.add(other.sub(self).scaled(weight))
    }
    /// Clamped to what a coded value can be.
    #[inline(always)]
    fn not_negative(self) -> Self {
        self.max(Self::splat(0))
    }
}

/// Lanes in plain Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Portable([i16; 16]);

/// Applies a function to each pair of lanes.
#[inline(always)]
fn pairwise(a: Portable, b: Portable, f: impl Fn(i16, i16) -> i16) -> Portable {
    let mut out = a;
    for (x, y) in out.0.iter_mut().zip(b.0) {
        *x = f(*x, y);
    }
    out
}

#[inline(always)]
pub(crate) fn root(sample: u16, scale: f32, offset: f32) -> i16 {
    let value = f32::from(sample) * scale + offset;
    let value = if value > 0.0 { value } else { 0.0 };
    (value.sqrt().round_ties_even() as i32).min(32767) as i16
}

#[inline(always)]
pub(crate) fn byte(value: i16) -> u8 {
    (value.saturating_add(32) >> 6).clamp(0, 255) as u8
}

impl Lanes for Portable {
    const N: usize = 16;
    #[inline(always)]
    fn splat(value: i16) -> Self {
        Self([value; 16])
    }
    #[inline(always)]
    fn load(row: &[i16], at: usize) -> Self {
        row.get(at..).and_then(|rest| rest.first_chunk()).map_or(Self([0; 16]), |lanes| Self(*lanes))
    }
    #[inline(always)]
    fn store(self, row: &mut [i16], at: usize) {
        if let Some(lanes) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            *lanes = self.0;
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        pairwise(self, other, i16::saturating_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        pairwise(self, other, i16::saturating_sub)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        pairwise(self, other, Ord::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        pairwise(self, other, Ord::max)
    }
    #[inline(always)]
    fn mean(self, other: Self) -> Self {
        pairwise(self, other, |a, b| {
            ((u32::from(a as u16).wrapping_add(u32::from(b as u16)).wrapping_add(1)) >> 1) as i16
        })
    }
    #[inline(always)]
    fn scaled(self, weight: Self) -> Self {
        pairwise(self, weight, |a, b| (i32::from(a).wrapping_mul(i32::from(b)).wrapping_add(16384) >> 15) as i16)
    }
    #[inline(always)]
    fn shr<const BITS: i32>(self) -> Self {
        Self(self.0.map(|v| v >> BITS))
    }
    #[inline(always)]
    fn shl<const BITS: i32>(self) -> Self {
        Self(self.0.map(|v| v << BITS))
    }
    #[inline(always)]
    fn above(self, other: Self) -> Self {
        pairwise(self, other, |a, b| if a > b { -1 } else { 0 })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        pairwise(self, other, |a, b| a | b)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, v| all | v) != 0
    }
    #[inline(always)]
    fn share(self, other: Self) -> Self {
        pairwise(self, other, |a, b| {
            let (a, b) = (f32::from(a), f32::from(b));
            ((a / (a + b)) * 32767.0) as i32 as i16
        })
    }
    #[inline(always)]
    fn share_squared(self, other: Self) -> Self {
        pairwise(self, other, |a, b| {
            let (a, b) = (f32::from(a) * f32::from(a), f32::from(b) * f32::from(b));
            ((a / (a + b)) * 32767.0) as i32 as i16
        })
    }
    #[inline(always)]
    fn encode(samples: &[u16], at: usize, by: &Encode) -> (Self, Self) {
        let Some(samples) = samples.get(at..).and_then(|rest| rest.first_chunk::<32>()) else {
            return (Self([0; 16]), Self([0; 16]));
        };
        let (mut even, mut odd) = ([0; 16], [0; 16]);
        for ((pair, e), o) in samples.as_chunks::<2>().0.iter().zip(&mut even).zip(&mut odd) {
            *e = root(pair[0], by.scale[0], by.offset[0]);
            *o = root(pair[1], by.scale[1], by.offset[1]);
        }
        (Self(even), Self(odd))
    }
    #[inline(always)]
    fn index(red: Self, green: Self, blue: Self, by: &Mix) -> [Self; 3] {
        by.0.map(|[of_red, of_green, of_blue, constant]| {
            let mut out = [0; 16];
            for (((o, r), g), b) in out.iter_mut().zip(red.0).zip(green.0).zip(blue.0) {
                let (r, g, b) = (f32::from(r), f32::from(g), f32::from(b));
                *o = index_of((r * r) * of_red + (g * g) * of_green + (b * b) * of_blue + constant);
            }
            Self(out)
        })
    }
    #[inline(always)]
    fn store_bytes_woven(even: Self, odd: Self, row: &mut [u8], at: usize) {
        if let Some(bytes) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<32>()) {
            for ((pair, e), o) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(even.0).zip(odd.0) {
                *pair = [byte(e), byte(o)];
            }
        }
    }
    #[inline(always)]
    fn store_bytes(self, row: &mut [u8], at: usize) {
        if let Some(bytes) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<16>()) {
            *bytes = self.0.map(byte);
        }
    }
}

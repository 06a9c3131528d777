//! Noise, from a table of normally distributed numbers.
//!
//! Drawing a fresh number for each of 22 million photosites would take longer than all the rest; a long table
//! that every row enters at another place looks the same.

/// Numbers in the table that a row may start at.
const STARTS: usize = 1 << 16;
/// The longest row that can be read from any start.
const LONGEST: usize = 1 << 13;
/// The table's standard deviation.
pub(crate) const UNIT_BITS: u32 = 8;

/// A table of noise with a mean of 0 and a standard deviation of 256.
#[derive(Debug)]
pub(crate) struct Grain {
    table: Vec<i16>,
}

impl Grain {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(0x67_7261_696e);
        // The sum of twelve numbers of 0 to 255 has a variance of 12 * (256^2 - 1) / 12.
        let mut one = || {
            let (a, b) = (random.next(), random.next());
            let bytes = a.to_le_bytes().into_iter().chain(b.to_le_bytes().into_iter().take(4));
            bytes.map(i16::from).sum::<i16>() - 12 * 255 / 2
        };
        let mut table: Vec<i16> = (0..STARTS).map(|_| one()).collect();
        table.extend_from_within(..LONGEST);
        Self { table }
    }

    /// At least `length` numbers for one row.
    pub(crate) fn row(&self, start: u64, length: usize) -> &[i16] {
        let start = start as usize % STARTS;
        self.table.get(start..start + length.min(LONGEST)).unwrap_or_default()
    }
}

/// A small generator of pseudo-random numbers (splitmix64): the same numbers on any machine, for ever.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// 0 to `below` - 1; 0 if `below` is 0.
    pub(crate) fn below(&mut self, below: u32) -> u32 {
        ((self.next() >> 32).wrapping_mul(u64::from(below)) >> 32) as u32
    }

    /// One of these; the first where there is none other.
    pub(crate) fn pick<T: Copy>(&mut self, first: T, others: &[T]) -> T {
        let index = self.below(others.len() as u32 + 1) as usize;
        others.get(index).copied().unwrap_or(first)
    }

    /// `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as u32) as i32
    }
}

/// Scrambles a number: near inputs give outputs that have nothing in common.
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_deviation_it_promises() {
        let grain = Grain::new();
        let values = grain.row(0, STARTS);
        let values: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 5.0, "{mean}");
        assert!((variance.sqrt() - 256.0).abs() < 5.0, "{}", variance.sqrt());
    }

    #[test]
    fn a_row_may_begin_anywhere() {
        let grain = Grain::new();
        assert_eq!(grain.row(u64::MAX, 5792).len(), 5792);
    }
}

//! Lossless JPEG (ITU-T T.81, annex H) as Canon uses it: four components, predictor 1, 14 bits.
//!
//! The photosites come row by row of each slice; the coded lines are as long as the sensor is wide and take them
//! in that order. One pass; the Huffman table is made beforehand from a sample of what is to come.

use super::sensor::Geometry;

/// Differences need 0 to 14 bits, and the code of 15 is never used.
const CATEGORIES: usize = 16;
/// The longest code that a table of JPEG may have.
const LONGEST: usize = 16;
/// What precedes the first photosite of each component.
const MIDDLE: u16 = 1 << 13;

/// A Huffman table for the number of bits of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// Codes by category.
    codes: [(u32, u32); CATEGORIES],
    /// How many codes there are of each length from 1 on.
    counts: [u8; LONGEST],
    /// Categories, shortest code first.
    order: Vec<u8>,
}

impl Table {
    /// The best table for these frequencies of the categories.
    pub(crate) fn new(frequencies: &[u64; CATEGORIES]) -> Self {
        let lengths = code_lengths(frequencies);
        let mut order: Vec<u8> = (0..CATEGORIES as u8 - 1).collect();
        let length_of = |category: u8| lengths.get(usize::from(category)).copied().unwrap_or(LONGEST as u8);
        order.sort_by_key(|&category| (length_of(category), category));
        let mut codes = [(0, 0); CATEGORIES];
        let mut counts = [0; LONGEST];
        let (mut code, mut length) = (0u32, 0u8);
        for &category in &order {
            let next = length_of(category);
            code <<= next - length;
            length = next;
            if let Some(place) = codes.get_mut(usize::from(category)) {
                *place = (code, u32::from(length));
            }
            if let Some(count) = counts.get_mut(usize::from(length) - 1) {
                *count += 1;
            }
            code += 1;
        }
        Self { codes, counts, order }
    }

    /// The segment that defines it, twice: for even and odd components.
    fn segment(&self, out: &mut Vec<u8>) {
        out.extend([0xff, 0xc4]);
        let one = 1 + self.counts.len() + self.order.len();
        out.extend((2 + 2 * one as u16).to_be_bytes());
        for id in [0, 1] {
            out.push(id);
            out.extend(self.counts);
            out.extend(&self.order);
        }
    }
}

/// Lengths of a Huffman code for categories 0 to 14, in which no code is all ones (JPEG forbids it) and none is longer
/// than 16 bits.
fn code_lengths(frequencies: &[u64; CATEGORIES]) -> [u8; CATEGORIES] {
    // Every category may occur, if only once; a seventeenth member stands for the code of all ones.
    let mut groups: Vec<(u64, Vec<usize>)> =
        frequencies.iter().take(CATEGORIES - 1).enumerate().map(|(c, &f)| (f.max(1), vec![c])).collect();
    groups.push((0, vec![CATEGORIES - 1]));
    let mut lengths = [0u8; CATEGORIES];
    while groups.len() > 1 {
        // The two rarest, by first member where they are as rare, become one.
        groups.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
        let (Some(rarest), Some(next)) = (groups.pop(), groups.pop()) else { break };
        let members: Vec<usize> = rarest.1.into_iter().chain(next.1).collect();
        for &member in &members {
            if let Some(length) = lengths.get_mut(member) {
                *length += 1;
            }
        }
        groups.push((rarest.0 + next.0, members));
    }
    lengths
}

/// Compresses a sensor's photosites. `read_out(column, row, out)` gives the levels along a row from a column on.
pub(crate) fn compress(sensor: &Geometry, mut read_out: impl FnMut(usize, usize, &mut [u16])) -> Vec<u8> {
    let table = Table::new(&sampled(sensor, &mut read_out));
    let mut out = Vec::with_capacity(sensor.width as usize * sensor.height as usize * 5 / 4 + 4096);
    out.extend([0xff, 0xd8]);
    table.segment(&mut out);
    out.extend([0xff, 0xc3, 0, 20, 14]);
    out.extend((sensor.height as u16).to_be_bytes());
    out.extend((sensor.width as u16 / 4).to_be_bytes());
    out.extend([4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]);
    out.extend([0xff, 0xda, 0, 14, 4, 1, 0x00, 2, 0x10, 3, 0x00, 4, 0x10, 1, 0, 0]);
    let mut lines = Lines::new(sensor.width as usize, &table, out);
    let mut left = 0;
    let mut buffer = Vec::new();
    for slice in sensor.slices() {
        let slice = slice as usize;
        buffer.resize(slice, 0);
        for row in 0..sensor.height as usize {
            read_out(left, row, &mut buffer);
            lines.take(&buffer);
        }
        left += slice;
    }
    let mut out = lines.bits.finish();
    out.extend([0xff, 0xd9]);
    out
}

/// How often each category occurs, in every 61st row.
fn sampled(sensor: &Geometry, read_out: &mut impl FnMut(usize, usize, &mut [u16])) -> [u64; CATEGORIES] {
    let mut frequencies = [0; CATEGORIES];
    let width = sensor.slices().first().map_or(0, |slice| *slice as usize);
    let mut buffer = vec![0; width];
    for row in (0..sensor.height as usize).step_by(61) {
        read_out(width, row, &mut buffer);
        for (before, now) in buffer.iter().zip(buffer.iter().skip(4)) {
            let (category, _) = categorized(i32::from(*now) - i32::from(*before));
            if let Some(count) = frequencies.get_mut(category as usize) {
                *count += 1;
            }
        }
    }
    frequencies
}

/// How many bits a difference needs, and the bits.
#[inline]
fn categorized(difference: i32) -> (u32, u32) {
    let category = 32 - difference.unsigned_abs().leading_zeros();
    // A negative difference is written one lower, so that its first bit is 0.
    let bits = difference.wrapping_add(difference >> 31) as u32 & ((1 << category) - 1);
    (category, bits)
}

/// Cuts the stream of photosites into coded lines and codes them.
struct Lines<'a> {
    table: &'a Table,
    bits: Bits,
    /// Photosites in a line, and how many of this line are still to come.
    length: usize,
    to_come: usize,
    /// The four before the next, and the first four of this line.
    before: [u16; 4],
    first: [u16; 4],
}

impl<'a> Lines<'a> {
    fn new(length: usize, table: &'a Table, out: Vec<u8>) -> Self {
        let bits = Bits { out, waiting: 0, count: 0 };
        Self { table, bits, length, to_come: length, before: [MIDDLE; 4], first: [MIDDLE; 4] }
    }

    /// Takes more photosites, a multiple of four.
    fn take(&mut self, mut photosites: &[u16]) {
        while !photosites.is_empty() {
            let (now, later) = photosites.split_at(self.to_come.min(photosites.len()));
            if self.to_come == self.length
                && let Some(first) = now.first_chunk::<4>()
            {
                self.first = *first;
            }
            self.code(now);
            self.to_come -= now.len();
            if self.to_come == 0 {
                self.to_come = self.length;
                self.before = self.first;
            }
            photosites = later;
        }
    }

    // The index is masked to the table's length.
    #[allow(clippy::indexing_slicing)]
    fn code(&mut self, photosites: &[u16]) {
        let mut before = self.before;
        for four in photosites.as_chunks::<4>().0 {
            for (now, before) in four.iter().zip(before) {
                let (category, bits) = categorized(i32::from(*now).wrapping_sub(i32::from(before)));
                let (code, length) = self.table.codes[category as usize & (CATEGORIES - 1)];
                self.bits.put((code << category) | bits, length + category);
            }
            before = *four;
        }
        self.before = before;
    }
}

/// Bits on their way to bytes; after a byte of all ones comes one of zeros.
struct Bits {
    out: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl Bits {
    /// Appends the lowest `length` bits, at most 32 of them.
    #[inline]
    fn put(&mut self, bits: u32, length: u32) {
        self.waiting = (self.waiting << length) | u64::from(bits);
        self.count += length;
        if self.count >= 32 {
            self.count -= 32;
            let word = (self.waiting >> self.count) as u32;
            // A byte of all ones is a zero byte of the complement.
            if (!word).wrapping_sub(0x0101_0101) & word & 0x8080_8080 == 0 {
                self.out.extend_from_slice(&word.to_be_bytes());
            } else {
                self.stuffed(word);
            }
        }
    }

    #[cold]
    fn stuffed(&mut self, word: u32) {
        for byte in word.to_be_bytes() {
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
        }
    }

    /// Fills the last byte with ones.
    fn finish(mut self) -> Vec<u8> {
        while !self.count.is_multiple_of(8) {
            self.waiting = (self.waiting << 1) | 1;
            self.count += 1;
        }
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.waiting >> self.count) as u8;
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_all_ones_or_longer_than_sixteen_bits() {
        let flat = Table::new(&[1; CATEGORIES]);
        let mut steep = [0; CATEGORIES];
        for (power, place) in steep.iter_mut().enumerate() {
            *place = 1u64 << (2 * power);
        }
        for table in [flat, Table::new(&steep)] {
            for (code, length) in &table.codes[..CATEGORIES - 1] {
                assert!(*length >= 1 && *length <= 16, "{length}");
                assert!(*code < (1 << length) - 1, "{code:b} of {length}");
            }
        }
    }

    #[test]
    fn differences_are_written_as_t81_says() {
        assert_eq!(categorized(0), (0, 0));
        assert_eq!(categorized(1), (1, 1));
        assert_eq!(categorized(-1), (1, 0));
        assert_eq!(categorized(5), (3, 0b101));
        assert_eq!(categorized(-5), (3, 0b010));
    }
}

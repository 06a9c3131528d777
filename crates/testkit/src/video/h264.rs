//! H.264 (ITU-T H.264) of the plainest kind: Baseline, one slice a picture.
//!
//! A key picture is all I_PCM macroblocks: its samples as they are. A following picture is the one before it moved by
//! whole pixels: its first row and column of macroblocks say by how much, all others are skipped and take the motion
//! of their neighbours.

/// Size of a clip's pictures. Both are rounded up to whole macroblocks in the stream and cropped by the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    /// Macroblocks across and down.
    pub(crate) fn macroblocks(self) -> (u32, u32) {
        (self.width.div_ceil(16), self.height.div_ceil(16))
    }

    /// Samples across and down, as coded.
    pub(crate) fn coded(self) -> (usize, usize) {
        let (across, down) = self.macroblocks();
        (across as usize * 16, down as usize * 16)
    }
}

/// The frame number takes this many bits.
const FRAME_BITS: u32 = 8;

/// The sequence parameter set, without its length or start code.
pub(crate) fn sequence(size: Size) -> Vec<u8> {
    let mut bits = BitWriter::default();
    let (across, down) = size.macroblocks();
    let (coded_width, coded_height) = size.coded();
    bits.put(66, 8); // Baseline
    bits.put(0b1100_0000, 8); // is also valid Main
    bits.put(50, 8); // level 5.0
    bits.unsigned(0);
    bits.unsigned(FRAME_BITS - 4);
    bits.unsigned(2); // output order is coding order
    bits.unsigned(1); // one reference picture
    bits.put(0, 1);
    bits.unsigned(across - 1);
    bits.unsigned(down - 1);
    bits.put(0b11, 2); // frames, not fields; 8x8 inference
    let crop = (coded_width as u32 - size.width, coded_height as u32 - size.height);
    if crop == (0, 0) {
        bits.put(0, 1);
    } else {
        bits.put(1, 1);
        bits.unsigned(0);
        bits.unsigned(crop.0 / 2);
        bits.unsigned(0);
        bits.unsigned(crop.1 / 2);
    }
    bits.put(0, 1); // no display information
    bits.unit(0x67)
}

/// The picture parameter set.
pub(crate) fn picture_parameters() -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.unsigned(0);
    bits.unsigned(0);
    bits.put(0b00, 2); // CAVLC
    bits.unsigned(0);
    bits.unsigned(0);
    bits.unsigned(0);
    bits.put(0b000, 3);
    bits.signed(0);
    bits.signed(0);
    bits.signed(0);
    bits.put(0b100, 3); // deblocking is controlled in each slice
    bits.unit(0x68)
}

/// Planes of a picture: luma, then the two of chroma at half the size, all of coded size.
#[derive(Debug)]
pub(crate) struct Planes {
    pub(crate) luma: Vec<u8>,
    pub(crate) blue: Vec<u8>,
    pub(crate) red: Vec<u8>,
}

/// A key picture. `id` must differ from that of the key picture before it.
pub(crate) fn key_picture(size: Size, planes: &Planes, id: u32) -> Vec<u8> {
    let (across, down) = size.macroblocks();
    let (width, _) = size.coded();
    let mut bits = BitWriter::default();
    bits.slice_header(7, 0);
    bits.unsigned(id % 2);
    bits.put(0b00, 2);
    bits.signed(0);
    bits.unsigned(1); // no deblocking
    for row in 0..down as usize {
        for column in 0..across as usize {
            bits.unsigned(25); // I_PCM
            bits.align();
            bits.block(&planes.luma, width, (column * 16, row * 16), 16);
            bits.block(&planes.blue, width / 2, (column * 8, row * 8), 8);
            bits.block(&planes.red, width / 2, (column * 8, row * 8), 8);
        }
    }
    bits.unit(0x65)
}

/// The picture before it, with what was at `x + motion` now at `x`. `number` counts from the key picture, from 1.
pub(crate) fn moved_picture(size: Size, motion: (i32, i32), number: u32) -> Vec<u8> {
    let (across, down) = size.macroblocks();
    let mut bits = BitWriter::default();
    bits.slice_header(5, number);
    bits.put(0, 1); // as many references as the picture parameters say
    bits.put(0, 1); // in their usual order
    bits.put(0, 1); // marked by sliding window
    bits.signed(0);
    bits.unsigned(1);
    let mut skipped = 0;
    for row in 0..down {
        for column in 0..across {
            // A skipped macroblock without a neighbour above or to the left would stand still.
            if row > 0 && column > 0 {
                skipped += 1;
                continue;
            }
            bits.unsigned(skipped);
            skipped = 0;
            bits.unsigned(0); // one 16x16 part
            let change = if (row, column) == (0, 0) { (motion.0 * 4, motion.1 * 4) } else { (0, 0) };
            bits.signed(change.0);
            bits.signed(change.1);
            bits.unsigned(0); // no residual
        }
    }
    if skipped > 0 {
        bits.unsigned(skipped);
    }
    bits.unit(0x41)
}

/// Bits and Exp-Golomb codes on their way to a NAL unit.
#[derive(Debug, Default)]
struct BitWriter {
    out: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl BitWriter {
    /// Appends the lowest `length` bits, at most 32 of them.
    fn put(&mut self, value: u32, length: u32) {
        self.waiting = (self.waiting << length) | u64::from(value);
        self.count += length;
        while self.count >= 8 {
            self.count -= 8;
            self.out.push((self.waiting >> self.count) as u8);
        }
    }

    fn unsigned(&mut self, value: u32) {
        let length = 31 - (value + 1).leading_zeros();
        self.put(0, length);
        self.put(value + 1, length + 1);
    }

    fn signed(&mut self, value: i32) {
        let magnitude = value.unsigned_abs();
        self.unsigned(if value > 0 { 2 * magnitude - 1 } else { 2 * magnitude });
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
    }

    fn slice_header(&mut self, kind: u32, frame: u32) {
        self.unsigned(0);
        self.unsigned(kind);
        self.unsigned(0);
        self.put(frame % (1 << FRAME_BITS), FRAME_BITS);
    }

    /// Samples of a square block; only at a whole byte.
    fn block(&mut self, plane: &[u8], width: usize, at: (usize, usize), side: usize) {
        for row in at.1..at.1 + side {
            let start = row * width + at.0;
            self.out.extend_from_slice(plane.get(start..start + side).unwrap_or_default());
        }
    }

    /// Closes the unit: stop bit, header byte, and a 3 wherever two zeros would make the next byte a start code.
    fn unit(mut self, header: u8) -> Vec<u8> {
        self.put(1, 1);
        self.align();
        let mut unit = Vec::with_capacity(self.out.len() + 16);
        unit.push(header);
        let mut zeros = 0;
        for byte in self.out {
            if zeros >= 2 && byte <= 3 {
                unit.push(3);
                zeros = 0;
            }
            zeros = if byte == 0 { zeros + 1 } else { 0 };
            unit.push(byte);
        }
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_exp_golomb() {
        let mut bits = BitWriter::default();
        for value in [0, 1, 2, 3] {
            bits.unsigned(value);
        }
        bits.signed(-1);
        bits.align();
        // 1, 010, 011, 00100, 011
        assert_eq!(bits.out, [0b1010_0110, 0b0100_0110]);
    }

    #[test]
    fn no_start_code_occurs_inside_a_unit() {
        let size = Size { width: 32, height: 32 };
        let planes = Planes { luma: vec![0; 1024], blue: vec![0; 256], red: vec![1; 256] };
        let unit = key_picture(size, &planes, 0);
        assert!(unit.windows(3).all(|three| three != [0, 0, 0] && three != [0, 0, 1] && three != [0, 0, 2]));
    }
}

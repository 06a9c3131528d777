//! Our eighth against libjpeg-turbo's, sample by sample.

use proptest::prelude::*;
use turbojpeg::{Decompressor, Image, PixelFormat, ScalingFactor, Subsamp, YuvImage};

use super::*;

fn ours(jpeg: &[u8]) -> Result<Planes, JpegError> {
    eighth(&Header::parse(jpeg)?, Limits::default())
}

/// libjpeg-turbo's planes at 1/8, each without padding.
fn theirs(jpeg: &[u8]) -> Vec<Vec<u8>> {
    let mut decompressor = Decompressor::new().unwrap();
    let header = decompressor.read_header(jpeg).unwrap();
    decompressor.set_scaling_factor(ScalingFactor::ONE_EIGHTH).unwrap();
    let size = header.scaled(ScalingFactor::ONE_EIGHTH);
    let length = turbojpeg::yuv_pixels_len(size.width, 1, size.height, size.subsamp).unwrap();
    let mut image =
        YuvImage { pixels: vec![0; length], width: size.width, align: 1, height: size.height, subsamp: size.subsamp };
    decompressor.decompress_to_yuv(jpeg, image.as_deref_mut()).unwrap();
    let mut planes = Vec::new();
    let mut rest = image.pixels.as_slice();
    let covered = [(header.width, header.height), header_chroma(&header)];
    for number in 0..if size.subsamp == Subsamp::Gray { 1 } else { 3 } {
        let (stride, rows) = if number == 0 { image.y_size() } else { image.uv_size() };
        let (plane, after) = rest.split_at(stride * rows);
        rest = after;
        let (width, height) = covered[number.min(1)];
        planes.push(cropped(plane, stride, width.div_ceil(8), height.div_ceil(8)));
    }
    planes
}

fn header_chroma(header: &turbojpeg::DecompressHeader) -> (usize, usize) {
    let across = header.subsamp.mcu_width() / 8;
    let down = header.subsamp.mcu_height() / 8;
    (header.width.div_ceil(across), header.height.div_ceil(down))
}

fn cropped(samples: &[u8], stride: usize, width: usize, height: usize) -> Vec<u8> {
    samples.chunks(stride).take(height).flat_map(|row| &row[..width]).copied().collect()
}

fn covered(plane: &Plane) -> Vec<u8> {
    let (width, height) = (plane.covered.0.ceil() as usize, plane.covered.1.ceil() as usize);
    cropped(&plane.samples, plane.stride as usize, width, height)
}

/// Every sample equal; where libjpeg rounds a plane's size down, what it has.
fn assert_equal(jpeg: &[u8]) {
    let planes = ours(jpeg).unwrap();
    let theirs = theirs(jpeg);
    assert_eq!(planes.iter().count(), theirs.len());
    for (ours, theirs) in planes.iter().zip(theirs) {
        assert!(covered(ours) == theirs, "planes differ: {:?}", ours.covered);
    }
}

fn picture(width: usize, height: usize, seed: usize) -> Image<Vec<u8>> {
    let noise = |i: usize| ((i * 2_654_435_761 + seed * 97) >> 7 & 31) as u8;
    let pixels =
        (0..width * height * 3).map(|i| (i / 3 % width / 2) as u8 ^ (i / 3 / width) as u8 ^ noise(i)).collect();
    Image { pixels, width, pitch: 3 * width, height, format: PixelFormat::RGB }
}

#[test]
fn usual_samplings_and_odd_sizes_equal_libjpeg() {
    let samplings = [Subsamp::None, Subsamp::Sub2x1, Subsamp::Sub2x2, Subsamp::Sub1x2, Subsamp::Sub4x1, Subsamp::Gray];
    for (width, height) in [(64, 48), (1, 1), (67, 45), (9, 200), (333, 17)] {
        for sampling in samplings {
            for quality in [5, 60, 100] {
                let image = picture(width, height, quality as usize);
                let jpeg = turbojpeg::compress(image.as_deref(), quality, sampling).unwrap();
                assert_equal(&jpeg);
            }
        }
    }
}

#[test]
fn what_is_not_baseline_is_left_to_libjpeg() {
    let mut compressor = turbojpeg::Compressor::new().unwrap();
    compressor.set_progressive(true).unwrap();
    let jpeg = compressor.compress_to_vec(picture(64, 64, 1).as_deref()).unwrap();
    assert_eq!(ours(&jpeg), Err(JpegError::Unsupported("other than 8-bit baseline")));
    let mut compressor = turbojpeg::Compressor::new().unwrap();
    compressor.set_colorspace(turbojpeg::Colorspace::RGB).unwrap();
    let jpeg = compressor.compress_to_vec(picture(64, 64, 1).as_deref()).unwrap();
    assert_eq!(ours(&jpeg), Err(JpegError::Unsupported("a JPEG of RGB")));
}

#[test]
fn a_file_cut_short_is_damaged() {
    let jpeg = turbojpeg::compress(picture(640, 480, 1).as_deref(), 90, Subsamp::Sub2x1).unwrap();
    for length in [0, 1, 2, 3, 20, 200, 700, jpeg.len() / 2, jpeg.len() - 40] {
        let outcome = ours(&jpeg[..length]);
        assert!(matches!(outcome, Err(JpegError::Damaged(_))), "{length}: {outcome:?}");
    }
    // Only the end-of-image marker is missing.
    assert!(ours(&jpeg[..jpeg.len() - 2]).is_ok());
}

#[test]
fn more_pixels_than_allowed_are_refused_before_anything_is_allocated() {
    let mut jpeg = turbojpeg::compress(picture(16, 16, 1).as_deref(), 90, Subsamp::None).unwrap().to_vec();
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].fill(0xff);
    assert!(matches!(ours(&jpeg), Err(JpegError::TooLarge { width: 65_535, height: 65_535, .. })));
}

/// Writes a baseline JPEG of given coefficients, with the tables of T.81's annex K taken from a file of libjpeg's.
struct Writer {
    bytes: Vec<u8>,
    word: u64,
    count: u32,
    codes: [Vec<(u8, u32, u32)>; 2],
}

impl Writer {
    fn new(interval: u16, width: u16, height: u16) -> Self {
        let sample = turbojpeg::compress(picture(16, 16, 1).as_deref(), 75, Subsamp::None).unwrap();
        let mut bytes = vec![0xff, 0xd8];
        let mut codes = [Vec::new(), Vec::new()];
        let mut at = 2;
        while sample[at + 1] != 0xda {
            let length = usize::from(sample[at + 2]) << 8 | usize::from(sample[at + 3]);
            let segment = &sample[at..at + 2 + length];
            if matches!(segment[1], 0xdb | 0xc4) {
                bytes.extend(segment);
            }
            if segment[1] == 0xc4 && segment[4] & 15 == 0 {
                let (mut code, mut place) = (0, 21);
                for bits in 1..=16 {
                    for _ in 0..segment[4 + bits] {
                        codes[usize::from(segment[4] >> 4)].push((segment[place], code, bits as u32));
                        (code, place) = (code + 1, place + 1);
                    }
                    code <<= 1;
                }
            }
            at += 2 + length;
        }
        bytes.extend([0xff, 0xdd, 0, 4]);
        bytes.extend(interval.to_be_bytes());
        bytes.extend([0xff, 0xc0, 0, 11, 8]);
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes.extend([1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
        Self { bytes, word: 0, count: 0, codes }
    }

    fn put(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            self.word = self.word << 1 | u64::from(value >> bit & 1);
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.word as u8);
                if self.word as u8 == 0xff {
                    self.bytes.push(0);
                }
                (self.word, self.count) = (0, 0);
            }
        }
    }

    fn symbol(&mut self, class: usize, symbol: u8) {
        let &(_, code, bits) = self.codes[class].iter().find(|code| code.0 == symbol).unwrap();
        self.put(code, bits);
    }

    fn value(&mut self, value: i32, size: u32) {
        self.put(if value < 0 { value - 1 } else { value } as u32 & ((1 << size) - 1), size);
    }

    fn block(&mut self, difference: i32, coefficients: &[(u8, i32)]) {
        let size = 32 - difference.unsigned_abs().leading_zeros();
        self.symbol(0, size as u8);
        self.value(difference, size);
        let mut place = 1;
        for &(run, value) in coefficients {
            if place + u32::from(run) > 63 {
                break;
            }
            for _ in 0..run / 16 {
                self.symbol(1, 0xf0);
            }
            let size = 32 - value.unsigned_abs().leading_zeros();
            self.symbol(1, ((run % 16) << 4) | size as u8);
            self.value(value, size);
            place += u32::from(run) + 1;
        }
        if place < 64 {
            self.symbol(1, 0);
        }
    }

    fn align(&mut self) {
        while self.count > 0 {
            self.put(1, 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Any mix of runs, sizes, blocks that end with their last coefficient, and restart markers. The mean stays within the
    /// range that samples can have: beyond 512, which no encoder writes, libjpeg wraps around where we stay at white.
    #[test]
    fn any_coefficients_equal_libjpeg(
        blocks in prop::collection::vec(
            (-40i32..40, prop::collection::vec((0u8..40, prop_oneof![-1i32..0, 1i32..2, 1i32..1000]), 0..64)), 1..60),
        interval in 0u16..5,
        dense in any::<bool>(),
    ) {
        let mut writer = Writer::new(interval, 8 * blocks.len() as u16, 8);
        let mut mean = 0;
        for (number, (difference, coefficients)) in blocks.iter().enumerate() {
            if interval > 0 && number > 0 && number % usize::from(interval) == 0 {
                writer.align();
                let restart = number / usize::from(interval) - 1;
                writer.bytes.extend([0xff, 0xd0 + (restart % 8) as u8]);
                mean = 0;
            }
            let difference = if i32::abs(mean + difference) < 512 { *difference } else { -difference };
            mean += difference;
            let runs = |run: u8| if dense { run / 16 } else { run };
            let coefficients: Vec<_> = coefficients.iter().map(|&(run, value)| (runs(run), value)).collect();
            writer.block(difference, &coefficients);
        }
        writer.align();
        writer.bytes.extend([0xff, 0xd9]);
        assert_equal(&writer.bytes);
    }

    #[test]
    fn flipped_bytes_never_panic(
        flips in prop::collection::vec((0usize..20_000, any::<u8>()), 1..12),
        sampling in prop_oneof![Just(Subsamp::Sub2x2), Just(Subsamp::Sub2x1), Just(Subsamp::Gray)],
    ) {
        let mut jpeg = turbojpeg::compress(picture(160, 120, 3).as_deref(), 85, sampling).unwrap().to_vec();
        let length = jpeg.len();
        for (place, byte) in flips {
            jpeg[place % length] = byte;
        }
        let _ = ours(&jpeg);
    }
}

//! A DNG, version 1.1: directory 0 with a small picture, below it the photosites and a full-size JPEG.

use lightfast_model::Ratio;

use crate::Shot;
use crate::format::canon::{BLACK, WHITE, WhiteBalance};
use crate::format::exif::{self, MakerNote};
use crate::format::tiff::{Ifd, TiffWriter};

const STRIP_OFFSETS: u16 = 0x111;
const SUB_DIRECTORIES: u16 = 0x14a;
/// From XYZ to the camera's colours under D65, in ten-thousandths.
const COLOUR_MATRIX: [i32; 9] = [4716, 603, -830, -7798, 15474, 2480, -1496, 1937, 6651];

/// What is in it.
#[derive(Debug)]
pub(crate) struct Pictures<'a> {
    /// RGB.
    pub(crate) small: &'a [u8],
    pub(crate) small_size: (u32, u32),
    /// Levels of the photosites, 16 bits each, of the shot's size.
    pub(crate) levels: &'a [u8],
    /// What the first four photosites see: 0 red, 1 green, 2 blue.
    pub(crate) colours: [u8; 4],
    /// Full-size JPEG.
    pub(crate) jpeg: &'a [u8],
}

/// Puts a DNG together.
pub(crate) fn assemble(shot: &Shot, white_balance: WhiteBalance, pictures: &Pictures<'_>) -> Vec<u8> {
    let mut writer = TiffWriter::new(b"II*\0\x08\0\0\0");
    let neutral = |gain: u16| Ratio { num: 1024, den: u64::from(gain.max(1)) };
    let [red, green, _, blue] = white_balance.0;
    let main = picture(exif::ifd0(shot), pictures.small_size, pictures.small.len(), 1)
        .short(0x103, 1)
        .short(0x106, 2)
        .shorts(0x102, &[8, 8, 8])
        .short(0x115, 3)
        .longs(SUB_DIRECTORIES, &[0, 0])
        .bytes(0xc612, &[1, 1, 0, 0])
        .bytes(0xc613, &[1, 1, 0, 0])
        .ascii(0xc614, &shot.model)
        .signed_rationals(0xc621, &COLOUR_MATRIX.map(|value| (value, 10_000)))
        .rationals(0xc628, &[neutral(red), neutral(green), neutral(blue)])
        .ascii(0xc62f, &shot.serial)
        .short(0xc65a, 21);
    let main = writer.put(&main);
    exif::put_below(&mut writer, &main, shot, MakerNote::None);
    let size = (shot.width, shot.height);
    let levels = picture(Ifd::default(), size, pictures.levels.len(), 0)
        .short(0x103, 1)
        .short(0x106, 32803)
        .short(0x102, 16)
        .short(0x115, 1)
        .shorts(0x828d, &[2, 2])
        .bytes(0x828e, &pictures.colours)
        .short(0xc61a, BLACK)
        .short(0xc61d, WHITE);
    let levels = writer.put(&levels);
    let full = picture(Ifd::default(), size, pictures.jpeg.len(), 1)
        .short(0x103, 7)
        .short(0x106, 6)
        .shorts(0x102, &[8, 8, 8])
        .short(0x115, 3)
        .shorts(0x212, &[2, 1])
        .short(0x213, 1)
        .rationals(0x214, &[0, 255, 128, 255, 128, 255].map(|num| Ratio { num, den: 1 }));
    let full = writer.put(&full);
    writer.set_nth(&main, SUB_DIRECTORIES, 0, levels.offset);
    writer.set_nth(&main, SUB_DIRECTORIES, 1, full.offset);
    for (placed, bytes) in [(&main, pictures.small), (&full, pictures.jpeg), (&levels, pictures.levels)] {
        let at = writer.append(bytes);
        writer.set_value(placed, STRIP_OFFSETS, at);
    }
    writer.finish()
}

/// A directory of a picture in one strip; `reduced` is 1 for all but the main picture.
fn picture(ifd: Ifd, size: (u32, u32), bytes: usize, reduced: u32) -> Ifd {
    ifd.long(0xfe, reduced)
        .long(0x100, size.0)
        .long(0x101, size.1)
        .long(STRIP_OFFSETS, 0)
        .long(0x116, size.1)
        .long(0x117, bytes as u32)
        .short(0x11c, 1)
}

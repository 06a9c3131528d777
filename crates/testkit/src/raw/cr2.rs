//! A CR2: four directories, and the pictures that they point to.
//!
//! Order and tags are those of the 5D Mark II: directory 0 is the full-size JPEG with everything that EXIF and the
//! maker note say, 1 a thumbnail, 2 a small uncompressed picture, 3 the sensor's data. The header's second offset
//! leads to directory 3.

use super::sensor::Geometry;
use crate::Shot;
use crate::format::canon::WhiteBalance;
use crate::format::exif::{self, MakerNote};
use crate::format::tiff::{Ifd, TiffWriter};

const STRIP_OFFSETS: u16 = 0x111;
const THUMBNAIL_OFFSET: u16 = 0x201;

/// Size of the uncompressed picture of directory 2: 362x234 for the real sensor, else in proportion. (Readers take the
/// directory with the most pixels for the RAW, so it must stay small.)
pub(crate) fn small_size(sensor: &Geometry) -> (u32, u32) {
    let (width, height) = sensor.picture;
    ((width * 362).div_ceil(5616), (height * 234).div_ceil(3744))
}

/// The coded pictures of one frame.
#[derive(Debug)]
pub(crate) struct Pictures {
    /// Full-size JPEG.
    pub(crate) jpeg: Vec<u8>,
    /// JPEG of 160x120.
    pub(crate) thumbnail: Vec<u8>,
    /// RGB of 16 bits, linear, of [`small_size`].
    pub(crate) small: Vec<u8>,
    /// Lossless JPEG of the photosites.
    pub(crate) sensor: Vec<u8>,
}

/// Puts a CR2 together: all of it but the sensor's data, which comes last, so that nobody has to copy it.
pub(crate) fn head(shot: &Shot, sensor: &Geometry, white_balance: WhiteBalance, pictures: &Pictures) -> Vec<u8> {
    let mut writer = TiffWriter::new(b"II*\0\x10\0\0\0CR\x02\0\0\0\0\0");
    let first = exif::ifd0(shot)
        .short(0x100, shot.width as u16)
        .short(0x101, shot.height as u16)
        .shorts(0x102, &[8, 8, 8])
        .short(0x103, 6)
        .long(STRIP_OFFSETS, 0)
        .long(0x117, pictures.jpeg.len() as u32)
        .ascii_padded(0x13b, &shot.creator, 64)
        .ascii_padded(0x8298, &shot.copyright, 64);
    let first = writer.put(&first);
    exif::put_below(&mut writer, &first, shot, MakerNote::Canon(sensor.described(white_balance)));
    let thumbnail = Ifd::default().long(THUMBNAIL_OFFSET, 0).long(0x202, pictures.thumbnail.len() as u32);
    let thumbnail = writer.put(&thumbnail);
    let (width, height) = small_size(sensor);
    let small = Ifd::default()
        .short(0x100, width as u16)
        .short(0x101, height as u16)
        .shorts(0x102, &[16, 16, 16])
        .short(0x103, 1)
        .short(0x106, 2)
        .long(STRIP_OFFSETS, 0)
        .short(0x115, 3)
        .short(0x116, height as u16)
        .long(0x117, pictures.small.len() as u32)
        .short(0x11c, 1)
        .long(0xc5d9, 3)
        .long(0xc6c5, 3);
    let small = writer.put(&small);
    let slices = sensor.slices();
    let widths = (slices.len() as u16 - 1, slices.first(), slices.last());
    let coded = Ifd::default()
        .short(0x103, 6)
        .long(STRIP_OFFSETS, 0)
        .long(0x117, pictures.sensor.len() as u32)
        .long(0xc5d8, 1)
        .long(0xc5e0, 1)
        .shorts(0xc640, &[widths.0, widths.1.map_or(0, |w| *w as u16), widths.2.map_or(0, |w| *w as u16)])
        .long(0xc6c5, 1);
    let coded = writer.put(&coded);
    writer.chain(&first, &thumbnail);
    writer.chain(&thumbnail, &small);
    writer.chain(&small, &coded);
    writer.set(12, coded.offset);
    for (placed, tag, bytes) in [
        (&thumbnail, THUMBNAIL_OFFSET, &pictures.thumbnail),
        (&first, STRIP_OFFSETS, &pictures.jpeg),
        (&small, STRIP_OFFSETS, &pictures.small),
    ] {
        let at = writer.append(bytes);
        writer.set_value(placed, tag, at);
    }
    let end = writer.position();
    writer.set_value(&coded, STRIP_OFFSETS, end);
    writer.finish()
}

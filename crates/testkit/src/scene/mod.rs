//! Drawn pictures.
//!
//! Everything is drawn with integers from a seed, so that a picture is the same on any machine. A picture can be
//! drawn at any size; what is in it stays the same.

mod canvas;
mod land;
mod looks;
mod paint;
mod sky;
mod texture;
mod things;

pub(crate) use canvas::Canvas;
pub(crate) use looks::{Look, draw as draw_look};

/// A picture of this seed as RGB.
pub(crate) fn draw(seed: u64, width: u32, height: u32) -> Vec<u8> {
    let look = Look::ALL.get(seed as usize % Look::ALL.len()).copied().unwrap_or(Look::Lake);
    draw_look(look, seed, (width, height), 1).into_pixels()
}

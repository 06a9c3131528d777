//! A RAW to an upright picture: the bytes of a file in, pixels or a JPEG out.
//!
//! One pass over the sensor in bands that stay in the cache: black, white and balance,
//! interpolation, highlights, matrix, tone, sharpening, in this order, on 16-bit values
//! (`levels` says on what scale). Decoding is behind `source`, encoding behind `jpeg`.
//! Pure computing: no files, no threads, no clock but stopwatches. It is written not to
//! panic on any bytes, but the decoder below it may: run it in the worker process.

mod bayer;
mod colour;
mod develop;
mod encode;
mod error;
mod exif;
mod finish;
mod grid;
mod half;
mod icc;
mod lanes;
mod levels;
mod options;
mod output;
mod plain;
mod render;
mod ring;
mod sensor;
mod simd;
mod sites;
mod source;
mod study;
#[cfg(test)]
mod tests;
mod tone;
mod xtrans;

pub use develop::{Developed, Developer, Pixels, Stages};
pub use error::DevelopError;
pub use options::{DevelopOptions, Limits, Quality, Tone, ToneSource, WhiteBalance};
pub use simd::Processor;
pub use study::{Learned, learn, mean};

/// Goes up when the same file comes out differently: pictures that were kept are then made again.
pub const RENDERER: u32 = 2;

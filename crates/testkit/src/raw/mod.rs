//! From a drawn picture to what a sensor would have read out, and that into a CR2.
//!
//! All arithmetic is on integers, so that the same seed gives the same bytes
//! on any machine. It imitates a 5D Mark II's data (levels, colours, mosaic,
//! masked borders, noise, compression), not its optics.

pub(crate) mod cr2;
pub(crate) mod dng;
pub(crate) mod grain;
pub(crate) mod lossless;
pub(crate) mod mosaic;
pub(crate) mod sensor;
pub(crate) mod tone;

//! Clips: H.264 pictures and PCM sound in QuickTime or MP4.
//!
//! The pictures are coded without transforms (whole macroblocks as they are, then the same moved along), which any
//! player decodes and which needs no encoder. The bit rate comes out as a 5D Mark II's.

pub(crate) mod h264;
pub(crate) mod movie;

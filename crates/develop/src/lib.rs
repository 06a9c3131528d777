//! Pixels: decode, demosaic, colour, resize, encode.
//!
//! The rule of this room: pure computing. Bytes or pixels in, pixels or a JPEG
//! out; no files, no threads of its own. It runs inside the worker process,
//! because decoders may be slow, hang, or die on hostile input.
#![deny(unsafe_code)]

mod heif;
pub mod jpeg;
pub mod raw;
pub mod resize;
pub mod thumbnail;

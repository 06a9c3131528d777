//! Small generated files for the tests of other rooms.
//!
//! Each is valid, says of itself exactly what its `Shot` says, and is the
//! same bytes each time. None was taken by a camera.

mod heif;
mod jpeg;
mod movie;
mod raw;

pub use heif::{cr3, heic, heic_quarters};
pub use jpeg::{jpeg, jpeg_without_exif};
pub use movie::{mov, mp4, sparse_mov, thm};
pub use raw::{cr2, dng};

pub(crate) use raw::linear;

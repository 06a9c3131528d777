//! Small generated files for the tests of other rooms.
//!
//! Each is valid, says of itself exactly what its [`Shot`] says, and is the
//! same bytes each time. None was taken by a camera.

mod jpeg;

pub use jpeg::{jpeg, jpeg_without_exif};

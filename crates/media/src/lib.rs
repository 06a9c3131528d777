//! What is in one file: its kind, metadata, embedded previews, video facts and XMP.
//!
//! The rule of this room: hostile bytes in, values out. Everything is bounded
//! (bytes read, depth, count), nothing is written, no thread is started and
//! no file is mapped into memory. A file that cannot be understood gives
//! facts that say so; it is never an error that stops an import.
#![forbid(unsafe_code)]

mod bmff;
mod clip_clock;
mod cursor;
mod exif;
mod fixed;
mod format;
mod found;
pub mod groups;
mod head;
mod iptc;
mod jpeg;
mod kind;
mod maker;
mod md5;
mod previews;
mod resolve;
mod source;
mod text;
mod tiff;
mod time;
mod upright;
pub mod xmp;

use std::ffi::OsStr;

use lightfast_model::Facts;

pub use head::{Head, Limits};
pub use kind::kind_of;
pub use source::{BytesSource, FileSource, Source};
pub use time::time_from_name;
pub use upright::{UPRIGHT_HEAD, Upright, upright};

/// Everything that one file says of itself. Never fails: what could not be read is in [`Facts::problems`].
pub fn facts(source: &mut dyn Source, name: &OsStr) -> Facts {
    let mut head = Head::new(source);
    let (kind, format) = kind_of(head.up_to(0, 64 << 10), name);
    let mut found = found::Found::default();
    format::read(&mut head, kind, format.unwrap_or_default(), &mut found);
    found.problems.extend(head.failure().map(str::to_owned));
    resolve::resolve(found, kind, format)
}

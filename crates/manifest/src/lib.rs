//! Hash lists of the film world: ASC MHL 2.0 is written and read, MHL 1.1 is read.
//!
//! The rule of this room: bytes in, values out, and back; no I/O, no clock. What is read may come from anyone: sizes,
//! counts and depths are bounded, and a path that leads out of its folder is refused.
//!
//! Format: `ascmitc/mhl-specification` (ASC MHL 1.0, files of version 2.0) and the schemas of `ascmitc/mhl`; MHL 1.1:
//! mediahashlist.org.
#![forbid(unsafe_code)]

mod c4;
mod chain;
mod hash;
mod list;
mod path;
mod read;
mod write;
mod xml;

pub use c4::c4;
pub use chain::{CHAIN_FILE, Chain, FOLDER, Generation, generation_name, number_of};
pub use hash::{HashKind, Hashers};
pub use list::{Action, Entry, Format, Hash, Manifest, Reference};
pub use path::{PathError, check};
pub use write::{NewEntry, NewManifest, WriteError};
pub use xml::ReadError;

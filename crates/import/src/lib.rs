//! Card, plan, copy, session: the path of an original into the library.
//!
//! The rule of this room: the only code that creates or renames originals.
//!
//! ```text
//! prepare(options) ──> Prepared { plan } ──> perform ──> Report
//!   checks, lock,        a value: print it,     the copy,
//!   recovery, listing    that is the dry run    the verdict
//! ```
//!
//! The engine never prints or prompts; what it has to say it says as [`lightfast_model::Event`]s.
#![forbid(unsafe_code)]

pub mod card;
mod copy;
mod destination;
mod error;
pub mod fault;
mod library;
mod names;
mod options;
mod plan;
mod prepare;
mod progress;
mod recover;
mod session;
mod sys;
mod template;
mod verdict;
mod verify;

pub use error::{IoError, StartError, Step};
pub use library::{LAYOUT, Library, write_durably};
pub use options::{Events, Host, Options, Previews, Without};
pub use plan::{Action, KnownCopy, Plan, PlannedFile, PlannedSource, Target};
pub use prepare::{Prepared, prepare};
pub use session::Ended;
pub use sys::{Mount, mounts, unmount};
pub use template::{TOKENS, Template, TemplateError};
pub use verify::{ReadBack, read_back};

/// Pixels of a thumbnail's longer side.
pub const THUMBNAIL_EDGE: u32 = 512;

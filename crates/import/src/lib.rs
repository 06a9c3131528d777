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

mod add;
pub mod card;
mod copy;
mod destination;
mod error;
pub mod fault;
mod keeping;
mod library;
mod manifest_check;
mod manifests;
mod names;
mod options;
mod plan;
mod prepare;
mod progress;
mod put_away;
mod rebuild;
mod recover;
mod repair;
mod rescan;
mod roots;
mod session;
mod shelve;
mod sidecar;
mod sys;
mod template;
mod verdict;
mod verify;

pub use add::add;
pub use copy::ThumbsOptions;
pub use error::{IoError, StartError, Step};
pub use keeping::{KeepError, write_journal};
pub use library::{LAYOUT, Library, write_durably};
pub use manifest_check::{Outcome, check_file};
pub use manifests::{Expected, History, IGNORED, ManifestProblem, is_left_out, read_manifest};
pub use options::{Add, Events, Host, Options, Previews, Without};
pub use plan::{Action, ClockBy, ClockCorrection, ClockError, KnownCopy, Plan, PlannedFile, PlannedSource, Target};
pub use prepare::{Prepared, prepare};
pub use put_away::{Emptied, PutAway, bring_back, empty, put_away};
pub use rebuild::{RebuildReport, rebuild};
pub use repair::{Repair, RepairError, Repaired, Wanted};
pub use rescan::{RescanEvent, RescanOptions, RescanReport, RescanState, rescan};
pub use session::Ended;
pub use sidecar::{
    Keep, SidecarConflict, SidecarReport, SidecarSettings, settle_sidecars, sidecar_path, write_sidecars,
};
pub use sys::{Mount, be_considerate, mounts, unmount};
pub use template::{TOKENS, Template, TemplateError};
pub use verify::{ReadBack, read_back, read_whole};

/// Pixels of a thumbnail's longer side.
pub const THUMBNAIL_EDGE: u32 = 512;

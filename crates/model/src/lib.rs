//! What lightfast speaks of: photo, file, hash, capture time, facts, events.
//!
//! The rule of this room: no I/O and no threads. Every other room exchanges
//! these values, so that data flows one way and each step can be printed,
//! stored and tested on its own. It is not the place for parsing files, for
//! SQL, or for anything that can block.
#![forbid(unsafe_code)]

mod event;
mod facts;
mod ids;
mod label_words;
mod path;
mod photo;
mod time;
mod verified;

pub use event::{
    DestinationFile, DestinationPlan, DestinationReport, Event, FileEvent, FileState, Match, NotSafe, Progress, Report,
    SourceReport, Stage, Stages, VerifiedCounts,
};
pub use facts::{Facts, Gps, Kind, Orientation, Origin, Preview, PreviewSource, Ratio, Video};
pub use ids::{ContentHash, ParseHashError, PhotoId, QuickKey, SessionId};
pub use path::BytePath;
pub use photo::{Copy, Flag, Label, Photo, PhotoFile, PhotoKind, Role};
pub use time::{CaptureTime, TimeSource};
pub use verified::{Verified, VerifyMode};

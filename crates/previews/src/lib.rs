//! The bounded cache of rendered previews, and the queue that fills it.
//!
//! The rule of this room: the only code that writes into a library's `previews/` folder.
//! Everything in there can be made again, so nothing is synced, and what is damaged counts
//! as absent. Rendering itself happens in worker processes; originals are only read.
#![forbid(unsafe_code)]

mod build;
mod entry;
mod locked;
mod queue;
mod store;

pub use build::{Build, Event, Events, LookedAt, Outcome, Stopped, build};
pub use entry::{Entry, Level};
pub use queue::{Item, Queue};
pub use store::{Store, StoreError, Usage};

//! The copy, in one pass: each file is read once, hashed, written, synced, read back and given its name.
//!
//! ```text
//!  work ──> lanes ──────────> settlers ───────────> desk, publisher
//!           read, hash,       sync, read back       rename, sync folder,
//!           write temporary   from the medium       commit, tell
//! ```
//!
//! Each destination has settlers and a publisher of its own; a further destination also has a writer for each lane.
//! Lanes and settlers are threads; the publisher is the calling thread, since it alone holds the catalogue.
//! Channels between them are bounded: what is in flight is a few buffers and a few open files, whatever the
//! size of a card. The order of the steps, and why, is in `docs/PROMISES.md`.

mod buffer;
mod busy;
mod commit;
mod desk;
mod far;
mod lane;
mod outcome;
mod pace;
mod publish;
mod quick;
mod run;
mod settle;
mod temp;
mod thumbs;

pub(crate) use buffer::{AlignedBuffer, read_full};
pub(crate) use busy::Busy;
pub(crate) use outcome::{Answer, Told, Why};
pub(crate) use publish::{cold_hash, proof_level};
pub(crate) use quick::QuickHasher;
pub(crate) use run::{Clocks, Copying, Intents, Sums, run};
pub use thumbs::ThumbsOptions;
pub(crate) use thumbs::{Catalogued, Thumbs, make_in_place, make_up_missing};

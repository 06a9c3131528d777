//! Made cards and samples, faults, and the checker of invariants.
//!
//! The rule of this room: nothing here ships, but for the card maker, which `demo-card` reuses. What it makes is the
//! same bytes for the same seed. File systems that fail (`fuse`) are built only with the feature of that name.
#![forbid(unsafe_code)]

mod card;
mod format;
#[cfg(feature = "fuse")]
pub mod fuse;
pub mod invariants;
mod raw;
pub mod samples;
mod scene;
mod shot;
mod test_card;
mod video;

pub use card::{CardError, CardFile, CardOptions, CardProgress, CardSummary, make_card};
pub use shot::Shot;
pub use test_card::TestCard;

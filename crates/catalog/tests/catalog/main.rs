//! The catalogue through its interface, as the other rooms use it.
#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod albums;
mod identity;
mod index;
mod marks;
mod opening;
mod photos;
mod query;
mod rebuild;
mod session;
mod shelf;
mod stats;
mod trash;

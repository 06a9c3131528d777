//! The engine as its callers use it: prepare, perform, report; on made cards, in temporary folders.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod ablation;
mod again;
mod also;
mod basics;
mod cases;
mod containers;
mod pairing;
mod recovery;
mod support;

//! The engine as its callers use it: prepare, perform, report; on made cards, in temporary folders.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod ablation;
mod again;
mod also;
mod basics;
mod recovery;
mod support;

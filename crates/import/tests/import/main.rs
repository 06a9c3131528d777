//! The engine as its callers use it: prepare, perform, report; on made cards, in temporary folders.

mod again;
mod basics;
mod recovery;
mod support;

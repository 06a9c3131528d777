//! Facts as callers of this room get them, on made files and, where it lies beside the repository, on the corpus.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

mod cases;
mod corpus;
mod orientation;
mod support;

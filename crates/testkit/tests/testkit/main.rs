//! What this room makes, read back: by our own eyes, by flashraw, and by the tools that photographers use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

mod card;
mod oracle;
mod samples;

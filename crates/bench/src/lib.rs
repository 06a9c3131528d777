//! Measures importers from outside: a write tracer and a benchmark.
//!
//! The rule of this room: it measures from outside, as a user would. Programs
//! are run by their commands and watched through the kernel's own books. Only
//! `--ablate` knows the engine: an import with a part left out, by a setting
//! that no import option reaches. Nothing is printed here: reports are values,
//! with a text, a JSON and an HTML form each.
#![forbid(unsafe_code)]

pub mod bench;
mod page;
pub mod trace;

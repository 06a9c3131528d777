//! The program as a person or a script runs it: wiring, exit codes, output, bad input.
//!
//! What the engine does to a file is tested in its own room; here it is enough that the program asks for the right
//! thing and says what came of it. Each test has its own library, home folder and card.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bad_input;
mod card_faults;
mod demo;
mod disk;
mod disk_faults;
mod exit_codes;
mod keeping;
mod looking;
mod manifests;
mod on_the_way_in;
mod other_faults;
mod output;
mod pictures;
mod places;
mod power;
mod rebuilt;
mod rendering;
mod rot;
mod scrub;
mod serving;
mod sidecars;
mod soak;
mod support;
mod terminal;

//! The server, asked over real sockets as a browser or an attacker would.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may panic")]

mod described;
mod door;
mod http;
mod keeping;
mod looking;
mod marking;
mod slow;

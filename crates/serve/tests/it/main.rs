//! The server, asked over real sockets as a browser or an attacker would.

mod door;
mod http;
mod looking;
mod marking;
mod slow;

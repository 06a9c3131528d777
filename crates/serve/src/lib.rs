//! The web API, live events and the embedded app.
//!
//! The rule of this room: the only async code. It answers on the loopback interface by default, and only to
//! who has the token that was printed at the start; it asks nothing of anywhere else. The catalogue and the
//! engine are called off the async threads, through their own interfaces, and what the engine says goes to
//! every open page as it is said.
#![forbid(unsafe_code)]

mod albums;
mod assets;
mod clips;
mod extract;
mod guard;
mod imports;
mod index;
mod keep;
mod library;
mod listen;
mod live;
mod marks;
mod media;
mod openapi;
mod origin;
mod photos;
mod problem;
mod range;
mod rendered;
mod run;
mod server;
mod slice;
mod stacks;
mod token;
mod trash;
mod watch;

pub use guard::TOKEN_HEADER;
pub use library::LibraryOptions;
pub use listen::{MAX_CONNECTIONS, MAX_HEAD, MAX_STRANGERS};
pub use openapi::OPENAPI;
pub use run::serve;
pub use server::{MAX_BODY, Options, ServeError, Server};
pub use token::Token;

pub(crate) use server::App;

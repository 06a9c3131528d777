//! The worker process that decodes pixels, and the pool that feeds it.
//!
//! The rule of this room: the only code that starts processes for decoding,
//! limits them and judges their death. Both ends of the protocol live here, so
//! that they cannot drift apart.
//!
//! A caller makes a [`Worker`] (one child, one thread) or a [`Pool`] (several,
//! with a bounded queue) and hands over [`Job`]s: an open file, the range of
//! bytes in it, and the [`Task`]. The program given in [`WorkerOptions`] must
//! call [`serve_stdin`] when it is started with those arguments.
#![forbid(unsafe_code)]

mod child;
mod client;
mod clip;
mod confine;
mod job;
mod limits;
mod pool;
mod protocol;
mod server;
#[cfg(test)]
mod tests;

pub use lightfast_develop::raw::{DevelopOptions, Quality, WhiteBalance};

pub use client::{Worker, WorkerOptions};
pub use clip::{POSTER_LIMITS, Poster, Probed, poster, probe};
pub use job::{Fault, Job, JobError, Picture, Refusal, Task};
pub use limits::{Limits, TaskLimits};
pub use pool::{Callback, Pool, PoolJob};
pub use server::{ServeError, serve, serve_stdin};

//! The worker process that decodes pixels, and the pool that feeds it.
//!
//! The rule of this room: the only code that starts processes for decoding,
//! limits them and judges their death. Both ends of the protocol live here, so
//! that they cannot drift apart.
#![forbid(unsafe_code)]

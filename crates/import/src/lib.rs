//! Card, plan, copy, session: the path of an original into the library.
//!
//! The rule of this room: the only code that creates or renames originals.
#![deny(unsafe_code)]

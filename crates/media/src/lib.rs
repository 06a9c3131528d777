//! What is in one file: its kind, metadata, embedded previews, video facts and XMP.
//!
//! The rule of this room: hostile bytes in, values out. Everything is bounded
//! (bytes read, depth, count), nothing is written, no thread is started and
//! no file is mapped into memory. A file that cannot be understood gives
//! facts that say so; it is never an error that stops an import.
#![forbid(unsafe_code)]

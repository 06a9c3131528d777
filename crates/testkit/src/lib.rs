//! Made cards and samples, faults, and the checker of invariants.
//!
//! The rule of this room: nothing here ships, but for the card maker, which
//! `demo-card` reuses. What it makes is the same bytes for the same seed.
#![forbid(unsafe_code)]

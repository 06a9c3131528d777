//! The benchmark: importers against the system's copy, on plain and encrypted disks, as a user would run them.

mod books;
mod cache;
mod card;
mod cardspeed;
mod compare;
mod encrypted;
mod html;
mod machine;
mod measure;
mod probe;
mod programs;
mod report;
mod runner;
mod sample;
mod stats;
mod summary;
mod text;
mod tools;

pub use cache::Dropped;
pub use card::CardFacts;
pub use cardspeed::bytes_of;
pub use compare::{SavedError, compare, read_saved};
pub use encrypted::Encryption;
pub use html::html;
pub use machine::{Disk, Machine};
pub use measure::Transfer;
pub use probe::Latency;
pub use programs::{OwnReport, Program, ProgramError, REFERENCE};
pub use report::{BenchReport, Destination, MadeCard, Round, Row, Traced, VERSION};
pub use runner::{BenchError, BenchEvent, BenchOptions, bench};
pub use sample::Samples;
pub use stats::{Spread, Verdict};
pub use text::text;
pub use tools::ToolError;

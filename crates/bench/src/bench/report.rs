//! What a benchmark found: everything needed to repeat it, each transfer, and a row for each program and destination.
//!
//! The shape has a version and is stored by `--save`; `bench compare` reads it again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ablate::Ablation;
use super::cache::Dropped;
use super::card::CardFacts;
use super::machine::{Disk, Machine};
use super::measure::Transfer;
use super::probe::Latency;
use super::slowdisk::SlowDisk;
use super::stats::{Spread, Verdict};

/// The version of this shape.
pub const VERSION: u32 = 1;

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BenchReport {
    /// [`VERSION`] when it was written.
    pub version: u32,
    /// When, as the caller's clock has it.
    pub made_at: String,
    /// The command that repeats it.
    pub command: Vec<String>,
    /// Versions of the programs measured and of helpers.
    pub versions: BTreeMap<String, String>,
    /// What it ran on.
    pub machine: Machine,
    /// The card.
    pub card: CardFacts,
    /// Where the card was.
    pub card_disk: Disk,
    /// How the card was made, where it was.
    pub card_made: Option<MadeCard>,
    /// Bytes a second the card was limited to.
    pub card_speed: Option<u64>,
    /// What was dropped before each transfer.
    pub dropped: Dropped,
    /// Rounds that count. One more came first and was thrown away.
    pub rounds: usize,
    /// Latency of small things on the idle machine.
    pub idle: Latency,
    /// Where files went.
    pub destinations: Vec<Destination>,
    /// One for each program and destination.
    pub rows: Vec<Row>,
    /// Each transfer that counts.
    pub transfers: Vec<Round>,
    /// What each part costs, where that was asked for.
    #[serde(default)]
    pub ablations: Vec<Ablation>,
    /// The limits of the slow disk, where there is one.
    #[serde(default)]
    pub slow_disk: Option<SlowDisk>,
    /// What went wrong or is worth knowing.
    pub remarks: Vec<String>,
}

/// How a card was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MadeCard {
    pub files: u32,
    pub megapixels: u32,
    pub seed: u64,
}

/// A destination.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Destination {
    /// As the tables call it.
    pub name: String,
    /// Its file system.
    pub disk: Disk,
    /// The file system under it, where it is encrypted.
    pub under: Option<Disk>,
    /// The account it was used from, where it is another than ours.
    pub account: Option<String>,
}

/// One transfer in its place.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Round {
    pub round: usize,
    pub destination: usize,
    pub program: String,
    /// Files of the card that are in the destination, by content.
    pub complete: u64,
    /// Seconds the reference took in the same round on the same destination.
    pub reference_seconds: Option<f64>,
    #[serde(flatten)]
    pub transfer: Transfer,
}

/// What a traced transfer told; it is the first round, which is thrown away as a timing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Bytes written outside the destination.
    pub outside: u64,
    /// Files that were staged.
    pub staged_files: u64,
    /// Bytes written and read back for them.
    pub staged_bytes: u64,
    /// Until the program said it was done, under the tracer: only for the tracer's own cost.
    #[serde(default)]
    pub seconds: f64,
    /// Bytes by file system, as the program asked for them.
    #[serde(default)]
    pub places: Vec<Place>,
}

/// One file system in a traced transfer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Place {
    pub path: String,
    pub kind: String,
    pub read: u64,
    pub written: u64,
}

/// A program on a destination, over all rounds that count.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Row {
    pub destination: usize,
    pub program: String,
    /// Its time over that of the reference in the same round, until durable.
    pub ratio: Option<Spread>,
    pub verdict: Verdict,
    pub durable_seconds: Option<Spread>,
    pub exit_seconds: Option<Spread>,
    pub megabytes_per_second: Option<f64>,
    pub user_seconds: Option<f64>,
    pub system_seconds: Option<f64>,
    pub helper_seconds: Option<f64>,
    pub peak_memory: u64,
    pub helper_peak_memory: u64,
    /// Bytes of the program's processes that came from or went to disks.
    pub read: u64,
    pub written: u64,
    pub helper_read: u64,
    pub helper_written: u64,
    pub traced: Option<Traced>,
    /// How much longer it took under the tracer, as a share of its median.
    #[serde(default)]
    pub slowdown: Option<f64>,
    /// The fewest files complete of all rounds.
    pub complete: u64,
    pub first_thumbnail_seconds: Option<f64>,
    pub previews_seconds: Option<Spread>,
    pub latency: Option<Latency>,
    /// Seconds in the stages that the program itself reports; medians. They overlap.
    pub stages: BTreeMap<String, f64>,
    /// The highest share of the machine that other programs used.
    pub others: f64,
    /// Why it failed, the first time it did.
    pub failure: Option<String>,
}

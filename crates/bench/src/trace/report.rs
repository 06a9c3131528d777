//! What a trace found, as values; their JSON form is read by scripts (adding is free).
//!
//! Bytes are what system calls moved: a read that the cache answered counts, since the program asked for it. Read
//! and written are the program's own; `copied_out` and `copied_in` passed from file to file in the kernel.

use lightfast_model::BytePath;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// Everything a trace found.
#[derive(Debug, Clone, Serialize)]
pub struct TraceReport {
    /// Version of this shape.
    pub version: u32,
    /// The command traced, or what was joined.
    pub command: Vec<String>,
    /// The destination that was asked about.
    #[serde(serialize_with = "optional_path")]
    pub dest: Option<BytePath>,
    /// How the program ended: its status, or 128 + the signal that ended it. `None` where it was joined and left.
    pub exit: Option<i32>,
    /// From the first call to the last, seconds. Never a timing of the program: tracing slows it.
    pub seconds: f64,
    /// System calls seen.
    pub calls: u64,
    /// CPU seconds the tracer took; the program stood still for about as long.
    pub tracer_seconds: f64,
    /// By file system.
    pub file_systems: Vec<FileSystem>,
    /// By folder; where there are many, the deepest are put together.
    pub folders: Vec<Folder>,
    /// By process.
    pub processes: Vec<ProcessRow>,
    /// By process and folder.
    pub by_process: Vec<ProcessFolder>,
    /// By file; programs and settings that were only read are left out.
    pub files: Vec<FileRow>,
    /// Renames.
    pub renames: Renames,
    /// Files that took a way round.
    pub staging: Staging,
    /// What could not be counted, in words.
    pub not_counted: Vec<String>,
    /// What else is worth knowing, in words.
    pub notes: Vec<String>,
    /// Bytes over time.
    pub timeline: Timeline,
}

/// Sums over files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Totals {
    pub files_read: u64,
    pub files_written: u64,
    pub read: u64,
    pub written: u64,
    pub copied_out: u64,
    pub copied_in: u64,
    pub syncs: u64,
    pub read_seconds: f64,
    pub write_seconds: f64,
    pub sync_seconds: f64,
}

impl Totals {
    /// Bytes that came out of files, by any way.
    pub fn bytes_out(&self) -> u64 {
        self.read + self.copied_out
    }

    /// Bytes that went into files, by any way.
    pub fn bytes_in(&self) -> u64 {
        self.written + self.copied_in
    }
}

/// One file system.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct FileSystem {
    #[serde(flatten)]
    pub path: BytePath,
    pub kind: String,
    pub source: String,
    pub totals: Totals,
}

/// What a folder is to the transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Inside `--dest`.
    Destination,
    /// Outside it (all folders, where no destination was given).
    Outside,
    /// Programs, libraries and settings of the system, only read.
    System,
}

/// One folder, or several put together.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Folder {
    #[serde(flatten)]
    pub path: BytePath,
    pub place: Place,
    pub file_system: Option<usize>,
    pub totals: Totals,
}

/// One process.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ProcessRow {
    pub pid: u32,
    pub parent: Option<u32>,
    pub name: String,
    /// From the start of the trace.
    pub began_seconds: f64,
    pub ended_seconds: f64,
    pub calls: u64,
    pub totals: Totals,
}

/// One process in one folder: indices into `processes` and `folders`.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ProcessFolder {
    pub process: usize,
    pub folder: usize,
    pub totals: Totals,
}

/// One file.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct FileRow {
    #[serde(flatten)]
    pub path: BytePath,
    pub place: Place,
    /// No longer under this name at the end.
    pub gone: bool,
    /// Opened past the cache (`O_DIRECT`).
    pub direct: bool,
    /// Written at given offsets (`pwrite`), not one after the other.
    pub positioned: bool,
    /// Shares its blocks with its source (a reflink): its bytes cost nothing.
    pub cloned: bool,
    pub totals: Totals,
}

/// Renames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Renames {
    /// Within a folder.
    pub within_folder: u64,
    /// From folder to folder of a file system.
    pub across_folders: u64,
    /// Of these, from outside the destination into it.
    pub into_destination: u64,
    /// Hard links.
    pub links: u64,
    /// Refused because the two names are on different file systems; the program then has to copy.
    pub across_file_systems_refused: u64,
    /// Bytes of the files renamed, as far as they were written during the trace.
    pub bytes: u64,
}

/// How it is known that one file's content became another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The file itself was renamed or linked into place.
    Renamed,
    /// Copied by the kernel from one to the other.
    InKernel,
    /// The first bytes of the blocks read and written were the same.
    Content,
    /// Of the same size, and written by the thread that was reading it.
    Order,
}

/// Files that were written outside the destination before their content came into it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Staging {
    /// How many.
    pub files: u64,
    /// Bytes written to them.
    pub written: u64,
    /// Bytes read back from them.
    pub read_back: u64,
    /// Each, most costly first.
    pub list: Vec<Staged>,
}

/// One staged file.
#[derive(Debug, Clone, Serialize)]
pub struct Staged {
    /// Where it was first written.
    #[serde(flatten, serialize_with = "staged_path")]
    pub staged: BytePath,
    /// Where its content ended up.
    #[serde(flatten, serialize_with = "destination_path")]
    pub destination: BytePath,
    /// Bytes written outside the destination for it.
    pub written: u64,
    /// Bytes read back from there.
    pub read_back: u64,
    /// How it is known.
    pub evidence: Evidence,
    /// The process that brought it into place.
    pub process: String,
    /// Whether the staged file was deleted or renamed away afterwards.
    pub cleaned_up: bool,
}

/// Bytes over time, by folder.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Timeline {
    /// Length of a slice.
    pub slice_seconds: f64,
    /// One per folder that moved a noticeable share.
    pub series: Vec<Series>,
}

/// One folder over time.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Series {
    #[serde(flatten)]
    pub path: BytePath,
    pub out: Vec<u64>,
    pub into: Vec<u64>,
}

fn staged_path<S: Serializer>(path: &BytePath, serializer: S) -> Result<S::Ok, S::Error> {
    keyed("staged", path, serializer)
}

fn destination_path<S: Serializer>(path: &BytePath, serializer: S) -> Result<S::Ok, S::Error> {
    keyed("destination", path, serializer)
}

fn keyed<S: Serializer>(key: &str, path: &BytePath, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    path.serialize_as(key, &mut map)?;
    map.end()
}

fn optional_path<S: Serializer>(path: &Option<BytePath>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|p| p.as_path().to_string_lossy()).serialize(serializer)
}

//! The write tracer: what any program reads, writes, renames and syncs, by process, file system and folder, and
//! which files take a way round before they reach their destination.

mod calls;
mod html;
mod ledger;
mod mounts;
mod parse;
mod report;
mod run;
mod staging;
mod summary;
mod text;
mod watch;

pub use html::html;
pub use mounts::{Mount, Mounts};
pub use report::{
    Evidence, FileRow, FileSystem, Folder, Place, ProcessFolder, ProcessRow, Renames, Series, Staged, Staging,
    Timeline, Totals, TraceReport,
};
pub use run::{Output, Target, TraceError, TraceOptions, trace};
pub(crate) use text::bytes as bytes_text;
pub use text::text;
pub use watch::{WatchError, Watched, watch};

//! Why an import could not start, and what went wrong with one file.

use std::io;
use std::path::{Path, PathBuf};

use lightfast_catalog::CatalogError;

/// What was being done when an I/O call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Step {
    Open,
    List,
    Read,
    Create,
    Reserve,
    Write,
    SetTime,
    Sync,
    ReadBack,
    MakeFolder,
    Rename,
    SyncFolder,
    Remove,
    Lock,
}

impl Step {
    /// The verb, as it reads after "could not".
    pub fn verb(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::List => "list",
            Self::Read => "read",
            Self::Create => "create",
            Self::Reserve => "reserve space for",
            Self::Write => "write",
            Self::SetTime => "set the time of",
            Self::Sync => "sync",
            Self::ReadBack => "read back",
            Self::MakeFolder => "make the folder",
            Self::Rename => "give the final name to",
            Self::SyncFolder => "sync the folder",
            Self::Remove => "remove",
            Self::Lock => "lock",
        }
    }
}

/// An I/O error with its path and step.
#[derive(Debug, thiserror::Error)]
#[error("could not {} {}: {source}", step.verb(), path.display())]
pub struct IoError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was being done.
    pub step: Step,
    /// Where in the file, if that is known.
    pub offset: Option<u64>,
    /// What the system said.
    pub source: io::Error,
}

impl IoError {
    pub(crate) fn new(step: Step, path: &Path, source: impl Into<io::Error>) -> Self {
        Self { path: path.to_owned(), step, offset: None, source: source.into() }
    }

    /// Whether trying the next file is pointless: the destination is full, read-only or failing, or the card is gone.
    pub fn ends_session(&self) -> bool {
        use rustix::io::Errno;
        let Some(errno) = self.source.raw_os_error().map(Errno::from_raw_os_error) else { return false };
        let on_card = matches!(self.step, Step::Open | Step::List | Step::Read);
        if on_card {
            matches!(errno, Errno::NODEV | Errno::NOTCONN | Errno::CONNABORTED | Errno::NOMEDIUM | Errno::SHUTDOWN)
        } else {
            matches!(
                errno,
                Errno::NOSPC
                    | Errno::DQUOT
                    | Errno::ROFS
                    | Errno::IO
                    | Errno::NODEV
                    | Errno::NOTCONN
                    | Errno::CONNABORTED
                    | Errno::STALE
            )
        }
    }
}

/// Adds path and step to an I/O result.
pub(crate) trait At<T> {
    fn at(self, step: Step, path: &Path) -> Result<T, IoError>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, step: Step, path: &Path) -> Result<T, IoError> {
        self.map_err(|source| IoError::new(step, path, source))
    }
}

/// Why an import did not start. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StartError {
    #[error("there is no such folder: {}", path.display())]
    NoSource { path: PathBuf },
    #[error("not a folder: {}", path.display())]
    SourceNotFolder { path: PathBuf },
    #[error("the library {} lies inside the source {}", library.display(), source_dir.display())]
    LibraryInsideSource { library: PathBuf, source_dir: PathBuf },
    #[error("the source {} lies inside the library {}", source_dir.display(), library.display())]
    SourceInsideLibrary { library: PathBuf, source_dir: PathBuf },
    #[error("the source {} is given twice", path.display())]
    SourceTwice { path: PathBuf },
    #[error("the destinations {} and {} overlap", one.display(), other.display())]
    DestinationsOverlap { one: PathBuf, other: PathBuf },
    #[error("too many destinations: {most} at most")]
    TooManyDestinations { most: usize },
    #[error("another import is running into {}", library.display())]
    Locked { library: PathBuf },
    #[error("{} was written by a newer lightfast (layout {found}, this one knows {known})", library.display())]
    NewerLayout { library: PathBuf, found: u32, known: u32 },
    #[error("{} is not a library: {reason}", path.display())]
    NotALibrary { path: PathBuf, reason: String },
    #[error("not enough space in {}: {needed} bytes needed, {free} free", path.display())]
    TooSmall { path: PathBuf, needed: u64, free: u64 },
    #[error("the catalogue cannot lie in {}: its file system ({kind}) is not safe for it", path.display())]
    CatalogPlace { path: PathBuf, kind: String },
    #[error("`{template}` has no token and is a folder: originals are named by a template inside the library")]
    TemplateIsFolder { template: String },
    #[error("{} is a card, or looks like one: what is on a card is copied, not added", path.display())]
    AddsCard { path: PathBuf },
    #[error("the picture of a clock {picture} {reason}")]
    ClockPicture { picture: String, reason: &'static str },
    #[error("there is nothing to import in {}", shown(sources))]
    NothingToImport { sources: Vec<PathBuf>, junk: u64 },
    #[error(transparent)]
    Io(#[from] IoError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

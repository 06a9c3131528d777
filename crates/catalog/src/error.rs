//! Why the catalogue could not do something, and whose fault it is.
//!
//! SQLite's errors are kept whole inside; [`CatalogError::fault`] sorts them into the few kinds that a caller
//! acts upon. The messages are fragments that read after "failed to …:" or stand alone.

use std::path::PathBuf;

use rusqlite::ErrorCode;

use crate::query::QueryError;

/// Short form, for this room.
pub type Result<T, E = CatalogError> = std::result::Result<T, E>;

/// Why the catalogue could not do something.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// There is no catalogue here.
    #[error("no catalogue at {}", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// There is one already.
    #[error("a catalogue is already at {}", path.display())]
    Exists {
        /// Where it is.
        path: PathBuf,
    },
    /// The file is there, and is not a whole catalogue.
    #[error("the catalogue {} is damaged: {detail}", path.display())]
    Damaged {
        /// The file; it is left as it is.
        path: PathBuf,
        /// What was found, one line.
        detail: String,
    },
    /// It was written by a newer lightfast.
    #[error("the catalogue {} has schema {found}; this lightfast knows schemas up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema that is known here.
        known: i64,
    },
    /// It has an older schema, and is open for reading alone.
    #[error("the catalogue {} has the older schema {found}: open it once for writing to bring it up to date", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
    },
    /// The file or its folder could not be read or written.
    #[error("{step} {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done to it.
        step: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("{doing} in the catalogue: {source}")]
    Sql {
        /// What was being done.
        doing: &'static str,
        /// SQLite's answer.
        source: rusqlite::Error,
    },
    /// A value in the catalogue is not one that this program writes.
    #[error("the catalogue holds a {what} that cannot be read: {value}")]
    Value {
        /// Which value.
        what: &'static str,
        /// As found.
        value: String,
    },
    /// Something that was asked for by its row is not there.
    #[error("no such {what} in the catalogue: {name}")]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// Its name or row.
        name: String,
    },
    /// The query is not one.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another process holds the catalogue for longer than the time-out; trying again can help.
    Busy,
    /// The disk is full.
    Full,
    /// The disk does not answer as it should.
    Disk,
    /// A file cannot be opened: its folder is not there any more, or too many files are open.
    Unopened,
    /// The place cannot be written.
    ReadOnly,
    /// The file is damaged.
    Damaged,
    /// The request is wrong, or a defect of ours.
    Other,
}

impl CatalogError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Damaged { .. } | Self::Value { .. } => Fault::Damaged,
            Self::Io { step, source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Fault::Full,
                std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => Fault::ReadOnly,
                _ if *step == "open" => Fault::Unopened,
                _ => Fault::Disk,
            },
            Self::Sql { source, .. } => match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Busy,
                Some(ErrorCode::DiskFull) => Fault::Full,
                Some(ErrorCode::SystemIoFailure) => Fault::Disk,
                Some(ErrorCode::CannotOpen) => Fault::Unopened,
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Fault::ReadOnly,
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Damaged,
                _ => Fault::Other,
            },
            _ => Fault::Other,
        }
    }
}

/// Says what was being done when SQLite refused.
pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str) -> Result<T>;
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T> {
        self.map_err(|source| CatalogError::Sql { doing, source })
    }
}

//! What became of one file, and why not.

use std::path::PathBuf;

use lightfast_catalog::CatalogError;
use lightfast_model::{ContentHash, Match, Verified};

use crate::error::{IoError, Step};
use crate::plan::KnownCopy;

/// What became of one file of the plan.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Written, and named so in the library.
    Copied { path: PathBuf, hash: ContentHash, verified: Verified },
    /// Its content stands in the library already.
    Duplicate { copy: KnownCopy, matched: Match, verified: Verified },
    /// Its content was put in the trash.
    Trashed { hash: ContentHash },
    /// Not in the library, and why.
    Failed(Why),
}

/// Why a file is not in the library.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error(transparent)]
    Io(#[from] IoError),
    #[error("the file changed while it was read; import again when the camera or program is done with it")]
    SourceChanged,
    #[error("read back from the destination, it differs from the card: the disk or its cable is failing")]
    ReadBackDiffers,
    #[error("the card gave other bytes when it was read a second time: the card or its reader is failing")]
    SecondReadDiffers,
    #[error("the library's copy differs from the card's file: {}", path.display())]
    CopyDiffers { path: PathBuf },
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error("interrupted before it was copied")]
    Interrupted,
    #[error("not tried, since the import had to stop: {0}")]
    Stopped(String),
    #[error("{0}")]
    Refused(String),
}

impl Why {
    /// The step for the journal.
    pub(crate) fn step(&self) -> &'static str {
        match self {
            Self::Io(error) => error.step.verb(),
            Self::SourceChanged | Self::SecondReadDiffers => Step::Read.verb(),
            Self::ReadBackDiffers | Self::CopyDiffers { .. } => Step::ReadBack.verb(),
            Self::Catalog(_) => "commit",
            Self::Interrupted | Self::Stopped(_) | Self::Refused(_) => "start",
        }
    }

    /// Whether the session cannot go on.
    pub(crate) fn ends_session(&self) -> bool {
        match self {
            Self::Io(error) => error.ends_session(),
            Self::Catalog(_) => true,
            _ => false,
        }
    }
}

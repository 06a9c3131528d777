//! What became of one file, and why not.

use std::path::PathBuf;

use lightfast_catalog::CatalogError;
use lightfast_model::{BytePath, ContentHash, FileState, Match, Verified};

use crate::error::{IoError, Step};

/// What became of one file of the plan, once every destination has answered.
#[derive(Debug)]
pub(crate) enum Told {
    /// It is, or is not, in the destinations.
    Answered {
        hash: Option<ContentHash>,
        /// How its content was recognised as known, where it was.
        matched: Option<Match>,
        /// One answer a destination, in their order.
        answers: Vec<Answer>,
    },
    /// Its content was put in the trash.
    Trashed { hash: ContentHash },
}

/// One destination's answer for one file.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Written there, and named so.
    Copied { path: PathBuf, verified: Verified },
    /// Its content stands there already.
    Stands { path: BytePath, verified: Verified },
    /// Not there, and why.
    Failed(Why),
}

impl Answer {
    /// How it was proven there.
    pub(crate) fn verified(&self) -> Option<Verified> {
        match self {
            Self::Copied { verified, .. } | Self::Stands { verified, .. } => Some(*verified),
            Self::Failed(_) => None,
        }
    }

    /// The word for it.
    pub(crate) fn state(&self) -> FileState {
        match self {
            Self::Copied { .. } => FileState::Copied,
            Self::Stands { .. } => FileState::Duplicate,
            Self::Failed(_) => FileState::Failed,
        }
    }

    /// Where it is there.
    pub(crate) fn path(&self) -> Option<BytePath> {
        match self {
            Self::Copied { path, .. } => Some(BytePath(path.clone())),
            Self::Stands { path, .. } => Some(path.clone()),
            Self::Failed(_) => None,
        }
    }
}

/// Why a file is not in a destination.
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

    /// Whether its destination (or, where the card is at fault, the session) cannot go on.
    pub(crate) fn ends_session(&self) -> bool {
        match self {
            Self::Io(error) => error.ends_session(),
            Self::Catalog(_) => true,
            _ => false,
        }
    }

    /// Whether the card is at fault, and not a destination.
    pub(crate) fn is_card(&self) -> bool {
        match self {
            Self::Io(error) => matches!(error.step, Step::Open | Step::List | Step::Read),
            Self::SourceChanged | Self::SecondReadDiffers => true,
            _ => false,
        }
    }
}

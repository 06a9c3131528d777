//! The plan: what an import will do with every file, as a value. Print it, and that is the dry run.

mod amend;
mod build;
mod containers;
mod known;
mod look;
mod naming;
mod shots;

use std::path::{Path, PathBuf};

use lightfast_catalog::{FileId, IntentId};
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, DestinationPlan, Facts, PhotoId, PhotoKind, Preview, Role, Verified,
};

use crate::card::{Card, Listing, SourceFile};

pub(crate) use amend::{Amendments, facts_in_zone};
pub use amend::{ClockBy, ClockCorrection, ClockError};
pub(crate) use build::{PlanError, build, nearest_existing};
pub(crate) use known::{Knowledge, hash_of, hash_open, quick_key, standing_copy};
pub(crate) use look::{LookAt, facts_of, look_into};
pub(crate) use naming::new_photo_id;
pub(crate) use shots::taken_guess;

/// Everything that an import will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The sources, in the order given.
    pub sources: Vec<PlannedSource>,
    /// Every file found, in the order of sources and names.
    pub files: Vec<PlannedFile>,
    /// Space in each destination.
    pub destinations: Vec<DestinationPlan>,
}

/// A source and what was found in it.
#[derive(Clone, Debug)]
pub struct PlannedSource {
    /// Which card it is.
    pub card: Card,
    /// What was on it.
    pub listing: Listing,
}

/// One file and what will be done with it.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Which of the plan's sources it is from.
    pub source: usize,
    /// The file.
    pub file: SourceFile,
    /// What will be done.
    pub action: Action,
    /// Of a duplicate: the copies that stand in the further destinations, in their order.
    pub elsewhere: Vec<Option<KnownCopy>>,
    /// Of a duplicate that some further destination lacks: where it goes there.
    pub also_target: Option<Box<Target>>,
}

/// What will be done with a file.
#[derive(Clone, Debug)]
pub enum Action {
    /// Read once and written.
    Copy(Box<Target>),
    /// Its content may be here already: read and hashed whole; written only if it is not.
    Compare(Box<Target>),
    /// This very card, path, size and time was hashed whole before, and the copy stands.
    Duplicate(KnownCopy),
    /// Put in the trash before.
    Trashed(ContentHash),
    /// Junk.
    Ignored(&'static str),
    /// Not a file, or one that cannot be read or held by the destination.
    Refused(String),
}

/// A copy of the same content that stands in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCopy {
    /// The content's row.
    pub file: FileId,
    /// The content.
    pub hash: ContentHash,
    /// Relative to the library.
    pub path: BytePath,
    /// How it was proven.
    pub verified: Option<Verified>,
}

/// Where a file goes and what it is.
#[derive(Clone, Debug)]
pub struct Target {
    /// Final path, relative to each destination.
    pub path: PathBuf,
    /// The photo it belongs to.
    pub photo: PhotoId,
    /// What it is to that photo.
    pub role: Role,
    /// Which files of the import are one photo.
    pub group: u32,
    /// Number within the import.
    pub seq: u32,
    /// What the file says of itself, where it was looked into.
    pub facts: Option<Facts>,
    /// When it was taken; from its modification time where nothing better is known.
    pub taken: CaptureTime,
    /// What its photo is to a person.
    pub kind: PhotoKind,
    /// The JPEG from which the photo's thumbnail is made, in the one file of the photo that gives it.
    pub thumbnail_from: Option<Preview>,
    /// Whether a frame of it is to be the photo's thumbnail, where ffmpeg is there to make one.
    pub poster: bool,
    /// What is worth knowing of it once it is copied.
    pub note: Option<&'static str>,
    /// The intent of an interrupted import that this file takes up.
    pub resumes: Option<IntentId>,
}

impl Plan {
    /// Bytes that may be written, at most.
    pub fn bytes_to_copy(&self) -> u64 {
        self.files.iter().filter(|file| file.target().is_some()).map(|file| file.file.size).sum()
    }

    /// Whether there is nothing to import: empty, or only junk.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| matches!(file.action, Action::Ignored(_)))
    }

    /// The absolute path of a file on its card.
    pub fn source_path(&self, file: &PlannedFile) -> PathBuf {
        let source = self.sources.get(file.source).map_or(Path::new(""), |source| &source.card.source);
        source.join(file.file.path.as_path())
    }
}

impl PlannedFile {
    /// Whether it may be written to a destination, by that one's place in the list; the library's is 0.
    pub fn wants(&self, dest: usize) -> bool {
        match &self.action {
            Action::Copy(_) | Action::Compare(_) => true,
            Action::Duplicate(_) => {
                dest.checked_sub(1).and_then(|at| self.elsewhere.get(at)).is_some_and(Option::is_none)
            }
            _ => false,
        }
    }

    /// Where it goes, if it may be written.
    pub fn target(&self) -> Option<&Target> {
        match &self.action {
            Action::Copy(target) | Action::Compare(target) => Some(target),
            _ => self.also_target.as_deref(),
        }
    }
}

//! Sidecars, as the catalogue knows them: which photos have marks that no sidecar has yet, and what was last written to
//! or read from each sidecar.
//!
//! Reading and writing the files is for others. They ask for the photos that are due, bring files and catalogue
//! together, and say what came of it; a photo that was marked again meanwhile stays due.

mod marked;
mod outcome;

use lightfast_model::{BytePath, ContentHash, Flag, Label, Orientation, PhotoId, Role};
use serde::{Deserialize, Serialize};

use crate::{RootId, writer};

pub use outcome::SidecarOutcome;

/// How a sidecar is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Naming {
    /// `IMG_0001.xmp`, as Lightroom does.
    Stem,
    /// `IMG_0001.CR2.xmp`, as darktable does.
    WithExtension,
}

impl Naming {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Stem, Self::WithExtension];

    pub(crate) fn code(self) -> i64 {
        match self {
            Self::Stem => 0,
            Self::WithExtension => 1,
        }
    }
}

/// The marks of a photo, as both the catalogue and a sidecar can hold them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// Stars, 0 to 5.
    pub rating: u8,
    /// The flag.
    pub flag: Option<Flag>,
    /// The colour label.
    pub label: Option<Label>,
    /// EXIF's orientation with the person's turns, where it is not the file's own.
    pub orientation: Option<u8>,
    /// Title.
    pub title: Option<String>,
    /// Caption.
    pub caption: Option<String>,
    /// Creators, joined by `; `.
    pub creator: Option<String>,
    /// Copyright.
    pub copyright: Option<String>,
    /// Keywords, in the order of their folded forms, each once.
    pub keywords: Vec<String>,
}

impl Marks {
    /// The form in which keywords are compared.
    pub fn fold(keyword: &str) -> String {
        writer::fold(keyword.trim())
    }

    /// Puts keywords in order and drops those that are there twice or empty.
    pub fn in_order(mut self) -> Self {
        self.keywords.retain(|k| !k.trim().is_empty());
        self.keywords.sort_by_cached_key(|k| Self::fold(k));
        self.keywords.dedup_by(|a, b| Self::fold(a) == Self::fold(b));
        self
    }
}

/// What was last written to or read from a sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarBase {
    /// The root that it lies in.
    pub root: RootId,
    /// How it is named.
    pub naming: Naming,
    /// Where it was then, relative to the root.
    pub path: BytePath,
    /// Its bytes.
    pub hash: ContentHash,
    /// What both sides knew.
    pub base: Marks,
}

/// Where a photo's main file lies: its sidecar lies beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainFile {
    /// The root.
    pub root: RootId,
    /// Relative to the root.
    pub path: BytePath,
    /// What it is to the photo.
    pub role: Role,
}

/// A photo with its marks, and what is known of its sidecars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedPhoto {
    /// Its row.
    pub row: i64,
    /// Its lasting name.
    pub id: PhotoId,
    /// What it has now.
    pub marks: Marks,
    /// The orientation of the file itself.
    pub orientation: Orientation,
    /// Whether no sidecar has its marks yet.
    pub due: bool,
    /// Whether catalogue and sidecar contradict each other.
    pub conflict: bool,
    /// Copies of its main file that should be on disk, the oldest first; one a root is used.
    pub main: Vec<MainFile>,
    /// Companions of it that came as files of their own, where they lie.
    pub companions: Vec<(RootId, BytePath)>,
    /// What was last written or read.
    pub bases: Vec<SidecarBase>,
}

//! A photo as `list`, `show` and the web app give it: see INTERFACE in the documentation of the commands.

use serde::{Deserialize, Serialize};

use crate::{BytePath, ContentHash, PhotoId, TimeSource, Verified};

/// What a photo is to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhotoKind {
    /// A still.
    Photo,
    /// A clip.
    Video,
}

/// What a file is to its photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The RAW.
    Raw,
    /// A JPEG of the same press of the button, or the photo itself.
    Jpeg,
    /// HEIF, HEIC, HIF, AVIF.
    Heif,
    /// TIFF.
    Tiff,
    /// A clip.
    Video,
    /// A sound note.
    Audio,
    /// XMP, AAE, XML.
    Sidecar,
    /// THM and the like.
    Thumbnail,
    /// Anything else.
    Other,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Raw,
        Self::Jpeg,
        Self::Heif,
        Self::Tiff,
        Self::Video,
        Self::Audio,
        Self::Sidecar,
        Self::Thumbnail,
        Self::Other,
    ];

    /// The word used in JSON and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Jpeg => "jpeg",
            Self::Heif => "heif",
            Self::Tiff => "tiff",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Sidecar => "sidecar",
            Self::Thumbnail => "thumbnail",
            Self::Other => "other",
        }
    }

    /// The inverse of [`Role::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A decision made while culling. A reject is only a flag; nothing is deleted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// Chosen.
    Pick,
    /// Put aside.
    Reject,
}

impl Flag {
    /// The word used in JSON and in queries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pick => "pick",
            Self::Reject => "reject",
        }
    }
}

/// A colour label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Label {
    Red,
    Yellow,
    Green,
    Blue,
    Purple,
}

impl Label {
    /// All of them, in the order of the keys 6 to 9.
    pub const ALL: [Self; 5] = [Self::Red, Self::Yellow, Self::Green, Self::Blue, Self::Purple];

    /// The word used in JSON and in queries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Purple => "purple",
        }
    }

    /// The inverse of [`Label::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str() == text)
    }
}

/// One place where a file's content lies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Copy {
    /// The id of the root: the library itself, a second destination, an added folder.
    pub root: String,
    /// Relative to the root.
    #[serde(flatten)]
    pub path: BytePath,
    /// How it was proven.
    pub verified: Option<Verified>,
    /// When, as an RFC 3339 time in UTC.
    pub verified_at: Option<String>,
}

/// One file of a photo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhotoFile {
    /// What it is to the photo.
    pub role: Role,
    /// Its size.
    pub bytes: u64,
    /// Its content.
    pub hash: ContentHash,
    /// Where it lies.
    pub copies: Vec<Copy>,
}

/// A photo: what one press of the shutter made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Photo {
    pub id: PhotoId,
    pub kind: PhotoKind,
    pub taken: Option<String>,
    pub utc_offset: Option<String>,
    pub taken_from: Option<TimeSource>,
    pub camera: Option<String>,
    pub make: Option<String>,
    pub serial: Option<String>,
    pub lens: Option<String>,
    pub iso: Option<u32>,
    pub iso_auto: Option<bool>,
    pub exposure: Option<String>,
    pub aperture: Option<f64>,
    pub focal_length: Option<f64>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub orientation: Option<u8>,
    pub duration: Option<f64>,
    pub rating: u8,
    pub flag: Option<Flag>,
    pub label: Option<Label>,
    pub title: Option<String>,
    pub caption: Option<String>,
    pub creator: Option<String>,
    pub copyright: Option<String>,
    pub keywords: Vec<String>,
    pub gps: Option<[f64; 2]>,
    pub job: Option<String>,
    pub imported: Option<String>,
    pub files: Vec<PhotoFile>,
}

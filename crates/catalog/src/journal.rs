//! The library's journal, as a format: JSON lines of what neither originals nor sidecars hold, for making the catalogue again.
//!
//! Every batch of lines begins with its version. Lines are whole facts ("the rating is 4"), so the last one about a
//! thing is right, and one that is there twice does no harm. Writing is in `journal_writer`, reading in `memory`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lightfast_model::{BytePath, ContentHash, PhotoId, PhotoKind, Role, SessionId, TimeSource, Verified};
use serde::{Deserialize, Serialize};

use crate::{CardIdentity, CatalogError, Result, SessionCounts, codes};

/// Version of the lines that are written.
pub(crate) const VERSION: u32 = 1;

/// Bytes of a path: text, or base64 where it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Text {
    Plain(String),
    Bytes { base64: String },
}

impl Text {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let path = BytePath::from_bytes(bytes);
        match path.base64_if_lossy() {
            Some(base64) => Self::Bytes { base64 },
            None => Self::Plain(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// The path; none where the base64 is wrong.
    pub(crate) fn path(&self) -> Option<BytePath> {
        use base64::Engine as _;
        match self {
            Self::Plain(text) => Some(BytePath::from_bytes(text.as_bytes())),
            Self::Bytes { base64 } => {
                let bytes = base64::engine::general_purpose::STANDARD.decode(base64).ok()?;
                Some(BytePath::from_bytes(&bytes))
            }
        }
    }
}

/// A session of import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionLine {
    pub(crate) id: SessionId,
    pub(crate) source: Text,
    pub(crate) card: CardIdentity,
    pub(crate) started: Timestamp,
    pub(crate) ended: Option<Timestamp>,
    pub(crate) job: Option<String>,
    pub(crate) options: String,
    pub(crate) counts: Option<SessionCounts>,
    pub(crate) safe: Option<bool>,
}

/// What was seen on a card: history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeenLine {
    pub(crate) session: SessionId,
    pub(crate) source: Text,
    pub(crate) hash: ContentHash,
    pub(crate) bytes: u64,
    pub(crate) mtime_ns: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) quick: Option<String>,
    pub(crate) proven: bool,
}

/// A photo: its lasting name and what an import decided about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PhotoLine {
    pub(crate) id: PhotoId,
    pub(crate) kind: PhotoKind,
    pub(crate) taken: jiff::civil::DateTime,
    pub(crate) digits: u8,
    pub(crate) utc_offset: Option<i32>,
    pub(crate) taken_from: TimeSource,
    pub(crate) imported: Timestamp,
    pub(crate) session: Option<SessionId>,
    pub(crate) files: Vec<MemberLine>,
}

/// A file of a photo, and where it was put.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemberLine {
    pub(crate) role: Role,
    pub(crate) hash: ContentHash,
    pub(crate) copies: Vec<CopyLine>,
}

/// A copy, and how it was proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CopyLine {
    pub(crate) root: String,
    pub(crate) path: Text,
    pub(crate) verified: Option<Verified>,
    pub(crate) at: Option<Timestamp>,
}

/// What marks a set of photos has now, of those that a step changed. An absent field stays; a null one is cleared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MarkLine {
    pub(crate) at: Timestamp,
    pub(crate) photos: Vec<PhotoId>,
    pub(crate) set: BTreeMap<String, serde_json::Value>,
}

/// Photos that were put away, brought back or deleted for good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrashLine {
    pub(crate) at: Timestamp,
    pub(crate) state: String,
    pub(crate) photos: Vec<PhotoId>,
    pub(crate) hashes: Vec<ContentHash>,
}

/// An album as it is, or that it was deleted. Which photos are in it is with the marks of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AlbumLine {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) query: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) gone: bool,
}

/// A root: a place where originals live.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RootLine {
    pub(crate) uuid: String,
    pub(crate) path: Text,
    /// Whether it is an added folder.
    pub(crate) added: bool,
    pub(crate) sidecars: bool,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub(crate) enum Line {
    /// The version, and how far the catalogue's counter of changes was.
    Head {
        version: u32,
        changes: i64,
    },
    Root(RootLine),
    Session(SessionLine),
    Seen(SeenLine),
    Photo(PhotoLine),
    Mark(MarkLine),
    Trash(TrashLine),
    Album(AlbumLine),
}

impl Line {
    pub(crate) fn trash(state: &str, at: Timestamp, rows: &[(String, Option<Vec<u8>>)]) -> Result<Self> {
        let mut photos: Vec<PhotoId> = rows.iter().filter_map(|(uid, _)| PhotoId::parse(uid)).collect();
        photos.dedup();
        let hashes = rows.iter().filter_map(|(_, hash)| hash.as_deref()).map(codes::content_hash);
        Ok(Self::Trash(TrashLine { at, state: state.to_owned(), photos, hashes: hashes.collect::<Result<_>>()? }))
    }

    /// As it is written, without the line's end.
    pub(crate) fn text(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|e| CatalogError::Value { what: "line of the journal", value: e.to_string() })
    }
}

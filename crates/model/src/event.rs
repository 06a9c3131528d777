//! What the engine says while it works. The terminal, the JSON lines, the web page and the session's log
//! are all consumers of this one stream.

use serde::{Deserialize, Serialize};

use crate::{BytePath, ContentHash, SessionId, Verified, VerifyMode};

/// What happened to one file of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// Written, synced and, unless asked otherwise, read back.
    Copied,
    /// Its content is in the library already.
    Duplicate,
    /// Put in the trash earlier; not imported again.
    Trashed,
    /// Catalogued where it lies.
    Added,
    /// Junk, by the names that are known to be junk.
    Ignored,
    /// Not in the library; the reason says why.
    Failed,
    /// A dry run would copy it.
    WouldCopy,
}

/// How a duplicate was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// This very card, path, size and time was hashed whole in an earlier verified session.
    Card,
    /// Hashed whole now.
    Full,
}

/// One destination's answer for a file; only where there are several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DestinationFile {
    /// Where it is in that destination, relative to it.
    #[serde(flatten)]
    pub path: BytePath,
    /// What happened there.
    pub state: FileState,
    /// How it was proven there.
    pub verified: Option<Verified>,
    /// Why it failed there.
    pub reason: Option<String>,
}

/// The end of one file of the card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileEvent {
    /// Its path on the card, relative to the source.
    #[serde(flatten, serialize_with = "crate::path::source")]
    pub source: BytePath,
    /// Its path in the library, relative to it.
    #[serde(flatten, serialize_with = "crate::path::optional")]
    pub path: Option<BytePath>,
    /// What happened.
    pub state: FileState,
    /// Its size.
    pub bytes: u64,
    /// Its content, where it is known.
    pub hash: Option<ContentHash>,
    /// How it was proven: the weakest of all destinations.
    pub verified: Option<Verified>,
    /// Why it failed or was ignored; of a copied one, what is worth knowing (a sidecar without its photo).
    pub reason: Option<String>,
    /// How a duplicate was recognised.
    #[serde(rename = "match")]
    pub matched: Option<Match>,
    /// The library path of the same content.
    pub duplicate_of: Option<String>,
    /// The answers of each destination, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destinations: Vec<DestinationFile>,
}

/// A stage of an import; the keys of [`Stages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Stage {
    Scan,
    Plan,
    Copy,
    Sync,
    Verify,
    Metadata,
    Thumbnails,
    Catalog,
    Previews,
}

/// Seconds spent in each stage. Stages overlap, so they add up to more than the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Stages {
    pub scan: f64,
    pub plan: f64,
    pub copy: f64,
    pub sync: f64,
    pub verify: f64,
    pub metadata: f64,
    pub thumbnails: f64,
    pub catalog: f64,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Progress {
    pub stage: Stage,
    pub files: u64,
    pub files_total: u64,
    pub bytes: u64,
    pub bytes_total: u64,
    pub bytes_per_second: u64,
    pub eta_seconds: Option<f64>,
}

/// What a plan needs of one destination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DestinationPlan {
    /// The destination's folder.
    #[serde(flatten)]
    pub path: BytePath,
    /// Bytes free there.
    pub free: u64,
    /// Bytes needed, with the margin.
    pub needed: u64,
}

/// How many files of a destination were proven how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct VerifiedCounts {
    pub cold: u64,
    pub twice: u64,
    pub reread: u64,
    pub stream: u64,
}

impl VerifiedCounts {
    /// Counts one more file.
    pub fn add(&mut self, verified: Verified) {
        match verified {
            Verified::Cold => self.cold += 1,
            Verified::Twice => self.twice += 1,
            Verified::Reread => self.reread += 1,
            Verified::Stream => self.stream += 1,
        }
    }

    /// All files.
    pub fn total(&self) -> u64 {
        self.cold + self.twice + self.reread + self.stream
    }
}

/// One destination's verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DestinationReport {
    /// The destination's folder.
    #[serde(flatten)]
    pub path: BytePath,
    /// Files written.
    pub copied: u64,
    /// Files that failed.
    pub failed: u64,
    /// How files were proven (duplicates among them).
    pub verified: VerifiedCounts,
    /// Whether all that is asked for is safe here.
    pub safe: bool,
}

/// One source's verdict, where there are several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceReport {
    /// The source's folder.
    #[serde(flatten, serialize_with = "crate::path::source")]
    pub source: BytePath,
    /// The card's name.
    pub card: Option<String>,
    /// Its own verdict.
    pub safe_to_format: Option<bool>,
}

/// A file, or the card itself, that keeps the verdict from being "safe".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotSafe {
    /// Its path on the card, relative to the source.
    #[serde(flatten, serialize_with = "crate::path::source")]
    pub source: BytePath,
    /// Why.
    pub reason: String,
}

/// The end of an import. `files_seen = copied + duplicates + trashed + added + ignored + failed`, always.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Report {
    pub session: Option<SessionId>,
    pub files_seen: u64,
    pub copied: u64,
    pub duplicates: u64,
    pub trashed: u64,
    pub added: u64,
    pub ignored: u64,
    pub failed: u64,
    pub bytes_copied: u64,
    pub seconds: f64,
    pub stages: Stages,
    pub verify: VerifyMode,
    pub safe_to_format: Option<bool>,
    pub destinations: Vec<DestinationReport>,
    pub not_safe: Vec<NotSafe>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceReport>,
}

/// Everything the engine says, in this order: scan, plan, then files and progress, then one report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// A source was listed.
    Scan {
        /// The source's folder.
        #[serde(flatten, serialize_with = "crate::path::source")]
        source: BytePath,
        /// The card's name: its volume label, else its folder's name.
        card: Option<String>,
        /// Files found, junk among them.
        files: u64,
        /// Their bytes, junk not counted.
        bytes: u64,
        /// How many of the files are junk.
        junk: u64,
    },
    /// What will be done.
    Plan {
        /// Files to copy.
        copy: u64,
        /// Files that need not be read again.
        duplicates: u64,
        /// Files that were put in the trash.
        trashed: u64,
        /// Bytes to copy.
        bytes: u64,
        /// Each destination's space.
        destinations: Vec<DestinationPlan>,
    },
    /// The end of one file.
    File(Box<FileEvent>),
    /// How far a stage is.
    Progress(Progress),
    /// The end.
    Report(Box<Report>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_event_has_the_shape_that_scripts_rely_on() {
        let event = Event::File(Box::new(FileEvent {
            source: BytePath::from_bytes(b"DCIM/100EOS5D/IMG_0001.CR2"),
            path: None,
            state: FileState::WouldCopy,
            bytes: 3,
            hash: None,
            verified: None,
            reason: None,
            matched: Some(Match::Card),
            duplicate_of: None,
            destinations: Vec::new(),
        }));
        assert_eq!(
            serde_json::to_value(&event).unwrap(),
            serde_json::json!({
                "event": "file", "source": "DCIM/100EOS5D/IMG_0001.CR2", "path": null, "state": "would-copy",
                "bytes": 3, "hash": null, "verified": null, "reason": null, "match": "card", "duplicate_of": null
            })
        );
    }
}

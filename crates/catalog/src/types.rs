//! The values that go in and out of the catalogue: sessions, intents, published files, what is known of a
//! content. They are plain data, so that a plan or a test can make them by hand; nothing here touches SQL.

use jiff::Timestamp;
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, Facts, PhotoId, PhotoKind, QuickKey, Role, SessionId, Verified,
};
use serde::{Deserialize, Serialize};

/// A place where originals live: its row in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RootId(pub i64);

/// One file that a session intends to write: its row in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IntentId(pub i64);

/// One content: its row in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub i64);

/// A place where originals live: the library itself, a second destination, an added folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its row.
    pub id: RootId,
    /// Its lasting name, kept in its `.lightfast` folder; `root` in JSON.
    pub uuid: String,
    /// Where it was last seen.
    pub path: BytePath,
}

/// Which card this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardIdentity {
    /// The file system's UUID or serial number, or a stand-in where it has none.
    pub id: String,
    /// Its volume label.
    pub label: Option<String>,
}

/// An import that begins.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    /// The folder it reads, as the person gave it.
    pub source: BytePath,
    /// Which card that is.
    pub card: CardIdentity,
    /// When it began.
    pub started: Timestamp,
    /// The job code.
    pub job: Option<String>,
    /// Its options as JSON, for the record.
    pub options_json: String,
}

/// A file that is about to be written: step 1 of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// The destination.
    pub root: RootId,
    /// Its path on the card, relative to the source.
    pub source: BytePath,
    /// Bytes, as listed.
    pub size: u64,
    /// Modification time as listed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The final path relative to the root, or its stem where the template needs the content's hash.
    pub path: BytePath,
    /// The temporary file, relative to the root.
    pub temp: BytePath,
    /// The photo it will belong to; chosen here, so that it survives a resume.
    pub photo: PhotoId,
    /// What it is to that photo.
    pub role: Role,
    /// Which files of the session are one photo.
    pub group: u32,
    /// `{seq}`, fixed here, so that it is the same after a resume.
    pub seq: Option<u32>,
}

/// An intent that was neither finished nor given up, for recovery.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedIntent {
    /// Its row.
    pub id: IntentId,
    /// The session that wrote it.
    pub session: SessionId,
    /// That session's source folder.
    pub session_source: BytePath,
    /// That session's card.
    pub card: String,
    /// What was intended.
    pub intent: Intent,
}

/// A file that is on stable storage under its final name: step 9 of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// What was intended.
    pub intent: IntentId,
    /// The path as it ended, relative to the intent's root.
    pub path: BytePath,
    /// Its content.
    pub hash: ContentHash,
    /// Its quick key.
    pub quick: QuickKey,
    /// Bytes.
    pub size: u64,
    /// Modification time of the copy, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How it was proven.
    pub verified: Verified,
    /// When.
    pub verified_at: Timestamp,
    /// What the file says of itself, where it could be parsed.
    pub facts: Option<Facts>,
    /// When it was taken: from the facts, else from its name or modification time, flagged as a guess.
    pub taken: CaptureTime,
    /// What its photo is to a person.
    pub kind: PhotoKind,
}

/// A file of the card whose content is in the library already.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// Its path on the card, relative to the source.
    pub source: BytePath,
    /// Bytes.
    pub size: u64,
    /// Modification time on the card, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its content, hashed whole.
    pub hash: ContentHash,
    /// Its quick key, where it was computed.
    pub quick: Option<QuickKey>,
    /// The same content.
    pub of: FileId,
    /// The intent that this settles, where there was one.
    pub intent: Option<IntentId>,
}

/// A file that could not be imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// What was intended.
    pub intent: IntentId,
    /// The step at which it failed: read, write, sync, verify, rename.
    pub step: String,
    /// The system's error number.
    pub errno: Option<i32>,
    /// Where in the file, in bytes.
    pub offset: Option<u64>,
    /// One clear line.
    pub reason: String,
}

/// The counts of a closed session; they add up to `files_seen`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SessionCounts {
    pub files_seen: u64,
    pub copied: u64,
    pub duplicates: u64,
    pub trashed: u64,
    pub added: u64,
    pub ignored: u64,
    pub failed: u64,
    pub bytes_copied: u64,
}

/// A copy that should be on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyAt {
    /// Its root.
    pub root: RootId,
    /// Relative to the root.
    pub path: BytePath,
    /// Bytes.
    pub size: u64,
    /// Modification time as recorded, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How it was proven.
    pub verified: Option<Verified>,
}

/// What was hashed whole, in a session of this very card, at one path of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardEntry {
    /// Bytes, as they were.
    pub size: u64,
    /// Modification time on the card, as it was, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its content.
    pub hash: ContentHash,
    /// That content's row, while there is one.
    pub file: Option<FileId>,
    /// Copies that should be on disk.
    pub copies: Vec<CopyAt>,
    /// Whether the content was put in the trash (and not restored).
    pub trashed: bool,
}

/// A content that the catalogue knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its row.
    pub file: FileId,
    /// The content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// Copies that should be on disk.
    pub copies: Vec<CopyAt>,
    /// Whether the content was put in the trash (and not restored).
    pub trashed: bool,
}

//! What a manifest says, as values.

use crate::HashKind;

/// Which format a manifest has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ASC MHL, version 2.0 of the file.
    Asc2,
    /// MHL 1.x.
    Mhl1,
}

/// What a program did when it wrote a hash down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The first time that this file was hashed.
    Original,
    /// It was as before.
    Verified,
    /// It was not as before.
    Failed,
}

/// One hash of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hash {
    /// Its kind.
    pub kind: HashKind,
    /// As written.
    pub text: String,
    /// What was done, where it is said.
    pub action: Option<Action>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the folder that the manifest is of, with `/`.
    pub path: String,
    /// Bytes.
    pub size: Option<u64>,
    /// Its hashes; none where only the size is known (`null` of MHL 1.1).
    pub hashes: Vec<Hash>,
}

/// Another manifest, of a folder below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Relative, with `/`.
    pub path: String,
    /// Its C4 id.
    pub c4: String,
}

/// One manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Its format.
    pub format: Format,
    /// When it was made, as written.
    pub created: Option<String>,
    /// Its files, in its order.
    pub entries: Vec<Entry>,
    /// Patterns of names that it leaves out.
    pub ignore: Vec<String>,
    /// Manifests of folders below.
    pub references: Vec<Reference>,
    /// Files that are named twice, or by a path that is not one below the folder: they are not among the entries.
    pub refused: Vec<String>,
}

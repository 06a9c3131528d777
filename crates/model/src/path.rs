//! Paths whose names are bytes, as a card has them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// A path kept byte for byte.
///
/// In JSON it must be flattened: `#[serde(flatten)]` gives `"path"`, and `"path_bytes"` (base64) beside it
/// where the bytes are not UTF-8 and `"path"` is therefore lossy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BytePath(pub PathBuf);

impl BytePath {
    /// From the raw bytes, as stored.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(PathBuf::from(OsStr::from_bytes(bytes)))
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_os_str().as_bytes()
    }

    /// As a path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// For a person to read: lossy, and with control characters made harmless.
    pub fn shown(&self) -> String {
        self.0.to_string_lossy().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
    }

    /// Base64 of the bytes, where they are not UTF-8.
    pub fn base64_if_lossy(&self) -> Option<String> {
        let lossy = std::str::from_utf8(self.as_bytes()).is_err();
        lossy.then(|| base64::engine::general_purpose::STANDARD.encode(self.as_bytes()))
    }

    /// Serializes as `KEY` and, where lossy, `KEY_bytes` into a map that is being written.
    pub fn serialize_as<M: serde::ser::SerializeMap>(&self, key: &str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(key, &self.0.to_string_lossy())?;
        if let Some(bytes) = self.base64_if_lossy() {
            map.serialize_entry(&format!("{key}_bytes"), &bytes)?;
        }
        Ok(())
    }
}

impl From<PathBuf> for BytePath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl From<&Path> for BytePath {
    fn from(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Serialize for BytePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_as("path", &mut map)?;
        map.end()
    }
}

/// For `#[serde(flatten, serialize_with = "…")]` on a field that is called `source`.
pub(crate) fn source<S: Serializer>(path: &BytePath, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    path.serialize_as("source", &mut map)?;
    map.end()
}

/// The same for an optional library path: `"path": null` where there is none.
pub(crate) fn optional<S: Serializer>(path: &Option<BytePath>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    match path {
        Some(path) => path.serialize_as("path", &mut map)?,
        None => map.serialize_entry("path", &None::<&str>)?,
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_utf8_keep_their_bytes() {
        let path = BytePath::from_bytes(b"DCIM/\xff.CR2");
        let json = serde_json::to_value(&path).unwrap();
        assert_eq!(json["path"], "DCIM/\u{fffd}.CR2");
        assert_eq!(json["path_bytes"], "RENJTS//LkNSMg==");
        assert_eq!(path.as_bytes(), b"DCIM/\xff.CR2");
    }

    #[test]
    fn ordinary_names_have_no_second_form() {
        let json = serde_json::to_value(BytePath::from_bytes(b"a/b.jpg")).unwrap();
        assert_eq!(json, serde_json::json!({"path": "a/b.jpg"}));
    }
}

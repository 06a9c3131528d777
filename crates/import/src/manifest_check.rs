//! One file against all that manifests say of it, read again from the medium.

use std::path::Path;

use lightfast_manifest::{HashKind, Hashers};

use crate::manifests::Expected;
use crate::verify::read_whole;

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be; its bytes.
    Good(u64),
    /// Not so.
    Bad {
        /// `missing`, `changed` or `unreadable`.
        state: &'static str,
        /// One clear line.
        reason: String,
        /// Bytes that were read.
        bytes: u64,
    },
}

impl Outcome {
    /// Bytes that were read.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Good(bytes) | Self::Bad { bytes, .. } => *bytes,
        }
    }
}

/// Reads one file from the medium and compares it with all that manifests say of it.
pub fn check_file(path: &Path, expected: &Expected) -> Outcome {
    let bad = |state, reason: String, bytes| Outcome::Bad { state, reason, bytes };
    let size = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return bad("missing", "it is not there".to_owned(), 0);
        }
        Err(error) => return bad("unreadable", error.to_string(), 0),
        Ok(meta) if !meta.is_file() => return bad("changed", "it is not a file any more".to_owned(), 0),
        Ok(meta) => meta.len(),
    };
    if let Some(wanted) = expected.size.filter(|wanted| *wanted != size) {
        return bad("changed", format!("it has {size} bytes, and had {wanted}"), 0);
    }
    let mut hashers = Hashers::new(expected.hashes.iter().map(|(kind, _)| *kind));
    if let Err(error) = read_whole(path, &mut |block| hashers.update(block)) {
        return bad("unreadable", error.to_string(), 0);
    }
    let found = hashers.finish();
    let of = |kind: HashKind| found.iter().find(|(k, _)| *k == kind).map(|(_, text)| text.as_str());
    for (kind, wanted) in &expected.hashes {
        let now = of(*kind).unwrap_or_default();
        if !kind.is_same(now, wanted) {
            return bad("changed", format!("its {} is {now}, and was {wanted}", kind.name()), size);
        }
    }
    Outcome::Good(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_checked_by_every_hash_that_a_manifest_has() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("raw");
        std::fs::write(&path, b"raw").unwrap();
        let hash = |kind, text: &str| Expected { size: Some(3), hashes: vec![(kind, text.to_owned())] };
        let good = |expected: &Expected| matches!(check_file(&path, expected), Outcome::Good(3));
        assert!(good(&hash(HashKind::Xxh64, "67BE920E14D52A62")));
        assert!(good(&Expected { size: None, hashes: Vec::new() }), "where only the name is known, it is there");
        assert!(!good(&hash(HashKind::Md5, "67be920e14d52a62")));
        assert!(!good(&Expected { size: Some(4), hashes: Vec::new() }));
        let missing = check_file(&dir.path().join("none"), &Expected::default());
        assert!(matches!(missing, Outcome::Bad { state: "missing", .. }));
    }
}

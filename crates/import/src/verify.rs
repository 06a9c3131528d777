//! Reading one original back from the medium, for `verify`.

use std::path::Path;

use lightfast_model::{ContentHash, Verified};

use crate::copy::{AlignedBuffer, cold_hash};
use crate::sys;

/// What a file on the disk turned out to be.
#[derive(Debug)]
pub enum ReadBack {
    /// It was read whole.
    Read {
        /// Its content.
        hash: ContentHash,
        /// How far the read can be trusted to have come from the medium.
        verified: Verified,
    },
    /// It is not there.
    Missing,
    /// It has another size, and was not read.
    OtherSize(u64),
    /// It is there and cannot be read.
    Unreadable(std::io::Error),
}

/// Reads `path`, which should have `size` bytes, past the system's cache where that is possible.
pub fn read_back(path: &Path, size: u64) -> ReadBack {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return ReadBack::Missing,
        Err(error) => return ReadBack::Unreadable(error),
        Ok(meta) if !meta.is_file() => return ReadBack::OtherSize(0),
        Ok(meta) if meta.len() != size => return ReadBack::OtherSize(meta.len()),
        Ok(_) => {}
    }
    let (class, _) = sys::fs_class(path);
    match cold_hash(path, size, class, &mut AlignedBuffer::new()) {
        Ok((hash, verified)) => ReadBack::Read { hash, verified },
        Err(error) => ReadBack::Unreadable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_missing_short_and_whole_files_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("IMG_0001.CR2");
        assert!(matches!(read_back(&path, 3), ReadBack::Missing));
        std::fs::write(&path, b"abc").unwrap();
        assert!(matches!(read_back(&path, 4), ReadBack::OtherSize(3)));
        let ReadBack::Read { hash, .. } = read_back(&path, 3) else { panic!("not read") };
        assert_eq!(hash, ContentHash(*blake3::hash(b"abc").as_bytes()));
    }
}

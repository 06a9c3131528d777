//! Reading originals back from the medium, for `verify`.

use std::path::Path;

use lightfast_model::{ContentHash, Verified};

use crate::copy::{AlignedBuffer, cold_hash, proof_level, read_full};
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

/// Reads a whole file past the system's cache where that is possible, block by block, and says how far the read can be
/// trusted to have come from the medium.
pub fn read_whole(path: &Path, take: &mut dyn FnMut(&[u8])) -> std::io::Result<Verified> {
    let (class, _) = sys::fs_class(path);
    let (file, mut direct) = sys::open_cold(path)?;
    let mut buffer = AlignedBuffer::new();
    let mut offset = 0;
    loop {
        let block = read_full(&file, &mut direct, &mut buffer, offset)?;
        if block.is_empty() {
            return Ok(proof_level(class, direct));
        }
        take(block);
        offset += block.len() as u64;
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

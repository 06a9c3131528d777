//! One lane: reads a file of the card once and writes it to a temporary file, hashing on the way.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lightfast_model::{ContentHash, QuickKey};

use super::buffer::AlignedBuffer;
use super::thumbs::Tee;
use super::{QuickHasher, Why, read_full};
use crate::card::SourceFile;
use crate::error::{At, IoError, Step};
use crate::fault::{Op, point};
use crate::sys::{self, Direct};

/// A temporary file that holds all of a source file, not yet synced.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) temp: PathBuf,
    pub(crate) file: File,
    pub(crate) hash: ContentHash,
    pub(crate) quick: QuickKey,
}

/// What all lanes share.
pub(crate) struct LaneSettings<'a> {
    /// Set when the person interrupts, or the session cannot go on.
    pub(crate) stop: &'a AtomicBool,
    /// Bytes read so far, by all lanes.
    pub(crate) bytes: &'a AtomicU64,
    /// The person's umask.
    pub(crate) umask: u32,
    /// Whether the destination takes direct writes well; without, dirty pages are kept few by early write-back.
    pub(crate) direct: bool,
}

/// How much a buffered writer may leave dirty before the system is asked to write it.
const WRITEBACK: u64 = 8 << 20;

/// Copies `source` to `temp`. On any error the temporary file is removed.
pub(crate) fn copy_one(
    settings: &LaneSettings<'_>,
    path: &Path,
    listed: &SourceFile,
    temp: &Path,
    buffer: &mut AlignedBuffer,
    tee: &mut Option<Tee>,
) -> Result<Written, Why> {
    let written = write_one(settings, path, listed, temp, buffer, tee);
    if written.is_err() {
        // Best effort: the next import empties `incoming` in any case.
        let _ = sys::remove_file(temp);
    }
    written
}

fn write_one(
    settings: &LaneSettings<'_>,
    path: &Path,
    listed: &SourceFile,
    temp: &Path,
    buffer: &mut AlignedBuffer,
    tee: &mut Option<Tee>,
) -> Result<Written, Why> {
    let (source, mut source_direct) = sys::open_source(path, true).at(Step::Open, path)?;
    still_as_listed(&source, path, listed)?;
    let (file, mut direct) = sys::create_temp(temp, settings.direct).at(Step::Create, temp)?;
    sys::reserve(&file, listed.size).at(Step::Reserve, temp)?;

    let mut hasher = blake3::Hasher::new();
    let mut quick = QuickHasher::new(listed.size);
    let mut offset = 0u64;
    let mut flushed = 0u64;
    loop {
        if settings.stop.load(Ordering::Relaxed) {
            return Err(Why::Interrupted);
        }
        let read = read_full(&source, &mut source_direct, buffer, offset);
        let block =
            read.map_err(|source| IoError { path: path.to_owned(), step: Step::Read, offset: Some(offset), source })?;
        let len = block.len();
        if len == 0 {
            break;
        }
        hasher.update(block);
        quick.update(offset, block);
        if let Some(tee) = tee {
            tee.take(offset, block);
        }
        write_block(&file, &mut direct, buffer, len, offset).map_err(|source| {
            let step = Step::Write;
            IoError { path: temp.to_owned(), step, offset: Some(offset), source }
        })?;
        offset += len as u64;
        settings.bytes.fetch_add(len as u64, Ordering::Relaxed);
        if direct == Direct::No && offset - flushed >= WRITEBACK {
            sys::start_writeback(&file, flushed, offset - flushed);
            flushed = offset;
        }
        if offset > listed.size {
            return Err(Why::SourceChanged);
        }
    }
    if offset != listed.size {
        return Err(Why::SourceChanged);
    }
    still_as_listed(&source, path, listed)?;
    if source_direct == Direct::No {
        sys::drop_cached(&source);
    }
    // The last block was padded, and space may have been reserved beyond it.
    file.set_len(offset).at(Step::Write, temp)?;
    sys::set_modified(&file, listed.mtime_ns).at(Step::SetTime, temp)?;
    sys::set_shared_mode(&file, settings.umask);
    let hash = ContentHash(*hasher.finalize().as_bytes());
    Ok(Written { temp: temp.to_owned(), file, hash, quick: quick.finish() })
}

/// The file is the one that was listed, with the size and time that it had then.
fn still_as_listed(file: &File, path: &Path, listed: &SourceFile) -> Result<(), Why> {
    let meta = file.metadata().at(Step::Open, path)?;
    let mtime = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    let mtime = mtime.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    let same = meta.is_file() && meta.len() == listed.size && mtime == listed.mtime_ns;
    same.then_some(()).ok_or(Why::SourceChanged)
}

/// Writes the first `len` bytes of the buffer at `offset`, all of them.
fn write_block(
    file: &File,
    direct: &mut Direct,
    buffer: &mut AlignedBuffer,
    len: usize,
    offset: u64,
) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        let bytes =
            if *direct == Direct::Yes { buffer.padded(len) } else { buffer.block().get(..len).unwrap_or_default() };
        let rest = bytes.get(done..).unwrap_or_default();
        match point(Op::Write).and_then(|()| file.write_at(rest, offset + done as u64)) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                done += count;
                if *direct == Direct::Yes && done < len && count % super::buffer::ALIGN != 0 {
                    direct.turn_off(file, Direct::No)?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if *direct == Direct::Yes && error.kind() == io::ErrorKind::InvalidInput => {
                direct.turn_off(file, Direct::No)?
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(content: &[u8]) -> (tempfile::TempDir, PathBuf, SourceFile) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("IMG_0001.CR2");
        std::fs::write(&path, content).unwrap();
        let listing = crate::card::list(dir.path(), None).unwrap();
        (dir, path, listing.files[0].clone())
    }

    fn copy(path: &Path, listed: &SourceFile, temp: &Path) -> Result<Written, Why> {
        let (stop, bytes) = (AtomicBool::new(false), AtomicU64::new(0));
        let settings = LaneSettings { stop: &stop, bytes: &bytes, umask: 0o022, direct: true };
        copy_one(&settings, path, listed, temp, &mut AlignedBuffer::new(), &mut None)
    }

    #[test]
    fn bytes_hash_time_and_length_are_the_original_s() {
        for len in [0, 1, 4096, 1_048_576, 1_048_577, 3_000_001] {
            let content: Vec<u8> = (0..len).map(|i| (i % 249) as u8).collect();
            let (dir, path, listed) = setup(&content);
            let temp = dir.path().join("temp");
            let written = copy(&path, &listed, &temp).unwrap();
            assert!(std::fs::read(&temp).unwrap() == content, "{len}");
            assert_eq!(written.hash, ContentHash(*blake3::hash(&content).as_bytes()));
            assert_eq!(
                std::fs::metadata(&temp).unwrap().modified().unwrap(),
                std::fs::metadata(&path).unwrap().modified().unwrap()
            );
        }
    }

    #[test]
    fn a_file_that_grew_since_it_was_listed_is_not_copied() {
        let (dir, path, listed) = setup(b"short");
        std::fs::write(&path, b"longer now").unwrap();
        let temp = dir.path().join("temp");
        assert!(matches!(copy(&path, &listed, &temp), Err(Why::SourceChanged)));
        assert!(!temp.exists());
    }

    #[test]
    fn a_temporary_file_in_the_way_is_an_error_not_an_overwrite() {
        let (dir, path, listed) = setup(b"bytes");
        let temp = dir.path().join("temp");
        std::fs::write(&temp, b"other").unwrap();
        let error = copy(&path, &listed, &temp).unwrap_err();
        assert!(error.to_string().starts_with("could not create"));
    }
}

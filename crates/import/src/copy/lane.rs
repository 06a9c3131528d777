//! One lane: reads a file of the card once, hashing on the way, and gives it to every destination that wants it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lightfast_model::{ContentHash, QuickKey};

use super::buffer::AlignedBuffer;
use super::far::Far;
use super::temp::{TempFile, Written};
use super::thumbs::Tee;
use super::{QuickHasher, Why, read_full};
use crate::card::SourceFile;
use crate::error::{At, IoError, Step};
use crate::sys::{self, Direct};

/// What all lanes share.
pub(super) struct LaneSettings<'a> {
    /// Set when the person interrupts, or the session cannot go on.
    pub(super) stop: &'a AtomicBool,
    /// Bytes read so far, by all lanes.
    pub(super) bytes: &'a AtomicU64,
    /// The person's umask.
    pub(super) umask: u32,
    /// Whether the library takes direct writes well; without, dirty pages are kept few by early write-back.
    pub(super) direct: bool,
    /// Whether contents are hashed; only a benchmark leaves that out.
    pub(super) hash: bool,
    /// Whether to compute XXH128 as well, for manifests.
    pub(super) sum: bool,
}

/// Where one destination's copy of a file is written.
pub(super) enum Sink<'a> {
    /// By the lane itself.
    Near {
        /// The temporary file's path.
        temp: PathBuf,
    },
    /// By the destination's own writer.
    Far {
        /// The temporary file's path.
        temp: PathBuf,
        /// The writer.
        writer: &'a Far,
    },
}

/// What a lane made of a file: its content, and each sink's copy in the order of the sinks.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) hash: ContentHash,
    pub(super) quick: QuickKey,
    /// XXH128, where it was asked for.
    pub(super) sum: Option<u128>,
    pub(super) copies: Vec<Result<Written, Why>>,
}

/// A sink at work.
enum Open<'a> {
    Near(Result<TempFile, Why>),
    Far(&'a Far),
}

impl Open<'_> {
    fn begin<'a>(sink: &Sink<'a>, size: u64, direct: bool) -> Open<'a> {
        match sink {
            Sink::Near { temp } => Open::Near(TempFile::create(temp, size, direct)),
            Sink::Far { temp, writer } => {
                writer.begin(temp.clone(), size);
                Open::Far(writer)
            }
        }
    }

    fn write(&mut self, buffer: &mut AlignedBuffer, len: usize) {
        match self {
            Open::Near(file) => {
                if let Ok(open) = file
                    && let Err(why) = open.write(buffer, len)
                {
                    *file = Err(why);
                }
            }
            Open::Far(writer) => writer.write(buffer.block().get(..len).unwrap_or_default()),
        }
    }

    fn end(self, mtime_ns: i64, umask: u32) -> Result<Written, Why> {
        match self {
            Open::Near(file) => file.and_then(|file| file.finish(mtime_ns, umask)),
            Open::Far(writer) => writer.end(mtime_ns),
        }
    }

    fn abandon(self) {
        if let Open::Far(writer) = self {
            writer.abandon();
        }
    }

    fn has_failed(&self) -> bool {
        matches!(self, Open::Near(Err(_)))
    }
}

/// Reads `path` once and writes it to every sink. On an error of the card nothing is left of it anywhere.
pub(super) fn copy_one(
    settings: &LaneSettings<'_>,
    path: &Path,
    listed: &SourceFile,
    sinks: &[Sink<'_>],
    buffer: &mut AlignedBuffer,
    tee: &mut Option<Tee>,
) -> Result<Read, Why> {
    let (source, mut direct) = sys::open_source(path, true).at(Step::Open, path)?;
    still_as_listed(&source, path, listed)?;
    let mut open: Vec<Open<'_>> = sinks.iter().map(|sink| Open::begin(sink, listed.size, settings.direct)).collect();
    match pass(settings, path, listed, (&source, &mut direct), &mut open, buffer, tee) {
        Ok((hash, quick, sum)) => {
            if direct == Direct::No {
                sys::drop_cached(&source);
            }
            let copies = open.into_iter().map(|sink| sink.end(listed.mtime_ns, settings.umask)).collect();
            Ok(Read { hash, quick, sum, copies })
        }
        Err(why) => {
            open.into_iter().for_each(Open::abandon);
            Err(why)
        }
    }
}

/// The one pass over the file.
fn pass(
    settings: &LaneSettings<'_>,
    path: &Path,
    listed: &SourceFile,
    (source, direct): (&File, &mut Direct),
    sinks: &mut [Open<'_>],
    buffer: &mut AlignedBuffer,
    tee: &mut Option<Tee>,
) -> Result<(ContentHash, QuickKey, Option<u128>), Why> {
    let mut hasher = blake3::Hasher::new();
    let mut sum = settings.sum.then(xxhash_rust::xxh3::Xxh3::new);
    let mut quick = QuickHasher::new(listed.size);
    let mut offset = 0u64;
    loop {
        if settings.stop.load(Ordering::Relaxed) {
            return Err(Why::Interrupted);
        }
        let read = read_full(source, direct, buffer, offset);
        let block =
            read.map_err(|source| IoError { path: path.to_owned(), step: Step::Read, offset: Some(offset), source })?;
        let len = block.len();
        if len == 0 || sinks.iter().all(Open::has_failed) {
            break;
        }
        if settings.hash {
            hasher.update(block);
        }
        if let Some(sum) = &mut sum {
            sum.update(block);
        }
        quick.update(offset, block);
        if let Some(tee) = tee {
            tee.take(offset, block);
        }
        for sink in sinks.iter_mut() {
            sink.write(buffer, len);
        }
        offset += len as u64;
        settings.bytes.fetch_add(len as u64, Ordering::Relaxed);
        if offset > listed.size {
            return Err(Why::SourceChanged);
        }
    }
    if !sinks.iter().all(Open::has_failed) {
        if offset != listed.size {
            return Err(Why::SourceChanged);
        }
        still_as_listed(source, path, listed)?;
    }
    if !settings.hash {
        // A stand-in, so that each file is a content of its own.
        hasher.update(path.as_os_str().as_encoded_bytes());
    }
    Ok((ContentHash(*hasher.finalize().as_bytes()), quick.finish(), sum.map(|sum| sum.digest128())))
}

/// The file is the one that was listed, with the size and time that it had then.
fn still_as_listed(file: &File, path: &Path, listed: &SourceFile) -> Result<(), Why> {
    let meta = file.metadata().at(Step::Open, path)?;
    let mtime = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    let mtime = mtime.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    let same = meta.is_file() && meta.len() == listed.size && mtime == listed.mtime_ns;
    same.then_some(()).ok_or(Why::SourceChanged)
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

    fn copy(path: &Path, listed: &SourceFile, temp: &Path) -> Result<Read, Why> {
        let (stop, bytes) = (AtomicBool::new(false), AtomicU64::new(0));
        let settings = LaneSettings { stop: &stop, bytes: &bytes, umask: 0o022, direct: true, hash: true, sum: true };
        let (far, writer) = super::super::far::far(0o022, true, false);
        std::thread::scope(|scope| {
            scope.spawn(move || writer.run());
            let sinks =
                [Sink::Near { temp: temp.to_owned() }, Sink::Far { temp: temp.with_extension("far"), writer: &far }];
            let read = copy_one(&settings, path, listed, &sinks, &mut AlignedBuffer::new(), &mut None);
            drop(far);
            read
        })
    }

    #[test]
    fn bytes_hash_time_and_length_are_the_original_s() {
        for len in [0, 1, 4096, 1_048_576, 1_048_577, 3_000_001] {
            let content: Vec<u8> = (0..len).map(|i| (i % 249) as u8).collect();
            let (dir, path, listed) = setup(&content);
            let temp = dir.path().join("temp");
            let read = copy(&path, &listed, &temp).unwrap();
            assert!(read.copies.iter().all(Result::is_ok));
            assert_eq!(read.hash, ContentHash(*blake3::hash(&content).as_bytes()));
            for temp in [temp.clone(), temp.with_extension("far")] {
                assert!(std::fs::read(&temp).unwrap() == content, "{len}");
                let modified = |path| std::fs::metadata(path).unwrap().modified().unwrap();
                assert_eq!(modified(&temp), modified(&path));
            }
        }
    }

    #[test]
    fn a_file_that_grew_since_it_was_listed_is_not_copied() {
        let (dir, path, listed) = setup(b"short");
        std::fs::write(&path, b"longer now").unwrap();
        let temp = dir.path().join("temp");
        assert!(matches!(copy(&path, &listed, &temp), Err(Why::SourceChanged)));
        assert!(!temp.exists() && !temp.with_extension("far").exists());
    }

    #[test]
    fn a_temporary_file_in_the_way_is_an_error_not_an_overwrite() {
        let (dir, path, listed) = setup(b"bytes");
        let temp = dir.path().join("temp");
        std::fs::write(&temp, b"other").unwrap();
        let read = copy(&path, &listed, &temp).unwrap();
        let near = read.copies[0].as_ref().unwrap_err();
        assert!(near.to_string().starts_with("could not create"));
        assert!(read.copies[1].is_ok(), "one destination that fails does not stop the other");
        assert_eq!(std::fs::read(&temp).unwrap(), b"other");
    }
}

//! The publisher: gives proven files their final names, makes the names durable, and commits.
//!
//! Steps 7 to 9 of the protocol, for a batch of files at a time: one sync a folder and one commit a batch.
//! Only when the commit has returned is a file called copied.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lightfast_model::{ContentHash, Verified};

use super::settle::Settled;
use super::{AlignedBuffer, Why, read_full};
use crate::error::{At, IoError, Step};
use crate::fault::{Op, point};
use crate::names::alternative;
use crate::plan::hash_open;
use crate::sys::{self, Direct, FsClass};

/// How a read of this file proves what is on the medium.
pub(crate) fn proof_level(class: FsClass, direct: Direct) -> Verified {
    match (class, direct) {
        (FsClass::Block, Direct::Yes | Direct::ToTheEnd) => Verified::Cold,
        _ => Verified::Reread,
    }
}

/// Reads a copy back, past the cache where that is possible, and hashes it. Says how far the read can be trusted.
pub(crate) fn cold_hash(
    path: &Path,
    size: u64,
    class: FsClass,
    buffer: &mut AlignedBuffer,
) -> io::Result<(ContentHash, Verified)> {
    let (file, mut direct) = sys::open_cold(path)?;
    let (hash, _) = hash_open(&file, &mut direct, size, buffer)?;
    Ok((hash, proof_level(class, direct)))
}

/// Reads a copy back as [`cold_hash`] does, and makes nothing of it: what a benchmark has in place of it.
pub(crate) fn cold_read(path: &Path, size: u64, buffer: &mut AlignedBuffer) -> io::Result<()> {
    let (file, mut direct) = sys::open_cold(path)?;
    let mut offset = 0;
    while offset < size {
        match read_full(&file, &mut direct, buffer, offset)?.len() {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => offset += read as u64,
        }
    }
    Ok(())
}

/// A file under its final name; not yet durable, not yet committed.
#[derive(Debug)]
pub(crate) struct Named {
    /// Relative to the destination.
    pub(crate) path: PathBuf,
    /// Modification time of the copy as the file system keeps it, in nanoseconds since 1970.
    pub(crate) mtime_ns: i64,
    pub(crate) settled: Settled,
    /// Whether the same content lay there under that name already.
    pub(crate) was_there: bool,
}

/// Names files inside one destination.
pub(crate) struct Publisher<'a> {
    root: &'a Path,
    class: FsClass,
    buffer: AlignedBuffer,
    /// Folders that are known to be there, durably.
    made: HashSet<PathBuf>,
}

/// After so many names that are taken something else is wrong.
const MOST_ALTERNATIVES: u32 = 10_000;

impl<'a> Publisher<'a> {
    pub(crate) fn new(root: &'a Path, class: FsClass) -> Self {
        Self { root, class, buffer: AlignedBuffer::new(), made: HashSet::new() }
    }

    /// Gives a proven file its name, or the next by rule where another file has it. Same content under that name is
    /// the file itself: nothing is written twice.
    pub(crate) fn name(&mut self, settled: Settled, planned: &Path) -> Result<Named, Why> {
        self.make_folder(planned.parent().unwrap_or(Path::new("")))?;
        for number in 1..MOST_ALTERNATIVES {
            let path = if number == 1 { planned.to_owned() } else { alternative(planned, number) };
            let full = self.root.join(&path);
            match sys::rename_new(&settled.temp, &full) {
                Ok(()) => return self.named(path, settled, false),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if self.is_same_content(&full, &settled) {
                        let _ = sys::remove_file(&settled.temp);
                        return self.named(path, settled, true);
                    }
                }
                Err(error) => return Err(IoError::new(Step::Rename, &full, error).into()),
            }
        }
        Err(Why::Refused(format!("every name like {} is taken", planned.display())))
    }

    fn named(&self, path: PathBuf, settled: Settled, was_there: bool) -> Result<Named, Why> {
        let full = self.root.join(&path);
        let meta = fs::symlink_metadata(&full).at(Step::Open, &full)?;
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Ok(Named { path, mtime_ns, settled, was_there })
    }

    /// What lies there is proven like a copy of our own before it is called the same.
    fn is_same_content(&mut self, full: &Path, settled: &Settled) -> bool {
        let plain = fs::symlink_metadata(full).is_ok_and(|meta| meta.is_file() && meta.len() == settled.content.size);
        plain
            && fs::File::open(full).is_ok_and(|file| sys::sync_file(&file).is_ok())
            && cold_hash(full, settled.content.size, self.class, &mut self.buffer)
                .is_ok_and(|(hash, _)| hash == settled.content.hash)
    }

    /// Makes a folder and all above it durable: each is synced into its parent before anything is put in it.
    fn make_folder(&mut self, folder: &Path) -> Result<(), Why> {
        if self.made.contains(folder) {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make_folder(parent)?;
            let full = self.root.join(folder);
            point(Op::MakeFolder).at(Step::MakeFolder, &full)?;
            match fs::create_dir(&full) {
                Ok(()) => {
                    let above = self.root.join(parent);
                    sys::sync_folder(&above).at(Step::SyncFolder, &above)?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && full.is_dir() => {}
                Err(error) => return Err(IoError::new(Step::MakeFolder, &full, error).into()),
            }
        }
        self.made.insert(folder.to_owned());
        Ok(())
    }

    /// Puts the names of a batch on stable storage.
    pub(crate) fn sync_folders<'n>(&self, named: impl Iterator<Item = &'n Named>) -> Result<(), Why> {
        let folders: BTreeSet<&Path> = named.filter_map(|named| named.path.parent()).collect();
        for folder in folders {
            let full = self.root.join(folder);
            sys::sync_folder(&full).at(Step::SyncFolder, &full)?;
        }
        Ok(())
    }
}

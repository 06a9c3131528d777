//! Repair: a good copy of an original, from another destination, takes the place of a bad one.
//!
//! The good copy is written beside `incoming`'s other files, hashed on the way, synced and read back; only when it is
//! proven does the bad file go to the quarantine (it is never deleted) and the good one get its name. A crash in
//! between leaves the name empty and the bad file in the quarantine: the same command finishes.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use lightfast_model::{ContentHash, Verified};

use crate::copy::{AlignedBuffer, cold_hash, read_full};
use crate::error::{At, IoError, StartError, Step};
use crate::fault::{Op, point};
use crate::library::Library;
use crate::names::alternative;
use crate::sys;

/// What an original must be.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Its content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// Modification time, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Why an original could not be repaired; it is as it was.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RepairError {
    #[error("{} is not what it should be either", path.display())]
    CopyIsBad { path: PathBuf },
    #[error("read back after it was written to {}, the good copy differs: this disk or its cable is failing", path.display())]
    ReadBackDiffers { path: PathBuf },
    #[error("every name like {} is taken in the quarantine", path.display())]
    QuarantineFull { path: PathBuf },
    #[error(transparent)]
    Io(#[from] IoError),
}

/// What was done.
#[derive(Debug)]
pub struct Repaired {
    /// How the new copy was proven.
    pub verified: Verified,
    /// Where the bad one is now, relative to the library; none where it was missing.
    pub quarantined: Option<PathBuf>,
}

/// Repairs originals of one destination. No import can run there meanwhile.
#[derive(Debug)]
pub struct Repair {
    library: Library,
    _lock: File,
    buffer: Buffer,
    number: u64,
}

/// A buffer that has nothing to show.
struct Buffer(AlignedBuffer);

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Buffer")
    }
}

impl Repair {
    /// Locks the destination.
    pub fn begin(library: Library) -> Result<Self, StartError> {
        let lock = library.lock()?;
        Ok(Self { library, _lock: lock, buffer: Buffer(AlignedBuffer::new()), number: 0 })
    }

    /// Puts what lies at `good` to `path` (relative to the destination), if it is what is wanted.
    pub fn put_back(&mut self, path: &Path, wanted: &Wanted, good: &Path) -> Result<Repaired, RepairError> {
        let folder = self.library.incoming().join("repair");
        point(Op::MakeFolder).at(Step::MakeFolder, &folder)?;
        fs::create_dir_all(&folder).at(Step::MakeFolder, &folder)?;
        self.number += 1;
        let temp = folder.join(format!("{}.part", self.number));
        let done = self.exchange(path, wanted, good, &temp);
        if done.is_err() {
            // Best effort: the next import empties `incoming` in any case.
            let _ = sys::remove_file(&temp);
        }
        let _ = sys::remove_empty_folder(&folder);
        done
    }

    fn exchange(&mut self, path: &Path, wanted: &Wanted, good: &Path, temp: &Path) -> Result<Repaired, RepairError> {
        sys::remove_file(temp).at(Step::Remove, temp)?;
        self.copy(wanted, good, temp)?;
        let (class, _) = sys::fs_class(temp);
        let (hash, verified) = cold_hash(temp, wanted.size, class, &mut self.buffer.0).at(Step::ReadBack, temp)?;
        if hash != wanted.hash {
            return Err(RepairError::ReadBackDiffers { path: temp.to_owned() });
        }
        let quarantined = self.set_aside(path)?;
        let full = self.library.root.join(path);
        let parent = full.parent().unwrap_or(&self.library.root).to_owned();
        self.make_folders(path.parent().unwrap_or(Path::new("")))?;
        sys::rename_new(temp, &full).at(Step::Rename, &full)?;
        sys::sync_folder(&parent).at(Step::SyncFolder, &parent)?;
        Ok(Repaired { verified, quarantined })
    }

    /// Writes the good copy's bytes to a temporary file, and syncs them.
    fn copy(&mut self, wanted: &Wanted, good: &Path, temp: &Path) -> Result<(), RepairError> {
        let (source, mut direct) = sys::open_source(good, true).at(Step::Open, good)?;
        let (file, _) = sys::create_temp(temp, false).at(Step::Create, temp)?;
        let mut hasher = blake3::Hasher::new();
        let mut offset = 0;
        loop {
            let block = read_full(&source, &mut direct, &mut self.buffer.0, offset).at(Step::Read, good)?;
            if block.is_empty() || offset > wanted.size {
                break;
            }
            hasher.update(block);
            point(Op::Write).at(Step::Write, temp)?;
            file.write_all_at(block, offset).at(Step::Write, temp)?;
            offset += block.len() as u64;
        }
        if offset != wanted.size || *hasher.finalize().as_bytes() != wanted.hash.0 {
            return Err(RepairError::CopyIsBad { path: good.to_owned() });
        }
        sys::set_modified(&file, wanted.mtime_ns).at(Step::SetTime, temp)?;
        sys::set_shared_mode(&file, sys::umask());
        sys::sync_file(&file).at(Step::Sync, temp)?;
        Ok(())
    }

    /// Makes a folder and those above it, each synced into the one above.
    fn make_folders(&self, folder: &Path) -> Result<(), IoError> {
        let mut above = self.library.root.clone();
        for name in folder.components() {
            let full = above.join(name);
            point(Op::MakeFolder).at(Step::MakeFolder, &full)?;
            match fs::create_dir(&full) {
                Ok(()) => drop(sys::sync_folder(&above).at(Step::SyncFolder, &above)?),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(IoError::new(Step::MakeFolder, &full, error)),
            }
            above = full;
        }
        Ok(())
    }

    /// Moves what is there to the quarantine, under a name that says where it came from.
    fn set_aside(&self, path: &Path) -> Result<Option<PathBuf>, RepairError> {
        let full = self.library.root.join(path);
        match fs::symlink_metadata(&full) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let planned = Path::new(".lightfast/quarantine/verify").join(path);
        let folder = self.library.root.join(planned.parent().unwrap_or(Path::new(".lightfast/quarantine")));
        point(Op::MakeFolder).at(Step::MakeFolder, &folder)?;
        fs::create_dir_all(&folder).at(Step::MakeFolder, &folder)?;
        for number in 1..10_000 {
            let target = if number == 1 { planned.clone() } else { alternative(&planned, number) };
            match sys::rename_new(&full, &self.library.root.join(&target)) {
                Ok(()) => {
                    sys::sync_folder(&folder).at(Step::SyncFolder, &folder)?;
                    return Ok(Some(target));
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(IoError::new(Step::Rename, &full, error).into()),
            }
        }
        Err(RepairError::QuarantineFull { path: planned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> (tempfile::TempDir, Library, Wanted) {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::create(&dir.path().join("library"), "0123456789abcdef").unwrap();
        let bytes = vec![7u8; 3_000_001];
        fs::create_dir(library.root.join("2009")).unwrap();
        let mut bad = bytes.clone();
        bad[5] ^= 1;
        fs::write(library.root.join("2009/a.jpg"), bad).unwrap();
        fs::write(dir.path().join("good.jpg"), &bytes).unwrap();
        let hash = ContentHash(*blake3::hash(&bytes).as_bytes());
        (dir, library, Wanted { hash, size: bytes.len() as u64, mtime_ns: 1_247_407_402_000_000_000 })
    }

    #[test]
    fn a_bad_original_is_exchanged_and_kept_in_quarantine() {
        let (dir, library, wanted) = setup();
        let bad = fs::read(library.root.join("2009/a.jpg")).unwrap();
        let mut repair = Repair::begin(library.clone()).unwrap();
        let done = repair.put_back(Path::new("2009/a.jpg"), &wanted, &dir.path().join("good.jpg")).unwrap();
        let aside = done.quarantined.unwrap();
        assert_eq!(fs::read(library.root.join(&aside)).unwrap(), bad);
        let now = fs::read(library.root.join("2009/a.jpg")).unwrap();
        assert_eq!(ContentHash(*blake3::hash(&now).as_bytes()), wanted.hash);
        assert!(fs::read_dir(library.incoming()).unwrap().next().is_none());
        // One that is missing is put back too, folder and all.
        fs::remove_dir_all(library.root.join("2009")).unwrap();
        let done = repair.put_back(Path::new("2009/a.jpg"), &wanted, &dir.path().join("good.jpg")).unwrap();
        assert!(done.quarantined.is_none() && library.root.join("2009/a.jpg").is_file());
    }

    #[test]
    fn a_copy_that_is_bad_too_changes_nothing() {
        let (dir, library, wanted) = setup();
        let before = fs::read(library.root.join("2009/a.jpg")).unwrap();
        for bytes in [&b"short"[..], &vec![8u8; 3_000_001], &vec![7u8; 9_000_000]] {
            fs::write(dir.path().join("good.jpg"), bytes).unwrap();
            let mut repair = Repair::begin(library.clone()).unwrap();
            let error = repair.put_back(Path::new("2009/a.jpg"), &wanted, &dir.path().join("good.jpg")).unwrap_err();
            assert!(matches!(error, RepairError::CopyIsBad { .. }), "{error}");
            assert_eq!(fs::read(library.root.join("2009/a.jpg")).unwrap(), before);
            assert!(fs::read_dir(library.incoming()).unwrap().next().is_none());
        }
    }
}

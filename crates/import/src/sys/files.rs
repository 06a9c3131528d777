//! Opening, reserving, syncing and naming files, so that each step of the protocol has one function.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{Advice, AtFlags, FallocateFlags, Mode, OFlags, RenameFlags, Timespec, Timestamps, UTIME_OMIT};
use rustix::io::Errno;

use crate::fault::{Op, point};

/// Whether a file is read or written past the system's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direct {
    /// Offsets, lengths and memory must be aligned to 4096 bytes.
    Yes,
    /// As `Yes`, but the last, odd bytes of the file came by an ordinary read that found the end.
    ToTheEnd,
    /// The file system refused, or was not asked.
    No,
}

impl Direct {
    /// Turns direct transfer off for a descriptor, and says what that makes of it.
    pub(crate) fn turn_off(&mut self, file: &File, now: Self) -> io::Result<()> {
        let flags = rustix::fs::fcntl_getfl(file)?;
        rustix::fs::fcntl_setfl(file, flags - OFlags::DIRECT)?;
        *self = now;
        Ok(())
    }
}

fn open_read(path: &Path, extra: OFlags) -> rustix::io::Result<File> {
    let base = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK | extra;
    match rustix::fs::open(path, base | OFlags::NOATIME, Mode::empty()) {
        // Only the owner may leave the access time alone.
        Err(Errno::PERM) => rustix::fs::open(path, base, Mode::empty()),
        other => other,
    }
    .map(File::from)
}

/// Opens a file of the card: read-only, access time left alone where allowed, past the cache where possible.
/// Never blocks on a FIFO.
pub(crate) fn open_source(path: &Path, direct: bool) -> io::Result<(File, Direct)> {
    point(Op::Open)?;
    if direct {
        match open_read(path, OFlags::DIRECT) {
            Ok(file) => return Ok((file, Direct::Yes)),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let file = open_read(path, OFlags::empty())?;
    // Only a hint: the read is the same without it.
    let _ = rustix::fs::fadvise(&file, 0, None, Advice::Sequential);
    Ok((file, Direct::No))
}

/// The names in a folder of the card; its access time is left alone where allowed.
pub(crate) fn folder_names(path: &Path) -> io::Result<Vec<OsString>> {
    let folder = open_read(path, OFlags::DIRECTORY)?;
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::new(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    Ok(names)
}

/// Opens a copy for reading back from the medium. Its clean pages are dropped first, so that even a buffered
/// read comes from below the cache where the file system honours that.
pub(crate) fn open_cold(path: &Path) -> io::Result<(File, Direct)> {
    point(Op::ReadBack)?;
    let cached = open_read(path, OFlags::empty())?;
    drop_cached(&cached);
    match open_read(path, OFlags::DIRECT) {
        Ok(file) => Ok((file, Direct::Yes)),
        Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok((cached, Direct::No)),
        Err(error) => Err(error.into()),
    }
}

/// Makes a temporary file that did not exist.
pub(crate) fn create_temp(path: &Path, direct: bool) -> io::Result<(File, Direct)> {
    point(Op::Create)?;
    let base = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    if direct {
        match rustix::fs::open(path, base | OFlags::DIRECT, mode) {
            Ok(file) => return Ok((file.into(), Direct::Yes)),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {
                // Some file systems make the file before they refuse the flag.
                let _ = rustix::fs::unlink(path);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok((rustix::fs::open(path, base, mode)?.into(), Direct::No))
}

/// Reserves a file's space, so that a full disk is found before the first byte. Not supported is no error.
pub(crate) fn reserve(file: &File, size: u64) -> io::Result<()> {
    if size == 0 {
        return Ok(());
    }
    point(Op::Write)?;
    match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, size) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Starts writing what was just written, so that the final sync finds little to do and few pages are dirty.
pub(crate) fn start_writeback(file: &File, offset: u64, length: u64) {
    // A hint without an answer worth having: errors show at the sync.
    let _ = rustix::fs::fadvise(file, offset, std::num::NonZeroU64::new(length), Advice::DontNeed);
}

/// Drops a file's clean pages from the cache.
pub(crate) fn drop_cached(file: &File) {
    let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
}

/// Gives the copy the original's modification time (nanoseconds since 1970).
pub(crate) fn set_modified(file: &File, mtime_ns: i64) -> io::Result<()> {
    point(Op::Write)?;
    let modified =
        Timespec { tv_sec: mtime_ns.div_euclid(1_000_000_000), tv_nsec: mtime_ns.rem_euclid(1_000_000_000) as _ };
    let access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access: access, last_modification: modified })?)
}

/// Gives a finished original the mode that a new file of this person has.
pub(crate) fn set_shared_mode(file: &File, umask: u32) {
    let mode = Mode::from_raw_mode(0o666 & !umask | 0o600);
    // A file system without modes (FAT) refuses; the original is none the worse for it.
    let _ = rustix::fs::fchmod(file, mode);
}

/// The person's umask, read without changing it.
pub(crate) fn umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}

/// Puts a file's content and size on stable storage. After an error it must never be called again on that file:
/// the system may have dropped the dirty pages and would report success.
pub(crate) fn sync_file(file: &File) -> io::Result<()> {
    point(Op::Sync)?;
    Ok(rustix::fs::fsync(file)?)
}

/// Puts a folder's names on stable storage. `false` where the file system has no such call.
pub(crate) fn sync_folder(path: &Path) -> io::Result<bool> {
    point(Op::SyncFolder)?;
    let folder = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    match rustix::fs::fsync(&folder) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames without ever replacing what is there: `EEXIST` where the new name is taken.
///
/// Where the file system cannot do that in one step (FUSE), the final name is claimed by making an empty file
/// that did not exist, and the rename replaces that claim. A crash in between leaves an empty file under the
/// final name, whose intent is still open; recovery removes it.
#[allow(clippy::disallowed_methods)]
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    point(Op::Rename)?;
    let cwd = rustix::fs::CWD;
    match rustix::fs::renameat_with(cwd, from, cwd, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        other => return Ok(other?),
    }
    let claim = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    drop(rustix::fs::open(to, claim, Mode::RUSR | Mode::WUSR)?);
    point(Op::Rename)?;
    rustix::fs::rename(from, to).map_err(|error| {
        let _ = rustix::fs::unlink(to);
        error.into()
    })
}

/// Removes a file; one that is not there is no error.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    point(Op::Remove)?;
    match rustix::fs::unlinkat(rustix::fs::CWD, path, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes a folder if nothing is in it.
pub(crate) fn remove_empty_folder(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(rustix::fs::CWD, path, AtFlags::REMOVEDIR)?)
}

/// Bytes that this person may still write to the file system of `path`.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Whether two open files are the same file, for tests of the seam.
#[cfg(test)]
fn same_file(a: impl std::os::fd::AsFd, b: impl std::os::fd::AsFd) -> bool {
    let id = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
    rustix::fs::fstat(a).map(id).ok() == rustix::fs::fstat(b).map(id).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rename_never_replaces_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::write(&a, "new").unwrap();
        std::fs::write(&b, "old").unwrap();
        let error = rename_new(&a, &b).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&b).unwrap(), b"old");
        rename_new(&a, &dir.path().join("c")).unwrap();
    }

    #[test]
    fn a_temporary_file_is_never_one_that_exists() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("temp");
        let (file, _) = create_temp(&path, true).unwrap();
        assert!(same_file(&file, File::open(&path).unwrap()));
        assert_eq!(create_temp(&path, true).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn modification_times_before_1970_and_after_2107_are_kept() {
        use std::os::unix::fs::MetadataExt;
        let dir = tempfile::tempdir().unwrap();
        for mtime_ns in [-1_500_000_000, 4_354_819_200_000_000_000 + 5] {
            let path = dir.path().join(format!("t{mtime_ns}"));
            let (file, _) = create_temp(&path, false).unwrap();
            set_modified(&file, mtime_ns).unwrap();
            let meta = std::fs::metadata(&path).unwrap();
            assert_eq!(meta.mtime() * 1_000_000_000 + meta.mtime_nsec(), mtime_ns);
        }
    }
}

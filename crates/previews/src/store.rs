//! Rendered previews on disk, up to a number of bytes.
//!
//! Files in folders by the first byte of the source's content. A file gets its name by a
//! rename when it is whole; nothing is synced, so one is looked at when it is read, and one
//! that is not a whole JPEG is removed. Using an entry sets its time; when there is no room
//! the entries that were not used for longest go, but none that was put in since this store
//! was opened: a build that does not fit ends instead of evicting its own work.

use std::collections::HashMap;
use std::fs::{self, File, FileTimes};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use lightfast_model::ContentHash;

use crate::entry::{Entry, failure_path};

/// Part of the free space that the cache may take where no limit is given: a tenth.
const SHARE: u64 = 10;
/// Bytes of a reason that are kept.
const MOST_REASON: u64 = 500;
/// Begins the names of files that are being written; the process follows.
const TEMPORARY: &str = ".new-";

/// Why an entry was not kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The limit is reached by what was put in just now.
    #[error("the cache is full at {limit} bytes")]
    Full {
        /// The limit.
        limit: u64,
    },
    /// The disk has no room.
    #[error("write {path:?}: the disk is full")]
    NoSpace {
        /// What was to be written.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{step} {path:?}: {source}")]
    Io {
        /// What was to be done.
        step: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What is in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Pictures, of any size and renderer.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A file of the cache.
#[derive(Clone, Copy, Debug)]
struct Known {
    bytes: u64,
    used: SystemTime,
    /// Put in since the store was opened.
    is_fresh: bool,
}

/// The cache.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    limit: u64,
    known: Mutex<HashMap<PathBuf, Known>>,
}

fn failed<'a>(step: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::NoSpace { path: path.to_owned() },
        _ => StoreError::Io { step, path: path.to_owned(), source },
    }
}

impl Store {
    /// Opens `previews/` in the folder of lightfast's own files; without a limit, a tenth of what is free on its disk.
    pub fn open(own_folder: &Path, limit: Option<u64>) -> Result<Self, StoreError> {
        let folder = own_folder.join("previews");
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        let known = listed(&folder)?;
        let used: u64 = known.values().map(|known| known.bytes).sum();
        let limit = match limit {
            Some(limit) => limit,
            None => free(&folder)?.saturating_add(used) / SHARE,
        };
        Ok(Self { folder, limit, known: Mutex::new(known) })
    }

    /// Bytes that the cache may take.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes free on its disk.
    pub fn free(&self) -> Result<u64, StoreError> {
        free(&self.folder)
    }

    /// Whether an entry is there, without looking into it.
    pub fn has(&self, entry: &Entry) -> bool {
        self.folder.join(entry.path()).is_file()
    }

    /// An entry, at its beginning, with its path and length; it counts as used now.
    pub fn get(&self, entry: &Entry, now: SystemTime) -> Option<(File, PathBuf, u64)> {
        let name = entry.path();
        let path = self.folder.join(&name);
        let mut file = File::open(&path).ok()?;
        let length = file.metadata().ok()?.len();
        if !is_whole(&mut file, length) {
            // Damaged by a power cut; it will be made again.
            let _ = fs::remove_file(&path);
            self.known().remove(&name);
            return None;
        }
        // A cache that cannot be written is still of use.
        let _ = file.set_times(FileTimes::new().set_modified(now));
        if let Some(known) = self.known().get_mut(&name) {
            known.used = now;
        }
        Some((file, path, length))
    }

    /// Keeps a picture; makes room for it first.
    #[expect(clippy::disallowed_methods, reason = "a cache: what a crash leaves half renamed is made again")]
    pub fn put(&self, entry: &Entry, jpeg: &[u8], now: SystemTime) -> Result<(), StoreError> {
        self.make_room(jpeg.len() as u64)?;
        let name = entry.path();
        let path = self.folder.join(&name);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let file_name = name.file_name().unwrap_or_default().to_string_lossy();
        let temporary = folder.join(format!("{TEMPORARY}{}-{file_name}", std::process::id()));
        let written = File::create(&temporary)
            .and_then(|mut file| file.write_all(jpeg).and_then(|()| file.set_times(FileTimes::new().set_modified(now))))
            .map_err(failed("write", &temporary))
            .and_then(|()| fs::rename(&temporary, &path).map_err(failed("rename", &temporary)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
            return written;
        }
        let known = Known { bytes: jpeg.len() as u64, used: now, is_fresh: true };
        self.known().insert(name, known);
        Ok(())
    }

    /// Why a content cannot be rendered, where that was found out before.
    pub fn failure(&self, hash: &ContentHash) -> Option<String> {
        let file = File::open(self.folder.join(failure_path(hash))).ok()?;
        let mut reason = String::new();
        file.take(MOST_REASON).read_to_string(&mut reason).ok()?;
        Some(reason)
    }

    /// Notes that a content cannot be rendered, so that it is not tried each time.
    pub fn fail(&self, hash: &ContentHash, reason: &str) -> Result<(), StoreError> {
        let path = self.folder.join(failure_path(hash));
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let end =
            reason.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|at| *at < MOST_REASON as usize).last();
        fs::write(&path, reason.get(..end.unwrap_or(0)).unwrap_or_default()).map_err(failed("write", &path))
    }

    /// What is in it.
    pub fn usage(&self) -> Usage {
        let known = self.known();
        Usage { entries: known.len() as u64, bytes: known.values().map(|known| known.bytes).sum() }
    }

    /// Removes every picture and every note of a failure; answers what was removed.
    pub fn clear(&self) -> Result<Usage, StoreError> {
        let usage = self.usage();
        for folder in folders(&self.folder)? {
            fs::remove_dir_all(&folder).map_err(failed("remove", &folder))?;
        }
        self.known().clear();
        Ok(usage)
    }

    fn make_room(&self, bytes: u64) -> Result<(), StoreError> {
        let mut known = self.known();
        let mut used: u64 = known.values().map(|known| known.bytes).sum();
        if used.saturating_add(bytes) <= self.limit {
            return Ok(());
        }
        let fresh: u64 = known.values().filter(|known| known.is_fresh).map(|known| known.bytes).sum();
        if fresh.saturating_add(bytes) > self.limit {
            return Err(StoreError::Full { limit: self.limit });
        }
        let mut oldest: Vec<(SystemTime, PathBuf, u64)> = known
            .iter()
            .filter(|(_, known)| !known.is_fresh)
            .map(|(name, known)| (known.used, name.clone(), known.bytes))
            .collect();
        oldest.sort();
        for (_, name, length) in oldest {
            if used.saturating_add(bytes) <= self.limit {
                break;
            }
            let path = self.folder.join(&name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &path)(error)),
                _ => {}
            }
            known.remove(&name);
            used = used.saturating_sub(length);
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Known>> {
        // A thread that panicked with the lock leaves a whole map.
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Begins and ends as a JPEG does. Leaves the file at its beginning.
fn is_whole(file: &mut File, length: u64) -> bool {
    let mut ends = [[0; 2]; 2];
    let [first, last] = &mut ends;
    let read = file.read_exact(first).is_ok()
        && file.seek(SeekFrom::Start(length.saturating_sub(2))).is_ok()
        && file.read_exact(last).is_ok()
        && file.rewind().is_ok();
    read && ends == [[0xff, 0xd8], [0xff, 0xd9]]
}

/// The folders of entries.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let listed = fs::read_dir(folder).map_err(failed("list", folder))?;
    let is_ours = |name: &str| name.len() == 2 && name.bytes().all(|b| b.is_ascii_hexdigit());
    Ok(listed
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(is_ours))
        .map(|entry| entry.path())
        .collect())
}

/// Every picture; what a dead process left half written is removed.
fn listed(folder: &Path) -> Result<HashMap<PathBuf, Known>, StoreError> {
    let mut known = HashMap::new();
    for below in folders(folder)? {
        for file in fs::read_dir(&below).map_err(failed("list", &below))?.filter_map(Result::ok) {
            let Some(name) = file.file_name().to_str().map(str::to_owned) else { continue };
            if let Some(rest) = name.strip_prefix(TEMPORARY) {
                let process = rest.split('-').next().unwrap_or_default();
                if !Path::new("/proc").join(process).is_dir() {
                    let _ = fs::remove_file(file.path());
                }
                continue;
            }
            if !name.ends_with(".jpg") {
                continue;
            }
            let Ok(metadata) = file.metadata() else { continue };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let relative = below.file_name().map(Path::new).unwrap_or(Path::new("")).join(&name);
            known.insert(relative, Known { bytes: metadata.len(), used, is_fresh: false });
        }
    }
    Ok(known)
}

fn free(folder: &Path) -> Result<u64, StoreError> {
    let found =
        rustix::fs::statvfs(folder).map_err(|error| failed("ask for the free space of", folder)(error.into()))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;
    use std::time::Duration;

    fn entry(n: u8) -> Entry {
        Entry { hash: ContentHash([n; 32]), level: Level::Full }
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
    }

    fn jpeg(length: usize) -> Vec<u8> {
        let mut bytes = vec![7; length];
        bytes[..2].copy_from_slice(&[0xff, 0xd8]);
        bytes[length - 2..].copy_from_slice(&[0xff, 0xd9]);
        bytes
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first_and_fresh_work_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Some(10_000)).unwrap();
        for n in 1..=3 {
            store.put(&entry(n), &jpeg(1000), at(u64::from(n))).unwrap();
        }
        drop(store);
        let store = Store::open(folder.path(), Some(3000)).unwrap();
        assert_eq!(store.usage(), Usage { entries: 3, bytes: 3000 });
        assert!(store.get(&entry(1), at(9)).is_some());
        store.put(&entry(4), &jpeg(1000), at(10)).unwrap();
        let there = |n| store.has(&entry(n));
        assert_eq!([1, 2, 3, 4].map(there), [true, false, true, true], "the second was the longest unused");
        store.put(&entry(5), &jpeg(2000), at(11)).unwrap();
        assert_eq!([1, 3, 4, 5].map(there), [false, false, true, true]);
        assert!(matches!(store.put(&entry(6), &jpeg(500), at(12)), Err(StoreError::Full { limit: 3000 })));
        assert!(store.usage().bytes <= 3000);
    }

    #[test]
    fn damaged_entries_and_half_written_files_count_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), None).unwrap();
        store.put(&entry(1), &jpeg(100), at(1)).unwrap();
        let path = folder.path().join("previews").join(entry(1).path());
        fs::write(&path, [0xff, 0xd8, 0, 0]).unwrap();
        assert!(store.get(&entry(1), at(2)).is_none() && !path.exists());
        let left = path.with_file_name(format!("{TEMPORARY}999999999-x.jpg"));
        fs::write(&left, b"half").unwrap();
        let again = Store::open(folder.path(), None).unwrap();
        assert!(!left.exists());
        assert_eq!(again.usage(), Usage::default());
        assert!(again.limit() > 0);
    }

    #[test]
    fn a_failure_is_remembered_until_the_cache_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), None).unwrap();
        let hash = entry(8).hash;
        assert_eq!(store.failure(&hash), None);
        store.fail(&hash, &"ü".repeat(600)).unwrap();
        assert!(store.failure(&hash).is_some_and(|reason| reason.starts_with("üü")));
        store.put(&entry(8), &jpeg(100), at(1)).unwrap();
        assert_eq!(store.clear().unwrap(), Usage { entries: 1, bytes: 100 });
        assert_eq!((store.failure(&hash), store.has(&entry(8))), (None, false));
    }
}

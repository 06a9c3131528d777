//! Whether somebody holds a lock on a file, seen without touching the lock.
//!
//! Trying to take an import's lock would, for an instant, keep an import from starting. Linux
//! lists every lock in `/proc/locks`. Where that cannot be read the answer is no: then only
//! the workers' idle priority keeps a build out of an import's way. Other systems have no
//! such list; there the builder would have to ask the importing process.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether any process, this one too, holds a lock on the file.
pub(crate) fn is_locked(path: &Path) -> bool {
    let (Ok(file), Ok(list)) = (std::fs::metadata(path), std::fs::read_to_string("/proc/locks")) else { return false };
    list.lines().any(|line| holds(line, file.dev(), file.ino()))
}

/// `1: FLOCK  ADVISORY  WRITE 4077 fe:00:1052 0 EOF`: number, kind, mode, process, device and inode.
fn holds(line: &str, device: u64, inode: u64) -> bool {
    let mut words = line.split_ascii_whitespace();
    // A second word of `->` is one who waits.
    if words.nth(1) == Some("->") {
        return false;
    }
    let Some(place) = words.find(|word| word.matches(':').count() == 2) else { return false };
    let mut parts = place.split(':');
    let mut number = |radix| parts.next().and_then(|part| u64::from_str_radix(part, radix).ok());
    let (Some(major), Some(minor), Some(listed)) = (number(16), number(16), number(10)) else { return false };
    let wanted = (u64::from(rustix::fs::major(device)), u64::from(rustix::fs::minor(device)));
    // Some file systems (btrfs, overlays) list another device than `stat` tells; their inode alone is taken then.
    listed == inode && ((major, minor) == wanted || major == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FlockOperation, flock};

    #[test]
    fn a_lock_is_seen_while_it_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let file = std::fs::File::create(&path).unwrap();
        assert!(!is_locked(&path));
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert!(is_locked(&path));
        drop(file);
        assert!(!is_locked(&path));
        assert!(!is_locked(&folder.path().join("absent")));
    }

    #[test]
    fn lines_of_the_list() {
        let device = rustix::fs::makedev(0xfe, 0);
        assert!(holds("1: FLOCK  ADVISORY  WRITE 4077 fe:00:1052 0 EOF", device, 1052));
        assert!(!holds("1: FLOCK  ADVISORY  WRITE 4077 fe:00:1053 0 EOF", device, 1052));
        assert!(!holds("1: -> FLOCK  ADVISORY  WRITE 4077 fe:00:1052 0 EOF", device, 1052));
        assert!(!holds("", device, 1052));
    }
}

//! What is mounted where, of what kind, and what that means for a promise.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// One mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it is seen.
    pub point: PathBuf,
    /// What it is of: `ext4`, `vfat`, `fuse.gocryptfs`.
    pub kind: String,
    /// What is mounted: usually a device.
    pub device: PathBuf,
    /// The device number of files on it, as `major:minor`.
    pub number: String,
    /// Whether it is read-only.
    pub read_only: bool,
}

/// What a file system means for how a copy can be proven and where a catalogue may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FsClass {
    /// A local block file system: a direct read comes from the medium.
    Block,
    /// In memory, stacked or through FUSE: the cache cannot be passed for certain.
    Stacked,
    /// Another machine's: neither the medium nor SQLite's shared memory is reachable.
    Network,
}

const BLOCK: &[&str] =
    &["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "vfat", "msdos", "exfat", "ntfs3", "hfsplus", "jfs", "nilfs2"];

const NETWORK: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "ncpfs",
    "coda",
    "davfs",
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.ceph-fuse",
    "fuse.curlftpfs",
    "fuse.gvfsd-fuse",
    "fuse.smbnetfs",
    "fuse.mount.davfs",
    "virtiofs",
];

/// Reads the table of mounts.
pub fn mounts() -> io::Result<Vec<Mount>> {
    Ok(parse_mounts(&std::fs::read("/proc/self/mountinfo")?))
}

/// Unmounts a card. Fails while something on it is in use.
pub fn unmount(point: &Path) -> io::Result<()> {
    rustix::mount::unmount(point, rustix::mount::UnmountFlags::empty())?;
    Ok(())
}

/// Format: proc(5), `/proc/PID/mountinfo`. Unknown or short lines are left out.
fn parse_mounts(table: &[u8]) -> Vec<Mount> {
    table.split(|b| *b == b'\n').filter_map(parse_mount).collect()
}

fn parse_mount(line: &[u8]) -> Option<Mount> {
    let mut words = line.split(|b| *b == b' ');
    let number = String::from_utf8_lossy(words.nth(2)?).into_owned();
    let point = unescape(words.nth(1)?);
    let flags = words.next()?;
    let mut words = words.skip_while(|word| *word != b"-").skip(1);
    let kind = String::from_utf8_lossy(words.next()?).into_owned();
    let device = unescape(words.next()?);
    let super_flags = words.next().unwrap_or_default();
    let read_only = [flags, super_flags].iter().any(|f| f.split(|b| *b == b',').any(|flag| flag == b"ro"));
    Some(Mount { point, kind, device, number, read_only })
}

/// Undoes the octal escapes of blanks and backslashes.
fn unescape(word: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, tail)) = rest.split_first() {
        let octal = (*first == b'\\').then(|| tail.get(..3)).flatten().and_then(|digits| {
            digits.iter().try_fold(0u16, |acc, d| d.is_ascii_digit().then(|| acc * 8 + u16::from(d - b'0')))
        });
        match octal.and_then(|value| u8::try_from(value).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

/// The mount that `path` lies on: the one with its device number whose point is nearest, else the nearest.
pub(crate) fn mount_of(path: &Path) -> Option<Mount> {
    use std::os::unix::fs::MetadataExt;
    let path = std::fs::canonicalize(path).ok()?;
    let dev = std::fs::metadata(&path).ok()?.dev();
    let number = format!("{}:{}", rustix::fs::major(dev), rustix::fs::minor(dev));
    let mut over: Vec<Mount> = mounts().ok()?.into_iter().filter(|m| path.starts_with(&m.point)).collect();
    over.sort_by_key(|m| m.point.as_os_str().as_bytes().len());
    let by_number = over.iter().rev().find(|m| m.number == number).cloned();
    by_number.or_else(|| over.pop())
}

/// What the file system of `path` means for proof and catalogue, with its kind for messages.
pub(crate) fn fs_class(path: &Path) -> (FsClass, String) {
    let Some(mount) = mount_of(path) else { return (FsClass::Stacked, "unknown".into()) };
    let is = |list: &[&str]| list.contains(&mount.kind.as_str());
    let class = if is(NETWORK) {
        FsClass::Network
    } else if is(BLOCK) {
        FsClass::Block
    } else {
        FsClass::Stacked
    };
    (class, mount.kind)
}

/// The largest file that the file system of `path` can hold, where that is small enough to matter.
pub(crate) fn file_size_limit(path: &Path) -> Option<u64> {
    let mount = mount_of(path)?;
    matches!(mount.kind.as_str(), "vfat" | "msdos" | "fuse.fusefat" | "fuse.fatfuse").then_some(u64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_mountinfo_with_escapes_and_optional_fields() {
        let table = b"36 35 98:0 /mnt1 /media/EOS\\040DIGITAL ro,noatime master:1 shared:2 - vfat /dev/sdb1 rw,errors=continue\n\
            22 1 0:20 / /proc rw - proc proc rw\nshort line\n";
        let mounts = parse_mounts(table);
        assert_eq!(mounts.len(), 2);
        assert_eq!(mounts[0].point, Path::new("/media/EOS DIGITAL"));
        assert_eq!((mounts[0].kind.as_str(), mounts[0].read_only), ("vfat", true));
        assert_eq!(mounts[0].number, "98:0");
        assert!(!mounts[1].read_only);
    }

    #[test]
    fn the_root_is_on_a_mount() {
        assert!(mount_of(Path::new("/")).is_some());
    }
}

//! File systems of our own, through FUSE, that fail as cards and disks fail.
//!
//! Only with the feature `fuse`, and only for tests: [`BadCard`] is a card with one fault; [`LossyDisk`] is a disk that
//! forgets at a power cut what was not synced, or lies about having synced. Both run in the test's own process and go
//! when they are dropped. Where FUSE is not to be had, mounting fails, and the test says so by name.

mod card;
mod lossy;

pub use card::{BadCard, CardFault};
pub use lossy::{Disk, LossyDisk, Sync};

use std::time::{Duration, SystemTime};

use fuser::{Config, FileAttr, FileType, INodeNo, MountOption};

/// Nothing is cached by the kernel: every question is asked.
const NO_TIME: Duration = Duration::ZERO;

fn attributes(ino: u64, kind: FileType, size: u64, mtime: SystemTime, perm: u16) -> FileAttr {
    FileAttr {
        ino: INodeNo(ino),
        size,
        blocks: size.div_ceil(512),
        atime: mtime,
        mtime,
        ctime: mtime,
        crtime: mtime,
        kind,
        perm,
        nlink: if kind == FileType::Directory { 2 } else { 1 },
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

fn config(name: &str, read_only: bool) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName(name.to_owned()), MountOption::Subtype(name.to_owned())];
    if read_only {
        config.mount_options.push(MountOption::RO);
    }
    config
}

//! What lies under a file system: its UUID, its label, and whether the device pays for seeking.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::mounts::mount_of;

/// The file system's UUID or serial number, as the system knows it.
pub(crate) fn file_system_uuid(path: &Path) -> Option<String> {
    by_link("/dev/disk/by-uuid", path).or_else(|| super_block_uuid(&mount_of(path)?.device))
}

/// The volume's label.
pub(crate) fn volume_label(path: &Path) -> Option<String> {
    by_link("/dev/disk/by-label", path).or_else(|| super_block_label(&mount_of(path)?.device))
}

/// The name of the link in `folder` that points at the device under `path`.
fn by_link(folder: &str, path: &Path) -> Option<String> {
    let device = fs::canonicalize(mount_of(path)?.device).ok()?;
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let same = fs::canonicalize(entry.path()).ok()? == device;
        same.then(|| String::from_utf8_lossy(entry.file_name().as_bytes()).into_owned())
    })
}

fn head_of(device: &Path) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let meta = fs::metadata(device).ok()?;
    if !std::os::unix::fs::FileTypeExt::is_block_device(&meta.file_type()) {
        return None;
    }
    let mut head = vec![0; 2048];
    fs::File::open(device).ok()?.read_exact_at(&mut head, 0).ok()?;
    Some(head)
}

/// Where no links are kept (containers), the super block itself is asked: ext at 1024, exFAT and FAT at 0.
fn super_block_uuid(device: &Path) -> Option<String> {
    let head = head_of(device)?;
    let hex = |range: std::ops::Range<usize>| -> Option<String> {
        Some(head.get(range)?.iter().map(|b| format!("{b:02x}")).collect())
    };
    if head.get(1080..1082)? == [0x53, 0xef] {
        hex(1024 + 0x68..1024 + 0x78)
    } else if head.get(..4)? == b"XFSB" {
        hex(32..48)
    } else if head.get(3..11)? == b"EXFAT   " {
        hex(0x64..0x68)
    } else if head.get(0x52..0x57)? == b"FAT32" {
        hex(0x43..0x47)
    } else if head.get(0x36..0x39)? == b"FAT" {
        hex(0x27..0x2b)
    } else {
        None
    }
}

fn super_block_label(device: &Path) -> Option<String> {
    let head = head_of(device)?;
    let range = if head.get(1080..1082)? == [0x53, 0xef] {
        1024 + 0x78..1024 + 0x88
    } else if head.get(0x52..0x57)? == b"FAT32" {
        0x47..0x52
    } else {
        return None;
    };
    let text = String::from_utf8_lossy(head.get(range)?).trim_matches(['\0', ' ']).to_owned();
    (!text.is_empty() && text != "NO NAME").then_some(text)
}

/// Whether reading several files at once costs more than it gains: a disk that seeks, or a reader on USB.
pub(crate) fn has_seek_cost(path: &Path) -> bool {
    let Ok(dev) = fs::metadata(path).map(|meta| meta.dev()) else { return false };
    let link = PathBuf::from(format!("/sys/dev/block/{}:{}", rustix::fs::major(dev), rustix::fs::minor(dev)));
    let Ok(node) = fs::canonicalize(&link) else { return false };
    if node.to_string_lossy().contains("/usb") {
        return true;
    }
    // A partition has no queue of its own; the disk above it has.
    let queue = [node.join("queue/rotational"), node.join("../queue/rotational")];
    // Loop devices and a virtual machine's disks say "rotational" whatever lies below them.
    let is_virtual = ["/loop", "/virtio", "/vbd-", "/nbd"].iter().any(|kind| node.to_string_lossy().contains(kind));
    !is_virtual && queue.iter().any(|file| fs::read_to_string(file).is_ok_and(|text| text.trim() == "1"))
}

//! A destination that seeks: an image on a loop device that gives so many bytes and takes so many requests a second,
//! used by programs that have little memory.
//!
//! The limits are of the device (control group `blkio`, at its root, so that what the system writes later is limited
//! too) and of memory (a group that this process joins for the time of a transfer). Needs root, and the older
//! hierarchy of control groups; the newer one cannot limit what its root writes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::tools::{ToolError, run_tool};
use crate::trace::Mounts;

const BLOCK: &str = "/sys/fs/cgroup/blkio";
const MEMORY: &str = "/sys/fs/cgroup/memory";

/// How slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowDisk {
    /// Bytes a second, read and written each.
    pub bytes_per_second: u64,
    /// Requests a second, read and written each.
    pub requests_per_second: u64,
    /// Bytes of memory for the programs, the cache included.
    pub memory: u64,
}

impl SlowDisk {
    /// A hard disk of a portable computer of the time, at that many bytes a second.
    pub fn at(bytes_per_second: u64) -> Self {
        Self { bytes_per_second, requests_per_second: 120, memory: 2 << 30 }
    }
}

/// A mounted slow disk. Dropping it takes the limits away and unmounts it.
#[derive(Debug)]
pub(crate) struct MountedSlowDisk {
    /// Where files go.
    pub folder: PathBuf,
    device: String,
    memory: PathBuf,
}

const LIMITS: [&str; 4] = ["read_bps", "write_bps", "read_iops", "write_iops"];

impl MountedSlowDisk {
    /// Makes one below `base`; `room` bytes must fit.
    pub(crate) fn make(limits: SlowDisk, base: &Path, room: u64) -> Result<Self, ToolError> {
        let (image, folder) = (base.join("slow-disk.image"), base.join("slow-disk"));
        let file = std::fs::File::create(&image).map_err(|e| ToolError::io("make", &image, e))?;
        file.set_len(room + room / 8 + (256 << 20)).map_err(|e| ToolError::io("size", &image, e))?;
        std::fs::create_dir_all(&folder).map_err(|e| ToolError::io("make a folder", &folder, e))?;
        // All of it is laid out now, not in the background while it is measured.
        let whole = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
        run_tool(Command::new("mkfs.ext4").args(whole).arg(&image))?;
        run_tool(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&folder))?;
        let device = Mounts::read().of(&folder).map_or_else(String::new, |(_, m)| m.device.clone());
        let memory = Path::new(MEMORY).join(format!("lightfast-bench-{}", std::process::id()));
        let made = Self { folder, device, memory };
        // It says of itself that it turns, as such a disk does; where that is refused, programs are not told.
        let _ = std::fs::write(format!("/sys/dev/block/{}/queue/rotational", made.device), "1");
        for name in LIMITS {
            let value = if name.ends_with("bps") { limits.bytes_per_second } else { limits.requests_per_second };
            made.limit(name, value)?;
        }
        std::fs::create_dir_all(&made.memory).map_err(|e| ToolError::io("make the control group", &made.memory, e))?;
        let file = made.memory.join("memory.limit_in_bytes");
        std::fs::write(&file, limits.memory.to_string()).map_err(|e| ToolError::io("limit memory by", &file, e))?;
        Ok(made)
    }

    fn limit(&self, name: &str, value: u64) -> Result<(), ToolError> {
        let file = Path::new(BLOCK).join(format!("blkio.throttle.{name}_device"));
        std::fs::write(&file, format!("{} {value}", self.device))
            .map_err(|e| ToolError::io("limit the disk by", &file, e))
    }

    /// What this process starts from now on has little memory, until the answer is dropped.
    pub(crate) fn with_little_memory(&self) -> Result<LittleMemory, ToolError> {
        join(&self.memory)?;
        Ok(LittleMemory)
    }
}

impl Drop for MountedSlowDisk {
    fn drop(&mut self) {
        for name in LIMITS {
            let _ = self.limit(name, 0);
        }
        let _ = run_tool(Command::new("umount").arg(&self.folder));
        let _ = std::fs::remove_dir(&self.memory);
    }
}

/// Membership of the group with little memory.
#[derive(Debug)]
pub(crate) struct LittleMemory;

impl Drop for LittleMemory {
    fn drop(&mut self) {
        let _ = join(Path::new(MEMORY));
    }
}

fn join(group: &Path) -> Result<(), ToolError> {
    let members = group.join("cgroup.procs");
    std::fs::write(&members, std::process::id().to_string()).map_err(|e| ToolError::io("join", &members, e))
}

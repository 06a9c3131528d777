//! A card as slow as a reader of the time: its files on an image, read through a limit.
//!
//! The image is a loop device, and a control group limits what this process and its children may read from it a
//! second (`blkio.throttle.read_bps_device`, or `io.max` in the newer hierarchy). Needs root.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::tools::{ToolError, run_tool};
use crate::trace::Mounts;

const OLD: &str = "/sys/fs/cgroup/blkio";
const NEW: &str = "/sys/fs/cgroup";

/// A mounted slow card. Dropping it unmounts it and takes the limit away.
#[derive(Debug)]
pub(crate) struct SlowCard {
    /// Where its files are.
    pub folder: PathBuf,
    group: PathBuf,
    above: PathBuf,
}

impl SlowCard {
    /// Puts `card` on an image below `base` that gives at most so many bytes a second; this process and all it
    /// starts from now on are limited, as far as this image goes.
    pub(crate) fn make(card: &Path, base: &Path, bytes_per_second: u64) -> Result<Self, ToolError> {
        let (image, folder) = (base.join("slow-card.image"), base.join("slow-card"));
        let size =
            super::card::files(card).into_iter().filter_map(|f| std::fs::metadata(card.join(f)).ok()).map(|m| m.len());
        let room = size.sum::<u64>();
        let file = std::fs::File::create(&image).map_err(|e| ToolError::io("make", &image, e))?;
        file.set_len(room + room / 8 + (64 << 20)).map_err(|e| ToolError::io("size", &image, e))?;
        std::fs::create_dir_all(&folder).map_err(|e| ToolError::io("make a folder", &folder, e))?;
        run_tool(Command::new("mkfs.ext4").args(["-q", "-F", "-d"]).arg(card).arg(&image))?;
        run_tool(Command::new("mount").args(["-o", "loop,ro"]).arg(&image).arg(&folder))?;
        let device = Mounts::read().of(&folder).map_or_else(String::new, |(_, m)| m.device.clone());
        let new = Path::new(NEW).join("cgroup.controllers").exists();
        let above = PathBuf::from(if new { NEW } else { OLD });
        let group = above.join(format!("lightfast-bench-{}", std::process::id()));
        let slow = Self { folder, group, above };
        std::fs::create_dir_all(&slow.group).map_err(|e| ToolError::io("make the control group", &slow.group, e))?;
        let (file, line) = if new {
            // Where another program governs the hierarchy this is refused, and told below.
            let _ = std::fs::write(Path::new(NEW).join("cgroup.subtree_control"), "+io");
            ("io.max", format!("{device} rbps={bytes_per_second}"))
        } else {
            ("blkio.throttle.read_bps_device", format!("{device} {bytes_per_second}"))
        };
        let limit = slow.group.join(file);
        std::fs::write(&limit, line).map_err(|e| ToolError::io("limit reading by", &limit, e))?;
        join(&slow.group)?;
        Ok(slow)
    }
}

fn join(group: &Path) -> Result<(), ToolError> {
    let members = group.join("cgroup.procs");
    std::fs::write(&members, std::process::id().to_string()).map_err(|e| ToolError::io("join", &members, e))
}

impl Drop for SlowCard {
    fn drop(&mut self) {
        let _ = join(&self.above);
        let _ = std::fs::remove_dir(&self.group);
        let _ = run_tool(Command::new("umount").arg(&self.folder));
    }
}

/// `17M` as bytes: decimal, as makers of cards count.
pub fn bytes_of(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let factor = match text.get(digits.len()..)?.to_ascii_lowercase().trim_end_matches("/s") {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        _ => return None,
    };
    let number: f64 = digits.parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0)?;
    Some((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_as_makers_of_cards_write_them() {
        assert_eq!([bytes_of("17M"), bytes_of("1.5 MB/s"), bytes_of("400k")], [Some(17_000_000), None, Some(400_000)]);
        assert_eq!(
            [bytes_of("1.5MB/s"), bytes_of("90"), bytes_of("fast"), bytes_of("-1M")],
            [Some(1_500_000), Some(90), None, None]
        );
    }
}

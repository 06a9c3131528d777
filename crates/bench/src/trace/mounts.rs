//! Which file system a path lies on, by the kernel's own list of mounts.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mount {
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its kind, as `ext4` or `fuse.gocryptfs`.
    pub kind: String,
    /// What it is made of, as `/dev/vda`.
    pub source: String,
    /// The device number, as `8:1`; it is the key in `/proc/diskstats` where the file system has a disk of its own.
    pub device: String,
}

/// All mounted file systems.
#[derive(Debug, Clone, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the list of this process. Where there is none, every path is on an unknown file system.
    pub fn read() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    /// Reads the text of a `mountinfo`. A later mount at the same point hides an earlier one.
    pub fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(mount).collect())
    }

    /// The file system that holds this path, by the longest mount point above it.
    pub fn of(&self, path: &Path) -> Option<(usize, &Mount)> {
        let mut best: Option<(usize, &Mount)> = None;
        for (index, mount) in self.0.iter().enumerate().filter(|(_, m)| path.starts_with(&m.point)) {
            if best.is_none_or(|(_, b)| mount.point.as_os_str().len() >= b.point.as_os_str().len()) {
                best = Some((index, mount));
            }
        }
        best
    }

    /// The mount with this index.
    pub fn get(&self, index: usize) -> Option<&Mount> {
        self.0.get(index)
    }
}

/// `36 35 98:0 /root /point options - kind source options`.
fn mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(2);
    let device = left.next()?.to_owned();
    let point = PathBuf::from(octal(left.nth(1)?));
    let mut right = right.split(' ');
    let kind = right.next()?.to_owned();
    let source = octal(right.next().unwrap_or_default());
    Some(Mount { point, kind, source, device })
}

/// Blanks, tabs, newlines and backslashes are `\040` and so on there.
fn octal(text: &str) -> String {
    let mut out = text.to_owned();
    for (code, char) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        out = out.replace(code, char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mount_point_above_a_path_wins() {
        let mounts = Mounts::parse(
            "20 1 254:0 / / rw - ext4 /dev/vda rw\n\
             30 20 0:40 / /media/my\\040card rw,nosuid - fuse.gocryptfs /cipher rw\n\
             31 20 0:41 / /media rw - tmpfs tmpfs rw\n",
        );
        let kind = |path: &str| mounts.of(Path::new(path)).map(|(_, m)| m.kind.as_str());
        assert_eq!(kind("/media/my card/a.CR2"), Some("fuse.gocryptfs"));
        assert_eq!(kind("/media/other"), Some("tmpfs"));
        assert_eq!(kind("/mediacard"), Some("ext4"));
    }
}

//! Which card this is: the question behind "this very card was imported before".

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lightfast_catalog::CardIdentity;

use crate::error::{At, IoError, Step};
use crate::sys;

/// A source, identified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The source as an absolute path without links.
    pub source: PathBuf,
    /// The device number of its file system.
    pub dev: u64,
    /// Its lasting name and label.
    pub identity: CardIdentity,
}

impl Card {
    /// Whether the source is still on the file system that it was on.
    pub fn is_here(&self) -> bool {
        fs::metadata(&self.source).is_ok_and(|meta| meta.is_dir() && meta.dev() == self.dev)
    }

    /// What a person calls it: the volume's label, else the folder's name.
    pub fn name(&self) -> String {
        let folder = self.source.file_name().map(|name| name.to_string_lossy().into_owned());
        self.identity.label.clone().or(folder).unwrap_or_else(|| "card".into())
    }
}

/// Identifies the card that `source` is, or lies on.
///
/// A whole volume is named by its file system's UUID or serial number. A folder inside one is named by that and
/// its path, so that two folders of one disk are two cards; where the volume has neither, by its device number.
pub fn identify(source: &Path) -> Result<Card, IoError> {
    let source = fs::canonicalize(source).at(Step::Open, source)?;
    let dev = fs::metadata(&source).at(Step::Open, &source)?.dev();
    let mount = sys::mount_of(&source);
    let volume = sys::file_system_uuid(&source).unwrap_or_else(|| format!("dev-{dev:x}"));
    let inside = mount.as_ref().and_then(|mount| source.strip_prefix(&mount.point).ok());
    let is_whole = inside.is_some_and(|rest| rest.as_os_str().is_empty());
    let id = if is_whole { volume } else { format!("{volume}:{}", source.to_string_lossy()) };
    let label = is_whole.then(|| sys::volume_label(&source)).flatten();
    Ok(Card { source, dev, identity: CardIdentity { id, label } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_of_one_disk_are_two_cards() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let id = |name| identify(&dir.path().join(name)).unwrap().identity.id;
        assert_ne!(id("a"), id("b"));
        assert_eq!(id("a"), id("a/../a"));
        assert_eq!(identify(&dir.path().join("a")).unwrap().name(), "a");
    }
}

//! Cards that are mounted now.

use std::path::Path;

use super::{Card, identify};
use crate::sys::{self, Mount};

/// Folders in the root of a volume by which a card is known.
const CARD_FOLDERS: &[&str] = &["DCIM", "PRIVATE", "M4ROOT", "CONTENTS", "XDROOT", "CLIPS001", "AVF_INFO"];

/// Kinds of file system that are never a card, however they look.
const NEVER: &[&str] = &["proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "overlay", "tmpfs", "mqueue"];

/// A mounted volume that looks like a camera's card.
#[derive(Clone, Debug)]
pub struct MountedCard {
    /// The card.
    pub card: Card,
    /// Its mount.
    pub mount: Mount,
}

/// Whether a folder has the tree of a card.
pub fn looks_like_card(folder: &Path) -> bool {
    CARD_FOLDERS.iter().any(|name| folder.join(name).is_dir())
}

/// Whether a folder is a card's tree, or lies in one: a folder beside `DCIM` does not.
pub fn is_on_card(folder: &Path) -> bool {
    let named = |part: std::path::Component<'_>| CARD_FOLDERS.iter().any(|name| part.as_os_str() == *name);
    looks_like_card(folder) || folder.components().any(named)
}

/// The mounted cards, in the order of their mount points.
pub fn mounted_cards() -> std::io::Result<Vec<MountedCard>> {
    let mut mounts = sys::mounts()?;
    mounts.retain(|m| m.point != Path::new("/") && !NEVER.contains(&m.kind.as_str()) && looks_like_card(&m.point));
    mounts.sort_by(|a, b| a.point.cmp(&b.point));
    mounts.dedup_by(|a, b| a.point == b.point);
    let identified = mounts.into_iter().filter_map(|mount| {
        let card = identify(&mount.point).ok()?;
        Some(MountedCard { card, mount })
    });
    Ok(identified.collect())
}

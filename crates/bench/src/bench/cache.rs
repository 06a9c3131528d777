//! Before each transfer the card is cold: what the system kept of it in memory is dropped.
//!
//! Root may ask for all of it; others ask file by file, which drops clean pages only. Which of the two was done is
//! told, and said in the report.

use std::fs::File;
use std::path::Path;

use rustix::fs::{Advice, fadvise, syncfs};
use serde::{Deserialize, Serialize};

/// What was dropped before each transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropped {
    /// The machine's whole cache.
    Everything,
    /// The card's files, one by one.
    CardOnly,
    /// Nothing could be dropped.
    Nothing,
}

/// Syncs and drops.
pub(crate) fn drop_caches(card: &Path) -> Dropped {
    rustix::fs::sync();
    if std::fs::write("/proc/sys/vm/drop_caches", "3").is_ok() {
        return Dropped::Everything;
    }
    let files = super::card::files(card);
    let dropped = files.iter().filter(|file| drop_file(&card.join(file)).is_some()).count();
    if dropped > 0 { Dropped::CardOnly } else { Dropped::Nothing }
}

fn drop_file(path: &Path) -> Option<()> {
    let file = File::open(path).ok()?;
    fadvise(&file, 0, None, Advice::DontNeed).ok()
}

/// Waits until what lies below these folders is on the disk, each on its own file system.
pub(crate) fn make_durable(folders: &[&Path]) {
    for folder in folders {
        if let Ok(folder) = File::open(folder) {
            // A file system that cannot be synced by name is synced with all others.
            if syncfs(&folder).is_err() {
                rustix::fs::sync();
            }
        }
    }
}

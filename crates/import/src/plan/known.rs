//! What the library knows already, asked while planning: by card, by size and quick key, by content.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use lightfast_catalog::{CardEntry, Catalog, CopyAt, KnownFile, RootId, UnfinishedIntent};
use lightfast_model::{ContentHash, QuickKey};

use super::KnownCopy;
use crate::copy::{AlignedBuffer, QuickHasher, read_full};
use crate::sys::{self, Direct};

/// The library's knowledge; all empty for a library that does not exist yet.
#[derive(Default)]
pub(crate) struct Knowledge<'a> {
    /// The catalogue.
    pub(crate) catalog: Option<&'a Catalog>,
    /// The destinations' folders, the library first, with their rows where they have one.
    pub(crate) roots: Vec<(Option<RootId>, PathBuf)>,
    /// What an interrupted import of a card had planned, by card and path on it.
    pub(crate) interrupted: HashMap<(String, Vec<u8>), UnfinishedIntent>,
}

/// Times may be stored more coarsely than they were set: two seconds on FAT.
const TIME_SLACK_NS: i64 = 2_000_000_000;

/// Whether a recorded copy is on the disk, a plain file with the size and time recorded. A sidecar may have been edited
/// since, and is still the one that was imported.
pub(crate) fn copy_stands(root: &Path, copy: &CopyAt) -> bool {
    let Ok(meta) = std::fs::symlink_metadata(root.join(copy.path.as_path())) else { return false };
    let is_edited = |e: &std::ffi::OsStr| e.eq_ignore_ascii_case("xmp") || e.eq_ignore_ascii_case("aae");
    if copy.path.as_path().extension().is_some_and(is_edited) {
        return meta.is_file() && (meta.len() > 0 || copy.size == 0);
    }
    let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
    meta.is_file() && meta.len() == copy.size && mtime_ns.abs_diff(copy.mtime_ns) <= TIME_SLACK_NS as u64
}

impl Knowledge<'_> {
    /// What was hashed whole from this card before.
    pub(crate) fn card_history(&self, card: &str) -> lightfast_catalog::Result<HashMap<Vec<u8>, CardEntry>> {
        self.catalog.map_or_else(|| Ok(HashMap::new()), |catalog| catalog.card_history(card))
    }

    /// The library's own row.
    pub(crate) fn library_root(&self) -> Option<RootId> {
        self.roots.first()?.0
    }

    /// The copy of a content that stands in a destination.
    pub(crate) fn standing(&self, dest: usize, known: &KnownFile) -> Option<KnownCopy> {
        let (root, path) = self.roots.get(dest)?;
        standing_copy(path, (*root)?, known.file, known.hash, &known.copies)
    }

    /// The same for what a card's history knows.
    pub(crate) fn standing_entry(&self, dest: usize, entry: &CardEntry) -> Option<KnownCopy> {
        let (root, path) = self.roots.get(dest)?;
        standing_copy(path, (*root)?, entry.file?, entry.hash, &entry.copies)
    }

    /// Which of these sizes a known content has.
    pub(crate) fn sizes_known(&self, sizes: &[u64]) -> lightfast_catalog::Result<std::collections::HashSet<u64>> {
        self.catalog.map_or_else(|| Ok(Default::default()), |catalog| catalog.sizes_known(sizes))
    }

    /// Whether a content with this quick key and size is known (in the library, or in its trash).
    pub(crate) fn may_be_known(&self, quick: QuickKey, size: u64) -> lightfast_catalog::Result<bool> {
        self.catalog.map_or(Ok(false), |catalog| Ok(!catalog.known_by_quick(quick, size)?.is_empty()))
    }

    /// Whether the catalogue knows a file under this path of the library.
    pub(crate) fn is_recorded(&self, path: &Path) -> bool {
        let path = [lightfast_model::BytePath::from(path)];
        let known = self.catalog.zip(self.library_root());
        known.is_some_and(|(catalog, root)| catalog.paths_taken(root, &path).map_or(true, |taken| !taken.is_empty()))
    }

    /// The content itself, if it is known.
    pub(crate) fn by_hash(&self, hash: &ContentHash) -> lightfast_catalog::Result<Option<KnownFile>> {
        self.catalog.map_or(Ok(None), |catalog| catalog.known_by_hash(hash))
    }
}

/// The first copy in a destination that stands; one that was proven best is preferred.
pub(crate) fn standing_copy(
    folder: &Path,
    root: RootId,
    file: lightfast_catalog::FileId,
    hash: ContentHash,
    copies: &[CopyAt],
) -> Option<KnownCopy> {
    let mut here: Vec<&CopyAt> = copies.iter().filter(|copy| copy.root == root).collect();
    here.sort_by_key(|copy| std::cmp::Reverse(copy.verified));
    let copy = here.into_iter().find(|copy| copy_stands(folder, copy))?;
    Some(KnownCopy { file, hash, path: copy.path.clone(), verified: copy.verified })
}

/// The quick key of a file, by at most three reads.
pub(crate) fn quick_key(file: &File, size: u64) -> io::Result<QuickKey> {
    let mut quick = QuickHasher::new(size);
    let mut part = vec![0; 3 * QuickKey::PART];
    for (start, len) in QuickKey::parts(size) {
        let Some(part) = part.get_mut(..len) else { continue };
        file.read_exact_at(part, start)?;
        quick.update(start, part);
    }
    Ok(quick.finish())
}

/// Reads a file of the card whole, without writing it anywhere, and gives its hash and quick key.
pub(crate) fn hash_of(path: &Path, size: u64, buffer: &mut AlignedBuffer) -> io::Result<(ContentHash, QuickKey)> {
    let (file, mut direct) = sys::open_source(path, true)?;
    hash_open(&file, &mut direct, size, buffer)
}

/// Hashes an open file of a known size; a shorter or longer file is an error.
pub(crate) fn hash_open(
    file: &File,
    direct: &mut Direct,
    size: u64,
    buffer: &mut AlignedBuffer,
) -> io::Result<(ContentHash, QuickKey)> {
    let mut hasher = blake3::Hasher::new();
    let mut quick = QuickHasher::new(size);
    let mut offset = 0;
    loop {
        let block = read_full(file, direct, buffer, offset)?;
        if block.is_empty() {
            break;
        }
        hasher.update(block);
        quick.update(offset, block);
        offset += block.len() as u64;
    }
    if offset != size {
        return Err(io::Error::other(format!("the file has {offset} bytes, not the {size} that were listed")));
    }
    Ok((ContentHash(*hasher.finalize().as_bytes()), quick.finish()))
}

//! The card that is transferred, and whether all of it arrived.
//!
//! What counts is content: an importer may name files as it likes, so a file is complete when some file in the
//! destination has its bytes.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A card, by its content.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub path: PathBuf,
    /// Size and hash of each file.
    hashes: Vec<(u64, blake3::Hash)>,
}

/// What is said of a card, so that two runs can be known to have used the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardFacts {
    /// How many files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// One hash over the hashes of all files, whatever they are called.
    pub digest: String,
}

impl Card {
    /// Reads all of it.
    pub(crate) fn read(path: &Path) -> std::io::Result<Self> {
        let mut hashes = Vec::new();
        for file in files(path) {
            hashes.push(hash(&path.join(file))?);
        }
        hashes.sort_by_key(|(size, hash)| (*size, *hash.as_bytes()));
        Ok(Self { path: path.to_owned(), hashes })
    }

    pub(crate) fn facts(&self) -> CardFacts {
        let mut hasher = blake3::Hasher::new();
        for (_, hash) in &self.hashes {
            hasher.update(hash.as_bytes());
        }
        CardFacts {
            files: self.hashes.len() as u64,
            bytes: self.hashes.iter().map(|(size, _)| size).sum(),
            digest: format!("blake3:{}", hasher.finalize().to_hex()),
        }
    }

    /// How many of the card's files are in this folder, by content. Only files of a size that is on the card are read.
    pub(crate) fn complete_in(&self, folder: &Path) -> u64 {
        let sizes: HashSet<u64> = self.hashes.iter().map(|(size, _)| *size).collect();
        let mut there: HashMap<blake3::Hash, u64> = HashMap::new();
        for file in files(folder) {
            let path = folder.join(file);
            let known = std::fs::metadata(&path).is_ok_and(|m| sizes.contains(&m.len()));
            if let Some((_, hash)) = known.then(|| hash(&path).ok()).flatten() {
                *there.entry(hash).or_default() += 1;
            }
        }
        // Two equal files on a card may be one in a library: an importer that knows duplicates is not incomplete.
        self.hashes.iter().filter(|(_, hash)| there.contains_key(hash)).count() as u64
    }
}

fn hash(path: &Path) -> std::io::Result<(u64, blake3::Hash)> {
    let mut hasher = blake3::Hasher::new();
    let size = std::io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((size, hasher.finalize()))
}

/// The files below a folder, relative to it, sorted. Links are not followed; what cannot be read is left out.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    found.extend(entry.path().strip_prefix(folder).map(Path::to_owned));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_under_another_name_is_complete_and_a_damaged_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (card, copy) = (dir.path().join("card/DCIM"), dir.path().join("copy/2009"));
        std::fs::create_dir_all(&card).unwrap();
        std::fs::create_dir_all(&copy).unwrap();
        for (name, content) in [("a", "one"), ("b", "two"), ("c", "six")] {
            std::fs::write(card.join(name), content).unwrap();
        }
        std::fs::write(copy.join("renamed"), "one").unwrap();
        std::fs::write(copy.join("b"), "tWo").unwrap();
        let card = Card::read(&dir.path().join("card")).unwrap();
        assert_eq!(card.complete_in(&dir.path().join("copy")), 1);
        assert_eq!((card.facts().files, card.facts().bytes), (3, 9));
    }
}

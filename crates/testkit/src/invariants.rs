//! Says whether any promise is broken, given a card and a library.
//!
//! It shares no code with the import: it walks both trees by itself, hashes with its own loop, and asks the
//! catalogue only what it claims. Every fault test ends with it. What it finds is a list of sentences; an empty
//! list is a library in which every claim is true.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lightfast_catalog::{Catalog, Place};

/// When the library is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Right after a fault: partial files may lie in `incoming`, and an empty claim may hold a name.
    AfterFault,
    /// After the import was run again and said that the card is safe to format.
    Finished,
}

/// What a card holds: bytes by path, times by path. Taken before the first fault, compared at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<PathBuf, (blake3::Hash, i64, i64)>,
}

impl Snapshot {
    /// Reads a whole tree.
    pub fn of(root: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for path in walk(root, |_| true)? {
            let meta = fs::symlink_metadata(root.join(&path))?;
            files.insert(path.clone(), (hash(&root.join(&path))?, meta.mtime(), meta.mtime_nsec()));
        }
        Ok(Self { files })
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// A library with its further destinations, as one import has them.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The library.
    pub library: &'a Path,
    /// The folder of the catalogue, where that is not in the library.
    pub catalog: Option<&'a Path>,
    /// Further destinations.
    pub also: &'a [PathBuf],
}

impl<'a> Places<'a> {
    /// A library by itself.
    pub fn of(library: &'a Path) -> Self {
        Self { library, catalog: None, also: &[] }
    }

    fn all(&self) -> impl Iterator<Item = &'a Path> + use<'a> {
        std::iter::once(self.library).chain(self.also.iter().map(PathBuf::as_path))
    }
}

/// Every promise that `library` breaks towards the card of which `before` was taken.
pub fn broken(card: &Path, before: &Snapshot, library: &Path, moment: Moment) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    if Snapshot::of(card)? != *before {
        found.push("P1: the card is not what it was".to_owned());
    }
    found.extend(broken_in(before, Places::of(library), moment)?);
    Ok(found)
}

/// The same for a library with further destinations; the card itself is not looked at.
pub fn broken_in(before: &Snapshot, places: Places<'_>, moment: Moment) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let on_card: HashSet<blake3::Hash> = before.files.values().map(|(hash, _, _)| *hash).collect();
    let mut all = Vec::new();
    for folder in places.all() {
        let originals = originals(folder)?;
        for (path, hash) in &originals {
            let full = folder.join(path);
            let is_claim = fs::metadata(&full)?.len() == 0 && moment == Moment::AfterFault;
            if !on_card.contains(hash) && !is_claim {
                found.push(format!("P2: {} is under a final name and is not a whole file of the card", full.display()));
            }
        }
        if moment == Moment::Finished {
            found.extend(unfinished(before, folder, &originals));
        }
        all.push((folder, originals));
    }
    found.extend(false_claims(places, &all)?);
    Ok(found)
}

/// P4 and P6: what is missing from, or left over in, a destination that is said to be safe.
fn unfinished(before: &Snapshot, folder: &Path, originals: &BTreeMap<PathBuf, blake3::Hash>) -> Vec<String> {
    let here: HashSet<&blake3::Hash> = originals.values().collect();
    let missing = before.files.iter().filter(|(path, (hash, _, _))| !is_junk(path) && !here.contains(hash));
    let mut found: Vec<String> = missing
        .map(|(path, _)| format!("P6: {} is not in {}, which is said to be safe", path.display(), folder.display()))
        .collect();
    if fs::read_dir(folder.join(".lightfast/incoming")).is_ok_and(|mut entries| entries.next().is_some()) {
        found.push(format!("P4: partial files are left in incoming of {}", folder.display()));
    }
    found
}

/// P3 and P4: of the originals that were said to be copied (path in the library and content), those that are not
/// there any more.
pub fn lost<'a>(said: impl IntoIterator<Item = (&'a Path, &'a str)>, library: &Path) -> io::Result<Vec<String>> {
    let here = originals(library)?;
    let mut found = Vec::new();
    for (path, hash) in said {
        let wanted = hash.trim_start_matches("blake3:");
        match here.get(path) {
            Some(hash) if hash.to_hex().as_str() == wanted => {}
            Some(_) => found.push(format!("P3: {} was said to be copied and has other bytes", path.display())),
            None => found.push(format!("P3: {} was said to be copied and is not there", path.display())),
        }
    }
    Ok(found)
}

/// Originals of a library by path, with their content. What lightfast keeps for itself, and manifests, are not among them.
pub fn originals(library: &Path) -> io::Result<BTreeMap<PathBuf, blake3::Hash>> {
    let own = |path: &Path| path != Path::new(".lightfast") && path.file_name().is_none_or(|name| name != "ascmhl");
    if !library.exists() {
        return Ok(BTreeMap::new());
    }
    walk(library, own)?.into_iter().map(|path| Ok((path.clone(), hash(&library.join(&path))?))).collect()
}

/// P3: a row that says `verified` has a file with that content under that name.
fn false_claims(places: Places<'_>, originals: &[(&Path, BTreeMap<PathBuf, blake3::Hash>)]) -> io::Result<Vec<String>> {
    let place = match places.catalog {
        Some(dir) => Place::elsewhere(places.library, dir),
        None => Place::in_library(places.library),
    };
    if !place.file().exists() {
        return Ok(Vec::new());
    }
    // Opened for writing, as the next import would: what a crash left in the log is taken up.
    let catalog = match Catalog::open(&place) {
        Ok(catalog) => catalog,
        // A crash while it was being made leaves a file without a schema, which claims nothing.
        Err(_) if fs::metadata(place.file()).is_ok_and(|meta| meta.len() == 0) => return Ok(Vec::new()),
        Err(error) => return Ok(vec![format!("P4: the catalogue cannot be opened: {error}")]),
    };
    let roots = catalog.roots().map_err(io::Error::other)?;
    let ids: Vec<Option<String>> = originals.iter().map(|(folder, _)| id_of(folder)).collect();
    let mut found = Vec::new();
    let mut after = 0;
    loop {
        let page = catalog.originals(after, 1000).map_err(io::Error::other)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.row;
        for row in page {
            let root = roots.iter().find(|root| root.id == row.root).map(|root| root.uuid.clone());
            let at = ids.iter().position(|id| *id == root);
            // A destination that is not here now is away, with all that is said of it.
            let Some((folder, here)) = at.and_then(|at| originals.get(at)) else { continue };
            let full = folder.join(row.path.as_path());
            match here.get(row.path.as_path()) {
                Some(hash) if *hash.as_bytes() == row.hash.0 => {}
                Some(_) => found.push(format!("P3: {} has other bytes than its row says", full.display())),
                None => found.push(format!("P3: {} has a row and is not there", full.display())),
            }
        }
    }
}

/// The lasting id of a destination, read without the import's code.
fn id_of(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(".lightfast/format")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("id ")).map(|id| id.trim().to_owned())
}

fn is_junk(path: &Path) -> bool {
    path.iter().any(|name| {
        let name = name.to_string_lossy();
        name.starts_with("._")
            || [".DS_Store", ".Trashes", ".Spotlight-V100", "System Volume Information"].contains(&&*name)
    })
}

fn walk(root: &Path, enter: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                if enter(&path) {
                    folders.push(path);
                }
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut fs::File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_file_under_a_final_name_is_found() {
        let card = crate::TestCard::new().file("a.jpg", b"whole");
        let library = tempfile::tempdir().unwrap();
        let before = Snapshot::of(card.path()).unwrap();
        fs::write(library.path().join("a.jpg"), b"who").unwrap();
        let found = broken(card.path(), &before, library.path(), Moment::AfterFault).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("P2: ") && found[0].contains("a.jpg"), "{found:?}");
        fs::write(library.path().join("a.jpg"), b"whole").unwrap();
        assert!(broken(card.path(), &before, library.path(), Moment::Finished).unwrap().is_empty());
        fs::write(card.at("a.jpg"), b"other").unwrap();
        assert_eq!(broken(card.path(), &before, library.path(), Moment::AfterFault).unwrap().len(), 1);
    }
}

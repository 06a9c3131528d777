//! Manifests on disk: the history of a folder's ASC MHL generations, read and added to.
//!
//! A generation lists the originals that a session put into one folder, and lies in that folder's `ascmhl`, beside the
//! chain that names every generation by its hash. Sidecars are left out, because they may be edited later, and so is
//! what lightfast keeps for itself. Existing generations are never changed; a new one is durable before the chain
//! names it, so that a crash leaves at most a generation that the chain does not know, which is told and numbered over.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lightfast_manifest::{
    Action, CHAIN_FILE, Chain, FOLDER, Generation, Hash, HashKind, Manifest, NewEntry, NewManifest, c4, check,
    generation_name, number_of,
};

use crate::error::{At, IoError, Step};
use crate::fault::{Op, point};
use crate::library::write_durably;
use crate::sys;

/// Names that are left out of every generation.
pub const IGNORED: &[&str] = &[".DS_Store", "ascmhl", "ascmhl/", ".lightfast", "*.xmp", "*.XMP", "*.aae", "*.AAE"];
/// A manifest larger than this is not read.
const MOST_BYTES: u64 = 2 << 30;

/// Something wrong with the manifests themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestProblem {
    /// The manifest, or the folder of manifests.
    pub path: PathBuf,
    /// Whether it is not there at all.
    pub missing: bool,
    /// One clear line.
    pub reason: String,
}

/// What all generations of one folder say.
#[derive(Debug, Default)]
pub struct History {
    /// The chain, as far as it could be read.
    pub chain: Chain,
    /// Generations that could be read, ascending.
    pub manifests: Vec<(u64, Manifest)>,
    /// What is wrong with them.
    pub problems: Vec<ManifestProblem>,
}

/// What a file must be, by all manifests that list it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Bytes.
    pub size: Option<u64>,
    /// Hashes; the first of each kind.
    pub hashes: Vec<(HashKind, String)>,
}

impl Expected {
    /// Takes in what another manifest says; what was said first stands.
    pub fn add(&mut self, size: Option<u64>, hashes: &[Hash]) {
        self.size = self.size.or(size);
        for hash in hashes.iter().filter(|hash| hash.action != Some(Action::Failed)) {
            if self.hashes.iter().all(|(kind, _)| *kind != hash.kind) {
                self.hashes.push((hash.kind, hash.text.clone()));
            }
        }
    }
}

/// Reads a file of bounded size whole.
fn bounded(path: &Path) -> Result<Vec<u8>, IoError> {
    let size = fs::metadata(path).at(Step::Open, path)?.len();
    if size > MOST_BYTES {
        return Err(IoError::new(Step::Read, path, std::io::Error::other("it is too large to be a manifest")));
    }
    fs::read(path).at(Step::Read, path)
}

/// Reads one manifest of either format.
pub fn read_manifest(path: &Path) -> Result<Manifest, String> {
    let bytes = bounded(path).map_err(|error| error.to_string())?;
    Manifest::read(&bytes).map_err(|error| error.to_string())
}

impl History {
    /// Reads the history of `folder`; none where it has no `ascmhl`.
    pub fn of(folder: &Path) -> Result<Option<Self>, IoError> {
        let place = folder.join(FOLDER);
        let names = match sys::folder_names(&place) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IoError::new(Step::List, &place, error)),
        };
        let mut history = Self::default();
        let chain_file = place.join(CHAIN_FILE);
        match bounded(&chain_file) {
            Ok(bytes) => match Chain::read(&bytes) {
                Ok(chain) => history.chain = chain,
                Err(error) => history.problem(chain_file, false, format!("the chain cannot be read: {error}")),
            },
            Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => {
                history.problem(chain_file, true, "the chain of generations is not there".into());
            }
            Err(error) => return Err(error),
        }
        for number in history.chain.gaps() {
            history.problem(place.clone(), true, format!("generation {number} is missing in the chain"));
        }
        for generation in history.chain.generations.clone() {
            history.generation(&place, &generation);
        }
        let mut names: Vec<String> = names.iter().filter_map(|name| name.to_str().map(str::to_owned)).collect();
        names.sort();
        for name in names {
            let listed = history.chain.generations.iter().any(|generation| generation.path == name);
            if let Some(number) = number_of(&name).filter(|_| !listed) {
                history.problem(place.join(&name), false, format!("generation {number} is not in the chain"));
            }
        }
        history.manifests.sort_by_key(|(number, _)| *number);
        Ok(Some(history))
    }

    fn problem(&mut self, path: PathBuf, missing: bool, reason: String) {
        self.problems.push(ManifestProblem { path, missing, reason });
    }

    fn generation(&mut self, place: &Path, generation: &Generation) {
        let number = generation.number;
        if check(&generation.path).is_err() || generation.path.contains('/') {
            return self.problem(
                place.to_owned(),
                false,
                format!("the chain names generation {number} by a wrong path"),
            );
        }
        let path = place.join(&generation.path);
        let bytes = match bounded(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => {
                return self.problem(path, true, format!("generation {number} is in the chain and is not there"));
            }
            Err(error) => return self.problem(path, false, error.to_string()),
        };
        if c4(&bytes) != generation.c4 {
            self.problem(path.clone(), false, format!("generation {number} was changed after it was written"));
        }
        match Manifest::read(&bytes) {
            Ok(manifest) => {
                for refused in &manifest.refused {
                    let reason = format!("generation {number} names {refused:?} twice, or outside its folder");
                    self.problems.push(ManifestProblem { path: path.clone(), missing: false, reason });
                }
                self.manifests.push((number, manifest));
            }
            Err(error) => self.problem(path, false, format!("generation {number} cannot be read: {error}")),
        }
    }

    /// What each file must be; paths relative to the folder.
    pub fn expected(&self) -> BTreeMap<String, Expected> {
        let mut all: BTreeMap<String, Expected> = BTreeMap::new();
        for entry in self.manifests.iter().flat_map(|(_, manifest)| &manifest.entries) {
            all.entry(entry.path.clone()).or_default().add(entry.size, &entry.hashes);
        }
        all
    }

    fn lists(&self, path: &str) -> bool {
        self.manifests.iter().any(|(_, manifest)| manifest.entries.iter().any(|entry| entry.path == path))
    }
}

/// Whether manifests leave a file of this name out.
pub fn is_left_out(name: &std::ffi::OsStr) -> bool {
    let extension = Path::new(name).extension();
    let is_sidecar = extension.is_some_and(|e| e.eq_ignore_ascii_case("xmp") || e.eq_ignore_ascii_case("aae"));
    is_sidecar || name == ".DS_Store"
}

/// One original for the next generation.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Relative to the destination.
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
    /// Its XXH128, where it was computed while copying.
    pub(crate) sum: Option<u128>,
}

/// What writing generations needs to know.
pub(crate) struct Writing<'a> {
    pub(crate) host: &'a str,
    pub(crate) now: Timestamp,
}

impl Writing<'_> {
    /// Adds a generation to each folder of `root` that got files. Files that earlier generations list already are left
    /// out unless they were written now. Gives one line for each folder or file that could not be listed.
    pub(crate) fn add(&self, root: &Path, listed: Vec<Listed>) -> Vec<String> {
        let mut folders: BTreeMap<PathBuf, Vec<Listed>> = BTreeMap::new();
        for file in listed.into_iter().filter(|file| !is_left_out(file.path.file_name().unwrap_or_default())) {
            folders.entry(file.path.parent().unwrap_or(Path::new("")).to_owned()).or_default().push(file);
        }
        let mut notes = Vec::new();
        for (folder, mut files) in folders {
            // Two files of the card may have one content, and so one place; what was written now goes first.
            files.sort_by(|a, b| a.path.cmp(&b.path).then(b.sum.cmp(&a.sum)));
            files.dedup_by(|later, first| later.path == first.path);
            if let Err(error) = self.folder(root, &folder, files, &mut notes) {
                notes.push(format!("no manifest for {}: {error}", root.join(&folder).display()));
            }
        }
        notes
    }

    fn folder(&self, root: &Path, folder: &Path, files: Vec<Listed>, notes: &mut Vec<String>) -> Result<(), IoError> {
        let full = root.join(folder);
        let history = History::of(&full)?.unwrap_or_default();
        let mut entries = Vec::new();
        for file in files {
            let name = file.path.file_name().unwrap_or_default();
            let Some(name) = name.to_str().filter(|name| check(name).is_ok()) else {
                notes.push(format!("{} cannot be in a manifest: XML cannot hold its name", file.path.display()));
                continue;
            };
            let known = history.lists(name);
            let sum = match file.sum {
                Some(sum) => sum,
                None if known => continue,
                None => xxh128_of(&root.join(&file.path))?,
            };
            entries.push(NewEntry {
                path: name.to_owned(),
                size: file.size,
                modified: timestamp(file.mtime_ns),
                hashes: vec![(HashKind::Xxh128, format!("{sum:032x}"))],
                action: if known { Action::Verified } else { Action::Original },
                hashed: self.now,
            });
        }
        if entries.is_empty() { Ok(()) } else { self.generation(&full, history, entries) }
    }

    fn generation(&self, folder: &Path, history: History, entries: Vec<NewEntry>) -> Result<(), IoError> {
        let place = folder.join(FOLDER);
        let manifest = NewManifest {
            created: self.now,
            host: self.host,
            tool: ("lightfast", env!("CARGO_PKG_VERSION")),
            ignore: IGNORED,
            entries,
        };
        let text = manifest.write().map_err(std::io::Error::other).at(Step::Write, &place)?;
        point(Op::MakeFolder).at(Step::MakeFolder, &place)?;
        match fs::create_dir(&place) {
            Ok(()) => drop(sys::sync_folder(folder).at(Step::SyncFolder, folder)?),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(IoError::new(Step::MakeFolder, &place, error)),
        }
        let mut chain = history.chain;
        let stray = sys::folder_names(&place).at(Step::List, &place)?;
        let taken = stray.iter().filter_map(|name| number_of(name.to_str()?)).max().unwrap_or(0);
        let number = chain.next().max(taken.saturating_add(1));
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = generation_name(number, &name, self.now);
        write_durably(&place.join(&path), text.as_bytes())?;
        chain.generations.push(Generation { number, path, c4: c4(text.as_bytes()) });
        write_durably(&place.join(CHAIN_FILE), chain.write().as_bytes())
    }
}

fn timestamp(nanos: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(nanos)).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn xxh128_of(path: &Path) -> Result<u128, IoError> {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    crate::verify::read_whole(path, &mut |block| hasher.update(block)).at(Step::ReadBack, path)?;
    Ok(hasher.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str) -> Listed {
        Listed { path: path.into(), size: 3, mtime_ns: 1_247_407_402_000_000_000, sum: None }
    }

    fn write(root: &Path, files: &[&str]) -> Vec<String> {
        for file in files {
            let full = root.join(file);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, b"raw").unwrap();
        }
        let now = "2026-11-30T19:30:00Z".parse().unwrap();
        Writing { host: "host", now }.add(root, files.iter().map(|file| listed(file)).collect())
    }

    #[test]
    fn each_folder_gets_a_generation_of_its_own_files() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), &["a/1.CR2", "a/1.xmp", "b/2.CR2"]).is_empty());
        assert!(write(dir.path(), &["a/3.CR2", "a/1.CR2", "a/3.CR2"]).is_empty());
        let history = History::of(&dir.path().join("a")).unwrap().unwrap();
        assert_eq!(history.problems, []);
        let files: Vec<_> = history.expected().into_keys().collect();
        assert_eq!(files, ["1.CR2", "3.CR2"], "the sidecar is left out, and what is listed is not listed again");
        let counts: Vec<_> = history.manifests.iter().map(|(_, manifest)| manifest.entries.len()).collect();
        assert_eq!((counts, history.problems.len()), (vec![1, 1], 0), "each path once");
        let expected = &history.expected()["1.CR2"];
        assert_eq!(expected.hashes, [(HashKind::Xxh128, "13d13f150e5ec1cc1dddc59c28b3ac7e".to_owned())]);
        assert!(History::of(&dir.path().join("c")).unwrap().is_none());
    }

    #[test]
    fn a_changed_a_deleted_and_a_stray_generation_are_told() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["a/1.CR2", "a/2.CR2", "a/3.CR2"] {
            write(dir.path(), &[file]);
        }
        let folder = dir.path().join("a");
        let history = History::of(&folder).unwrap().unwrap();
        let path = |at: usize| folder.join(FOLDER).join(&history.chain.generations[at].path);
        let text = fs::read_to_string(path(0)).unwrap();
        let row = text.find("    <hash>").unwrap()..text.find("</hash>\n").unwrap() + 8;
        fs::write(path(0), format!("{}{}", &text[..row.start], &text[row.end..])).unwrap();
        fs::remove_file(path(1)).unwrap();
        fs::write(folder.join("ascmhl/0009_stray.mhl"), b"?").unwrap();
        let found = History::of(&folder).unwrap().unwrap();
        let reasons: Vec<&str> = found.problems.iter().map(|problem| problem.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "generation 1 was changed after it was written",
                "generation 2 is in the chain and is not there",
                "generation 9 is not in the chain"
            ]
        );
        assert_eq!(found.expected().into_keys().collect::<Vec<_>>(), ["3.CR2"]);
    }
}

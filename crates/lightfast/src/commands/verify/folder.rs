//! The check of a plain folder by its manifests: ASC MHL in `ascmhl` folders, and MHL 1.1 files.
//!
//! Each file is checked by the manifests of the nearest folder above it that has any. What no manifest covers is
//! named; so is what is wrong with the manifests themselves.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use lightfast_import::{Expected, History, is_left_out, read_manifest, read_whole};
use lightfast_manifest::{FOLDER, HashKind, Hashers};

use super::Part;
use super::say::{FileLine, Saying};
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::ui::count;

/// What became of one file.
pub(super) enum Outcome {
    /// As it should be; its bytes.
    Good(u64),
    /// Not so.
    Bad { state: &'static str, reason: String, bytes: u64 },
}

impl Outcome {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Good(bytes) | Self::Bad { bytes, .. } => *bytes,
        }
    }
}

/// Reads one file from the medium and compares it with all that manifests say of it.
pub(super) fn check_file(path: &Path, expected: &Expected) -> Outcome {
    let bad = |state, reason: String, bytes| Outcome::Bad { state, reason, bytes };
    let size = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return bad("missing", "it is not there".to_owned(), 0);
        }
        Err(error) => return bad("unreadable", error.to_string(), 0),
        Ok(meta) if !meta.is_file() => return bad("changed", "it is not a file any more".to_owned(), 0),
        Ok(meta) => meta.len(),
    };
    if let Some(wanted) = expected.size.filter(|wanted| *wanted != size) {
        return bad("changed", format!("it has {} bytes, and had {}", count(size), count(wanted)), 0);
    }
    let mut hashers = Hashers::new(expected.hashes.iter().map(|(kind, _)| *kind));
    if let Err(error) = read_whole(path, &mut |block| hashers.update(block)) {
        return bad("unreadable", error.to_string(), 0);
    }
    let found = hashers.finish();
    let of = |kind: HashKind| found.iter().find(|(k, _)| *k == kind).map(|(_, text)| text.as_str());
    for (kind, wanted) in &expected.hashes {
        let now = of(*kind).unwrap_or_default();
        if !kind.is_same(now, wanted) {
            return bad("changed", format!("its {} is {now}, and was {wanted}", kind.name()), size);
        }
    }
    Outcome::Good(size)
}

/// What a folder holds and what its manifests say.
#[derive(Default)]
struct Found {
    files: BTreeMap<PathBuf, u64>,
    expected: BTreeMap<PathBuf, Expected>,
    /// Path, state, reason.
    problems: Vec<(PathBuf, &'static str, String)>,
    manifests: u64,
    old: Vec<PathBuf>,
}

pub(super) fn run(folder: &Path, part: Option<Part>, context: &Context) -> Result<Exit, Error> {
    let shown = context.shown(folder);
    if !folder.is_dir() {
        return Err(Error::start(format!("there is no folder {shown}")).hint("check the path"));
    }
    let mut found = Found::default();
    found.walk(folder).map_err(|error| Error::start(format!("cannot list {shown}")).because(error))?;
    if found.manifests == 0 && found.problems.is_empty() {
        return Err(Error::start(format!("there is no manifest in {shown}, and no catalogue"))
            .hint("name a folder with an ascmhl folder or an .mhl file in it, or a library with --library DIR"));
    }
    let stop = interrupt::watch()?;
    let mut saying = Saying::new(context);
    for (path, state, reason) in &found.problems {
        saying.report.bad += 1;
        saying.step(0);
        saying.say(&FileLine::new(&path.as_path().into(), state, 0).reason(reason.clone()));
    }
    saying.files_total = found.expected.len() as u64;
    saying.bytes_total = found.expected.values().filter_map(|expected| expected.size).sum();
    for (number, (path, expected)) in found.expected.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Ok(saying.end(false));
        }
        if part.is_some_and(|part| !part.has(number as i64)) {
            continue;
        }
        let outcome = check_file(&folder.join(path), expected);
        saying.step(outcome.bytes());
        match outcome {
            Outcome::Good(_) => saying.report.good += 1,
            Outcome::Bad { state, reason, .. } => {
                saying.report.bad += 1;
                let size = expected.size.unwrap_or(0);
                saying.say(&FileLine::new(&path.as_path().into(), state, size).reason(reason));
            }
        }
    }
    if part.is_none() {
        for (path, size) in found.files.iter().filter(|(path, _)| !found.expected.contains_key(*path)) {
            saying.report.unknown += 1;
            let path = path.as_path().into();
            saying.say(&FileLine::new(&path, "unknown", *size).reason("no manifest lists it"));
        }
    }
    Ok(saying.end(true))
}

impl Found {
    fn walk(&mut self, root: &Path) -> std::io::Result<()> {
        let mut folders = vec![PathBuf::new()];
        let mut with_history = Vec::new();
        while let Some(folder) = folders.pop() {
            let entries = match std::fs::read_dir(root.join(&folder)) {
                Ok(entries) => entries,
                Err(error) if folder.as_os_str().is_empty() => return Err(error),
                Err(error) => {
                    self.problems.push((folder, "unreadable", format!("could not list the folder: {error}")));
                    continue;
                }
            };
            for entry in entries {
                let entry = entry?;
                let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
                let kind = entry.file_type()?;
                if kind.is_dir() && name == FOLDER {
                    with_history.push(folder.clone());
                } else if kind.is_dir() && name != ".lightfast" {
                    folders.push(path);
                } else if kind.is_file() && path.extension() == Some(OsStr::new("mhl")) {
                    self.old.push(path);
                } else if kind.is_file() && !is_left_out(&name) {
                    self.files.insert(path, entry.metadata().map_or(0, |meta| meta.len()));
                }
            }
        }
        for folder in with_history {
            self.history(root, &folder);
        }
        for path in std::mem::take(&mut self.old) {
            self.single(root, path);
        }
        Ok(())
    }

    fn history(&mut self, root: &Path, folder: &Path) {
        self.manifests += 1;
        match History::of(&root.join(folder)) {
            Ok(Some(history)) => {
                for problem in &history.problems {
                    let path = problem.path.strip_prefix(root).unwrap_or(&problem.path).to_owned();
                    let state = if problem.missing { "missing" } else { "changed" };
                    self.problems.push((path, state, problem.reason.clone()));
                }
                for (path, expected) in history.expected() {
                    self.expected.entry(folder.join(path)).or_insert(expected);
                }
            }
            Ok(None) => {}
            Err(error) => self.problems.push((folder.join(FOLDER), "unreadable", error.to_string())),
        }
    }

    /// A manifest of MHL 1.1, which lies in the folder that it is of.
    fn single(&mut self, root: &Path, path: PathBuf) {
        self.manifests += 1;
        match read_manifest(&root.join(&path)) {
            Ok(manifest) => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                for refused in &manifest.refused {
                    let reason = format!("it names {refused:?} twice, or outside its folder");
                    self.problems.push((path.clone(), "changed", reason));
                }
                for entry in &manifest.entries {
                    self.expected.entry(folder.join(&entry.path)).or_default().add(entry.size, &entry.hashes);
                }
            }
            Err(reason) => self.problems.push((path, "unreadable", reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_checked_by_every_hash_that_a_manifest_has() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("raw");
        std::fs::write(&path, b"raw").unwrap();
        let hash = |kind, text: &str| Expected { size: Some(3), hashes: vec![(kind, text.to_owned())] };
        let good = |expected: &Expected| matches!(check_file(&path, expected), Outcome::Good(3));
        assert!(good(&hash(HashKind::Xxh64, "67BE920E14D52A62")));
        assert!(good(&Expected { size: None, hashes: Vec::new() }), "where only the name is known, it is there");
        assert!(!good(&hash(HashKind::Md5, "67be920e14d52a62")));
        assert!(!good(&Expected { size: Some(4), hashes: Vec::new() }));
        let missing = check_file(&dir.path().join("none"), &Expected::default());
        assert!(matches!(missing, Outcome::Bad { state: "missing", .. }));
    }
}

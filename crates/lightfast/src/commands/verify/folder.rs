//! The check of a plain folder by its manifests: ASC MHL in `ascmhl` folders, and MHL 1.1 files.
//!
//! Each file is checked by the manifests of the nearest folder above it that has any. What no manifest covers is
//! named; so is what is wrong with the manifests themselves.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use lightfast_import::{Expected, History, Outcome, check_file, is_left_out, read_manifest};
use lightfast_manifest::FOLDER;

use super::Part;
use super::say::{FileLine, Saying};
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;

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

//! The manifests of a library: whether they are whole, and whether what they list is accounted for.
//!
//! Originals are checked by the catalogue. What only a manifest lists is checked by its hashes; what a person put in
//! the trash, or emptied from it, is named as such.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lightfast_import::{Expected, History, Outcome, check_file};
use lightfast_manifest::FOLDER;
use lightfast_model::BytePath;

use super::library::Check;
use super::say::FileLine;
use crate::error::Error;
use crate::library::{Opened, catalog_error};

/// Checks all manifests below the library; false where it was interrupted.
pub(super) fn check(check: &mut Check<'_>, opened: &Opened, stop: &AtomicBool) -> Result<bool, Error> {
    let library = opened.place.library.clone();
    let Some(root) = check.roots.iter().find(|root| root.uuid == opened.id).map(|root| root.id) else {
        return Ok(true);
    };
    let folders = folders_with_manifests(&library);
    if folders.is_empty() {
        return Ok(true);
    }
    let trash: HashSet<BytePath> = opened
        .catalog
        .in_trash()
        .map_err(catalog_error)?
        .into_iter()
        .filter(|file| file.root == root)
        .map(|file| file.from)
        .collect();
    let emptied: HashSet<BytePath> = opened.catalog.emptied_from(root).map_err(catalog_error)?.into_iter().collect();
    let away = |path: &BytePath| {
        let is_deleted = emptied.contains(path).then_some("the trash that it was in was emptied");
        trash.contains(path).then_some("it is in the trash").or(is_deleted)
    };
    for folder in folders {
        let history = match History::of(&library.join(&folder)) {
            Ok(Some(history)) => history,
            Ok(None) => continue,
            Err(error) => {
                bad(check, &folder.join(FOLDER), "unreadable", error.to_string());
                continue;
            }
        };
        for problem in &history.problems {
            let path = problem.path.strip_prefix(&library).unwrap_or(&problem.path);
            bad(check, path, if problem.missing { "missing" } else { "changed" }, problem.reason.clone());
        }
        let expected: Vec<(BytePath, Expected)> =
            history.expected().into_iter().map(|(path, e)| (folder.join(path).into(), e)).collect();
        let paths: Vec<BytePath> = expected.iter().map(|(path, _)| path.clone()).collect();
        let taken = opened.catalog.paths_taken(root, &paths).map_err(catalog_error)?;
        for (path, expected) in expected {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if !taken.contains(&path) && !check.told.contains(&path) {
                one(check, &library, &path, &expected, away(&path));
            }
        }
    }
    Ok(true)
}

/// A file that a manifest lists and the catalogue does not; `away` says why a person put it away.
fn one(check: &mut Check<'_>, library: &Path, path: &BytePath, expected: &Expected, away: Option<&str>) {
    let size = expected.size.unwrap_or(0);
    if let Some(why) = away.filter(|_| !library.join(path.as_path()).exists()) {
        check.saying.report.trashed += 1;
        let line = FileLine::new(path, "trashed", size).reason(format!("a manifest lists it; {why}"));
        return check.saying.say(&line);
    }
    check.listed.insert(path.clone());
    let outcome = check_file(&library.join(path.as_path()), expected);
    check.saying.step(outcome.bytes());
    match outcome {
        Outcome::Good(_) => check.saying.report.good += 1,
        Outcome::Bad { state, reason, .. } => {
            check.saying.report.bad += 1;
            check.saying.say(&FileLine::new(path, state, size).reason(format!("a manifest lists it: {reason}")));
        }
    }
}

fn bad(check: &mut Check<'_>, path: &Path, state: &'static str, reason: String) {
    check.saying.report.bad += 1;
    check.saying.step(0);
    check.saying.say(&FileLine::new(&path.into(), state, 0).reason(reason));
}

/// Folders below a library that have an `ascmhl`, relative, in the order of their names.
fn folders_with_manifests(library: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(library.join(&folder)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.file_name() == FOLDER {
                found.push(folder.clone());
            } else if is_folder && entry.file_name() != ".lightfast" {
                folders.push(folder.join(entry.file_name()));
            }
        }
    }
    found.sort();
    found
}

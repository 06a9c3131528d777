//! Files below a destination that the catalogue does not list. They are named and left alone; manifests are not among
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use lightfast_catalog::RootId;
use lightfast_manifest::FOLDER;
use lightfast_model::BytePath;

use crate::error::Error;
use crate::library::{Opened, catalog_error};

/// Paths asked of the catalogue at once.
const BATCH: usize = 500;

/// Calls `found` with the path and size of every file that is not listed, in the order of names.
pub(super) fn files(
    opened: &Opened,
    root: RootId,
    library: &Path,
    found: &mut dyn FnMut(BytePath, u64),
) -> Result<(), Error> {
    let mut folders = vec![PathBuf::new()];
    let mut batch = Vec::new();
    while let Some(folder) = folders.pop() {
        // A folder that cannot be listed hides files that are unknown anyway; originals in it were checked by name.
        let Ok(entries) = fs::read_dir(library.join(&folder)) else { continue };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries.iter().rev() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && path != Path::new(".lightfast") && entry.file_name() != FOLDER => {
                    folders.push(path);
                }
                Ok(kind) if kind.is_file() => {
                    batch.push((BytePath(path), entry.metadata().map_or(0, |metadata| metadata.len())));
                }
                _ => {}
            }
        }
        if batch.len() >= BATCH {
            ask(opened, root, &mut batch, found)?;
        }
    }
    ask(opened, root, &mut batch, found)
}

fn ask(
    opened: &Opened,
    root: RootId,
    batch: &mut Vec<(BytePath, u64)>,
    found: &mut dyn FnMut(BytePath, u64),
) -> Result<(), Error> {
    let paths: Vec<BytePath> = batch.iter().map(|(path, _)| path.clone()).collect();
    let listed = opened.catalog.paths_taken(root, &paths).map_err(catalog_error)?;
    let mut rest: Vec<_> = batch.drain(..).filter(|(path, _)| !listed.contains(path)).collect();
    rest.sort();
    rest.into_iter().for_each(|(path, size)| found(path, size));
    Ok(())
}

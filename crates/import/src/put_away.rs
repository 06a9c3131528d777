//! The trash, on the disk: files of photos that were put away, moved within their root and never copied.
//!
//! The catalogue is told first where each file will be, so a move that was cut off is finished by the next call. Files
//! in further destinations stay: they are the second copies that the trash can be emptied for. Nothing is deleted but
//! by [`empty`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lightfast_catalog::{Catalog, Move, Naming, Query, RootId, RootKind};
use lightfast_model::BytePath;

use crate::error::{At, IoError, Step};
use crate::keeping::{KeepError, write_journal};
use crate::library::Library;
use crate::names::alternative;
use crate::roots::{Place, places};
use crate::sidecar::sidecar_path;
use crate::sys;
use crate::verify::{ReadBack, read_back};

/// What was put away or brought back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutAway {
    /// Photos.
    pub photos: u64,
    /// Files that were moved, sidecars that were written beside them not counted.
    pub files: u64,
    /// Files that could not be moved, and why; the next call tries again.
    pub failed: Vec<(BytePath, String)>,
}

/// A file of the trash that was deleted, or kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emptied {
    /// Where it came from, relative to its root.
    pub home: BytePath,
    /// The root's lasting name.
    pub root: RootId,
    /// Bytes.
    pub bytes: u64,
    /// Why it was kept; deleted where empty.
    pub kept: Option<String>,
}

/// Puts the photos that match into the trash.
pub fn put_away(catalog: &mut Catalog, library: &Library, query: &Query, now: Timestamp) -> Result<PutAway, KeepError> {
    let places = places(catalog, library)?;
    let mut done = finish(catalog, &places)?;
    let stay: Vec<RootId> = places
        .iter()
        .filter(|place| place.kind == RootKind::Destination && !place.is_library)
        .map(|place| place.root)
        .collect();
    let outcome = catalog.trash(query, &stay, now)?;
    done.photos = outcome.photos;
    perform(catalog, &places, &outcome.moves, &mut done)?;
    write_journal(catalog, library)?;
    Ok(done)
}

/// Brings the photos that match back to where they came from; a name that is taken meanwhile gets a number.
pub fn bring_back(
    catalog: &mut Catalog,
    library: &Library,
    query: &Query,
    now: Timestamp,
) -> Result<PutAway, KeepError> {
    let places = places(catalog, library)?;
    let mut done = finish(catalog, &places)?;
    let mut tried: HashMap<BytePath, (PathBuf, u32)> = HashMap::new();
    let mut elsewhere = |_: RootId, taken: &BytePath| {
        let (first, number) = tried.remove(taken).unwrap_or_else(|| (taken.0.clone(), 1));
        let next = BytePath(alternative(&first, number + 1));
        tried.insert(next.clone(), (first, number + 1));
        next
    };
    let outcome = catalog.restore(query, now, &mut elsewhere)?;
    done.photos = outcome.photos;
    perform(catalog, &places, &outcome.moves, &mut done)?;
    write_journal(catalog, library)?;
    Ok(done)
}

/// Deletes for good what is in the trash, each photo only where every file of it has another copy in another place that
/// was read back just now and is right. `insist` deletes the others too.
pub fn empty(
    catalog: &mut Catalog,
    library: &Library,
    insist: bool,
    now: Timestamp,
) -> Result<Vec<Emptied>, KeepError> {
    let places = places(catalog, library)?;
    finish(catalog, &places)?;
    let mut by_photo: BTreeMap<PathBuf, Vec<Move>> = BTreeMap::new();
    for file in catalog.in_trash()? {
        // `.lightfast/trash/PHOTO/…`
        by_photo.entry(file.to.as_path().components().take(3).collect()).or_default().push(file);
    }
    let mut all = Vec::new();
    for files in by_photo.into_values() {
        let mut reason = None;
        for file in files.iter().filter(|file| !follows(file.from.as_path())) {
            if !insist && reason.is_none() {
                reason = no_second_copy(catalog, &places, file)?;
            }
        }
        let mut deleted = Vec::new();
        for file in &files {
            let kept = match &reason {
                Some(reason) => Some(reason.clone()),
                None => delete(catalog, &places, file).err(),
            };
            if kept.is_none() {
                deleted.push(file.row);
            }
            all.push(Emptied { home: file.from.clone(), root: file.root, bytes: file.size, kept });
        }
        if !deleted.is_empty() {
            catalog.emptied(&deleted, now)?;
        }
    }
    write_journal(catalog, library)?;
    Ok(all)
}

/// Companions that may have been edited since: they go with their photo.
fn follows(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xmp") || e.eq_ignore_ascii_case("aae"))
}

/// Why a file has no second copy that is right; none where it has.
fn no_second_copy(catalog: &Catalog, places: &[Place], file: &Move) -> Result<Option<String>, KeepError> {
    let copies = catalog.copies_elsewhere(&file.hash, file.root)?;
    if copies.is_empty() {
        return Ok(Some("no other proven copy of it is known".to_owned()));
    }
    let mut why = "the disk with its other copy is not connected".to_owned();
    for copy in copies {
        let Some(place) = places.iter().find(|place| place.root == copy.root && place.online) else { continue };
        match read_back(&place.folder.join(copy.path.as_path()), file.size) {
            ReadBack::Read { hash, .. } if hash == file.hash => return Ok(None),
            _ => why = format!("its other copy {} is not as it should be", copy.path.shown()),
        }
    }
    Ok(Some(why))
}

fn delete(catalog: &Catalog, places: &[Place], file: &Move) -> Result<(), String> {
    let place = online(places, file.root)?;
    let path = place.folder.join(file.to.as_path());
    sys::remove_file(&path).map_err(|error| format!("could not delete it: {error}"))?;
    for naming in Naming::ALL {
        let sidecar = sidecar_path(file.to.as_path(), naming);
        if matches!(catalog.row_at(file.root, &sidecar.clone().into()), Ok(Some(_))) {
            let _ = sys::remove_file(&place.folder.join(sidecar));
        }
    }
    remove_empty(&place.folder, path.parent());
    Ok(())
}

/// Removes folders of the trash in which nothing is left.
fn remove_empty(root: &Path, mut folder: Option<&Path>) {
    let trash = root.join(".lightfast/trash");
    while let Some(path) = folder.filter(|path| path.starts_with(&trash) && **path != trash) {
        if sys::remove_empty_folder(path).is_err() {
            return;
        }
        folder = path.parent();
    }
}

fn online(places: &[Place], root: RootId) -> Result<&Place, String> {
    let place = places.iter().find(|place| place.root == root);
    place.filter(|place| place.online).ok_or_else(|| "its disk is not connected".to_owned())
}

/// Finishes moves that were cut off.
fn finish(catalog: &mut Catalog, places: &[Place]) -> Result<PutAway, KeepError> {
    let mut unfinished = catalog.moves()?;
    unfinished.retain(|m| {
        let folder = places.iter().find(|place| place.root == m.root && place.online).map(|place| &place.folder);
        folder.is_some_and(|f| !f.join(m.to.as_path()).exists() && f.join(m.from.as_path()).exists())
    });
    let mut done = PutAway::default();
    perform(catalog, places, &unfinished, &mut done)?;
    Ok(PutAway::default())
}

fn perform(catalog: &mut Catalog, places: &[Place], moves: &[Move], done: &mut PutAway) -> Result<(), KeepError> {
    let mut moved = Vec::new();
    let mut sidecars = Vec::new();
    for m in moves {
        let result = online(places, m.root)
            .and_then(|place| move_file(&place.folder, m.from.as_path(), m.to.as_path()).map_err(|e| e.to_string()));
        match result {
            Ok(()) => moved.push(m),
            Err(reason) => done.failed.push((m.from.clone(), reason)),
        }
    }
    // Files of their own are where they belong; what is left beside the photos was written by us.
    for m in &moved {
        let Some(place) = places.iter().find(|place| place.root == m.root) else { continue };
        for naming in Naming::ALL {
            let (from, to) = (sidecar_path(m.from.as_path(), naming), sidecar_path(m.to.as_path(), naming));
            let known = catalog.row_at(m.root, &from.clone().into())?.is_some();
            if known && move_file(&place.folder, &from, &to).is_ok() {
                sidecars.push((m.root, BytePath(from), BytePath(to)));
            }
        }
    }
    let rows: Vec<i64> = moved.iter().map(|m| m.row).collect();
    catalog.moved(&rows)?;
    if !sidecars.is_empty() {
        catalog.sidecars_moved(&sidecars)?;
    }
    done.files += rows.len() as u64;
    let folders: BTreeSet<(RootId, &Path)> =
        moved.iter().filter_map(|m| Some((m.root, m.from.as_path().parent()?))).collect();
    for (root, folder) in folders {
        if let Ok(place) = online(places, root) {
            remove_empty(&place.folder, Some(&place.folder.join(folder)));
        }
    }
    Ok(())
}

/// Moves a file within its root; never over another.
fn move_file(root: &Path, from: &Path, to: &Path) -> Result<(), IoError> {
    let (from, to) = (root.join(from), root.join(to));
    let (old, new) = (from.parent().unwrap_or(root), to.parent().unwrap_or(root));
    fs::create_dir_all(new).at(Step::MakeFolder, new)?;
    sys::rename_new(&from, &to).at(Step::Rename, &from)?;
    for folder in [new, old] {
        sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
    }
    // The folders above it may be new.
    for folder in new.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
        sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
    }
    Ok(())
}

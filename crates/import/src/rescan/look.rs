//! One root, compared with what is recorded of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use lightfast_catalog::{Catalog, CheckedState, Original, Rescanned, RootKind};
use lightfast_model::{BytePath, ContentHash, PhotoId};

use super::{RescanEvent, RescanOptions, RescanReport, RescanState, rows_of};
use crate::copy::{AlignedBuffer, Catalogued, make_in_place};
use crate::keeping::KeepError;
use crate::library::Library;
use crate::roots::Place;
use crate::shelve::{Lying, Shelf, Shelving, Stranger, by_stem, hashed, neighbours};
use crate::sidecar::{is_sidecar_name, photo_id, photo_names, sync_rows};
use crate::sys::FsClass;

/// Times may be stored more coarsely than they were set: two seconds on FAT.
const TIME_SLACK_NS: u64 = 2_000_000_000;
/// Files catalogued in one transaction.
const BATCH: usize = 256;

/// One root that is looked at.
pub(super) struct Look<'a> {
    pub(super) place: &'a Place,
    pub(super) class: FsClass,
    pub(super) options: &'a RescanOptions<'a>,
    pub(super) buffer: AlignedBuffer,
    pub(super) events: Vec<RescanEvent>,
    pub(super) report: RescanReport,
}

/// What was found out about the recorded copies of a root.
#[derive(Default)]
struct Sorted {
    changes: Vec<Rescanned>,
    /// Copies that do not lie where they were; with whether other bytes lie there.
    displaced: Vec<(Original, bool)>,
    /// Files with contents that were not recorded at their paths.
    strangers: Vec<Stranger>,
    /// Strangers that lie where a copy with other bytes was recorded.
    in_place_of: HashSet<BytePath>,
}

impl Look<'_> {
    /// Looks, and keeps what was found.
    pub(super) fn run(
        mut self,
        catalog: &mut Catalog,
        library: &Library,
        shelf: Shelf,
        inside: Vec<Original>,
        outside: Vec<Original>,
        tell: &mut dyn FnMut(RescanEvent),
    ) -> Result<RescanReport, KeepError> {
        self.report.files += shelf.files.len() as u64;
        for (path, reason) in &shelf.unlisted {
            self.report.failed += 1;
            self.event(RescanState::Failed, path, None, Some(reason.clone()));
        }
        let xmp: BTreeSet<BytePath> =
            shelf.files.keys().filter(|path| is_sidecar_name(path.as_path())).cloned().collect();
        let mut photo_at: BTreeMap<BytePath, PhotoId> = inside
            .iter()
            .chain(&outside)
            .filter_map(|original| Some((original.path.clone(), original.photo.clone()?)))
            .collect();
        let mut sorted = self.sort(catalog, &shelf, inside)?;
        // A file from elsewhere in the root may have been moved in here.
        for original in outside {
            let full = self.place.folder.join(original.path.as_path());
            if sorted.strangers.iter().any(|s| s.hash == original.hash) && std::fs::symlink_metadata(full).is_err() {
                sorted.displaced.push((original, false));
            }
        }
        self.moves(&mut sorted, &mut photo_at);
        self.losses(&mut sorted, &shelf);
        catalog.record_rescanned(&sorted.changes)?;
        self.new_files(catalog, sorted.strangers, &photo_at)?;
        if self.place.holds_sidecars {
            self.sidecars(catalog, library, &xmp)?;
        }
        self.events.drain(..).for_each(tell);
        Ok(self.report)
    }

    fn event(&mut self, state: RescanState, path: &BytePath, from: Option<&BytePath>, reason: Option<String>) {
        let root = self.place.folder.clone();
        self.events.push(RescanEvent { state, root, path: path.clone(), from: from.cloned(), reason });
    }

    /// Compares what is recorded with what lies there; what is not recorded, or differs, is hashed.
    fn sort(&mut self, catalog: &Catalog, shelf: &Shelf, recorded: Vec<Original>) -> Result<Sorted, KeepError> {
        let mut sorted = Sorted::default();
        let mut known: HashSet<BytePath> = HashSet::new();
        for original in recorded {
            if shelf.is_hidden(original.path.as_path()) || self.stopped() {
                known.insert(original.path.clone());
                continue;
            }
            known.insert(original.path.clone());
            let Some(lying) = shelf.files.get(&original.path) else {
                sorted.displaced.push((original, false));
                continue;
            };
            let same = lying.size == original.size && lying.mtime_ns.abs_diff(original.mtime_ns) <= TIME_SLACK_NS;
            if same && original.was == CheckedState::Good {
                continue;
            }
            if may_be_edited(original.path.as_path()) {
                if original.was == CheckedState::Missing {
                    sorted.changes.push(Rescanned::Present { row: original.row, mtime_ns: original.mtime_ns });
                }
                continue;
            }
            match self.hash(&original.path, lying) {
                None => {}
                Some(stranger) if stranger.hash == original.hash => {
                    sorted.changes.push(Rescanned::Present { row: original.row, mtime_ns: lying.mtime_ns });
                    if original.was != CheckedState::Good {
                        self.report.back += 1;
                        self.event(RescanState::Back, &original.path, None, None);
                    }
                }
                Some(stranger) => {
                    sorted.in_place_of.insert(original.path.clone());
                    sorted.strangers.push(stranger);
                    sorted.displaced.push((original, true));
                }
            }
        }
        for (path, lying) in shelf.files.iter().filter(|(path, _)| !known.contains(*path)) {
            if self.stopped() {
                break;
            }
            // A sidecar that was written by us is known by another table.
            let is_ours = is_sidecar_name(path.as_path()) && catalog.row_at(self.place.root, path)?.is_some();
            if !is_ours {
                sorted.strangers.extend(self.hash(path, lying));
            }
        }
        Ok(sorted)
    }

    fn stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    fn hash(&mut self, path: &BytePath, lying: &Lying) -> Option<Stranger> {
        match hashed(&self.place.folder, self.class, path, lying, &mut self.buffer) {
            Ok(stranger) => Some(stranger),
            Err(reason) => {
                self.report.failed += 1;
                self.event(RescanState::Failed, path, None, Some(reason));
                None
            }
        }
    }

    /// Finds displaced copies among the strangers: by content, and edited companions by the way their photo went.
    fn moves(&mut self, sorted: &mut Sorted, photo_at: &mut BTreeMap<BytePath, PhotoId>) {
        let mut by_hash: HashMap<ContentHash, Vec<usize>> = HashMap::new();
        for (at, stranger) in sorted.strangers.iter().enumerate() {
            by_hash.entry(stranger.hash).or_default().push(at);
        }
        let mut taken: HashSet<usize> = HashSet::new();
        let mut folders: HashMap<PathBuf, PathBuf> = HashMap::new();
        let mut left = Vec::new();
        for (original, other) in std::mem::take(&mut sorted.displaced) {
            let candidates = by_hash.get(&original.hash).map(Vec::as_slice).unwrap_or_default();
            let name = original.path.as_path().file_name();
            let same_name =
                |at: &&usize| sorted.strangers.get(**at).is_some_and(|s| s.path.as_path().file_name() == name);
            let free = || candidates.iter().filter(|at| !taken.contains(at));
            let Some(at) = free().find(same_name).or_else(|| free().next()).copied() else {
                left.push((original, other));
                continue;
            };
            let Some(stranger) = sorted.strangers.get(at).cloned() else { continue };
            taken.insert(at);
            if let Some((from, to)) = original.path.as_path().parent().zip(stranger.path.as_path().parent()) {
                folders.entry(from.to_owned()).or_insert_with(|| to.to_owned());
            }
            self.moved(sorted, &original, &stranger, photo_at);
        }
        for (original, other) in left {
            let path = original.path.as_path();
            let target =
                path.parent().zip(path.file_name()).and_then(|(from, name)| Some(folders.get(from)?.join(name)));
            let at = target.filter(|_| may_be_edited(path)).and_then(|target| {
                sorted.strangers.iter().position(|s| s.path.as_path() == target).filter(|at| !taken.contains(at))
            });
            match at.and_then(|at| Some((at, sorted.strangers.get(at).cloned()?))) {
                Some((at, stranger)) => {
                    taken.insert(at);
                    self.moved(sorted, &original, &stranger, photo_at);
                }
                None => sorted.displaced.push((original, other)),
            }
        }
        let mut at = 0;
        sorted.strangers.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    }

    fn moved(
        &mut self,
        sorted: &mut Sorted,
        original: &Original,
        stranger: &Stranger,
        photo_at: &mut BTreeMap<BytePath, PhotoId>,
    ) {
        let (path, mtime_ns) = (stranger.path.clone(), stranger.mtime_ns);
        sorted.changes.push(Rescanned::Moved { row: original.row, path, mtime_ns });
        photo_at.remove(&original.path);
        if let Some(photo) = &original.photo {
            photo_at.insert(stranger.path.clone(), photo.clone());
        }
        sorted.in_place_of.remove(&stranger.path);
        self.report.moved += 1;
        self.event(RescanState::Moved, &stranger.path, Some(&original.path), None);
    }

    /// What was not found elsewhere is missing, or other bytes lie in its place.
    fn losses(&mut self, sorted: &mut Sorted, shelf: &Shelf) {
        if self.stopped() {
            return;
        }
        for (original, _) in &sorted.displaced {
            // Where a file that moved has taken its place, it is missing like any other.
            if sorted.in_place_of.contains(&original.path) && shelf.files.contains_key(&original.path) {
                sorted.changes.push(Rescanned::Changed { row: original.row });
                self.report.changed += 1;
                self.event(RescanState::Changed, &original.path, None, Some(format!("it was {}", original.hash)));
            } else {
                sorted.changes.push(Rescanned::Missing { row: original.row });
                self.report.missing += 1;
                self.event(RescanState::Missing, &original.path, None, None);
            }
        }
        let in_place_of = std::mem::take(&mut sorted.in_place_of);
        sorted.strangers.retain(|stranger| !in_place_of.contains(&stranger.path));
    }

    /// Catalogues what is new. A further destination only holds copies: what is strange there is not taken in.
    fn new_files(
        &mut self,
        catalog: &mut Catalog,
        strangers: Vec<Stranger>,
        photo_at: &BTreeMap<BytePath, PhotoId>,
    ) -> Result<(), KeepError> {
        if self.place.kind == RootKind::Destination && !self.place.is_library {
            return Ok(());
        }
        let beside = by_stem(photo_at.keys());
        let is_ours = |path: &Path| {
            if !is_sidecar_name(path) {
                return false;
            }
            // A sidecar beside its photo is read as such, and one of ours whose photo was renamed without it says whose it
            // is: neither is a file of its own.
            let (whole, stem) = photo_names(path);
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            photo_at.contains_key(&BytePath(folder.join(whole)))
                || beside.contains_key(&(folder, stem.to_ascii_lowercase()))
                || std::fs::read(self.place.folder.join(path)).is_ok_and(|bytes| photo_id(&bytes).is_some())
        };
        let strangers: Vec<Stranger> = strangers.into_iter().filter(|s| !is_ours(s.path.as_path())).collect();
        let all = neighbours(&strangers, photo_at.iter());
        let shelving = Shelving {
            root: self.place.root,
            folder: &self.place.folder,
            zone: self.options.zone,
            stop: self.options.stop,
            amend: &|_| {},
            id_of: &|_| None,
        };
        let mut reasons = Vec::new();
        for stranger in &strangers {
            let known = catalog.known_by_hash(&stranger.hash)?;
            let copy = known.and_then(|known| known.copies.into_iter().next());
            reasons.push(copy.map(|copy| format!("the same content as {}", copy.path.shown())));
        }
        for (stranger, reason) in strangers.iter().zip(reasons) {
            self.report.new += 1;
            self.event(RescanState::New, &stranger.path, None, reason);
        }
        let found = shelving.found(strangers, &all);
        for batch in found.chunks(BATCH) {
            catalog.add_files(None, batch, self.options.now)?;
        }
        if let Some(how) = &self.options.thumbnails {
            let fresh: Vec<Catalogued> = found.iter().map(Catalogued::from).collect();
            // A cache: what cannot be made now is made at the first look.
            let _ = make_in_place(how, &self.place.folder, catalog, self.place.root, &fresh, self.options.stop);
        }
        Ok(())
    }

    /// Brings together photos and the sidecars that lie here, and those that were known.
    fn sidecars(
        &mut self,
        catalog: &mut Catalog,
        library: &Library,
        xmp: &BTreeSet<BytePath>,
    ) -> Result<(), KeepError> {
        let mut rows: BTreeSet<i64> = catalog.photos_with_known_sidecars(self.place.root)?.into_iter().collect();
        rows.extend(rows_of(catalog, self.place, xmp)?);
        let rows: Vec<i64> = rows.into_iter().collect();
        let done = sync_rows(catalog, library, &rows, self.options.sidecars, self.options.now)?;
        let events = &mut self.events;
        self.report.tell_sidecars(&self.place.folder, &done, &mut |event| events.push(event));
        Ok(())
    }
}

/// Files that a person may edit without harm.
fn may_be_edited(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xmp") || e.eq_ignore_ascii_case("aae"))
}

//! Making the catalogue again from what lies in the library: originals, sidecars, the library's journal, manifests.
//!
//! A file with other bytes than the journal recorded there is not taken for a new original: it is named, and its row
//! keeps the recorded hash, so that it stays bad until it is repaired. Where no journal knows a file, a manifest that
//! contradicts it is told. What was recorded and lies nowhere is named too.
//!
//! The new catalogue is made beside the old one and takes its place only when it is whole; the old one is set aside,
//! never deleted. Every original is read whole, so each is proven again by the way.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lightfast_catalog::{Catalog, Found, Memory, Place as CatalogPlace, RootKind};
use lightfast_model::{BytePath, ContentHash, PhotoId};

use crate::copy::AlignedBuffer;
use crate::error::{At, Step};
use crate::keeping::{KeepError, lock, write_journal};
use crate::library::Library;
use crate::manifest_check::{Outcome, check_file};
use crate::manifests::{History, is_left_out};
use crate::options::Host;
use crate::rescan::rows_of;
use crate::roots::{Place, places};
use crate::shelve::{Lying, Shelving, Stranger, hashed, list};
use crate::sidecar::{SidecarSettings, is_sidecar_name, photo_id, sync_rows};
use crate::sys;

/// Files catalogued in one transaction.
const BATCH: usize = 256;

/// What was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RebuildReport {
    /// Files that were read and catalogued.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Photos that have marks again, from the journal.
    pub marked: u64,
    /// Photos that took marks from a sidecar.
    pub from_sidecars: u64,
    /// Files that could not be read, are not what was recorded, or are not there, and why.
    pub failed: Vec<(BytePath, String)>,
    /// What a journal says that could not be understood, one clear line each.
    pub problems: Vec<String>,
    /// Where the old catalogue is now, if there was one.
    pub aside: Option<PathBuf>,
}

/// Makes the catalogue again; none where it was ended early, and then the old one stands.
pub fn rebuild(
    place: &CatalogPlace,
    library: &Library,
    host: &Host,
    tell: &mut dyn FnMut(&RebuildReport),
    stop: &AtomicBool,
) -> Result<Option<RebuildReport>, KeepError> {
    let _lock = lock(library)?;
    let mut report = RebuildReport::default();
    let memory = remember(library, &mut report)?;
    let beside = CatalogPlace::elsewhere(&library.root, place.dir().join("rebuild"));
    remove_folder(beside.dir())?;
    let mut catalog = Catalog::create(&beside, (host.now)())?;
    catalog.root_for(&library.id, &library.root)?;
    catalog.restore_sessions(&memory)?;
    let mut all = places(&catalog, library)?;
    // The library first: what lies in further destinations is known by then.
    all.sort_by_key(|place| (!place.is_library, place.kind == RootKind::Destination));
    let used: RefCell<HashSet<PhotoId>> = RefCell::default();
    let mut xmp = Vec::new();
    for place in all.iter().filter(|place| place.online) {
        let mut rebuilding = Rebuilding { host, memory: &memory, place, stop, used: &used, report: &mut report, tell };
        xmp.push((place, rebuilding.root(&mut catalog)?));
        if stop.load(Ordering::Relaxed) {
            drop(catalog);
            remove_folder(beside.dir())?;
            return Ok(None);
        }
    }
    report.marked = catalog.restore_marks(&memory)?;
    for (place, sidecars) in xmp {
        let mut rows = rows_of(&catalog, place, &sidecars)?;
        if !place.writes {
            // What the journal says is newer than sidecars that nothing of ours was ever written to.
            let photos = catalog.marked_photos(&rows)?;
            let marked: HashSet<i64> = photos.iter().filter(|p| memory.has_marks(&p.id)).map(|p| p.row).collect();
            rows.retain(|row| !marked.contains(row));
        }
        let done = sync_rows(&mut catalog, library, &rows, SidecarSettings::default(), (host.now)())?;
        report.from_sidecars += done.taken.len() as u64;
        report.failed.extend(done.failed);
    }
    write_journal(&mut catalog, library)?;
    drop(catalog);
    report.aside = place.take_over(&beside, (host.now)())?;
    remove_folder(beside.dir())?;
    Ok(Some(report))
}

fn remove_folder(folder: &Path) -> Result<(), KeepError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at(Step::Remove, folder)?,
        _ => Ok(()),
    }
}

/// Reads all journals of the library, in the order of their names.
fn remember(library: &Library, report: &mut RebuildReport) -> Result<Memory, KeepError> {
    let mut memory = Memory::default();
    let folder = Library::own_folder(&library.root).join("journal");
    let mut names = Vec::new();
    match fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(memory),
        entries => {
            for entry in entries.at(Step::List, &folder)? {
                names.push(entry.at(Step::List, &folder)?.path());
            }
        }
    }
    names.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    names.sort();
    for path in names {
        let file = fs::File::open(&path).at(Step::Open, &path)?;
        let read = memory.read(BufReader::new(file)).at(Step::Read, &path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        report.problems.extend(read.problems.iter().map(|problem| format!("{name}: {problem}")));
    }
    Ok(memory)
}

/// One root that is read.
struct Rebuilding<'a> {
    host: &'a Host,
    memory: &'a Memory,
    place: &'a Place,
    stop: &'a AtomicBool,
    used: &'a RefCell<HashSet<PhotoId>>,
    report: &'a mut RebuildReport,
    tell: &'a mut dyn FnMut(&RebuildReport),
}

impl Rebuilding<'_> {
    /// Catalogues a root folder by folder; the sidecars in it.
    fn root(&mut self, catalog: &mut Catalog) -> Result<BTreeSet<BytePath>, KeepError> {
        let mut files = BTreeMap::new();
        for below in ["", ".lightfast/trash"] {
            let shelf = list(&self.place.folder, Path::new(below), self.stop);
            let expected = below.is_empty() || self.place.folder.join(below).exists();
            self.report.failed.extend(shelf.unlisted.into_iter().filter(|_| expected));
            files.extend(shelf.files);
        }
        let mut folders: BTreeMap<PathBuf, Vec<(BytePath, Lying)>> = BTreeMap::new();
        let mut xmp = BTreeSet::new();
        for (path, lying) in files {
            let in_trash = path.as_path().starts_with(".lightfast");
            if is_sidecar_name(path.as_path()) && !in_trash && self.place.holds_sidecars {
                xmp.insert(path.clone());
            }
            folders.entry(path.as_path().parent().unwrap_or(Path::new("")).to_owned()).or_default().push((path, lying));
        }
        let recorded = self.memory.recorded(&self.place.uuid);
        let lying: HashSet<BytePath> = folders.values().flatten().map(|(path, _)| path.clone()).collect();
        let mut changed = Vec::new();
        let (class, _) = sys::fs_class(&self.place.folder);
        let mut buffer = AlignedBuffer::new();
        for (folder, files) in folders {
            let mut strangers = Vec::new();
            for (path, lying) in files {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(xmp);
                }
                match hashed(&self.place.folder, class, &path, &lying, &mut buffer) {
                    Ok(stranger) => match self.other_than_recorded(&recorded, &stranger) {
                        Some(wanted) => changed.push((stranger, wanted)),
                        None => strangers.push(stranger),
                    },
                    Err(reason) => self.report.failed.push((path, reason)),
                }
            }
            self.ask_manifests(&folder, &strangers);
            self.folder(catalog, strangers)?;
            (self.tell)(self.report);
        }
        for (stranger, wanted) in changed {
            self.changed(catalog, stranger, wanted)?;
        }
        self.missing(catalog, recorded, &lying)?;
        Ok(xmp)
    }

    /// What a journal recorded where a file of other, unknown bytes lies now. Sidecars may be edited.
    fn other_than_recorded(
        &self,
        recorded: &HashMap<BytePath, ContentHash>,
        stranger: &Stranger,
    ) -> Option<ContentHash> {
        let wanted = recorded.get(&stranger.path).filter(|wanted| **wanted != stranger.hash)?;
        let is_new = self.memory.photo_of(&stranger.hash).is_none() && !is_left_out(name_of(&stranger.path));
        is_new.then_some(*wanted)
    }

    /// A file of other bytes than were recorded. Where these lie elsewhere now, they were moved and it took their place.
    fn changed(&mut self, catalog: &mut Catalog, stranger: Stranger, wanted: ContentHash) -> Result<(), KeepError> {
        if self.has(catalog, &wanted)? {
            return self.folder(catalog, vec![stranger]);
        }
        let reason = "it has other bytes than were imported; verify --repair-from puts a good copy in its place";
        self.report.failed.push((stranger.path.clone(), reason.to_owned()));
        let size = self.memory.bytes_of(&wanted).unwrap_or(stranger.size);
        let mut found = self.shelve(vec![Stranger { hash: wanted, ..stranger }]);
        for found in &mut found {
            (found.changed, found.size, found.quick, found.verified) = (true, size, None, None);
        }
        catalog.restore_files(self.memory, &found, (self.host.now)())?;
        Ok(())
    }

    /// Names what was recorded here and lies nowhere in this root, unless a person put it away.
    fn missing(
        &mut self,
        catalog: &Catalog,
        recorded: HashMap<BytePath, ContentHash>,
        lying: &HashSet<BytePath>,
    ) -> Result<(), KeepError> {
        let gone = recorded.into_iter().filter(|(path, hash)| !lying.contains(path) && !self.memory.is_put_away(hash));
        let mut gone: Vec<_> = gone.filter(|(path, _)| !is_left_out(name_of(path))).collect();
        gone.sort();
        for (path, hash) in gone {
            if !self.has(catalog, &hash)? {
                self.report.failed.push((path, "it was imported, and is not there".to_owned()));
            }
        }
        Ok(())
    }

    /// Whether a content lies in this root.
    fn has(&self, catalog: &Catalog, hash: &ContentHash) -> Result<bool, KeepError> {
        let known = catalog.known_by_hash(hash)?;
        Ok(known.is_some_and(|known| known.copies.iter().any(|copy| copy.root == self.place.root)))
    }

    /// What no journal knows is compared with the manifests of its folder.
    fn ask_manifests(&mut self, folder: &Path, strangers: &[Stranger]) {
        let unknown =
            strangers.iter().filter(|s| self.memory.photo_of(&s.hash).is_none() && !is_left_out(name_of(&s.path)));
        let unknown: Vec<&Stranger> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        let expected = match History::of(&self.place.folder.join(folder)) {
            Ok(history) => history.map(|history| history.expected()).unwrap_or_default(),
            Err(error) => return self.report.problems.push(error.to_string()),
        };
        for stranger in unknown {
            let path = stranger.path.as_path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(expected) = name.and_then(|name| expected.get(name)) else { continue };
            if let Outcome::Bad { reason, .. } = check_file(&self.place.folder.join(path), expected) {
                let reason = format!("it is not what a manifest lists: {reason}");
                self.report.failed.push((stranger.path.clone(), reason));
            }
        }
    }

    fn folder(&mut self, catalog: &mut Catalog, mut strangers: Vec<Stranger>) -> Result<(), KeepError> {
        // Sidecars of ours are no files of their own, unless a journal says that they came from a card.
        let known = |s: &Stranger| self.memory.photo_of(&s.hash).is_some();
        strangers.retain(|s| known(s) || !self.is_ours(s));
        if self.place.kind == RootKind::Destination && !self.place.is_library {
            let mut copies = Vec::new();
            for stranger in strangers {
                if catalog.known_by_hash(&stranger.hash)?.is_some() {
                    copies.push(stranger);
                }
            }
            strangers = copies;
        }
        self.report.files += strangers.len() as u64;
        self.report.bytes += strangers.iter().map(|stranger| stranger.size).sum::<u64>();
        for batch in self.shelve(strangers).chunks(BATCH) {
            catalog.restore_files(self.memory, batch, (self.host.now)())?;
        }
        Ok(())
    }

    /// What the catalogue is told of files that lie in one folder.
    fn shelve(&self, strangers: Vec<Stranger>) -> Vec<Found> {
        let shelving = Shelving {
            root: self.place.root,
            folder: &self.place.folder,
            zone: &self.host.zone,
            stop: self.stop,
            amend: &|_| {},
            id_of: &|path| self.id_of(path),
        };
        shelving.found(strangers, &[])
    }

    /// Whether a file is a sidecar that says which photo it belongs to: one of ours.
    fn is_ours(&self, stranger: &Stranger) -> bool {
        let path = stranger.path.as_path();
        is_sidecar_name(path) && fs::read(self.place.folder.join(path)).is_ok_and(|bytes| photo_id(&bytes).is_some())
    }

    /// The id that a sidecar beside a file gives its photo, where no journal and no other file has it.
    fn id_of(&self, file: &Path) -> Option<PhotoId> {
        let sidecars = lightfast_catalog::Naming::ALL.map(|naming| crate::sidecar::sidecar_path(file, naming));
        let read = |path: PathBuf| fs::read(self.place.folder.join(path)).ok().and_then(|bytes| photo_id(&bytes));
        let id = sidecars.into_iter().find_map(read)?;
        (!self.memory.has_photo(&id) && self.used.borrow_mut().insert(id.clone())).then_some(id)
    }
}

fn name_of(path: &BytePath) -> &OsStr {
    path.as_path().file_name().unwrap_or_default()
}

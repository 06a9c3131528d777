//! Bringing photos and their sidecars together: read, merge, write, and tell the catalogue.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lightfast_catalog::{Catalog, MainFile, MarkedPhoto, Marks, Naming, RootId, SidecarBase, SidecarOutcome};
use lightfast_media::xmp::{self, Properties, ns};
use lightfast_model::{BytePath, ContentHash, Flag, PhotoId, Role};
use rustix::fs::FlockOperation;

use super::form::{changes, marks_of};
use super::place::{sidecar_path, usual};
use super::three_way::merge;
use crate::error::{At, IoError, Step};
use crate::keeping::KeepError;
use crate::library::{Library, replace_durably};
use crate::roots::{Place, places};

/// Photos that are brought together at once.
const BATCH: u32 = 512;
/// Threads that wait for the disk, where there are many photos.
const THREADS: usize = 4;
/// A sidecar larger than this is none.
const MAX_BYTES: u64 = 32 << 20;

/// What becomes of a property that both sides changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: the photo is named as a conflict.
    #[default]
    Neither,
    /// What the catalogue has is written.
    Ours,
    /// What the sidecar has is taken.
    Theirs,
}

/// How sidecars are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SidecarSettings {
    /// A RAW gets `IMG_0001.CR2.xmp` beside its `IMG_0001.xmp`.
    pub both: bool,
    /// What becomes of a property that both sides changed.
    pub keep: Keep,
}

/// A photo whose sidecar and catalogue contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarConflict {
    /// The photo.
    pub photo: PhotoId,
    /// Its sidecar, relative to its root; it was left as it is.
    pub path: BytePath,
    /// The properties that both sides changed.
    pub properties: Vec<&'static str>,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SidecarReport {
    /// Sidecars that were written.
    pub written: u64,
    /// Photos that took marks from a sidecar which another program had changed, with that sidecar.
    pub taken: Vec<(PhotoId, BytePath)>,
    /// Conflicts.
    pub conflicts: Vec<SidecarConflict>,
    /// Sidecars that could not be read or written, and why; the photos stay due.
    pub failed: Vec<(BytePath, String)>,
}

/// Keeps other processes from writing sidecars of the same library meanwhile.
pub(crate) struct Guard {
    _file: File,
}

impl Guard {
    pub(crate) fn take(library: &Library) -> Result<Self, IoError> {
        let path = Library::own_folder(&library.root).join("sidecars.lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path).at(Step::Lock, &path)?;
        match rustix::fs::flock(&file, FlockOperation::LockExclusive) {
            // A file system without locks cannot keep two apart.
            Ok(()) | Err(rustix::io::Errno::NOLCK | rustix::io::Errno::NOTSUP | rustix::io::Errno::NOSYS) => {
                Ok(Self { _file: file })
            }
            Err(error) => Err(IoError::new(Step::Lock, &path, error)),
        }
    }
}

/// Writes the sidecars of all photos that are due, taking what other programs changed in them meanwhile.
pub fn write_sidecars(
    catalog: &mut Catalog,
    library: &Library,
    settings: SidecarSettings,
    now: Timestamp,
) -> Result<SidecarReport, KeepError> {
    let mut report = SidecarReport::default();
    let mut after = 0;
    loop {
        let rows = catalog.sidecars_due(after, BATCH)?;
        let Some(last) = rows.last() else { return Ok(report) };
        after = *last;
        report.add(sync_rows(catalog, library, &rows, settings, now)?);
    }
}

/// Brings the photos of these rows and their sidecars together; writes only where the photo is due, or where ours is to
/// be kept.
pub(crate) fn sync_rows(
    catalog: &mut Catalog,
    library: &Library,
    rows: &[i64],
    settings: SidecarSettings,
    now: Timestamp,
) -> Result<SidecarReport, KeepError> {
    sync_rows_given(catalog, library, rows, settings, &Given::default(), now)
}

/// What an import gave its photos on the way in: changes of ours, though no log of marks has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) keywords: Vec<String>,
    pub(crate) creator: bool,
    pub(crate) copyright: bool,
}

impl Given {
    /// What a photo had before.
    fn take_from(&self, marks: &mut Marks) {
        marks.keywords.retain(|keyword| !self.keywords.iter().any(|given| Marks::fold(given) == Marks::fold(keyword)));
        if self.creator {
            marks.creator = None;
        }
        if self.copyright {
            marks.copyright = None;
        }
    }
}

/// The same, where photos were given something on the way in.
pub(crate) fn sync_rows_given(
    catalog: &mut Catalog,
    library: &Library,
    rows: &[i64],
    settings: SidecarSettings,
    given: &Given,
    now: Timestamp,
) -> Result<SidecarReport, KeepError> {
    let mut report = SidecarReport::default();
    if rows.is_empty() {
        return Ok(report);
    }
    let _guard = Guard::take(library)?;
    let places = places(catalog, library)?;
    for rows in rows.chunks(BATCH as usize) {
        let photos = catalog.marked_photos(rows)?;
        let mut jobs = Vec::with_capacity(photos.len());
        for photo in &photos {
            jobs.push(candidates(catalog, photo, &places, settings)?);
        }
        let unread: Vec<MarkedPhoto> = photos
            .iter()
            .zip(&jobs)
            .filter(|(_, job)| job.iter().any(|candidate| candidate.base.is_none()))
            .map(|(photo, _)| photo.clone())
            .collect();
        let mut before = if unread.is_empty() { HashMap::new() } else { catalog.marks_before(&unread)? };
        before.values_mut().for_each(|marks| given.take_from(marks));
        let work = |(photo, job): (&MarkedPhoto, &Vec<Candidate>)| {
            let before = before.get(&photo.row).unwrap_or(&photo.marks);
            Together { photo, before, settings, now }.bring(job)
        };
        let pairs: Vec<(&MarkedPhoto, &Vec<Candidate>)> = photos.iter().zip(&jobs).collect();
        let done: Vec<Done> = if pairs.len() <= THREADS {
            pairs.into_iter().map(work).collect()
        } else {
            let size = pairs.len().div_ceil(THREADS);
            std::thread::scope(|scope| {
                let threads: Vec<_> = pairs
                    .chunks(size)
                    .map(|part| scope.spawn(|| part.iter().copied().map(work).collect::<Vec<Done>>()))
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        let mut outcomes = Vec::with_capacity(done.len());
        for Done { outcome, report: of_photo } in done {
            outcomes.push(outcome);
            report.add(of_photo);
        }
        catalog.record_sidecars(&outcomes, now)?;
    }
    Ok(report)
}

impl SidecarReport {
    pub(crate) fn add(&mut self, other: Self) {
        self.written += other.written;
        self.taken.extend(other.taken);
        self.conflicts.extend(other.conflicts);
        self.failed.extend(other.failed);
    }
}

/// A place where a photo has a sidecar, or is to have one.
struct Candidate {
    root: RootId,
    /// The file itself.
    file: PathBuf,
    /// Relative to the root.
    path: BytePath,
    naming: Naming,
    base: Option<SidecarBase>,
    /// Whether it may be written, and made where it is missing.
    writes: bool,
    creates: bool,
    /// Whether its disk is connected.
    online: bool,
}

fn candidates(
    catalog: &Catalog,
    photo: &MarkedPhoto,
    places: &[Place],
    settings: SidecarSettings,
) -> Result<Vec<Candidate>, KeepError> {
    let mut found = Vec::new();
    for main in &photo.main {
        let Some(place) = places.iter().find(|place| place.root == main.root && place.holds_sidecars) else { continue };
        let mut usual = usual(main.role);
        // The one that is named as we write it is read last, so that it decides where two say different things.
        for naming in [Naming::WithExtension, Naming::Stem] {
            let path =
                companion(photo, main, naming).unwrap_or_else(|| sidecar_path(main.path.as_path(), naming).into());
            let base = photo.bases.iter().find(|base| base.root == main.root && base.naming == naming).cloned();
            let is_companion = photo.companions.contains(&(main.root, path.clone()));
            if naming == Naming::Stem {
                // A stem says nothing of the kind of file: only a RAW's is taken without a sign that it is this photo's.
                let anothers = catalog.row_at(main.root, &path)?.is_some_and(|row| row != photo.row);
                if anothers || (main.role != Role::Raw && base.is_none() && !is_companion) {
                    continue;
                }
            }
            if naming == Naming::WithExtension && usual == Naming::Stem {
                let stem: BytePath = sidecar_path(main.path.as_path(), Naming::Stem).into();
                if catalog.row_at(main.root, &stem)?.is_some_and(|row| row != photo.row) {
                    usual = Naming::WithExtension;
                }
            }
            found.push(Candidate {
                root: main.root,
                file: place.folder.join(path.as_path()),
                path,
                naming,
                base,
                writes: place.writes,
                creates: place.writes && (naming == usual || (settings.both && main.role == Role::Raw)),
                online: place.online,
            });
        }
    }
    Ok(found)
}

/// A companion of the photo that has the sidecar's name, whatever its case.
fn companion(photo: &MarkedPhoto, main: &MainFile, naming: Naming) -> Option<BytePath> {
    let wanted = sidecar_path(main.path.as_path(), naming);
    let same = |path: &Path| {
        path.parent() == wanted.parent()
            && path.file_name().zip(wanted.file_name()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let here = photo.companions.iter().filter(|(root, _)| *root == main.root);
    here.map(|(_, path)| path).find(|path| same(path.as_path())).cloned()
}

#[derive(Default)]
struct Read {
    bytes: Vec<u8>,
    mode: u32,
}

/// A sidecar's bytes; none where there is no file.
fn read(path: &Path) -> Result<Option<Read>, String> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(format!("could not look at it: {error}")),
    };
    if !meta.is_file() {
        return Err("not a plain file, so it is left as it is".to_owned());
    }
    if meta.len() > MAX_BYTES {
        return Err("too large for a sidecar, so it is left as it is".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| format!("could not read it: {error}"))?;
    Ok(Some(Read { bytes, mode: meta.mode() & 0o777 }))
}

fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// What came of one photo.
struct Done {
    outcome: SidecarOutcome,
    report: SidecarReport,
}

/// One photo and its surroundings.
struct Together<'a> {
    photo: &'a MarkedPhoto,
    before: &'a Marks,
    settings: SidecarSettings,
    now: Timestamp,
}

/// A sidecar that was read, or is to be made.
struct Side<'a> {
    candidate: &'a Candidate,
    read: Option<Read>,
    properties: Properties,
    /// What it says.
    there: Marks,
    /// What is kept as known to both where it is not written.
    base: Marks,
    /// Whether it contradicts the catalogue, and so is left alone.
    conflict: bool,
}

impl Together<'_> {
    fn bring(&self, candidates: &[Candidate]) -> Done {
        let photo = self.photo;
        let mut marks = photo.marks.clone();
        let mut report = SidecarReport::default();
        let mut sides = Vec::new();
        let mut offline = false;
        for candidate in candidates {
            if !candidate.online {
                offline |= candidate.creates;
                continue;
            }
            match self.side(candidate, &mut marks, &mut report) {
                Ok(side) => sides.push(side),
                Err(reason) => report.failed.push((candidate.path.clone(), reason)),
            }
        }
        let mut outcome = SidecarOutcome {
            row: photo.row,
            seen: photo.marks.clone(),
            marks: marks.clone(),
            bases: Vec::new(),
            gone: Vec::new(),
            conflict: !report.conflicts.is_empty(),
            due: false,
        };
        let writes = photo.due || (photo.conflict && self.settings.keep == Keep::Ours);
        for side in sides {
            let written = if writes && !side.conflict { self.write(&side, &marks) } else { Ok(None) };
            match written {
                Ok(Some(base)) => {
                    report.written += 1;
                    outcome.bases.push(base);
                }
                Ok(None) => match &side.read {
                    Some(read) => outcome.bases.push(side.known(side.base.clone(), hash(&read.bytes))),
                    None => outcome.gone.extend(side.candidate.base.as_ref().map(|base| (base.root, base.naming))),
                },
                Err(reason) => report.failed.push((side.candidate.path.clone(), reason)),
            }
        }
        outcome.due = photo.due && (offline || !report.failed.is_empty());
        Done { outcome, report }
    }

    /// Reads one sidecar and merges it into `marks`.
    fn side<'c>(
        &self,
        candidate: &'c Candidate,
        marks: &mut Marks,
        report: &mut SidecarReport,
    ) -> Result<Side<'c>, String> {
        let Some(read) = read(&candidate.file)? else {
            // What the original itself says need not be said again, unless it was taken off.
            let rating = if marks.rating == 0 { self.before.rating } else { 0 };
            let there = Marks { rating, ..Marks::default() };
            return Ok(Side {
                candidate,
                read: None,
                properties: Properties::default(),
                there,
                base: Marks::default(),
                conflict: false,
            });
        };
        // One that is damaged looks as if properties had been taken off.
        xmp::merge(Some(&read.bytes), &[]).map_err(|error| error.to_string())?;
        let properties = xmp::read(&read.bytes);
        let there = marks_of(&properties, self.photo.orientation, &marks.keywords);
        let (base, theirs) = match &candidate.base {
            Some(known) => (&known.base, there.clone()),
            None => (self.before, said(&properties, &there, self.before)),
        };
        // A mark that is made now stands over a sidecar that was never read: there is nothing that both knew.
        let first = candidate.base.is_none() && self.photo.due && self.settings.keep == Keep::Neither;
        let merged = merge(base, marks, &theirs, if first { Keep::Ours } else { self.settings.keep });
        let conflict = !merged.conflicts.is_empty();
        if conflict {
            report.conflicts.push(SidecarConflict {
                photo: self.photo.id.clone(),
                path: candidate.path.clone(),
                properties: merged.conflicts,
            });
        }
        if merged.marks != *marks {
            report.taken.push((self.photo.id.clone(), candidate.path.clone()));
            *marks = merged.marks.in_order();
        }
        Ok(Side { candidate, read: Some(read), properties, there, base: merged.base, conflict })
    }

    /// Writes a sidecar so that it says `marks`; none where it does already, or is not to be made.
    fn write(&self, side: &Side<'_>, marks: &Marks) -> Result<Option<SidecarBase>, String> {
        let candidate = side.candidate;
        if !(candidate.writes && (side.read.is_some() || candidate.creates)) {
            return Ok(None);
        }
        let list = changes(&side.properties, &side.there, marks, &self.photo.id, self.photo.orientation, self.now);
        if list.is_empty() {
            return Ok(None);
        }
        let existing = side.read.as_ref().map(|read| read.bytes.as_slice());
        let bytes = xmp::merge(existing, &list).map_err(|error| error.to_string())?;
        let now = read(&candidate.file)?;
        if now.as_ref().map(|read| read.bytes.as_slice()) != existing {
            return Err("it was changed at this very moment by another program; it will be looked at again".to_owned());
        }
        replace_durably(&candidate.file, &bytes, now.map(|read| read.mode)).map_err(|error| error.to_string())?;
        Ok(Some(side.known(marks.clone(), hash(&bytes))))
    }
}

impl Side<'_> {
    fn known(&self, base: Marks, hash: ContentHash) -> SidecarBase {
        let Candidate { root, naming, path, .. } = self.candidate;
        SidecarBase { root: *root, naming: *naming, path: path.clone(), hash, base }
    }
}

/// What a sidecar that was never read says: a property that is not in it is not one that was taken off.
fn said(properties: &Properties, there: &Marks, before: &Marks) -> Marks {
    let has = |namespace: &str, local: &str| properties.text(namespace, local).is_some();
    let lists = [(ns::DC, "subject"), (ns::LIGHTROOM, "hierarchicalSubject"), (ns::DIGIKAM, "TagsList")];
    Marks {
        rating: if has(ns::XMP, "Rating") { there.rating } else { before.rating },
        flag: there.flag.or_else(|| before.flag.filter(|flag| *flag == Flag::Pick || !has(ns::XMP, "Rating"))),
        label: there.label.or(before.label),
        orientation: there.orientation.or(before.orientation),
        title: there.title.clone().or_else(|| before.title.clone()),
        caption: there.caption.clone().or_else(|| before.caption.clone()),
        creator: there.creator.clone().or_else(|| before.creator.clone()),
        copyright: there.copyright.clone().or_else(|| before.copyright.clone()),
        keywords: if lists.iter().any(|(namespace, local)| properties.get(namespace, local).is_some()) {
            there.keywords.clone()
        } else {
            before.keywords.clone()
        },
    }
}

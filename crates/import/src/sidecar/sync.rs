//! Bringing photos and their sidecars together, batch by batch, and telling the catalogue.

use std::collections::HashMap;
use std::fs::File;

use jiff::Timestamp;
use lightfast_catalog::{Catalog, MarkedPhoto, Marks};
use lightfast_model::{BytePath, PhotoId};
use rustix::fs::FlockOperation;

use super::candidates::{Candidate, candidates};
use super::together::{Done, Together};
use crate::error::{At, IoError, Step};
use crate::keeping::KeepError;
use crate::library::Library;
use crate::roots::places;

/// Photos that are brought together at once.
const BATCH: u32 = 512;
/// Threads that wait for the disk, where there are many photos.
const THREADS: usize = 4;
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

/// Brings the photos of these rows and their sidecars together, and settles what contradicts itself as the settings say.
pub fn settle_sidecars(
    catalog: &mut Catalog,
    library: &Library,
    rows: &[i64],
    settings: SidecarSettings,
    now: Timestamp,
) -> Result<SidecarReport, KeepError> {
    sync_rows(catalog, library, rows, settings, now)
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

//! Looking at the disk again: what is new, changed, missing or moved, and which sidecars other programs edited.
//!
//! Content decides: a file that lies elsewhere with the bytes that were recorded has moved, and keeps its photo and all
//! marks. Nothing is written but the catalogue, and sidecars that were due already; no original is touched.

mod look;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_catalog::{Catalog, Original};
use lightfast_model::BytePath;

use crate::copy::{AlignedBuffer, ThumbsOptions};
use crate::keeping::{KeepError, lock, write_journal};
use crate::library::Library;
use crate::roots::{Place, places};
use crate::shelve::list;
use crate::sidecar::{SidecarReport, SidecarSettings, photo_names, write_sidecars};
use crate::sys;

use look::Look;

/// What is looked at, and how.
pub struct RescanOptions<'a> {
    /// A folder to be looked at alone; else every root that is connected.
    pub folder: Option<PathBuf>,
    /// How sidecars and catalogue are brought together.
    pub sidecars: SidecarSettings,
    /// The zone in which a file's modification time is read as a local time.
    pub zone: &'a TimeZone,
    /// The time now.
    pub now: Timestamp,
    /// How to make thumbnails of new photos; `None` leaves them to the first look.
    pub thumbnails: Option<ThumbsOptions>,
    /// Set to end early; what was found until then is kept.
    pub stop: &'a AtomicBool,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RescanState {
    /// It was not known, and is catalogued now.
    New,
    /// It lies elsewhere.
    Moved,
    /// Other bytes lie where it was; the photo keeps its marks.
    Changed,
    /// It is not there; the photo keeps its marks.
    Missing,
    /// It was missing or changed, and is as it was.
    Back,
    /// A sidecar that another program edited; what it says was taken.
    Sidecar,
    /// A sidecar and the catalogue contradict each other; the file was left alone.
    Conflict,
    /// It could not be read or listed.
    Failed,
}

/// One file that is not as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescanEvent {
    /// What became of it.
    pub state: RescanState,
    /// The folder of its root.
    pub root: PathBuf,
    /// Relative to the root.
    pub path: BytePath,
    /// Where it lay before, if it moved.
    pub from: Option<BytePath>,
    /// Why, or what is known besides.
    pub reason: Option<String>,
}

/// The sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RescanReport {
    pub files: u64,
    pub new: u64,
    pub moved: u64,
    pub changed: u64,
    pub missing: u64,
    pub back: u64,
    pub sidecars: u64,
    pub conflicts: u64,
    pub failed: u64,
    /// Roots that are not connected, and so were not looked at.
    pub offline: u64,
    /// Whether it was ended early.
    pub interrupted: bool,
}

/// Looks at the disk again.
pub fn rescan(
    catalog: &mut Catalog,
    library: &Library,
    options: &RescanOptions<'_>,
    tell: &mut dyn FnMut(RescanEvent),
) -> Result<RescanReport, KeepError> {
    let _lock = lock(library)?;
    let mut report = RescanReport::default();
    let places = places(catalog, library)?;
    let mut looked = false;
    let mut originals: HashMap<_, Vec<Original>> = HashMap::new();
    let mut after = 0;
    loop {
        let page = catalog.originals(after, 10_000)?;
        let Some(last) = page.last() else { break };
        after = last.row;
        for original in page {
            originals.entry(original.root).or_default().push(original);
        }
    }
    // What an import that was cut off had named is taken up by the next one.
    let unfinished: HashSet<_> = catalog.unfinished()?.into_iter().map(|u| (u.intent.root, u.intent.path)).collect();
    for place in &places {
        let below = match &options.folder {
            None => PathBuf::new(),
            Some(folder) => {
                let root = std::fs::canonicalize(&place.folder).unwrap_or_else(|_| place.folder.clone());
                match folder.strip_prefix(&root) {
                    Ok(below) => below.to_owned(),
                    Err(_) => continue,
                }
            }
        };
        if !place.online {
            report.offline += 1;
            continue;
        }
        looked = true;
        let recorded = originals.remove(&place.root).unwrap_or_default();
        let (class, _) = sys::fs_class(&place.folder);
        let mut shelf = list(&place.folder, &below, options.stop);
        shelf.files.retain(|path, _| !unfinished.contains(&(place.root, path.clone())));
        let here = |original: &Original| original.path.as_path().starts_with(&below);
        let (inside, outside): (Vec<Original>, Vec<Original>) = recorded.into_iter().partition(here);
        let look = Look { place, class, options, buffer: AlignedBuffer::new(), events: Vec::new(), report };
        report = look.run(catalog, library, shelf, inside, outside, tell)?;
        if options.stop.load(Ordering::Relaxed) {
            report.interrupted = true;
            break;
        }
    }
    if let (false, Some(folder)) = (looked || report.offline > 0, &options.folder) {
        return Err(KeepError::Outside { path: folder.clone() });
    }
    if !report.interrupted {
        let done = write_sidecars(catalog, library, options.sidecars, options.now)?;
        report.tell_sidecars(&library.root, &done, tell);
    }
    write_journal(catalog, library)?;
    Ok(report)
}

impl RescanReport {
    /// Counts and tells what came of bringing photos and their sidecars together.
    fn tell_sidecars(&mut self, root: &Path, done: &SidecarReport, tell: &mut dyn FnMut(RescanEvent)) {
        let mut event = |state, path: &BytePath, reason| {
            tell(RescanEvent { state, root: root.to_owned(), path: path.clone(), from: None, reason });
        };
        for (_, path) in &done.taken {
            self.sidecars += 1;
            event(RescanState::Sidecar, path, None);
        }
        for conflict in &done.conflicts {
            self.conflicts += 1;
            let reason = format!("{} changed on both sides", conflict.properties.join(", "));
            event(RescanState::Conflict, &conflict.path, Some(reason));
        }
        for (path, reason) in &done.failed {
            self.failed += 1;
            event(RescanState::Failed, path, Some(reason.clone()));
        }
    }
}

/// The photos that sidecars belong to, by what is recorded at their paths, then by the names of the files beside them.
pub(crate) fn rows_of(catalog: &Catalog, place: &Place, xmp: &BTreeSet<BytePath>) -> Result<Vec<i64>, KeepError> {
    let mut rows = Vec::new();
    for sidecar in xmp {
        let known = catalog.rows_at(place.root, sidecar)?;
        if !known.is_empty() {
            rows.extend(known);
            continue;
        }
        let path = sidecar.as_path();
        let (whole, _) = photo_names(path);
        let folder = path.parent().unwrap_or(Path::new(""));
        if let Some(row) = catalog.row_at(place.root, &folder.join(&whole).into())? {
            rows.push(row);
            continue;
        }
        // `IMG_0001.xmp`: the RAW of that stem.
        rows.extend(catalog.raw_of_stem(place.root, &folder.join(whole).into())?);
    }
    Ok(rows)
}

//! Everything before the first byte is copied: checks, lock, recovery, listing, plan. Until the plan is accepted
//! nothing is changed but what an earlier import left unfinished.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use lightfast_catalog::{Catalog, Place, UnfinishedIntent};
use lightfast_model::{BytePath, Event};

use crate::card::{self, Card};
use crate::destination::{self, Destination};
use crate::error::{At, StartError, Step};
use crate::fault::{Op, point};
use crate::library::{Library, make_folders};
use crate::options::{Events, Host, Options};
use crate::plan::{Action, Amendments, Knowledge, Plan, PlanError, PlannedSource, build, nearest_existing};
use crate::recover::Recovery;
use crate::sys::{self, FsClass};

/// An import that can start.
pub struct Prepared {
    pub(crate) options: Options,
    pub(crate) plan: Plan,
    pub(crate) place: Place,
    pub(crate) catalog: Option<Catalog>,
    /// Destinations that exist already, the library first, each in its place.
    pub(crate) destinations: Vec<Option<Destination>>,
    pub(crate) began: Instant,
    pub(crate) scan_seconds: f64,
    pub(crate) plan_seconds: f64,
    /// What a person should know beside the report.
    pub(crate) notes: Vec<String>,
}

impl Prepared {
    /// What will be done.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

/// Checks, locks, recovers, lists and plans. Says `scan` for each source and then `plan`.
pub fn prepare(options: Options, host: &Host, events: &dyn Events, stop: &AtomicBool) -> Result<Prepared, StartError> {
    let began = Instant::now();
    if options.name.is_plain_text() && Path::new(&options.name.to_string()).is_dir() {
        return Err(StartError::TemplateIsFolder { template: options.name.to_string() });
    }
    let cards = check_sources(&options)?;
    let place = check_place(&options)?;

    let mut listed = Vec::new();
    for card in cards {
        let listing = card::list(&card.source, Some(card.dev))?;
        let junk = listing.files.iter().filter(|file| file.junk.is_some()).count() as u64;
        let bytes = listing.files.iter().filter(|file| file.junk.is_none()).map(|file| file.size).sum();
        let files = (listing.files.len() + listing.unlisted.len()) as u64;
        events.event(Event::Scan {
            source: BytePath(card.source.clone()),
            card: Some(card.name()),
            files,
            bytes,
            junk,
        });
        listed.push(PlannedSource { card, listing });
    }
    let junk = |source: &PlannedSource| source.listing.files.iter().filter(|file| file.junk.is_some()).count() as u64;
    let is_empty = |source: &PlannedSource| {
        source.listing.unlisted.is_empty() && source.listing.files.iter().all(|file| file.junk.is_some())
    };
    if listed.iter().all(is_empty) {
        let sources = listed.iter().map(|source| source.card.source.clone()).collect();
        return Err(StartError::NothingToImport { sources, junk: listed.iter().map(junk).sum() });
    }
    let scan_seconds = began.elapsed().as_secs_f64();

    let amendments = Amendments::new(&options, &host.zone, &listed)?;
    let Opened { catalog, destinations, interrupted } =
        open_destinations(&options, host, &amendments, &place, &listed)?;
    let roots = destination::folders(&options).cloned().zip(&destinations);
    let known = Knowledge {
        catalog: catalog.as_ref(),
        roots: roots.map(|(folder, open)| (open.as_ref().map(|open| open.root), folder)).collect(),
        interrupted,
    };
    let ffmpeg = host.worker.as_ref().and_then(|worker| worker.ffmpeg.as_ref());
    let ffprobe = ffmpeg.map(|ffmpeg| ffmpeg.with_file_name("ffprobe")).filter(|ffprobe| ffprobe.is_file());
    let plan = build(&options, &amendments, ffprobe.as_deref(), listed, &known, stop).map_err(|error| match error {
        PlanError::Io(error) => StartError::Io(error),
        PlanError::Catalog(error) => StartError::Catalog(error),
    })?;
    tell_plan(&plan, events);
    if !options.dry_run
        && let Some(tight) = plan.destinations.iter().find(|destination| destination.needed > destination.free)
    {
        let path = tight.path.0.clone();
        return Err(StartError::TooSmall { path, needed: tight.needed, free: tight.free });
    }
    let plan_seconds = began.elapsed().as_secs_f64() - scan_seconds;
    let notes = amendments.unused();
    Ok(Prepared { notes, options, plan, place, catalog, destinations, began, scan_seconds, plan_seconds })
}

fn tell_plan(plan: &Plan, events: &dyn Events) {
    let count = |wanted: fn(&Action) -> bool| plan.files.iter().filter(|file| wanted(&file.action)).count() as u64;
    events.event(Event::Plan {
        copy: count(|action| matches!(action, Action::Copy(_) | Action::Compare(_))),
        duplicates: count(|action| matches!(action, Action::Duplicate(_))),
        trashed: count(|action| matches!(action, Action::Trashed(_))),
        bytes: plan.bytes_to_copy(),
        destinations: plan.destinations.clone(),
    });
}

/// A source that is there and is a folder.
pub(crate) fn source(path: &Path) -> Result<Card, StartError> {
    let meta = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StartError::NoSource { path: path.to_owned() });
        }
        other => other.at(Step::Open, path)?,
    };
    if !meta.is_dir() {
        return Err(StartError::SourceNotFolder { path: path.to_owned() });
    }
    Ok(card::identify(path)?)
}

/// The sources exist, are folders, are given once, and neither holds the library nor lies in it.
fn check_sources(options: &Options) -> Result<Vec<Card>, StartError> {
    let destinations = check_destinations(options)?;
    let mut cards: Vec<Card> = Vec::new();
    for path in &options.sources {
        let card = source(path)?;
        if cards.iter().any(|other| other.source == card.source) {
            return Err(StartError::SourceTwice { path: path.clone() });
        }
        for library in &destinations {
            let library = library.clone();
            if library.starts_with(&card.source) {
                return Err(StartError::LibraryInsideSource { library, source_dir: card.source });
            }
            if card.source.starts_with(&library) {
                return Err(StartError::SourceInsideLibrary { library, source_dir: card.source });
            }
        }
        cards.push(card);
    }
    Ok(cards)
}

/// No destination is given twice or lies in another; they are not too many.
fn check_destinations(options: &Options) -> Result<Vec<PathBuf>, StartError> {
    let mut all: Vec<PathBuf> = Vec::new();
    for folder in destination::folders(options) {
        let folder = absolute(folder);
        if let Some(other) = all.iter().find(|other| folder.starts_with(other) || other.starts_with(&folder)) {
            return Err(StartError::DestinationsOverlap { one: other.clone(), other: folder });
        }
        all.push(folder);
    }
    if all.len() > destination::MOST {
        return Err(StartError::TooManyDestinations { most: destination::MOST });
    }
    Ok(all)
}

/// A path without links as far as it exists, and with the rest behind it.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = nearest_existing(&path);
    let rest = path.strip_prefix(there).unwrap_or(Path::new("")).to_owned();
    let there = std::fs::canonicalize(there).unwrap_or_else(|_| there.to_owned());
    if rest.as_os_str().is_empty() { there } else { there.join(rest) }
}

/// Where the catalogue lies, if that place can hold one.
pub(crate) fn check_place(options: &Options) -> Result<Place, StartError> {
    let place = match &options.catalog {
        Some(dir) => Place::elsewhere(options.library.clone(), dir.clone()),
        None => Place::in_library(options.library.clone()),
    };
    let (class, kind) = sys::fs_class(nearest_existing(place.dir()));
    if class == FsClass::Network {
        return Err(StartError::CatalogPlace { path: place.dir().to_owned(), kind });
    }
    Ok(place)
}

type Interrupted = HashMap<(String, Vec<u8>), UnfinishedIntent>;

/// What exists already of catalogue and destinations.
struct Opened {
    catalog: Option<Catalog>,
    destinations: Vec<Option<Destination>>,
    interrupted: Interrupted,
}

/// Opens what exists: locked and recovered, or, for a dry run, read-only and as it is.
fn open_destinations(
    options: &Options,
    host: &Host,
    amendments: &Amendments<'_>,
    place: &Place,
    sources: &[PlannedSource],
) -> Result<Opened, StartError> {
    let found: Vec<Option<Library>> =
        destination::folders(options).map(|folder| Library::find(folder)).collect::<Result<_, _>>()?;
    let nothing = || found.iter().map(|_| None).collect();
    if found.first().is_none_or(Option::is_none) || (options.dry_run && !place.file().exists()) {
        return Ok(Opened { catalog: None, destinations: nothing(), interrupted: HashMap::new() });
    }
    if options.dry_run {
        let catalog = Catalog::open_read_only(place)?;
        let roots = catalog.roots()?;
        let open = |library: Library| {
            let root = roots.iter().find(|root| root.uuid == library.id)?.id;
            Some(Destination::open(library, root, None))
        };
        let destinations = found.into_iter().map(|library| library.and_then(open)).collect();
        return Ok(Opened { catalog: Some(catalog), destinations, interrupted: HashMap::new() });
    }
    let mut locked = Vec::new();
    for library in found {
        locked.push(match library {
            Some(library) => Some((library.lock()?, library)),
            None => None,
        });
    }
    let mut catalog = open_catalog(place, host)?;
    let cards: HashMap<String, PathBuf> =
        sources.iter().map(|s| (s.card.identity.id.clone(), s.card.source.clone())).collect();
    let mut destinations = Vec::new();
    let mut interrupted = None;
    for open in locked {
        let Some((lock, library)) = open else {
            destinations.push(None);
            continue;
        };
        let root = catalog.root_for(&library.id, &library.root)?;
        let recovery = Recovery { library: &library, root, amendments, now: (host.now)(), cards: &cards };
        let unfinished = recovery.run(&mut catalog)?;
        interrupted.get_or_insert(unfinished);
        destinations.push(Some(Destination::open(library, root, Some(lock))));
    }
    // What they had not finished is taken up or given up by now.
    catalog.close_interrupted((host.now)())?;
    Ok(Opened { catalog: Some(catalog), destinations, interrupted: interrupted.unwrap_or_default() })
}

/// Opens the catalogue, or makes a new one where there is none.
pub(crate) fn open_catalog(place: &Place, host: &Host) -> Result<Catalog, StartError> {
    if place.file().exists() {
        return Ok(Catalog::open(place)?);
    }
    point(Op::MakeFolder).at(Step::MakeFolder, place.dir())?;
    make_folders(place.dir())?;
    point(Op::Commit).at(Step::Write, &place.file())?;
    Ok(Catalog::create(place, (host.now)())?)
}

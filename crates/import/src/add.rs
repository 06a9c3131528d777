//! `--add`: catalogues a folder where it lies and copies nothing.
//!
//! Every file is read whole once, for its hash; the folder becomes a root of the library. A card is refused: what is
//! only on a card is not safe there. Nothing is written into the folder but, where it was asked for, XMP beside photos.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use lightfast_catalog::{Catalog, CatalogError, NewSession, Original, RootId, SessionCounts};
use lightfast_model::{BytePath, Event, FileEvent, FileState, Match, PhotoId, Report, SourceReport, Stages};

use crate::card::{Card, is_on_card, mounted_cards};
use crate::copy::{AlignedBuffer, Catalogued, ThumbsOptions, make_in_place};
use crate::destination::create_folder;
use crate::error::StartError;
use crate::keeping;
use crate::library::Library;
use crate::options::{Add, Events, Host, Options};
use crate::plan::{Amendments, new_photo_id};
use crate::prepare::{absolute, check_place, open_catalog, source};
use crate::rescan::rows_of;
use crate::roots::places;
use crate::session::{Ended, for_the_record};
use crate::shelve::{Shelf, Shelving, Stranger, hashed, list, neighbours};
use crate::sidecar::{is_sidecar_name, sync_rows};
use crate::sys;

/// Files catalogued in one transaction.
const BATCH: usize = 256;

/// Adds the sources. Says `scan` for each, one `plan`, a `file` for each file, one `report` whose verdict is empty.
pub fn add(
    options: Options,
    how: Add,
    host: &Host,
    events: &dyn Events,
    stop: &AtomicBool,
) -> Result<Ended, StartError> {
    let began = Instant::now();
    let cards = check(&options)?;
    let place = check_place(&options)?;
    let mut shelves = Vec::new();
    for card in &cards {
        let shelf = list(&card.source, Path::new(""), stop);
        let files = (shelf.files.len() + shelf.junk.len() + shelf.unlisted.len()) as u64;
        events.event(Event::Scan {
            source: BytePath(card.source.clone()),
            card: Some(card.name()),
            files,
            bytes: shelf.files.values().map(|file| file.size).sum(),
            junk: shelf.junk.len() as u64,
        });
        shelves.push(shelf);
    }
    if shelves.iter().all(|shelf| shelf.files.is_empty() && shelf.unlisted.is_empty()) {
        let junk = shelves.iter().map(|shelf| shelf.junk.len() as u64).sum();
        return Err(StartError::NothingToImport { sources: cards.into_iter().map(|card| card.source).collect(), junk });
    }
    let scan_seconds = began.elapsed().as_secs_f64();
    let library = match Library::find(&options.library)? {
        Some(library) => library,
        None => create_folder(&options.library)?,
    };
    let _lock = library.lock()?;
    let mut catalog = open_catalog(&place, host)?;
    catalog.root_for(&library.id, &library.root)?;
    events.event(Event::Plan { copy: 0, duplicates: 0, trashed: 0, bytes: 0, destinations: Vec::new() });
    let amendments = Amendments::new(&options, &host.zone, &[])?;
    let mut notes = Vec::new();
    let mut sessions = Vec::new();
    let mut all = SessionCounts::default();
    for (card, shelf) in cards.iter().zip(shelves) {
        let session = catalog.begin_session(&NewSession {
            source: BytePath(card.source.clone()),
            card: card.identity.clone(),
            started: (host.now)(),
            job: options.job.clone(),
            options_json: for_the_record(&options),
        })?;
        sessions.push(session);
        let root = catalog.added_root(&card.source, new_photo_id().as_str(), how.sidecars)?;
        let mut adding = Adding {
            options: &options,
            amendments: &amendments,
            host,
            events,
            stop,
            folder: &card.source,
            root,
            counts: SessionCounts::default(),
            fresh: Vec::new(),
        };
        let xmp: BTreeSet<BytePath> = shelf.files.keys().filter(|p| is_sidecar_name(p.as_path())).cloned().collect();
        adding.files(&mut catalog, session, shelf)?;
        let Adding { counts, fresh, .. } = adding;
        if let Some(place) = places(&catalog, &library)?.iter().find(|place| place.root == root) {
            let read = rows_of(&catalog, place, &xmp)
                .and_then(|rows| sync_rows(&mut catalog, &library, &rows, options.sidecars, (host.now)()));
            match read {
                Ok(done) => notes.extend(done.failed.iter().map(|(p, why)| format!("sidecar {}: {why}", p.shown()))),
                Err(error) => notes.push(format!("sidecars were not read: {error}; lightfast rescan tries again")),
            }
        }
        catalog.close_session(session, &counts, (host.now)(), None)?;
        if let Some(worker) = host.worker.clone().filter(|_| options.thumbnails) {
            let how = ThumbsOptions { worker, workers: host.workers, store: place.dir().to_owned() };
            // A cache: what cannot be made now is made at the first look.
            let _ = make_in_place(&how, &card.source, &catalog, root, &fresh, stop);
        }
        all = sum(all, counts);
    }
    notes.extend(keeping::settle_marks(&mut catalog, &library, &sessions, &options, (host.now)()));
    notes.extend(keeping::keep(&mut catalog, &library, &place, host));
    let sources = cards.iter().map(|card| SourceReport {
        source: BytePath(card.source.clone()),
        card: Some(card.name()),
        safe_to_format: None,
    });
    let report = Report {
        session: sessions.first().copied(),
        files_seen: all.files_seen,
        copied: 0,
        duplicates: all.duplicates,
        trashed: all.trashed,
        added: all.added,
        ignored: all.ignored,
        failed: all.failed,
        bytes_copied: 0,
        seconds: began.elapsed().as_secs_f64(),
        stages: Stages { scan: scan_seconds, ..Stages::default() },
        verify: options.verify,
        safe_to_format: None,
        destinations: Vec::new(),
        sources: if cards.len() > 1 { sources.collect() } else { Vec::new() },
        not_safe: Vec::new(),
    };
    events.event(Event::Report(Box::new(report.clone())));
    Ok(Ended { report, stopped: None, interrupted: stop.load(Ordering::Relaxed), notes, unlisted: Vec::new() })
}

fn sum(a: SessionCounts, b: SessionCounts) -> SessionCounts {
    SessionCounts {
        files_seen: a.files_seen + b.files_seen,
        copied: 0,
        duplicates: a.duplicates + b.duplicates,
        trashed: a.trashed + b.trashed,
        added: a.added + b.added,
        ignored: a.ignored + b.ignored,
        failed: a.failed + b.failed,
        bytes_copied: 0,
    }
}

/// The sources are folders, no cards, given once, and neither hold the library nor lie in it.
fn check(options: &Options) -> Result<Vec<Card>, StartError> {
    let library = absolute(&options.library);
    let mounted = mounted_cards().unwrap_or_default();
    let mut cards: Vec<Card> = Vec::new();
    for path in &options.sources {
        let card = source(path)?;
        let on_card = mounted.iter().any(|mounted| card.source.starts_with(&mounted.mount.point));
        if on_card || is_on_card(&card.source) {
            return Err(StartError::AddsCard { path: path.clone() });
        }
        if cards.iter().any(|other| other.source == card.source) {
            return Err(StartError::SourceTwice { path: path.clone() });
        }
        if library.starts_with(&card.source) {
            return Err(StartError::LibraryInsideSource { library, source_dir: card.source });
        }
        if card.source.starts_with(&library) {
            return Err(StartError::SourceInsideLibrary { library, source_dir: card.source });
        }
        cards.push(card);
    }
    Ok(cards)
}

/// One folder that is being added.
struct Adding<'a> {
    options: &'a Options,
    amendments: &'a Amendments<'a>,
    host: &'a Host,
    events: &'a dyn Events,
    stop: &'a AtomicBool,
    folder: &'a Path,
    root: RootId,
    counts: SessionCounts,
    /// What was catalogued now.
    fresh: Vec<Catalogued>,
}

impl Adding<'_> {
    fn files(
        &mut self,
        catalog: &mut Catalog,
        session: lightfast_model::SessionId,
        shelf: Shelf,
    ) -> Result<(), CatalogError> {
        for (path, bytes, reason) in &shelf.junk {
            self.tell(FileEvent { reason: Some((*reason).to_owned()), ..event(path, *bytes, FileState::Ignored) });
        }
        for (path, reason) in &shelf.unlisted {
            self.tell(FileEvent { reason: Some(reason.clone()), ..event(path, 0, FileState::Failed) });
        }
        let recorded = recorded(catalog, self.root)?;
        let (class, _) = sys::fs_class(self.folder);
        let mut buffer = AlignedBuffer::new();
        let mut by_folder: HashMap<PathBuf, Vec<Stranger>> = HashMap::new();
        let mut order = Vec::new();
        for (path, lying) in &shelf.files {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            if let Some(known) = recorded.get(path)
                && known.size == lying.size
                && known.mtime_ns == lying.mtime_ns
            {
                let known = FileEvent {
                    hash: Some(known.hash),
                    path: Some(path.clone()),
                    verified: known.verified,
                    matched: Some(Match::Card),
                    duplicate_of: Some(path.shown()),
                    ..event(path, lying.size, FileState::Duplicate)
                };
                self.tell(known);
                continue;
            }
            match hashed(self.folder, class, path, lying, &mut buffer) {
                Ok(stranger) => {
                    let folder = path.as_path().parent().unwrap_or(Path::new("")).to_owned();
                    if !by_folder.contains_key(&folder) {
                        order.push(folder.clone());
                    }
                    by_folder.entry(folder).or_default().push(stranger);
                }
                Err(reason) => {
                    self.tell(FileEvent { reason: Some(reason), ..event(path, lying.size, FileState::Failed) })
                }
            }
        }
        // Photos are catalogued folder by folder, so that the files of one press of the button come together.
        for folder in order {
            let strangers = by_folder.remove(&folder).unwrap_or_default();
            self.folder(catalog, session, strangers, &recorded)?;
        }
        Ok(())
    }

    fn folder(
        &mut self,
        catalog: &mut Catalog,
        session: lightfast_model::SessionId,
        strangers: Vec<Stranger>,
        recorded: &HashMap<BytePath, Original>,
    ) -> Result<(), CatalogError> {
        let mut events = Vec::new();
        let mut wanted = Vec::new();
        for stranger in strangers {
            let known = catalog.known_by_hash(&stranger.hash)?;
            let mut of_file = FileEvent {
                hash: Some(stranger.hash),
                path: Some(stranger.path.clone()),
                verified: Some(stranger.verified),
                ..event(&stranger.path, stranger.size, FileState::Added)
            };
            if known.as_ref().is_some_and(|known| known.trashed) && !self.options.again {
                of_file.state = FileState::Trashed;
                of_file.path = None;
                self.tell(of_file);
                continue;
            }
            if let Some(copy) = known.as_ref().and_then(|known| known.copies.first()) {
                of_file.state = FileState::Duplicate;
                of_file.matched = Some(Match::Full);
                of_file.duplicate_of = Some(copy.path.shown());
            }
            events.push(of_file);
            wanted.push(stranger);
        }
        let photos: HashMap<BytePath, PhotoId> =
            recorded.iter().filter_map(|(path, original)| Some((path.clone(), original.photo.clone()?))).collect();
        let beside = neighbours(&wanted, photos.iter());
        let shelving = Shelving {
            root: self.root,
            folder: self.folder,
            zone: self.amendments.zone(),
            stop: self.stop,
            amend: &|facts| self.amendments.apply(facts),
            id_of: &|_| None,
        };
        let found = shelving.found(wanted, &beside);
        for batch in found.chunks(BATCH) {
            catalog.add_files(Some(session), batch, (self.host.now)())?;
            self.fresh.extend(batch.iter().map(Catalogued::from));
        }
        // Told only when it is committed.
        events.into_iter().for_each(|event| self.tell(event));
        Ok(())
    }

    fn tell(&mut self, event: FileEvent) {
        self.counts.files_seen += 1;
        match event.state {
            FileState::Added => self.counts.added += 1,
            FileState::Duplicate => self.counts.duplicates += 1,
            FileState::Trashed => self.counts.trashed += 1,
            FileState::Ignored => self.counts.ignored += 1,
            _ => self.counts.failed += 1,
        }
        self.events.event(Event::File(Box::new(event)));
    }
}

/// Copies that are recorded in a root.
fn recorded(catalog: &Catalog, root: RootId) -> Result<HashMap<BytePath, Original>, CatalogError> {
    let mut all = HashMap::new();
    let mut after = 0;
    loop {
        let page = catalog.originals(after, 10_000)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.row;
        let here = page.into_iter().filter(|o| o.root == root && o.was == lightfast_catalog::CheckedState::Good);
        all.extend(here.map(|original| (original.path.clone(), original)));
    }
}

fn event(source: &BytePath, bytes: u64, state: FileState) -> FileEvent {
    FileEvent {
        source: source.clone(),
        path: None,
        state,
        bytes,
        hash: None,
        verified: None,
        reason: None,
        matched: None,
        duplicate_of: None,
        destinations: Vec::new(),
    }
}

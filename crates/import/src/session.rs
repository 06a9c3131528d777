//! The session: from an accepted plan to a report whose sums add up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lightfast_catalog::{Catalog, Intent, NewSession};
use lightfast_model::{BytePath, Event, FileEvent, FileState, Report, SessionId, VerifyMode};

use crate::card;
use crate::copy::{
    AlignedBuffer, Answer, Clocks, Copying, Intents, Sums, Thumbs, ThumbsOptions, Told, make_up_missing, run,
};
use crate::destination::{self, Destination};
use crate::error::{At, StartError, Step};
use crate::fault::{Op, point};
use crate::keeping;
use crate::library::make_folders;
use crate::manifests::{Listed, Writing};
use crate::options::{Events, Host, Options};
use crate::plan::{Action, Knowledge, Plan, PlannedSource, hash_of};
use crate::prepare::{Prepared, open_catalog};
use crate::progress::Meter;
use crate::recover::temp_path;
use crate::sys;
use crate::verdict::Account;

/// Files in flight where the devices do not seek.
const LANES: usize = 4;
/// A solid-state disk commits in a few milliseconds, one that turns in several turns of 8 to 11 milliseconds each.
const SLOW_COMMIT: Duration = Duration::from_millis(25);

/// How an import ended.
#[derive(Debug)]
pub struct Ended {
    /// What was done; its sums add up.
    pub report: Report,
    /// Why it had to end early, if it had: the disk is full, the card is gone.
    pub stopped: Option<String>,
    /// Whether it was interrupted from outside.
    pub interrupted: bool,
    /// What could not be kept beside the originals, one clear line each; it changes no verdict.
    pub notes: Vec<String>,
    /// What no manifest lists though one was asked for, one clear line each.
    pub unlisted: Vec<String>,
}

impl Prepared {
    /// Performs the plan. Says a `file` for each file once it is committed, `progress` meanwhile, and one `report`.
    ///
    /// Fails only where nothing could be started; whatever happens later is in the report.
    pub fn perform(self, host: &Host, events: &dyn Events, stop: &AtomicBool) -> Result<Ended, StartError> {
        let Prepared { options, plan, place, catalog, destinations, began, scan_seconds, plan_seconds, mut notes } =
            self;
        let (mut catalog, destinations) = create_missing(&options, &place, host, catalog, destinations)?;
        point(Op::Commit).at(Step::Write, &place.file())?;
        let began_at = Instant::now();
        let sessions = begin(&options, &plan, host, &mut catalog)?;
        let first_commit = began_at.elapsed();
        point(Op::Commit).at(Step::Write, &place.file())?;
        let intents = intend(&plan, &destinations, &sessions, &mut catalog)?;
        let commits = first_commit.min(began_at.elapsed().saturating_sub(first_commit));
        let clocks = Clocks::default();
        let sums = Sums::default();
        let thumbs = start_thumbs(&options, &place, host, &clocks)?;

        let mut account = Account::new(&plan, options.strict);
        for index in 0..plan.files.len() {
            account.ignored(index, events);
        }
        let meter = Meter::new(
            events,
            plan.files.iter().filter(|file| file.file.junk.is_none()).count() as u64,
            plan.bytes_to_copy(),
            options.verify != VerifyMode::Stream,
        );
        let copying = Copying {
            plan: &plan,
            destinations: &destinations,
            catalog: &mut catalog,
            sessions: &sessions,
            intents: &intents,
            verify: options.verify,
            again: options.again,
            lanes: options.lanes.map_or_else(|| lanes(&plan, &destinations, commits), |lanes| lanes.clamp(1, 64)),
            considerate: !options.urgent,
            now: host.now,
            stop,
            thumbs: thumbs.as_ref(),
            sums: options.mhl.as_ref().map(|_| &sums),
            clocks: &clocks,
            meter: &meter,
            without: options.without,
        };
        let mut duplicates = Vec::new();
        let mut placed = Placed::new(&plan, options.mhl.as_deref(), destinations.len());
        let mut stopped = run(copying, &mut |index, told: Told| {
            if let Told::Answered { answers, .. } = &told
                && let Some(Answer::Stands { path, .. }) = answers.first()
            {
                duplicates.push((index, path.clone()));
            }
            placed.take(index, &told);
            meter.files.fetch_add(1, Ordering::Relaxed);
            account.enter(index, &told, events);
        });
        list_again(&plan, &mut account);
        if let Some(thumbs) = thumbs {
            if let Some(library) = destinations.first() {
                // A cache: what cannot be made up now is made at the first look.
                let _ = make_up_missing(&thumbs, place.dir(), library.path(), &catalog, library.root, &duplicates);
            }
            thumbs.finish();
        }
        let interrupted = stop.load(Ordering::Relaxed);
        let unlisted = placed.list(&destinations, &sums, (host.now)());
        for (source, session) in sessions.iter().enumerate() {
            for destination in &destinations {
                let _ = sys::remove_empty_folder(&destination.library.incoming().join(session.to_string()));
            }
            // What was cut off stays open: the next import of this card finishes it under the same names.
            if stopped.is_none() && !interrupted {
                let safe = Some(account.is_safe(source));
                let closed = point(Op::Commit)
                    .at(Step::Write, &place.file())
                    .map_err(StartError::from)
                    .and_then(|()| Ok(catalog.close_session(*session, &account.counts(source), (host.now)(), safe)?));
                // Every file has been told by now, so this is no failure to start. What is not on record as done is
                // not called safe; the same command finishes it.
                stopped = closed.err().map(|error| format!("the import could not be closed: {error}"));
                if let Some(why) = &stopped {
                    account.bar(source, BytePath::from_bytes(b""), why.clone());
                }
            }
        }
        // A library that was unmounted or moved meanwhile has left an empty folder, in which nothing belongs.
        if let Some(library) = destinations.first().filter(|library| library.library.is_here()) {
            notes.extend(keeping::settle_marks(&mut catalog, &library.library, &sessions, &options, (host.now)()));
            notes.extend(keeping::keep(&mut catalog, &library.library, &place, host));
        }
        let mut report = account.report(options.verify);
        report.session = sessions.first().copied();
        report.seconds = began.elapsed().as_secs_f64();
        report.stages.scan = scan_seconds;
        report.stages.plan = plan_seconds;
        report.stages.metadata = plan_seconds;
        report.stages.copy = clocks.copy.seconds();
        report.stages.sync = clocks.sync.seconds();
        report.stages.verify = clocks.verify.seconds();
        report.stages.thumbnails = clocks.thumbnails.seconds();
        report.stages.catalog = clocks.catalog.seconds();
        events.event(Event::Report(Box::new(report.clone())));
        Ok(Ended { report, stopped, interrupted, notes, unlisted })
    }

    /// Says what each file's end would be, and changes nothing. Files whose content may be here already are read and
    /// hashed whole, so that the answer is true.
    pub fn dry_run(self, events: &dyn Events) -> Result<(), StartError> {
        let roots = destination::folders(&self.options).cloned().zip(&self.destinations);
        let known = Knowledge {
            catalog: self.catalog.as_ref(),
            roots: roots.map(|(folder, open)| (open.as_ref().map(|open| open.root), folder)).collect(),
            interrupted: HashMap::new(),
        };
        let mut buffer = AlignedBuffer::new();
        let mut seen: HashMap<lightfast_model::ContentHash, PathBuf> = HashMap::new();
        for file in &self.plan.files {
            let mut event = FileEvent {
                source: file.file.path.clone(),
                path: file.target().map(|target| BytePath(target.path.clone())),
                state: FileState::WouldCopy,
                bytes: file.file.size,
                hash: None,
                verified: None,
                reason: None,
                matched: None,
                duplicate_of: None,
                destinations: Vec::new(),
            };
            match &file.action {
                Action::Copy(_) => {}
                Action::Compare(target) => {
                    let path = self.plan.source_path(file);
                    let (hash, _) = hash_of(&path, file.file.size, &mut buffer).at(Step::Read, &path)?;
                    event.hash = Some(hash);
                    let content = known.by_hash(&hash)?;
                    let trashed = content.as_ref().is_some_and(|content| content.trashed) && !self.options.again;
                    let standing =
                        content.as_ref().and_then(|content| known.standing(0, content)).map(|copy| copy.path.0);
                    if trashed {
                        event.state = FileState::Trashed;
                    } else if let Some(path) = standing.or_else(|| seen.get(&hash).cloned()) {
                        event.state = FileState::Duplicate;
                        event.matched = Some(lightfast_model::Match::Full);
                        event.duplicate_of = Some(path.to_string_lossy().into_owned());
                        event.path = Some(BytePath(path));
                    } else {
                        seen.insert(hash, target.path.clone());
                    }
                }
                Action::Duplicate(copy) => {
                    event.state = FileState::Duplicate;
                    event.path = Some(copy.path.clone());
                    event.hash = Some(copy.hash);
                    event.verified = copy.verified;
                    event.matched = Some(lightfast_model::Match::Card);
                    event.duplicate_of = Some(copy.path.0.to_string_lossy().into_owned());
                }
                Action::Trashed(hash) => {
                    event.state = FileState::Trashed;
                    event.hash = Some(*hash);
                }
                Action::Ignored(reason) => {
                    event.state = FileState::Ignored;
                    event.reason = Some((*reason).into());
                }
                Action::Refused(reason) => {
                    event.state = FileState::Failed;
                    event.reason = Some(reason.clone());
                }
            }
            events.event(Event::File(Box::new(event)));
        }
        Ok(())
    }
}

/// Where files of a session are, for its manifests.
struct Placed<'a> {
    plan: &'a Plan,
    host: Option<&'a str>,
    /// By destination: the place in the plan, the path, and whether it was written now.
    files: Vec<Vec<(usize, PathBuf, bool)>>,
}

impl<'a> Placed<'a> {
    fn new(plan: &'a Plan, host: Option<&'a str>, destinations: usize) -> Self {
        Self { plan, host, files: vec![Vec::new(); destinations] }
    }

    /// What an interrupted import had copied is a duplicate now; it is taken too, and listed if it is not yet.
    fn take(&mut self, index: usize, told: &Told) {
        let (Some(_), Told::Answered { answers, .. }) = (self.host, told) else { return };
        for (files, answer) in self.files.iter_mut().zip(answers) {
            match answer {
                Answer::Copied { path, .. } => files.push((index, path.clone(), true)),
                Answer::Stands { path, .. } => files.push((index, path.0.clone(), false)),
                Answer::Failed(_) => {}
            }
        }
    }

    /// Writes a generation to each folder of each destination; what could not be listed, one line each.
    fn list(self, destinations: &[Destination], sums: &Sums, now: jiff::Timestamp) -> Vec<String> {
        let Some(host) = self.host else { return Vec::new() };
        let sums = sums.lock().map(|mut sums| std::mem::take(&mut *sums)).unwrap_or_default();
        let mut unlisted = Vec::new();
        for (destination, files) in destinations.iter().zip(self.files) {
            if !destination.library.is_here() {
                unlisted.push(format!("no manifest for {}: it is not there any more", destination.path().display()));
                continue;
            }
            let listed = files.into_iter().filter_map(|(index, path, is_new)| {
                let file = &self.plan.files.get(index)?.file;
                let sum = sums.get(&index).copied().filter(|_| is_new);
                Some(Listed { path, size: file.size, mtime_ns: file.mtime_ns, sum })
            });
            unlisted.extend(Writing { host, now }.add(destination.path(), listed.collect()));
        }
        unlisted
    }
}

/// One file at a time where a device seeks or sits on USB. A virtual disk does not tell what lies below it, but a commit
/// that takes as long as a turn of the platter does (`commits`, the faster of the first two).
fn lanes(plan: &Plan, destinations: &[Destination], commits: Duration) -> usize {
    let card = |source: &PlannedSource| sys::has_seek_cost(&source.card.source);
    let slow = destinations.iter().any(|d| sys::has_seek_cost(d.path())) || plan.sources.iter().any(card);
    if slow || commits > SLOW_COMMIT { 1 } else { LANES }
}

/// Makes the catalogue and the destinations that do not exist yet.
fn create_missing(
    options: &Options,
    place: &lightfast_catalog::Place,
    host: &Host,
    catalog: Option<Catalog>,
    destinations: Vec<Option<Destination>>,
) -> Result<(Catalog, Vec<Destination>), StartError> {
    let mut catalog = match catalog {
        Some(catalog) => catalog,
        None => {
            // The folder first: the catalogue usually lies in it.
            point(Op::MakeFolder).at(Step::MakeFolder, &options.library)?;
            make_folders(&options.library)?;
            if options.without.catalog {
                std::fs::create_dir_all(place.dir()).at(Step::MakeFolder, place.dir())?;
                Catalog::in_memory()?
            } else {
                open_catalog(place, host)?
            }
        }
    };
    let mut all = Vec::new();
    for (folder, open) in destination::folders(options).zip(destinations) {
        all.push(match open {
            Some(open) => open,
            None => Destination::create(folder, &mut catalog)?,
        });
    }
    Ok((catalog, all))
}

fn begin(options: &Options, plan: &Plan, host: &Host, catalog: &mut Catalog) -> Result<Vec<SessionId>, StartError> {
    let options_json = for_the_record(options);
    let mut sessions = Vec::new();
    for source in &plan.sources {
        sessions.push(catalog.begin_session(&NewSession {
            source: BytePath(source.card.source.clone()),
            card: source.card.identity.clone(),
            started: (host.now)(),
            job: options.job.clone(),
            options_json: options_json.clone(),
        })?);
    }
    Ok(sessions)
}

/// The options of an import as JSON.
pub(crate) fn for_the_record(options: &Options) -> String {
    serde_json::json!({
        "name": options.name.to_string(), "verify": options.verify, "strict": options.strict,
        "thumbnails": options.thumbnails, "previews": options.previews, "again": options.again,
        "mirror": options.mirror, "keywords": options.keywords, "creator": options.creator,
        "copyright": options.copyright, "clock": options.clocks, "day_start": options.day_start.to_string(),
        "zone": options.zone.as_ref().and_then(|zone| zone.iana_name()), "added": options.add.is_some(),
    })
    .to_string()
}

/// Journals what will be written, one transaction a source, and makes the folders for partial files.
fn intend(
    plan: &Plan,
    destinations: &[Destination],
    sessions: &[SessionId],
    catalog: &mut Catalog,
) -> Result<Intents, StartError> {
    let mut all = Intents::new();
    for (source, session) in sessions.iter().enumerate() {
        let mut places = Vec::new();
        let mut intents = Vec::new();
        for (index, file) in plan.files.iter().enumerate().filter(|(_, file)| file.source == source) {
            let Some(target) = file.target() else { continue };
            for (dest, destination) in destinations.iter().enumerate().filter(|(dest, _)| file.wants(*dest)) {
                places.push((index, dest));
                intents.push(Intent {
                    root: destination.root,
                    source: file.file.path.clone(),
                    size: file.file.size,
                    mtime_ns: file.file.mtime_ns,
                    path: BytePath(target.path.clone()),
                    temp: temp_path(*session, index),
                    photo: target.photo.clone(),
                    role: target.role,
                    group: target.group,
                    seq: Some(target.seq),
                });
            }
        }
        let ids = catalog.intend(*session, &intents)?;
        for ((place, id), intent) in places.into_iter().zip(ids).zip(intents) {
            all.insert(place, (id, intent.temp.0));
        }
        for destination in destinations {
            let folder = destination.library.incoming().join(session.to_string());
            point(Op::MakeFolder).at(Step::MakeFolder, &folder)?;
            std::fs::create_dir_all(&folder).at(Step::MakeFolder, &folder)?;
        }
    }
    Ok(all)
}

fn start_thumbs(
    options: &Options,
    place: &lightfast_catalog::Place,
    host: &Host,
    clocks: &Clocks,
) -> Result<Option<Thumbs>, StartError> {
    let Some(worker) = host.worker.clone().filter(|_| options.thumbnails) else { return Ok(None) };
    let options = ThumbsOptions { worker, workers: host.workers, store: place.dir().to_owned() };
    Ok(Some(Thumbs::start(options, clocks.thumbnails.clone())?))
}

/// Lists each card a second time: what came, went or changed meanwhile is not accounted for.
fn list_again(plan: &Plan, account: &mut Account<'_>) {
    for (index, source) in plan.sources.iter().enumerate() {
        match card::list(&source.card.source, Some(source.card.dev)) {
            Ok(now) => {
                for path in now.changed_since(&source.listing) {
                    account.bar(index, path, "came, went or changed on the card during the import".into());
                }
            }
            Err(error) => {
                account.bar(index, BytePath::from_bytes(b""), format!("the card could not be listed again: {error}"));
            }
        }
    }
}

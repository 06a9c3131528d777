//! The session: from an accepted plan to a report whose sums add up.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use lightfast_catalog::{Catalog, Intent, IntentId, NewSession, RootId};
use lightfast_model::{BytePath, Event, FileEvent, FileState, Report, SessionId, VerifyMode};

use crate::card;
use crate::copy::{AlignedBuffer, Clocks, Copying, Outcome, Thumbs, ThumbsOptions, make_up_missing, run};
use crate::error::{At, StartError, Step};
use crate::library::Library;
use crate::options::{Events, Host, Options};
use crate::plan::{Action, Knowledge, Plan, hash_of};
use crate::prepare::{OpenLibrary, Prepared, open_catalog};
use crate::progress::Meter;
use crate::recover::temp_path;
use crate::sys;
use crate::verdict::Account;

/// Files in flight where the devices do not seek.
const LANES: usize = 4;

/// How an import ended.
#[derive(Debug)]
pub struct Ended {
    /// What was done; its sums add up.
    pub report: Report,
    /// Why it had to end early, if it had: the disk is full, the card is gone.
    pub stopped: Option<String>,
    /// Whether it was interrupted from outside.
    pub interrupted: bool,
}

impl Prepared {
    /// Performs the plan. Says a `file` for each file once it is committed, `progress` meanwhile, and one `report`.
    ///
    /// Fails only where nothing could be started; whatever happens later is in the report.
    pub fn perform(self, host: &Host, events: &dyn Events, stop: &AtomicBool) -> Result<Ended, StartError> {
        let Prepared { options, plan, place, open, began, scan_seconds, plan_seconds } = self;
        let OpenLibrary { library, mut catalog, root, _lock } = match open {
            Some(open) => open,
            None => create_library(&options, &place, host)?,
        };
        let sessions = begin(&options, &plan, host, &mut catalog)?;
        let intents = intend(&plan, root, &sessions, &library, &mut catalog)?;
        let clocks = Clocks::default();
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
            library: &library.root,
            root,
            catalog: &mut catalog,
            sessions: &sessions,
            intents: &intents,
            verify: options.verify,
            again: options.again,
            lanes: lanes(&plan, &library),
            considerate: !options.urgent,
            now: host.now,
            stop,
            thumbs: thumbs.as_ref(),
            clocks: &clocks,
            meter: &meter,
        };
        let mut duplicates = Vec::new();
        let stopped = run(copying, &mut |index, outcome: Outcome| {
            if let Outcome::Duplicate { copy, .. } = &outcome {
                duplicates.push((index, copy.path.clone()));
            }
            meter.files.fetch_add(1, Ordering::Relaxed);
            account.enter(index, &outcome, events);
        });
        list_again(&plan, &mut account);
        if let Some(thumbs) = thumbs {
            // A cache: what cannot be made up now is made at the first look.
            let _ = make_up_missing(&thumbs, place.dir(), &library.root, &catalog, root, &duplicates);
            thumbs.finish();
        }
        let interrupted = stop.load(Ordering::Relaxed);
        for (source, session) in sessions.iter().enumerate() {
            let _ = sys::remove_empty_folder(&library.incoming().join(session.to_string()));
            // What was cut off stays open: the next import of this card finishes it under the same names.
            if stopped.is_none() && !interrupted {
                let safe = Some(account.is_safe(source));
                catalog.close_session(*session, &account.counts(source), (host.now)(), safe)?;
            }
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
        Ok(Ended { report, stopped, interrupted })
    }

    /// Says what each file's end would be, and changes nothing. Files whose content may be here already are read and
    /// hashed whole, so that the answer is true.
    pub fn dry_run(self, events: &dyn Events) -> Result<(), StartError> {
        let open = self.open.as_ref();
        let library = self.options.library.clone();
        let catalog = open.map(|open| (&open.catalog, open.root));
        let known = Knowledge { catalog, library, interrupted: HashMap::new() };
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
                    let standing = content.as_ref().and_then(|content| known.standing(content)).map(|copy| copy.path.0);
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

/// One file at a time where a device seeks or sits on USB.
fn lanes(plan: &Plan, library: &Library) -> usize {
    let slow = sys::has_seek_cost(&library.root) || plan.sources.iter().any(|s| sys::has_seek_cost(&s.card.source));
    if slow { 1 } else { LANES }
}

fn create_library(options: &Options, place: &lightfast_catalog::Place, host: &Host) -> Result<OpenLibrary, StartError> {
    let mut id = [0u8; 10];
    let _ = getrandom::fill(&mut id);
    std::fs::create_dir_all(&options.library).at(Step::MakeFolder, &options.library)?;
    let library = Library::create(&options.library, lightfast_model::PhotoId::from_random(id).as_str())?;
    let lock = Some(library.lock()?);
    let (catalog, root) = open_catalog(&library, place, host)?;
    Ok(OpenLibrary { library, catalog, root, _lock: lock })
}

fn begin(options: &Options, plan: &Plan, host: &Host, catalog: &mut Catalog) -> Result<Vec<SessionId>, StartError> {
    let options_json = serde_json::json!({
        "name": options.name.to_string(), "verify": options.verify, "strict": options.strict,
        "thumbnails": options.thumbnails, "previews": options.previews, "again": options.again,
    });
    let mut sessions = Vec::new();
    for source in &plan.sources {
        sessions.push(catalog.begin_session(&NewSession {
            source: BytePath(source.card.source.clone()),
            card: source.card.identity.clone(),
            started: (host.now)(),
            job: options.job.clone(),
            options_json: options_json.to_string(),
        })?);
    }
    Ok(sessions)
}

/// Journals what will be written, one transaction a source, and makes the folders for partial files.
fn intend(
    plan: &Plan,
    root: RootId,
    sessions: &[SessionId],
    library: &Library,
    catalog: &mut Catalog,
) -> Result<HashMap<usize, (IntentId, PathBuf)>, StartError> {
    let mut all = HashMap::new();
    for (source, session) in sessions.iter().enumerate() {
        let mut indices = Vec::new();
        let mut intents = Vec::new();
        for (index, file) in plan.files.iter().enumerate().filter(|(_, file)| file.source == source) {
            let Some(target) = file.target() else { continue };
            indices.push(index);
            intents.push(Intent {
                root,
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
        let ids = catalog.intend(*session, &intents)?;
        for ((index, id), intent) in indices.into_iter().zip(ids).zip(intents) {
            all.insert(index, (id, intent.temp.0));
        }
        let folder = library.incoming().join(session.to_string());
        std::fs::create_dir_all(&folder).at(Step::MakeFolder, &folder)?;
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

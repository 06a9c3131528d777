//! Imports begun from the page: cards found, a plan to look at, start, stop, and what the engine says.
//!
//! The engine runs on a thread of its own, as it does under the command line; its events go to every page as
//! they come. The verdict is the engine's alone. One import at a time is begun here; one that another process
//! runs holds the library's lock, and the engine says so.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lightfast_import::card::{list, mounted_cards};
use lightfast_import::{Action, Host, Options, PlannedFile, Prepared, Template, prepare};
use lightfast_model::Event;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::App;
use crate::extract::Body;
use crate::library::Library;
use crate::problem::{Answer, Problem};

/// Example names in a plan.
const EXAMPLES: usize = 40;

/// What a page that comes late wants to know.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    stop: Option<Arc<AtomicBool>>,
    source: String,
    progress: Option<Value>,
    report: Option<Value>,
    failure: Option<String>,
}

impl Imports {
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the engine to end where it is; a rerun goes on from there.
    pub(crate) fn stop(&self) {
        if let Some(stop) = &self.lock().stop {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// `GET /api/import`: what runs, or how the last one ended.
pub(crate) async fn state(State(app): State<App>) -> Json<Value> {
    let now = app.imports.lock();
    Json(json!({
        "running": now.stop.is_some(),
        "source": now.source,
        "progress": now.progress,
        "report": now.report,
        "failure": now.failure,
    }))
}

#[derive(Debug, Serialize)]
pub(crate) struct CardFacts {
    path: String,
    label: Option<String>,
    files: u64,
    bytes: u64,
}

/// `GET /api/cards`: what is mounted now and looks like a card.
pub(crate) async fn cards() -> Answer<Json<Vec<CardFacts>>> {
    let found = tokio::task::spawn_blocking(|| {
        let cards = mounted_cards().map_err(Problem::internal)?;
        Ok(cards.into_iter().map(|mounted| facts(&mounted.card)).collect())
    });
    found.await.map_err(Problem::internal)?.map(Json)
}

fn facts(card: &lightfast_import::card::Card) -> CardFacts {
    // A card that cannot be listed is shown all the same; the plan will say why.
    let files = list(&card.source, Some(card.dev)).map(|listing| listing.files).unwrap_or_default();
    let real = files.iter().filter(|file| file.junk.is_none());
    CardFacts {
        path: card.source.to_string_lossy().into_owned(),
        label: Some(card.name()),
        files: real.clone().count() as u64,
        bytes: real.map(|file| file.size).sum(),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    source: PathBuf,
    template: String,
    job: Option<String>,
}

impl Wish {
    fn options(self, library: &Library) -> Answer<Options> {
        if !self.source.is_absolute() {
            return Err(Problem::bad("give the whole path of the card or folder, from / on"));
        }
        let template: Template =
            self.template.parse().map_err(|e: lightfast_import::TemplateError| Problem::bad(e.to_string()))?;
        let mut options = Options::new(vec![self.source], library.folder().to_owned());
        let dir = library.options.place.dir();
        if dir != library.folder().join(".lightfast") {
            options.catalog = Some(dir.to_owned());
        }
        options.name = template;
        options.job = self.job.filter(|job| !job.trim().is_empty());
        Ok(options)
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct PlanFacts {
    copy: u64,
    duplicates: u64,
    trashed: u64,
    bytes: u64,
    free: u64,
    needed: u64,
    files: Vec<FileFacts>,
    more: u64,
}

#[derive(Debug, Serialize)]
struct FileFacts {
    source: String,
    path: Option<String>,
    state: &'static str,
    bytes: u64,
    reason: Option<String>,
}

/// `POST /api/import/plan`: what an import would do, with examples of names; nothing is written.
pub(crate) async fn plan(State(app): State<App>, Body(wish): Body<Wish>) -> Answer<Json<PlanFacts>> {
    let mut options = wish.options(&app.library)?;
    options.dry_run = true;
    let library = app.library.clone();
    let planned = tokio::task::spawn_blocking(move || {
        let host = host(&library);
        let prepared = prepare(options, &host, &|_: Event| {}, &AtomicBool::new(false));
        prepared.map(|prepared| plan_facts(&prepared)).map_err(could_not_start)
    });
    planned.await.map_err(Problem::internal)?.map(Json)
}

fn plan_facts(prepared: &Prepared) -> PlanFacts {
    let plan = prepared.plan();
    let count = |wanted: fn(&Action) -> bool| plan.files.iter().filter(|f| wanted(&f.action)).count() as u64;
    let (free, needed) = plan.destinations.first().map_or((0, 0), |d| (d.free, d.needed));
    let shown = plan.files.iter().filter(|f| f.file.junk.is_none());
    PlanFacts {
        copy: count(|action| matches!(action, Action::Copy(_) | Action::Compare(_))),
        duplicates: count(|action| matches!(action, Action::Duplicate(_))),
        trashed: count(|action| matches!(action, Action::Trashed(_))),
        bytes: plan.bytes_to_copy(),
        free,
        needed,
        more: (shown.clone().count().saturating_sub(EXAMPLES)) as u64,
        files: shown.take(EXAMPLES).map(file_facts).collect(),
    }
}

fn file_facts(file: &PlannedFile) -> FileFacts {
    let (state, reason) = match &file.action {
        Action::Copy(_) | Action::Compare(_) => ("would-copy", None),
        Action::Duplicate(_) => ("duplicate", None),
        Action::Trashed(_) => ("trashed", None),
        Action::Ignored(reason) => ("ignored", Some((*reason).to_owned())),
        Action::Refused(reason) => ("failed", Some(reason.clone())),
    };
    FileFacts {
        source: file.file.path.shown(),
        path: file.target().map(|target| target.path.to_string_lossy().into_owned()),
        state,
        bytes: file.file.size,
        reason,
    }
}

/// `POST /api/import/start`.
pub(crate) async fn start(State(app): State<App>, Body(wish): Body<Wish>) -> Answer<Json<Value>> {
    let source = wish.source.to_string_lossy().into_owned();
    let options = wish.options(&app.library)?;
    let stop = Arc::new(AtomicBool::new(false));
    {
        let mut now = app.imports.lock();
        if now.stop.is_some() {
            return Err(Problem::new(StatusCode::CONFLICT, "an import is running already"));
        }
        *now = Now { stop: Some(stop.clone()), source: source.clone(), ..Now::default() };
    }
    app.live.tell("import", &json!({"event": "started", "source": source}));
    std::thread::spawn(move || {
        let failure = run(&app, options, &stop).err();
        let mut now = app.imports.lock();
        now.stop = None;
        now.failure.clone_from(&failure);
        drop(now);
        if let Some(what) = failure {
            app.live.tell("import", &json!({"event": "failed", "what": what}));
        }
    });
    Ok(Json(json!({})))
}

fn run(app: &App, options: Options, stop: &AtomicBool) -> Result<(), String> {
    let host = host(&app.library);
    let events = |event: Event| {
        if let Ok(value) = serde_json::to_value(&event) {
            let mut now = app.imports.lock();
            match event {
                Event::Progress(_) => now.progress = Some(value.clone()),
                Event::Report(_) => now.report = Some(value.clone()),
                _ => {}
            }
            drop(now);
            app.live.tell("import", &value);
        }
    };
    let prepared = prepare(options, &host, &events, stop).map_err(|e| e.to_string())?;
    let ended = prepared.perform(&host, &events, stop).map_err(|e| e.to_string())?;
    match (ended.stopped, ended.interrupted) {
        (Some(reason), _) => Err(reason),
        (None, true) => Err("stopped; import the card again to go on from here".to_owned()),
        (None, false) => Ok(()),
    }
}

/// `POST /api/import/stop`.
pub(crate) async fn stop(State(app): State<App>) -> Json<Value> {
    app.imports.stop();
    Json(json!({}))
}

fn host(library: &Library) -> Host {
    let options = &library.options;
    Host { now: options.now, zone: options.zone.clone(), worker: options.worker.clone(), workers: 1 }
}

fn could_not_start(error: lightfast_import::StartError) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
}

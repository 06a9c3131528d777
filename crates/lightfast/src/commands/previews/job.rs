//! One build of rendered previews, on threads of its own while this one shows how far it is.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lightfast_catalog::Root;
use lightfast_import::Library;
use lightfast_model::{Photo, Progress, Stage};
use lightfast_previews::{Build, Event, Item, Level, Outcome, Queue, Stopped, Store, StoreError};
use lightfast_worker::WorkerOptions;
use serde::Serialize;

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::library::Opened;
use crate::reporter::{Bar, Lines, Reporter};
use crate::ui::{count, duration};

/// How often the display is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(100);
/// Workers at most: each takes up to 300 MB.
const MOST_WORKERS: usize = 16;

/// How much of the machine a build may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// What others leave.
    Background,
    /// Somebody waits for it, after an import: as considerate as that.
    Foreground,
}

/// The end of a build.
#[derive(Serialize)]
struct End {
    event: &'static str,
    rendered: u64,
    failed: u64,
    seconds: f64,
}

/// A file that was not rendered, or what a build waits for.
#[derive(Serialize)]
struct Remark<'a> {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    state: &'static str,
    reason: Option<&'a str>,
}

/// The library's cache.
pub(crate) fn store(opened: &Opened, limit: Option<u64>) -> Result<Store, Error> {
    Store::open(opened.place.dir(), limit).map_err(store_error)
}

/// An error of the cache, at the edge.
pub(crate) fn store_error(error: StoreError) -> Error {
    let hint = match &error {
        StoreError::Full { .. } => "a larger --limit-bytes makes room for more",
        StoreError::NoSpace { .. } => "make room on the disk and run the same command again",
        StoreError::Io { .. } => "the cache of previews can be deleted; it is made again",
    };
    Error::new(Exit::Fault, error.to_string()).hint(hint)
}

/// The RAWs of a photo, wherever their copies are now.
pub(crate) fn items(opened: &Opened, roots: &[Root], photo: &Photo) -> Vec<Item> {
    let folder_of = |uuid: &str| -> Option<PathBuf> {
        let root = roots.iter().find(|root| root.uuid == uuid)?;
        Some(opened.folder_of(root).to_owned())
    };
    Item::of(photo, folder_of)
}

/// Renders the items, with progress, and says how it ended.
pub(crate) fn build(
    opened: &Opened,
    items: Vec<Item>,
    store: &Store,
    level: Level,
    manner: Manner,
    context: &Context,
) -> Result<Exit, Error> {
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    let mut worker = WorkerOptions::new(program);
    match manner {
        Manner::Background => worker.idle_priority = true,
        Manner::Foreground => worker.nice = 5,
    }
    let queue = Queue::new(items);
    let lock = Library::own_folder(&opened.place.library).join("lock");
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(MOST_WORKERS);
    let now = Context::system_time;
    let build = Build { queue: &queue, store, level, worker, workers, import_lock: Some(&lock), looked_at: None, now };
    let stop = interrupt::watch()?;
    let outcome = shown(&build, &stop, context);
    end(&outcome, context);
    match outcome.stopped {
        Some(Stopped::Store(error)) => return Err(store_error(error)),
        Some(Stopped::Worker(error)) => return Err(Error::start("cannot render").because(error)),
        None => {}
    }
    Ok(match (outcome.left, outcome.failed) {
        (1.., _) if stop.load(Ordering::Relaxed) => Exit::Interrupted,
        (_, 1..) => Exit::Fault,
        _ => Exit::Done,
    })
}

fn shown(build: &Build<'_>, stop: &AtomicBool, context: &Context) -> Outcome {
    let (sender, receiver) = channel::<Event>();
    let sender = Mutex::new(sender);
    let mut screen = Screen { context, bar: Bar::new(&context.ui), lines: Lines::new(&context.ui) };
    std::thread::scope(|scope| {
        let work = scope.spawn(move || {
            let events = |event: Event| {
                // The receiver lives until this thread has ended.
                let _ = sender.lock().unwrap_or_else(PoisonError::into_inner).send(event);
            };
            lightfast_previews::build(build, &events, stop)
        });
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(event) => screen.event(&event),
                Err(RecvTimeoutError::Timeout) => screen.bar.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        work.join().unwrap_or_default()
    })
}

/// What is seen of it while it runs.
struct Screen<'a> {
    context: &'a Context,
    bar: Bar,
    lines: Lines<'a>,
}

impl Screen<'_> {
    fn event(&mut self, event: &Event) {
        let ui = &self.context.ui;
        match event {
            Event::Rendered { .. } => {}
            Event::Progress { files, files_total, bytes, bytes_total, eta } => {
                let progress = Progress {
                    stage: Stage::Previews,
                    files: *files,
                    files_total: *files_total,
                    bytes: *bytes,
                    bytes_total: *bytes_total,
                    bytes_per_second: 0,
                    eta_seconds: eta.map(|eta| eta.as_secs_f64()),
                };
                self.bar.update(progress);
                if ui.is_json() {
                    self.lines.event(&lightfast_model::Event::Progress(progress));
                }
            }
            Event::Failed { name, reason } if ui.is_json() => {
                ui.object(&Remark { event: "preview", name: Some(name), state: "failed", reason: Some(reason) });
            }
            Event::Failed { name, reason } => self.bar.above(|| ui.warn(format!("{name}: {reason}"))),
            Event::Paused { reason } if ui.is_json() => {
                ui.object(&Remark { event: "previews-state", name: None, state: "paused", reason: Some(reason) });
                ui.flush();
            }
            Event::Paused { reason } => self.bar.above(|| ui.remark(format!("Waiting: {reason}"))),
            Event::Resumed if ui.is_json() => {
                ui.object(&Remark { event: "previews-state", name: None, state: "resumed", reason: None });
                ui.flush();
            }
            Event::Resumed => self.bar.above(|| ui.remark("Going on")),
        }
    }
}

fn end(outcome: &Outcome, context: &Context) {
    let ui = &context.ui;
    let Outcome { rendered, failed, left, seconds, .. } = outcome;
    if ui.is_json() {
        ui.object(&End { event: "previews", rendered: *rendered, failed: *failed, seconds: *seconds });
        return;
    }
    let mut text = format!("{} previews rendered in {}", count(*rendered), duration(*seconds));
    for (number, word) in [(*failed, "could not be"), (*left, "left")] {
        if number > 0 {
            text.push_str(&format!(", {} {word}", count(number)));
        }
    }
    ui.line(text);
}

//! 1:1 previews rendered from the RAW: out of the cache, or made at once for who looks; and a builder in the
//! background, which renders the newest import.
//!
//! The builder takes what others leave of the processor and waits while an import runs. What somebody looks at goes
//! first. A picture that cannot be rendered says why, and is not tried each time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use lightfast_catalog::{Catalog, Query, Sort};
use lightfast_import::Library as Folder;
use lightfast_model::{ContentHash, Photo, PhotoFile, Role, SessionId};
use lightfast_previews::{Build, Entry, Item, Level, LookedAt, Queue, Store, build};
use lightfast_worker::{Task, WorkerOptions};

use crate::App;
use crate::extract::Path;
use crate::library::Library;
use crate::media::{self, Wanted};
use crate::problem::{Answer, Problem};
use crate::slice::{self, Label, Slice};

/// How often it is looked whether there is a new import.
const PAUSE: Duration = Duration::from_secs(1);
/// Workers of the builder at most.
const MOST_WORKERS: usize = 4;

/// The cache, and what the builder works through now.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    store: OnceLock<Option<Store>>,
    queue: Mutex<Option<Arc<Queue>>>,
    looked: LookedAt,
}

impl Rendered {
    /// The cache; none where it cannot be made.
    fn store(&self, library: &Library) -> Option<&Store> {
        self.store.get_or_init(|| Store::open(library.options.place.dir(), None).ok()).as_ref()
    }

    /// Somebody looks at this photo: it is rendered next, where it waits, once nobody looks at others.
    pub(crate) fn looked_at(&self, photo: &Photo) {
        self.looked.now();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((queue, raw)) = queue.zip(raw_of(photo)) {
            queue.prefer(&raw.hash);
        }
    }

    fn works_through(&self, queue: Option<Arc<Queue>>) {
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = queue;
    }
}

/// The file of a photo that can be rendered.
pub(crate) fn raw_of(photo: &Photo) -> Option<&PhotoFile> {
    photo.files.iter().find(|file| file.role == Role::Raw)
}

/// `GET /media/{epoch}/{row}/rendered`: what the sensor saw.
pub(crate) async fn rendered(
    State(app): State<App>,
    Path((epoch, row)): Path<(String, u32)>,
    request: HeaderMap,
) -> Answer {
    app.check_epoch(&epoch).await?;
    let (photo, _) = media::find(&app, row).await?;
    let n = photo.files.iter().position(|file| file.role == Role::Raw);
    let n = n.ok_or_else(|| Problem::missing("there is no RAW of this photo to render"))?;
    app.rendered.looked_at(&photo);
    let (path, file) = media::locate(&app, photo, n).await?;
    let entry = Entry { hash: file.hash, level: Level::Full };
    let label = |hash: &ContentHash| Label { kind: "image/jpeg", tag: format!("r{}", hash.hex()), immutable: false };
    let (cache, library) = (app.rendered.clone(), app.library.clone());
    let kept = tokio::task::spawn_blocking(move || {
        let store = cache.store(&library);
        match store.and_then(|store| store.get(&entry, now(&library))) {
            Some((_, path, length)) => Ok(Some(Slice { path, offset: 0, length: Some(length) })),
            None => store.and_then(|store| store.failure(&entry.hash)).map_or(Ok(None), Err),
        }
    });
    match kept.await.map_err(Problem::internal)? {
        Ok(Some(slice)) => return slice::file(slice, &label(&file.hash), &request).await,
        Ok(None) => {}
        Err(reason) => return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason)),
    }
    let whole = Slice { path, offset: 0, length: None };
    let picture = media::worked(&app, move || Ok(whole), Task::Develop(Level::Full.options()), Wanted::Now).await?;
    let (cache, library) = (app.rendered.clone(), app.library.clone());
    let jpeg = tokio::task::spawn_blocking(move || {
        // A cache: one that is full or cannot be written is none.
        if let Some(store) = cache.store(&library) {
            let _ = store.put(&entry, &picture.jpeg, now(&library));
        }
        picture.jpeg
    });
    Ok(slice::bytes(jpeg.await.map_err(Problem::internal)?, &label(&file.hash), &request))
}

fn now(library: &Library) -> SystemTime {
    let seconds = u64::try_from((library.options.now)().as_second()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A builder that runs; it ends with this value, at the latest when the picture that it is at is done.
#[derive(Debug)]
pub(crate) struct Builder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Builder {
    /// Starts it, where the library is to have one.
    pub(crate) fn start(app: &App) -> Option<Self> {
        let options = &app.library.options;
        let (mut worker, clock) = options.worker.clone().zip(options.builds)?;
        worker.idle_priority = true;
        let stop = Arc::new(AtomicBool::new(false));
        let (app, stopped) = (app.clone(), Arc::clone(&stop));
        let work = move || follow(&app.library, &app.rendered, (&worker, clock), &stopped);
        let thread = std::thread::Builder::new().name("previews".to_owned()).spawn(work).ok();
        Some(Self { stop, thread })
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
        }
    }
}

/// Renders each newest import, until it is told to stop.
fn follow(
    library: &Library,
    rendered: &Rendered,
    (worker, clock): (&WorkerOptions, fn() -> SystemTime),
    stop: &AtomicBool,
) {
    let mut done = None;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().saturating_sub(1).clamp(1, MOST_WORKERS));
    let lock = Folder::own_folder(library.folder()).join("lock");
    while !stop.load(Ordering::Relaxed) {
        let newest = library.read_here(newest_session).ok().flatten();
        if newest.is_some() && newest != done {
            let items = newest.and_then(|session| items_of(library, session).ok()).unwrap_or_default();
            if let Some(store) = rendered.store(library).filter(|_| !items.is_empty()) {
                let queue = Arc::new(Queue::new(items));
                rendered.works_through(Some(queue.clone()));
                let build_of = Build {
                    queue: &queue,
                    store,
                    level: Level::Full,
                    worker: worker.clone(),
                    workers,
                    import_lock: Some(&lock),
                    looked_at: Some(&rendered.looked),
                    now: clock,
                };
                let _ = build(&build_of, &|_| {}, stop);
                rendered.works_through(None);
            }
            done = newest;
        }
        std::thread::park_timeout(PAUSE);
    }
}

/// The newest import, once it has ended.
fn newest_session(catalog: &Catalog) -> Result<Option<SessionId>, lightfast_catalog::CatalogError> {
    let newest = catalog.sessions(Some(1))?.into_iter().next();
    Ok(newest.filter(|session| session.ended.is_some()).map(|session| session.id))
}

fn items_of(library: &Library, session: SessionId) -> Answer<Vec<Item>> {
    let query: Query = library.query(&format!("session:{} type:raw", session.0))?;
    let roots = library.roots_here()?;
    let photos = library.read_here(|catalog| catalog.photos(&query, Sort::default(), None, 0))?;
    let folder_of = |uuid: &str| -> Option<PathBuf> {
        roots.iter().find(|root| root.uuid == uuid).map(|root| root.path.as_path().to_owned())
    };
    Ok(photos.iter().flat_map(|photo| Item::of(photo, folder_of)).collect())
}

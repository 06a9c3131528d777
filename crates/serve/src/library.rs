//! The library behind the web: its catalogue and thumbnails, called off the async threads.
//!
//! Readers are pooled, the writer is one. A library that has no catalogue yet is an empty one; the first import
//! makes it. Where originals lie is looked up among the roots each time, so that a disk that was unplugged is
//! offline and not lost, and one that is back is found.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::http::StatusCode;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_catalog::{Catalog, CatalogError, Columns, CopyAt, Fault, Place, Query, Root, Thumbnails};
use lightfast_import::{Library as Folder, SidecarSettings};
use lightfast_model::BytePath;
use lightfast_worker::WorkerOptions;
use tokio::sync::Semaphore;

use crate::problem::{Answer, Problem};

/// Readers at work at once; more wait.
const READERS: usize = 8;

/// What the server is told of its surroundings.
#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// Where the catalogue lies.
    pub place: Place,
    /// The zone in which the person lives.
    pub zone: TimeZone,
    /// The current time.
    pub now: fn() -> Timestamp,
    /// How to start a worker; without one, what was not made before is not made.
    pub worker: Option<WorkerOptions>,
    /// With a clock for the cache, the RAWs of the newest import are rendered in the background.
    pub builds: Option<fn() -> SystemTime>,
    /// How sidecars are written.
    pub sidecars: SidecarSettings,
    /// ffmpeg, for clips that a browser cannot play; without it they are not converted.
    pub ffmpeg: Option<PathBuf>,
}

/// The library of one server.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) options: LibraryOptions,
    readers: Mutex<Vec<Catalog>>,
    writer: Mutex<Option<Catalog>>,
    thumbnails: Mutex<Vec<Thumbnails>>,
    /// The narrow columns of all photos, which follow the catalogue.
    pub(crate) columns: Columns,
    room: Semaphore,
}

impl Library {
    pub(crate) fn new(options: LibraryOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            readers: Mutex::default(),
            writer: Mutex::default(),
            thumbnails: Mutex::default(),
            columns: Columns::default(),
            room: Semaphore::new(READERS),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.options.place.library
    }

    pub(crate) fn query(&self, text: &str) -> Answer<Query> {
        let today = self.options.zone.to_datetime((self.options.now)()).date();
        Query::parse(text, today).map_err(|error| Problem::bad(error.to_string()))
    }

    /// Asks the catalogue something.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        ask: impl FnOnce(&Catalog) -> Result<T, CatalogError> + Send + 'static,
    ) -> Answer<T> {
        let _room = self.room.acquire().await.map_err(Problem::internal)?;
        let library = self.clone();
        tokio::task::spawn_blocking(move || library.read_here(ask)).await.map_err(Problem::internal)?
    }

    /// The same, from a thread that may block.
    pub(crate) fn read_here<T>(&self, ask: impl FnOnce(&Catalog) -> Result<T, CatalogError>) -> Answer<T> {
        let pooled = lock(&self.readers).pop();
        let (catalog, keep) = match pooled {
            Some(catalog) => (catalog, true),
            None => match Catalog::open_read_only(&self.options.place) {
                Err(CatalogError::Missing { .. }) => (Catalog::in_memory().map_err(trouble)?, false),
                opened => (opened.map_err(trouble)?, true),
            },
        };
        let mut catalog = catalog;
        catalog.set_zone(self.options.zone.clone());
        let answer = ask(&catalog).map_err(trouble);
        if keep && answer.is_ok() {
            lock(&self.readers).push(catalog);
        }
        answer
    }

    /// Changes the catalogue; what was changed is on stable storage when this returns.
    pub(crate) async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Catalog, Timestamp) -> Result<T, CatalogError> + Send + 'static,
    ) -> Answer<T> {
        let library = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut writer = lock(&library.writer);
            if writer.is_none() {
                let mut catalog = Catalog::open(&library.options.place).map_err(trouble)?;
                catalog.set_zone(library.options.zone.clone());
                *writer = Some(catalog);
            }
            let Some(catalog) = writer.as_mut() else { return Err(Problem::internal("no catalogue")) };
            change(catalog, (library.options.now)()).map_err(trouble)
        });
        done.await.map_err(Problem::internal)?
    }

    /// Uses the store of thumbnails.
    pub(crate) fn thumbnails_here<T>(&self, ask: impl FnOnce(&mut Thumbnails) -> Result<T, CatalogError>) -> Answer<T> {
        let pooled = lock(&self.thumbnails).pop();
        let mut store = match pooled {
            Some(store) => store,
            None => Thumbnails::open(self.options.place.dir()).map_err(trouble)?,
        };
        let answer = ask(&mut store).map_err(trouble)?;
        lock(&self.thumbnails).push(store);
        Ok(answer)
    }

    /// The roots, the library's own where the library is now.
    pub(crate) fn roots_here(&self) -> Answer<Vec<Root>> {
        let own = Folder::find(self.folder()).ok().flatten();
        let mut roots = self.read_here(Catalog::roots)?;
        for root in &mut roots {
            if own.as_ref().is_some_and(|own| own.id == root.uuid) {
                root.path = BytePath::from(self.folder());
            }
        }
        Ok(roots)
    }

    /// The first of these copies that is on a disk now.
    pub(crate) fn find_here(&self, copies: &[CopyAt]) -> Answer<PathBuf> {
        let roots = self.roots_here()?;
        let mut offline = None;
        for copy in copies {
            let Some(root) = roots.iter().find(|root| root.id == copy.root) else { continue };
            let relative = copy.path.as_path();
            let inside = relative.components().all(|c| matches!(c, std::path::Component::Normal(_)));
            let path = root.path.as_path().join(relative);
            if inside && std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file()) {
                return Ok(path);
            }
            offline.get_or_insert_with(|| root.path.shown());
        }
        Err(Problem::new(StatusCode::GONE, "the original is not where it was").hint(match offline {
            Some(root) => format!("it was last in {root}: connect that disk, or run `lightfast rescan`"),
            None => "no copy of it is on record".to_owned(),
        }))
    }

    /// Changes when row numbers do.
    pub(crate) async fn epoch(self: &Arc<Self>) -> Answer<String> {
        Ok(format!("{:x}", self.read(Catalog::made).await?.unwrap_or(0)))
    }
}

/// A lock that a panic elsewhere cannot poison for ever: what it holds is whole between two statements.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn trouble(error: CatalogError) -> Problem {
    let status = match error.fault() {
        Fault::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Fault::ReadOnly => StatusCode::FORBIDDEN,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Problem::new(status, error.to_string())
}

//! What follows a mark: sidecars beside the originals, and the library's journal.
//!
//! It is not on the way of the answer (a mark is on stable storage before), but close behind: what a burst of keys
//! changed is gathered for a moment and written. A connection of its own, so that a long list of sidecars keeps no
//! key waiting. What could not be written stays due, and is told to every page.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use lightfast_catalog::Catalog;
use lightfast_import::{
    Keep, KeepError, Library as Folder, SidecarReport, SidecarSettings, write_journal, write_sidecars,
};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::extract::Body;
use crate::index::parse_rows;
use crate::library::{Library, trouble};
use crate::problem::{Answer, Problem};

/// Marks that come within this are written together.
const GATHER: Duration = Duration::from_millis(300);
/// Photos whose conflict is settled at once.
const MOST: usize = 10_000;
/// Names of files in one answer.
const NAMED: usize = 50;

/// A sidecar that contradicts the catalogue, or that could not be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Trouble {
    photo: Option<String>,
    path: String,
    /// The properties that both sides changed.
    properties: Vec<&'static str>,
    reason: Option<String>,
}

/// What was written.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    written: u64,
    taken: u64,
    conflicts: Vec<Trouble>,
    failed: Vec<Trouble>,
}

impl Kept {
    fn of(report: SidecarReport) -> Self {
        let conflict = |c: lightfast_import::SidecarConflict| Trouble {
            photo: Some(c.photo.to_string()),
            path: c.path.shown(),
            properties: c.properties,
            reason: None,
        };
        let failed = |(path, reason): (lightfast_model::BytePath, String)| Trouble {
            photo: None,
            path: path.shown(),
            properties: Vec::new(),
            reason: Some(reason),
        };
        Self {
            written: report.written,
            taken: report.taken.len() as u64,
            conflicts: report.conflicts.into_iter().take(NAMED).map(conflict).collect(),
            failed: report.failed.into_iter().take(NAMED).map(failed).collect(),
        }
    }
}

/// Writes what is due whenever something was marked, for as long as it is polled.
pub(crate) async fn keep(app: App) {
    loop {
        app.due.notified().await;
        tokio::time::sleep(GATHER).await;
        let library = app.library.clone();
        let done = tokio::task::spawn_blocking(move || library.follow_here()).await;
        match done {
            Ok(Ok(Some(kept))) if kept.conflicts.is_empty() && kept.failed.is_empty() => {}
            Ok(Ok(Some(kept))) => app.live.tell("sidecars", &kept),
            Ok(Ok(None)) => {}
            Ok(Err(problem)) => app.live.tell("sidecars", &problem.as_json()),
            Err(error) => app.live.tell("sidecars", &Problem::internal(error).as_json()),
        }
    }
}

impl Library {
    /// Writes sidecars and journal, where there is a library.
    fn follow_here(&self) -> Answer<Option<Kept>> {
        self.keeping_here(|catalog, folder, now| {
            let report = write_sidecars(catalog, folder, self.options.sidecars, now)?;
            write_journal(catalog, folder)?;
            Ok(Kept::of(report))
        })
    }

    /// Does something to the files of the library that belong to the catalogue, by a connection of its own.
    pub(crate) fn keeping_here<T>(
        &self,
        act: impl FnOnce(&mut Catalog, &Folder, Timestamp) -> Result<T, KeepError>,
    ) -> Answer<Option<T>> {
        let found = Folder::find(self.folder()).map_err(|error| Problem::internal(error.to_string()))?;
        let Some(folder) = found else { return Ok(None) };
        let mut catalog = Catalog::open(&self.options.place).map_err(trouble)?;
        catalog.set_zone(self.options.zone.clone());
        let now = (self.options.now)();
        act(&mut catalog, &folder, now).map(Some).map_err(|error| match error {
            KeepError::Catalog(error) => trouble(error),
            other => Problem::internal(other.to_string()),
        })
    }
}

/// Which side is right.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Neither,
    Ours,
    Theirs,
}

/// Photos whose conflict is settled; with `neither`, it is only named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settle {
    rows: String,
    keep: Side,
}

/// `POST /api/conflicts`.
pub(crate) async fn settle(State(app): State<App>, Body(wish): Body<Settle>) -> Answer<Json<Kept>> {
    let rows: Vec<i64> = parse_rows(&wish.rows, MOST)?.into_iter().map(i64::from).collect();
    let keep = match wish.keep {
        Side::Neither => Keep::Neither,
        Side::Ours => Keep::Ours,
        Side::Theirs => Keep::Theirs,
    };
    let settings = SidecarSettings { keep, ..app.library.options.sidecars };
    let library = app.library.clone();
    let done = tokio::task::spawn_blocking(move || {
        library.keeping_here(|catalog, folder, now| {
            let report = lightfast_import::settle_sidecars(catalog, folder, &rows, settings, now)?;
            write_journal(catalog, folder)?;
            Ok((Kept::of(report), catalog.revision()?))
        })
    });
    let done = done.await.map_err(Problem::internal)??;
    let (kept, revision) = done.ok_or_else(|| Problem::missing("there is no library yet"))?;
    app.live.changed(revision);
    Ok(Json(kept))
}

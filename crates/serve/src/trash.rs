//! The trash: photos put away, looked at, brought back, and deleted only where another proven copy stands, unless the
//! person insists.

use axum::Json;
use axum::extract::State;
use lightfast_catalog::Query;
use lightfast_import::{PutAway, bring_back, empty, put_away};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::extract::Body;
use crate::index::parse_rows;
use crate::marks::MOST;
use crate::problem::{Answer, Problem};

/// Names of files in one answer.
const NAMED: usize = 100;

/// A file that stayed where it was.
#[derive(Debug, Serialize)]
struct Stayed {
    path: String,
    reason: String,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Done {
    photos: u64,
    files: u64,
    bytes: u64,
    stayed: Vec<Stayed>,
    revision: i64,
}

impl Done {
    fn of(done: PutAway, revision: i64) -> Self {
        let stayed = |(path, reason): (lightfast_model::BytePath, String)| Stayed { path: path.shown(), reason };
        Self {
            photos: done.photos,
            files: done.files,
            bytes: 0,
            stayed: done.failed.into_iter().take(NAMED).map(stayed).collect(),
            revision,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Put,
    Restore,
}

/// Photos to put away or to bring back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    rows: String,
    #[serde(rename = "do")]
    what: What,
}

/// `POST /api/trash`.
pub(crate) async fn change(State(app): State<App>, Body(wish): Body<Wish>) -> Answer<Json<Done>> {
    let rows = parse_rows(&wish.rows, MOST)?;
    let library = app.library.clone();
    let done = tokio::task::spawn_blocking(move || {
        library.keeping_here(|catalog, folder, now| {
            let query = Query::of_rows(rows);
            let done = match wish.what {
                What::Put => put_away(catalog, folder, &query, now)?,
                What::Restore => bring_back(catalog, folder, &query, now)?,
            };
            Ok(Done::of(done, catalog.revision()?))
        })
    });
    answer(&app, done.await.map_err(Problem::internal)??)
}

/// Whether also files go of which there is no other proven copy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {
    last_copies: bool,
}

/// `POST /api/trash/empty`.
pub(crate) async fn delete(State(app): State<App>, Body(wish): Body<Empty>) -> Answer<Json<Done>> {
    let library = app.library.clone();
    let done = tokio::task::spawn_blocking(move || {
        library.keeping_here(|catalog, folder, now| {
            let all = empty(catalog, folder, wish.last_copies, now)?;
            let (gone, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.kept.is_none());
            let stayed = |file: lightfast_import::Emptied| Stayed {
                path: file.home.shown(),
                reason: file.kept.unwrap_or_default(),
            };
            Ok(Done {
                photos: 0,
                files: gone.len() as u64,
                bytes: gone.iter().map(|file| file.bytes).sum(),
                stayed: kept.into_iter().take(NAMED).map(stayed).collect(),
                revision: catalog.revision()?,
            })
        })
    });
    answer(&app, done.await.map_err(Problem::internal)??)
}

fn answer(app: &App, done: Option<Done>) -> Answer<Json<Done>> {
    let done = done.ok_or_else(|| Problem::missing("there is no library yet"))?;
    app.live.changed(done.revision);
    Ok(Json(done))
}

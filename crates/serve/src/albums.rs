//! Albums: chosen by hand and ordered, or a search with a name. What photos are in one is a mark like others.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use lightfast_catalog::{Catalog, CatalogError, Query};

use crate::App;
use crate::extract::{Body, Path};
use crate::index::parse_rows;
use crate::marks::{Done, MOST, answer, told};
use crate::problem::{Answer, Problem};

/// Characters of a name or search.
const LONGEST: usize = 1000;
/// Photos that are moved at once within an album.
const MOST_MOVED: usize = 10_000;

#[derive(Debug, Serialize)]
pub(crate) struct Album {
    id: i64,
    name: String,
    query: Option<String>,
    photos: u64,
}

/// `GET /api/albums`.
pub(crate) async fn list(State(app): State<App>) -> Answer<Json<Vec<Album>>> {
    let albums = app.library.read(Catalog::albums).await?;
    let album = |a: lightfast_catalog::Album| Album { id: a.id, name: a.name, query: a.query, photos: a.photos };
    Ok(Json(albums.into_iter().map(album).collect()))
}

/// A new album; with `q` it is a saved search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct New {
    name: String,
    q: Option<String>,
}

/// `POST /api/albums`.
pub(crate) async fn create(State(app): State<App>, Body(wish): Body<New>) -> Answer<Json<Value>> {
    let New { name, q } = wish;
    check(&name)?;
    if let Some(q) = &q {
        // A search that is none is not kept.
        app.library.query(q)?;
    }
    let made = app.library.write(move |catalog, now| {
        let id = catalog.create_album(&name, q.as_deref(), now)?;
        Ok((id, catalog.revision()?))
    });
    let (id, revision) = made.await?;
    app.live.changed(revision);
    app.due.notify_one();
    id.map(|id| Json(json!({ "id": id }))).ok_or_else(taken)
}

/// A new name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    name: String,
}

/// `PATCH /api/albums/{id}`.
pub(crate) async fn rename(State(app): State<App>, Path(id): Path<i64>, Body(wish): Body<Name>) -> Answer<Json<Value>> {
    let Name { name } = wish;
    check(&name)?;
    change(&app, move |catalog| catalog.rename_album(id, &name), taken).await
}

/// `DELETE /api/albums/{id}`: the album, not its photos.
pub(crate) async fn delete(State(app): State<App>, Path(id): Path<i64>) -> Answer<Json<Value>> {
    change(&app, move |catalog| catalog.delete_album(id), gone).await
}

/// Photos to put in or take out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Put {
    rows: String,
    put: bool,
}

/// `POST /api/albums/{id}/photos`.
pub(crate) async fn photos(State(app): State<App>, Path(id): Path<i64>, Body(wish): Body<Put>) -> Answer<Json<Done>> {
    let Put { rows, put } = wish;
    let rows = parse_rows(&rows, MOST)?;
    let done = app.library.write(move |catalog, now| {
        let outcome = catalog.album_photos(id, &Query::of_rows(rows), put, now)?;
        answer(catalog, &outcome)
    });
    told(&app, done.await?)
}

/// Photos to move within an album.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    rows: String,
    before: Option<u32>,
}

/// `POST /api/albums/{id}/order`.
pub(crate) async fn order(State(app): State<App>, Path(id): Path<i64>, Body(wish): Body<Order>) -> Answer<Json<Value>> {
    let Order { rows, before } = wish;
    let rows = parse_rows(&rows, MOST_MOVED)?;
    change(&app, move |catalog| catalog.arrange_album(id, &rows, before), gone).await
}

async fn change(
    app: &App,
    act: impl FnOnce(&mut Catalog) -> Result<bool, CatalogError> + Send + 'static,
    refusal: fn() -> Problem,
) -> Answer<Json<Value>> {
    let (did, revision) = app.library.write(move |catalog, _| Ok((act(catalog)?, catalog.revision()?))).await?;
    app.live.changed(revision);
    app.due.notify_one();
    if did { Ok(Json(json!({}))) } else { Err(refusal()) }
}

fn check(name: &str) -> Answer<()> {
    if name.trim().is_empty() || name.len() > LONGEST {
        return Err(Problem::bad("an album has a name of at most 1000 characters"));
    }
    Ok(())
}

fn taken() -> Problem {
    Problem::new(StatusCode::CONFLICT, "there is an album of that name").hint("give it another name")
}

fn gone() -> Problem {
    Problem::missing("there is no such album, or none of these photos is in it")
}

//! What is known: of the library, of single photos, and what there is of each kind.

use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use lightfast_catalog::{Catalog, CatalogError, Count, LocatedPreviews};
use lightfast_model::{BytePath, Orientation, Photo, PhotoId};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::extract::{Parameters, Path};
use crate::index::parse_rows;
use crate::library::Library;
use crate::media::{self, Located};
use crate::problem::{Answer, Problem};

/// Photos in one answer.
const MOST: usize = 200;
/// Imports in one answer.
const IMPORTS: u32 = 50;

#[derive(Debug, Serialize)]
pub(crate) struct LibraryFacts {
    name: String,
    path: String,
    epoch: String,
    photos: u64,
    revision: i64,
    roots: Vec<RootFacts>,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct RootFacts {
    id: String,
    path: String,
    online: bool,
}

/// `GET /api/library`.
pub(crate) async fn library(State(app): State<App>) -> Answer<Json<LibraryFacts>> {
    let epoch = app.library.epoch().await?;
    let library = app.library.clone();
    let facts = tokio::task::spawn_blocking(move || facts(&library, epoch)).await.map_err(Problem::internal)??;
    Ok(Json(facts))
}

fn facts(library: &Library, epoch: String) -> Answer<LibraryFacts> {
    let (photos, revision) =
        library.read_here(|catalog| Ok((catalog.count(&lightfast_catalog::Query::all())?, catalog.revision()?)))?;
    let root = |root: lightfast_catalog::Root| RootFacts {
        online: root.path.as_path().is_dir(),
        path: root.path.shown(),
        id: root.uuid,
    };
    let folder = library.folder();
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    Ok(LibraryFacts {
        name: BytePath::from(PathBuf::from(name)).shown(),
        path: BytePath::from(folder).shown(),
        epoch,
        photos,
        revision,
        roots: library.roots_here()?.into_iter().map(root).collect(),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// A photo with what the page needs to show it.
#[derive(Debug, Serialize)]
pub(crate) struct Details {
    row: u32,
    photo: Photo,
    turned: u8,
    fit: Option<LevelFacts>,
    full: Option<LevelFacts>,
    rendered: Option<LevelFacts>,
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct LevelFacts {
    orientation: u8,
    width: u32,
    height: u32,
}

impl Details {
    fn of(row: u32, photo: Photo, previews: &[LocatedPreviews], can_make: bool) -> Self {
        let level = |l: &Located, upright: bool| LevelFacts {
            orientation: if upright { Orientation::UPRIGHT } else { l.preview.orientation }.value(),
            width: l.preview.width,
            height: l.preview.height,
        };
        let fit = Located::fit(previews, can_make);
        Self {
            row,
            turned: previews.first().map_or(0, |p| p.turned),
            reason: fit.is_none().then(|| media::why_no_preview(&photo)),
            fit: fit.map(|(l, made)| level(&l, made)),
            full: Located::largest(previews).map(|l| level(&l, false)),
            rendered: rendered_level(&photo).filter(|_| can_make),
            photo,
        }
    }
}

/// The rendered 1:1 of a photo with a RAW, which is made where it is not there yet; upright, of the size as shown.
fn rendered_level(photo: &Photo) -> Option<LevelFacts> {
    crate::rendered::raw_of(photo)?;
    let (width, height) = photo.width.zip(photo.height)?;
    Some(LevelFacts { orientation: Orientation::UPRIGHT.value(), width, height })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    rows: String,
}

/// `GET /api/photos?rows=3-5,9`: what is known of these, in the order asked; those that are gone are left out.
pub(crate) async fn photos(
    State(app): State<App>,
    Parameters(Rows { rows }): Parameters<Rows>,
) -> Answer<Json<Vec<Details>>> {
    let rows = parse_rows(&rows, MOST)?;
    let can_make = app.pool.is_some();
    let found = app.library.read(move |catalog| {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let photo = media::look(catalog, row)?;
            found.extend(photo.map(|(photo, previews)| Details::of(row, photo, &previews, can_make)));
        }
        Ok::<_, CatalogError>(found)
    });
    Ok(Json(found.await?))
}

/// `GET /api/photo/{id}`: one photo by its lasting id.
pub(crate) async fn photo(State(app): State<App>, Path(id): Path<String>) -> Answer<Json<Details>> {
    let gone = || Problem::missing("there is no photo of that id");
    let id = PhotoId::parse(&id).ok_or_else(gone)?;
    let can_make = app.pool.is_some();
    let found = app.library.read(move |catalog| {
        let Some(row) = catalog.row_of_photo(&id)? else { return Ok(None) };
        Ok(media::look(catalog, row)?.map(|(photo, previews)| Details::of(row, photo, &previews, can_make)))
    });
    found.await?.map(Json).ok_or_else(gone)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    #[serde(default)]
    q: String,
}

#[derive(Debug, Serialize)]
struct Counted {
    value: String,
    count: u64,
}

#[derive(Debug, Serialize)]
struct ImportFacts {
    id: i64,
    card: String,
    job: Option<String>,
    started: String,
    ended: Option<String>,
    copied: Option<u64>,
    safe: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FacetsFacts {
    months: Vec<Counted>,
    cameras: Vec<Counted>,
    lenses: Vec<Counted>,
    keywords: Vec<Counted>,
    imports: Vec<ImportFacts>,
}

/// `GET /api/facets?q=`: what there is of the photos that match, and the latest imports.
pub(crate) async fn facets(State(app): State<App>, Parameters(asked): Parameters<Asked>) -> Answer<Json<FacetsFacts>> {
    let query = app.library.query(&asked.q)?;
    let counted = |counts: Vec<Count>| -> Vec<Counted> {
        counts.into_iter().map(|Count { value, photos }| Counted { value, count: photos }).collect()
    };
    let library = app.library.clone();
    let found = app.library.read(move |catalog| {
        let facets = library.columns.facets(catalog, &query)?;
        Ok(FacetsFacts {
            months: counted(facets.months),
            cameras: counted(facets.cameras),
            lenses: counted(facets.lenses),
            keywords: counted(facets.keywords),
            imports: imports(catalog)?,
        })
    });
    Ok(Json(found.await?))
}

fn imports(catalog: &Catalog) -> Result<Vec<ImportFacts>, CatalogError> {
    let sessions = catalog.sessions(Some(IMPORTS))?;
    Ok(sessions
        .into_iter()
        .map(|s| ImportFacts {
            id: s.id.0,
            // A folder that is no card goes by its own name.
            card: s
                .card_label
                .or_else(|| s.source.as_path().file_name().map(|n| n.to_string_lossy().into_owned()))
                .unwrap_or(s.card),
            job: s.job,
            started: s.started.to_string(),
            ended: s.ended.map(|at| at.to_string()),
            copied: s.counts.map(|c| c.copied),
            safe: s.safe,
        })
        .collect())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Under {
    #[serde(default)]
    under: String,
}

/// `GET /api/folders?under=2009`: folders of the library, one level.
pub(crate) async fn folders(
    State(app): State<App>,
    Parameters(Under { under }): Parameters<Under>,
) -> Answer<Json<Vec<String>>> {
    let own = app.library.folder().to_owned();
    let library = app.library.clone();
    let roots = tokio::task::spawn_blocking(move || library.roots_here()).await.map_err(Problem::internal)??;
    let Some(root) = roots.into_iter().find(|root| root.path.as_path() == own) else { return Ok(Json(Vec::new())) };
    let under = BytePath::from_bytes(under.as_bytes());
    let found = app.library.read(move |catalog| catalog.folders(root.id, &under)).await?;
    // A name that is not UTF-8 cannot be asked for by this page.
    Ok(Json(found.iter().filter_map(|path| path.as_path().to_str().map(str::to_owned)).collect()))
}

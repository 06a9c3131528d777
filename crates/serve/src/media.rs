//! Pictures and clips by row number: thumbnail, fit, the camera's 1:1, originals.
//!
//! Every address carries the epoch of the catalogue, so that it means the same bytes for ever and a browser need
//! not ask twice. The camera's 1:1 is streamed out of the RAW where it lies: no copy, no decoding here. What must
//! be decoded (a thumbnail that is missing, a fit of a large JPEG) is done by the worker process.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use lightfast_catalog::{Catalog, LocatedPreviews};
use lightfast_import::THUMBNAIL_EDGE;
use lightfast_model::{ContentHash, Photo, PhotoFile, PhotoKind, Preview, PreviewSource, Role};
use lightfast_worker::{Pool, PoolJob, Task};

use tokio::sync::OwnedSemaphorePermit;

use crate::App;
use crate::extract::Path;
use crate::library::Library;
use crate::problem::{Answer, Problem};
use crate::slice::{self, Label, Slice};

/// Long sides of fit pictures that may be asked for: what a screen needs, and few enough to be kept.
const FIT_EDGES: [u32; 3] = [1280, 1920, 2560];
/// An embedded JPEG of this long side is a fit picture as it is.
const FIT_ENOUGH: std::ops::RangeInclusive<u32> = 1600..=3200;
/// Bytes of made fit pictures that are kept; the browser keeps its own.
const FIT_KEPT: usize = 48 * 1024 * 1024;

/// Of which content, and how large.
type Made = (ContentHash, u32);

/// Made fit pictures, the latest last.
#[derive(Debug, Default)]
pub(crate) struct FitCache {
    kept: Mutex<VecDeque<(Made, Bytes)>>,
}

impl FitCache {
    fn get(&self, made: &Made) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == made).map(|(_, bytes)| bytes.clone())
    }

    fn put(&self, made: Made, jpeg: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((made, jpeg));
        let mut total: usize = kept.iter().map(|(_, bytes)| bytes.len()).sum();
        while total > FIT_KEPT && kept.len() > 1 {
            total -= kept.pop_front().map_or(0, |(_, bytes)| bytes.len());
        }
    }
}

/// One preview and the file that it lies in.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) file: LocatedPreviews,
    pub(crate) preview: Preview,
}

impl Located {
    fn all(previews: &[LocatedPreviews]) -> impl Iterator<Item = Self> {
        previews.iter().flat_map(|file| file.previews.iter().map(|p| Self { file: file.clone(), preview: *p }))
    }

    /// The largest; of equals, the most primary file's.
    pub(crate) fn largest(previews: &[LocatedPreviews]) -> Option<Self> {
        Self::all(previews).reduce(|a, b| if b.preview.long_edge() > a.preview.long_edge() { b } else { a })
    }

    /// Whether no browser would show its bytes as they are.
    fn needs_decoder(&self) -> bool {
        self.preview.source == PreviewSource::Heif
    }

    /// What a fit picture comes from, and whether it must be made.
    pub(crate) fn fit(previews: &[LocatedPreviews], can_make: bool) -> Option<(Self, bool)> {
        let as_it_is = Self::all(previews)
            .filter(|l| !l.needs_decoder() && FIT_ENOUGH.contains(&l.preview.long_edge()))
            .min_by_key(|l| l.preview.long_edge());
        match as_it_is {
            Some(located) => Some((located, false)),
            None => {
                let largest = Self::largest(previews)?;
                let make = largest.needs_decoder() || largest.preview.long_edge() > *FIT_ENOUGH.end();
                (can_make || !largest.needs_decoder()).then_some((largest, make && can_make))
            }
        }
    }

    /// The smallest that a thumbnail can be made of; else the largest.
    fn for_thumbnail(previews: &[LocatedPreviews]) -> Option<Self> {
        let enough = Self::all(previews).filter(|l| l.preview.long_edge() >= THUMBNAIL_EDGE);
        enough.min_by_key(|l| l.preview.long_edge()).or_else(|| Self::largest(previews))
    }

    fn slice(&self, library: &Library) -> Answer<Slice> {
        let path = library.find_here(&self.file.copies)?;
        Ok(match self.preview.source {
            PreviewSource::WholeFile | PreviewSource::Heif => Slice { path, offset: 0, length: None },
            PreviewSource::Jpeg => Slice { path, offset: self.preview.offset, length: Some(self.preview.length) },
        })
    }
}

/// What was asked for: the catalogue's epoch and a row.
type Asked = Path<(String, u32)>;

/// `GET /media/{epoch}/{row}/thumbnail`.
pub(crate) async fn thumbnail(State(app): State<App>, Path((epoch, row)): Asked, request: HeaderMap) -> Answer {
    app.check_epoch(&epoch).await?;
    let library = app.library.clone();
    let kept =
        tokio::task::spawn_blocking(move || kept_thumbnail(&library, row)).await.map_err(Problem::internal)??;
    let (hash, jpeg) = match kept {
        Some(kept) => kept,
        None => make_thumbnail(&app, row).await?,
    };
    let label = Label { kind: "image/jpeg", tag: format!("t{}", short(&hash)), immutable: true };
    Ok(slice::bytes(jpeg, &label, &request))
}

fn kept_thumbnail(library: &Library, row: u32) -> Answer<Option<(ContentHash, Vec<u8>)>> {
    let contents = library.read_here(|catalog| catalog.contents_of_row(row))?;
    if contents.is_empty() {
        return Err(Problem::missing("there is no such photo"));
    }
    library.thumbnails_here(|store| {
        for hash in contents {
            if let Some(found) = store.get(&hash)? {
                return Ok(Some((hash, found.jpeg)));
            }
        }
        Ok(None)
    })
}

async fn make_thumbnail(app: &App, row: u32) -> Answer<(ContentHash, Vec<u8>)> {
    let (_, previews) = find(app, row).await?;
    let Some(located) = Located::for_thumbnail(&previews) else { return Err(no_preview()) };
    let task = Task::Thumbnail { orientation: located.preview.orientation, edge: THUMBNAIL_EDGE };
    let hash = located.file.hash;
    let picture = made(app, located, task, Wanted::Now).await?;
    let library = app.library.clone();
    let stored = tokio::task::spawn_blocking(move || {
        // A cache: one that cannot be written is none.
        let _ = library.thumbnails_here(|s| s.put(&[(hash, &picture.jpeg, picture.width, picture.height)]));
        picture.jpeg
    });
    Ok((hash, stored.await.map_err(Problem::internal)?))
}

/// `GET /media/{epoch}/{row}/fit/{edge}`.
pub(crate) async fn fit(
    State(app): State<App>,
    Path((epoch, row, edge)): Path<(String, u32, u32)>,
    request: HeaderMap,
) -> Answer {
    app.check_epoch(&epoch).await?;
    if !FIT_EDGES.contains(&edge) {
        return Err(Problem::missing("a fit picture has a long side of 1280, 1920 or 2560 pixels"));
    }
    let (photo, previews) = find(&app, row).await?;
    let wanted = Wanted::of(&request);
    if wanted == Wanted::Now {
        app.rendered.looked_at(&photo);
    }
    let Some((located, make)) = Located::fit(&previews, app.pool.is_some()) else { return Err(no_preview()) };
    if !make {
        return stream(&app, located, &request).await;
    }
    let hash = located.file.hash;
    let jpeg = match app.fits.get(&(hash, edge)) {
        Some(jpeg) => jpeg,
        None => {
            let task = Task::Fit { orientation: located.preview.orientation, edge };
            let jpeg = Bytes::from(made(&app, located, task, wanted).await?.jpeg);
            app.fits.put((hash, edge), jpeg.clone());
            jpeg
        }
    };
    let label = Label { kind: "image/jpeg", tag: format!("f{edge}-{}", short(&hash)), immutable: true };
    Ok(slice::bytes(jpeg, &label, &request))
}

/// `GET /media/{epoch}/{row}/full`: the camera's own 1:1.
pub(crate) async fn full(State(app): State<App>, Path((epoch, row)): Asked, request: HeaderMap) -> Answer {
    app.check_epoch(&epoch).await?;
    let (photo, previews) = find(&app, row).await?;
    app.rendered.looked_at(&photo);
    let located = Located::largest(&previews).ok_or_else(no_preview)?;
    if !located.needs_decoder() {
        return stream(&app, located, &request).await;
    }
    let tag = format!("h{}", short(&located.file.hash));
    let task = Task::Fit { orientation: located.preview.orientation, edge: u32::MAX };
    let jpeg = made(&app, located, task, Wanted::Now).await?.jpeg;
    Ok(slice::bytes(jpeg, &Label { kind: "image/jpeg", tag, immutable: true }, &request))
}

async fn stream(app: &App, located: Located, request: &HeaderMap) -> Answer {
    let tag = format!("p{}-{}", short(&located.file.hash), located.preview.offset);
    let library = app.library.clone();
    let slice = tokio::task::spawn_blocking(move || located.slice(&library)).await.map_err(Problem::internal)??;
    slice::file(slice, &Label { kind: "image/jpeg", tag, immutable: true }, request).await
}

/// `GET /media/{epoch}/{row}/original/{n}`: one of the photo's files, as it is.
pub(crate) async fn original(
    State(app): State<App>,
    Path((epoch, row, n)): Path<(String, u32, usize)>,
    request: HeaderMap,
) -> Answer {
    app.check_epoch(&epoch).await?;
    let (photo, _) = find(&app, row).await?;
    let (path, file) = locate(&app, photo, n).await?;
    let kind = content_type(file.role, &file.copies.first().map(|copy| copy.path.0.clone()).unwrap_or_default());
    let label = Label { kind, tag: format!("o{}", file.hash.hex()), immutable: true };
    slice::file(Slice { path, offset: 0, length: Some(file.bytes) }, &label, &request).await
}

/// Where one of a photo's files lies now, and what it is.
pub(crate) async fn locate(app: &App, photo: Photo, n: usize) -> Answer<(PathBuf, PhotoFile)> {
    let file = photo.files.into_iter().nth(n).ok_or_else(|| Problem::missing("the photo has no such file"))?;
    let library = app.library.clone();
    let found = tokio::task::spawn_blocking(move || {
        let roots = library.roots_here()?;
        let at = |copy: &lightfast_model::Copy| {
            let root = roots.iter().find(|root| root.uuid == copy.root)?;
            Some(lightfast_catalog::CopyAt {
                root: root.id,
                path: copy.path.clone(),
                size: file.bytes,
                mtime_ns: 0,
                verified: copy.verified,
            })
        };
        let path = library.find_here(&file.copies.iter().filter_map(at).collect::<Vec<_>>())?;
        Ok((path, file))
    });
    found.await.map_err(Problem::internal)?
}

/// A content type that a browser may act upon; whatever could carry a script is only bytes.
fn content_type(role: Role, name: &std::path::Path) -> &'static str {
    let suffix = name.extension().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match (role, suffix.as_str()) {
        // Browsers play what is in a MOV where they know the codec, and refuse its own type.
        (Role::Video, "mov" | "mp4" | "m4v") => "video/mp4",
        (Role::Video, "avi") => "video/x-msvideo",
        (Role::Video, "mts" | "m2ts") => "video/mp2t",
        (Role::Audio, "wav") => "audio/wav",
        (Role::Jpeg, _) | (Role::Thumbnail, "thm") => "image/jpeg",
        (Role::Heif, "avif") => "image/avif",
        (Role::Heif, _) => "image/heic",
        _ => "application/octet-stream",
    }
}

/// A photo and its previews by row number.
pub(crate) async fn find(app: &App, row: u32) -> Answer<(Photo, Vec<LocatedPreviews>)> {
    let found = app.library.read(move |catalog| look(catalog, row)).await?;
    found.ok_or_else(|| Problem::missing("there is no such photo"))
}

/// The same inside one look at the catalogue.
pub(crate) fn look(
    catalog: &Catalog,
    row: u32,
) -> Result<Option<(Photo, Vec<LocatedPreviews>)>, lightfast_catalog::CatalogError> {
    let Some(photo) = catalog.photos_of_rows(&[row])?.pop() else { return Ok(None) };
    let previews = catalog.previews_of(&photo.id)?;
    Ok(Some((photo, previews)))
}

/// Why a photo has nothing to be seen.
pub(crate) fn why_no_preview(photo: &Photo) -> &'static str {
    match photo.kind {
        PhotoKind::Video => "a clip without a picture beside it",
        PhotoKind::Photo => "no JPEG lies inside this file, and it has not been rendered",
    }
}

fn no_preview() -> Problem {
    Problem::missing("no JPEG lies inside this file, and it has not been rendered")
}

/// Whether somebody waits for a picture, or the page fetches it ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Now,
    Ahead,
}

impl Wanted {
    /// A page says `Purpose: prefetch`, as browsers did of their own prefetching.
    fn of(request: &HeaderMap) -> Self {
        if request.get("purpose").is_some_and(|purpose| purpose == "prefetch") { Self::Ahead } else { Self::Now }
    }
}

async fn made(app: &App, located: Located, task: Task, wanted: Wanted) -> Answer<lightfast_worker::Picture> {
    let library = app.library.clone();
    worked(app, move || located.slice(&library), task, wanted).await
}

/// Has a worker do something with a part of a file.
pub(crate) async fn worked(
    app: &App,
    slice: impl FnOnce() -> Answer<Slice> + Send + 'static,
    task: Task,
    wanted: Wanted,
) -> Answer<lightfast_worker::Picture> {
    let Some(pool) = app.pool.clone() else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "this preview was not made, and this server makes none"));
    };
    // Who waits here and goes away takes the wish along; what the workers have is what someone looks at now.
    let ahead = match wanted {
        Wanted::Ahead => Some(app.ahead.clone().acquire_owned().await.map_err(Problem::internal)?),
        Wanted::Now => None,
    };
    let turn = app.makers.clone().acquire_owned().await.map_err(Problem::internal)?;
    let (done, answer) = tokio::sync::oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let slice = slice()?;
        let cannot = |e: std::io::Error| Problem::internal(format_args!("the original cannot be read: {e}"));
        let file = File::open(&slice.path).map_err(cannot)?;
        let size = file.metadata().map_err(cannot)?.len();
        let length = slice.length.unwrap_or(size);
        let job = PoolJob { file: Arc::new(file), offset: slice.offset, length, task };
        submit(&pool, job, done, (turn, ahead));
        Ok(())
    })
    .await
    .map_err(Problem::internal)??;
    let picture = answer.await.map_err(|_| Problem::internal("the worker went away"))?;
    picture.map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))
}

type Done = tokio::sync::oneshot::Sender<Result<lightfast_worker::Picture, lightfast_worker::JobError>>;

/// A worker's turn, and that of what is fetched ahead; both end with the job, whether anybody still waits or not.
type Turns = (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

fn submit(pool: &Pool, job: PoolJob, done: Done, turns: Turns) {
    pool.submit(job, move |outcome| {
        drop(turns);
        // Nobody waits any more where the person has moved on.
        let _ = done.send(outcome);
    });
}

fn short(hash: &ContentHash) -> String {
    hash.hex().chars().take(24).collect()
}

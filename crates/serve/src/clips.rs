//! Clips that the browser has no decoder for: a copy that every browser plays, made by ffmpeg where it is installed.
//!
//! A copy is a cache (`previews/clips` beside the catalogue), named by the content it was made of, and whole or not
//! there: it gets its name when it is finished. One is made at a time. ffmpeg reads the clip as the container that it
//! is catalogued as and opens nothing else, so that a playlist in disguise leads nowhere; it is ended when it takes too long.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use lightfast_model::{ContentHash, Role};
use serde::Serialize;
use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::App;
use crate::extract::Path as Parts;
use crate::media;
use crate::problem::{Answer, Problem};
use crate::slice::{self, Label, Slice};

/// Long side of a copy.
const EDGE: u32 = 1280;
/// A copy that takes longer than this is given up.
const PATIENCE: Duration = Duration::from_secs(60 * 60);
/// Copies that wait to be made.
const MOST_WAITING: usize = 32;

/// Which demuxer reads which suffix.
const CONTAINERS: &[(&str, &str)] = &[
    ("mov", "mov"),
    ("mp4", "mov"),
    ("m4v", "mov"),
    ("insv", "mov"),
    ("360", "mov"),
    ("lrv", "mov"),
    ("avi", "avi"),
    ("mts", "mpegts"),
    ("m2ts", "mpegts"),
    ("mpg", "mpeg"),
];

/// The making of copies.
#[derive(Debug)]
pub(crate) struct Clips {
    ffmpeg: Option<PathBuf>,
    made: Mutex<HashMap<ContentHash, Making>>,
    one: Semaphore,
}

#[derive(Clone, Debug)]
enum Making {
    Under,
    Failed(String),
}

impl Clips {
    pub(crate) fn new(ffmpeg: Option<PathBuf>) -> Self {
        Self { ffmpeg, made: Mutex::default(), one: Semaphore::new(1) }
    }

    fn set(&self, hash: ContentHash, state: Option<Making>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match state {
            Some(state) => made.insert(hash, state),
            None => made.remove(&hash),
        };
    }

    /// Notes that a copy is being made; none where it already is, or where too many wait.
    fn begin(&self, hash: ContentHash) -> Answer<bool> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(made.get(&hash), Some(Making::Under)) {
            return Ok(false);
        }
        if made.values().filter(|m| matches!(m, Making::Under)).count() >= MOST_WAITING {
            return Err(Problem::new(
                axum::http::StatusCode::SERVICE_UNAVAILABLE,
                "too many clips wait to be converted",
            ));
        }
        made.insert(hash, Making::Under);
        Ok(true)
    }

    fn state(&self, hash: &ContentHash) -> Option<Making> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }
}

/// How far a copy is.
#[derive(Debug, Serialize)]
pub(crate) struct CopyFacts {
    state: &'static str,
    reason: Option<String>,
}

impl CopyFacts {
    fn of(state: &'static str) -> Json<Self> {
        Json(Self { state, reason: None })
    }

    fn impossible(reason: impl Into<String>) -> Json<Self> {
        Json(Self { state: "impossible", reason: Some(reason.into()) })
    }
}

struct Clip {
    hash: ContentHash,
    source: PathBuf,
    target: PathBuf,
}

async fn find(app: &App, row: u32) -> Answer<Clip> {
    let (photo, _) = media::find(app, row).await?;
    let n = photo.files.iter().position(|file| file.role == Role::Video);
    let n = n.ok_or_else(|| Problem::missing("this is no clip"))?;
    let hash = photo.files.get(n).map(|file| file.hash).ok_or_else(|| Problem::missing("this is no clip"))?;
    let (source, ..) = media::locate(app, photo, n).await?;
    let folder = app.library.options.place.dir().join("previews").join("clips");
    Ok(Clip { hash, source, target: folder.join(format!("{}.mp4", hash.hex())) })
}

/// `GET /media/{epoch}/{row}/playable`: the copy that was made.
pub(crate) async fn playable(
    State(app): State<App>,
    Parts((epoch, row)): Parts<(String, u32)>,
    request: HeaderMap,
) -> Answer {
    app.check_epoch(&epoch).await?;
    let clip = find(&app, row).await?;
    if !clip.target.is_file() {
        return Err(Problem::missing("this clip has not been converted"));
    }
    let label = Label { kind: "video/mp4", tag: format!("v{}", clip.hash.hex()), immutable: true };
    slice::file(Slice { path: clip.target, offset: 0, length: None }, &label, &request).await
}

/// `POST /api/clips/{row}`: begins to make a copy, or says how far it is.
pub(crate) async fn convert(State(app): State<App>, Parts(row): Parts<u32>) -> Answer<Json<CopyFacts>> {
    let clip = find(&app, row).await?;
    if clip.target.is_file() {
        return Ok(CopyFacts::of("ready"));
    }
    match app.clips.state(&clip.hash) {
        Some(Making::Under) => return Ok(CopyFacts::of("making")),
        Some(Making::Failed(reason)) => return Ok(CopyFacts::impossible(reason)),
        None => {}
    }
    let Some(program) = app.clips.ffmpeg.clone() else {
        return Ok(CopyFacts::impossible("this browser cannot play it, and ffmpeg is not installed to convert it"));
    };
    let suffix = clip.source.extension().map(|s| s.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let Some((_, container)) = CONTAINERS.iter().find(|(known, _)| *known == suffix) else {
        return Ok(CopyFacts::impossible(format!("clips of the kind {suffix} are not converted")));
    };
    if app.clips.begin(clip.hash)? {
        tokio::spawn(make(app.clips.clone(), program, container, clip));
    }
    Ok(CopyFacts::of("making"))
}

async fn make(clips: Arc<Clips>, program: PathBuf, container: &'static str, clip: Clip) {
    let _turn = clips.one.acquire().await;
    let made = transcode(&program, container, &clip).await;
    clips.set(clip.hash, made.err().map(Making::Failed));
}

async fn transcode(program: &Path, container: &str, clip: &Clip) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("the clip cannot be converted: {error}");
    let folder = clip.target.parent().unwrap_or(Path::new("/"));
    tokio::fs::create_dir_all(folder).await.map_err(cannot)?;
    let unfinished = clip.target.with_extension("unfinished");
    let scale = format!("scale='if(gt(iw,ih),min({EDGE},iw),-2)':'if(gt(iw,ih),-2,min({EDGE},ih))'");
    let mut command = Command::new(program);
    command.args(["-nostdin", "-hide_banner", "-v", "error", "-protocol_whitelist", "file", "-f", container, "-i"]);
    command.arg(&clip.source);
    command.args(["-map", "0:v:0", "-map", "0:a:0?", "-vf", &scale, "-c:v", "libx264", "-preset", "veryfast"]);
    command.args(["-crf", "23", "-pix_fmt", "yuv420p", "-c:a", "aac", "-map_metadata", "-1", "-threads", "2"]);
    command.args(["-movflags", "+faststart", "-f", "mp4", "-y"]).arg(&unfinished);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let ended = tokio::time::timeout(PATIENCE, command.output()).await;
    let result = match ended {
        Err(_) => Err("the clip takes too long to convert".to_owned()),
        Ok(Err(error)) => Err(cannot(error)),
        Ok(Ok(output)) if output.status.success() => {
            // A name appears with a whole file behind it, or not at all.
            tokio::fs::hard_link(&unfinished, &clip.target).await.map_err(cannot)
        }
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("the clip cannot be converted: {}", said.lines().last().unwrap_or("ffmpeg gave no reason")))
        }
    };
    let _ = tokio::fs::remove_file(&unfinished).await;
    result
}

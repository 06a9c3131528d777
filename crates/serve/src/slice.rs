//! Bytes of a file on their way out: the whole, a range, or the JPEG that lies inside a RAW.
//!
//! Nothing is copied to another file and nothing is mapped. Reads happen off the async threads, 256 KiB at a
//! time, one ahead of the network, so that a slow reader costs one buffer. The path comes from the catalogue,
//! never from the request; only regular files are opened, and never one that would block.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;

use crate::problem::{Answer, Problem};
use crate::range::{self, Asked};

const BLOCK: u64 = 256 * 1024;
/// `O_NONBLOCK` on Linux: opening a pipe that someone put in an original's place must not wait for a writer.
const NONBLOCK: i32 = 0o4000;

/// Where bytes lie.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The file.
    pub(crate) path: PathBuf,
    /// First byte.
    pub(crate) offset: u64,
    /// How many; `None` is up to the end of the file.
    pub(crate) length: Option<u64>,
}

/// How an answer is described to the browser.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// Its content type.
    pub(crate) kind: &'static str,
    /// A tag that changes whenever the bytes do, without quotes.
    pub(crate) tag: String,
    /// Whether this address will mean these bytes for ever.
    pub(crate) immutable: bool,
}

/// Answers with bytes that are in memory already.
pub(crate) fn bytes(content: impl Into<Bytes>, label: &Label, request: &HeaderMap) -> Response {
    if unchanged(label, request) {
        return describe(StatusCode::NOT_MODIFIED.into_response(), label);
    }
    describe(content.into().into_response(), label)
}

/// Answers with a slice of a file, or the part of it that the request asks for.
pub(crate) async fn file(slice: Slice, label: &Label, request: &HeaderMap) -> Answer {
    if unchanged(label, request) {
        return Ok(describe(StatusCode::NOT_MODIFIED.into_response(), label));
    }
    let Slice { path, offset, length } = slice;
    let opened = tokio::task::spawn_blocking(move || open(&path)).await.map_err(Problem::internal)?;
    let (file, on_disk) = opened.map_err(unreadable)?;
    let available = on_disk.saturating_sub(offset);
    let size = length.unwrap_or(available);
    if size > available {
        return Err(Problem::new(StatusCode::GONE, "the file is shorter than when it was catalogued")
            .hint("run `lightfast verify`"));
    }
    let same = request.get(IF_RANGE).is_none_or(|tag| tag.as_bytes() == quoted(label).as_bytes());
    let header = request.get(RANGE).filter(|_| same).and_then(|h| h.to_str().ok());
    let (status, start, length) = match range::parse(header, size) {
        Asked::Whole => (StatusCode::OK, 0, size),
        Asked::Part { start, length } => (StatusCode::PARTIAL_CONTENT, start, length),
        Asked::Outside => {
            let mut response =
                Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, "the range lies outside").into_response();
            insert(response.headers_mut(), CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok(response);
        }
    };
    let from = offset.saturating_add(start);
    let mut response = (status, body(Arc::new(file), from, from.saturating_add(length))).into_response();
    insert(response.headers_mut(), CONTENT_LENGTH, &length.to_string());
    if status == StatusCode::PARTIAL_CONTENT {
        let last = start.saturating_add(length).saturating_sub(1);
        insert(response.headers_mut(), CONTENT_RANGE, &format!("bytes {start}-{last}/{size}"));
    }
    Ok(describe(response, label))
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::options().read(true).custom_flags(NONBLOCK).open(path)?;
    let facts = file.metadata()?;
    if facts.is_file() { Ok((file, facts.len())) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

fn unreadable(error: io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::NotFound => Problem::new(StatusCode::GONE, "the original is not where it was")
            .hint("connect the disk it is on, or run `lightfast rescan`"),
        _ => Problem::internal(format_args!("the original cannot be read: {error}")),
    }
}

fn body(file: Arc<File>, from: u64, to: u64) -> Body {
    let blocks = stream::try_unfold((file, from), move |(file, at)| async move {
        if at >= to {
            return Ok(None);
        }
        let wanted = BLOCK.min(to - at) as usize;
        let read = tokio::task::spawn_blocking(move || {
            let mut block = vec![0; wanted];
            file.read_exact_at(&mut block, at).map(|()| (Bytes::from(block), file))
        });
        let (block, file) = read.await.map_err(io::Error::other)??;
        Ok::<_, io::Error>(Some((block, (file, at.saturating_add(wanted as u64)))))
    });
    Body::from_stream(blocks)
}

fn unchanged(label: &Label, request: &HeaderMap) -> bool {
    let tag = quoted(label);
    request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .any(|list| list.split(',').any(|seen| seen.trim().strip_prefix("W/").unwrap_or(seen.trim()) == tag))
}

fn quoted(label: &Label) -> String {
    format!("\"{}\"", label.tag)
}

fn describe(mut response: Response, label: &Label) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(label.kind));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    insert(headers, ETAG, &quoted(label));
    let cache = if label.immutable { "private, max-age=31536000, immutable" } else { "private, no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

fn insert(headers: &mut HeaderMap, name: axum::http::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

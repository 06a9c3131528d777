//! The app's own files, embedded when the program was built.
//!
//! Names under `assets/` carry a hash of their content, so a browser may keep them for ever; the page itself
//! is asked for again each time, by its tag. There is no path to a file of the disk here: a name is in the
//! table or it does not exist.

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

type File = (&'static str, &'static str, &'static str, &'static [u8]);
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/dist.rs"));

/// Answers with a file of the app; `/` is its page.
pub(crate) async fn serve(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address can only be read").into_response();
    }
    let path = request.uri().path().strip_prefix('/').unwrap_or_default();
    let path = if path.is_empty() { "index.html" } else { path };
    let Some((name, kind, tag, bytes)) = FILES.iter().find(|(name, ..)| *name == path) else {
        return Problem::missing("there is nothing at this address").into_response();
    };
    let tag = format!("\"{tag}\"");
    let cache = if name.starts_with("assets/") { "private, max-age=31536000, immutable" } else { "no-cache" };
    let known = request.headers().get(IF_NONE_MATCH).is_some_and(|seen| seen.as_bytes() == tag.as_bytes());
    let mut response = if known { StatusCode::NOT_MODIFIED.into_response() } else { (*bytes).into_response() };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    response
}

//! What a request gets when it cannot be answered: a status, one sentence, and what to do next.
//!
//! Every refusal of this server has this one shape, `{"error": {"what", "hint"}}`, so that the page can
//! always say something true. It never carries a path of the disk beyond what the catalogue shows anyway.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A refusal or a failure.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    #[serde(skip)]
    status: StatusCode,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Problem {
    /// A problem with its sentence: a lowercase fragment.
    pub(crate) fn new(status: StatusCode, what: impl Into<String>) -> Self {
        Self { status, what: what.into(), hint: None }
    }

    /// The request makes no sense.
    pub(crate) fn bad(what: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what)
    }

    /// There is no such thing.
    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what)
    }

    /// The fault is ours or the disk's.
    pub(crate) fn internal(what: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, what.to_string())
    }

    /// Adds what the person can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(serde_json::json!({ "error": self }))).into_response()
    }
}

/// What a handler gives back.
pub(crate) type Answer<T = Response> = Result<T, Problem>;

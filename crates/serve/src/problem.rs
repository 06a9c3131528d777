//! What a request gets when it cannot be answered: a status, one sentence, and what to do next.
//!
//! Every refusal of this server has this one shape, `{"error": {"what", "hint"}}`, so that the page can
//! always say something true. It never carries a path of the disk beyond what the catalogue shows anyway.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
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

    /// As a page gets it.
    pub(crate) fn as_json(&self) -> serde_json::Value {
        serde_json::json!({ "what": self.what, "hint": self.hint })
    }

    /// Adds what the person can do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same for a person in front of a browser: a page of two sentences, with nothing to load.
    pub(crate) fn into_page(self) -> Response {
        let sentence = |text: &str| {
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            escaped(&format!("{first}{}.", letters.as_str()))
        };
        let hint = self.hint.as_deref().map(|hint| format!("<p>{}", sentence(hint))).unwrap_or_default();
        let page = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=color-scheme content=\"dark light\">\
             <title>lightfast</title><h1>lightfast</h1><p>{}{hint}",
            sentence(&self.what),
        );
        (self.status, Html(page)).into_response()
    }
}

/// Text as HTML shows it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(serde_json::json!({ "error": self }))).into_response()
    }
}

/// What a handler gives back.
pub(crate) type Answer<T = Response> = Result<T, Problem>;

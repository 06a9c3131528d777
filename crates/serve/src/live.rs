//! Live events: what the server tells every open page, as server-sent events.
//!
//! One stream, bounded: a page that falls behind is told to read anew (`resync`) instead of being waited for.
//! The engine's own events pass through unchanged under the name `import`; the rest are hints that something
//! changed, never the change itself, so that a lost one costs nothing.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::App;
use crate::problem::Problem;

/// Pages that listen at once.
const MAX_LISTENERS: usize = 64;
/// Events kept for a page that is slow.
const BACKLOG: usize = 512;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One event on its way to the pages.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    name: &'static str,
    data: Arc<str>,
}

/// The channel to every page.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    sender: broadcast::Sender<Told>,
    listeners: Arc<AtomicUsize>,
    revision: Arc<AtomicI64>,
}

impl Live {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::channel(BACKLOG).0, listeners: Arc::default(), revision: Arc::default() }
    }

    /// Tells every page; nobody listening is fine.
    pub(crate) fn tell(&self, name: &'static str, data: &impl Serialize) {
        if let Ok(json) = serde_json::to_string(data) {
            let _ = self.sender.send(Told { name, data: json.into() });
        }
    }
}

impl Live {
    /// The catalogue has changed; each revision is told once.
    pub(crate) fn changed(&self, revision: i64) {
        if self.revision.swap(revision, Ordering::Relaxed) != revision {
            self.tell("changed", &serde_json::json!({ "revision": revision }));
        }
    }
}

/// Counts a listener as long as it lives.
struct Listening(Arc<AtomicUsize>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// `GET /api/events`.
pub(crate) async fn listen(State(app): State<App>) -> Response {
    let listening = Listening(app.live.listeners.clone());
    if listening.0.fetch_add(1, Ordering::Relaxed) >= MAX_LISTENERS {
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open")
            .hint("close some of them")
            .into_response();
    }
    let receiver = app.live.sender.subscribe();
    let hello = Told { name: "hello", data: "{}".into() };
    let events = stream::unfold((Some(hello), receiver, listening), |(hello, mut receiver, listening)| async move {
        let told = match hello {
            Some(hello) => hello,
            None => match receiver.recv().await {
                Ok(told) => told,
                Err(RecvError::Lagged(_)) => Told { name: "resync", data: "{}".into() },
                Err(RecvError::Closed) => return None,
            },
        };
        let event = Event::default().event(told.name).data(told.data.as_ref());
        Some((Ok::<_, Infallible>(event), (None, receiver, listening)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

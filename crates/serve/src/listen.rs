//! Connections: how many, for how long, and who goes first when there are too many.
//!
//! A stranger (a connection that has not yet sent the token) costs a little memory and nothing else. Only so
//! many strangers are kept; one more pushes out the one that has waited longest, so that a thousand slow
//! connections cannot keep the person out. Heads are limited in size, count of fields and time.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

/// Connections kept that have not shown the token yet.
pub const MAX_STRANGERS: usize = 64;
/// Connections kept in all.
pub const MAX_CONNECTIONS: usize = 512;
/// Bytes of a request's head.
pub const MAX_HEAD: usize = 64 * 1024;
const MAX_FIELDS: usize = 64;
const HEAD_TIME: Duration = Duration::from_secs(20);

/// One connection, as the door sees it.
#[derive(Debug)]
pub(crate) struct Connection {
    number: u64,
    strangers: Arc<Strangers>,
    out: Notify,
}

impl Connection {
    /// The token was right: this connection is not pushed out any more.
    pub(crate) fn prove(&self) {
        self.strangers.remove(self.number);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.strangers.remove(self.number);
    }
}

#[derive(Debug, Default)]
struct Strangers {
    next: AtomicU64,
    waiting: Mutex<BTreeMap<u64, std::sync::Weak<Connection>>>,
}

impl Strangers {
    fn admit(self: &Arc<Self>) -> Arc<Connection> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection { number, strangers: self.clone(), out: Notify::new() });
        let mut pushed_out = Vec::new();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(number, Arc::downgrade(&connection));
        while waiting.len() > MAX_STRANGERS {
            pushed_out.extend(waiting.pop_first());
        }
        drop(waiting);
        for (_, stranger) in pushed_out {
            if let Some(stranger) = stranger.upgrade() {
                stranger.out.notify_one();
            }
        }
        connection
    }

    fn remove(&self, number: u64) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }
}

/// Accepts connections until `stop` resolves, then lets the answers under way end for a moment.
pub(crate) async fn run(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) -> io::Result<()> {
    let strangers = Arc::new(Strangers::default());
    let mut connections = JoinSet::new();
    let stopped = Arc::new(Notify::new());
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if connections.len() < MAX_CONNECTIONS => {
                    connections.spawn(talk(stream, app.clone(), strangers.admit(), stopped.clone()));
                }
                Ok(_) => {}
                // Out of descriptors: wait for some to come back instead of spinning.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
    stopped.notify_waiters();
    let _ =
        tokio::time::timeout(Duration::from_secs(2), async { while connections.join_next().await.is_some() {} }).await;
    Ok(())
}

async fn talk(stream: TcpStream, app: Router, connection: Arc<Connection>, stopped: Arc<Notify>) {
    let _ = stream.set_nodelay(true);
    let known = connection.clone();
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(known.clone());
        let app = app.clone();
        async move { Ok::<_, Infallible>(app.oneshot(request.map(Body::new)).await.unwrap_or_else(|never| match never {})) }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD).max_headers(MAX_FIELDS);
    let talking = http.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(talking);
    tokio::select! {
        _ = talking.as_mut() => {}
        () = connection.out.notified() => {}
        () = stopped.notified() => {
            talking.as_mut().graceful_shutdown();
            let _ = talking.await;
        }
    }
}

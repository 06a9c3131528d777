//! The server as a whole: bound, described by its address, then run until told to stop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, patch, post};
use lightfast_worker::Pool;
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};

use crate::clips::{self, Clips};
use crate::guard::{self, Guard};
use crate::imports::{self, Imports};
use crate::library::{Library, LibraryOptions};
use crate::live::{self, Live};
use crate::media::{self, FitCache};
use crate::origin::Names;
use crate::problem::{Answer, Problem};
use crate::rendered::{self, Builder, Rendered};
use crate::token::Token;
use crate::{albums, assets, index, keep, listen, marks, openapi, photos, stacks, trash, watch};

/// Bytes of a request's body.
pub const MAX_BODY: usize = 1024 * 1024;
/// Time for an answer to begin; a body that comes more slowly is given up.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// Workers that decode for the page.
const WORKERS: usize = 2;

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub bind: SocketAddr,
    /// The secret of this run.
    pub token: Token,
    /// The library that is served.
    pub library: LibraryOptions,
}

/// Why the server could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not ours.
    #[error("listen on {address}: {source}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
    /// The system would not give threads or a socket.
    #[error("run the server: {0}")]
    Run(#[source] io::Error),
}

/// What every handler may reach.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) library: Arc<Library>,
    pub(crate) live: Live,
    pub(crate) fits: Arc<FitCache>,
    pub(crate) imports: Arc<Imports>,
    pub(crate) clips: Arc<Clips>,
    pub(crate) rendered: Arc<Rendered>,
    /// Told when sidecars or the journal have something to follow.
    pub(crate) due: Arc<Notify>,
    pub(crate) pool: Option<Arc<Pool>>,
    /// As many turns as there are workers.
    pub(crate) makers: Arc<Semaphore>,
    /// One turn fewer, for what is fetched ahead: who looks at a photo now finds a worker free.
    pub(crate) ahead: Arc<Semaphore>,
}

impl App {
    fn new(options: LibraryOptions) -> Self {
        let pool = options.worker.as_ref().map(|worker| Arc::new(Pool::new(worker, WORKERS)));
        Self {
            clips: Arc::new(Clips::new(options.ffmpeg.clone())),
            library: Library::new(options),
            live: Live::new(),
            fits: Arc::default(),
            imports: Arc::default(),
            rendered: Arc::default(),
            due: Arc::default(),
            pool,
            makers: Arc::new(Semaphore::new(WORKERS)),
            ahead: Arc::new(Semaphore::new(WORKERS - 1)),
        }
    }

    /// Refuses an address that was made for another catalogue.
    pub(crate) async fn check_epoch(&self, epoch: &str) -> Answer<()> {
        if self.library.epoch().await? == epoch {
            return Ok(());
        }
        Err(Problem::new(StatusCode::GONE, "the catalogue was made anew").hint("load the page again"))
    }
}

/// A server that has its address and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    app: App,
}

impl Server {
    /// Takes the address.
    pub async fn bind(options: Options) -> Result<Self, ServeError> {
        let bind = |source| ServeError::Bind { address: options.bind, source };
        let listener = TcpListener::bind(options.bind).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        Ok(Self { listener, address, token: options.token, app: App::new(options.library) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with its token.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => format!("127.0.0.1:{}", self.address.port()),
            _ => self.address.to_string(),
        };
        format!("http://{host}/?token={}", self.token.as_str())
    }

    /// Answers until `stop` resolves.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let guard = Guard::new(self.token, Names::of(self.address), self.address.port());
        index::bring(&self.app).await;
        let watching = tokio::spawn(watch::watch(self.app.clone()));
        tokio::spawn(index::warm(self.app.clone()));
        let keeping = tokio::spawn(keep::keep(self.app.clone()));
        let building = Builder::start(&self.app);
        // What an earlier run did not get to.
        self.app.due.notify_one();
        let imports = self.app.imports.clone();
        let app = self.app.clone();
        let router = routes(self.app).layer(middleware::from_fn_with_state(Arc::new(guard), guard::watch));
        let ended = listen::run(self.listener, router, stop).await.map_err(ServeError::Run);
        watching.abort();
        keeping.abort();
        imports.stop();
        drop(building);
        index::keep(&app).await;
        ended
    }
}

/// Every address of the API, with its methods; what `openapi.json` describes, which a test holds it to.
pub(crate) fn api() -> [(&'static str, MethodRouter<App>); 32] {
    [
        ("/api/openapi.json", get(openapi::description)),
        ("/api/library", get(photos::library)),
        ("/api/index", get(index::index)),
        ("/api/photos", get(photos::photos)),
        ("/api/photo/{id}", get(photos::photo)),
        ("/api/facets", get(photos::facets)),
        ("/api/folders", get(photos::folders)),
        ("/api/marks", post(marks::mark)),
        ("/api/undo", post(marks::undo)),
        ("/api/redo", post(marks::redo)),
        ("/api/stacks", post(stacks::stack)),
        ("/api/stacks/bursts", post(stacks::bursts)),
        ("/api/albums", get(albums::list).post(albums::create)),
        ("/api/albums/{id}", patch(albums::rename).delete(albums::delete)),
        ("/api/albums/{id}/photos", post(albums::photos)),
        ("/api/albums/{id}/order", post(albums::order)),
        ("/api/trash", post(trash::change)),
        ("/api/trash/empty", post(trash::delete)),
        ("/api/conflicts", post(keep::settle)),
        ("/api/clips/{row}", post(clips::convert)),
        ("/api/events", get(live::listen)),
        ("/api/cards", get(imports::cards)),
        ("/api/import", get(imports::state)),
        ("/api/import/plan", post(imports::plan)),
        ("/api/import/start", post(imports::start)),
        ("/api/import/stop", post(imports::stop)),
        ("/media/{epoch}/{row}/thumbnail", get(media::thumbnail)),
        ("/media/{epoch}/{row}/fit/{edge}", get(media::fit)),
        ("/media/{epoch}/{row}/full", get(media::full)),
        ("/media/{epoch}/{row}/rendered", get(rendered::rendered)),
        ("/media/{epoch}/{row}/playable", get(clips::playable)),
        ("/media/{epoch}/{row}/original/{n}", get(media::original)),
    ]
}

fn routes(app: App) -> Router {
    let slow = middleware::from_fn_with_state(ANSWER_TIME, in_time);
    api()
        .into_iter()
        .fold(Router::new(), |router, (path, methods)| router.route(path, methods))
        .fallback(assets::serve)
        .with_state(app)
        .layer(slow)
        .layer(DefaultBodyLimit::max(MAX_BODY))
}

/// Gives up on a request whose body or answer does not come.
async fn in_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::new(StatusCode::REQUEST_TIMEOUT, "the request took too long").into_response(),
    }
}

//! A small language for tests: a running server, and requests written byte by byte.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_catalog::Place;
use lightfast_import::{Host, SidecarSettings, prepare};
use lightfast_model::Event;
use lightfast_serve::{LibraryOptions, Options, Server, Token};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) token: Token,
    pub(crate) library: TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The clock of these tests.
pub(crate) fn now() -> Timestamp {
    Timestamp::constant(1_800_000_000, 0)
}

/// Imports a card into a library, as the command line would.
pub(crate) fn import(card: &Path, library: &Path) {
    let host = Host { now, zone: TimeZone::UTC, worker: None, workers: 1 };
    let (stop, quiet) = (std::sync::atomic::AtomicBool::new(false), |_: Event| {});
    let options = lightfast_import::Options::new(vec![card.to_owned()], library.to_owned());
    let ended = prepare(options, &host, &quiet, &stop).unwrap().perform(&host, &quiet, &stop).unwrap();
    assert_eq!(ended.report.failed, 0);
}

impl Running {
    pub(crate) fn start() -> Self {
        Self::on(tempfile::tempdir().unwrap())
    }

    /// Serves a library; one that is not there is empty.
    pub(crate) fn on(library: TempDir) -> Self {
        let token = Token::from_random([0x5a; 32]);
        let options = Options {
            bind: "127.0.0.1:0".parse().unwrap(),
            token: token.clone(),
            library: LibraryOptions {
                builds: None,
                place: Place::in_library(library.path()),
                zone: TimeZone::UTC,
                now,
                worker: None,
                sidecars: SidecarSettings::default(),
                ffmpeg: ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg"]
                    .map(PathBuf::from)
                    .into_iter()
                    .find(|f| f.is_file()),
            },
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let server = runtime.block_on(Server::bind(options)).unwrap();
        let address = server.address();
        assert_eq!(server.url(), format!("http://{address}/?token={}", token.as_str()));
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            runtime.block_on(server.run(async { drop(stopped.await) })).unwrap();
        });
        Self { address, token, library, stop: Some(stop), thread: Some(thread) }
    }

    /// The `Host` of a request that is ours.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn cookie(&self) -> String {
        format!("lightfast-{}={}", self.address.port(), self.token.as_str())
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// A request with exactly these header lines, and the connection closed after it.
    pub(crate) fn raw(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{line} HTTP/1.1\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Connection: close\r\n\r\n");
        let mut stream = self.connect();
        // A server that refuses early closes while we still write; what it said is read all the same.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        Answer::read(&mut stream)
    }

    /// What our own page would send.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    /// A change, as our own page would ask for it.
    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.change("POST", path, body)
    }

    /// The same by any method.
    pub(crate) fn change(&self, method: &str, path: &str, body: &str) -> Answer {
        let (host, cookie, length) = (self.host(), self.cookie(), body.len().to_string());
        let origin = format!("http://{host}");
        let headers = [
            ("Host", host.as_str()),
            ("Cookie", cookie.as_str()),
            ("Origin", origin.as_str()),
            ("Content-Type", "application/json"),
            ("Content-Length", length.as_str()),
        ];
        self.raw(&format!("{method} {path}"), &headers, body.as_bytes())
    }

    /// The catalogue's epoch, as addresses of pictures carry it.
    pub(crate) fn epoch(&self) -> String {
        self.get("/api/library").json()["epoch"].as_str().unwrap().to_owned()
    }

    pub(crate) fn get_with(&self, path: &str, more: &[(&str, &str)]) -> Answer {
        let (host, cookie) = (self.host(), self.cookie());
        let mut headers = vec![("Host", host.as_str()), ("Cookie", cookie.as_str())];
        headers.extend_from_slice(more);
        self.raw(&format!("GET {path}"), &headers, b"")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

/// An answer, read to its end.
#[must_use]
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A reset after a refusal is an end like any other.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Self { status, head, body: bytes.get(end + 4..).unwrap_or_default().to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.status, 200, "{} {}", self.head, self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

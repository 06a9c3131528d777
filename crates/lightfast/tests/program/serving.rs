//! `serve` as it is run: what the newest import's RAWs look like, rendered for who looks and in the background.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{TestLibrary, small_card};

/// A server that runs.
struct Serving {
    child: Child,
    host: String,
    token: String,
}

impl Serving {
    fn of(library: &TestLibrary, more: &[&str]) -> Self {
        let mut arguments = vec!["serve", "--port", "0", "--json"];
        arguments.extend(more);
        let mut child = library.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        let (host, token) = address.split_once("/?token=").unwrap();
        Self { host: host.to_owned(), token: token.to_owned(), child }
    }

    /// Status and body.
    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let token = lightfast_serve::TOKEN_HEADER;
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\n{token}: {}\r\nConnection: close\r\n\r\n",
            self.host, self.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let status = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
        (status, answer.split_off(end + 4))
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Pictures in the cache.
fn rendered(library: &TestLibrary) -> u64 {
    let status = library.run(["previews", "status", "--json"]).exits(0).json().pop().unwrap();
    status["full_rendered"].as_u64().unwrap_or_else(|| panic!("{status}"))
}

#[test]
fn a_raw_is_rendered_for_who_looks_and_kept() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let server = Serving::of(&library, &["--previews", "camera"]);
    let epoch = server.json("/api/library")["epoch"].as_str().unwrap().to_owned();
    let details = server.json("/api/photos?rows=1-2");
    let details = details.as_array().unwrap();
    assert_eq!(details.len(), 2);
    assert_eq!(details[0]["rendered"]["width"], 720, "{}", details[0]);
    let picture = server.get(&format!("/media/{epoch}/1/rendered"));
    assert_eq!((picture.0, &picture.1[..2]), (200, &[0xff, 0xd8][..]));
    let camera = server.get(&format!("/media/{epoch}/1/full"));
    assert_ne!(picture.1, camera.1, "it is not the camera's own picture");
    assert_eq!(rendered(&library), 1);
    assert_eq!(server.get(&format!("/media/{epoch}/1/rendered")), picture);
    assert_eq!(server.get(&format!("/media/{epoch}/99/rendered")).0, 404);
}

#[test]
fn the_newest_import_is_rendered_in_the_background() {
    let library = TestLibrary::new();
    let _ = library.import(&small_card()).exits(0);
    let server = Serving::of(&library, &[]);
    let begin = Instant::now();
    while rendered(&library) < 2 {
        assert!(begin.elapsed() < Duration::from_secs(120), "the RAWs of the import are not rendered");
        std::thread::yield_now();
    }
    drop(server);
}

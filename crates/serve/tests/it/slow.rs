//! Too much, too slow, too many: bounded, and the app goes on.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use lightfast_serve::MAX_STRANGERS;

use crate::http::{Answer, Running};

#[test]
fn ten_megabytes_of_header_are_refused() {
    let server = Running::start();
    let long = "x".repeat(10 * 1024 * 1024);
    let answer = server.get_with("/", &[("X-Long", &long)]);
    assert!(matches!(answer.status, 431 | 0), "{}", answer.status);
    let answer = server.get(&format!("/?q={long}"));
    assert!(matches!(answer.status, 414 | 431 | 0), "{}", answer.status);
    let name = vec![("X-Many", "1"); 1000];
    let answer = server.get_with("/", &name);
    assert!(matches!(answer.status, 431 | 0), "{}", answer.status);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn ten_megabytes_of_body_are_refused() {
    let server = Running::start();
    let body = format!("{{\"rows\": \"{}\"}}", "1,".repeat(5 * 1024 * 1024));
    let answer = server.post("/api/marks", &body);
    assert!(matches!(answer.status, 413 | 0), "{}", answer.status);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_thousand_slow_connections_do_not_keep_the_person_out() {
    let server = Running::start();
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..1000 {
        let mut stream = server.connect();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
        slow.push(stream);
        if slow.len().is_multiple_of(250) {
            assert_eq!(server.get("/").status, 200, "after {}", slow.len());
        }
    }
    assert_eq!(server.get("/").status, 200);
    // The oldest are gone: reading from them ends. Only so many of the newest are kept.
    for stream in &mut slow[..1000 - MAX_STRANGERS - 50] {
        let mut byte = [0];
        assert!(matches!(stream.read(&mut byte), Ok(0) | Err(_)), "an old stranger is still connected");
    }
}

#[test]
fn a_connection_that_has_shown_the_token_is_not_pushed_out() {
    let server = Running::start();
    let mut known = server.connect();
    let request = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", server.host(), server.cookie());
    known.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 15];
    known.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    let strangers: Vec<TcpStream> = (0..2 * MAX_STRANGERS).map(|_| server.connect()).collect();
    assert_eq!(server.get("/").status, 200);
    known.set_nonblocking(true).unwrap();
    let mut rest = [0; 4096];
    loop {
        match known.read(&mut rest) {
            Ok(0) => panic!("pushed out"),
            Ok(_) => {}
            Err(e) => {
                assert_eq!(e.kind(), std::io::ErrorKind::WouldBlock);
                break;
            }
        }
    }
    drop(strangers);
}

#[test]
fn garbage_is_answered_or_closed_and_harms_nothing() {
    let server = Running::start();
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0; 100],
    ] {
        let mut stream = server.connect();
        stream.write_all(garbage).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let answer = Answer::read(&mut stream);
        assert!(matches!(answer.status, 0 | 400 | 421 | 505), "{}", answer.head);
    }
    assert_eq!(server.get("/").status, 200);
}

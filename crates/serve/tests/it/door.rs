//! Who gets in: only this machine's own page, with the token.

use crate::http::Running;

/// One address of each kind; none may answer a stranger.
const ADDRESSES: [&str; 31] = [
    "/",
    "/index.html",
    "/assets/x.js",
    "/nothing/here",
    "/api/library",
    "/api/index",
    "/api/photos?rows=1",
    "/api/photo/0123456789abcdef",
    "/api/facets",
    "/api/folders",
    "/api/marks",
    "/api/undo",
    "/api/redo",
    "/api/openapi.json",
    "/api/stacks",
    "/api/stacks/bursts",
    "/api/albums",
    "/api/albums/1",
    "/api/albums/1/photos",
    "/api/trash",
    "/api/trash/empty",
    "/api/conflicts",
    "/api/clips/1",
    "/media/0/1/playable",
    "/api/events",
    "/api/cards",
    "/api/import",
    "/api/import/plan",
    "/media/0/1/thumbnail",
    "/media/0/1/full",
    "/media/0/1/original/0",
];

#[test]
fn the_first_address_becomes_a_cookie_and_loses_its_token() {
    let server = Running::start();
    let line = format!("GET /?token={}&q=beach", server.token.as_str());
    let answer = server.raw(&line, &[("Host", &server.host())], b"");
    assert_eq!(answer.status, 303, "{}", answer.head);
    assert_eq!(answer.header("location"), Some("/?q=beach"));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&server.cookie()), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_link_to_us_in_a_page_of_another_site_opens_the_app_by_way_of_a_page_of_ours() {
    let server = Running::start();
    let line = format!("GET /?token={}&q=\"<b>", server.token.as_str()).replace('"', "%22").replace('<', "%3C");
    let line = line.replace('>', "%3E");
    let headers = [("Host", &*server.host()), ("Sec-Fetch-Site", "cross-site")];
    let answer = server.raw(&line, &headers, b"");
    assert_eq!(answer.status, 200);
    assert!(answer.header("set-cookie").is_some());
    assert!(answer.text().contains("url=/?q=%22%3Cb%3E\""), "{}", answer.text());
    assert_eq!(server.raw("GET /?token=guess", &headers, b"").status, 403);
}

#[test]
fn without_the_token_every_address_is_closed() {
    let server = Running::start();
    let (host, port) = (server.host(), server.address.port());
    let other = format!("lightfast-{port}={}", "0".repeat(64));
    let elsewhere = format!("lightfast-1={}", server.token.as_str());
    for address in ADDRESSES {
        for cookie in ["", "lightfast", &other, &elsewhere] {
            let answer = server.raw(&format!("GET {address}"), &[("Host", &host), ("Cookie", cookie)], b"");
            assert_eq!(answer.status, 401, "{address} with {cookie:?}");
            assert!(answer.text().contains("token"), "{address}");
            assert!(!answer.text().contains(server.token.as_str()));
        }
        let and = if address.contains('?') { '&' } else { '?' };
        let guessed = format!("GET {address}{and}token=guess");
        assert_eq!(server.raw(&guessed, &[("Host", &host)], b"").status, 401, "{address}");
    }
    let deep = format!("GET /api/events?token={}", server.token.as_str());
    assert_eq!(server.raw(&deep, &[("Host", &host)], b"").status, 401, "the token in an address opens the page alone");
}

#[test]
fn a_person_without_the_token_reads_a_sentence() {
    let server = Running::start();
    let host = server.host();
    let typed = [("Host", host.as_str()), ("Accept", "text/html,*/*"), ("Sec-Fetch-Mode", "navigate")];
    let answer = server.raw("GET /?q=x", &typed, b"");
    assert_eq!((answer.status, answer.header("content-type")), (401, Some("text/html; charset=utf-8")));
    assert!(answer.text().contains("with its token.") && !answer.text().contains(server.token.as_str()));
    let asked = [("Host", host.as_str()), ("Accept", "text/html"), ("Sec-Fetch-Mode", "cors")];
    assert!(server.raw("GET /api/library", &asked, b"").text().starts_with("{\"error\""));
}

#[test]
fn a_program_sends_the_token_in_a_header() {
    let server = Running::start();
    let headers = [("Host", &*server.host()), (lightfast_serve::TOKEN_HEADER, server.token.as_str())];
    assert_eq!(server.raw("GET /", &headers, b"").status, 200);
}

#[test]
fn another_host_name_is_refused_even_with_the_token() {
    let server = Running::start();
    let (cookie, port) = (server.cookie(), server.address.port());
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", "192.168.1.1:4807", ""] {
        for address in ADDRESSES {
            let answer = server.raw(&format!("GET {address}"), &[("Host", host), ("Cookie", &cookie)], b"");
            assert!(matches!(answer.status, 400 | 421), "{address} as {host:?}: {}", answer.status);
        }
    }
    assert_eq!(server.raw("GET /", &[("Cookie", &cookie)], b"").status, 400, "no host at all");
    let host = server.host();
    let two = [("Host", host.as_str()), ("Host", "evil.example"), ("Cookie", &cookie)];
    assert_eq!(server.raw("GET /", &two, b"").status, 400, "two hosts");
    let absolute = format!("GET http://evil.example:{port}/");
    let answer = server.raw(&absolute, &[("Host", &host), ("Cookie", &cookie)], b"");
    assert_eq!(answer.status, 400, "an absolute address of another host");
    assert_eq!(server.raw("GET /", &[("Host", &format!("localhost:{port}")), ("Cookie", &cookie)], b"").status, 200);
}

#[test]
fn a_page_of_another_site_is_refused_even_with_the_cookie() {
    let server = Running::start();
    let own = format!("http://{}", server.host());
    for (name, value) in [
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://127.0.0.1:3000"),
        ("Origin", &own.replace("http:", "https:")),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        for address in ADDRESSES {
            let answer = server.get_with(address, &[(name, value)]);
            assert_eq!(answer.status, 403, "{address} with {name}: {value}");
        }
    }
    for site in ["same-origin", "none"] {
        assert_eq!(server.get_with("/", &[("Sec-Fetch-Site", site)]).status, 200, "{site}");
    }
    assert_eq!(server.get_with("/", &[("Origin", &own)]).status, 200);
}

#[test]
fn a_change_needs_our_own_page() {
    let server = Running::start();
    let (host, cookie, own) = (server.host(), server.cookie(), format!("http://{}", server.host()));
    let base = [("Host", host.as_str()), ("Cookie", cookie.as_str()), ("Content-Length", "2")];
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        for address in ADDRESSES {
            let line = format!("{method} {address}");
            assert_eq!(server.raw(&line, &base, b"{}").status, 403, "{line} without an origin");
        }
        let ours: Vec<_> = base.into_iter().chain([("Origin", own.as_str())]).collect();
        assert_eq!(server.raw(&format!("{method} /api/events"), &ours, b"{}").status, 405, "{method} from our page");
    }
}

#[test]
fn every_answer_forbids_loading_from_elsewhere() {
    let server = Running::start();
    let stranger = server.raw("GET /", &[("Host", &server.host())], b"");
    for answer in [server.get("/"), server.get("/nothing"), stranger] {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn no_path_leaves_the_embedded_files() {
    let server = Running::start();
    for path in [
        "/../Cargo.toml",
        "/assets/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/assets/..%5c..%5cetc",
        "/%00",
        "//etc/passwd",
        "/.",
        "/assets/",
        "/media/0/1/original/..%2f..%2fetc%2fpasswd",
        "/media/0/../../etc/passwd",
    ] {
        let answer = server.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        assert!(!answer.text().contains("root:"), "{path}");
    }
}

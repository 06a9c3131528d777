//! Marks by the page: durable when acknowledged, undone, told to other pages, refused when they make no sense.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use lightfast_catalog::{Catalog, Place, Query, Sort};
use lightfast_testkit::{Shot, TestCard, samples};

use crate::http::{Running, import};

fn library() -> Running {
    let jpeg = |seed| samples::jpeg(&Shot::sized(96, 64).seeded(seed));
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.JPG", jpeg(1))
        .file("DCIM/100EOS5D/IMG_0002.JPG", jpeg(2))
        .file("DCIM/100EOS5D/IMG_0003.JPG", jpeg(3));
    let library = tempfile::tempdir().unwrap();
    import(card.path(), library.path());
    Running::on(library)
}

/// Stars of the photos by row, as another process reads them.
fn ratings(library: &Path) -> Vec<u8> {
    let catalog = Catalog::open_read_only(&Place::in_library(library)).unwrap();
    let mut rows = catalog.rows(&Query::all(), Sort::default(), None, 0).unwrap();
    rows.sort_unstable();
    catalog.photos_of_rows(&rows).unwrap().iter().map(|photo| photo.rating).collect()
}

#[test]
fn a_mark_is_in_the_catalogue_when_it_is_acknowledged_and_comes_back_by_undo() {
    let server = library();
    let done = server.post("/api/marks", r#"{"rows": "1-2", "rating": 4}"#).json();
    assert_eq!((&done["matched"], &done["changed"]), (&2.into(), &2.into()));
    assert_eq!(ratings(server.library.path()), [4, 4, 0]);
    assert_eq!(server.post("/api/undo", "{}").json()["changed"], 2);
    assert_eq!(ratings(server.library.path()), [0, 0, 0]);
    assert_eq!(server.post("/api/redo", "{}").json()["changed"], 2);
    assert_eq!(ratings(server.library.path()), [4, 4, 0]);
    assert_eq!(server.post("/api/redo", "{}").json()["step"], serde_json::Value::Null);
}

#[test]
fn what_changed_is_all_that_a_page_must_ask_for() {
    let server = library();
    let revision = |answer: &[u8]| u64::from_le_bytes(answer[8..16].try_into().unwrap());
    let whole = server.get("/api/index?descending=true");
    let _ = server.post("/api/marks", r#"{"rows": "2", "flag": "reject", "label": "red"}"#).json();
    let changes = server.get(&format!("/api/index?descending=true&since={}", revision(&whole.body)));
    assert_eq!(changes.body.len(), 32 + 12);
    let marks = u16::from_le_bytes(changes.body[32 + 10..].try_into().unwrap());
    assert_eq!((marks >> 3 & 3, marks >> 5 & 7), (2, 1));
    let again = server.get("/api/index?descending=true");
    assert_eq!(revision(&again.body), revision(&changes.body));
    assert_ne!(again.body, whole.body);
}

#[test]
fn marks_that_make_no_sense_change_nothing() {
    let server = library();
    for wrong in [
        r#"{"rows": "1", "rating": 6}"#,
        r#"{"rows": "1", "rating": -1}"#,
        r#"{"rows": "1", "flag": "perhaps"}"#,
        r#"{"rows": "1", "label": "mauve"}"#,
        r#"{"rows": "1", "rotate": 45}"#,
        r#"{"rows": "x", "rating": 1}"#,
        r#"{"rows": "1", "stars": 1}"#,
        "not json",
        "[]",
    ] {
        let answer = server.post("/api/marks", wrong);
        assert!(matches!(answer.status, 400 | 422), "{wrong}: {}", answer.status);
        assert!(answer.text().contains("what"), "{}", answer.text());
    }
    assert_eq!(server.post("/api/marks", r#"{"rows": "77", "rating": 1}"#).json()["matched"], 0);
    assert_eq!(ratings(server.library.path()), [0, 0, 0]);
}

#[test]
fn another_page_hears_of_a_mark_and_of_an_import_by_another_process() {
    let server = library();
    let mut stream = server.connect();
    let request = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", server.host(), server.cookie());
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut hear = |name: &str| lines.find(|line| line == &format!("event: {name}")).is_some();
    assert!(hear("hello"));
    let _ = server.post("/api/marks", r#"{"rows": "1", "rating": 1}"#).json();
    assert!(hear("changed"));
    let more = TestCard::new().file("DCIM/101EOS5D/IMG_0009.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(9)));
    import(more.path(), server.library.path());
    assert!(hear("changed"));
    assert_eq!(server.get("/api/library").json()["photos"], 4);
}

#[test]
fn a_card_is_planned_and_imported_from_the_page() {
    let server = Running::start();
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0001.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(5))).junk();
    let wish = serde_json::json!({"source": card.path(), "template": "{year}/{name}", "job": null}).to_string();
    let plan = server.post("/api/import/plan", &wish).json();
    assert_eq!(plan["copy"], 1);
    assert!(plan["files"][0]["path"].as_str().unwrap().ends_with("IMG_0001.JPG"), "{plan}");
    assert!(!server.library.path().join(".lightfast").exists(), "a plan writes nothing");
    for wrong in [
        serde_json::json!({"source": card.path(), "template": "../{name}", "job": null}),
        serde_json::json!({"source": "relative", "template": "{name}", "job": null}),
        serde_json::json!({"source": "/nowhere/at/all", "template": "{name}", "job": null}),
    ] {
        assert!(matches!(server.post("/api/import/plan", &wrong.to_string()).status, 400 | 422), "{wrong}");
    }
    let _ = server.post("/api/import/start", &wish).json();
    let report = loop {
        let state = server.get("/api/import").json();
        if state["running"] == false {
            break state["report"].clone();
        }
        std::thread::yield_now();
    };
    assert_eq!((&report["copied"], &report["safe_to_format"]), (&1.into(), &true.into()));
    assert_eq!(server.get("/api/library").json()["photos"], 1);
}

//! What follows a mark: XMP beside the original, conflicts with another program, the trash.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lightfast_testkit::{Shot, TestCard, samples};

use crate::http::{Running, import};

/// A library of two pictures, and where the first lies.
fn library() -> (Running, PathBuf) {
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(1)))
        .file("DCIM/100EOS5D/IMG_0002.JPG", samples::jpeg(&Shot::sized(96, 64).seeded(2)));
    let library = tempfile::tempdir().unwrap();
    import(card.path(), library.path());
    let server = Running::on(library);
    let details = server.get("/api/photos?rows=1").json();
    let relative = details[0]["photo"]["files"][0]["copies"][0]["path"].as_str().unwrap().to_owned();
    let original = server.library.path().join(relative);
    (server, original)
}

/// The sidecar of a picture that is no RAW.
fn beside(original: &Path) -> PathBuf {
    let mut name = original.as_os_str().to_owned();
    name.push(".xmp");
    PathBuf::from(name)
}

/// Waits for what follows by itself; what does not come in a minute does not come.
fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if let Some(found) = found() {
            return found;
        }
        std::thread::yield_now();
    }
    panic!("it did not come");
}

#[test]
fn a_mark_is_soon_in_the_xmp_beside_the_original() {
    let (server, original) = library();
    let sidecar = beside(&original);
    let _ = server.post("/api/marks", r#"{"rows": "1", "rating": 4, "add_keywords": ["harbour"]}"#).json();
    let text = until(|| fs::read_to_string(&sidecar).ok());
    assert!(text.contains("harbour") && text.contains('4'), "{text}");
    let _ = server.post("/api/undo", "{}").json();
    until(|| fs::read_to_string(&sidecar).ok().filter(|text| !text.contains("harbour")));
}

#[test]
fn what_two_programs_changed_is_settled_by_a_choice() {
    for (keep, rating) in [("ours", 5), ("theirs", 2)] {
        let (server, original) = library();
        let sidecar = beside(&original);
        let _ = server.post("/api/marks", r#"{"rows": "1", "rating": 4}"#).json();
        let text = until(|| fs::read_to_string(&sidecar).ok());
        assert!(text.contains("Rating=\"4\"") || text.contains("Rating>4<"), "{text}");
        fs::write(&sidecar, text.replace("Rating=\"4\"", "Rating=\"2\"").replace("Rating>4<", "Rating>2<")).unwrap();
        let _ = server.post("/api/marks", r#"{"rows": "1", "rating": 5}"#).json();
        let in_conflict = || server.get("/api/index?q=has:conflict").body.len() > 32;
        until(|| in_conflict().then_some(()));
        let named = server.post("/api/conflicts", r#"{"rows": "1", "keep": "neither"}"#).json();
        assert_eq!(named["conflicts"][0]["properties"].as_array().unwrap().len(), 1, "{named}");
        let _ = server.post("/api/conflicts", &format!(r#"{{"rows": "1", "keep": "{keep}"}}"#)).json();
        assert!(!in_conflict(), "{keep}");
        assert_eq!(server.get("/api/photos?rows=1").json()[0]["photo"]["rating"], rating, "{keep}");
        let text = fs::read_to_string(&sidecar).unwrap();
        assert!(
            text.contains(&format!("Rating=\"{rating}\"")) || text.contains(&format!("Rating>{rating}<")),
            "{text}"
        );
    }
}

#[test]
fn rejects_go_into_the_trash_come_back_and_are_kept_where_they_are_the_last_copy() {
    let (server, original) = library();
    let put = server.post("/api/trash", r#"{"rows": "1", "do": "put"}"#).json();
    assert_eq!((&put["photos"], &put["files"]), (&1.into(), &1.into()));
    assert!(!original.exists());
    assert_eq!(server.get("/api/library").json()["photos"], 1);
    let kept = server.post("/api/trash/empty", r#"{"last_copies": false}"#).json();
    assert_eq!(kept["files"], 0, "{kept}");
    assert_eq!(kept["stayed"].as_array().unwrap().len(), 1);
    let back = server.post("/api/trash", r#"{"rows": "1", "do": "restore"}"#).json();
    assert_eq!(back["photos"], 1);
    assert!(original.exists());
    let _ = server.post("/api/trash", r#"{"rows": "1", "do": "put"}"#).json();
    assert_eq!(server.post("/api/trash/empty", r#"{"last_copies": true}"#).json()["files"], 1);
    assert_eq!(server.get("/api/library").json()["photos"], 1);
}

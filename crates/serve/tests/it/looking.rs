//! Looking at a library that was really imported: index, photos, pictures in place, originals, ranges.

use lightfast_catalog::Thumbnails;
use lightfast_model::ContentHash;
use lightfast_testkit::{Shot, TestCard, samples};

use crate::http::{Running, import};

/// A library of a RAW, a JPEG beside another RAW, and a clip.
fn library() -> (Running, Vec<u8>) {
    let shot = |seed| Shot::sized(320, 213).seeded(seed);
    let raw = samples::cr2(&shot(1));
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.CR2", &raw)
        .file("DCIM/100EOS5D/IMG_0002.CR2", samples::cr2(&shot(2)))
        .file("DCIM/100EOS5D/IMG_0002.JPG", samples::jpeg(&shot(2)))
        .file("DCIM/100EOS5D/MVI_0003.MOV", samples::mov(&shot(3)));
    let library = tempfile::tempdir().unwrap();
    import(card.path(), library.path());
    (Running::on(library), raw)
}

/// Row numbers in the order of the index.
fn rows(server: &Running, query: &str) -> Vec<u32> {
    let answer = server.get(&format!("/api/index?q={query}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(&answer.body[..4], b"LFI1");
    let u32_at = |at: usize| u32::from_le_bytes(answer.body[at..at + 4].try_into().unwrap());
    let count = u32_at(4) as usize;
    assert_eq!(answer.body.len(), 32 + count * 12);
    (0..count).map(|i| u32_at(32 + i * 4)).collect()
}

fn row_of(server: &Running, name: &str) -> u32 {
    let found = rows(server, &format!("name:{name}"));
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

#[test]
fn an_empty_library_is_empty_and_no_error() {
    let server = Running::start();
    assert!(rows(&server, "").is_empty());
    assert_eq!(server.get("/api/library").json()["photos"], 0);
    assert_eq!(server.get("/api/photos?rows=1-3").json().as_array().unwrap().len(), 0);
    assert_eq!(server.get("/api/facets").json()["months"].as_array().unwrap().len(), 0);
    assert_eq!(server.get(&format!("/media/{}/1/thumbnail", server.epoch())).status, 404);
}

#[test]
fn photos_are_what_the_command_line_shows_and_where_their_pictures_lie() {
    let (server, _) = library();
    assert_eq!(rows(&server, "").len(), 3);
    let row = row_of(&server, "IMG_0002");
    let found = server.get(&format!("/api/photos?rows={row}")).json();
    let details = &found[0];
    assert_eq!(details["row"], row);
    assert_eq!(details["photo"]["files"].as_array().unwrap().len(), 2);
    assert_eq!((&details["full"]["width"], &details["full"]["orientation"]), (&320.into(), &1.into()));
    assert_eq!(details["reason"], serde_json::Value::Null);
    let id = details["photo"]["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/photo/{id}")).json(), *details);
    assert_eq!(server.get("/api/photo/zzzzzzzzzzzzzzzz").status, 404);
    assert_eq!(server.get("/api/photo/..%2f..%2fx").status, 404);
    let clip = server.get(&format!("/api/photos?rows={}", row_of(&server, "MVI_0003"))).json();
    assert_eq!(clip[0]["photo"]["kind"], "video");
    assert!(clip[0]["reason"].as_str().is_some());
}

#[test]
fn the_camera_s_picture_comes_out_of_the_raw_where_it_lies() {
    let (server, raw) = library();
    let address = format!("/media/{}/{}/full", server.epoch(), row_of(&server, "IMG_0001"));
    let whole = server.get(&address);
    assert_eq!((whole.status, whole.header("content-type")), (200, Some("image/jpeg")));
    assert_eq!(whole.body[..3], [0xff, 0xd8, 0xff]);
    assert!(raw.windows(whole.body.len()).any(|part| part == whole.body), "not the bytes of the file");
    assert_eq!(whole.header("cache-control"), Some("private, max-age=31536000, immutable"));
    let tag = whole.header("etag").unwrap();
    let again = server.get_with(&address, &[("If-None-Match", tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    let part = server.get_with(&address, &[("Range", "bytes=10-29")]);
    assert_eq!((part.status, part.body.as_slice()), (206, &whole.body[10..30]));
    assert_eq!(part.header("content-range"), Some(format!("bytes 10-29/{}", whole.body.len()).as_str()));
    let stale = server.get_with(&address, &[("Range", "bytes=10-29"), ("If-Range", "\"other\"")]);
    assert_eq!(stale.status, 200);
    let outside = server.get_with(&address, &[("Range", "bytes=99999999-")]);
    assert_eq!(outside.status, 416);
    let without_worker = server.get(&address.replace("full", "fit/1280"));
    assert_eq!(without_worker.body, whole.body);
}

#[test]
fn originals_are_their_own_bytes_and_never_a_page() {
    let (server, raw) = library();
    let (epoch, row) = (server.epoch(), row_of(&server, "IMG_0001"));
    let original = server.get(&format!("/media/{epoch}/{row}/original/0"));
    assert_eq!((original.status, original.body == raw), (200, true));
    assert_eq!(original.header("content-type"), Some("application/octet-stream"));
    assert_eq!(original.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(server.get(&format!("/media/{epoch}/{row}/original/1")).status, 404);
    assert_eq!(server.get(&format!("/media/{epoch}/{row}/original/x")).status, 400);
    assert_eq!(server.get(&format!("/media/{epoch}/99999/full")).status, 404);
    assert_eq!(server.get(&format!("/media/old/{row}/full")).status, 410);
    let clip = format!("/media/{epoch}/{}/original/0", row_of(&server, "MVI_0003"));
    let part = server.get_with(&clip, &[("Range", "bytes=0-")]);
    assert_eq!((part.status, part.header("content-type")), (206, Some("video/mp4")));
}

#[test]
fn an_original_that_is_gone_or_is_no_file_says_so() {
    let (server, _) = library();
    let (epoch, row) = (server.epoch(), row_of(&server, "IMG_0001"));
    let details = server.get(&format!("/api/photos?rows={row}")).json();
    let relative = details[0]["photo"]["files"][0]["copies"][0]["path"].as_str().unwrap().to_owned();
    let path = server.library.path().join(relative);
    std::fs::remove_file(&path).unwrap();
    let gone = server.get(&format!("/media/{epoch}/{row}/full"));
    assert_eq!(gone.status, 410);
    assert!(gone.text().contains("not where it was"), "{}", gone.text());
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    let link = server.get(&format!("/media/{epoch}/{row}/original/0"));
    assert_eq!(link.status, 410);
    assert!(!link.text().contains("root:"));
}

#[test]
fn a_thumbnail_is_the_one_that_was_kept() {
    let (server, _) = library();
    let row = row_of(&server, "IMG_0001");
    let address = format!("/media/{}/{row}/thumbnail", server.epoch());
    let missing = server.get(&address);
    assert_eq!((missing.status, missing.header("cache-control")), (404, Some("no-store")));
    let details = server.get(&format!("/api/photos?rows={row}")).json();
    let hash: ContentHash = details[0]["photo"]["files"][0]["hash"].as_str().unwrap().parse().unwrap();
    let jpeg = samples::jpeg_without_exif(60, 40, 1);
    let mut store = Thumbnails::open(&server.library.path().join(".lightfast")).unwrap();
    store.put(&[(hash, &jpeg, 60, 40)]).unwrap();
    let found = server.get(&address);
    assert_eq!((found.status, found.body == jpeg), (200, true));
    assert_eq!(found.header("cache-control"), Some("private, max-age=31536000, immutable"));
}

#[test]
fn a_query_that_is_none_is_refused_with_what_is_wrong() {
    let (server, _) = library();
    let wrong = server.get("/api/index?q=rating:lots");
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("character"), "{}", wrong.text());
    assert_eq!(server.get("/api/index?sort=colour").status, 400);
    assert_eq!(server.get("/api/index?surprise=1").status, 400);
    assert_eq!(server.get("/api/photos?rows=1-999999").status, 400);
    let facets = server.get("/api/facets?q=kind:photo").json();
    assert_eq!(facets["imports"][0]["safe"], true);
    assert_eq!(facets["cameras"][0]["count"], 2);
    let folders = server.get("/api/folders").json();
    assert_eq!(folders.as_array().unwrap().len(), 1);
}

#[test]
fn a_clip_is_converted_for_a_browser_that_cannot_play_it() {
    let (server, _) = library();
    let row = row_of(&server, "MVI_0003");
    let convert = || server.post(&format!("/api/clips/{row}"), "{}").json();
    if convert()["reason"].as_str().is_some_and(|reason| reason.contains("not installed")) {
        println!("SKIPPED a_clip_is_converted_for_a_browser_that_cannot_play_it: ffmpeg is not installed");
        return;
    }
    let done = loop {
        let now = convert();
        if now["state"] != "making" {
            break now;
        }
        std::thread::yield_now();
    };
    assert_eq!(done["state"], "ready", "{done}");
    let copy = server.get_with(&format!("/media/{}/{row}/playable", server.epoch()), &[("Range", "bytes=4-7")]);
    assert_eq!((copy.status, copy.body.as_slice()), (206, &b"ftyp"[..]));
    let photo = row_of(&server, "IMG_0001");
    assert_eq!(server.post(&format!("/api/clips/{photo}"), "{}").status, 404);
}

//! What is read: the JSON of a photo, pages and orders, previews, the results of `verify`.

use jiff::civil::date;
use lightfast_catalog::{Checked, CheckedState, Query, Sort, SortKey};
use lightfast_model::{Facts, Gps, Kind, Orientation, PhotoKind, Role, TimeSource, Verified, Video};

use crate::shelf::{File, NOW, Shelf, hash, jpeg, path, photo_id, preview, raw};

#[test]
fn a_photo_in_json_is_as_promised() {
    let mut file = raw(1);
    file.facts.keywords = vec!["Sea".to_owned(), "beach".to_owned()];
    file.facts.gps = Some(Gps { latitude: 54.5, longitude: -1.25, altitude: None });
    file.facts.rating = Some(3);
    file.facts.title = Some("Harbour".to_owned());
    let shelf = Shelf::with(&[file]);
    let json = serde_json::to_value(&shelf.all()[0]).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "id": photo_id(1), "kind": "photo", "taken": "2009-07-12T14:03:22.45", "utc_offset": "+02:00",
            "taken_from": "exif", "camera": "Canon EOS 5D Mark II", "make": "Canon", "serial": "0123456789",
            "lens": "EF70-200mm f/4L USM", "iso": 1600, "iso_auto": true, "exposure": "1/250", "aperture": 4.0,
            "focal_length": 200.0, "width": 5616, "height": 3744, "orientation": 1, "duration": null, "rating": 3,
            "flag": null, "label": null, "title": "Harbour", "caption": null, "creator": null, "copyright": null,
            "keywords": ["beach", "Sea"], "gps": [54.5, -1.25], "job": "wedding",
            "imported": "2027-01-15T08:00:00Z",
            "files": [{
                "role": "raw", "bytes": 1_000_001, "hash": hash(1),
                "copies": [{
                    "root": "root-1", "path": "2009/2009-07-12/IMG_0001.CR2", "verified": "cold",
                    "verified_at": "2027-01-15T08:00:00Z"
                }]
            }]
        })
    );
}

#[test]
fn a_camera_s_reject_is_a_flag() {
    let mut file = raw(1);
    file.facts.rating = Some(-1);
    let shelf = Shelf::with(&[file]);
    assert_eq!(shelf.all()[0].flag, Some(lightfast_model::Flag::Reject));
    assert_eq!(shelf.all()[0].rating, 0);
}

#[test]
fn pages_follow_each_other_in_every_order() {
    let files: Vec<File> = (1..=30)
        .map(|n| {
            let mut file = raw(n);
            file.taken = date(2009, 7, 1 + n as i8 % 5).at(12, 0, 0, 0);
            file.facts.rating = Some(n as i8 % 3);
            file
        })
        .collect();
    let shelf = Shelf::with(&files);
    for key in [SortKey::Taken, SortKey::Imported, SortKey::Rating, SortKey::Name] {
        for descending in [false, true] {
            let sort = Sort { key, descending };
            let whole = shelf.catalog.rows(&Query::all(), sort, None, 0).unwrap();
            let mut pages = Vec::new();
            for page in 0..5 {
                pages.extend(shelf.catalog.rows(&Query::all(), sort, Some(7), page * 7).unwrap());
            }
            assert_eq!(pages, whole);
            let mut distinct = whole.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 30);
        }
    }
    let by_name = Sort { key: SortKey::Name, descending: true };
    assert_eq!(shelf.catalog.photos(&Query::all(), by_name, Some(1), 0).unwrap()[0].id, photo_id(30));
}

#[test]
fn a_clip_is_a_video_with_the_facts_of_its_thumbnail() {
    let clip = File {
        role: Role::Video,
        kind: PhotoKind::Video,
        taken_from: TimeSource::File,
        facts: Facts {
            kind: Kind::Video,
            format: Some("MOV"),
            width: Some(1920),
            height: Some(1080),
            video: Some(Video { duration: Some(12.5), ..Video::default() }),
            ..Facts::default()
        },
        ..raw(1)
    };
    let thumbnail = File {
        role: Role::Thumbnail,
        content: 2,
        path: path("x/MVI_0001.THM"),
        taken: date(2009, 7, 12).at(15, 0, 0, 0),
        taken_from: TimeSource::Sidecar,
        facts: Facts { width: Some(160), height: Some(120), kind: Kind::Thumbnail, ..raw(1).facts },
        ..raw(1)
    };
    let shelf = Shelf::with(&[clip, thumbnail]);
    let photo = &shelf.all()[0];
    assert_eq!((photo.kind, photo.duration), (PhotoKind::Video, Some(12.5)));
    assert_eq!((photo.width, photo.height), (Some(1920), Some(1080)));
    assert_eq!(photo.camera.as_deref(), Some("Canon EOS 5D Mark II"));
    assert_eq!(photo.taken.as_deref(), Some("2009-07-12T15:00:00.00"));
    assert_eq!(photo.taken_from, Some(TimeSource::Sidecar));
}

#[test]
fn previews_are_where_the_files_say() {
    let mut file = raw(1);
    file.facts.orientation = Orientation::new(6).unwrap();
    let with_jpeg = File { content: 2, facts: Facts { previews: vec![preview(100, 50)], ..jpeg(1).facts }, ..jpeg(1) };
    let shelf = Shelf::with(&[with_jpeg, file]);
    let found = shelf.catalog.previews_of(&photo_id(1)).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].hash, found[0].role), (hash(1), Role::Raw));
    assert_eq!(found[0].previews, [preview(5616, 3744), preview(160, 120)]);
    assert_eq!(found[0].orientation, Orientation::new(6).unwrap());
    assert_eq!(found[0].copies[0].path, raw(1).path);
    assert_eq!(found[1].previews, [preview(100, 50)]);
}

#[test]
fn a_further_destination_is_one_more_copy() {
    let mut shelf = Shelf::with(&[raw(1)]);
    shelf.root = shelf.catalog.root_for("root-2", std::path::Path::new("/backup")).unwrap();
    shelf.put(&[File { verified: Verified::Reread, ..raw(1) }]);
    let copies = &shelf.all()[0].files[0].copies;
    assert_eq!(copies.len(), 2);
    assert_eq!((copies[1].root.as_str(), copies[1].verified), ("root-2", Some(Verified::Reread)));
    assert_eq!(shelf.catalog.root_for("root-2", std::path::Path::new("/moved")).unwrap(), shelf.root);
    assert_eq!(shelf.catalog.roots().unwrap()[1].path, path("/moved"));
}

#[test]
fn verify_reads_every_copy_and_keeps_what_it_found() {
    let mut shelf = Shelf::with(&[raw(1), raw(2), raw(3)]);
    let first = shelf.catalog.originals(0, 2).unwrap();
    assert_eq!(first.len(), 2);
    let rest = shelf.catalog.originals(first[1].row, 2).unwrap();
    assert_eq!((rest.len(), rest[0].hash), (1, hash(3)));
    assert_eq!((rest[0].role, rest[0].photo.clone()), (Role::Raw, Some(photo_id(3))));
    let found = |row, state, verified| Checked { row, state, verified };
    shelf
        .catalog
        .record_verified(
            &[
                found(first[0].row, CheckedState::Good, Some(Verified::Twice)),
                found(first[1].row, CheckedState::Changed, None),
                found(rest[0].row, CheckedState::Missing, None),
            ],
            NOW,
        )
        .unwrap();
    let now = shelf.catalog.originals(0, 10).unwrap();
    assert_eq!(now[0].verified, Some(Verified::Twice));
    assert!(now.iter().all(|o| o.checked_at == Some(NOW)));
    let states: Vec<CheckedState> = now.iter().map(|o| o.was).collect();
    assert_eq!(states, [CheckedState::Good, CheckedState::Changed, CheckedState::Missing]);
    assert!(shelf.catalog.known_by_hash(&hash(2)).unwrap().unwrap().copies.is_empty());
    assert_eq!(shelf.numbers("has:unverified"), [2, 3]);
}

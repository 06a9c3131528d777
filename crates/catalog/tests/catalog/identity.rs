//! What is known already, and what a photo is made of.

use lightfast_catalog::{CopyAt, Duplicate};
use lightfast_model::{BytePath, Facts, Kind, Role, Verified};

use crate::shelf::{File, Shelf, hash, jpeg, new_session, path, photo_id, raw, size};

fn copy(shelf: &Shelf, file: &File) -> CopyAt {
    CopyAt {
        root: shelf.root,
        path: file.path.clone(),
        size: size(file.content),
        mtime_ns: 1_247_407_402_000_000_000 + i64::from(file.content),
        verified: Some(file.verified),
    }
}

#[test]
fn a_card_remembers_what_was_hashed_whole() {
    let stream = File { verified: Verified::Stream, ..raw(2) };
    let shelf = Shelf::with(&[raw(1), stream]);
    let known = shelf.catalog.card_history("ABCD-1234").unwrap();
    assert_eq!(known.len(), 1, "a file that was not read back is no basis for skipping one unread");
    let entry = &known[raw(1).source.as_bytes()];
    assert_eq!((entry.size, entry.mtime_ns, entry.hash), (size(1), 1, hash(1)));
    assert_eq!(entry.copies, [copy(&shelf, &raw(1))]);
    assert!(shelf.catalog.card_history("other").unwrap().is_empty());
}

#[test]
fn the_newest_file_at_a_path_of_a_card_wins() {
    let mut shelf = Shelf::with(&[raw(1)]);
    shelf.session = shelf.catalog.begin_session(&new_session("ABCD-1234")).unwrap();
    let other = File { source: raw(1).source, ..raw(2) };
    shelf.put(&[other]);
    let known = shelf.catalog.card_history("ABCD-1234").unwrap();
    assert_eq!(known[raw(1).source.as_bytes()].hash, hash(2));
}

#[test]
fn a_duplicate_is_known_by_the_next_card() {
    let mut shelf = Shelf::with(&[raw(1)]);
    let known = shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap();
    shelf.session = shelf.catalog.begin_session(&new_session("EEEE-0001")).unwrap();
    let duplicate = Duplicate {
        source: path("DCIM/101/COPY.CR2"),
        size: size(1),
        mtime_ns: 5,
        hash: hash(1),
        quick: None,
        of: known.file,
        intent: None,
    };
    shelf.catalog.duplicate(shelf.session, &[duplicate]).unwrap();
    let history = shelf.catalog.card_history("EEEE-0001").unwrap();
    let entry = &history[&b"DCIM/101/COPY.CR2"[..]];
    assert_eq!((entry.file, entry.mtime_ns, entry.copies.len()), (Some(known.file), 5, 1));
}

#[test]
fn quick_keys_and_sizes_are_hints() {
    let shelf = Shelf::with(&[raw(1), raw(2)]);
    let found = shelf.catalog.known_by_quick(lightfast_model::QuickKey(2), size(2)).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].hash, hash(2));
    assert!(shelf.catalog.known_by_quick(lightfast_model::QuickKey(2), size(1)).unwrap().is_empty());
    let sizes = shelf.catalog.sizes_known(&[size(1), 7, size(1)]).unwrap();
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [size(1)]);
}

#[test]
fn a_vanished_copy_stands_no_more_until_it_is_published_again() {
    let mut shelf = Shelf::with(&[raw(1)]);
    let taken = |shelf: &Shelf| shelf.catalog.paths_taken(shelf.root, &[raw(1).path, path("free")]).unwrap();
    assert_eq!(taken(&shelf).into_iter().collect::<Vec<_>>(), [raw(1).path]);
    assert!(shelf.catalog.copy_vanished(shelf.root, &raw(1).path).unwrap());
    assert!(!shelf.catalog.copy_vanished(shelf.root, &raw(1).path).unwrap());
    assert!(shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().copies.is_empty());
    assert!(shelf.catalog.card_history("ABCD-1234").unwrap()[raw(1).source.as_bytes()].copies.is_empty());
    assert!(taken(&shelf).is_empty());
    shelf.put(&[raw(1)]);
    assert_eq!(shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().copies, [copy(&shelf, &raw(1))]);
    assert_eq!(shelf.all().len(), 1, "the photo is the same as before");
}

#[test]
fn raw_and_jpeg_are_one_photo_whichever_comes_first() {
    for order in [[raw(1), File { content: 2, ..jpeg(1) }], [File { content: 2, ..jpeg(1) }, raw(1)]] {
        let mut shelf = Shelf::new();
        shelf.put(&order[..1]);
        shelf.put(&order[1..]);
        let photos = shelf.all();
        assert_eq!(photos.len(), 1);
        assert_eq!(photos[0].camera.as_deref(), Some("Canon EOS 5D Mark II"));
        assert_eq!(photos[0].width, Some(5616));
        let roles: Vec<Role> = photos[0].files.iter().map(|f| f.role).collect();
        assert_eq!(roles, [Role::Raw, Role::Jpeg]);
        assert_eq!(shelf.find("name:IMG_0001.JPG").len(), 1);
        assert_eq!(shelf.catalog.count(&lightfast_catalog::Query::all()).unwrap(), 1);
    }
}

#[test]
fn a_raw_that_could_not_be_read_takes_what_its_jpeg_says() {
    let mute = File { facts: Facts { kind: Kind::Raw, ..Facts::default() }, ..raw(1) };
    let telling = File { content: 2, facts: Facts { kind: Kind::Jpeg, ..raw(1).facts }, ..jpeg(1) };
    let shelf = Shelf::with(&[mute, telling]);
    assert_eq!(shelf.all()[0].lens.as_deref(), Some("EF70-200mm f/4L USM"));
    assert_eq!(shelf.all()[0].width, Some(5616));
}

#[test]
fn a_sidecar_waits_for_its_picture_and_alone_makes_no_photo() {
    let sidecar = File {
        role: Role::Sidecar,
        content: 9,
        path: path("2009/2009-07-12/IMG_0001.XMP"),
        source: path("DCIM/100EOS5D/IMG_0001.XMP"),
        facts: Facts { kind: Kind::Sidecar, ..Facts::default() },
        ..raw(1)
    };
    let mut shelf = Shelf::with(std::slice::from_ref(&sidecar));
    assert!(shelf.all().is_empty());
    assert!(shelf.catalog.known_by_hash(&hash(9)).unwrap().is_some());
    shelf.put(&[raw(1)]);
    assert_eq!(shelf.all()[0].files.len(), 2);
    assert_eq!(shelf.find("has:sidecar").len(), 1);
    assert_eq!(shelf.catalog.photo_by_path(&sidecar.path).unwrap().unwrap().id, photo_id(1));
}

#[test]
fn content_of_another_photo_is_a_copy_and_no_member() {
    let again = File { photo: photo_id(7), path: path("2010/copy.CR2"), source: path("B/copy.CR2"), ..raw(1) };
    let shelf = Shelf::with(&[raw(1), again]);
    let photos = shelf.all();
    assert_eq!(photos.len(), 1);
    assert_eq!(photos[0].files[0].copies.len(), 2);
}

#[test]
fn the_same_sidecar_may_belong_to_two_photos() {
    let aae = |n: u8| File {
        role: Role::Sidecar,
        content: 9,
        path: path(&format!("IMG_{n}.AAE")),
        source: path(&format!("IMG_{n}.AAE")),
        facts: Facts { kind: Kind::Sidecar, ..Facts::default() },
        ..raw(n)
    };
    let shelf = Shelf::with(&[raw(1), aae(1), raw(2), aae(2)]);
    assert!(shelf.all().iter().all(|photo| photo.files.len() == 2));
}

#[test]
fn a_name_that_is_not_utf8_keeps_its_bytes() {
    let name = BytePath::from_bytes(b"2009/\xff\xfe IMG.CR2");
    let odd = File { path: name.clone(), source: BytePath::from_bytes(b"DCIM/\xff.CR2"), ..raw(1) };
    let shelf = Shelf::with(&[odd]);
    assert_eq!(shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().copies[0].path, name);
    assert!(shelf.catalog.card_history("ABCD-1234").unwrap().contains_key(&b"DCIM/\xff.CR2"[..]));
    assert_eq!(shelf.catalog.photo_by_path(&name).unwrap().unwrap().files[0].copies[0].path, name);
    assert_eq!(shelf.find("img").len(), 1);
    let page = shelf.catalog.originals(0, 10).unwrap();
    assert_eq!(page[0].path, name);
}

//! Putting photos away, bringing them back, and what stays known when the trash was emptied.

use lightfast_catalog::{Move, Query};
use lightfast_model::{BytePath, Facts, Kind, Role};

use crate::shelf::{File, NOW, Shelf, hash, jpeg, path, photo_id, raw, today};

fn query(text: &str) -> Query {
    Query::parse(text, today()).unwrap()
}

fn nowhere(_: lightfast_catalog::RootId, taken: &BytePath) -> BytePath {
    panic!("{} is taken", taken.shown())
}

fn ends(moves: &[Move]) -> Vec<(String, String)> {
    moves.iter().map(|m| (m.from.shown(), m.to.shown())).collect()
}

#[test]
fn a_photo_goes_into_the_trash_with_all_its_files_and_comes_back() {
    let mut shelf = Shelf::with(&[raw(1), File { content: 11, ..jpeg(1) }, raw(2)]);
    let before = shelf.all();
    let gone = shelf.catalog.trash(&query("name:IMG_0001"), &[], NOW).unwrap();
    assert_eq!(gone.photos, 1);
    let bin = format!(".lightfast/trash/{}/2009/2009-07-12", photo_id(1));
    let expected = [
        ("2009/2009-07-12/IMG_0001.CR2".to_owned(), format!("{bin}/IMG_0001.CR2")),
        ("2009/2009-07-12/IMG_0001.JPG".to_owned(), format!("{bin}/IMG_0001.JPG")),
    ];
    assert_eq!(ends(&gone.moves), expected);
    assert_eq!(shelf.numbers(""), [2]);
    assert_eq!(shelf.numbers("in:trash"), [1]);
    assert_eq!(shelf.numbers("camera:5D"), [2]);
    assert!(shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().trashed);
    assert!(shelf.catalog.card_history("ABCD-1234").unwrap()[raw(1).source.as_bytes()].trashed);
    assert!(!shelf.catalog.known_by_hash(&hash(2)).unwrap().unwrap().trashed);
    assert!(shelf.catalog.paths_taken(shelf.root, &[raw(1).path]).unwrap().is_empty());
    assert_eq!(shelf.catalog.originals(0, 10).unwrap().len(), 1, "verify leaves the trash alone");
    assert_eq!(shelf.catalog.in_trash().unwrap(), gone.moves);
    assert_eq!(shelf.catalog.moves().unwrap(), gone.moves, "what may have to be finished");

    let back = shelf.catalog.restore(&query("in:trash"), NOW, &mut nowhere).unwrap();
    assert_eq!(back.photos, 1);
    let reversed: Vec<_> = expected.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
    assert_eq!(ends(&back.moves), reversed);
    assert_eq!(shelf.catalog.moves().unwrap(), back.moves);
    let rows: Vec<i64> = back.moves.iter().map(|m| m.row).collect();
    shelf.catalog.moved(&rows).unwrap();
    assert!(shelf.catalog.moves().unwrap().is_empty());
    assert_eq!(shelf.all(), before);
    assert!(!shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().trashed);
}

#[test]
fn what_took_its_place_stays_and_the_photo_comes_back_beside_it() {
    let mut shelf = Shelf::with(&[raw(1)]);
    shelf.catalog.trash(&Query::all(), &[], NOW).unwrap();
    shelf.put(&[File { path: raw(1).path, ..raw(2) }]);
    let free = path("2009/2009-07-12/IMG_0001-2.CR2");
    let back = shelf.catalog.restore(&query("in:trash"), NOW, &mut |_, _| free.clone()).unwrap();
    assert_eq!(back.moves[0].to, free);
    let stubborn = &mut |_: lightfast_catalog::RootId, taken: &BytePath| taken.clone();
    shelf.catalog.trash(&query(&format!("id:{}", photo_id(1))), &[], NOW).unwrap();
    shelf.put(&[File { path: free, ..raw(3) }]);
    assert!(shelf.catalog.restore(&query("in:trash"), NOW, stubborn).is_err());
    assert_eq!(shelf.numbers("in:trash"), [1], "nothing of it was done");
}

#[test]
fn a_sidecar_of_two_photos_stays_with_the_other() {
    let aae = |n: u8| File {
        role: Role::Sidecar,
        content: 9,
        path: path(&format!("IMG_{n}.AAE")),
        source: path(&format!("IMG_{n}.AAE")),
        facts: Facts { kind: Kind::Sidecar, ..Facts::default() },
        ..raw(n)
    };
    let mut shelf = Shelf::with(&[raw(1), aae(1), raw(2), aae(2)]);
    let gone = shelf.catalog.trash(&query("name:IMG_0001"), &[], NOW).unwrap();
    assert_eq!(gone.moves.len(), 1);
    assert!(!shelf.catalog.known_by_hash(&hash(9)).unwrap().unwrap().trashed);
}

#[test]
fn an_emptied_trash_is_gone_but_not_forgotten() {
    let mut shelf = Shelf::with(&[raw(1), raw(2)]);
    let gone = shelf.catalog.trash(&query("name:IMG_0001"), &[], NOW).unwrap();
    let revision = shelf.catalog.revision().unwrap();
    shelf.catalog.emptied(&[gone.moves[0].row], NOW).unwrap();
    assert!(shelf.catalog.revision().unwrap() > revision);
    assert!(shelf.find("in:trash").is_empty());
    assert!(shelf.catalog.in_trash().unwrap().is_empty());
    assert_eq!(shelf.catalog.emptied_from(gone.moves[0].root).unwrap(), [raw(1).path]);
    assert_eq!(shelf.catalog.restore(&Query::all(), NOW, &mut nowhere).unwrap().photos, 0);
    let known = shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap();
    assert!(known.trashed && known.copies.is_empty());
    assert!(shelf.catalog.card_history("ABCD-1234").unwrap()[raw(1).source.as_bytes()].trashed);

    // Imported again because the person asked for it: it is the photo that it was.
    shelf.put(&[File { photo: photo_id(7), path: path("again.CR2"), ..raw(1) }]);
    assert_eq!(shelf.numbers("name:IMG_0001"), [1]);
    assert!(!shelf.catalog.known_by_hash(&hash(1)).unwrap().unwrap().trashed);
}

#[test]
fn counts_leave_the_trash_out() {
    let mut file = raw(1);
    file.facts.keywords = vec!["beach".to_owned()];
    let mut shelf = Shelf::with(&[file, raw(2)]);
    let cameras = |shelf: &Shelf| shelf.catalog.facets(&Query::all()).unwrap().cameras[0].photos;
    assert_eq!((cameras(&shelf), shelf.catalog.keywords(None).unwrap().len()), (2, 1));
    shelf.catalog.trash(&query("keyword:beach"), &[], NOW).unwrap();
    assert_eq!((cameras(&shelf), shelf.catalog.keywords(None).unwrap().len()), (1, 0));
    assert_eq!(shelf.catalog.count(&Query::all()).unwrap(), 1);
    shelf.catalog.restore(&query("in:trash"), NOW, &mut nowhere).unwrap();
    assert_eq!((cameras(&shelf), shelf.catalog.keywords(None).unwrap().len()), (2, 1));
}

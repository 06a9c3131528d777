//! Marks, their log, undo and redo.

use lightfast_catalog::{Catalog, FlagChange, LabelChange, Mark, MarkOutcome, Place, Query};
use lightfast_model::{Flag, Label, Photo};

use crate::shelf::{NOW, Shelf, jpeg, photo_id, raw, today};

fn mark(shelf: &mut Shelf, query: &str, mark: &Mark) -> MarkOutcome {
    let query = Query::parse(query, today()).unwrap();
    let would = shelf.catalog.would_mark(&query, mark).unwrap();
    let did = shelf.catalog.mark(&query, mark, NOW).unwrap();
    assert_eq!((would.matched, would.changed), (did.matched, did.changed));
    did
}

fn rating(rating: u8) -> Mark {
    Mark { rating: Some(rating), ..Mark::default() }
}

fn everything() -> Mark {
    Mark {
        rating: Some(4),
        flag: Some(FlagChange::Set(Flag::Pick)),
        label: Some(LabelChange::Set(Label::Blue)),
        add_keywords: vec!["Beach".to_owned(), " ".to_owned()],
        remove_keywords: vec!["old".to_owned()],
        rotate: Some(-90),
        title: Some("Harbour".to_owned()),
        caption: Some("At dusk".to_owned()),
        creator: Some("Ada".to_owned()),
        copyright: Some("Ada 2009".to_owned()),
    }
}

#[test]
fn everything_that_can_be_marked_is_marked_undone_and_redone() {
    let mut file = raw(1);
    file.facts.keywords = vec!["old".to_owned()];
    let mut shelf = Shelf::with(&[file, raw(2)]);
    let before = shelf.all();
    let did = mark(&mut shelf, "id:0g20400g20400g20 OR name:IMG_0001", &everything());
    assert_eq!((did.matched, did.changed), (1, 1));
    let after = shelf.all();
    let photo: &Photo = &after[0];
    assert_eq!((photo.rating, photo.flag, photo.label), (4, Some(Flag::Pick), Some(Label::Blue)));
    assert_eq!(photo.keywords, ["Beach"]);
    assert_eq!((photo.title.as_deref(), photo.caption.as_deref()), (Some("Harbour"), Some("At dusk")));
    assert_eq!((photo.creator.as_deref(), photo.copyright.as_deref()), (Some("Ada"), Some("Ada 2009")));
    assert_eq!((photo.width, photo.height, photo.orientation), (Some(3744), Some(5616), Some(8)));
    assert_eq!(after[1], before[1]);
    assert_eq!(shelf.numbers("harbour dusk beach keyword:BEACH"), [1]);
    assert!(shelf.find("keyword:old").is_empty());
    assert_eq!(shelf.catalog.photos_of_step(did.step.unwrap()).unwrap(), [photo_id(1)]);

    assert_eq!(shelf.catalog.undo(1, NOW).unwrap().changed, 1);
    assert_eq!(shelf.all(), before);
    assert!(shelf.find("harbour").is_empty());
    assert_eq!(shelf.numbers("keyword:old"), [1]);
    assert_eq!(shelf.catalog.redo(1, NOW).unwrap().changed, 1);
    assert_eq!(shelf.all(), after);
    assert_eq!(shelf.numbers("harbour"), [1]);
    assert_eq!(shelf.catalog.redo(1, NOW).unwrap(), MarkOutcome::default());
}

#[test]
fn a_mark_that_changes_nothing_is_no_step() {
    let mut shelf = Shelf::with(&[raw(1), raw(2)]);
    assert_eq!(mark(&mut shelf, "", &rating(3)).changed, 2);
    let again = mark(&mut shelf, "", &rating(3));
    assert_eq!((again.matched, again.changed, again.step), (2, 0, None));
    assert_eq!(mark(&mut shelf, "", &Mark::default()).changed, 0);
    assert_eq!(mark(&mut shelf, "nothing-like-it", &rating(5)).matched, 0);
    assert_eq!(shelf.catalog.undo(1, NOW).unwrap().changed, 2);
    assert!(shelf.all().iter().all(|p| p.rating == 0));
}

#[test]
fn several_steps_are_taken_back_and_a_new_mark_forgets_them() {
    let mut shelf = Shelf::with(&[raw(1)]);
    for stars in [1, 2, 3] {
        mark(&mut shelf, "", &rating(stars));
    }
    assert_eq!(shelf.catalog.undo(2, NOW).unwrap().steps.len(), 2);
    assert_eq!(shelf.all()[0].rating, 1);
    mark(&mut shelf, "", &rating(5));
    assert_eq!(shelf.catalog.redo(9, NOW).unwrap().changed, 0);
    assert_eq!(shelf.catalog.undo(9, NOW).unwrap().steps.len(), 2);
    assert_eq!(shelf.all()[0].rating, 0);
}

#[test]
fn the_log_is_kept_when_the_catalogue_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::in_library(dir.path());
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&[raw(1)]);
    mark(&mut shelf, "", &rating(2));
    drop(shelf);
    let mut catalog = Catalog::open(&place).unwrap();
    assert_eq!(catalog.undo(1, NOW).unwrap().changed, 1);
    assert_eq!(catalog.photo(&photo_id(1)).unwrap().unwrap().rating, 0);
    assert_eq!(catalog.redo(1, NOW).unwrap().changed, 1);
}

#[test]
fn a_mark_made_during_an_import_stays_when_the_raw_comes_later() {
    let mut shelf = Shelf::new();
    shelf.put(&[crate::shelf::File { content: 2, ..jpeg(1) }]);
    mark(&mut shelf, "", &Mark { flag: Some(FlagChange::Set(Flag::Pick)), ..Mark::default() });
    let mut late = raw(1);
    late.facts.rating = Some(5);
    late.facts.title = Some("from the camera".to_owned());
    shelf.put(&[late]);
    let photo = &shelf.all()[0];
    assert_eq!((photo.rating, photo.flag, photo.title.clone()), (0, Some(Flag::Pick), None));
    assert_eq!(photo.iso, Some(1600));
}

#[test]
fn counts_follow_the_marks() {
    let mut shelf = Shelf::with(&[raw(1), raw(2), raw(3)]);
    mark(&mut shelf, "name:IMG_0001 OR name:IMG_0002", &Mark { add_keywords: vec!["x".to_owned()], ..rating(3) });
    assert_eq!(shelf.numbers("rating:3"), [1, 2]);
    assert_eq!(shelf.numbers("-keyword:x"), [3]);
    shelf.catalog.undo(1, NOW).unwrap();
    assert!(shelf.find("rating:1..").is_empty());
}

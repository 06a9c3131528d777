//! Albums and stacks: made, searched, undone, and made again from the journal.

use std::collections::BTreeMap;

use jiff::{SignedDuration, civil::date};
use lightfast_catalog::{Columns, Memory, Query, STACK_BIT, Sort, SortKey};

use crate::shelf::{File, NOW, Shelf, path, photo_id, raw, today};

fn query(text: &str) -> Query {
    Query::parse(text, today()).unwrap()
}

/// Photos of a second each.
fn at(n: u8, second: i8, tenths: i32) -> File {
    File {
        taken: date(2009, 7, 12).at(14, 0, second, tenths * 100_000_000),
        path: path(&format!("2009/IMG_{n:04}.CR2")),
        ..raw(n)
    }
}

fn rows(shelf: &Shelf, text: &str, sort: Sort) -> Vec<u32> {
    let rows = shelf.catalog.rows(&query(text), sort, None, 0).unwrap();
    let columns = Columns::default();
    assert_eq!(columns.index(&shelf.catalog, &query(text), sort).unwrap().rows, rows, "columns agree");
    rows
}

#[test]
fn an_album_holds_photos_in_an_order_of_its_own() {
    let mut shelf = Shelf::with(&[at(1, 1, 0), at(2, 2, 0), at(3, 3, 0)]);
    let all = rows(&shelf, "", Sort::default());
    let album = shelf.catalog.create_album(" Portfolio ", None, NOW).unwrap().unwrap();
    assert_eq!(shelf.catalog.create_album("PORTFOLIO", None, NOW).unwrap(), None, "the name is taken");
    assert_eq!(shelf.catalog.create_album(" ", None, NOW).unwrap(), None);
    assert_eq!(shelf.catalog.album_photos(album, &Query::of_rows(vec![all[2]]), true, NOW).unwrap().changed, 1);
    assert_eq!(shelf.catalog.album_photos(album, &Query::all(), true, NOW).unwrap().changed, 2);
    let order = Sort { key: SortKey::Album(album), descending: false };
    assert_eq!(rows(&shelf, "album:portfolio", order), [all[2], all[0], all[1]]);
    assert!(shelf.catalog.arrange_album(album, &[all[1]], Some(all[2])).unwrap());
    assert_eq!(rows(&shelf, "album:portfolio", order), [all[1], all[2], all[0]]);
    assert!(shelf.catalog.arrange_album(album, &[all[1]], None).unwrap());
    assert_eq!(rows(&shelf, "album:portfolio", order), [all[2], all[0], all[1]]);
    assert_eq!(shelf.catalog.albums().unwrap()[0].photos, 3);

    assert_eq!(shelf.catalog.album_photos(album, &Query::of_rows(vec![all[0]]), false, NOW).unwrap().changed, 1);
    assert_eq!(rows(&shelf, "album:portfolio", Sort::default()), [all[1], all[2]]);
    assert_eq!(shelf.catalog.undo(2, NOW).unwrap().changed, 3);
    assert_eq!(rows(&shelf, "album:portfolio", Sort::default()), [all[2]]);
    assert_eq!(shelf.catalog.redo(1, NOW).unwrap().changed, 2);
    assert_eq!(rows(&shelf, "album:portfolio", Sort::default()).len(), 3);
}

#[test]
fn an_album_is_renamed_and_deleted_and_undo_does_not_trip_over_it() {
    let mut shelf = Shelf::with(&[raw(1)]);
    let first = shelf.catalog.create_album("one", None, NOW).unwrap().unwrap();
    let other = shelf.catalog.create_album("two", Some("rating:3.."), NOW).unwrap().unwrap();
    assert!(!shelf.catalog.rename_album(first, "Two").unwrap());
    assert!(shelf.catalog.rename_album(first, "ONE").unwrap());
    assert_eq!(
        shelf.catalog.album_photos(other, &Query::all(), true, NOW).unwrap().changed,
        0,
        "a search has no photos"
    );
    assert_eq!(shelf.catalog.album_photos(first, &Query::all(), true, NOW).unwrap().changed, 1);
    let before = shelf.catalog.revision().unwrap();
    assert!(shelf.catalog.delete_album(first).unwrap());
    assert!(!shelf.catalog.delete_album(first).unwrap());
    assert!(shelf.catalog.revision().unwrap() > before);
    assert!(rows(&shelf, "album:one", Sort::default()).is_empty());
    shelf.catalog.undo(1, NOW).unwrap();
    shelf.catalog.redo(1, NOW).unwrap();
    let third = shelf.catalog.create_album("three", None, NOW).unwrap().unwrap();
    assert!(third > other, "numbers are not given again");
    assert_eq!(shelf.catalog.albums().unwrap().len(), 2);
}

#[test]
fn bursts_of_one_camera_are_stacked_and_undone() {
    let mut other = at(5, 1, 3);
    other.facts.serial = Some("9".to_owned());
    let mut shelf = Shelf::with(&[at(1, 1, 0), at(2, 1, 5), at(3, 2, 3), at(4, 9, 0), other]);
    let gap = SignedDuration::from_secs(1);
    let did = shelf.catalog.stack_bursts(&Query::all(), gap, NOW).unwrap();
    assert_eq!((did.matched, did.changed), (5, 3));
    let stack = format!("stack:{}", photo_id(2));
    assert_eq!(shelf.numbers(&stack), [1, 2, 3]);
    let seen = |shelf: &Shelf| {
        let closed = query("").on_top();
        let sql = shelf.catalog.index(&closed, Sort::default(), None).unwrap();
        assert_eq!(Columns::default().index(&shelf.catalog, &closed, Sort::default()).unwrap(), sql);
        sql
    };
    let closed = seen(&shelf);
    assert_eq!(closed.rows.len(), 3);
    assert_eq!(closed.marks.iter().filter(|marks| **marks & STACK_BIT != 0).count(), 1);
    assert_eq!(shelf.catalog.stack_bursts(&Query::all(), gap, NOW).unwrap().changed, 0);

    shelf.catalog.put_on_top(closed.rows[0] + 1, NOW).unwrap();
    assert_eq!(shelf.numbers(&stack), [1, 2, 3]);
    assert!(seen(&shelf).rows.contains(&(closed.rows[0] + 1)));
    // With its top in the trash, the rest is seen.
    shelf.catalog.trash(&Query::of_rows(vec![closed.rows[0] + 1]), &[], NOW).unwrap();
    assert_eq!(seen(&shelf).rows.len(), 4);
    shelf.catalog.restore(&query("in:trash"), NOW, &mut |_, path| path.clone()).unwrap();
    shelf.catalog.undo(2, NOW).unwrap();
    assert!(shelf.numbers(&stack).is_empty());
    assert_eq!(seen(&shelf).rows.len(), 5);
}

#[test]
fn stacks_are_joined_and_taken_apart_whole() {
    let mut shelf = Shelf::with(&[at(1, 1, 0), at(2, 10, 0), at(3, 20, 0), at(4, 30, 0)]);
    let named = |n: u8| query(&format!("id:{}", photo_id(n)));
    let two = |a: u8, b: u8| query(&format!("id:{} OR id:{}", photo_id(a), photo_id(b)));
    assert_eq!(shelf.catalog.stack(&named(1), NOW).unwrap().changed, 0, "one photo is no stack");
    assert_eq!(shelf.catalog.stack(&two(2, 3), NOW).unwrap().changed, 2);
    assert_eq!(shelf.catalog.stack(&two(3, 1), NOW).unwrap().changed, 3);
    assert_eq!(shelf.numbers(&format!("stack:{}", photo_id(1))), [1, 2, 3]);
    assert_eq!(shelf.catalog.unstack(&named(2), NOW).unwrap().changed, 3);
    assert!(shelf.numbers(&format!("stack:{}", photo_id(1))).is_empty());
}

#[test]
fn the_journal_remembers_albums_and_stacks() {
    let mut shelf = Shelf::with(&[at(1, 1, 0), at(2, 1, 2), at(3, 20, 0)]);
    let album = shelf.catalog.create_album("kept", None, NOW).unwrap().unwrap();
    let gone = shelf.catalog.create_album("gone", None, NOW).unwrap().unwrap();
    shelf.catalog.create_album("search", Some("rating:3.."), NOW).unwrap();
    shelf.catalog.album_photos(album, &query("name:IMG_0003"), true, NOW).unwrap();
    shelf.catalog.album_photos(gone, &Query::all(), true, NOW).unwrap();
    shelf.catalog.delete_album(gone).unwrap();
    shelf.catalog.rename_album(album, "Kept well").unwrap();
    shelf.catalog.stack_bursts(&Query::all(), SignedDuration::from_secs(1), NOW).unwrap();
    let mut files = BTreeMap::<String, String>::new();
    while let Some(batch) = shelf.catalog.journal_pending().unwrap() {
        files.entry(batch.file.clone()).or_default().push_str(&batch.text);
        shelf.catalog.journal_written(&batch).unwrap();
    }
    let mut memory = Memory::default();
    for text in files.values() {
        assert!(memory.read(text.as_bytes()).unwrap().problems.is_empty());
    }
    // The same photos on a new shelf, with other row numbers.
    let mut again = Shelf::with(&[at(9, 40, 0), at(3, 20, 0), at(2, 1, 2), at(1, 1, 0)]);
    again.catalog.restore_marks(&memory).unwrap();
    let names: Vec<String> = again.catalog.albums().unwrap().into_iter().map(|album| album.name).collect();
    assert_eq!(names, ["Kept well", "search"]);
    assert_eq!(again.numbers("album:\"kept well\""), [3]);
    assert_eq!(again.numbers(&format!("stack:{}", photo_id(1))), [1, 2]);
}

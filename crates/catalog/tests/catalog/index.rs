//! The index as columns, what changed since, counts of a query, folders.

use jiff::civil::date;
use lightfast_catalog::{
    Count, FLAG_SHIFT, FlagChange, LABEL_SHIFT, LabelChange, Mark, Query, RATING_BITS, Sort, SortKey, TURNED_SHIFT,
    VIDEO_BIT,
};
use lightfast_model::{Flag, Label, PhotoKind};

use crate::shelf::{File, NOW, Shelf, hash, path, photo_id, raw, today};

const NEWEST: Sort = Sort { key: SortKey::Taken, descending: true };

fn on_day(n: u8, day: i8) -> File {
    File {
        taken: date(2009, 7, day).at(12, 0, 0, 0),
        path: path(&format!("2009/2009-07-{day:02}/IMG_{n:04}.CR2")),
        ..raw(n)
    }
}

#[test]
fn the_index_has_the_order_the_shape_and_the_marks_of_the_photos() {
    let mut shelf = Shelf::with(&[on_day(1, 2), on_day(2, 3), File { kind: PhotoKind::Video, ..on_day(3, 1) }]);
    let rows = shelf.catalog.rows(&Query::all(), NEWEST, None, 0).unwrap();
    let mark = Mark {
        rating: Some(5),
        flag: Some(FlagChange::Set(Flag::Reject)),
        label: Some(LabelChange::Set(Label::Purple)),
        rotate: Some(270),
        ..Mark::default()
    };
    shelf.catalog.mark(&Query::of_rows(vec![rows[0]]), &mark, NOW).unwrap();
    let index = shelf.catalog.index(&Query::all(), NEWEST, None).unwrap();
    assert_eq!(index.rows, rows);
    assert_eq!(index.taken[0] - index.taken[1], 86_400);
    assert_eq!(index.aspect, [666, 1500, 1500]);
    let marks = index.marks[0];
    assert_eq!(marks & RATING_BITS, 5);
    assert_eq!((marks >> FLAG_SHIFT & 3, marks >> LABEL_SHIFT & 7, marks >> TURNED_SHIFT & 3), (2, 5, 3));
    assert_eq!((index.marks[1], index.marks[2]), (0, VIDEO_BIT));
    assert_eq!(index.revision, shelf.catalog.revision().unwrap());
    assert_eq!(u32::try_from(index.rows.len()).unwrap(), index.last_row);
    assert!(index.gone.is_empty());
}

#[test]
fn only_what_changed_since_a_revision_can_be_asked_for() {
    let mut shelf = Shelf::with(&[on_day(1, 1), on_day(2, 2)]);
    let unmarked = Query::parse("flag:none", today()).unwrap();
    let before = shelf.catalog.index(&unmarked, NEWEST, None).unwrap();
    let nothing = shelf.catalog.index(&unmarked, NEWEST, Some(before.revision)).unwrap();
    assert_eq!((nothing.rows.len(), nothing.gone.len()), (0, 0));
    let mark = Mark { flag: Some(FlagChange::Set(Flag::Pick)), ..Mark::default() };
    shelf.catalog.mark(&Query::of_rows(vec![before.rows[0]]), &mark, NOW).unwrap();
    shelf.put(&[on_day(3, 3)]);
    let changes = shelf.catalog.index(&unmarked, NEWEST, Some(before.revision)).unwrap();
    assert_eq!(changes.gone, [before.rows[0]]);
    assert_eq!(changes.rows, [changes.last_row]);
    assert!(changes.revision > before.revision);
}

#[test]
fn counts_kept_for_all_and_counted_for_a_query_agree() {
    let mut other = on_day(2, 2);
    other.facts.model = Some("D70".to_owned());
    other.facts.keywords = vec!["beach".to_owned()];
    other.taken = date(2010, 1, 5).at(1, 2, 3, 0);
    let shelf = Shelf::with(&[on_day(1, 1), other, on_day(3, 3)]);
    let kept = shelf.catalog.facets(&Query::all()).unwrap();
    assert_eq!(shelf.catalog.facets(&Query::parse("rating:0..", today()).unwrap()).unwrap(), kept);
    let count = |value: &str, photos| Count { value: value.to_owned(), photos };
    assert_eq!(kept.months, [count("2010-01", 1), count("2009-07", 2)]);
    assert_eq!(kept.cameras, [count("Canon EOS 5D Mark II", 2), count("D70", 1)]);
    assert_eq!(kept.keywords, [count("beach", 1)]);
    assert!(shelf.catalog.facets(&Query::parse("nowhere", today()).unwrap()).unwrap().months.is_empty());
}

#[test]
fn folders_are_listed_a_level_at_a_time_and_without_their_files() {
    let file = |n: u8, at: &str| File { path: path(at), ..raw(n) };
    let shelf = Shelf::with(&[
        file(1, "2009/2009-07-01/a.CR2"),
        file(2, "2009/2009-07-01/b.CR2"),
        file(3, "2009/2009-07-02/a.CR2"),
        file(4, "2009-extra/a.CR2"),
        file(5, "2010/a.CR2"),
        file(6, "loose.CR2"),
        file(7, "zoo/a/b/c.CR2"),
    ]);
    let folders = |under: &str| shelf.catalog.folders(shelf.root, &path(under)).unwrap();
    // As the bytes of paths sort: the hyphen is before the slash.
    assert_eq!(folders(""), ["2009-extra", "2009", "2010", "zoo"].map(path));
    assert_eq!(folders("2009"), ["2009/2009-07-01", "2009/2009-07-02"].map(path));
    assert_eq!(folders("zoo/a/"), [path("zoo/a/b")]);
    assert!(folders("2010").is_empty());
    assert!(folders("nowhere").is_empty());
}

#[test]
fn a_photo_s_contents_are_found_by_its_row() {
    let shelf = Shelf::with(&[on_day(7, 1)]);
    let row = shelf.catalog.rows(&Query::all(), NEWEST, None, 0).unwrap()[0];
    assert_eq!(shelf.catalog.row_of_photo(&photo_id(7)).unwrap(), Some(row));
    assert_eq!(shelf.catalog.row_of_photo(&photo_id(8)).unwrap(), None);
    assert_eq!(shelf.catalog.contents_of_row(row).unwrap(), [hash(7)]);
    assert!(shelf.catalog.contents_of_row(row + 1).unwrap().is_empty());
    assert_eq!(shelf.catalog.made().unwrap(), None, "a catalogue in memory was made at no time");
}

#[test]
fn a_mark_hits_the_chosen_rows_and_no_others() {
    let mut shelf = Shelf::with(&[on_day(1, 1), on_day(2, 2)]);
    let rows = shelf.catalog.rows(&Query::all(), NEWEST, None, 0).unwrap();
    let mark = Mark { rating: Some(3), ..Mark::default() };
    let did = shelf.catalog.mark(&Query::of_rows(vec![rows[0], 9999]), &mark, NOW).unwrap();
    assert_eq!((did.matched, did.changed), (1, 1));
    assert_eq!(shelf.catalog.mark(&Query::of_rows(Vec::new()), &mark, NOW).unwrap().matched, 0);
}

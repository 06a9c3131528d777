//! The query language, by what it finds and by what it refuses.

use jiff::civil::date;
use lightfast_catalog::{FIELDS, FlagChange, LabelChange, Mark, Query};
use lightfast_model::{Facts, Flag, Gps, Kind, Label, PhotoKind, Role};
use proptest::prelude::*;

use crate::shelf::{File, NOW, Shelf, jpeg, path, photo_id, raw, today};

/// Five photos that differ in everything that is asked.
fn shelf() -> Shelf {
    let mut first = raw(1);
    first.facts.keywords = vec!["beach".to_owned(), "two words".to_owned()];
    first.facts.title = Some("Évora at night".to_owned());
    let mut second = File { taken: date(2009, 8, 1).at(0, 0, 0, 0), ..raw(2) };
    second.facts.iso = Some(400);
    second.facts.iso_auto = Some(false);
    second.facts.aperture = Some(2.828);
    second.facts.focal_length = Some(50.4);
    second.facts.lens = Some("EF50mm f/1.8 II".to_owned());
    second.facts.gps = Some(Gps { latitude: 1.0, longitude: 2.0, altitude: None });
    let mut third = File { taken: date(2010, 1, 1).at(0, 0, 0, 0), path: path("2010/IMG_0003.JPG"), ..jpeg(3) };
    third.facts.make = Some("SONY".to_owned());
    third.facts.model = Some("ILCE-7M3".to_owned());
    third.facts.rating = Some(4);
    let fourth = File {
        role: Role::Video,
        kind: PhotoKind::Video,
        facts: Facts { kind: Kind::Video, format: Some("MOV"), ..Facts::default() },
        path: path("2009/MVI_0004.MOV"),
        source: path("MVI_0004.MOV"),
        taken: date(2009, 7, 31).at(23, 59, 59, 0),
        ..raw(4)
    };
    let mut shelf = Shelf::with(&[first, second, third, fourth]);
    let rejected = Mark {
        flag: Some(FlagChange::Set(Flag::Reject)),
        label: Some(LabelChange::Set(Label::Red)),
        ..Mark::default()
    };
    shelf.catalog.mark(&Query::parse("kind:video", today()).unwrap(), &rejected, NOW).unwrap();
    shelf
}

#[test]
fn every_condition_finds_what_it_says() {
    let shelf = shelf();
    let cases: &[(&str, &[u8])] = &[
        ("", &[1, 4, 2, 3]),
        ("camera:5D", &[1, 2]),
        ("camera:sony", &[3]),
        ("CAMERA:\"5d mark ii\"", &[1, 2]),
        ("make:canon", &[1, 2]),
        ("lens:70-200", &[1]),
        ("serial:0123", &[1, 2]),
        ("iso:1600", &[1]),
        ("iso:..1600", &[1, 2]),
        ("iso:>400", &[1]),
        ("iso:>=400", &[1, 2]),
        ("iso:<1600", &[2]),
        ("aperture:2.8", &[2]),
        ("aperture:..2.8", &[2]),
        ("aperture:f/4", &[1]),
        ("focal:50", &[2]),
        ("focal:100..200mm", &[1]),
        ("taken:2009", &[1, 4, 2]),
        ("taken:2009-07", &[1, 4]),
        ("taken:2009-07-12", &[1]),
        ("taken:2009-07-12T14", &[1]),
        ("taken:2009-07-12T14:03:22", &[1]),
        ("taken:2009-07-12T15", &[]),
        ("taken:2009-07-12..2009-07-31", &[1, 4]),
        ("taken:2009-08..", &[2, 3]),
        ("taken:..2009-07", &[1, 4]),
        ("taken:>2009", &[3]),
        ("imported:2027-01-15", &[1, 4, 2, 3]),
        ("imported:today", &[]),
        ("rating:3..", &[3]),
        ("rating:0", &[1, 4, 2]),
        ("flag:reject", &[4]),
        ("flag:none", &[1, 2, 3]),
        ("label:red", &[4]),
        ("label:none", &[1, 2, 3]),
        ("keyword:beach", &[1]),
        ("keyword:Beach", &[1]),
        ("keyword:bea", &[]),
        ("keyword:\"two words\"", &[1]),
        ("type:raw", &[1, 2]),
        ("type:jpg", &[3]),
        ("type:cr2", &[1, 2]),
        ("type:mov", &[4]),
        ("kind:video", &[4]),
        ("job:wed", &[1, 4, 2, 3]),
        ("has:gps", &[2]),
        ("has:conflict", &[]),
        ("has:keyword", &[1]),
        ("has:title", &[1]),
        ("iso-mode:auto", &[1]),
        ("iso-mode:manual", &[2]),
        ("iso-mode:unknown", &[4, 3]),
        ("name:IMG_0003", &[3]),
        ("path:2010/", &[3]),
        ("title:évo", &[1]),
        ("session:1", &[1, 4, 2, 3]),
        ("in:trash", &[]),
        ("not:keyword:beach", &[4, 2, 3]),
        ("-keyword:beach", &[4, 2, 3]),
        ("-camera:canon", &[4, 3]),
        ("-iso:400", &[1, 4, 3]),
        ("--kind:video", &[4]),
        ("NOT kind:video -camera:sony", &[1, 2]),
        ("beach", &[1]),
        ("bea", &[1]),
        ("\"bea\"", &[]),
        ("\"mark ii\"", &[1, 2]),
        ("evora", &[1]),
        ("IMG_0001", &[1]),
        ("img_0001.cr2", &[1]),
        ("70-200", &[1]),
        ("70-200mm", &[1]),
        ("5D", &[1, 2]),
        ("sony OR beach", &[1, 3]),
        ("sony OR beach camera:canon", &[1, 3]),
        ("(sony OR beach) camera:canon", &[1]),
        ("(sony OR beach) AND NOT camera:canon", &[3]),
        ("-(sony OR beach)", &[4, 2]),
        ("2009/2009-07-12", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(shelf.numbers(query), *expected, "{query}");
    }
    assert_eq!(shelf.numbers(&format!("id:{}", photo_id(3))), [3]);
}

#[test]
fn a_day_of_import_is_a_day_where_the_person_lives() {
    let mut shelf = Shelf::with(&[raw(1)]);
    assert_eq!(shelf.numbers("imported:2027-01-15T08"), [1]);
    shelf.catalog.set_zone(jiff::tz::TimeZone::fixed(jiff::tz::offset(10)));
    assert_eq!(shelf.numbers("imported:2027-01-15T18"), [1]);
}

#[test]
fn what_is_wrong_says_where_and_what_would_be_right() {
    let cases = [
        (
            "cameera:5D",
            "character 1: there is no field `cameera`; did you mean `camera`? (to search for the words, put them in quotes)",
        ),
        ("beach xyzzy:1", "character 7: there is no field `xyzzy` (to search for the words, put them in quotes)"),
        ("iso:many", "character 5: `many` is not a number"),
        ("rating:6", "character 8: a rating is 0 to 5"),
        ("rating:..", "character 8: a range needs at least one end, as in `3..` or `..5`"),
        (
            "taken:2009-13",
            "character 7: `2009-13` is not a date: use `2009`, `2009-07`, `2009-07-12`, `2009-07-12T14:03`, `today` or `yesterday`",
        ),
        ("flag:maybe", "character 6: `maybe` is none of pick, reject, none"),
        ("camera:", "character 8: `camera:` needs a value, as in `camera:5D`"),
        ("(beach", "character 1: this parenthesis is not closed"),
        ("beach)", "character 6: this parenthesis was never opened"),
        ("()", "character 1: these parentheses are empty"),
        ("beach OR", "character 9: it ends where something to search for was expected"),
        ("é \"open", "character 3: the quote is not closed"),
        (
            "OR beach",
            "character 1: something to search for was expected before this word; to search for the word itself, put it in quotes",
        ),
    ];
    for (query, expected) in cases {
        let error = Query::parse(query, today()).unwrap_err();
        assert_eq!(error.to_string(), format!("the query is wrong at {expected}"), "{query}");
    }
    let deep = "(".repeat(4000) + "x" + &")".repeat(4000);
    assert!(Query::parse(&deep, today()).unwrap_err().problem.contains("too deeply"));
    assert!(Query::parse(&"x ".repeat(4000), today()).unwrap_err().problem.contains("too many"));
    assert!(Query::parse(&"x".repeat(20_000), today()).unwrap_err().problem.contains("longer"));
}

#[test]
fn the_examples_of_the_help_are_queries() {
    let shelf = shelf();
    for field in FIELDS {
        assert!(field.example.starts_with(field.name), "{}", field.name);
        shelf.find(field.example);
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_every_query_can_be_asked(text in "\\PC{0,60}") {
        if let Ok(query) = Query::parse(&text, today()) {
            prop_assert!(Shelf::new().catalog.count(&query).is_ok());
        }
    }

    #[test]
    fn no_text_of_the_language_s_own_pieces_panics(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "(", ")", " OR ", " AND ", " ", "-", "not:", "\"", "\\", "camera:", "iso:", "taken:", "rating:",
                "1..2", "..", ">=", "3", "2009-07", "2009-02-30", "today", "T14:03", "keyword:", "x", "é", "'", "*", "^", "\0",
            ]),
            0..25,
        )
    ) {
        let text = pieces.concat();
        if let Ok(query) = Query::parse(&text, today()) {
            prop_assert!(Shelf::new().catalog.count(&query).is_ok(), "{}", text);
        }
    }

    #[test]
    fn a_word_finds_the_photo_that_has_it(word in "[a-zß-öø-ž0-9]{1,12}") {
        let mut file = raw(1);
        file.facts.title = Some(format!("some {word} here"));
        let shelf = Shelf::with(&[file]);
        let text = format!("\"{word}\"");
        prop_assert_eq!(shelf.find(&text).len(), 1);
    }

    #[test]
    fn a_denial_finds_the_rest(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "camera:5D", "iso:400", "rating:3..", "has:gps", "kind:video", "beach", "keyword:beach", "lens:50",
            "taken:2009-07", "flag:reject", "type:raw", "iso-mode:auto",
        ]), 1..4), or in any::<bool>())
    {
        let shelf = shelf();
        let inner = pieces.join(if or { " OR " } else { " " });
        let found = shelf.find(&format!("({inner})")).len();
        prop_assert_eq!(shelf.find(&format!("-({inner})")).len(), 4 - found);
    }
}

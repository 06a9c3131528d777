//! Trees of clips that refer to each other: copied whole, unrenamed, in a container of their own.

use lightfast_catalog::{Catalog, Place, Query};
use lightfast_model::Match;
use lightfast_testkit::TestCard;

use crate::support::{Said, TestLibrary, noise, run};

fn at(hour: i8) -> jiff::civil::DateTime {
    jiff::civil::date(2023, 4, 1).at(hour, 0, 0, 0)
}

fn avchd(seed: u64) -> TestCard {
    TestCard::new()
        .file_dated("PRIVATE/AVCHD/BDMV/INDEX.BDM", noise(seed, 300), at(9))
        .file_dated("PRIVATE/AVCHD/BDMV/CLIPINF/00000.CPI", noise(seed + 1, 400), at(9))
        .file_dated("PRIVATE/AVCHD/BDMV/STREAM/00000.MTS", noise(seed + 2, 90_000), at(9))
        .file_dated("PRIVATE/AVCHD/BDMV/STREAM/00001.MTS", noise(seed + 3, 90_000), at(10))
}

fn named(library: &TestLibrary, card: &TestCard, template: &str) -> Said {
    let mut options = library.options(card.path());
    options.name = template.parse().unwrap();
    run(options).unwrap()
}

#[test]
fn a_tree_is_kept_whole_in_a_container_of_its_first_clips_time() {
    let card = avchd(1).file_dated("DCIM/100/DSC00001.JPG", noise(9, 500), at(11));
    let library = TestLibrary::new();
    assert!(named(&library, &card, "{year}/{date}/{seq:4}").is_safe());
    let names = library.names();
    let inside = "2023/2023-04-01/09-00-00-AVCHD/PRIVATE/AVCHD/BDMV";
    for path in ["INDEX.BDM", "CLIPINF/00000.CPI", "STREAM/00000.MTS", "STREAM/00001.MTS"] {
        assert!(names.contains(&format!("{inside}/{path}")), "{path} in {names:?}");
    }
    assert_eq!(names.len(), 5);
    let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
    assert_eq!(catalog.count(&Query::all()).unwrap(), 3, "two clips and a still; an index is no photo");
}

#[test]
fn a_second_card_of_the_same_second_gets_a_container_of_its_own_and_nothing_inside_is_renamed() {
    let library = TestLibrary::new();
    assert!(library.import(avchd(1).path()).is_safe());
    assert!(library.import(avchd(11).path()).is_safe());
    let names = library.names();
    assert_eq!(names.len(), 8);
    assert_eq!(names.iter().filter(|name| name.contains("/09-00-00-AVCHD-2/PRIVATE/AVCHD/BDMV/")).count(), 4);
    assert!(names.iter().all(|name| !name.contains("-2.")), "{names:?}");
}

#[test]
fn a_card_that_was_filled_further_gives_its_new_clips_alone() {
    let library = TestLibrary::new();
    let card = avchd(1);
    assert!(library.import(card.path()).is_safe());
    let card = card.file_dated("PRIVATE/AVCHD/BDMV/STREAM/00002.MTS", noise(5, 90_000), at(12));
    let said = library.import(card.path());
    assert_eq!(said.counts(), (1, 4, 0, 0, 0));
    let inside = "2023/2023-04-01/09-00-00-AVCHD/PRIVATE/AVCHD/BDMV/STREAM/00002.MTS";
    assert!(library.names().contains(&inside.to_owned()), "{:?}", library.names());
    // The index was written anew: the same name with another content moves to a container of its own.
    let card = card.file_dated("PRIVATE/AVCHD/BDMV/INDEX.BDM", noise(6, 350), at(13)).file_dated(
        "PRIVATE/AVCHD/BDMV/STREAM/00003.MTS",
        noise(7, 90_000),
        at(13),
    );
    let said = library.import(card.path());
    assert_eq!(said.counts(), (2, 4, 0, 0, 0));
    assert!(said.is_safe());
    let again: Vec<String> = library.names().into_iter().filter(|name| name.contains("13-00-00-AVCHD/")).collect();
    assert_eq!(again.len(), 2, "{:?}", library.names());
}

#[test]
fn clips_of_a_tree_on_another_card_are_duplicates_one_by_one() {
    let library = TestLibrary::new();
    assert!(library.import(avchd(1).path()).is_safe());
    let copy = avchd(1);
    let said = library.import(copy.path());
    assert_eq!(said.counts(), (0, 4, 0, 0, 0));
    assert!(said.files.iter().all(|file| file.matched == Some(Match::Full)));
    assert_eq!(library.names().len(), 4);
}

#[test]
fn xavc_p2_xdcam_red_and_braw_trees_keep_every_name() {
    let trees: [(&str, &[&str]); 5] = [
        ("XAVC", &["PRIVATE/M4ROOT/CLIP/C0001.MP4", "PRIVATE/M4ROOT/CLIP/C0001M01.XML", "PRIVATE/M4ROOT/MEDIAPRO.XML"]),
        ("P2", &["CONTENTS/VIDEO/0001AB.MXF", "CONTENTS/AUDIO/0001AB00.MXF", "CONTENTS/CLIP/0001AB.XML"]),
        ("XDCAM", &["XDROOT/Clip/C0001.MXF", "XDROOT/Clip/C0001M01.XML", "XDROOT/INDEX.XML"]),
        ("RED", &["A001.RDM/A001_C001.RDC/A001_C001_001.R3D", "A001.RDM/A001_C001.RDC/A001_C001_002.R3D"]),
        ("BRAW", &["A001/A001_01.braw", "A001/A001_01.sidecar"]),
    ];
    for (name, paths) in trees {
        let mut card = TestCard::new();
        for (seed, path) in (1..).zip(paths) {
            card = card.file_dated(path, noise(seed, 3000), at(9));
        }
        let library = TestLibrary::new();
        assert!(named(&library, &card, "{date}/{seq}").is_safe());
        let mut expected: Vec<String> = paths.iter().map(|path| format!("2023-04-01/09-00-00-{name}/{path}")).collect();
        expected.sort();
        assert_eq!(library.names(), expected);
        let catalog = Catalog::open_read_only(&Place::in_library(library.path())).unwrap();
        assert_eq!(catalog.count(&Query::all()).unwrap(), 1, "{name}");
    }
}

//! Sessions, their journal, and what a cut between batches leaves.

use lightfast_catalog::{Catalog, Failed, Place, Query, SessionCounts, Sort};
use lightfast_model::SessionId;

use crate::shelf::{File, NOW, Shelf, jpeg, new_session, photo_id, raw};

#[test]
fn an_intent_comes_back_whole_until_it_is_settled() {
    let mut shelf = Shelf::new();
    let files = [raw(1), raw(2), raw(3), raw(4)];
    let intents = shelf.intend(&files);
    let open = shelf.catalog.unfinished().unwrap();
    assert_eq!(open.len(), 4);
    assert_eq!(open[0].id, intents[0]);
    assert_eq!(open[0].intent.photo, photo_id(1));
    assert_eq!(open[0].intent.source, files[0].source);
    assert_eq!(open[0].intent.seq, Some(7));
    assert_eq!(open[0].card, "ABCD-1234");

    let published = Shelf::published(&files, &intents);
    shelf.catalog.publish(shelf.session, &published[..1]).unwrap();
    let failure = Failed {
        intent: intents[1],
        step: "read".to_owned(),
        errno: Some(5),
        offset: Some(4096),
        reason: "input/output error".to_owned(),
    };
    shelf.catalog.fail(shelf.session, &[failure]).unwrap();
    shelf.catalog.abandon(&intents[2..3], "nothing to adopt").unwrap();
    let open: Vec<_> = shelf.catalog.unfinished().unwrap().into_iter().map(|u| u.id).collect();
    assert_eq!(open, [intents[3]]);
}

#[test]
fn intents_of_a_session_that_was_cut_off_can_still_be_published() {
    let mut shelf = Shelf::new();
    let file = [raw(1)];
    let intents = shelf.intend(&file);
    let old = shelf.session;
    assert_eq!(shelf.catalog.close_interrupted(NOW).unwrap(), 1);
    shelf.session = shelf.catalog.begin_session(&new_session("ABCD-1234")).unwrap();
    shelf.catalog.publish(old, &Shelf::published(&file, &intents)).unwrap();
    assert!(shelf.catalog.unfinished().unwrap().is_empty());
    assert_eq!(shelf.all().len(), 1);
}

#[test]
fn publishing_the_same_again_changes_nothing() {
    let mut shelf = Shelf::new();
    let files = [raw(1), jpeg(1)];
    let intents = shelf.put(&files);
    let before = shelf.all();
    shelf.catalog.publish(shelf.session, &Shelf::published(&files, &intents)).unwrap();
    assert_eq!(shelf.all(), before);
}

#[test]
fn a_batch_with_one_wrong_file_leaves_nothing_of_it() {
    let mut shelf = Shelf::new();
    let files = [raw(1), raw(2)];
    let mut intents = shelf.intend(&files);
    intents[1].0 += 100;
    let published = Shelf::published(&files, &intents);
    assert!(shelf.catalog.publish(shelf.session, &published).is_err());
    assert!(shelf.all().is_empty());
    assert_eq!(shelf.catalog.unfinished().unwrap().len(), 2);
    assert!(shelf.catalog.card_history("ABCD-1234").unwrap().is_empty());
}

#[test]
fn a_session_keeps_its_counts_and_verdict() {
    let mut shelf = Shelf::new();
    let counts = SessionCounts { files_seen: 3, copied: 2, ignored: 1, bytes_copied: 9, ..SessionCounts::default() };
    shelf.catalog.close_session(shelf.session, &counts, NOW, Some(true)).unwrap();
    let session = &shelf.catalog.sessions(Some(1)).unwrap()[0];
    assert_eq!(session.counts, Some(counts));
    assert_eq!((session.safe, session.ended), (Some(true), Some(NOW)));
    assert_eq!(session.job.as_deref(), Some("wedding"));
    assert_eq!(shelf.catalog.session(shelf.session).unwrap().as_ref(), Some(session));
    assert!(shelf.catalog.close_session(SessionId(99), &counts, NOW, None).is_err());
}

/// Copies the files of a catalogue while it is open: what a kill at that moment leaves on disk.
fn as_a_kill_leaves_it(place: &Place) -> (tempfile::TempDir, Place) {
    let dir = tempfile::tempdir().unwrap();
    let left = Place::in_library(dir.path());
    std::fs::create_dir_all(left.dir()).unwrap();
    for name in ["catalog.db", "catalog.db-wal"] {
        let bytes = std::fs::read(place.dir().join(name)).unwrap();
        std::fs::write(left.dir().join(name), bytes).unwrap();
    }
    (dir, left)
}

#[test]
fn a_kill_between_batches_leaves_whole_batches() {
    let library = tempfile::tempdir().unwrap();
    let place = Place::in_library(library.path());
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    let files: Vec<File> = (1..=40).map(raw).collect();
    let intents = shelf.intend(&files);
    let published = Shelf::published(&files, &intents);
    for (batch, files) in published.chunks(8).enumerate() {
        let (_dir, left) = as_a_kill_leaves_it(&place);
        let survived = Catalog::open(&left).unwrap();
        let photos = survived.photos(&Query::all(), Sort::default(), None, 0).unwrap();
        assert_eq!(photos.len(), batch * 8);
        assert_eq!(survived.unfinished().unwrap().len(), 40 - batch * 8);
        assert!(photos.iter().all(|p| p.files.iter().all(|f| f.copies.len() == 1)));
        shelf.catalog.publish(shelf.session, files).unwrap();
    }
}

#[test]
fn a_torn_tail_of_the_log_loses_the_last_batch_alone() {
    let library = tempfile::tempdir().unwrap();
    let place = Place::in_library(library.path());
    let mut shelf = Shelf::on(Catalog::create(&place, NOW).unwrap());
    shelf.put(&[raw(1)]);
    let whole = std::fs::metadata(place.dir().join("catalog.db-wal")).unwrap().len();
    shelf.put(&[raw(2)]);
    let (_dir, left) = as_a_kill_leaves_it(&place);
    let log = left.dir().join("catalog.db-wal");
    let length = std::fs::metadata(&log).unwrap().len();
    assert!(length > whole);
    for cut in [length - 1, length - 5000, whole + 1] {
        let (_dir, left) = as_a_kill_leaves_it(&place);
        let log = std::fs::File::options().write(true).open(left.dir().join("catalog.db-wal")).unwrap();
        log.set_len(cut).unwrap();
        let survived = Catalog::open(&left).unwrap();
        assert_eq!(survived.count(&Query::all()).unwrap(), 1, "cut at {cut} of {length}");
    }
}

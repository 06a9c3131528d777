//! The journal's lines, and a catalogue made again from them and the files.

use std::collections::BTreeMap;

use lightfast_catalog::{Catalog, FlagChange, Found, LabelChange, Mark, Memory, Query, SessionCounts, Sort};
use lightfast_model::{BytePath, CaptureTime, Flag, Label, Photo, PhotoKind, QuickKey, TimeSource, Verified};

use crate::shelf::{File, NOW, Shelf, hash, jpeg, path, photo_id, raw, size, today};

fn query(text: &str) -> Query {
    Query::parse(text, today()).unwrap()
}

/// Writes what is due, as a caller does, into files in memory.
fn drain(catalog: &mut Catalog, files: &mut BTreeMap<String, String>) -> usize {
    let mut batches = 0;
    while let Some(batch) = catalog.journal_pending().unwrap() {
        files.entry(batch.file.clone()).or_default().push_str(&batch.text);
        catalog.journal_written(&batch).unwrap();
        batches += 1;
    }
    batches
}

fn remember(files: &BTreeMap<String, String>) -> Memory {
    let mut memory = Memory::default();
    for text in files.values() {
        assert_eq!(memory.read(text.as_bytes()).unwrap().problems, Vec::<String>::new());
    }
    memory
}

fn found(file: &File, root: lightfast_catalog::RootId) -> Found {
    Found {
        root,
        path: file.path.clone(),
        hash: hash(file.content),
        changed: false,
        quick: Some(QuickKey(u128::from(file.content))),
        size: size(file.content),
        mtime_ns: 1_247_407_402_000_000_000 + i64::from(file.content),
        verified: None,
        facts: Some(file.facts.clone()),
        // What the walk alone would say: another name and a guess.
        taken: CaptureTime {
            local: jiff::civil::date(1999, 1, 1).at(0, 0, 0, 0),
            fraction_digits: 0,
            utc_offset: None,
            from: TimeSource::File,
        },
        kind: PhotoKind::Photo,
        photo: photo_id(200u8.wrapping_add(file.content)),
        role: file.role,
    }
}

fn again(files: &BTreeMap<String, String>, on_disk: &[File]) -> Catalog {
    let memory = remember(files);
    let mut catalog = Catalog::in_memory().unwrap();
    let root = catalog.root_for("root-1", std::path::Path::new("/library")).unwrap();
    catalog.restore_sessions(&memory).unwrap();
    let on_disk: Vec<Found> = on_disk.iter().map(|file| found(file, root)).collect();
    for batch in on_disk.chunks(2) {
        catalog.restore_files(&memory, batch, NOW).unwrap();
    }
    catalog.restore_marks(&memory).unwrap();
    catalog
}

fn all(catalog: &Catalog) -> Vec<Photo> {
    catalog.photos(&Query::all(), Sort::default(), None, 0).unwrap()
}

#[test]
fn a_catalogue_made_again_is_what_it_was() {
    let odd =
        File { path: BytePath::from_bytes(b"2009/\xff.CR2"), source: BytePath::from_bytes(b"DCIM/\xff.CR2"), ..raw(3) };
    let files = [raw(1), File { content: 11, ..jpeg(1) }, raw(2), odd];
    let mut shelf = Shelf::with(&files);
    let counts = SessionCounts { files_seen: 4, copied: 4, ..SessionCounts::default() };
    shelf.catalog.close_session(shelf.session, &counts, NOW, Some(true)).unwrap();
    let mark = Mark {
        rating: Some(4),
        flag: Some(FlagChange::Set(Flag::Pick)),
        label: Some(LabelChange::Set(Label::Blue)),
        add_keywords: vec!["Beach".to_owned()],
        rotate: Some(90),
        title: Some("Harbour".to_owned()),
        ..Mark::default()
    };
    shelf.catalog.mark(&query("name:IMG_0001"), &mark, NOW).unwrap();
    shelf.catalog.mark(&query("name:IMG_0002"), &Mark { rating: Some(1), ..Mark::default() }, NOW).unwrap();
    shelf.catalog.mark(&query("name:IMG_0002"), &Mark { rating: Some(2), ..Mark::default() }, NOW).unwrap();

    let mut journals = BTreeMap::new();
    assert_eq!(drain(&mut shelf.catalog, &mut journals), 2, "a session and the marks");
    assert_eq!(journals.keys().collect::<Vec<_>>(), ["marks-000000.jsonl", "session-000001-20270115T080000Z.jsonl"]);
    // Undone later: journaled anew.
    shelf.catalog.undo(1, NOW).unwrap();
    assert_eq!(drain(&mut shelf.catalog, &mut journals), 1);
    assert_eq!(drain(&mut shelf.catalog, &mut journals), 0);

    let made = again(&journals, &files);
    assert_eq!(all(&made), shelf.all());
    assert_eq!(made.sessions(None).unwrap(), shelf.catalog.sessions(None).unwrap());
    assert_eq!(made.card_history("ABCD-1234").unwrap(), shelf.catalog.card_history("ABCD-1234").unwrap());
    assert_eq!(made.count(&query("harbour beach 5D")).unwrap(), 1);
    assert!(made.journal_pending().unwrap().is_none(), "nothing of it has to be written again");

    // Twice the same lines, and another order of the files: the same.
    let twice: BTreeMap<String, String> = journals.iter().map(|(k, v)| (k.clone(), format!("{v}{v}"))).collect();
    let mut backwards = files.clone();
    backwards.reverse();
    let (mut a, mut b) = (all(&again(&twice, &backwards)), shelf.all());
    a.sort_by(|a, b| a.id.cmp(&b.id));
    b.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(a, b);
}

#[test]
fn without_a_journal_the_files_alone_make_photos() {
    let made = again(&BTreeMap::new(), &[raw(1), raw(2)]);
    let photos = all(&made);
    assert_eq!(photos.len(), 2);
    assert_eq!(photos[0].id, photo_id(201));
    assert_eq!(photos[0].iso, Some(1600));
}

#[test]
fn a_moved_file_is_the_photo_that_it_was() {
    let mut shelf = Shelf::with(&[raw(1)]);
    shelf.catalog.close_session(shelf.session, &SessionCounts::default(), NOW, None).unwrap();
    let mut journals = BTreeMap::new();
    drain(&mut shelf.catalog, &mut journals);
    let moved = File { path: path("elsewhere/renamed.CR2"), ..raw(1) };
    let made = again(&journals, &[moved]);
    let photos = all(&made);
    assert_eq!(photos[0].id, photo_id(1));
    assert_eq!(photos[0].files[0].copies[0].verified, None, "nothing was proven at this place");
}

#[test]
fn the_trash_and_what_was_emptied_stay_put_away() {
    let mut shelf = Shelf::with(&[raw(1), raw(2), raw(3)]);
    shelf.catalog.close_session(shelf.session, &SessionCounts::default(), NOW, None).unwrap();
    let gone = shelf.catalog.trash(&query("name:IMG_0001 OR name:IMG_0002"), &[], NOW).unwrap();
    shelf.catalog.emptied(&[gone.moves[1].row], NOW).unwrap();
    let mut journals = BTreeMap::new();
    drain(&mut shelf.catalog, &mut journals);
    let in_trash = File { path: gone.moves[0].to.clone(), ..raw(1) };
    let mut made = again(&journals, &[in_trash, raw(3)]);
    assert_eq!(all(&made).len(), 1);
    assert_eq!(made.count(&query("in:trash")).unwrap(), 1);
    for n in [1, 2] {
        assert!(made.known_by_hash(&hash(n)).unwrap().unwrap().trashed, "{n}");
    }
    assert!(!made.known_by_hash(&hash(3)).unwrap().unwrap().trashed);
    let back = made.restore(&query("in:trash"), NOW, &mut |_, _| panic!("free")).unwrap();
    assert_eq!(back.moves[0].to, raw(1).path);
}

#[test]
fn a_journal_that_was_cut_off_or_damaged_gives_what_is_whole() {
    let mut shelf = Shelf::with(&[raw(1), raw(2)]);
    shelf.catalog.close_session(shelf.session, &SessionCounts::default(), NOW, None).unwrap();
    let batch = shelf.catalog.journal_pending().unwrap().unwrap();
    let cut = &batch.text[..batch.text.len() - 10];
    let mut memory = Memory::default();
    let read = memory.read(cut.as_bytes()).unwrap();
    assert_eq!(read.lines, 6);
    assert_eq!(read.problems, ["line 7: the line was cut off"]);
    assert!(memory.photo_of(&hash(1)).is_some() && memory.photo_of(&hash(2)).is_none());

    let damaged = batch.text.replacen("\"line\":\"seen\"", "\"line\":\"seem\"", 1);
    let read = Memory::default().read(damaged.as_bytes()).unwrap();
    assert_eq!((read.lines, read.problems.len()), (6, 1));
    assert!(read.problems[0].starts_with("line 4: unknown variant `seem`"), "{}", read.problems[0]);

    let newer = batch.text.replacen("\"version\":1", "\"version\":99", 1);
    let read = Memory::default().read(newer.as_bytes()).unwrap();
    assert_eq!((read.lines, read.problems.len()), (0, 1));
    assert!(Memory::default().read(&b"\xff\xfe\n\n{}\n"[..]).is_ok());
}

#[test]
fn what_is_journaled_is_not_kept_as_intents() {
    let mut shelf = Shelf::new();
    let intents = shelf.put(&[raw(1)]);
    let left = shelf.intend(&[raw(2)]);
    shelf.catalog.close_session(shelf.session, &SessionCounts::default(), NOW, None).unwrap();
    let mut journals = BTreeMap::new();
    drain(&mut shelf.catalog, &mut journals);
    assert_eq!(shelf.catalog.unfinished().unwrap().len(), 1, "what recovery has to look at stays");
    assert!(shelf.catalog.publish(shelf.session, &Shelf::published(&[raw(1)], &intents)).is_err());
    // Recovery adopts it after the session's end: the session is journaled again.
    shelf.catalog.publish(shelf.session, &Shelf::published(&[raw(2)], &left)).unwrap();
    assert_eq!(drain(&mut shelf.catalog, &mut journals), 1);
    assert_eq!(all(&again(&journals, &[raw(1), raw(2)])), shelf.all());
}

#[test]
fn a_proof_read_now_is_better_than_one_remembered() {
    let mut shelf = Shelf::with(&[raw(1)]);
    shelf.catalog.close_session(shelf.session, &SessionCounts::default(), NOW, None).unwrap();
    let mut journals = BTreeMap::new();
    drain(&mut shelf.catalog, &mut journals);
    let mut catalog = Catalog::in_memory().unwrap();
    let root = catalog.root_for("root-1", std::path::Path::new("/library")).unwrap();
    let memory = remember(&journals);
    let file = Found { verified: Some(Verified::Reread), ..found(&raw(1), root) };
    catalog.restore_sessions(&memory).unwrap();
    catalog.restore_files(&memory, &[file], NOW).unwrap();
    assert_eq!(all(&catalog)[0].files[0].copies[0].verified, Some(Verified::Reread));
}

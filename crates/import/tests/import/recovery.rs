//! After an interruption the same command finishes the job.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use lightfast_import::prepare;
use lightfast_model::Event;
use lightfast_testkit::TestCard;

use crate::support::{TestLibrary, host, noise, run};

fn card_of(files: u64) -> TestCard {
    let mut card = TestCard::new();
    for i in 0..files {
        card = card.file(format!("DCIM/IMG_{i:04}.CR2"), noise(i, 60_000));
    }
    card
}

fn card() -> TestCard {
    card_of(12)
}

#[test]
fn an_interrupted_import_is_finished_by_the_same_command_under_the_same_names() {
    // So many that most of them are still to come when the first few have been answered.
    let card = card_of(300);
    let whole = TestLibrary::new();
    let named = |library: &TestLibrary| {
        let mut options = library.options(card.path());
        options.name = "{seq:4}".parse().unwrap();
        options
    };
    assert!(run(named(&whole)).unwrap().is_safe());

    let library = TestLibrary::new();
    let stop = AtomicBool::new(false);
    let seen = AtomicU32::new(0);
    let reports = Mutex::new(Vec::new());
    let events = |event: Event| match event {
        Event::File(_) if seen.fetch_add(1, Ordering::SeqCst) == 2 => stop.store(true, Ordering::SeqCst),
        Event::Report(report) => reports.lock().unwrap().push(report),
        _ => {}
    };
    let host = host();
    let prepared = prepare(named(&library), &host, &events, &stop).unwrap();
    let ended = prepared.perform(&host, &events, &stop).unwrap();
    assert!(ended.interrupted);
    assert_eq!(ended.report.safe_to_format, Some(false));
    assert_eq!(ended.report.files_seen, 300);

    let said = run(named(&library)).unwrap();
    assert!(said.is_safe(), "{:?}", said.report().not_safe);
    assert_eq!(said.report().copied + said.report().duplicates, 300);
    assert!(library.tree() == whole.tree());
}

#[test]
fn what_lies_in_incoming_is_cleared_away_and_an_empty_claim_is_replaced() {
    let (card, library) = (card(), TestLibrary::new());
    assert!(library.import(card.path()).is_safe());
    let stale = library.path().join(".lightfast/incoming/7");
    std::fs::create_dir_all(&stale).unwrap();
    std::fs::write(stale.join("3.part"), b"half a file").unwrap();
    assert!(library.import(card.path()).is_safe());
    assert!(!library.path().join(".lightfast/incoming").read_dir().unwrap().any(|_| true));
}

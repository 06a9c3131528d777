//! `demo-card` and `demo`: what a stranger runs first.

use std::fs;

use crate::support::{TestLibrary, files_below};

#[test]
fn the_same_seed_makes_the_same_card() {
    let library = TestLibrary::new();
    let make = |dir: &str, seed: &str| {
        let arguments = ["demo-card", dir, "--files", "2", "--megapixels", "1", "--seed", seed, "--json"];
        let card = library.run(arguments).exits(0).json().remove(0);
        assert_eq!((&card["event"], &card["raw"]), (&"card".into(), &2.into()));
        let folder = library.dir().join(dir);
        files_below(&folder).into_iter().map(|path| (fs::read(folder.join(&path)).unwrap(), path)).collect::<Vec<_>>()
    };
    let one = make("one", "7");
    assert_eq!(one, make("two", "7"));
    assert_ne!(one, make("three", "8"));
}

#[test]
fn a_card_is_never_made_over_something() {
    let library = TestLibrary::new();
    fs::create_dir(library.dir().join("full")).unwrap();
    fs::write(library.dir().join("full/mine.txt"), b"mine").unwrap();
    let output = library.run(["demo-card", "full"]).exits(1);
    assert!(output.error().contains("not empty"), "{}", output.err);
    assert_eq!(files_below(&library.dir().join("full")).len(), 1);
    let output = library.run(["demo-card", "new", "--megapixels", "0"]).exits(2);
    assert!(output.err.contains("megapixels"), "{}", output.err);
}

#[test]
fn a_demo_ends_with_a_verdict_and_what_to_try() {
    let library = TestLibrary::new();
    let output = library.run(["demo", "--files", "2", "--megapixels", "1"]).exits(0);
    let text = output.text();
    for word in ["Made a card", "Safe to format: ", "Try next:", " verify --library "] {
        assert!(text.contains(word), "{word}: {text}");
    }
    // What it suggests can be typed as it is.
    let suggested = text.lines().find(|line| line.contains(" list --library ")).unwrap();
    let list = suggested.split_whitespace().skip_while(|word| *word != "list");
    assert!(library.run(list.chain(["--json"])).exits(0).json().len() >= 2);

    // A second demo takes another folder; the first one's is refused.
    let _ = library.run(["demo", "--files", "1", "--megapixels", "1"]).exits(0);
    assert!(library.dir().join("lightfast-demo-2/library").is_dir());
    let output = library.run(["demo", "lightfast-demo"]).exits(1);
    assert!(output.error().contains("earlier demo"), "{}", output.err);
}

//! Real files, and files that were made to break parsers: nothing panics, nothing takes long, nothing is dropped.

use lightfast_media::BytesSource;
use lightfast_model::Kind;

use crate::support::{corpus, facts_at, files_below};

#[test]
fn every_file_of_the_corpus_gives_facts_and_previews_that_lie_inside_it() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus) {
        let facts = facts_at(&path);
        for preview in &facts.previews {
            let end = preview.offset.checked_add(preview.length).unwrap();
            assert!(end <= std::fs::metadata(&path).unwrap().len(), "{}", path.display());
        }
    }
}

#[test]
fn every_malformed_file_cut_at_any_of_many_places_gives_facts() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus.join("malformed")) {
        let bytes = std::fs::read(&path).unwrap();
        let step = (bytes.len() / 64).max(1);
        for len in (0..bytes.len()).step_by(step) {
            let _ = lightfast_media::facts(&mut BytesSource(&bytes[..len]), path.file_name().unwrap());
        }
    }
}

#[test]
fn the_orientation_set_is_upright_in_all_sixteen() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus.join("jpeg/orientation")) {
        let facts = facts_at(&path);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let value: u8 = name.rsplit('_').next().unwrap().parse().unwrap();
        assert_eq!((facts.kind, facts.orientation.value()), (Kind::Jpeg, value), "{name}");
        let is_portrait = facts.height > facts.width;
        assert_eq!(is_portrait, name.starts_with("portrait"), "{name}");
    }
}

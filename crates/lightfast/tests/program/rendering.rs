//! What is rendered from RAWs: `develop`, `preview --from rendered`, `previews`, `import --previews rendered`.

use std::path::PathBuf;

use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::json;

use crate::support::{Output, TestLibrary, small_card};

/// Pixels across and down of a JPEG, from its frame header.
fn size_of(jpeg: &[u8]) -> (u32, u32) {
    let mut at = 2;
    loop {
        let length = usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]]));
        if matches!(jpeg[at + 1], 0xc0 | 0xc2) {
            let number = |i: usize| u32::from(u16::from_be_bytes([jpeg[i], jpeg[i + 1]]));
            return (number(at + 7), number(at + 5));
        }
        at += 2 + length;
    }
}

fn rendered_files(library: &TestLibrary) -> Vec<PathBuf> {
    let folder = library.path().join(".lightfast/previews");
    let mut files = Vec::new();
    for below in std::fs::read_dir(folder).into_iter().flatten() {
        files.extend(std::fs::read_dir(below.unwrap().path()).unwrap().map(|file| file.unwrap().path()));
    }
    files
}

fn closing(output: &Output) -> serde_json::Value {
    output.json().pop().unwrap()
}

#[test]
fn a_folder_of_raws_is_developed_without_a_library() {
    let library = TestLibrary::new();
    let card = small_card().file("DCIM/100EOS5D/IMG_0003.CR2", b"II*\0 this is no RAW any more");
    let folder = card.at("DCIM/100EOS5D");
    let out = library.dir().join("out");
    let arguments = |more: &[&str]| {
        let mut words = vec!["develop".into(), folder.clone(), "-o".into(), out.clone(), "--json".into()];
        words.extend(more.iter().map(PathBuf::from));
        words
    };
    let first = library.run(arguments(&["--size", "300"])).exits(3);
    let files = first.events("file");
    assert_eq!(files.iter().filter(|file| file["state"] == "rendered").count(), 2);
    assert_eq!(first.report()["failed"], 1, "the damaged one is named and holds up no other");
    let jpeg = std::fs::read(out.join("IMG_0001.jpg")).unwrap();
    assert_eq!(size_of(&jpeg), (300, 200));
    assert!(!library.path().exists(), "no library is made");
    // What is there is not written over, unless that is asked for.
    assert_eq!(library.run(arguments(&[])).exits(3).report()["rendered"], 0);
    assert_eq!(std::fs::read(out.join("IMG_0001.jpg")).unwrap(), jpeg);
    assert_eq!(library.run(arguments(&["--overwrite", "--exposure", "-1"])).exits(3).report()["rendered"], 2);
    assert_eq!(size_of(&std::fs::read(out.join("IMG_0001.jpg")).unwrap()), (720, 480));
    assert!(std::fs::read_dir(&out).unwrap().count() == 2, "nothing half written is left");
}

#[test]
fn wrong_options_of_develop_are_wrong_usage() {
    let library = TestLibrary::new();
    for wrong in [["--wb", "warm"], ["--exposure", "20"], ["--size", "0"], ["--quality", "good"]] {
        let words = ["develop", "x.CR2", "-o", "out", wrong[0], wrong[1]];
        let output = library.run(words).exits(2);
        assert!(!library.dir().join("out").exists(), "{}", output.err);
    }
    let nothing = library.dir().join("nothing");
    std::fs::create_dir(&nothing).unwrap();
    let _ = library.run(["develop", nothing.to_str().unwrap(), "-o", "out"]).exits(4);
}

#[test]
fn a_rendered_preview_is_upright_and_comes_from_the_sensor() {
    let library = TestLibrary::new();
    let card =
        TestCard::new().file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&Shot::sized(720, 480).seeded(1).oriented(6)));
    let _ = library.import(&card).exits(0);
    let out = library.dir().join("one.jpg");
    let preview = |more: &[&str]| {
        let mut words = vec!["preview", "IMG_0001", "-o", out.to_str().unwrap()];
        words.extend(more);
        let _ = library.run(words).exits(0);
        std::fs::read(&out).unwrap()
    };
    let rendered = preview(&["--from", "rendered", "--size", "1:1"]);
    assert_eq!(size_of(&rendered), (480, 720));
    assert_ne!(rendered, preview(&["--size", "1:1"]));
    assert_eq!(rendered_files(&library).len(), 1, "it is kept");
    assert_eq!(preview(&["--from", "rendered", "--size", "1:1"]), rendered);
    // A turn by the person is in the EXIF of what comes out.
    let _ = library.run(["mark", "IMG_0001", "--rotate", "90"]).exits(0);
    let turned = preview(&["--from", "rendered", "--size", "1:1"]);
    assert_eq!(turned.len(), rendered.len());
    assert_eq!(turned.iter().zip(&rendered).filter(|(a, b)| a != b).count(), 1, "only the orientation changed");
    assert_eq!(size_of(&preview(&["--from", "rendered", "--size", "thumbnail"])), (341, 512));
    // A file without a library, and one that is no RAW.
    let path = card.at("DCIM/100EOS5D/IMG_0001.CR2");
    let _ =
        library.run(["preview", path.to_str().unwrap(), "--from", "rendered", "-o", out.to_str().unwrap()]).exits(0);
    assert_eq!(size_of(&std::fs::read(&out).unwrap()), (480, 720));
    let jpeg = library.dir().join("plain.jpg");
    std::fs::write(&jpeg, samples::jpeg(&Shot::sized(64, 48))).unwrap();
    let refused = library.run(["preview", jpeg.to_str().unwrap(), "--from", "rendered", "-o", "x.jpg"]).exits(3);
    assert!(refused.err.contains("--from camera"), "{}", refused.err);
}

#[test]
fn previews_are_built_once_counted_bounded_and_cleared() {
    let library = TestLibrary::new();
    let mut card = TestCard::new();
    for n in 1..=4 {
        card = card.file(format!("DCIM/100EOS5D/IMG_000{n}.CR2"), samples::cr2(&Shot::sized(720, 480).seeded(n)));
    }
    // One whose sensor's data is cut off, and a JPEG alone.
    let whole = samples::cr2(&Shot::sized(720, 480).seeded(9));
    let card = card
        .file("DCIM/100EOS5D/IMG_0009.CR2", &whole[..whole.len() / 3])
        .file("DCIM/100EOS5D/IMG_0010.JPG", samples::jpeg(&Shot::sized(240, 160)));
    let _ = library.import(&card).exits(0);
    let status = || closing(&library.run(["previews", "status", "--json"]).exits(0));
    assert_eq!(status()["full_rendered"], 0);
    assert_eq!(status()["photos"], 6);
    let built = library.run(["previews", "build", "--json"]);
    let end = closing(&built);
    let failed = end["failed"].as_u64().unwrap();
    assert_eq!(end["rendered"].as_u64().unwrap() + failed, 5, "{end}");
    assert!(built.code == if failed > 0 { 3 } else { 0 });
    let progress = built.events("progress");
    assert!(progress.iter().all(|event| event["stage"] == "previews") && !progress.is_empty());
    assert_eq!(status()["full_rendered"], end["rendered"]);
    assert_eq!(status()["failed"], failed, "a failure is remembered");
    let bytes = || -> u64 { rendered_files(&library).iter().map(|path| path.metadata().unwrap().len()).sum() };
    let limit = bytes() * 2 / 3;
    // The second time there is nothing to do.
    assert_eq!(closing(&library.run(["previews", "build", "--json"]).exits(0))["rendered"], 0);
    // Only what matches, at another size.
    let fit = library.run(["previews", "build", "IMG_0002", "--size", "fit", "--json"]).exits(0);
    assert_eq!(closing(&fit)["rendered"], 1);
    assert_eq!(status()["fit"], 1);
    let _ = library.run(["previews", "clear"]).exits(0);
    assert_eq!((status()["full_rendered"].clone(), status()["failed"].clone()), (json!(0), json!(0)));
    assert!(status()["thumbnails"].as_u64().unwrap() > 0, "thumbnails stay");
    // No room for all: it says so, and what is there is within the limit.
    let small = library.run(["previews", "build", "--limit-bytes", &limit.to_string()]).exits(3);
    assert!(small.err.contains("--limit-bytes"), "{}", small.err);
    let kept = bytes();
    assert!(kept <= limit && kept > 0, "{kept} of {limit}");
    let _ = library.run(["previews", "clear", "--thumbnails"]).exits(0);
    assert_eq!(status()["thumbnails"], 0);
}

#[test]
fn an_import_renders_after_its_verdict_or_leaves_it() {
    let library = TestLibrary::new();
    let card = small_card();
    let path = card.path().to_str().unwrap().to_owned();
    let left = library.run(["import", &path, "--previews", "rendered", "--no-wait", "--json"]).exits(0);
    assert_eq!(left.json().last().unwrap()["event"], "report");
    assert!(rendered_files(&library).is_empty());
    let again = library.run(["import", &path, "--previews", "rendered", "--json"]).exits(0);
    let events = again.json();
    let report = events.iter().position(|event| event["event"] == "report").unwrap();
    let after: Vec<&str> = events[report + 1..].iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(after.last(), Some(&"previews"));
    assert!(after[..after.len() - 1].iter().all(|event| *event == "progress"), "{after:?}");
    assert!(events[..report].iter().all(|event| event["stage"] != "previews"));
    assert_eq!(events.last().unwrap()["rendered"], 2);
    assert_eq!(rendered_files(&library).len(), 2);
}

//! What a benchmark leaves out of an import costs the word "safe", and no file.

use lightfast_import::{Options, Without};
use lightfast_model::Verified;

use crate::support::{TestLibrary, noise, run};

#[test]
fn a_part_left_out_is_never_safe_and_all_files_are_whole() {
    let all = Without::default();
    let parts = [
        Without { hash: true, ..all },
        Without { sync: true, ..all },
        Without { metadata: true, ..all },
        Without { catalog: true, ..all },
        Without { hash: true, sync: true, metadata: true, catalog: true },
    ];
    let card = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(card.path().join("DCIM/100TEST")).unwrap();
    for n in 0..5u64 {
        std::fs::write(card.path().join(format!("DCIM/100TEST/IMG_{n}.CR2")), noise(n, 70_000)).unwrap();
    }
    for without in parts {
        let library = TestLibrary::new();
        let said = run(Options { without, ..library.options(card.path()) }).unwrap();
        assert!(!said.is_safe(), "{without:?}");
        assert_eq!(said.report().failed, 0, "{without:?}");
        assert!(said.files.iter().all(|file| file.verified.is_none_or(|v| v == Verified::Stream)), "{without:?}");
        let contents: Vec<Vec<u8>> = library.tree().into_values().collect();
        assert!((0..5u64).all(|n| contents.contains(&noise(n, 70_000))), "{without:?}");
    }
}

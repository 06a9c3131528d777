//! Bit rot: bytes that change on the medium below every cache, after the copy and during it.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lightfast_testkit::TestCard;

use crate::support::{Mounted, TestLibrary, noise, ran, skipped, text};

fn card() -> TestCard {
    (1..=4u64)
        .fold(TestCard::new(), |card, n| card.file(format!("DCIM/100EOS5D/IMG_{n:04}.CR2"), noise(1_500_000, 40 + n)))
}

/// Changes four bytes of a file's content where it lies on the device, past the file system.
fn flip(device: &str, content: &[u8]) -> bool {
    let device = fs::File::options().read(true).write(true).open(device).unwrap();
    let marker = &content[700_416..700_416 + 512];
    let mut block = vec![0; 4 << 20];
    let mut at = 0;
    loop {
        let read = device.read_at(&mut block, at).unwrap();
        if read == 0 {
            return false;
        }
        let found = (0..read.saturating_sub(511)).step_by(512).find(|start| &block[*start..start + 512] == marker);
        if let Some(start) = found {
            let place = at + start as u64;
            device.write_all_at(&[!marker[0], !marker[1], !marker[2], !marker[3]], place).unwrap();
            device.sync_all().unwrap();
            return true;
        }
        at += read as u64;
    }
}

fn original(library: &TestLibrary, name: &str) -> PathBuf {
    library.originals().into_iter().find(|path| path.file_name().unwrap() == name).unwrap()
}

/// Imports, warms the caches, flips bytes below them, and looks what `verify` finds.
fn found_by_verify(test: &str, disk: Option<Mounted>, flush_device: bool) {
    let Some(disk) = disk else { return skipped(test, "no such file system here") };
    let library = TestLibrary::at(disk.path().join("library"));
    let card = card();
    let _ = library.import(&card).exits(0);
    let _ = library.run(["verify", "--json"]).exits(0);
    let rotten = original(&library, "IMG_0002.CR2");
    let content = noise(1_500_000, 42);
    assert!(fs::read(library.path().join(&rotten)).unwrap() == content, "warms the cache");
    assert!(ran("sync", &[]));
    assert!(flip(disk.device(), &content), "the bytes lie on the device");
    if flush_device {
        assert!(ran("blockdev", &["--flushbufs", disk.device()]));
    } else {
        // The file system's cache still has the old bytes; only a read past it can tell.
        // (Unless another program dropped all caches of the machine meanwhile.)
        let is_warm = fs::read(library.path().join(&rotten)).unwrap() == content;
        println!("{test}: the cache is {}", if is_warm { "warm" } else { "cold" });
    }
    let output = library.run(["verify", "--json"]).exits(3);
    let bad = output.events("file");
    assert_eq!(bad.len(), 1, "{}", output.text());
    assert_eq!((&bad[0]["state"], &bad[0]["path"]), (&"changed".into(), &text(&rotten).into()));
    println!("{test}: found");
}

#[test]
fn bit_rot_found_by_verify_on_ext4() {
    let disk = Mounted::image(64, &["mkfs.ext4", "-q", "-F"], &["mount"]);
    found_by_verify("bit_rot_found_by_verify_on_ext4", disk, false);
}

#[test]
fn bit_rot_found_by_verify_on_xfs() {
    let disk = Mounted::image(320, &["mkfs.xfs", "-q", "-f"], &["mount"]);
    found_by_verify("bit_rot_found_by_verify_on_xfs", disk, false);
}

#[test]
fn bit_rot_found_by_verify_on_exfat() {
    let disk = Mounted::image(64, &["mkfs.exfat"], &["mount.exfat-fuse"]);
    let Some(disk) = disk else { return skipped("bit_rot_found_by_verify_on_exfat", "no exFAT through FUSE") };
    // The cache of the device below FUSE is flushed by the test; lightfast cannot, which is why it says `reread`.
    let library = TestLibrary::at(disk.path().join("library"));
    let card = card();
    let report = library.import(&card).exits(0).report();
    assert_eq!(report["destinations"][0]["verified"]["reread"], 4);
    let rotten = original(&library, "IMG_0002.CR2");
    assert!(ran("sync", &[]));
    assert!(flip(disk.device(), &noise(1_500_000, 42)));
    assert!(ran("blockdev", &["--flushbufs", disk.device()]));
    let output = library.run(["verify", "--json"]).exits(3);
    assert_eq!(output.events("file")[0]["path"], text(&rotten));
    println!("bit_rot_found_by_verify_on_exfat: found");
}

/// The bytes change after they were synced and before they are read back: the import itself must see it.
#[test]
fn bytes_flipped_between_write_and_read_back_are_not_safe() {
    let test = "bytes_flipped_between_write_and_read_back_are_not_safe";
    let Some(disk) = Mounted::image(64, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped(test, "no loop-mounted ext4");
    };
    if !ran("strace", &["-V"]) {
        return skipped(test, "no strace");
    }
    let library = TestLibrary::at(disk.path().join("library"));
    let card = TestCard::new().file("DCIM/100EOS5D/IMG_0002.CR2", noise(1_500_000, 42));
    // Every sync returns late, so that there is time to reach below the file system.
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:delay_exit=400000"]);
    command.arg(env!("CARGO_BIN_EXE_lightfast")).args(["import", text(card.path()), "--json", "--thumbnails", "no"]);
    let child = library.surround(&mut command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let content = noise(1_500_000, 42);
    let incoming = library.path().join(".lightfast/incoming");
    let is_written = || temporary(&incoming).is_some_and(|len| len == content.len() as u64);
    while !(is_written() && flip(disk.device(), &content)) {
        assert!(library.originals().is_empty(), "the import was faster");
        std::thread::yield_now();
    }
    let output = crate::support::Output::from(child.wait_with_output().unwrap()).exits(3);
    let report = output.report();
    assert_eq!(report["safe_to_format"], false);
    let named = &report["not_safe"][0];
    assert_eq!(named["source"], "DCIM/100EOS5D/IMG_0002.CR2");
    assert!(named["reason"].as_str().unwrap().contains("differs from the card"), "{named}");
    let report = library.import(&card).exits(0).report();
    assert_eq!(report["safe_to_format"], true);
}

/// The size of the only partial file.
fn temporary(incoming: &Path) -> Option<u64> {
    let session = fs::read_dir(incoming).ok()?.next()?.ok()?.path();
    let file = fs::read_dir(session).ok()?.next()?.ok()?;
    Some(file.metadata().ok()?.len())
}

#[test]
fn gocryptfs_is_reread_and_strict_refuses_it() {
    let test = "gocryptfs_is_reread_and_strict_refuses_it";
    let (below, above) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let password = below.path().with_extension("password");
    fs::write(&password, "secret").unwrap();
    let pass = text(&password).to_owned();
    let ready = ran("gocryptfs", &["-init", "-q", "-scryptn", "10", "-passfile", &pass, text(below.path())])
        && ran("gocryptfs", &["-q", "-passfile", &pass, text(below.path()), text(above.path())]);
    let _ = fs::remove_file(&password);
    if !ready {
        return skipped(test, "no gocryptfs");
    }
    let library = TestLibrary::at(above.path().join("library"));
    let card = card();
    let report = library.import(&card).exits(0).report();
    let strict = TestLibrary::at(above.path().join("strict"));
    let refused = strict.run(["import", text(card.path()), "--strict", "--json"]);
    assert!(ran("umount", &[text(above.path())]) || ran("umount", &["-l", text(above.path())]));
    assert_eq!(report["destinations"][0]["verified"]["reread"], 4);
    assert_eq!(report["safe_to_format"], true);
    assert_eq!(refused.exits(3).report()["safe_to_format"], false);
}

//! Where things are: libraries by option, environment and config; presets; cards and disks of other file systems.

use std::fs;
use std::path::Path;

use lightfast_testkit::TestCard;

use crate::support::{Mounted, Output, TestLibrary, noise, skipped, small_card};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_library_of_the_home_folder_is_the_usual_one() {
    let library = TestLibrary::new();
    let card = small_card();
    let mut command = library.command(["import", text(card.path())]);
    let _ = Output::of(command.env_remove("LIGHTFAST_LIBRARY")).exits(0);
    assert!(library.dir().join("home/Pictures/Lightfast/.lightfast/format").is_file());
}

#[test]
fn the_config_file_names_a_library_and_presets() {
    let preset = "[preset.flat]\nname = \"{job}-{name}\"\nverify = \"stream\"\nthumbnails = \"no\"\n";
    let library = TestLibrary::new().config(&format!("library = \"~/Photos\"\n{preset}"));
    let card = small_card();
    let mut command = library.command([
        "import",
        text(card.path()),
        "--preset",
        "flat",
        "--job",
        "Sea",
        "--verify",
        "cold",
        "--json",
    ]);
    let report = Output::of(command.env_remove("LIGHTFAST_LIBRARY")).exits(0).report();
    assert_eq!(report["verify"], "cold", "an option that was typed wins over the preset");
    assert!(library.dir().join("home/Photos/Sea-IMG_0001.CR2").is_file());
}

#[test]
fn the_catalogue_can_be_elsewhere() {
    let library = TestLibrary::new();
    let catalog = library.dir().join("catalog");
    let card = small_card();
    let _ = library.run(["import", text(card.path()), "--catalog", text(&catalog)]).exits(0);
    assert!(catalog.join("catalog.db").is_file());
    assert!(!library.path().join(".lightfast/catalog.db").exists());
    assert_eq!(library.run(["list", "--json", "--catalog", text(&catalog)]).exits(0).json().len(), 2);
    let output = library.run(["list"]).exits(1);
    assert!(output.error().contains("--catalog"), "{}", output.err);
}

#[test]
fn templates_and_jobs_name_the_originals() {
    let library = TestLibrary::new();
    let card = small_card();
    let arguments = ["import", text(card.path()), "--job", "Sea", "--name", "{year}/{job}/{model}-{seq:3}"];
    let _ = library.run(arguments).exits(0);
    let names = library.originals();
    assert!(names.iter().all(|name| name.starts_with("2009/Sea")), "{names:?}");
    assert_eq!(library.run(["list", "job:Sea", "--json"]).exits(0).json().len(), 2);
}

#[test]
fn a_read_only_card_is_imported_and_not_changed() {
    let Some(disk) = Mounted::image(32, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped("a_read_only_card_is_imported_and_not_changed", "no loop-mounted ext4");
    };
    let folder = disk.path().join("DCIM/100EOS5D");
    fs::create_dir_all(&folder).unwrap();
    for (name, content) in small_card().contents() {
        if let Some(file) = name.file_name().filter(|_| name.starts_with("DCIM")) {
            fs::write(folder.join(file), content).unwrap();
        }
    }
    assert!(disk.read_only());
    let library = TestLibrary::new();
    let report = library.run(["import", text(disk.path()), "--json"]).exits(0).report();
    assert_eq!((&report["copied"], &report["safe_to_format"]), (&3.into(), &true.into()));
    // It is a mounted volume with DCIM, so it is found as a card, and it has nothing new.
    let cards = library.run(["cards", "--json"]).exits(0).json();
    let card = cards.iter().find(|card| card["path"] == text(disk.path())).unwrap();
    assert_eq!((&card["files"], &card["new"]), (&3.into(), &0.into()));
}

#[test]
fn eject_unmounts_a_safe_card_and_no_other() {
    let Some(disk) = Mounted::image(32, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped("eject_unmounts_a_safe_card_and_no_other", "no loop-mounted ext4");
    };
    fs::create_dir_all(disk.path().join("DCIM")).unwrap();
    fs::write(disk.path().join("DCIM/IMG_0001.JPG"), b"a picture").unwrap();
    let is_there = || disk.path().join("DCIM/IMG_0001.JPG").exists();
    let library = TestLibrary::new();
    let output = library.run(["import", text(disk.path()), "--eject", "--verify", "stream"]).exits(0);
    assert!(is_there() && output.err.contains("stays mounted"), "{}", output.err);
    let library = TestLibrary::new();
    let output = library.run(["import", text(disk.path()), "--eject"]).exits(0);
    assert!(!is_there() && output.err.contains("Ejected"), "{}", output.err);
}

#[test]
fn ext4_is_proven_cold() {
    let Some(disk) = Mounted::image(64, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped("ext4_is_proven_cold", "no loop-mounted ext4");
    };
    let library = TestLibrary::at(disk.path().join("library"));
    let report = library.import(&small_card()).exits(0).report();
    assert_eq!(report["destinations"][0]["verified"]["cold"], 3);
    let report = library.run(["verify", "--json"]).exits(0).report();
    assert_eq!(report["good"], 3);
}

#[test]
fn exfat_destination() {
    let Some(disk) = Mounted::image(64, &["mkfs.exfat"], &["mount.exfat-fuse"]) else {
        return skipped("exfat_destination", "no exFAT through FUSE");
    };
    let library = TestLibrary::at(disk.path().join("library"));
    let card = small_card();
    let report = library.import(&card).exits(0).report();
    assert_eq!(report["destinations"][0]["verified"]["reread"], 3, "FUSE answers from its cache");
    assert_eq!(report["safe_to_format"], true);
    for (name, content) in card.contents().iter().filter(|(name, _)| name.starts_with("DCIM")) {
        let same = library.originals().into_iter().find(|path| path.file_name() == name.file_name()).unwrap();
        assert_eq!(&fs::read(library.path().join(same)).unwrap(), content);
    }
    let again = library.import(&card).exits(0).report();
    assert_eq!((&again["copied"], &again["duplicates"]), (&0.into(), &3.into()));
}

#[test]
fn several_cards_are_imported_together_each_with_its_verdict() {
    let library = TestLibrary::new();
    let one = small_card();
    let two = TestCard::new().file("DCIM/101EOS5D/IMG_0001.CR2", b"another");
    let report = library.run(["import", text(one.path()), text(two.path()), "--json"]).exits(0).report();
    assert_eq!((&report["copied"], report["sources"].as_array().unwrap().len()), (&4.into(), 2));
    assert_eq!(report["sources"][1]["safe_to_format"], true);
}

/// A quota is not in what a file system says is free, so the disk is full in the middle, after a plan that fits.
#[test]
fn quota_reached_in_the_middle() {
    let Some(disk) = Mounted::image(256, &["mkfs.btrfs", "-q"], &["mount"]) else {
        return skipped("quota_reached_in_the_middle", "no loop-mounted btrfs");
    };
    let btrfs = |arguments: &[&str]| {
        let done = std::process::Command::new("btrfs").args(arguments).output();
        done.is_ok_and(|done| done.status.success())
    };
    let place = disk.path().join("volume");
    let limit = |size: &str| btrfs(&["qgroup", "limit", size, text(&place)]);
    let ready =
        btrfs(&["subvolume", "create", text(&place)]) && btrfs(&["quota", "enable", text(disk.path())]) && limit("8M");
    if !ready {
        return skipped("quota_reached_in_the_middle", "no quota on btrfs");
    }
    let library = TestLibrary::at(place.join("library"));
    let card = (1..=8u8).fold(TestCard::new(), |card, n| {
        card.file(format!("DCIM/100EOS5D/IMG_{n:04}.CR2"), noise(2_000_000, n.into()))
    });
    let output = library.import(&card).exits(3);
    let report = output.report();
    assert_eq!(report["safe_to_format"], false);
    assert!(output.error().contains("stopped early"), "{}", output.err);
    for original in library.originals() {
        let name = original.file_name().unwrap().to_owned();
        let same = card.contents().into_iter().find(|(path, _)| path.file_name() == Some(&name)).unwrap();
        assert_eq!(fs::read(library.path().join(&original)).unwrap(), same.1, "never partial under a final name");
    }
    assert!(limit("none"));
    let report = library.import(&card).exits(0).report();
    assert_eq!((&report["safe_to_format"], library.originals().len()), (&true.into(), 8));
}

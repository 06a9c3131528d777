//! A made card is what a camera leaves, says what its summary says, and is the same each time.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lightfast_model::Kind;
use lightfast_testkit::{CardError, CardOptions, CardSummary, make_card};
use tempfile::TempDir;

use crate::oracle;

/// Small and quick: 1 megapixel.
fn options(files: u32) -> CardOptions {
    CardOptions { files, megapixels: 1, seed: 7 }
}

fn made(options: &CardOptions) -> (TempDir, CardSummary) {
    let folder = tempfile::tempdir().unwrap();
    let summary = make_card(folder.path(), options, &mut |_| ()).unwrap();
    (folder, summary)
}

/// All files below a folder, relative to it.
fn listed(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_summary_names_every_file_with_its_size_and_time() {
    let mut told = Vec::new();
    let folder = tempfile::tempdir().unwrap();
    let summary = make_card(folder.path(), &options(13), &mut |progress| told.push(progress)).unwrap();
    let paths: Vec<PathBuf> = summary.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(paths, listed(folder.path()));
    assert_eq!(summary.count(Kind::Raw), 13);
    assert!(summary.count(Kind::Jpeg) >= 1 && summary.count(Kind::Video) >= 1);
    assert_eq!(summary.count(Kind::Video), summary.count(Kind::Thumbnail));
    for file in &summary.files {
        let about = std::fs::metadata(folder.path().join(&file.path)).unwrap();
        assert_eq!(about.len(), file.bytes, "{}", file.path.display());
        let epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
        let seconds = file.modified.duration_since(epoch).as_secs().unsigned_abs();
        assert_eq!(about.modified().unwrap(), SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    }
    let last = told.last().unwrap();
    assert_eq!(told.len(), summary.files.len());
    assert_eq!((last.files_done, last.bytes_done), (last.files_total, summary.bytes()));
    for folder_of_card in ["DCIM/100EOS5D", "DCIM/EOSMISC", "MISC"] {
        assert!(folder.path().join(folder_of_card).is_dir(), "{folder_of_card}");
    }
    assert!(folder.path().join("DCIM/100EOS5D/IMG_0001.CR2").exists());
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("holiday.txt"), "mine").unwrap();
    let error = make_card(folder.path(), &options(1), &mut |_| ()).unwrap_err();
    assert!(matches!(error, CardError::NotEmpty { .. }), "{error}");
    assert_eq!(listed(folder.path()), [PathBuf::from("holiday.txt")]);
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("card");
    for options in
        [options(0), CardOptions { megapixels: 0, ..options(1) }, CardOptions { megapixels: 51, ..options(1) }]
    {
        let error = make_card(&dir, &options, &mut |_| ()).unwrap_err();
        assert!(matches!(error, CardError::Option { .. }), "{error}");
    }
    assert!(!dir.exists());
    std::fs::write(&dir, "a file").unwrap();
    let error = make_card(&dir, &options(1), &mut |_| ()).unwrap_err();
    assert!(matches!(error, CardError::Io { .. }), "{error}");
}

/// The same card twice, and the same as on the machine where this was written.
#[test]
fn the_same_seed_gives_the_same_bytes() {
    let digest = |options: &CardOptions| {
        let (folder, summary) = made(options);
        let mut hash = blake3::Hasher::new();
        for file in &summary.files {
            hash.update(file.path.as_os_str().as_encoded_bytes());
            hash.update(&std::fs::read(folder.path().join(&file.path)).unwrap());
        }
        hash.finalize().to_hex().to_string()
    };
    let first = digest(&options(4));
    assert_eq!(first, digest(&options(4)));
    assert_ne!(first, digest(&CardOptions { seed: 8, ..options(4) }));
    assert_eq!(first, GOLDEN);
}

/// BLAKE3 of names and bytes of four small RAWs and what comes with them. It changes when a picture is drawn otherwise.
const GOLDEN: &str = "4cbc36c57aaff9f9ad950b3cc74e4d99c353967c64d8952e19d77869cd0d1afa";

#[test]
fn head_middle_and_tail_differ_in_every_file() {
    let (folder, summary) = made(&options(13));
    let mut heads = HashSet::new();
    let mut middles = HashSet::new();
    let mut tails = HashSet::new();
    for file in summary.files.iter().filter(|file| file.shot.is_some()) {
        let bytes = std::fs::read(folder.path().join(&file.path)).unwrap();
        let part = (bytes.len() / 4).min(64 * 1024);
        let middle = bytes.len() / 2;
        assert!(heads.insert(bytes[..part].to_vec()), "{}", file.path.display());
        assert!(middles.insert(bytes[middle..middle + part].to_vec()), "{}", file.path.display());
        assert!(tails.insert(bytes[bytes.len() - part..].to_vec()), "{}", file.path.display());
    }
}

/// A reader of the few things that a CR2 must have, written for this test alone.
struct Cr2<'a>(&'a [u8]);

impl Cr2<'_> {
    fn short(&self, at: usize) -> usize {
        usize::from(u16::from_le_bytes(self.0[at..at + 2].try_into().unwrap()))
    }

    fn long(&self, at: usize) -> usize {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap()) as usize
    }

    /// Values by tag (where they fit the entry, else their offset), and the next directory.
    fn directory(&self, at: usize) -> (BTreeMap<usize, usize>, usize) {
        let count = self.short(at);
        let entry = |index: usize| at + 2 + 12 * index;
        let value = |at: usize| match (self.short(at + 2), self.long(at + 4)) {
            (3, 1) => self.short(at + 8),
            _ => self.long(at + 8),
        };
        let tags: Vec<usize> = (0..count).map(|index| self.short(entry(index))).collect();
        assert!(tags.is_sorted());
        let values = (0..count).map(|index| (self.short(entry(index)), value(entry(index)))).collect();
        (values, self.long(entry(count)))
    }
}

#[test]
fn a_raw_is_built_like_the_cameras() {
    let (folder, summary) = made(&options(2));
    let raw = summary.files.iter().find(|file| file.kind == Kind::Raw).unwrap();
    let shot = raw.shot.as_ref().unwrap();
    let bytes = std::fs::read(folder.path().join(&raw.path)).unwrap();
    let cr2 = Cr2(&bytes);
    assert_eq!(&bytes[..4], b"II*\0");
    assert_eq!(&bytes[8..12], b"CR\x02\0");
    let (first, second) = cr2.directory(cr2.long(4));
    let (thumbnail, third) = cr2.directory(second);
    let (small, fourth) = cr2.directory(third);
    let (sensor, end) = cr2.directory(fourth);
    assert_eq!(cr2.long(12), fourth);
    assert_eq!(end, 0);
    let jpeg = &bytes[first[&0x111]..][..first[&0x117]];
    let header = turbojpeg::read_header(jpeg).unwrap();
    assert_eq!((header.width, header.height), (shot.width as usize, shot.height as usize));
    let small_jpeg = &bytes[thumbnail[&0x201]..][..thumbnail[&0x202]];
    let header = turbojpeg::read_header(small_jpeg).unwrap();
    assert_eq!((header.width, header.height), (160, 120));
    assert_eq!(small[&0x117], small[&0x100] * small[&0x101] * 6);
    let coded = &bytes[sensor[&0x111]..][..sensor[&0x117]];
    assert_eq!(&coded[..4], [0xff, 0xd8, 0xff, 0xc4]);
    assert_eq!(&coded[coded.len() - 2..], [0xff, 0xd9]);
    assert_eq!(sensor[&0x111] + sensor[&0x117], bytes.len(), "the sensor's data comes last");
    let slices = sensor[&0xc640];
    let [count, wide, last] = [0, 2, 4].map(|step| cr2.short(slices + step));
    assert_eq!(count * wide + last, shot.width as usize + 176);
}

#[test]
fn flashraw_reads_every_raw() {
    let (folder, summary) = made(&options(13));
    for file in summary.files.iter().filter(|file| file.kind == Kind::Raw) {
        let shot = file.shot.as_ref().unwrap();
        let bytes = std::fs::read(folder.path().join(&file.path)).unwrap();
        let raw = flashraw::FlashRaw::open(&bytes[..]).unwrap();
        let about = raw.metadata();
        assert_eq!(about.model, shot.model);
        assert_eq!((about.raw_width, about.raw_height), (shot.width + 176, shot.height + 60));
        assert_eq!(about.exposure.iso, Some(shot.iso));
        assert_eq!(about.orientation as u8, shot.orientation.value(), "{}", file.path.display());
        assert_eq!(about.lens.model.as_deref(), Some(shot.lens.as_str()));
        let frame = raw.decode(flashraw::DecodeOptions::default()).unwrap();
        assert!(frame.warnings().is_empty() && !frame.is_incomplete(), "{:?}", frame.warnings());
    }
}

/// ExifTool's and exiv2's and LibRaw's words for every RAW of a card.
#[test]
fn the_tools_of_photographers_agree_with_the_summary() {
    let (folder, summary) = made(&options(13));
    for file in &summary.files {
        let Some(shot) = file.shot.as_ref() else { continue };
        let path = folder.path().join(&file.path);
        if let Some(tags) = oracle::exiftool(&path) {
            let name = file.path.display();
            match file.kind {
                Kind::Raw | Kind::Jpeg | Kind::Thumbnail => {
                    oracle::validate(&path);
                    let taken =
                        tags["SubSecDateTimeOriginal"].as_str().unwrap().replacen(':', "-", 2).replace(' ', "T");
                    assert_eq!(taken, shot.taken.taken(), "{name}");
                    assert_eq!(tags["Model"], shot.model.as_str());
                    assert_eq!(tags["LensModel"], shot.lens.as_str());
                    assert_eq!(
                        tags["SerialNumber"].to_string().trim_matches(['"', '0']),
                        shot.serial.trim_matches('0')
                    );
                    assert_eq!(tags["ISO"], shot.iso);
                    assert_eq!(tags["CameraISO"] == "Auto", shot.iso_auto, "{name}");
                    assert_eq!(tags["Orientation"], shot.orientation.value());
                    assert_eq!((&tags["ImageWidth"], &tags["ImageHeight"]), (&shot.width.into(), &shot.height.into()));
                    assert!((tags["ExposureTime"].as_f64().unwrap() - shot.exposure.as_f64()).abs() < 1e-6);
                    assert!((tags["FNumber"].as_f64().unwrap() - shot.aperture.as_f64()).abs() < 1e-6);
                    assert_eq!(tags["FocalLength"].as_f64(), Some(shot.focal_length.as_f64()));
                }
                _ => {
                    assert_eq!(tags["CreateDate"], shot.taken.local.strftime("%Y:%m:%d %H:%M:%S").to_string());
                    assert_eq!(tags["Model"], shot.model.as_str());
                    assert_eq!(tags["ImageWidth"], shot.width, "{name}");
                }
            }
        }
        if file.kind == Kind::Raw {
            exiv2_agrees(&path, shot);
            libraw_agrees(&path, shot);
        }
    }
}

fn exiv2_agrees(path: &Path, shot: &lightfast_testkit::Shot) {
    let Some(exiv2) = oracle::program("exiv2") else { return };
    // Values as they are, and as exiv2 explains them (it explains the serial number in hexadecimal).
    let value = |columns: &str, key: &str| {
        let printed = oracle::run(&exiv2, &[columns, "-K", key], path);
        printed.lines().next().unwrap_or_default().trim_start_matches(key).trim().to_owned()
    };
    assert_eq!(value("-Pkv", "Exif.Image.Model"), shot.model);
    assert_eq!(
        value("-Pkv", "Exif.Photo.DateTimeOriginal"),
        shot.taken.local.strftime("%Y:%m:%d %H:%M:%S").to_string()
    );
    assert_eq!(value("-Pkv", "Exif.Photo.ISOSpeedRatings"), shot.iso.to_string());
    assert_eq!(value("-Pkv", "Exif.Canon.SerialNumber").trim_start_matches('0'), shot.serial.trim_start_matches('0'));
    assert_eq!(value("-Pkv", "Exif.Canon.LensModel"), shot.lens);
    assert_eq!(value("-Pkt", "Exif.CanonCs.LensType").replace("Canon EF ", "EF"), shot.lens);
}

fn libraw_agrees(path: &Path, shot: &lightfast_testkit::Shot) {
    let Some(identify) = oracle::program("raw-identify") else { return };
    let printed = oracle::run(&identify, &["-v"], path);
    let has = |line: String| {
        assert!(printed.lines().any(|found| found.trim().starts_with(&line)), "no {line:?} in {printed}")
    };
    has(format!("Timestamp: {}", shot.taken.local.strftime("%a %b %e %H:%M:%S %Y")));
    has(format!("Camera: {} ID: 0x80000218", shot.model));
    has(format!("Body#: {}", shot.serial.trim_start_matches('0')));
    has(format!("Lens: {}", shot.lens));
    has(format!("ISO speed: {}", shot.iso));
    has(format!("Thumb size:  {:4} x {}", shot.width, shot.height));
}

#[test]
fn libraw_develops_a_raw_of_each_orientation() {
    let Some(dcraw) = oracle::program("dcraw_emu") else { return };
    let (folder, summary) = made(&options(36));
    let mut seen = HashSet::new();
    for file in summary.files.iter().filter(|file| file.kind == Kind::Raw) {
        let shot = file.shot.as_ref().unwrap();
        if seen.insert(shot.orientation.value()) {
            let path = folder.path().join(&file.path);
            oracle::run(&dcraw, &["-w", "-h"], &path);
            assert!(path.with_extension("CR2.ppm").exists());
        }
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn clips_play_on() {
    let Some(ffprobe) = oracle::program("ffprobe") else { return };
    let (folder, summary) = made(&options(3));
    let clip = summary.files.iter().find(|file| file.kind == Kind::Video).unwrap();
    let show = [
        "-v",
        "error",
        "-count_frames",
        "-show_entries",
        "stream=codec_name,width,height,nb_read_frames",
        "-of",
        "csv=p=0",
    ];
    let printed = oracle::run(&ffprobe, &show, &folder.path().join(&clip.path));
    let shot = clip.shot.as_ref().unwrap();
    assert!(printed.contains(&format!("h264,{},{},30", shot.width, shot.height)), "{printed}");
    assert!(printed.contains("pcm_s16le"), "{printed}");
}

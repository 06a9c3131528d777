//! The samples say of themselves what their shot says.

use std::path::PathBuf;

use lightfast_model::{Gps, Orientation};
use lightfast_testkit::{Shot, samples};
use tempfile::TempDir;

use crate::oracle;

fn shot() -> Shot {
    Shot {
        gps: Some(Gps { latitude: -46.537_812, longitude: 7.962_5, altitude: Some(1034.5) }),
        creator: "Anna Gerber".to_owned(),
        copyright: "2009 Anna Gerber".to_owned(),
        file_number: Some(1_000_042),
        ..Shot::sized(240, 160)
    }
}

/// Written to a temporary file, whose folder goes with the first value.
fn written(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Asserts that ExifTool finds in `bytes` what is true of `shot`.
fn exiftool_agrees(name: &str, bytes: &[u8], shot: &Shot, maker_note: bool) {
    let (_folder, path) = written(name, bytes);
    oracle::validate(&path);
    let Some(tags) = oracle::exiftool(&path) else { return };
    let text = |tag: &str| tags[tag].as_str().map(str::to_owned).unwrap_or_else(|| tags[tag].to_string());
    let number = |tag: &str| tags[tag].as_f64().unwrap_or(f64::NAN);
    assert_eq!(text("Model"), shot.model, "{name}");
    assert_eq!(text("Make"), shot.make);
    assert_eq!(text("DateTimeOriginal"), "2009:07:12 14:03:22");
    assert_eq!(text("SubSecTimeOriginal"), "45");
    assert_eq!(text("LensModel"), shot.lens);
    assert_eq!(text("SerialNumber").trim_start_matches('0'), shot.serial.trim_start_matches('0'), "{name}");
    assert_eq!(number("ISO"), f64::from(shot.iso));
    assert!((number("ExposureTime") - shot.exposure.as_f64()).abs() < 1e-6);
    assert!((number("FNumber") - shot.aperture.as_f64()).abs() < 1e-6);
    assert!((number("FocalLength") - shot.focal_length.as_f64()).abs() < 1e-6);
    assert_eq!(number("Orientation"), f64::from(shot.orientation.value()));
    assert_eq!(text("Artist"), shot.creator);
    assert_eq!(text("Copyright"), shot.copyright);
    let gps = shot.gps.unwrap();
    assert!((number("GPSLatitude") - gps.latitude).abs() < 1e-6, "{}", number("GPSLatitude"));
    assert!((number("GPSLongitude") - gps.longitude).abs() < 1e-6);
    assert!((number("GPSAltitude") - gps.altitude.unwrap()).abs() < 0.01);
    if maker_note {
        assert_eq!(tags["FileNumber"].as_u64(), shot.file_number);
        assert_eq!(tags["CameraISO"] == "Auto", shot.iso_auto, "{}", tags["CameraISO"]);
        assert!((number("BaseISO") - f64::from(shot.iso)).abs() < f64::from(shot.iso) / 50.0);
    }
}

#[test]
fn jpegs_say_what_their_shot_says_in_all_eight_orientations() {
    for value in 1..=8 {
        let shot = Shot { orientation: Orientation::new(value).unwrap(), ..shot() };
        exiftool_agrees("a.jpg", &samples::jpeg(&shot), &shot, false);
    }
}

#[test]
fn raws_say_what_their_shot_says() {
    for iso_auto in [false, true] {
        let shot = Shot { iso_auto, ..shot() };
        exiftool_agrees("a.cr2", &samples::cr2(&shot), &shot, true);
    }
    exiftool_agrees("a.cr3", &samples::cr3(&shot()), &shot(), true);
    exiftool_agrees("a.dng", &samples::dng(&shot()), &shot(), false);
    exiftool_agrees("a.heic", &samples::heic(&shot()), &shot(), false);
}

#[test]
fn a_jpeg_without_exif_has_none() {
    let bytes = samples::jpeg_without_exif(64, 48, 3);
    assert!(bytes.starts_with(&[0xff, 0xd8]));
    assert!(!bytes.windows(4).any(|four| four == b"Exif"));
}

#[test]
fn raws_are_decoded() {
    for (name, bytes) in [("cr2", samples::cr2(&shot())), ("dng", samples::dng(&shot()))] {
        let raw = flashraw::FlashRaw::open(&bytes[..]).unwrap();
        let frame = raw.decode(flashraw::DecodeOptions::default()).unwrap();
        assert!(frame.warnings().is_empty(), "{name}: {:?}", frame.warnings());
        let levels = frame.as_u16().unwrap();
        let mean = levels.iter().map(|level| u64::from(*level)).sum::<u64>() / levels.len() as u64;
        assert!((1500..12_000).contains(&mean), "{name}: {mean}");
        let (_folder, path) = written(&format!("a.{name}"), &bytes);
        if let Some(dcraw) = oracle::program("dcraw_emu") {
            oracle::run(&dcraw, &["-w", "-T"], &path);
            assert!(path.with_extension(format!("{name}.tiff")).exists());
        }
        if let Some(identify) = oracle::program("raw-identify") {
            let printed = oracle::run(&identify, &["-v"], &path);
            assert!(printed.contains("Timestamp: Sun Jul 12 14:03:22 2009"), "{printed}");
        }
    }
}

#[test]
fn clips_play() {
    let shot = shot();
    for (name, bytes) in [("a.mov", samples::mov(&shot)), ("a.mp4", samples::mp4(&shot))] {
        let (_folder, path) = written(name, &bytes);
        if let Some(tags) = oracle::exiftool(&path) {
            assert_eq!(tags["CreateDate"], "2009:07:12 14:03:22");
            assert_eq!(tags["Duration"].as_f64(), Some(1.0));
            assert_eq!(tags["CompressorID"], "avc1");
        }
        if let Some(ffprobe) = oracle::program("ffprobe") {
            let show =
                ["-v", "error", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames"];
            let printed = oracle::run(&ffprobe, &[&show[..], &["-of", "csv=p=0"]].concat(), &path);
            assert!(printed.contains("h264,240,160,30"), "{printed}");
            assert!(printed.contains("pcm_s16le"), "{printed}");
        }
    }
}

#[test]
fn the_index_of_a_sparse_clip_lies_at_its_very_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("MVI_0001.MOV");
    samples::sparse_mov(&path, &shot(), 5 << 30).unwrap();
    let about = std::fs::metadata(&path).unwrap();
    assert_eq!(about.len(), 5 << 30);
    assert!(std::os::unix::fs::MetadataExt::blocks(&about) < 20_000, "it should be a hole");
    let mut end = vec![0; 4096];
    std::os::unix::fs::FileExt::read_exact_at(&std::fs::File::open(&path).unwrap(), &mut end, (5 << 30) - 4096)
        .unwrap();
    assert!(end.windows(4).any(|four| four == b"moov"));
    if let Some(tags) = oracle::exiftool(&path) {
        assert_eq!(tags["Duration"].as_f64(), Some(1.0));
        assert_eq!(tags["Model"], "Canon EOS 5D Mark II");
    }
    assert!(samples::sparse_mov(&path, &shot(), 1 << 20).is_err(), "never over a file");
}

#[test]
fn the_same_shot_gives_the_same_bytes() {
    assert_eq!(samples::cr2(&shot()), samples::cr2(&shot()));
    assert_ne!(samples::cr2(&shot()), samples::cr2(&shot().seeded(2)));
    assert_ne!(samples::jpeg(&shot()), samples::jpeg(&shot().seeded(2)));
}

//! What went wrong for people with other programs: previews and RAW files.

use lightfast_model::{Kind, PreviewSource};
use lightfast_testkit::{Shot, samples};

use crate::support::{Counted, facts_of};

#[test]
fn a_cr3_shows_its_full_size_jpeg_and_not_the_preview_of_1620_pixels() {
    let facts = facts_of(&samples::cr3(&Shot::sized(2000, 1336)), "IMG_0001.CR3");
    let largest = facts.largest_preview().unwrap();
    assert_eq!((largest.width, largest.height), (2000, 1336), "the JPEG in the track is as large as the picture");
    let widths: Vec<u32> = facts.previews.iter().map(|preview| preview.width).collect();
    assert_eq!(widths, [2000, 1620, 160]);
}

#[test]
fn a_full_size_jpeg_is_not_skipped_and_a_thumbnail_does_not_read_it() {
    let facts = facts_of(&samples::cr2(&Shot::sized(1440, 960)), "IMG_0001.CR2");
    assert_eq!(facts.preview_for(4000).unwrap().long_edge(), 1440, "the largest, where none is large enough");
    let cr3 = facts_of(&samples::cr3(&Shot::sized(2000, 1336)), "IMG_0001.CR3");
    assert_eq!(cr3.preview_for(512).unwrap().width, 1620, "the smallest that is large enough");
    assert_eq!(cr3.preview_for(2000).unwrap().width, 2000);
    assert_eq!(cr3.preview_for(100).unwrap().width, 160);
}

/// A CR3 in whose tracks lie so many pictures.
fn roll(frames: u32) -> Vec<u8> {
    let mut bytes = samples::cr3(&Shot::sized(96, 64));
    let at = bytes.windows(4).position(|window| window == b"stsz").unwrap();
    bytes[at + 12..at + 16].copy_from_slice(&frames.to_be_bytes());
    bytes
}

#[test]
fn a_burst_roll_is_counted_frame_by_frame_and_never_dropped() {
    let facts = facts_of(&roll(40), "CSI_0001.CR3");
    assert_eq!((facts.kind, facts.frames), (Kind::Raw, Some(40)));
    assert!(facts.taken.is_some() && !facts.previews.is_empty());
    assert_eq!(facts_of(&roll(1), "IMG_0001.CR3").frames, None, "one picture is no roll");
    assert_eq!(facts_of(&roll(u32::MAX), "IMG_0001.CR3").kind, Kind::Raw, "a number that cannot be breaks nothing");
}

#[test]
fn a_raw_whose_sensor_data_are_damaged_keeps_its_previews_and_its_facts() {
    let good = samples::cr2(&Shot::sized(720, 480));
    let mut bad = good.clone();
    let half = bad.len() * 2 / 3;
    bad[half..].fill(0xff);
    let (good, bad) = (facts_of(&good, "IMG_0001.CR2"), facts_of(&bad, "IMG_0001.CR2"));
    assert_eq!(bad.previews, good.previews);
    assert_eq!((bad.taken, bad.model, bad.iso), (good.taken, good.model, good.iso));
}

#[test]
fn hundreds_of_raws_on_a_slow_mount_are_read_in_few_and_bounded_reads() {
    let kinds = [
        ("IMG_0001.CR2", samples::cr2(&Shot::sized(720, 480))),
        ("IMG_0001.CR3", samples::cr3(&Shot::sized(720, 480))),
        ("IMG_0001.DNG", samples::dng(&Shot::sized(720, 480))),
        ("IMG_0001.JPG", samples::jpeg(&Shot::sized(720, 480))),
        ("MVI_0001.MOV", samples::mov(&Shot::sized(96, 64))),
    ];
    for (name, bytes) in kinds {
        let mut source = Counted::new(&bytes);
        let _ = lightfast_media::facts(&mut source, name.as_ref());
        assert!(source.reads <= 4 && source.read <= 256 << 10, "{name}: {} reads, {} bytes", source.reads, source.read);
    }
}

#[test]
fn a_sony_clip_without_its_xml_still_says_its_model_from_inside() {
    let xml = concat!(
        "<?xml version=\"1.0\"?><NonRealTimeMeta><CreationDate value=\"2020-06-08T23:30:00-07:00\"/>",
        "<Device manufacturer=\"Sony\" modelName=\"ILCE-7M3\" serialNo=\"1234567\"/></NonRealTimeMeta>"
    );
    let boxed = |kind: &[u8], content: &[u8]| [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat();
    let handler = boxed(b"hdlr", b"\0\0\0\0\0\0\0\0nrtm\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let meta =
        boxed(b"meta", &[&[0; 4][..], &handler, &boxed(b"xml ", &[b"\0\0\0\0", xml.as_bytes()].concat())].concat());
    let clip = [boxed(b"ftyp", b"XAVC\0\0\0\0XAVCmp42"), boxed(b"moov", &boxed(b"free", &[0; 8])), meta].concat();
    let facts = facts_of(&clip, "C0001.MP4");
    assert_eq!((facts.make.as_deref(), facts.model.as_deref()), (Some("Sony"), Some("ILCE-7M3")));
    assert_eq!(facts.serial.as_deref(), Some("1234567"));
    assert_eq!(facts.taken.and_then(|taken| taken.offset()).as_deref(), Some("-07:00"));
}

#[test]
fn a_clip_whose_index_is_missing_at_its_end_says_so() {
    let whole = samples::mov(&Shot::sized(96, 64));
    let at = whole.windows(4).position(|window| window == b"moov").unwrap();
    let mut cut = whole.clone();
    cut[at..at + 4].copy_from_slice(b"free");
    assert!(facts_of(&whole, "MVI_0001.MOV").problems.is_empty());
    let facts = facts_of(&cut, "MVI_0001.MOV");
    assert_eq!(facts.kind, Kind::Video);
    assert!(facts.problems[0].contains("moov"), "{:?}", facts.problems);
}

#[test]
fn a_jpeg_is_its_own_largest_preview() {
    let facts = facts_of(&samples::jpeg(&Shot::sized(720, 480)), "IMG_0001.JPG");
    let largest = facts.largest_preview().unwrap();
    assert_eq!((largest.source, largest.width), (PreviewSource::WholeFile, 720));
}

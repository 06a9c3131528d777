//! JPEG: segments, EXIF, IPTC, XMP and MPF inside them, and where an orientation is put in.
#![no_main]

use lightfast_media::{BytesSource, facts, upright};
use lightfast_model::Orientation;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let bytes = [&[0xff, 0xd8, 0xff][..], data].concat();
    let found = facts(&mut BytesSource(&bytes), "IMG_0001.JPG".as_ref());
    assert!(found.previews.iter().all(|p| p.offset.saturating_add(p.length) <= bytes.len() as u64));
    for value in 1..=8 {
        let _ = upright(&bytes, Orientation::new(value).unwrap_or_default());
    }
});

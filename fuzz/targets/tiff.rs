//! TIFF: both byte orders, directories, values, and what makes one a RAW.
#![no_main]

use lightfast_media::{BytesSource, facts};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let heads: [&[u8]; 6] = [b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"II*\0\x10\0\0\0CR\x02\0", b"IIRO", b"IIU\0"];
    let names = ["a.tif", "a.nef", "a.dng", "a.cr2", "a.orf", "a.rw2"];
    let at = usize::from(kind) % heads.len();
    let bytes = [heads[at], rest].concat();
    let found = facts(&mut BytesSource(&bytes), names[at].as_ref());
    assert!(found.previews.iter().all(|p| p.offset.saturating_add(p.length) <= bytes.len() as u64));
});

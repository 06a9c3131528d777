//! ISO-BMFF and QuickTime: boxes, items, tracks; HEIF, CR3, MOV, MP4.
#![no_main]

use lightfast_media::{BytesSource, facts};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let heads: [&[u8]; 4] = [
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
        b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom",
        b"\0\0\0\x14ftypqt  \0\0\0\0qt  ",
        b"\0\0\0\x14ftypmp42\0\0\0\0mp42",
    ];
    let bytes = [heads[usize::from(kind) % heads.len()], rest].concat();
    let found = facts(&mut BytesSource(&bytes), "a".as_ref());
    assert!(found.previews.iter().all(|p| p.offset.saturating_add(p.length) <= bytes.len() as u64));
});

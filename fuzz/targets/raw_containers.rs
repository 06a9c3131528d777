//! RAWs and pictures with containers of their own: RAF, RW2, MRW, CRW, X3F, IIQ; PNG, WebP, JPEG XL, JPEG 2000, PSD, GIF.
#![no_main]

use lightfast_media::{BytesSource, facts};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let heads: [(&[u8], &str); 12] = [
        (b"FUJIFILMCCD-RAW 0201", "a.raf"),
        (b"IIU\0\x18\0\0\0", "a.rw2"),
        (b"\0MRM", "a.mrw"),
        (b"II\x1a\0\0\0HEAPCCDR", "a.crw"),
        (b"FOVb", "a.x3f"),
        (b"IIII", "a.iiq"),
        (b"\x89PNG\r\n\x1a\n", "a.png"),
        (b"RIFF\0\0\0\0WEBP", "a.webp"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "a.jxl"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "a.jp2"),
        (b"8BPS", "a.psd"),
        (b"\xff\x01Exiv2", "a.exv"),
    ];
    let (head, name) = heads[usize::from(kind) % heads.len()];
    let bytes = [head, rest].concat();
    let found = facts(&mut BytesSource(&bytes), name.as_ref());
    assert!(found.previews.iter().all(|p| p.offset.saturating_add(p.length) <= bytes.len() as u64));
});

//! Clips and companions that are not ISO-BMFF: AVI, WAV, MTS, M2TS, XML, GIF.
#![no_main]

use lightfast_media::{BytesSource, facts};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let heads: [(&[u8], &str); 5] =
        [(b"RIFF\0\0\0\0AVI ", "a.avi"), (b"RIFF\0\0\0\0WAVE", "a.wav"), (b"", "a.xml"), (b"GIF89a", "a.gif"), (b"", "a")];
    let (head, name) = heads[usize::from(kind) % heads.len()];
    let mut bytes = [head, rest].concat();
    if kind & 0x80 != 0 && bytes.len() > 600 {
        // A transport stream is known by its packets' first bytes.
        let (first, width) = if kind & 0x40 != 0 { (4, 192) } else { (0, 188) };
        for at in (first..bytes.len()).step_by(width) {
            bytes[at] = 0x47;
        }
    }
    let _ = facts(&mut BytesSource(&bytes), name.as_ref());
});

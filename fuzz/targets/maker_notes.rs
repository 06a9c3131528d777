//! Makers' notes, of every make, inside an EXIF block.
#![no_main]

use lightfast_media::{BytesSource, facts};

const MAKES: [&str; 20] = [
    "Canon", "NIKON CORPORATION", "SONY", "FUJIFILM", "Panasonic", "OLYMPUS", "PENTAX", "RICOH", "SAMSUNG", "Apple",
    "LEICA", "SIGMA", "CASIO", "KONICA MINOLTA", "SANYO", "GoPro", "Hasselblad", "Phase One", "Motorola", "DJI",
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, note)) = data.split_first() else { return };
    let order = kind & 0x80 == 0;
    let make = MAKES[usize::from(kind & 0x7f) % MAKES.len()];
    let short = |v: u16| if order { v.to_le_bytes() } else { v.to_be_bytes() };
    let long = |v: u32| if order { v.to_le_bytes() } else { v.to_be_bytes() };
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        [&short(tag)[..], &short(kind), &long(count), &long(value)].concat()
    };
    // The main directory with make, model and EXIF's place; EXIF's with the note.
    let (main, exif, text) = (8u32, 8 + 2 + 36 + 4, 8 + 2 + 36 + 4 + 2 + 12 + 4);
    let mut tiff = if order { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
    tiff.extend(long(main));
    tiff.extend(short(3));
    tiff.extend(entry(0x010f, 2, make.len() as u32 + 1, text));
    tiff.extend(entry(0x0110, 2, make.len() as u32 + 1, text));
    tiff.extend(entry(0x8769, 4, 1, exif));
    tiff.extend(long(0));
    tiff.extend(short(1));
    tiff.extend(entry(0x927c, 7, note.len() as u32, text + 32));
    tiff.extend(long(0));
    let mut name = make.as_bytes().to_vec();
    name.resize(32, 0);
    tiff.extend(name);
    tiff.extend(note);
    let Ok(length) = u16::try_from(tiff.len() + 8) else { return };
    let bytes = [&[0xff, 0xd8, 0xff, 0xe1][..], &length.to_be_bytes(), b"Exif\0\0", &tiff, &[0xff, 0xd9]].concat();
    let _ = facts(&mut BytesSource(&bytes), "a.jpg".as_ref());
});

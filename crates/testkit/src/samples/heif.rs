//! HEIC and CR3: containers and metadata as cameras write them, with nothing in them that could be decoded as HEVC or
//! CRX. The JPEGs inside a CR3 are real.

use crate::Shot;
use crate::format::boxes::{Bytes, boxed, full, group, uuid};
use crate::format::canon::DAYLIGHT;
use crate::format::exif::{self, MakerNote, Part};
use crate::raw::sensor::Geometry;
use crate::samples::jpeg::{picture, thumbnail};

/// A HEIC whose picture cannot be decoded: brand, items, their places, the shot's size before it is turned, its turn
/// (orientations 3, 6 and 8; mirrored ones are in EXIF alone), and EXIF.
pub fn heic(shot: &Shot) -> Vec<u8> {
    let brand = boxed(b"ftyp", Bytes::default().all(b"heic").u32(0).all(b"mif1heic"));
    let picture = vec![0x5a; 2048];
    // The EXIF item begins with how far its TIFF is from the byte behind this number.
    let exif = Bytes::default().u32(6).all(b"Exif\0\0").all(exif::block(shot, MakerNote::None, None));
    let exif: Vec<u8> = exif.into();
    let index = |start: u32| heic_index(shot, start, picture.len() as u32, exif.len() as u32);
    let start = brand.len() + index(0).len() + 8;
    let mut out = brand;
    out.extend(index(start as u32));
    out.extend(boxed(b"mdat", [picture, exif].concat()));
    out
}

/// A HEIC that can be decoded: 96x64 pixels as stored, a red, a green, a blue and a white quarter (from left to right, top to
/// bottom), and turns in the container that mean the same as EXIF's orientation 1 to 8. It has no EXIF.
pub fn heic_quarters(orientation: u16) -> Vec<u8> {
    // Quarter turns against the clock, then which sides change places: 0 top and bottom, 1 left and right.
    let (turn, mirror) = match orientation {
        2 => (None, Some(1)),
        3 => (Some(2), None),
        4 => (None, Some(0)),
        5 => (Some(3), Some(1)),
        6 => (Some(3), None),
        7 => (Some(1), Some(1)),
        8 => (Some(1), None),
        _ => (None, None),
    };
    let brand = boxed(b"ftyp", Bytes::default().all(b"heic").u32(0).all(b"mif1heic"));
    let colour = Bytes::default().all(b"nclx").u16(1).u16(13).u16(6).u8(0x80);
    let mut properties = vec![
        boxed(b"hvcC", QUARTERS_CONFIGURATION),
        full(b"ispe", 0, 0, Bytes::default().u32(96).u32(64)),
        boxed(b"colr", colour),
    ];
    properties.extend(turn.map(|quarters: u8| boxed(b"irot", [quarters])));
    properties.extend(mirror.map(|sides: u8| boxed(b"imir", [sides])));
    let index = |start: u32| {
        let handler = full(b"hdlr", 0, 0, Bytes::default().u32(0).all(b"pict").zeros(13));
        let primary = full(b"pitm", 0, 0, Bytes::default().u16(1));
        let item = full(b"infe", 2, 0, Bytes::default().u16(1).u16(0).all(b"hvc1").u8(0));
        let items = full(b"iinf", 0, 0, Bytes::default().u16(1).all(item));
        let count = properties.len() as u8;
        let of_item = (1..=count).fold(Bytes::default().u32(1).u16(1).u8(count), |all, n| all.u8(0x80 | n));
        let properties = group(b"iprp", &[group(b"ipco", &properties), full(b"ipma", 0, 0, of_item)]);
        let place = Bytes::default().u16(1).u16(0).u16(1).u32(start).u32(QUARTERS.len() as u32);
        let places = full(b"iloc", 0, 0, Bytes::default().u16(0x4400).u16(1).all(place));
        full(b"meta", 0, 0, [handler, primary, items, properties, places].concat())
    };
    let start = brand.len() + index(0).len() + 8;
    [brand, index(start as u32), boxed(b"mdat", QUARTERS)].concat()
}

fn heic_index(shot: &Shot, start: u32, picture: u32, exif: u32) -> Vec<u8> {
    let handler = full(b"hdlr", 0, 0, Bytes::default().u32(0).all(b"pict").zeros(13));
    let primary = full(b"pitm", 0, 0, Bytes::default().u16(1));
    let item = |id: u16, kind: &[u8; 4]| full(b"infe", 2, 0, Bytes::default().u16(id).u16(0).all(kind).u8(0));
    let items = full(b"iinf", 0, 0, Bytes::default().u16(2).all(item(1, b"hvc1")).all(item(2, b"Exif")));
    let about = boxed(b"cdsc", Bytes::default().u16(2).u16(1).u16(1));
    let references = full(b"iref", 0, 0, about);
    let mut properties = vec![
        boxed(b"hvcC", hevc_configuration()),
        full(b"ispe", 0, 0, Bytes::default().u32(shot.width).u32(shot.height)),
    ];
    // Quarter turns against the clock.
    if let Some(turns) = [(3, 2), (6, 3), (8, 1)].into_iter().find(|(value, _)| *value == shot.orientation.value()) {
        properties.push(boxed(b"irot", [turns.1]));
    }
    let count = properties.len() as u8;
    let mut of_item = Bytes::default().u32(1).u16(1).u8(count).u8(0x81);
    for property in 2..=count {
        of_item = of_item.u8(if property == 3 { 0x83 } else { property });
    }
    let properties = group(b"iprp", &[group(b"ipco", &properties), full(b"ipma", 0, 0, of_item)]);
    let place = |id: u16, at: u32, length: u32| Bytes::default().u16(id).u16(0).u16(1).u32(at).u32(length);
    let places = Bytes::default().u16(0x4400).u16(2).all(place(1, start, picture)).all(place(2, start + picture, exif));
    let places = full(b"iloc", 0, 0, places);
    full(b"meta", 0, 0, [handler, primary, items, references, properties, places].concat())
}

/// A decoder configuration of Main profile, 8 bits, 4:2:0, without parameter sets.
fn hevc_configuration() -> Vec<u8> {
    let head = [1, 1, 0x60, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 93, 0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0, 0x0f, 0];
    head.to_vec()
}

const CANON: [u8; 16] = *b"\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48";
const CANON_PREVIEW: [u8; 16] = *b"\xea\xf4\x2b\x5e\x1c\x98\x4b\x88\xb9\xfb\xb7\xdc\x40\x6e\x4d\x16";
const XMP: [u8; 16] = *b"\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac";

/// A CR3 whose sensor data cannot be decoded: Canon's boxes with the four directories, a thumbnail, a preview of
/// 1620x1080 at most, the full-size JPEG as a track, an XMP packet.
pub fn cr3(shot: &Shot) -> Vec<u8> {
    let brand = boxed(b"ftyp", Bytes::default().all(b"crx ").u32(1).all(b"crx isom"));
    let jpeg = picture(shot.width, shot.height, shot.seed);
    let preview = uuid(CANON_PREVIEW, Bytes::default().u32(0).u32(1).all(preview(shot)));
    let xmp = uuid(XMP, XMP_PACKET);
    let index = |start: u64| {
        let header =
            full(b"mvhd", 0, 0, Bytes::default().zeros(8).u32(1).u32(1).u32(0x1_0000).u16(0x100).zeros(70).u32(2));
        group(b"moov", &[canon_boxes(shot), header, jpeg_track(shot, start, jpeg.len() as u32)])
    };
    let before = [brand, index(0), xmp, preview];
    let start = before.iter().map(Vec::len).sum::<usize>() + 8;
    let [brand, _, xmp, preview] = before;
    let data = [jpeg.clone(), vec![0x5a; 4096]].concat();
    [brand, index(start as u64), xmp, preview, boxed(b"mdat", data)].concat()
}

const XMP_PACKET: &[u8] = b"<?xpacket begin='\xef\xbb\xbf' id='W5M0MpCehiHzreSzNTczkc9d'?>\
<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
<rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='0'/></rdf:RDF></x:xmpmeta>\
<?xpacket end='w'?>";

fn canon_boxes(shot: &Shot) -> Vec<u8> {
    let sensor = Geometry::new(shot.width, shot.height).described(DAYLIGHT);
    let small = thumbnail(shot);
    let thumbnail = Bytes::default().u16(160).u16(120).u32(small.len() as u32).u16(1).u16(0).all(small);
    let mut boxes = vec![
        boxed(b"CNCV", b"CanonCR3_001/00.09.00/00.00.00"),
        boxed(b"CMT1", exif::part(shot, Part::Main)),
        boxed(b"CMT2", exif::part(shot, Part::Exif)),
        boxed(b"CMT3", exif::part(shot, Part::Canon(sensor))),
    ];
    if shot.gps.is_some() {
        boxes.push(boxed(b"CMT4", exif::part(shot, Part::Gps)));
    }
    boxes.push(full(b"THMB", 0, 0, thumbnail));
    uuid(CANON, boxes.concat())
}

fn preview(shot: &Shot) -> Vec<u8> {
    let (width, height) = (shot.width.min(1620), shot.height.min(1080));
    let jpeg = picture(width, height, shot.seed);
    let content =
        Bytes::default().u32(0).u16(1).u16(width as u16).u16(height as u16).u16(1).u32(jpeg.len() as u32).all(jpeg);
    boxed(b"PRVW", content)
}

/// A track of one sample, the full-size JPEG.
fn jpeg_track(shot: &Shot, start: u64, length: u32) -> Vec<u8> {
    let (width, height) = (shot.width as u16, shot.height as u16);
    let entry = Bytes::default()
        .zeros(6)
        .u16(1)
        .zeros(16)
        .u16(width)
        .u16(height)
        .u32(0x0048_0000)
        .u32(0x0048_0000)
        .u32(0)
        .u16(1)
        .zeros(32)
        .u16(24)
        .u16(0xffff)
        .u16(3)
        .u16(0)
        .all(boxed(b"JPEG", [0; 4]));
    let table = group(
        b"stbl",
        &[
            full(b"stsd", 0, 0, Bytes::default().u32(1).all(boxed(b"CRAW", entry))),
            full(b"stts", 0, 0, Bytes::default().u32(1).u32(1).u32(1)),
            full(b"stsc", 0, 0, Bytes::default().u32(1).u32(1).u32(1).u32(1)),
            full(b"stsz", 0, 0, Bytes::default().u32(length).u32(1)),
            full(b"co64", 0, 0, Bytes::default().u32(1).u64(start)),
        ],
    );
    let reference = full(b"dref", 0, 0, Bytes::default().u32(1).all(full(b"url ", 0, 1, [])));
    let information = group(b"minf", &[full(b"vmhd", 0, 1, [0; 8]), group(b"dinf", &[reference]), table]);
    let handler = full(b"hdlr", 0, 0, Bytes::default().u32(0).all(b"vide").zeros(13));
    let media_header = full(b"mdhd", 0, 0, Bytes::default().zeros(8).u32(1).u32(1).u32(0));
    let media = group(b"mdia", &[media_header, handler, information]);
    let about = Bytes::default().zeros(8).u32(1).u32(0).u32(1).zeros(52).u16(width).u16(0).u16(height).u16(0);
    group(b"trak", &[full(b"tkhd", 0, 7, about), media])
}

/// The decoder's configuration of the four quarters, with its parameter sets.
#[rustfmt::skip]
const QUARTERS_CONFIGURATION: &[u8] = &[
    0x01, 0x03, 0x70, 0x00, 0x00, 0x00, 0x90, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1e, 0xf0, 0x00, 0xfc, 0xfd, 0xf8,
    0xf8, 0x00, 0x00, 0x0f, 0x03, 0x60, 0x00, 0x01, 0x00, 0x18, 0x40, 0x01, 0x0c, 0x01, 0xff, 0xff, 0x03, 0x70,
    0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x1e, 0xba, 0x02, 0x40, 0x61, 0x00,
    0x01, 0x00, 0x2b, 0x42, 0x01, 0x01, 0x03, 0x70, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00,
    0x03, 0x00, 0x1e, 0xa0, 0x30, 0x81, 0x05, 0x96, 0xea, 0x49, 0x29, 0xae, 0x6e, 0x02, 0x1a, 0x0c, 0x08, 0x00,
    0x00, 0x03, 0x00, 0xc8, 0x00, 0x00, 0x03, 0x00, 0x08, 0x40, 0x62, 0x00, 0x01, 0x00, 0x07, 0x44, 0x01, 0xc1,
    0x72, 0xb0, 0x22, 0x40,
];

/// The four quarters as one HEVC picture, drawn and encoded for these tests.
#[rustfmt::skip]
const QUARTERS: &[u8] = &[
    0x00, 0x00, 0x00, 0xd4, 0x28, 0x01, 0xaf, 0x09, 0xe0, 0xe3, 0x0b, 0x9c, 0xba, 0xaf, 0xff, 0xfe, 0x41, 0x1f,
    0xff, 0xfe, 0x31, 0x1b, 0x90, 0xfe, 0x04, 0xe6, 0xa4, 0x82, 0x52, 0x79, 0xef, 0xdd, 0xe9, 0xfe, 0xd3, 0xe7,
    0xff, 0xe7, 0x36, 0x2b, 0xa8, 0xa3, 0xdd, 0xac, 0xa3, 0x04, 0x11, 0x7a, 0x65, 0x17, 0x50, 0xeb, 0x49, 0xbc,
    0x6d, 0x6b, 0xd4, 0xa5, 0xc4, 0xff, 0x8c, 0x73, 0x23, 0x7e, 0x5f, 0x1c, 0x81, 0x3a, 0x1e, 0xbc, 0x74, 0x29,
    0xa8, 0x54, 0x14, 0x05, 0x00, 0x06, 0x9b, 0x6f, 0x8a, 0xc0, 0x99, 0x3c, 0x4f, 0xe4, 0x19, 0x78, 0x71, 0xf9,
    0x43, 0x4c, 0x0a, 0x07, 0x47, 0x83, 0xbd, 0x89, 0xff, 0xf7, 0xf0, 0x83, 0xc7, 0xf1, 0x2c, 0x8d, 0xff, 0xeb,
    0xaf, 0x25, 0x7d, 0x49, 0x42, 0x35, 0x8c, 0x3a, 0x16, 0x12, 0x36, 0xc0, 0xea, 0xf4, 0x74, 0x08, 0x69, 0xbd,
    0x34, 0xf1, 0x0c, 0x5c, 0x1f, 0x07, 0x61, 0xde, 0xea, 0xae, 0x99, 0xe3, 0x35, 0x8e, 0x27, 0x73, 0x3e, 0x58,
    0xbf, 0xc2, 0x80, 0xd5, 0x27, 0x18, 0x92, 0x42, 0x46, 0x4e, 0x45, 0x9f, 0x2a, 0xa2, 0xc3, 0xc8, 0x88, 0x7b,
    0x68, 0x79, 0x7f, 0xb6, 0xab, 0x4f, 0xc4, 0x94, 0xfa, 0x7f, 0xe6, 0xca, 0x87, 0xe6, 0x0b, 0x00, 0xf1, 0x0f,
    0xd8, 0x75, 0x5f, 0x8f, 0xae, 0xbd, 0xc1, 0x69, 0xde, 0xcf, 0xac, 0x61, 0x7f, 0x57, 0xfd, 0x22, 0x5f, 0x20,
    0xe9, 0xef, 0xbc, 0x0d, 0x5e, 0xf6, 0x4a, 0xac, 0x62, 0xdb, 0x9a, 0xfe, 0x4b, 0x73, 0x7f, 0xf3, 0x2b, 0xa3,
];

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

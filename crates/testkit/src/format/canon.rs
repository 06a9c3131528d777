//! Canon's maker note, as a 5D Mark II fills it.
//!
//! Field numbers and meanings are those of ExifTool's documentation of Canon
//! tags. Fields whose meaning is not known, and those that say nothing of a
//! drawn picture, are left out or zero.

use super::exif::log2_in_32nds;
use super::tiff::{Ifd, TiffWriter};
use crate::Shot;

/// "Canon EOS 5D Mark II" in Canon's own numbering of models.
const MODEL_ID: u32 = 0x8000_0218;
/// Values before the picture begins: black, and the level at which a photosite is full.
pub(crate) const BLACK: u16 = 1023;
pub(crate) const WHITE: u16 = 15312;
/// White balance, as red, green, green, blue in 1/1024, and its colour temperature.
pub(crate) type WhiteBalance = ([u16; 4], u16);
/// Under daylight.
pub(crate) const DAYLIGHT: WhiteBalance = ([2260, 1024, 1024, 1796], 5200);

/// Where the picture lies on the sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sensor {
    /// All photosites, the masked ones included.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The first column and row of the picture.
    pub(crate) left: u32,
    pub(crate) top: u32,
    /// The picture's size.
    pub(crate) picture: (u32, u32),
    /// As it was shot.
    pub(crate) white_balance: WhiteBalance,
}

/// What the camera knows of a lens: Canon's number of its type, its range in millimetres, its aperture.
struct Lens {
    name: &'static str,
    kind: u16,
    range: (u16, u16),
    widest: (u64, u64),
    narrowest: (u64, u64),
}

/// Lenses by the name that EXIF has.
const LENSES: [Lens; 2] = [
    Lens { name: "EF70-200mm f/4L USM", kind: 186, range: (70, 200), widest: (4, 1), narrowest: (32, 1) },
    Lens { name: "EF24-105mm f/4L IS USM", kind: 237, range: (24, 105), widest: (4, 1), narrowest: (22, 1) },
];

const NOT_SET: u16 = 0xffff;
const NOT_KNOWN: u16 = 0x7fff;

/// Puts the maker note down; tells where it lies and how long it is.
pub(crate) fn put(writer: &mut TiffWriter, shot: &Shot, sensor: Sensor) -> (u32, u32) {
    let (width, height) = (sensor.picture.0 as u16, sensor.picture.1 as u16);
    let mut ifd = Ifd::default()
        .shorts(0x01, &camera_settings(shot))
        .shorts(0x02, &[2, whole(shot.focal_length.num, shot.focal_length.den), 1417, 945])
        .shorts(0x04, &shot_info(shot))
        .ascii_padded(0x06, &shot.model, 32)
        .ascii_padded(0x07, "Firmware Version 1.0.7", 32)
        .ascii_padded(0x09, "", 32)
        .long(0x0c, shot.serial.parse().unwrap_or(0))
        .long(0x10, MODEL_ID)
        .long(0x15, 0xa000_0000)
        .shorts(0x26, &focus_points(width, height))
        .shorts(0x93, &file_info())
        .ascii_padded(0x95, &shot.lens, 128)
        .ascii_padded(0x96, "ZA0000000", 16)
        .longs(0x9a, &[0, sensor.picture.0, sensor.picture.1, 0, 0])
        .shorts(0xa0, &processing(sensor.white_balance.1))
        .short(0xb4, 1)
        .shorts(0xe0, &sensor_info(sensor))
        .shorts(0x4001, &color_data(sensor.white_balance));
    if let Some(number) = shot.file_number {
        ifd = ifd.long(0x08, number as u32);
    }
    let at = writer.put(&ifd).offset;
    // The camera ends its note with a small TIFF header that says where the note began, so that readers can
    // tell whether somebody moved it.
    let end = writer.append(b"II*\0");
    let place = writer.append(&at.to_le_bytes());
    (at, (place + 4).saturating_sub(at.min(end)))
}

fn whole(num: u64, den: u64) -> u16 {
    ((num + den / 2) / den.max(1)) as u16
}

fn lens(shot: &Shot) -> Option<&'static Lens> {
    LENSES.iter().find(|lens| lens.name == shot.lens)
}

/// An f-number in Canon's 32nds of a stop.
fn aperture_value(num: u64, den: u64) -> u16 {
    (2 * log2_in_32nds(num, den)) as u16
}

fn camera_settings(shot: &Shot) -> [u16; 47] {
    let lens = lens(shot);
    let mut v = [0u16; 47];
    let set: [(usize, u16); 25] = [
        (0, 94),
        (1, 2),                                           // not macro
        (3, 4),                                           // RAW
        (5, 1),                                           // continuous drive
        (7, 1),                                           // AI servo
        (9, 6),                                           // CR2
        (11, 1),                                          // no scene mode
        (15, NOT_KNOWN),                                  // sharpness: in the picture style
        (16, if shot.iso_auto { 15 } else { NOT_KNOWN }), // ISO setting: 15 is auto
        (17, 3),                                          // evaluative metering
        (18, 2),
        (20, 3), // aperture priority
        (21, NOT_SET),
        (22, lens.map_or(NOT_SET, |lens| lens.kind)),
        (23, lens.map_or(0, |lens| lens.range.1)),
        (24, lens.map_or(0, |lens| lens.range.0)),
        (25, 1), // millimetres
        (26, lens.map_or(0, |lens| aperture_value(lens.widest.0, lens.widest.1))),
        (27, lens.map_or(0, |lens| aperture_value(lens.narrowest.0, lens.narrowest.1))),
        (32, 1), // focus was continuous
        (33, 0),
        (34, NOT_SET),
        (39, NOT_SET),
        (40, NOT_SET),
        (41, NOT_KNOWN),
    ];
    for (index, value) in set {
        if let Some(place) = v.get_mut(index) {
            *place = value;
        }
    }
    v
}

fn shot_info(shot: &Shot) -> [u16; 34] {
    let base_iso = 160 + log2_in_32nds(u64::from(shot.iso), 100);
    let aperture = aperture_value(shot.aperture.num, shot.aperture.den);
    let exposure = log2_in_32nds(shot.exposure.den, shot.exposure.num);
    let rotation = match shot.orientation.value() {
        6 => 1,
        3 => 2,
        8 => 3,
        _ => 0,
    };
    let mut v = [0u16; 34];
    let set: [(usize, u16); 17] = [
        (0, 68),
        (1, 0), // auto ISO 100: the base below is what was used
        (2, base_iso as u16),
        (3, (i32::from(aperture) + exposure - log2_in_32nds(u64::from(shot.iso), 100)) as u16),
        (4, aperture),
        (5, exposure as u16),
        (8, 3),
        (12, 128 + 26), // degrees Celsius
        (18, 0),
        (21, aperture),
        (22, exposure as u16),
        (23, 0),
        (26, 248),      // a camera of the upper class
        (27, rotation), // the camera turns it for viewing
        (28, NOT_SET),
        (29, NOT_SET),
        (33, 0),
    ];
    for (index, value) in set {
        if let Some(place) = v.get_mut(index) {
            *place = value;
        }
    }
    v
}

/// Nine points in a diamond; the middle one is chosen and in focus.
fn focus_points(width: u16, height: u16) -> Vec<u16> {
    let across = [0i32, -561, 561, -1173, 0, 1173, -561, 561, 0];
    let down = [501i32, 280, 280, 0, 0, 0, -280, -280, -501];
    let scaled = |v: i32| (v * i32::from(width) / 5616) as u16;
    let mut v = vec![100, 2, 9, 9, width, height, width, height];
    v.extend([scaled(84); 9]);
    v.extend([scaled(101); 9]);
    v.extend(across.map(scaled));
    v.extend(down.map(scaled));
    v.extend([0b1_0000, 0b1_0000, NOT_SET, 0, 0, 0]);
    v
}

fn file_info() -> [u16; 26] {
    let mut v = [0u16; 26];
    [v[0], v[20], v[21]] = [52, 1200, 800];
    v
}

fn processing(temperature: u16) -> [u16; 14] {
    [28, 0, 3, 0, 0, 0, 0, 0, 0, temperature, 0x81, 0, 0, 0]
}

fn sensor_info(sensor: Sensor) -> [u16; 17] {
    let right = sensor.left + sensor.picture.0 - 1;
    let bottom = sensor.top + sensor.picture.1 - 1;
    let [w, h, l, t, r, b] =
        [sensor.width, sensor.height, sensor.left, sensor.top, right, bottom].map(|value| value as u16);
    [34, w, h, 1, 1, l, t, r, b, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Colour data, version 6, 1,250 values: white balances, black and white levels.
fn color_data(shot: WhiteBalance) -> Vec<u16> {
    let mut v = vec![0u16; 1250];
    let mut set = |at: usize, values: &[u16]| {
        if let Some(place) = v.get_mut(at..at + values.len()) {
            place.copy_from_slice(values);
        }
    };
    set(0, &[6]);
    // As shot, auto, measured; then the camera's presets in its order: daylight, shade, cloudy, tungsten,
    // fluorescent, kelvin, flash; and what lies between them is not known.
    let presets: [(usize, WhiteBalance); 10] = [
        (63, shot),
        (68, shot),
        (73, shot),
        (83, DAYLIGHT),
        (88, ([2608, 1024, 1024, 1481], 7000)),
        (93, ([2439, 1024, 1024, 1616], 6000)),
        (98, ([1752, 1116, 1116, 3090], 3200)),
        (103, ([2011, 1065, 1065, 2733], 3674)),
        (108, DAYLIGHT),
        (113, ([2405, 1024, 1024, 1654], 5826)),
    ];
    for (at, (gains, temperature)) in presets {
        set(at, &gains);
        set(at + 4, &[temperature]);
    }
    set(231, &[BLACK; 4]); // average black
    set(715, &[BLACK; 4]); // black of each channel
    set(719, &[WHITE - 1000, WHITE, 10_000]); // white: normal, specular, and where it stops being linear
    v
}

//! The EXIF of a rendering: what was photographed with what, when and where.
//!
//! A TIFF of one directory, its EXIF directory and, with a place, its GPS directory
//! (EXIF 2.3). The picture is upright, so its orientation is 1.

use super::sensor::Shot;

/// Longest text that is copied from a file.
const MOST_TEXT: usize = 200;

/// One entry of a directory.
struct Entry {
    tag: u16,
    kind: u16,
    count: u32,
    bytes: Vec<u8>,
}

/// Entries of one directory.
#[derive(Default)]
struct Directory(Vec<Entry>);

impl Directory {
    fn text(&mut self, tag: u16, text: &str) {
        let mut bytes: Vec<u8> = text.trim().bytes().filter(|b| *b != 0).take(MOST_TEXT).collect();
        if bytes.is_empty() {
            return;
        }
        bytes.push(0);
        self.0.push(Entry { tag, kind: 2, count: bytes.len() as u32, bytes });
    }

    fn short(&mut self, tag: u16, value: u16) {
        self.0.push(Entry { tag, kind: 3, count: 1, bytes: value.to_le_bytes().to_vec() });
    }

    fn long(&mut self, tag: u16, value: u32) {
        self.0.push(Entry { tag, kind: 4, count: 1, bytes: value.to_le_bytes().to_vec() });
    }

    fn bytes(&mut self, tag: u16, kind: u16, bytes: &[u8]) {
        self.0.push(Entry { tag, kind, count: bytes.len() as u32, bytes: bytes.to_vec() });
    }

    fn ratios(&mut self, tag: u16, values: &[(u32, u32)]) {
        let bytes = values.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect();
        self.0.push(Entry { tag, kind: 5, count: values.len() as u32, bytes });
    }

    fn signed_ratio(&mut self, tag: u16, value: f64) {
        let bytes = [((value * 100.0).round() as i32).to_le_bytes(), 100_i32.to_le_bytes()].concat();
        self.0.push(Entry { tag, kind: 10, count: 1, bytes });
    }

    /// The directory as it lies at `offset` of the TIFF, with what does not fit into its entries behind it.
    fn write(mut self, offset: usize) -> Vec<u8> {
        self.0.sort_by_key(|entry| entry.tag);
        let mut behind = Vec::new();
        let begin = offset + 2 + 12 * self.0.len() + 4;
        let mut out = (self.0.len() as u16).to_le_bytes().to_vec();
        for entry in &self.0 {
            out.extend(entry.tag.to_le_bytes());
            out.extend(entry.kind.to_le_bytes());
            out.extend(entry.count.to_le_bytes());
            if entry.bytes.len() <= 4 {
                let mut value = entry.bytes.clone();
                value.resize(4, 0);
                out.extend(value);
            } else {
                out.extend(((begin + behind.len()) as u32).to_le_bytes());
                behind.extend(&entry.bytes);
                behind.resize(behind.len().next_multiple_of(2), 0);
            }
        }
        out.extend(0_u32.to_le_bytes());
        out.extend(behind);
        out
    }
}

/// The payload of the APP1 segment, for a picture of this size.
pub(crate) fn segment(shot: &Shot, width: u32, height: u32) -> Vec<u8> {
    let taken = shot.taken.as_deref().and_then(date);
    let mut first = Directory::default();
    first.text(0x010f, &shot.make);
    first.text(0x0110, &shot.model);
    first.short(0x0112, 1);
    first.text(0x0131, "lightfast");
    first.text(0x013b, shot.artist.as_deref().unwrap_or_default());
    first.text(0x8298, shot.copyright.as_deref().unwrap_or_default());
    if let Some((date, ..)) = &taken {
        first.text(0x0132, date);
    }
    let gps = shot.place.map(gps);
    // Offsets are known once the sizes are: placeholders first.
    first.long(0x8769, 0);
    if gps.is_some() {
        first.long(0x8825, 0);
    }
    let exif_at = 8 + Directory(first.0.iter().map(Entry::copy).collect()).write(8).len();
    let exif = details(shot, &taken, width, height).write(exif_at);
    let gps_at = exif_at + exif.len();
    for entry in &mut first.0 {
        match entry.tag {
            0x8769 => entry.bytes = (exif_at as u32).to_le_bytes().to_vec(),
            0x8825 => entry.bytes = (gps_at as u32).to_le_bytes().to_vec(),
            _ => {}
        }
    }
    let mut out = b"Exif\0\0II*\0\x08\0\0\0".to_vec();
    out.extend(first.write(8));
    out.extend(exif);
    out.extend(gps.map(|gps| gps.write(gps_at)).unwrap_or_default());
    out
}

impl Entry {
    fn copy(&self) -> Self {
        Self { tag: self.tag, kind: self.kind, count: self.count, bytes: self.bytes.clone() }
    }
}

fn details(
    shot: &Shot,
    taken: &Option<(String, Option<String>, Option<String>)>,
    width: u32,
    height: u32,
) -> Directory {
    let mut exif = Directory::default();
    exif.bytes(0x9000, 7, b"0231");
    if let Some(seconds) = shot.seconds.filter(|s| *s > 0.0 && *s < 1e6) {
        let ratio =
            if seconds < 0.3 { (1, (1.0 / seconds).round() as u32) } else { ((seconds * 1000.0).round() as u32, 1000) };
        exif.ratios(0x829a, &[ratio]);
    }
    if let Some(f) = shot.f_number.filter(|f| *f > 0.0 && *f < 1000.0) {
        exif.ratios(0x829d, &[((f * 100.0).round() as u32, 100)]);
    }
    if let Some(iso) = shot.iso.filter(|iso| *iso > 0) {
        exif.short(0x8827, u16::try_from(iso).unwrap_or(u16::MAX));
    }
    if let Some((date, fraction, zone)) = taken {
        exif.text(0x9003, date);
        exif.text(0x9011, zone.as_deref().unwrap_or_default());
        exif.text(0x9291, fraction.as_deref().unwrap_or_default());
    }
    if let Some(bias) = shot.bias.filter(|b| b.abs() < 100.0) {
        exif.signed_ratio(0x9204, bias);
    }
    if let Some(flash) = shot.flash {
        exif.short(0x9209, flash);
    }
    if let Some(length) = shot.focal_length.filter(|l| *l > 0.0 && *l < 100_000.0) {
        exif.ratios(0x920a, &[((length * 100.0).round() as u32, 100)]);
    }
    exif.short(0xa001, 1);
    exif.long(0xa002, width);
    exif.long(0xa003, height);
    exif.text(0xa434, shot.lens.as_deref().unwrap_or_default());
    exif
}

/// `YYYY-MM-DDTHH:MM:SS[.sss][+HH:MM]` as EXIF's date, its fraction and its zone.
fn date(iso: &str) -> Option<(String, Option<String>, Option<String>)> {
    let day = iso.get(..10)?.replace('-', ":");
    let time = iso.get(11..19)?;
    let rest = iso.get(19..).unwrap_or_default();
    let zone = rest.find(['+', '-']).and_then(|at| rest.get(at..)).map(str::to_owned);
    let fraction = rest.strip_prefix('.').map(|f| f.chars().take_while(char::is_ascii_digit).collect());
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    (plain(&day) && plain(time)).then(|| (format!("{day} {time}"), fraction, zone))
}

fn gps((north, east): (f64, f64)) -> Directory {
    let mut gps = Directory::default();
    gps.bytes(0x0000, 1, &[2, 3, 0, 0]);
    for (tag, value, names) in [(1, north, ["N", "S"]), (3, east, ["E", "W"])] {
        gps.text(tag, if value < 0.0 { names[1] } else { names[0] });
        let seconds = (value.abs().min(360.0) * 3600.0 * 1000.0).round() as u64;
        let (degrees, minutes) = (seconds / 3_600_000, seconds / 60_000 % 60);
        gps.ratios(tag + 1, &[(degrees as u32, 1), (minutes as u32, 1), ((seconds % 60_000) as u32, 1000)]);
    }
    gps
}

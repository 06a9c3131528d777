//! Clips in their container: QuickTime as a 5D Mark II writes it, or MP4.

use std::io::{self, Seek as _, SeekFrom, Write as _};

use jiff::civil::date;
use lightfast_model::Gps;

use super::h264::{self, Planes, Size};
use crate::Shot;
use crate::format::boxes::{Bytes, boxed, full, group};
use crate::raw::grain::Random;

/// Units of a second of the film, and how many of them a picture lasts: 30 pictures a second.
const TIMESCALE: u32 = 30_000;
const DURATION: u32 = 1000;
const SOUND_RATE: u32 = 44_100;
/// A key picture every so often: with pictures stored as they are this comes to 41 Mb/s at 1920x1080.
const KEY_EVERY: u32 = 18;

/// Which container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// QuickTime with Canon's user data.
    Canon,
    /// MP4, with a place if the shot has one.
    Mp4,
}

/// The coded pictures and the sound of a clip.
#[derive(Debug)]
pub(crate) struct Clip {
    size: Size,
    pictures: Vec<Vec<u8>>,
    sound: Vec<u8>,
}

impl Clip {
    /// A view that moves slowly over `scene`, which is `wide` by `high` pixels of RGB; `pictures` pictures long.
    pub(crate) fn pan(scene: &[u8], wide: usize, size: Size, pictures: u32, seed: u64) -> Self {
        let mut coded = Vec::new();
        for number in 0..pictures {
            let since_key = number % KEY_EVERY;
            let unit = if since_key == 0 {
                let planes = view(scene, wide, number as usize, size);
                h264::key_picture(size, &planes, number / KEY_EVERY)
            } else {
                h264::moved_picture(size, (1, 0), since_key)
            };
            let mut sample = (unit.len() as u32).to_be_bytes().to_vec();
            sample.extend(unit);
            coded.push(sample);
        }
        Self { size, pictures: coded, sound: murmur(pictures, seed) }
    }

    /// How many pixels wider than its pictures a scene must be for so many of them.
    pub(crate) fn travel(pictures: u32) -> u32 {
        pictures
    }

    /// The whole file. `thumbnail` is an EXIF JPEG that Canon puts into the user data.
    pub(crate) fn file(&self, shot: &Shot, container: Container, thumbnail: &[u8]) -> Vec<u8> {
        let head = brand(container);
        // The index says where the data lies, and lies before it: its length is the same wherever that is.
        let length = self.index(shot, container, thumbnail, 0).len();
        let padding = match container {
            Container::Canon => (head.len() + length + 16).next_multiple_of(4096) - head.len() - length - 16,
            Container::Mp4 => 0,
        };
        let start = head.len() + length + 8 + padding + 8;
        let mut out = head;
        out.extend(self.index(shot, container, thumbnail, start as u64));
        out.extend(boxed(b"free", vec![0; padding]));
        let data: usize = self.pictures.iter().map(Vec::len).sum::<usize>() + self.sound.len();
        out.extend((data as u32 + 8).to_be_bytes());
        out.extend(b"mdat");
        for sample in &self.pictures {
            out.extend(sample);
        }
        out.extend(&self.sound);
        out
    }

    /// The same, `length` bytes long, with a hole in the middle of its data and the index behind it, as a camera leaves
    /// a long clip.
    pub(crate) fn sparse_file(&self, file: &mut std::fs::File, shot: &Shot, length: u64) -> io::Result<()> {
        let head = brand(Container::Canon);
        let start = head.len() as u64 + 16;
        let index = self.index(shot, Container::Canon, &[], start);
        let data_box = length.saturating_sub(head.len() as u64 + index.len() as u64);
        file.write_all(&head)?;
        file.write_all(Bytes::default().u32(1).all(b"mdat").u64(data_box).as_ref())?;
        for sample in &self.pictures {
            file.write_all(sample)?;
        }
        file.write_all(&self.sound)?;
        file.seek(SeekFrom::Start(head.len() as u64 + data_box))?;
        file.write_all(&index)
    }

    fn index(&self, shot: &Shot, container: Container, thumbnail: &[u8], start: u64) -> Vec<u8> {
        let created = seconds_since_1904(shot);
        let length = self.pictures.len() as u32 * DURATION;
        let header = Bytes::default()
            .u32(created)
            .u32(created)
            .u32(TIMESCALE)
            .u32(length)
            .u32(0x0001_0000)
            .u16(0x0100)
            .zeros(10)
            .all(matrix(0))
            .zeros(24)
            .u32(3);
        let mut boxes = vec![full(b"mvhd", 0, 0, header)];
        if container == Container::Canon {
            boxes.push(canon_data(shot, thumbnail));
        } else if let Some(gps) = shot.gps {
            boxes.push(group(b"udta", &[place(gps)]));
        }
        boxes.push(self.pictures_track(shot, created, length, start));
        let sound_at = start + self.pictures.iter().map(|sample| sample.len() as u64).sum::<u64>();
        boxes.push(self.sound_track(created, length, sound_at));
        group(b"moov", &boxes)
    }

    fn pictures_track(&self, shot: &Shot, created: u32, length: u32, start: u64) -> Vec<u8> {
        let (width, height) = (self.size.width as u16, self.size.height as u16);
        let (sequence, parameters) = (h264::sequence(self.size), h264::picture_parameters());
        let configuration = Bytes::default()
            .all([1, 66, 0b1100_0000, 50, 0xff, 0xe1])
            .u16(sequence.len() as u16)
            .all(sequence)
            .u8(1)
            .u16(parameters.len() as u16)
            .all(parameters);
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
            .all(boxed(b"avcC", configuration));
        let sizes: Vec<u32> = self.pictures.iter().map(|sample| sample.len() as u32).collect();
        let keys: Vec<u32> = (0..sizes.len() as u32).step_by(KEY_EVERY as usize).map(|index| index + 1).collect();
        let table = group(
            b"stbl",
            &[
                full(b"stsd", 0, 0, Bytes::default().u32(1).all(boxed(b"avc1", entry))),
                full(b"stts", 0, 0, numbers(&[1, sizes.len() as u32, DURATION])),
                full(b"stss", 0, 0, counted(&keys)),
                full(b"stsc", 0, 0, numbers(&[1, 1, sizes.len() as u32, 1])),
                full(b"stsz", 0, 0, Bytes::default().u32(0).all(counted(&sizes))),
                chunk_at(start),
            ],
        );
        let turn = match shot.orientation.value() {
            3 => 180,
            6 => 90,
            8 => 270,
            _ => 0,
        };
        let header = Header { id: 1, created, length, volume: 0, turn, width, height };
        let handled = full(b"vmhd", 0, 1, [0; 8]);
        track(&header, (TIMESCALE, length), b"vide", handled, table)
    }

    fn sound_track(&self, created: u32, length: u32, start: u64) -> Vec<u8> {
        let frames = self.sound.len() as u32 / 4;
        let entry = Bytes::default().zeros(6).u16(1).zeros(8).u16(2).u16(16).zeros(4).u32(SOUND_RATE << 16);
        let table = group(
            b"stbl",
            &[
                full(b"stsd", 0, 0, Bytes::default().u32(1).all(boxed(b"sowt", entry))),
                full(b"stts", 0, 0, numbers(&[1, frames, 1])),
                full(b"stsc", 0, 0, numbers(&[1, 1, frames, 1])),
                full(b"stsz", 0, 0, numbers(&[4, frames])),
                chunk_at(start),
            ],
        );
        let header = Header { id: 2, created, length, volume: 0x0100, turn: 0, width: 0, height: 0 };
        let handled = full(b"smhd", 0, 0, [0; 4]);
        track(&header, (SOUND_RATE, frames), b"soun", handled, table)
    }
}

/// What a track's header says.
struct Header {
    id: u32,
    created: u32,
    length: u32,
    volume: u16,
    /// Degrees clockwise.
    turn: u32,
    width: u16,
    height: u16,
}

fn track(header: &Header, media: (u32, u32), kind: &[u8; 4], handled: Vec<u8>, table: Vec<u8>) -> Vec<u8> {
    let about = Bytes::default()
        .u32(header.created)
        .u32(header.created)
        .u32(header.id)
        .u32(0)
        .u32(header.length)
        .zeros(12)
        .u16(header.volume)
        .u16(0)
        .all(matrix(header.turn))
        .u16(header.width)
        .u16(0)
        .u16(header.height)
        .u16(0);
    let media_header = Bytes::default().u32(header.created).u32(header.created).u32(media.0).u32(media.1).u16(0).u16(0);
    let reference = full(b"dref", 0, 0, Bytes::default().u32(1).all(full(b"url ", 0, 1, [])));
    let information = group(b"minf", &[handled, data_handler(), group(b"dinf", &[reference]), table]);
    let handler = full(b"hdlr", 0, 0, Bytes::default().all(b"mhlr").all(kind).zeros(12).u8(0));
    let media = group(b"mdia", &[full(b"mdhd", 0, 0, media_header), handler, information]);
    group(b"trak", &[full(b"tkhd", 0, 7, about), media])
}

fn data_handler() -> Vec<u8> {
    full(b"hdlr", 0, 0, Bytes::default().all(b"dhlr").all(b"url ").zeros(12).u8(0))
}

/// How pictures are turned for viewing.
fn matrix(turn: u32) -> Vec<u8> {
    let (one, minus) = (0x0001_0000, 0xffff_0000);
    let [a, b, c, d] = match turn {
        90 => [0, one, minus, 0],
        180 => [minus, 0, 0, minus],
        270 => [0, minus, one, 0],
        _ => [one, 0, 0, one],
    };
    numbers(&[a, b, 0, c, d, 0, 0, 0, 0x4000_0000])
}

fn numbers(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// How many there are, then they.
fn counted(values: &[u32]) -> Vec<u8> {
    let mut out = (values.len() as u32).to_be_bytes().to_vec();
    out.extend(numbers(values));
    out
}

fn chunk_at(start: u64) -> Vec<u8> {
    full(b"co64", 0, 0, Bytes::default().u32(1).u64(start))
}

fn brand(container: Container) -> Vec<u8> {
    match container {
        Container::Canon => boxed(b"ftyp", Bytes::default().all(b"qt  ").u32(0x2007_0900).all(b"qt  CAEP")),
        Container::Mp4 => boxed(b"ftyp", Bytes::default().all(b"mp42").u32(0).all(b"mp42isom")),
    }
}

/// What Canon adds: codec version, camera, firmware, and a thumbnail that is an EXIF JPEG.
fn canon_data(shot: &Shot, thumbnail: &[u8]) -> Vec<u8> {
    let mut boxes = vec![
        boxed(b"CNCV", b"CanonAVC0001"),
        boxed(b"CNMN", format!("{}\0", shot.model)),
        boxed(b"CNFV", b"FirmwareVersion 1.0.7\0"),
    ];
    if !thumbnail.is_empty() {
        boxes.push(boxed(b"CNTH", boxed(b"CNDA", thumbnail)));
    }
    group(b"udta", &boxes)
}

/// A place in the form of ISO 6709, as phones write it.
fn place(gps: Gps) -> Vec<u8> {
    let mut text = format!("{:+08.4}{:+09.4}", gps.latitude, gps.longitude);
    if let Some(altitude) = gps.altitude {
        text.push_str(&format!("{altitude:+08.3}"));
    }
    text.push('/');
    boxed(b"\xa9xyz", Bytes::default().u16(text.len() as u16).u16(0x15c7).all(text))
}

/// The clock's time as if it were UTC: a camera of that time knows no zone.
fn seconds_since_1904(shot: &Shot) -> u32 {
    let epoch = date(1904, 1, 1).at(0, 0, 0, 0);
    let offset = i64::from(shot.taken.utc_offset.unwrap_or(0));
    (shot.taken.local.duration_since(epoch).as_secs() - offset) as u32
}

/// Part of a scene, from column `left` on, as planes (BT.709, video range).
fn view(scene: &[u8], wide: usize, left: usize, size: Size) -> Planes {
    let (width, height) = size.coded();
    let lines = scene.len() / (wide * 3).max(1);
    let pixel = |x: usize, y: usize| {
        let (x, y) = ((left + x).min(wide.saturating_sub(1)), y.min(lines.saturating_sub(1)));
        match scene.get((y * wide + x) * 3..) {
            Some([r, g, b, ..]) => [i32::from(*r), i32::from(*g), i32::from(*b)],
            _ => [0; 3],
        }
    };
    let mut luma = Vec::with_capacity(width * height);
    for y in 0..height {
        luma.extend((0..width).map(|x| {
            let [r, g, b] = pixel(x, y);
            (16 + ((11966 * r + 40254 * g + 4064 * b + 32768) >> 16)) as u8
        }));
    }
    let mut blue = Vec::with_capacity(width * height / 4);
    let mut red = Vec::with_capacity(width * height / 4);
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let [r, g, b] = pixel(x, y);
            blue.push((128 + ((-6596 * r - 22189 * g + 28784 * b + 32768) >> 16)) as u8);
            red.push((128 + ((28784 * r - 26145 * g - 2639 * b + 32768) >> 16)) as u8);
        }
    }
    Planes { luma, blue, red }
}

/// Sound as long as so many pictures: wind, that is noise with its high tones taken away, rising and falling.
fn murmur(pictures: u32, seed: u64) -> Vec<u8> {
    let frames = u64::from(pictures) * u64::from(DURATION) * u64::from(SOUND_RATE) / u64::from(TIMESCALE);
    let mut random = Random::new(seed ^ 0x7769_6e64);
    let (mut left, mut right) = (0i32, 0i32);
    let mut out = Vec::with_capacity(frames as usize * 4);
    for frame in 0..frames as i32 {
        let swell = 40 + (frame / 64 % 512 - 256).abs() / 4;
        left += (random.between(-4096, 4096) - left) / 24;
        right += (random.between(-4096, 4096) - right) / 24;
        for side in [left, right] {
            out.extend(((side * swell / 64) as i16).to_le_bytes());
        }
    }
    out
}

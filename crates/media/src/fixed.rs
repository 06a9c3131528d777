//! Blocks without a directory: values at fixed places, as compact cameras write them into notes and clips.
//!
//! The layouts are data (`data/fixed_notes.tsv`, `data/clip_tags.tsv`): by what a block is known, in which byte order it is,
//! and what stands where. The first row that fits counts. A value that is not there, is 0, or leads outside is none.

use std::sync::OnceLock;

use lightfast_model::Ratio;

use crate::found::Maker;
use crate::text;
use crate::tiff::Order;

/// A file of layouts, read when first asked for.
pub(crate) struct Layouts {
    text: &'static str,
    rows: OnceLock<Vec<Layout>>,
}

/// One layout.
struct Layout {
    conditions: Vec<Condition>,
    order: Order,
    /// What, where, and of how many bytes.
    fields: Vec<(&'static str, usize, usize)>,
}

/// By what a block is known.
enum Condition {
    /// The make, in capitals, contains this.
    Make(&'static str),
    /// The model contains one of these.
    Model(Vec<&'static str>),
    /// These bytes stand at a place, or do not; an empty one may be any.
    Bytes(usize, Vec<Option<u8>>, bool),
    /// It begins with a serial number as Kodak forms them.
    KodakSerial,
}

/// Makers' notes.
pub(crate) static NOTES: Layouts = Layouts::new(include_str!("../data/fixed_notes.tsv"));
/// The `TAGS` box of clips.
pub(crate) static CLIPS: Layouts = Layouts::new(include_str!("../data/clip_tags.tsv"));

impl Layouts {
    const fn new(text: &'static str) -> Self {
        Self { text, rows: OnceLock::new() }
    }

    fn rows(&self) -> &[Layout] {
        self.rows.get_or_init(|| {
            let rows = self.text.lines().filter(|line| !line.starts_with('#'));
            rows.filter_map(|line| {
                let mut columns = line.split('\t');
                let conditions = columns.next()?.split(" & ").filter_map(condition).collect();
                let order = if columns.next()? == "big" { Order::Big } else { Order::Little };
                Some(Layout { conditions, order, fields: columns.filter_map(field).collect() })
            })
            .collect()
        })
    }

    /// Reads a block that one of the layouts fits; says whether one did.
    pub(crate) fn read(&self, bytes: &[u8], make: &str, model: &str, maker: &mut Maker) -> bool {
        let fits = |layout: &&Layout| layout.conditions.iter().all(|c| c.holds(bytes, make, model));
        let Some(layout) = self.rows().iter().find(fits) else { return false };
        for &(name, at, len) in &layout.fields {
            take(name, bytes.get(at..).unwrap_or(&[]), len, layout.order, maker);
        }
        true
    }
}

/// `make:KODAK`, `model:A,B`, `kodak-serial`, `1c:JPG`, `!0:MM`.
fn condition(text: &'static str) -> Option<Condition> {
    if text == "kodak-serial" {
        return Some(Condition::KodakSerial);
    }
    let (name, value) = text.split_once(':')?;
    Some(match name {
        "make" => Condition::Make(value),
        "model" => Condition::Model(value.split(',').collect()),
        _ => {
            let wanted = !name.starts_with('!');
            Condition::Bytes(usize::from_str_radix(name.trim_start_matches('!'), 16).ok()?, pattern(value)?, wanted)
        }
    })
}

/// Characters, `\` with two hexadecimal digits for a byte, `?` for any.
fn pattern(text: &str) -> Option<Vec<Option<u8>>> {
    let mut bytes = text.bytes();
    let mut found = Vec::new();
    while let Some(byte) = bytes.next() {
        found.push(match byte {
            b'\\' => {
                let digit = |b: Option<u8>| char::from(b?).to_digit(16);
                let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
                Some((high << 4 | low) as u8)
            }
            b'?' => None,
            other => Some(other),
        });
    }
    Some(found)
}

/// `name@offset:length`, the offset in hexadecimal; without a length, eight bytes.
fn field(text: &'static str) -> Option<(&'static str, usize, usize)> {
    let (name, place) = text.split_once('@')?;
    let (at, len) = place.split_once(':').unwrap_or((place, "8"));
    Some((name, usize::from_str_radix(at, 16).ok()?, len.parse().ok()?))
}

impl Condition {
    fn holds(&self, bytes: &[u8], make: &str, model: &str) -> bool {
        match self {
            Self::Make(part) => make.contains(part),
            Self::Model(parts) => parts.iter().any(|part| model.contains(part)),
            Self::Bytes(at, pattern, wanted) => {
                let part = at.checked_add(pattern.len()).and_then(|end| bytes.get(*at..end));
                part.is_some_and(|part| {
                    part.iter().zip(pattern).all(|(b, wanted)| wanted.is_none_or(|w| w == *b)) == *wanted
                })
            }
            Self::KodakSerial => is_kodak_serial(bytes),
        }
    }
}

/// `K` or `C`, three letters or digits, perhaps a blank, one or two, two digits, one, four digits, and the end.
fn is_kodak_serial(bytes: &[u8]) -> bool {
    let word = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    let Some((front, rest)) = bytes.split_at_checked(4) else { return false };
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let tail = |letters: usize| {
        let Some([d0, d1, any, n0, n1, n2, n3, end]) = rest.get(letters..).and_then(|r| r.first_chunk::<8>()) else {
            return false;
        };
        let digits = [d0, d1, n0, n1, n2, n3].iter().all(|b| b.is_ascii_digit());
        rest.iter().take(letters).all(word) && digits && word(any) && matches!(end, b' ' | 0)
    };
    matches!(front.first(), Some(b'C' | b'K')) && front.iter().skip(1).all(word) && (tail(1) || tail(2))
}

/// Takes one value from the bytes at its place.
fn take(name: &str, bytes: &[u8], len: usize, order: Order, maker: &mut Maker) {
    let short = || bytes.first_chunk::<2>().map(|b| order.u16(*b)).filter(|&v| v > 0);
    let long = || bytes.first_chunk::<4>().map(|b| order.u32(*b)).filter(|&v| v > 0);
    let after = || bytes.get(4..).and_then(|b| b.first_chunk::<4>()).map(|b| order.u32(*b)).filter(|&v| v > 0);
    let quotient = || Some(f64::from(long()?) / f64::from(after()?));
    let block = bytes.get(..len.min(bytes.len())).unwrap_or(&[]);
    let words = || text::trimmed(block);
    let per = |unit: u64| long().map(|v| Ratio { num: u64::from(v), den: unit });
    match name {
        "make" => maker.make = words(),
        "model" => maker.model = words(),
        "lens" => maker.lens = words(),
        "serial" => maker.serial = words().map(|t| t.trim().to_owned()),
        "serial_after_words" => {
            maker.serial = words().and_then(|t| Some(t.strip_prefix("SERIAL NUMBER:")?.trim().to_owned()));
        }
        "serial_wide" => maker.serial = text::utf16(block, true),
        "time" => maker.time.text = words().map(|t| t.replace('/', ":")),
        "time_words" => maker.time.text = time_words(block, [0, 1, 2, 4, 3, 5]),
        "time_words_month_first" => maker.time.text = time_words(block, [0, 1, 2, 3, 4, 5]),
        "time_kodak" => {
            maker.time.text = time_kodak(block, order);
            // Hundredths of a second.
            maker.time.fraction = block.get(7).filter(|v| **v < 100).map(|v| format!("{v:02}"));
        }
        "time_bytes" => maker.time.text = time_bytes(block),
        "hundred_thousandths" => maker.exposure = per(100_000),
        "millionths" => maker.exposure = per(1_000_000),
        "per_second" => maker.exposure = long().map(|v| Ratio { num: 1, den: u64::from(v) }),
        "per_ten" => maker.exposure = long().map(|v| Ratio { num: 10, den: u64::from(v) }),
        "aperture" => maker.aperture = quotient(),
        "aperture_hundredths" => maker.aperture = short().map(|v| f64::from(v) / 100.0),
        "aperture_tenths" => maker.aperture = short().map(|v| f64::from(v) / 10.0),
        "focal" => maker.focal_length = quotient(),
        "focal_tenths" => maker.focal_length = long().map(|v| f64::from(v) / 10.0),
        // All bits set is a field that was never written.
        "iso" => maker.iso = short().filter(|&v| v < u16::MAX).map(u32::from),
        "iso_50" => maker.iso = short().filter(|&v| (50..u16::MAX).contains(&v)).map(u32::from),
        _ => {}
    }
}

/// Six numbers of two bytes; says which is second, minute, hour, month, day, year. Some were written in the other order.
fn time_words(bytes: &[u8], places: [usize; 6]) -> Option<String> {
    let pairs: Vec<[u8; 2]> = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).collect();
    let big = pairs.first().is_some_and(|[low, high]| *high != 0 && *low == 0);
    let order = if big { Order::Big } else { Order::Little };
    let mut parts = [0; 6];
    for (part, place) in parts.iter_mut().zip(places) {
        *part = order.u16(*pairs.get(place)?);
    }
    let [second, minute, hour, month, day, year] = parts;
    Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

/// The year in two bytes; month, day, hour, minute, second in one each.
fn time_kodak(bytes: &[u8], order: Order) -> Option<String> {
    let [y0, y1, month, day, hour, minute, second] = bytes.first_chunk::<7>()?;
    let year = order.u16([*y0, *y1]);
    Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

/// Second, minute, hour, day, month in a byte each, and the year in two.
fn time_bytes(bytes: &[u8]) -> Option<String> {
    let [second, minute, hour, day, month, y0, y1] = bytes.first_chunk::<7>()?;
    let year = Order::Little.u16([*y0, *y1]);
    Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_and_field_of_the_data_is_understood() {
        for layouts in [&NOTES, &CLIPS] {
            let rows: Vec<&str> = layouts.text.lines().filter(|line| !line.starts_with('#')).collect();
            assert_eq!(layouts.rows().len(), rows.len());
            for (row, layout) in rows.iter().zip(layouts.rows()) {
                let mut columns = row.split('\t');
                let conditions = columns.next().unwrap().split(" & ").count();
                assert_eq!(layout.conditions.len(), conditions, "{row}");
                assert!(matches!(columns.next(), Some("big" | "little")), "{row}");
                assert_eq!(layout.fields.len(), columns.count(), "{row}");
                for &(name, _, _) in &layout.fields {
                    let mut maker = Maker::default();
                    let some: &[u8] = if name == "serial_after_words" { b"SERIAL NUMBER:X1" } else { &[b'1'; 16] };
                    take(name, some, 16, layout.order, &mut maker);
                    assert_ne!(format!("{maker:?}"), format!("{:?}", Maker::default()), "{name} means nothing");
                }
            }
        }
    }

    #[test]
    fn a_kodak_note_that_begins_with_its_serial_number() {
        let mut maker = Maker::default();
        assert!(NOTES.read(b"KCTDC55105712   \0\0\0\0", "EASTMAN KODAK COMPANY", "KODAK V803", &mut maker));
        assert_eq!(maker.serial.as_deref(), Some("KCTDC55105712"));
        for no in [&b"KCTDC5510571"[..], b"kctdc55105712 ", b"KCTD@55105712 ", b""] {
            assert!(!is_kodak_serial(no), "{no:?}");
        }
    }

    #[test]
    fn exposure_and_iso_of_a_kodak_at_fixed_places() {
        let mut note = vec![0u8; 0x50];
        note[0x0c] = 7;
        note[0x0d] = 0xd0;
        note[0x38..0x3c].copy_from_slice(&800u32.to_be_bytes());
        note[0x3c..0x3e].copy_from_slice(&280u16.to_be_bytes());
        note[0x4e..0x50].copy_from_slice(&140u16.to_be_bytes());
        let mut maker = Maker::default();
        assert!(NOTES.read(&note, "EASTMAN KODAK COMPANY", "KODAK DC240", &mut maker));
        assert_eq!((maker.iso, maker.aperture), (Some(140), Some(2.8)));
        assert_eq!(maker.exposure, Some(Ratio { num: 800, den: 100_000 }));
        for end in 0..note.len() {
            NOTES.read(&note[..end], "EASTMAN KODAK COMPANY", "KODAK DC240", &mut Maker::default());
        }
    }

    #[test]
    fn times_of_trail_cameras() {
        let words: Vec<u8> = [59u16, 58, 23, 30, 6, 2019].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(time_words(&words, [0, 1, 2, 4, 3, 5]).as_deref(), Some("2019:06:30 23:58:59"));
        let turned: Vec<u8> = [59u16, 58, 23, 6, 30, 2019].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!(time_words(&turned, [0, 1, 2, 3, 4, 5]).as_deref(), Some("2019:06:30 23:58:59"));
        assert_eq!(time_bytes(&[59, 58, 23, 30, 6, 0xe3, 7]).as_deref(), Some("2019:06:30 23:58:59"));
        assert_eq!(time_bytes(&[59]), None);
    }
}

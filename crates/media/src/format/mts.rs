//! MTS and M2TS: transport streams of AVCHD. The camera's data lie in the H.264 stream (MDPM), early in the file.
//!
//! Collects the first packets of the picture's stream, finds the data and the picture's size in them, and takes the
//! duration from the first and the last clock. Source: ISO/IEC 13818-1, ITU-T H.264.

use lightfast_model::Ratio;

use crate::Head;
use crate::found::Found;

use super::h264;

/// How much of the start is collected, and how much of the end is looked at for its clock.
const START: usize = 128 << 10;
const END: usize = 32 << 10;
const MARK: &[u8] = &[
    0x17, 0xee, 0x8c, 0x60, 0xf8, 0x4d, 0x11, 0xd9, 0x8c, 0xd6, 0x08, 0x00, 0x20, 0x0c, 0x9a, 0x66, b'M', b'D', b'P',
    b'M',
];

/// Reads a transport stream.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let start = head.up_to(0, START).to_vec();
    // M2TS has four bytes of time before each packet.
    let (width, skip) = if start.get(4) == Some(&0x47) && start.get(196) == Some(&0x47) { (192, 4) } else { (188, 0) };
    let packets = || start.chunks_exact(width).filter_map(|chunk| Packet::read(chunk.get(skip..)?));
    let picture = packets().find(|p| p.begins && matches!(p.payload, [0, 0, 1, 0xe0..=0xef, ..])).map(|p| p.stream);
    let mut stream = Vec::new();
    for packet in packets().filter(|p| Some(p.stream) == picture) {
        stream.extend_from_slice(packet.payload);
    }
    found.stored = h264::size(&stream).or(found.stored);
    if let Some(at) = stream.windows(MARK.len()).position(|window| window == MARK) {
        let rest = stream.get(at + MARK.len()..).unwrap_or(&[]);
        metadata(&h264::unescape(rest.get(..rest.len().min(4096)).unwrap_or(&[])), found);
    }
    found.clip.codec = picture.map(|_| "avc1".to_owned());
    let first = packets().find_map(|p| p.clock);
    let from = head.len().saturating_sub(END as u64);
    let from = from - from % width as u64;
    let end = head.up_to(from, END + width).to_vec();
    let last = end.chunks_exact(width).filter_map(|chunk| Packet::read(chunk.get(skip..)?)?.clock).next_back();
    found.clip.duration =
        first.zip(last).and_then(|(a, b)| b.checked_sub(a)).filter(|&t| t > 0).map(|t| t as f64 / 90_000.0);
}

/// A packet of 188 bytes.
struct Packet<'a> {
    stream: u16,
    begins: bool,
    /// In 90,000ths of a second.
    clock: Option<u64>,
    payload: &'a [u8],
}

impl<'a> Packet<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let [0x47, high, low, flags] = *bytes.first_chunk::<4>()? else { return None };
        let mut at = 4;
        let mut clock = None;
        if flags & 0x20 != 0 {
            let len = usize::from(*bytes.get(4)?);
            if len >= 7 && bytes.get(5)? & 0x10 != 0 {
                let [a, b, c, d, e, _] = *bytes.get(6..12)?.first_chunk::<6>()?;
                clock = Some(u64::from(u32::from_be_bytes([a, b, c, d])) << 1 | u64::from(e >> 7));
            }
            at = 5 + len;
        }
        let payload = if flags & 0x10 != 0 { bytes.get(at..188)? } else { &[] };
        Some(Self { stream: u16::from(high & 0x1f) << 8 | u16::from(low), begins: high & 0x40 != 0, clock, payload })
    }
}

/// The camera's data: a count, then a tag and four bytes each, in order of tags.
fn metadata(bytes: &[u8], found: &mut Found) {
    let count = usize::from(bytes.first().copied().unwrap_or(0));
    let entries: Vec<[u8; 5]> =
        bytes.get(1..).unwrap_or(&[]).chunks_exact(5).take(count).filter_map(|c| c.try_into().ok()).collect();
    let value = |tag: u8| entries.iter().find(|e| e.first() == Some(&tag)).map(|[_, a, b, c, d]| [*a, *b, *c, *d]);
    let ratio = |tag: u8| {
        value(tag)
            .map(|[a, b, c, d]| (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
            .filter(|r| r.0 > 0 && r.1 > 0)
    };
    if let (Some([zone, y1, y2, month]), Some([day, hour, minute, second])) = (value(0x18), value(0x19)) {
        let sign = if zone & 0x20 != 0 { '-' } else { '+' };
        let (hours, minutes) = (zone >> 1 & 0x0f, if zone & 1 == 1 { 30 } else { 0 });
        found.maker.time.text = Some(format!(
            "{y1:02x}{y2:02x}:{month:02x}:{day:02x} {hour:02x}:{minute:02x}:{second:02x}{sign}{hours:02}:{minutes:02}"
        ));
    }
    found.maker.exposure = ratio(0xa0).map(|(num, den)| Ratio { num: num.into(), den: den.into() });
    if let Some([_, _, high, low]) = value(0x7f) {
        // Little-endian, unlike the rest; in 28,125ths of a second.
        let shutter = u64::from(u16::from_le_bytes([high, low]) & 0x7fff);
        found.maker.exposure = found.maker.exposure.or((shutter > 0).then_some(Ratio { num: shutter, den: 28_125 }));
    }
    found.maker.aperture = ratio(0xa1).map(|(num, den)| f64::from(num) / f64::from(den));
    found.maker.make = value(0xe0)
        .and_then(|[a, b, ..]| match (a, b) {
            (0x01, 0x03) => Some("Panasonic"),
            (0x01, 0x08) => Some("Sony"),
            (0x10, 0x11) => Some("Canon"),
            (0x11, 0x04) => Some("JVC"),
            _ => None,
        })
        .map(str::to_owned);
    let name: Vec<u8> = [0xe4, 0xe5, 0xe6].into_iter().filter_map(value).flatten().collect();
    if found.maker.make.as_deref() == Some("Sony") {
        found.maker.model = crate::text::trimmed(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cameras_data() {
        let mut found = Found::default();
        let bytes = [
            4, 0x18, 0x04, 0x20, 0x19, 0x04, 0x19, 0x24, 0x22, 0x24, 0x00, 0xa0, 0, 1, 0, 50, 0xe0, 0x01, 0x08, 0, 0,
            0xe4, b'X', b'Y', 0, 0,
        ];
        metadata(&bytes, &mut found);
        assert_eq!(found.maker.time.text.as_deref(), Some("2019:04:24 22:24:00+02:00"));
        assert_eq!(found.maker.exposure, Some(Ratio { num: 1, den: 50 }));
        assert_eq!(
            (found.maker.make.as_deref(), found.maker.model.as_deref()),
            (Some("Sony"), None),
            "only as many as the count says"
        );
    }

    #[test]
    fn packets_cut_short_are_none() {
        for len in 0..188 {
            let _ = Packet::read(&[&[0x47, 0x40, 0x11, 0x30, 0xff][..], &vec![0; len][..]].concat());
        }
    }
}

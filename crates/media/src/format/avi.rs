//! AVI: RIFF's lists and chunks, and what cameras put between them.
//!
//! Lists are opened, not recursed into: what follows a list waits until its chunks are done. The stream's samples
//! (`movi`) are skipped. Source: RIFF and AVI as Microsoft published them.

use crate::Head;
use crate::exif;
use crate::exif::MakerNote;
use crate::found::Found;
use crate::maker;
use crate::previews;
use crate::text;
use crate::tiff::{Header, Order, Tiff};

use super::packet;

/// The most chunks of a file that are looked at.
const MAX_CHUNKS: usize = 300;

/// Reads an AVI.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let len = head.len();
    let mut waiting = vec![(12, len)];
    let mut stream = [0; 4];
    for _ in 0..MAX_CHUNKS {
        let Some((at, end)) = waiting.pop() else { return };
        let Some([k0, k1, k2, k3, s0, s1, s2, s3]) = head.array(at).filter(|_| at + 8 <= end) else { continue };
        let size = u64::from(Order::Little.u32([s0, s1, s2, s3]));
        let content = at + 8;
        waiting.push((content.saturating_add(size + size % 2), end));
        let kind = [k0, k1, k2, k3];
        if matches!(&kind, b"LIST" | b"RIFF") {
            if head.array(content).is_some_and(|form: [u8; 4]| form != *b"movi") {
                waiting.push((content + 4, content.saturating_add(size).min(end)));
            }
        } else {
            chunk(head, kind, content, size.min(end.saturating_sub(content)), &mut stream, found);
        }
    }
}

fn chunk(head: &mut Head<'_>, kind: [u8; 4], at: u64, len: u64, stream: &mut [u8; 4], found: &mut Found) {
    let long = |head: &mut Head<'_>, skip: u64| head.array(at + skip).map(|b| Order::Little.u32(b));
    let words = |head: &mut Head<'_>| text::trimmed(head.up_to(at, len.min(256) as usize));
    match &kind {
        b"avih" => {
            let (micros, frames) = (long(head, 0), long(head, 16));
            if let Some((micros, frames)) = micros.zip(frames).filter(|&(m, f)| m > 0 && f > 0) {
                found.clip.frame_rate = Some(1e6 / f64::from(micros));
                found.clip.duration = Some(f64::from(frames) * f64::from(micros) / 1e6);
            }
            found.stored = long(head, 32).zip(long(head, 36)).filter(|&(w, h)| w > 0 && h > 0);
        }
        b"strh" => {
            *stream = head.array(at).unwrap_or_default();
            if stream == b"vids" {
                found.clip.codec = head.array(at + 4).and_then(|b: [u8; 4]| text::trimmed(&b));
                let (scale, rate, frames) = (long(head, 20), long(head, 24), long(head, 32));
                // The stream's own rate is more exact than the header's whole microseconds.
                if let (Some(scale @ 1..), Some(rate @ 1..), Some(frames @ 1..)) = (scale, rate, frames) {
                    found.clip.frame_rate = Some(f64::from(rate) / f64::from(scale));
                    found.clip.duration = Some(f64::from(frames) * f64::from(scale) / f64::from(rate));
                }
            }
        }
        b"strf" if stream == b"vids" => {
            let size = long(head, 4).zip(long(head, 8).map(|h| (h as i32).unsigned_abs()));
            found.stored = size.filter(|&(w, h)| w > 0 && h > 0).or(found.stored);
        }
        b"strd" => stream_data(head, at, len, found),
        b"IDIT" => found.maker.time.text = words(head).and_then(|text| date(&text)).or(found.maker.time.text.take()),
        b"ICRD" if found.maker.time.text.is_none() => {
            found.maker.time.text = words(head).and_then(|text| date(&text).or_else(|| day(&text)));
        }
        // The time of day to a day that came before it, as cameras write it into a spoken note.
        b"etim" => {
            let day = found.maker.time.text.take();
            found.maker.time.text = match (day, words(head)) {
                (Some(day), Some(time)) if day.len() == 10 => Some(format!("{day} {time}")),
                (day, _) => day,
            };
        }
        b"bext" => {
            // Broadcast WAV: `2009-07-12` and `14:03:22` after the description and the originator.
            let stamp = head.up_to(at + 320, 18).to_vec();
            let (date, time) = stamp.split_at_checked(10).unwrap_or((&[], &[]));
            found.maker.time.text =
                text::trimmed(date).zip(text::trimmed(time)).map(|(date, time)| format!("{date} {time}"));
        }
        b"ecor" => found.maker.make = words(head),
        b"emdl" => found.maker.model = words(head),
        b"nctg" => nikon(head, at, at + len, found),
        b"ncth" | b"ncvw" | b"thum" => previews::note(head, found, at, len, None),
        b"hymn" | b"mknt" => {
            // Pentax keeps its whole note here.
            let around = Tiff { base: at, end: at + len, order: Order::Big, big: false };
            maker::read(head, &around, MakerNote { at, len }, found);
        }
        b"_PMX" => packet::read(head, at, len, found),
        _ => {}
    }
}

/// Casio's and others' EXIF behind a mark.
fn stream_data(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    if head.array(at) != Some(*b"AVIF") {
        return;
    }
    let tiff = Tiff { base: at + 8, end: at + len, order: Order::Little, big: false };
    if Header::read(head, at + 8, len.saturating_sub(8)).is_some() {
        super::tiff_file::embedded(head, at + 8, len.saturating_sub(8), found);
    } else if let Some(ifd) = tiff.ifd_at(head, at + 8) {
        exif::main_directory(head, &tiff, &ifd, found);
    }
}

/// Nikon's records: tag, length, value.
fn nikon(head: &mut Head<'_>, start: u64, end: u64, found: &mut Found) {
    let mut at = start;
    for _ in 0..200 {
        let Some([t0, t1, l0, l1]) = head.array(at).filter(|_| at + 4 <= end) else { return };
        let len = u64::from(Order::Little.u16([l0, l1]));
        let words = |head: &mut Head<'_>| text::trimmed(head.up_to(at + 4, len.min(256) as usize));
        match Order::Little.u16([t0, t1]) {
            0x03 => found.maker.make = words(head),
            0x04 => found.maker.model = words(head),
            0x13 => found.maker.time.text = words(head),
            0x14 if found.maker.time.text.is_none() => found.maker.time.text = words(head),
            _ => {}
        }
        at += 4 + len;
    }
}

/// `Mon Mar 10 15:04:43 2003`, `2001/ 1/27  1:42PM`, `2005/11/28/ 09:19`, `2002-12-16  15:35:01`.
fn date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
    let parts: Vec<&str> = text.split_whitespace().collect();
    if let [_, month, day, time, year, ..] = parts.as_slice() {
        let month = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name))? + 1;
        return Some(format!("{year}:{month:02}:{day:0>2} {time}"));
    }
    let numbers: Vec<u32> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|p| !p.is_empty()).filter_map(|p| p.parse().ok()).collect();
    let afternoon = text.to_ascii_uppercase().contains('P');
    match numbers.as_slice() {
        [year, month, day, hour, minute, second, ..] => {
            Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}"))
        }
        [year, month, day, hour, minute] => {
            let hour = if afternoon && *hour < 12 { hour + 12 } else { *hour };
            Some(format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:00"))
        }
        _ => None,
    }
}

/// `2005-08-08`, alone.
fn day(text: &str) -> Option<String> {
    let parts: Vec<u32> = text.split(['-', ':', '/']).map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    match parts.as_slice() {
        [year @ 0..=9999, month @ 0..=99, day @ 0..=99] => Some(format!("{year:04}:{month:02}:{day:02}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_spoken_note_has_its_day_and_its_time_in_two_places() {
        let chunk =
            |kind: &[u8; 4], content: &[u8]| [kind.as_slice(), &(content.len() as u32).to_le_bytes(), content].concat();
        let day = [b"INFO".as_slice(), &chunk(b"ICRD", b"2005-08-08\0\0")].concat();
        let time = [b"exif".as_slice(), &chunk(b"etim", b"16:23:35\0\0")].concat();
        let body = [b"WAVE".as_slice(), &chunk(b"LIST", &day), &chunk(b"LIST", &time)].concat();
        let text = |bytes: &[u8]| {
            let mut found = crate::found::Found::default();
            let mut source = crate::BytesSource(bytes);
            super::read(&mut crate::Head::new(&mut source), &mut found);
            found.maker.time.text
        };
        assert_eq!(text(&chunk(b"RIFF", &body)).as_deref(), Some("2005:08:08 16:23:35"));
        assert_eq!(super::day("2005-08"), None);
        assert_eq!(super::day("20050808-99999-1"), None);
    }

    #[test]
    fn dates_as_cameras_write_them() {
        let date = |text| super::date(text);
        assert_eq!(date("Mon Mar 10 15:04:43 2003").as_deref(), Some("2003:03:10 15:04:43"));
        assert_eq!(date("2001/ 1/27  1:42PM").as_deref(), Some("2001:01:27 13:42:00"));
        assert_eq!(date("2005/11/28/ 09:19").as_deref(), Some("2005:11:28 09:19:00"));
        assert_eq!(date("2002-12-16  15:35:01").as_deref(), Some("2002:12:16 15:35:01"));
        assert_eq!(date("whenever it was, some time ago"), None);
        assert_eq!(date(""), None);
    }
}

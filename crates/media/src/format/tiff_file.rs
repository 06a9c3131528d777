//! TIFF files and TIFF-based RAWs, and the TIFF structure inside other formats.
//!
//! Walks the chain of directories and the directories below them, reads the first for its tags and the maker note, and notes
//! every JPEG. The picture's size is that of the full-resolution directory, as RAWs keep a thumbnail in the first.

use lightfast_model::Orientation;

use crate::Head;
use crate::exif;
use crate::found::Found;
use crate::iptc;
use crate::maker;
use crate::previews;
use crate::tiff::{Entry, Header, Ifd, Tiff};

use super::{dng_private, packet};

/// The most directories of a file.
const MAX_DIRECTORIES: usize = 40;
/// The longest IPTC or Photoshop block that is read.
const MAX_BLOCK: u64 = 256 << 10;

/// Reads a TIFF file or a TIFF-based RAW.
pub(crate) fn read(head: &mut Head<'_>, format: &str, found: &mut Found) {
    let len = head.len();
    let Some(header) = Header::read(head, 0, len) else {
        found.problems.push("the header cannot be read".to_owned());
        return;
    };
    let Some(pictures) = walk(head, &header, found) else {
        found.problems.push("the main directory cannot be read".to_owned());
        return;
    };
    let stated = found.exif.width.zip(found.exif.height).filter(|&(w, h)| w > 0 && h > 0);
    let size = full_size(&pictures);
    // In these the directories describe previews and the sensor, and EXIF the picture.
    found.stored = found.stored.or(if matches!(format, "CR2" | "IIQ") { stated.or(size) } else { size.or(stated) });
}

/// Reads the TIFF structure at `base`, inside another format; gives the size that it states.
pub(crate) fn embedded(head: &mut Head<'_>, base: u64, len: u64, found: &mut Found) -> Option<Option<(u32, u32)>> {
    let header = Header::read(head, base, len)?;
    matches!(header.magic, 42 | 43).then_some(())?;
    walk(head, &header, found).map(|pictures| full_size(&pictures))
}

/// What a directory says of its picture.
struct Picture {
    size: (u32, u32),
    /// `NewSubfileType`: 0 is full resolution.
    reduced: Option<u64>,
}

/// The picture of full resolution: the one that says so, else the largest that does not say the reverse.
fn full_size(pictures: &[Picture]) -> Option<(u32, u32)> {
    let area = |p: &&Picture| u64::from(p.size.0) * u64::from(p.size.1);
    let full = pictures.iter().filter(|p| p.reduced == Some(0)).max_by_key(area);
    let silent = || pictures.iter().find(|p| p.reduced.is_none());
    full.or_else(silent).or_else(|| pictures.iter().max_by_key(area)).map(|p| p.size)
}

fn walk(head: &mut Head<'_>, header: &Header, found: &mut Found) -> Option<Vec<Picture>> {
    let tiff = header.tiff;
    let mut pictures = Vec::new();
    let mut seen: Vec<u64> = Vec::new();
    let mut waiting = vec![header.first];
    while let Some(offset) = waiting.pop() {
        if seen.contains(&offset) || seen.len() >= MAX_DIRECTORIES {
            continue;
        }
        let is_main = seen.is_empty();
        seen.push(offset);
        let Some(ifd) = tiff.ifd(head, offset) else {
            if is_main {
                return None;
            }
            continue;
        };
        if is_main {
            main_directory(head, &tiff, &ifd, found);
        }
        let reduced = ifd.find(0x00fe).and_then(|e| tiff.unsigned(head, e));
        pictures.extend(stated_size(head, &tiff, &ifd).map(|size| Picture { size, reduced }));
        jpegs_of(head, &tiff, &ifd, is_main, found);
        // The chain goes on after the directories below this one.
        waiting.push(ifd.next);
        let children = ifd.find(0x014a).map(|e| tiff.numbers(head, e, 16)).unwrap_or_default();
        waiting.extend(children.into_iter().rev().filter_map(|n| n.unsigned()));
    }
    Some(pictures)
}

fn main_directory(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let note = exif::main_directory(head, tiff, ifd, found);
    if let Some(note) = note {
        maker::read(head, tiff, note, found);
    }
    let span = |tag| ifd.find(tag).and_then(|e: &Entry| tiff.span(e));
    if let Some((at, len)) = span(0x02bc) {
        packet::read(head, at, len, found);
    }
    let block =
        |head: &mut Head<'_>, tag| span(tag).map(|(at, len)| head.up_to(at, len.min(MAX_BLOCK) as usize).to_vec());
    if let Some(record) = block(head, 0x83bb).filter(|b| b.first() == Some(&0x1c)) {
        found.iptc = Some(iptc::read(&record));
    }
    if let Some(resources) = block(head, 0x8649) {
        found.iptc = iptc::photoshop(&resources).or(found.iptc.take());
    }
    for (tag, read) in [(0x8290, maker::kodak_professional as maker::Reader), (0xfe00, maker::kodak_raw)] {
        let below = ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).and_then(|offset| tiff.ifd(head, offset));
        if let Some(below) = below {
            read(head, tiff, &below, found);
        }
    }
    if let Some((at, len)) = span(0xc634) {
        dng_private::read(head, tiff, at, len, found);
    }
}

/// The size that a directory states.
pub(crate) fn stated_size(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd) -> Option<(u32, u32)> {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e)).and_then(|v| u32::try_from(v).ok());
    value(0x0100).zip(value(0x0101)).filter(|&(w, h)| w > 0 && h > 0)
}

/// The JPEGs of a directory: the thumbnail's own tags, a strip or tile that is a JPEG, a RAW's own tags for one.
fn jpegs_of(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, is_main: bool, found: &mut Found) {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e));
    let own = value(0x0112).and_then(|v| Orientation::new(u16::try_from(v).ok()?)).filter(|_| is_main);
    let pair = value(0x0201).zip(value(0x0202));
    let one = |tag| ifd.find(tag).is_some_and(|entry: &Entry| entry.count == 1);
    let is_jpeg = matches!(value(0x0103), Some(6 | 7 | 99 | 34_892) | None);
    let strip = if one(0x0111) && is_jpeg { value(0x0111).zip(value(0x0117)) } else { None };
    let tile = if one(0x0144) && is_jpeg { value(0x0144).zip(value(0x0145)) } else { None };
    for (offset, length) in [pair, strip, tile].into_iter().flatten() {
        if let Some(at) = tiff.position(offset) {
            previews::note(head, found, at, length.min(tiff.end - at), own);
        }
    }
    if let Some((at, len)) = ifd.find(0x002e).and_then(|e| tiff.span(e)) {
        previews::note(head, found, at, len.min(tiff.end.saturating_sub(at)), own);
    }
}

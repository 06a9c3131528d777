//! JPEG files: their segments' metadata, and the picture itself as the largest preview.

use lightfast_model::PreviewSource;

use crate::Head;
use crate::found::{Candidate, Found};
use crate::iptc;
use crate::jpeg::{self, Frame, Segments};
use crate::previews;
use crate::tiff::Header;

use super::{flir, mpf, packet, picture_info, tiff_file, trailer};

/// How a segment with an XMP packet begins.
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
/// How a segment with a part of a long packet begins.
const EXTENSION: &[u8] = b"http://ns.adobe.com/xmp/extension/\0";
/// How a segment with Photoshop's resources begins; they may go on in the next.
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";
/// The most bytes of resources.
const MAX_RESOURCES: usize = 512 << 10;

/// Reads a JPEG file.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let end = head.len();
    let frame = embedded(head, 0, end, found);
    trailer::read(head, found);
    match frame {
        Some(frame) if frame.is_viewable() => found.previews.push(Candidate {
            source: PreviewSource::WholeFile,
            offset: 0,
            length: end,
            width: frame.width,
            height: frame.height,
            orientation: None,
        }),
        Some(_) => {}
        None => found.problems.push("no frame header: the JPEG is cut short or damaged".to_owned()),
    }
}

/// Reads exiv2's file of a JPEG's metadata without its picture.
pub(crate) fn companion(head: &mut Head<'_>, found: &mut Found) {
    let end = head.len();
    let mut segments = Segments::without_mark(7, end);
    read_segments(head, &mut segments, found);
}

/// Reads the JPEG at `start`, also inside another format; gives its frame header.
pub(crate) fn embedded(head: &mut Head<'_>, start: u64, end: u64, found: &mut Found) -> Option<Frame> {
    let mut segments = Segments::open(head, start, end)?;
    read_segments(head, &mut segments, found)
}

fn read_segments(head: &mut Head<'_>, segments: &mut Segments, found: &mut Found) -> Option<Frame> {
    let mut has_exif = false;
    let mut ciff = None;
    let mut size = None;
    let mut stated = None;
    let mut resources = Vec::new();
    let mut extension = packet::Extension::default();
    let mut thermal = flir::Record::default();
    while let Some(segment) = segments.next(head) {
        if let Some(frame) = jpeg::frame(head, &segment) {
            size = size.or(Some(frame));
            continue;
        }
        let mark = head.up_to(segment.at, segment.len.min(40) as usize).to_vec();
        let after = |mark: &[u8]| (segment.at + mark.len() as u64, segment.len.saturating_sub(mark.len() as u64));
        match segment.marker {
            0xe1 if mark.starts_with(b"Exif\0") && !has_exif => {
                has_exif = true;
                let (at, len) = after(b"Exif\0\0");
                match tiff_file::embedded(head, at, len, found) {
                    Some(size) => stated = size,
                    None => {
                        found.problems.push("the EXIF block cannot be read: it does not begin as TIFF does".to_owned())
                    }
                }
            }
            0xe1 if mark.starts_with(XMP) => {
                let (at, len) = after(XMP);
                packet::read(head, at, len, found);
            }
            0xe0 if mark.starts_with(b"JFXX\0\x10") => {
                let (at, len) = after(b"JFXX\0\x10");
                previews::note(head, found, at, len, None);
            }
            0xe0 if mark.get(6..14).is_some_and(|m| m == b"HEAPJPGM") => {
                ciff = Some(segment);
            }
            0xe1 if mark.starts_with(b"QVCI\0") => {
                let note = head.up_to(segment.at, segment.len.min(256) as usize).to_vec();
                crate::maker::casio_qvci(&note, found);
            }
            0xe2 if mark.starts_with(b"MPF\0") => {
                let (at, len) = after(b"MPF\0");
                mpf::read(head, at, len, found);
            }
            // A preview in a segment of its own; one that goes on in the next cannot be given as one piece.
            0xe2 | 0xe4 if picture_at(&mark).is_some() => {
                let skip = picture_at(&mark).unwrap_or_default();
                let end = segment.at + segment.len;
                if end.checked_sub(2).and_then(|at| head.array(at)) == Some([0xff, 0xd9]) {
                    previews::note(head, found, segment.at + skip, segment.len.saturating_sub(skip), None);
                }
            }
            0xec if mark.contains(&b'[') => {
                let text = head.up_to(segment.at, segment.len.min(8 << 10) as usize).to_vec();
                picture_info::read(&text, found);
            }
            0xe1 if mark.starts_with(EXTENSION) => {
                let (at, len) = after(EXTENSION);
                extension.add(head, at, len);
            }
            0xe1 if mark.starts_with(b"FLIR\0\x01") => thermal.add(segment.at + 8, segment.len.saturating_sub(8)),
            0xe3 if [b"Meta\0\0", b"META\0\0", b"Exif\0\0"].iter().any(|m| mark.starts_with(*m)) => {
                let header = Header::read(head, segment.at + 6, segment.len.saturating_sub(6));
                let ifd = header.and_then(|h| Some((h.tiff, h.tiff.ifd(head, h.first)?)));
                if let Some((tiff, ifd)) = ifd {
                    crate::maker::kodak_meta(head, &tiff, &ifd, found);
                }
            }
            0xe6 if mark.starts_with(b"TDHD\x01\0\x01\0") => {
                let words = head.up_to(segment.at, segment.len.min(64 << 10) as usize);
                crate::maker::hewlett_packard_blocks(words, found);
            }
            0xe6 if mark.starts_with(b"GoPro\0") => {
                let (at, len) = after(b"GoPro\0");
                crate::maker::gopro(head, at, at + len, found);
            }
            0xed if mark.starts_with(PHOTOSHOP) && resources.len() < MAX_RESOURCES => {
                let (at, len) = after(PHOTOSHOP);
                resources.extend_from_slice(head.up_to(at, len as usize));
            }
            _ => {}
        }
    }
    extension.finish(found);
    thermal.read(head, found);
    found.iptc = iptc::photoshop(&resources).or(found.iptc.take());
    found.stored = found.stored.or(size.map(|frame| (frame.width, frame.height))).or(stated);
    // What came before EXIF counts only without it, and never for the size of the picture.
    found.has_note |= ciff.is_some();
    if let Some(segment) = ciff.filter(|_| !has_exif) {
        let stored = found.stored;
        super::ciff::read(head, segment.at, segment.at + segment.len, found);
        found.stored = stored.or(found.stored);
    }
    size
}

/// Where a JPEG begins in a segment that holds one: at its first byte, or after four of the maker's own.
fn picture_at(mark: &[u8]) -> Option<u64> {
    const BEGIN: &[u8] = &[0xff, 0xd8, 0xff, 0xdb];
    [0, 4]
        .into_iter()
        .find(|&skip| mark.get(skip..).is_some_and(|rest| rest.starts_with(BEGIN)))
        .map(|skip| skip as u64)
}

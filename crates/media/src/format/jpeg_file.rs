//! JPEG files: their segments' metadata, and the picture itself as the largest preview.

use lightfast_model::PreviewSource;

use crate::Head;
use crate::found::{Candidate, Found};
use crate::jpeg::{self, Frame, Segments};

use super::{packet, tiff_file};

/// How a segment with an XMP packet begins.
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// Reads a JPEG file.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let end = head.len();
    let frame = embedded(head, 0, end, found);
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

/// Reads the JPEG at `start`, also inside another format; gives its frame header.
pub(crate) fn embedded(head: &mut Head<'_>, start: u64, end: u64, found: &mut Found) -> Option<Frame> {
    let mut segments = Segments::open(head, start, end)?;
    let mut has_exif = false;
    let mut size = None;
    while let Some(segment) = segments.next(head) {
        if let Some(frame) = jpeg::frame(head, &segment) {
            size = size.or(Some(frame));
        } else if segment.marker == 0xe1 && !has_exif && head.bytes(segment.at, 5).is_some_and(|b| b == b"Exif\0") {
            has_exif = true;
            if tiff_file::embedded(head, segment.at + 6, segment.len.saturating_sub(6), found).is_none() {
                found.problems.push("the EXIF block cannot be read: it does not begin as TIFF does".to_owned());
            }
        } else if segment.marker == 0xe1 && head.bytes(segment.at, XMP.len()).is_some_and(|b| b == XMP) {
            let skip = XMP.len() as u64;
            packet::read(head, segment.at + skip, segment.len.saturating_sub(skip), found);
        }
    }
    found.stored = found.stored.or(size.map(|frame| (frame.width, frame.height)));
    size
}

//! JPEGs that lie inside a file: checked by reading their frame header.
//!
//! A tag only says where a JPEG may lie. It counts when a frame header is there that an ordinary decoder
//! can show; its size is the frame header's. A length that reaches past the file is cut. Where the JPEG has EXIF of its own,
//! its orientation is its own as well.

use lightfast_model::{Orientation, PreviewSource};

use crate::Head;
use crate::found::{Candidate, Found};
use crate::jpeg::{self, Segment, Segments};
use crate::tiff::Header;

/// The most previews of one file.
const MAX_PREVIEWS: usize = 64;

/// Notes the JPEG at a position of the source, if one is there.
pub(crate) fn note(head: &mut Head<'_>, found: &mut Found, offset: u64, length: u64, orientation: Option<Orientation>) {
    let length = length.min(head.len().saturating_sub(offset));
    if length < 4 || found.previews.len() >= MAX_PREVIEWS || found.previews.iter().any(|p| p.offset == offset) {
        return;
    }
    let Some(mut segments) = Segments::open(head, offset, offset.saturating_add(length)) else { return };
    let mut own = None;
    while let Some(segment) = segments.next(head) {
        if segment.marker == 0xe1 && own.is_none() {
            own = own_orientation(head, &segment);
        }
        let Some(frame) = jpeg::frame(head, &segment) else { continue };
        if frame.is_viewable() {
            found.previews.push(Candidate {
                source: PreviewSource::Jpeg,
                offset,
                length,
                width: frame.width,
                height: frame.height,
                orientation: own.or(orientation),
            });
        }
        return;
    }
}

/// The orientation in a JPEG's own EXIF.
fn own_orientation(head: &mut Head<'_>, segment: &Segment) -> Option<Orientation> {
    if head.bytes(segment.at, 5)? != b"Exif\0" {
        return None;
    }
    let header = Header::read(head, segment.at + 6, segment.len.checked_sub(6)?)?;
    let ifd = header.tiff.ifd(head, header.first)?;
    let value = header.tiff.unsigned(head, ifd.find(0x0112)?)?;
    Orientation::new(u16::try_from(value).ok()?)
}

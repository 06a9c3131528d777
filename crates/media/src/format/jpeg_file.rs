//! JPEG files: their segments' metadata, and the picture itself as the largest preview.

use lightfast_model::PreviewSource;

use crate::Head;
use crate::found::{Candidate, Found};
use crate::jpeg::{self, Segments};

use super::tiff_file;

/// Reads a JPEG file.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let end = head.len();
    let Some(mut segments) = Segments::open(head, 0, end) else { return };
    let mut has_exif = false;
    while let Some(segment) = segments.next(head) {
        if let Some(frame) = jpeg::frame(head, &segment) {
            found.stored.get_or_insert((frame.width, frame.height));
            if frame.is_viewable() {
                found.previews.push(Candidate {
                    source: PreviewSource::WholeFile,
                    offset: 0,
                    length: end,
                    width: frame.width,
                    height: frame.height,
                    orientation: None,
                });
            }
        } else if segment.marker == 0xe1
            && !has_exif
            && head.bytes(segment.at, 6).is_some_and(|b| b.starts_with(b"Exif\0"))
        {
            has_exif = true;
            if tiff_file::embedded(head, segment.at + 6, segment.len.saturating_sub(6), found).is_none() {
                found.problems.push("the EXIF block cannot be read: it does not begin as TIFF does".to_owned());
            }
        }
    }
    if found.stored.is_none() {
        found.problems.push("no frame header: the JPEG is cut short or damaged".to_owned());
    }
}

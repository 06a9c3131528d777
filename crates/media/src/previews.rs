//! JPEGs that lie inside a file: checked by reading their frame header.
//!
//! A tag only says where a JPEG may lie. It counts when a frame header is there that an ordinary decoder
//! can show; its size is the frame header's. A length that reaches past the file is cut.

use lightfast_model::{Orientation, PreviewSource};

use crate::Head;
use crate::found::{Candidate, Found};
use crate::jpeg;

/// The most previews of one file.
const MAX_PREVIEWS: usize = 64;

/// Notes the JPEG at a position of the source, if one is there.
pub(crate) fn note(head: &mut Head<'_>, found: &mut Found, offset: u64, length: u64, orientation: Option<Orientation>) {
    let length = length.min(head.len().saturating_sub(offset));
    if length < 4 || found.previews.len() >= MAX_PREVIEWS || found.previews.iter().any(|p| p.offset == offset) {
        return;
    }
    let Some(frame) = jpeg::frame_of(head, offset, offset.saturating_add(length)) else { return };
    if frame.is_viewable() {
        found.previews.push(Candidate {
            source: PreviewSource::Jpeg,
            offset,
            length,
            width: frame.width,
            height: frame.height,
            orientation,
        });
    }
}

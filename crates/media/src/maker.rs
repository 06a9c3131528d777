//! Maker notes: one module a maker, chosen by the note's own header and the camera's make.
//!
//! A maker's module reads its directory into [`Maker`](crate::found::Maker) and nothing else.
//! Numbers of lenses and models are data files, not code. A note that is not understood is no problem worth telling:
//! it is the maker's secret.

mod canon;

use crate::Head;
use crate::exif::MakerNote;
use crate::found::Found;
use crate::tiff::Tiff;

/// Reads the maker note at `note`, which belongs to `tiff`.
pub(crate) fn read(head: &mut Head<'_>, tiff: &Tiff, note: MakerNote, found: &mut Found) {
    let make = found.exif.make.as_deref().unwrap_or_default().to_ascii_uppercase();
    if note.len < 6 {
        return;
    }
    if make.starts_with("CANON")
        && let Some(ifd) = tiff.ifd_at(head, note.at)
    {
        canon::read(head, tiff, &ifd, found);
    }
}

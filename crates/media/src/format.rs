//! The formats: each file here leads a kind of file to the walkers.

mod clip_tags;
pub(crate) mod cr3;
pub(crate) mod heif;
pub(crate) mod jpeg_file;
pub(crate) mod packet;
pub(crate) mod quicktime;
mod quicktime_keys;
mod quicktime_user;
mod sony_xml;
pub(crate) mod tiff_file;

use lightfast_model::Kind;

use crate::Head;
use crate::found::Found;

/// Reads a file of a kind that is known.
pub(crate) fn read(head: &mut Head<'_>, kind: Kind, format: &str, found: &mut Found) {
    match (kind, format) {
        (_, "CR3" | "CRM") => cr3::read(head, found),
        (Kind::Jpeg | Kind::Thumbnail, _) => jpeg_file::read(head, found),
        (Kind::Heif, _) => heif::read(head, found),
        (Kind::Raw | Kind::Tiff, _) => tiff_file::read(head, found),
        (_, "MOV" | "MP4" | "M4V" | "3GP" | "LRV" | "LRF" | "INSV" | "360" | "M4A") => quicktime::read(head, found),
        (_, "XMP") => packet::sidecar(head, found),
        _ => {}
    }
}

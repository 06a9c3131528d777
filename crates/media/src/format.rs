//! The formats: each file here leads a kind of file to the walkers.

mod avi;
mod ciff;
mod cr3;
mod dng_private;
mod flir;
mod h264;
mod heif;
mod iiq;
mod images;
pub(crate) mod jpeg_file;
mod mpf;
mod mrw;
mod mts;
mod packet;
mod picture_info;
mod png_profile;
mod quicktime;
mod quicktime_keys;
mod quicktime_user;
mod raf;
mod rw2;
mod sony_xml;
pub(crate) mod tiff_file;
mod trailer;
mod x3f;

use lightfast_model::Kind;

use crate::Head;
use crate::found::Found;

/// Reads a file of a kind that is known.
pub(crate) fn read(head: &mut Head<'_>, kind: Kind, format: &str, found: &mut Found) {
    match (kind, format) {
        (_, "CR3" | "CRM") => cr3::read(head, found),
        (Kind::Jpeg | Kind::Thumbnail, _) => jpeg_file::read(head, found),
        (Kind::Heif, _) => heif::read(head, found),
        (_, "CRW") => {
            let len = head.len();
            ciff::read(head, 0, len, found);
            trailer::canon(head, found);
        }
        (_, "RAF") => raf::read(head, found),
        (_, "RW2" | "RWL" | "RAW") => rw2::read(head, found),
        (_, "MRW") => mrw::read(head, found),
        (_, "X3F") => x3f::read(head, found),
        (_, "IIQ") => {
            iiq::read(head, found);
            tiff_file::read(head, format, found);
        }
        (Kind::Raw | Kind::Tiff, _) => tiff_file::read(head, format, found),
        (Kind::Image, _) => images::read(head, format, found),
        (_, "EXV") => jpeg_file::companion(head, found),
        (_, "AVI" | "WAV") => avi::read(head, found),
        (_, "MTS") => mts::read(head, found),
        (_, "MOV" | "MP4" | "M4V" | "3GP" | "LRV" | "LRF" | "INSV" | "360" | "M4A") => quicktime::read(head, found),
        (_, "XMP") => packet::sidecar(head, found),
        (_, "XML") => sony_xml::sidecar(head, found),
        _ => {}
    }
}

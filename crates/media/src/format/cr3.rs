//! CR3: Canon's RAW in ISO-BMFF. Four TIFF structures, a thumbnail, a preview, and a full-size JPEG as the first track.
//!
//! Source: FORMATS of Canon's containers as published (lclevy/canon_cr3), checked on files.

use crate::Head;
use crate::bmff::{Atom, Atoms, Track};
use crate::exif;
use crate::found::Found;
use crate::maker;
use crate::previews;
use crate::tiff::Header;

use super::packet;

/// The box in `moov` that holds Canon's structures.
pub(super) const CANON: [u8; 16] =
    [0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48];
/// The box with the XMP packet.
const XMP: [u8; 16] = [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];
/// The box with the preview.
const PREVIEW: [u8; 16] =
    [0xea, 0xf4, 0x2b, 0x5e, 0x1c, 0x98, 0x4b, 0x88, 0xb9, 0xfb, 0xb7, 0xdc, 0x40, 0x6e, 0x4d, 0x16];

/// Reads a CR3 file.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let mut boxes = Atoms::of_file(head);
    let mut has_movie = false;
    while let Some(atom) = boxes.next(head) {
        match (&atom.kind, head.array::<16>(atom.at)) {
            (b"moov", _) => {
                has_movie = true;
                movie(head, &atom, found);
            }
            (b"uuid", Some(PREVIEW)) => {
                if let Some(preview) = atom.child(head, 24, b"PRVW") {
                    jpeg_in(head, &preview, found);
                }
            }
            (b"uuid", Some(XMP)) => packet::read(head, atom.at + 16, atom.len().saturating_sub(16), found),
            _ => {}
        }
    }
    if !has_movie {
        found.problems.push("no header: the CR3 is cut short or damaged".to_owned());
    }
}

fn movie(head: &mut Head<'_>, moov: &Atom, found: &mut Found) {
    let mut boxes = moov.children(0);
    while let Some(atom) = boxes.next(head) {
        match &atom.kind {
            b"uuid" if head.array(atom.at) == Some(CANON) => canon(head, &atom, found),
            b"trak" => {
                let track = Track::read(head, &atom);
                // The RAW's own track counts the frames of a burst roll; a JPEG track is the full-size preview.
                found.frames = found.frames.max(track.samples).filter(|&n| n > 0);
                found.stored = found.stored.or(track.coded);
                if let Some((offset, length)) = track.first_sample {
                    previews::note(head, found, offset, length, None);
                }
            }
            _ => {}
        }
    }
    found.frames = found.frames.filter(|&n| n > 1);
}

/// Canon's structures, which lie in its clips as well.
pub(super) fn canon(head: &mut Head<'_>, uuid: &Atom, found: &mut Found) {
    let mut boxes = uuid.children(16);
    let mut notes = None;
    while let Some(atom) = boxes.next(head) {
        if atom.kind == *b"THMB" {
            jpeg_in(head, &atom, found);
            continue;
        }
        let Some(header) = Header::read(head, atom.at, atom.len()) else { continue };
        let Some(ifd) = header.tiff.ifd(head, header.first) else { continue };
        match &atom.kind {
            b"CMT1" => {
                found.stored = super::tiff_file::stated_size(head, &header.tiff, &ifd);
                exif::main_directory(head, &header.tiff, &ifd, found);
            }
            b"CMT2" => {
                exif::exif_directory(head, &header.tiff, &ifd, &mut found.exif);
            }
            b"CMT3" => notes = Some((header.tiff, ifd)),
            b"CMT4" => exif::gps_directory(head, &header.tiff, &ifd, &mut found.exif.gps),
            _ => {}
        }
    }
    if let Some((tiff, ifd)) = notes {
        maker::canon(head, &tiff, &ifd, found);
    }
}

/// A JPEG after the few numbers with which a thumbnail's or preview's box begins.
fn jpeg_in(head: &mut Head<'_>, atom: &Atom, found: &mut Found) {
    let start = head.up_to(atom.at, 32).windows(3).position(|w| w == [0xff, 0xd8, 0xff]);
    if let Some(start) = start {
        let at = atom.at + start as u64;
        previews::note(head, found, at, atom.end - at, None);
    }
}

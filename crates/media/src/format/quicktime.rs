//! QuickTime and MP4: header, tracks, and what makers and phones add to them.
//!
//! The header's time is UTC by the specification and local for the makes that are known to write it so; that is decided in
//! `resolve`, with the make. Samples are never read. Source: ISO/IEC 14496-12, QuickTime File Format.

use crate::Head;
use crate::bmff::{Atom, Atoms, Track};
use crate::cursor::Cursor;
use crate::found::{Clip, Found};
use crate::maker;

use super::{cr3, packet, quicktime_keys, quicktime_user, sony_xml};

/// The box with an XMP packet.
const XMP: [u8; 16] = [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];

/// Reads a clip.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let mut boxes = Atoms::of_file(head);
    let mut has_movie = false;
    while let Some(atom) = boxes.next(head) {
        match &atom.kind {
            b"moov" => {
                has_movie = true;
                movie(head, &atom, found);
            }
            b"uuid" if head.array(atom.at) == Some(XMP) => {
                packet::read(head, atom.at + 16, atom.len().saturating_sub(16), found)
            }
            b"meta" => meta(head, &atom, found),
            b"udta" => quicktime_user::read(head, &atom, found),
            // A fragmented clip repeats these to its end.
            b"moof" => break,
            _ => {}
        }
    }
    if !has_movie {
        found.problems.push("no header (moov): the clip is cut short, or its end is missing".to_owned());
    }
}

fn movie(head: &mut Head<'_>, moov: &Atom, found: &mut Found) {
    let mut boxes = moov.children(0);
    let mut has_picture = false;
    while let Some(atom) = boxes.next(head) {
        match &atom.kind {
            b"mvhd" => {
                let _ = header(head, &atom, &mut found.clip);
            }
            b"trak" => {
                let track = Track::read(head, &atom);
                if track.handler == *b"vide" && !has_picture {
                    has_picture = true;
                    picture(&track, found);
                }
                let mut inside = atom.children(0);
                while let Some(more) = inside.next(head) {
                    match &more.kind {
                        b"meta" => meta(head, &more, found),
                        b"udta" => quicktime_user::read(head, &more, found),
                        _ => {}
                    }
                }
            }
            b"meta" => meta(head, &atom, found),
            b"udta" => quicktime_user::read(head, &atom, found),
            b"uuid" if head.array(atom.at) == Some(XMP) => {
                packet::read(head, atom.at + 16, atom.len().saturating_sub(16), found)
            }
            b"uuid" if head.array(atom.at) == Some(cr3::CANON) => {
                // The clip's own size counts, not that of its EXIF.
                let stored = found.stored;
                cr3::canon(head, &atom, found);
                found.stored = stored;
            }
            _ => {}
        }
    }
}

fn header(head: &mut Head<'_>, mvhd: &Atom, clip: &mut Clip) -> Option<()> {
    let mut cursor = Cursor::new(head.up_to(mvhd.at, mvhd.len().min(64) as usize));
    let wide = cursor.u32()? >> 24 == 1;
    let size = if wide { 8 } else { 4 };
    let created = cursor.sized(size)?;
    cursor.sized(size)?;
    let timescale = cursor.u32()?;
    let duration = cursor.sized(size)?;
    clip.created = Some(created).filter(|&v| v > 0);
    let endless = if wide { u64::MAX } else { u64::from(u32::MAX) };
    if timescale > 0 && duration > 0 && duration != endless {
        clip.duration = Some(duration as f64 / f64::from(timescale));
    }
    Some(())
}

fn picture(track: &Track, found: &mut Found) {
    found.stored = track.shown.or(track.coded);
    let clip = &mut found.clip;
    clip.rotation = track.rotation;
    clip.codec = track.codec.map(|code| String::from_utf8_lossy(&code).trim_end().to_owned());
    clip.frame_rate = track
        .times
        .filter(|_| track.timescale > 0)
        .map(|(n, units)| n as f64 * f64::from(track.timescale) / units as f64);
    clip.media_created = track.created.filter(|&v| v > 0);
}

/// `meta` with Apple's keys, iTunes' items, or Sony's XML; its version may be missing in QuickTime.
pub(super) fn meta(head: &mut Head<'_>, atom: &Atom, found: &mut Found) {
    let skip = if head.array::<4>(atom.at + 4).is_some_and(|kind| kind == *b"hdlr") { 0 } else { 4 };
    if let Some(xml) = atom.child(head, skip, b"xml ") {
        let text = head.up_to(xml.at + 4, xml.len().saturating_sub(4).min(64 << 10) as usize).to_vec();
        sony_xml::read(&text, found);
    }
    let Some(list) = atom.child(head, skip, b"ilst") else { return };
    let keys = atom.child(head, skip, b"keys").map(|keys| quicktime_keys::names(head, &keys)).unwrap_or_default();
    quicktime_keys::read(head, &list, &keys, found);
}

/// A JPEG or EXIF block inside a maker's box, by its own mark.
pub(super) fn picture_or_exif(head: &mut Head<'_>, at: u64, end: u64, found: &mut Found) {
    if head.array(at) == Some([0xff, 0xd8]) {
        super::jpeg_file::embedded(head, at, end, found);
    } else {
        maker::gopro(head, at, end, found);
    }
}

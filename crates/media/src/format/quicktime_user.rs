//! `udta`: user data as QuickTime defines it, and the boxes that camera makers add.

use crate::Head;
use crate::bmff::Atom;
use crate::cursor::Cursor;
use crate::exif;
use crate::fixed;
use crate::found::Found;
use crate::maker;
use crate::previews;
use crate::text;
use crate::tiff::{Order, Tiff};

use super::{packet, quicktime};

/// Reads a `udta` box.
pub(super) fn read(head: &mut Head<'_>, udta: &Atom, found: &mut Found) {
    let mut boxes = udta.children(0);
    while let Some(atom) = boxes.next(head) {
        match &atom.kind {
            [0xa9, name @ ..] => {
                if let Some(value) = international(head, &atom) {
                    take(*name, value, found);
                }
            }
            b"CNTH" => {
                if let Some(inside) = atom.child(head, 0, b"CNDA") {
                    quicktime::picture_or_exif(head, inside.at, inside.end, found);
                }
            }
            b"CNMN" => found.clip.maker_model = atom.content(head, 256).and_then(text::trimmed),
            b"NCDT" => {
                if let Some(tags) = atom.child(head, 0, b"NCTG") {
                    maker::nikon_clip(head, tags.at, tags.end, found);
                }
            }
            b"MVTG" => directory(head, &atom, 16, Order::Little, found),
            b"QVMI" => directory(head, &atom, 10, Order::Big, found),
            b"GPMF" => maker::gopro(head, atom.at, atom.end, found),
            b"TAGS" => {
                let content = head.up_to(atom.at, atom.len().min(4096) as usize);
                fixed::CLIPS.read(content, "", "", &mut found.maker);
            }
            b"PANA" | b"LEIC" => panasonic(head, &atom, found),
            b"slno" => found.clip.serial = atom.content(head, 256).and_then(text::trimmed).or(found.clip.serial.take()),
            b"cmnm" => {
                found.clip.model = atom.content(head, 256).and_then(text::trimmed).or(found.clip.model.take());
            }
            b"SNum" => found.maker.serial = atom.content(head, 256).and_then(text::trimmed),
            b"XMP_" => packet::read(head, atom.at, atom.len(), found),
            b"thmb" | b"scrn" | b"PXTH" => thumbnail(head, &atom, found),
            b"meta" => super::quicktime::meta(head, &atom, found),
            b"manu" => {
                found.clip.make =
                    atom.content(head, 256).and_then(|b| text::trimmed(b.get(6..)?)).or(found.clip.make.take())
            }
            b"modl" => {
                found.clip.model =
                    atom.content(head, 256).and_then(|b| text::trimmed(b.get(6..)?)).or(found.clip.model.take())
            }
            _ => {}
        }
    }
}

/// A text with its length and language in front; some write it bare.
fn international(head: &mut Head<'_>, atom: &Atom) -> Option<String> {
    let content = head.up_to(atom.at, atom.len().min(4096) as usize);
    let mut cursor = Cursor::new(content);
    let (len, _language) = (cursor.u16()?, cursor.u16()?);
    match cursor.take(usize::from(len)).filter(|_| len > 0) {
        Some(text) => text::trimmed(text),
        None => text::trimmed(content),
    }
}

fn take(name: [u8; 3], value: String, found: &mut Found) {
    let clip = &mut found.clip;
    match &name {
        b"mak" => clip.make = Some(value),
        b"mod" => clip.model = Some(value),
        b"mdl" => {
            clip.model.get_or_insert(value);
        }
        b"day" => clip.content_date = Some(value),
        b"xyz" => clip.place = Some(value),
        b"nam" => clip.title = Some(value),
        b"cpy" => clip.copyright = Some(value),
        b"ART" => clip.creator = Some(value),
        _ => {}
    }
}

/// Panasonic's and Leica's box: make or model at its beginning, and further on the EXIF block of a JPEG.
fn panasonic(head: &mut Head<'_>, atom: &Atom, found: &mut Found) {
    let words = |head: &mut Head<'_>, at: u64, len: usize| {
        let start = atom.at.checked_add(at).filter(|&start| start < atom.end)?;
        text::trimmed(head.up_to(start, len.min((atom.end - start) as usize)))
    };
    let make = words(head, 0, 22).filter(|make| make.starts_with("LEICA") || make.starts_with("Panasonic"));
    let places: &[(u64, usize)] = if make.is_some() { &[(0x16, 30)] } else { &[(0x04, 16), (0x0c, 16)] };
    let model = places.iter().find_map(|&(at, len)| words(head, at, len).filter(|model| model.len() >= 6));
    found.maker.make = make.or(found.maker.make.take());
    found.maker.model = model.or(found.maker.model.take());
    for at in [0x10, 0x4068, 0x4080, 0x20_0080] {
        let start = atom.at.saturating_add(at);
        let is_exif = start < atom.end
            && head
                .array::<12>(start)
                .is_some_and(|b| b.starts_with(&[0xff, 0xd8, 0xff, 0xe1]) && b.ends_with(b"Exif\0\0"));
        if is_exif {
            super::tiff_file::embedded(head, start + 12, atom.end.saturating_sub(start + 12), found);
            return;
        }
    }
}

/// A directory of EXIF tags without a header of its own.
fn directory(head: &mut Head<'_>, atom: &Atom, skip: u64, order: Order, found: &mut Found) {
    let tiff = Tiff { base: atom.at, end: atom.end, order, big: false };
    if let Some(ifd) = tiff.ifd_at(head, atom.at + skip) {
        exif::main_directory(head, &tiff, &ifd, found);
    }
}

fn thumbnail(head: &mut Head<'_>, atom: &Atom, found: &mut Found) {
    let start = head.up_to(atom.at, 600).windows(3).position(|w| w == [0xff, 0xd8, 0xff]);
    if let Some(start) = start {
        let at = atom.at + start as u64;
        previews::note(head, found, at, atom.end - at, None);
    }
}

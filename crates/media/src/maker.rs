//! Maker notes: one module a maker, chosen by the note's own mark and the camera's make.
//!
//! A table says where a note's directory begins, from where its offsets count and in which byte order; a maker's module
//! then reads the directory into [`Maker`](crate::found::Maker). Numbers of lenses are data files, not code.
//! A note that is not understood is no problem worth telling: it is the maker's secret.

mod apple;
mod canon;
mod fuji;
mod gopro;
mod kodak;
mod leica;
mod lens;
mod lens_tables;
mod nikon;
mod nikon_lens;
mod nikon_tables;
mod olympus;
mod others;
mod panasonic;
mod pentax;
mod samsung;
mod sony;

use lightfast_model::Ratio;

use crate::Head;
use crate::exif::MakerNote;
use crate::found::Found;
use crate::tiff::{Entry, Header, Ifd, Number, Order, Tiff};

pub(crate) use canon::{focal_length as canon_focal, read as canon, settings as canon_settings, shot as canon_shot};
pub(crate) use gopro::read as gopro;
pub(crate) use kodak::{meta as kodak_meta, of_raw as kodak_raw, professional as kodak_professional};
pub(crate) use lens::{LensId, is_lens_name, name as lens_name};
pub(crate) use nikon::clip as nikon_clip;
pub(crate) use others::{casio_qvci, hewlett_packard_blocks};

/// Reads one maker's directory.
pub(crate) type Reader = fn(&mut Head<'_>, &Tiff, &Ifd, &mut Found);

/// From where a note's offsets count.
#[derive(Clone, Copy)]
enum Base {
    /// As in the structure around the note.
    Around,
    /// The note's first byte.
    Note,
    /// A TIFF header at this place in the note.
    Header(u64),
}

/// In which byte order a note is.
#[derive(Clone, Copy)]
enum Bytes {
    Little,
    Big,
    /// As around it, unless its number of entries says otherwise.
    Guess,
}

/// How a maker's note is laid out.
struct Layout {
    /// How the note begins; empty for a note without a mark.
    mark: &'static [u8],
    /// How the make begins, in capitals; empty for any.
    make: &'static str,
    /// Where the directory begins in the note.
    start: u64,
    base: Base,
    bytes: Bytes,
    read: Reader,
}

const fn layout(mark: &'static [u8], make: &'static str, start: u64, base: Base, bytes: Bytes, read: Reader) -> Layout {
    Layout { mark, make, start, base, bytes, read }
}

/// The first that fits counts.
static LAYOUTS: &[Layout] = &[
    layout(b"Apple iOS\0", "", 14, Base::Note, Bytes::Big, apple::read),
    layout(b"Nikon\0\x02", "", 10, Base::Header(10), Bytes::Guess, nikon::read),
    layout(b"", "CANON", 0, Base::Around, Bytes::Guess, canon::read),
    layout(b"QVC\0", "", 6, Base::Around, Bytes::Big, others::casio2),
    layout(b"DCI\0", "", 6, Base::Around, Bytes::Big, others::casio2),
    layout(b"", "CASIO", 0, Base::Around, Bytes::Guess, others::casio),
    layout(b"FUJIFILM", "", 12, Base::Note, Bytes::Little, fuji::read),
    layout(b"GENERALE", "", 12, Base::Note, Bytes::Little, fuji::read),
    layout(b"MM\0*\0\0\0\x08", "EASTMAN KODAK", 0, Base::Header(0), Bytes::Guess, kodak::read),
    layout(b"II*\0\x08\0\0\0", "EASTMAN KODAK", 0, Base::Header(0), Bytes::Guess, kodak::read),
    layout(b"MM\0", "EASTMAN KODAK", 2, Base::Around, Bytes::Guess, kodak::short),
    layout(b"II", "EASTMAN KODAK", 2, Base::Around, Bytes::Guess, kodak::short),
    layout(b"", "EASTMAN KODAK", 0, Base::Around, Bytes::Guess, kodak::read),
    layout(b"MM\0*\0\0\0\x08", "KODAK", 0, Base::Header(0), Bytes::Guess, kodak::read),
    layout(b"II*\0\x08\0\0\0", "KODAK", 0, Base::Header(0), Bytes::Guess, kodak::read),
    layout(b"MM\0", "KODAK", 2, Base::Around, Bytes::Guess, kodak::short),
    layout(b"II", "KODAK", 2, Base::Around, Bytes::Guess, kodak::short),
    layout(b"", "KODAK", 0, Base::Around, Bytes::Guess, kodak::read),
    layout(b"MM\0*\0\0\0\x08", "JK IMAGING", 0, Base::Header(0), Bytes::Guess, kodak::pixpro),
    layout(b"II*\0\x08\0\0\0", "JK IMAGING", 0, Base::Header(0), Bytes::Guess, kodak::pixpro),
    layout(b"MINOL\0", "", 8, Base::Around, Bytes::Guess, olympus::read),
    layout(b"CAMER\0", "", 8, Base::Around, Bytes::Guess, olympus::read),
    layout(b"", "KONICA MINOLTA", 0, Base::Around, Bytes::Guess, others::minolta),
    layout(b"", "MINOLTA", 0, Base::Around, Bytes::Guess, others::minolta),
    layout(b"MOT\0", "", 8, Base::Note, Bytes::Guess, others::motorola),
    layout(b"Nikon\0\x01", "", 8, Base::Around, Bytes::Little, nikon::old),
    layout(b"", "NIKON", 0, Base::Around, Bytes::Guess, nikon::read),
    layout(b"OLYMP\0", "", 8, Base::Around, Bytes::Guess, olympus::read),
    layout(b"EPSON\0", "", 8, Base::Around, Bytes::Guess, olympus::read),
    layout(b"OLYMPUS\0", "", 12, Base::Note, Bytes::Guess, olympus::read),
    layout(b"OM SYSTEM\0", "", 16, Base::Note, Bytes::Guess, olympus::read),
    layout(b"LEICA\0\0\0", "LEICA CAMERA", 8, Base::Note, Bytes::Guess, leica::early),
    layout(b"LEICA\0\0\0", "LEICA", 8, Base::Around, Bytes::Guess, panasonic::read),
    layout(b"LEICA0", "LEICA", 8, Base::Note, Bytes::Guess, leica::in_parts),
    layout(b"LEICA\0\x01\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x04\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x05\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x06\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x07\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x10\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x1a\0", "", 8, Base::Note, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x08\0", "", 8, Base::Around, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x09\0", "", 8, Base::Around, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x0a\0", "", 8, Base::Around, Bytes::Guess, leica::compact),
    layout(b"LEICA\0\x02\xff", "", 8, Base::Around, Bytes::Guess, leica::in_words),
    layout(b"LEICA\0", "LEICA CAMERA", 8, Base::Around, Bytes::Guess, leica::in_words),
    layout(b"LEICA CAMERA AG\0", "", 18, Base::Around, Bytes::Guess, panasonic::read),
    layout(b"Panasonic", "", 12, Base::Around, Bytes::Guess, panasonic::read),
    layout(b"", "LEICA CAMERA", 0, Base::Around, Bytes::Guess, leica::back),
    layout(b"AOC\0", "", 6, Base::Around, Bytes::Guess, pentax::read),
    layout(b"PENTAX \0", "", 10, Base::Note, Bytes::Guess, pentax::read),
    layout(b"RICOH\0II", "", 8, Base::Note, Bytes::Guess, pentax::read),
    layout(b"RICOH\0MM", "", 8, Base::Note, Bytes::Guess, pentax::read),
    layout(b"SAMSUNG\0", "", 10, Base::Note, Bytes::Guess, pentax::read),
    layout(b"Ricoh", "", 8, Base::Around, Bytes::Guess, others::ricoh),
    layout(b"RICOH", "", 8, Base::Around, Bytes::Guess, others::ricoh),
    layout(b"SANYO", "", 8, Base::Around, Bytes::Guess, others::sanyo),
    layout(b"SIGMA\0\0\0\x01\x03", "", 10, Base::Around, Bytes::Guess, others::sigma_later),
    layout(b"SIGMA\0\0\0\x01\x04", "", 10, Base::Around, Bytes::Guess, others::sigma_later),
    layout(b"SIGMA\0\0\0\x01\x05", "", 10, Base::Around, Bytes::Guess, others::sigma_later),
    layout(b"SIGMA\0", "", 10, Base::Around, Bytes::Guess, others::sigma),
    layout(b"FOVEON\0", "", 10, Base::Around, Bytes::Guess, others::sigma),
    layout(b"SONY DSC", "", 12, Base::Around, Bytes::Guess, sony::read),
    layout(b"SONY CAM", "", 12, Base::Around, Bytes::Guess, sony::read),
    layout(b"SONY MOBILE", "", 12, Base::Around, Bytes::Guess, sony::read),
    layout(b"\0\0SONY PIC\0", "", 12, Base::Around, Bytes::Guess, sony::read),
    layout(b"VHAB     \0", "", 12, Base::Around, Bytes::Guess, sony::read),
    layout(b"", "SONY", 0, Base::Around, Bytes::Guess, sony::read),
    layout(b"", "SAMSUNG", 0, Base::Note, Bytes::Guess, samsung::read),
];

/// Reads the maker note at `note`, which belongs to `tiff`.
pub(crate) fn read(head: &mut Head<'_>, tiff: &Tiff, note: MakerNote, found: &mut Found) {
    found.has_note = true;
    if note.len < 6 || others::without_directory(head, tiff, note, found) {
        return;
    }
    let make = found.exif.make.as_deref().unwrap_or_default().to_ascii_uppercase();
    let mark = head.up_to(note.at, note.len.min(32) as usize).to_vec();
    let layout = LAYOUTS.iter().find(|l| mark.starts_with(l.mark) && make.starts_with(l.make));
    let Some(layout) = layout else { return };
    if let Some((tiff, ifd)) = directory(head, tiff, note, layout) {
        (layout.read)(head, &tiff, &ifd, found);
    }
}

fn directory(head: &mut Head<'_>, around: &Tiff, note: MakerNote, layout: &Layout) -> Option<(Tiff, Ifd)> {
    if let Base::Header(at) = layout.base {
        let header = Header::read(head, note.at.checked_add(at)?, note.len.checked_sub(at)?)?;
        // A note that was moved by a program may point past its own end; the file is the limit then.
        let tiff = Tiff { end: around.end, ..header.tiff };
        let ifd = tiff.ifd(head, header.first).or_else(|| tiff.wide_ifd(head, header.first))?;
        return Some((tiff, ifd));
    }
    let at = note.at.checked_add(layout.start)?;
    let order = match layout.bytes {
        Bytes::Little => Order::Little,
        Bytes::Big => Order::Big,
        Bytes::Guess => guess(around.order, head.array(at)?),
    };
    let base = match layout.base {
        Base::Note => note.at,
        _ => around.base,
    };
    let tiff = Tiff { base, end: around.end, order, big: false };
    let ifd = tiff.ifd_at(head, at)?;
    let tiff = Tiff { base: moved_base(head, &tiff, &ifd, at, note, layout.make == "CANON").unwrap_or(base), ..tiff };
    Some((tiff, ifd))
}

/// The base of a note that a program moved without changing its offsets: they then point outside of it.
///
/// Canon's notes end in a header that says where they once began; in others the first value follows the directory.
fn moved_base(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, at: u64, note: MakerNote, is_canon: bool) -> Option<u64> {
    let values: Vec<(u64, u64)> = ifd.entries.iter().filter_map(|entry| tiff.claimed(entry)).collect();
    let end = note.at.checked_add(note.len)?;
    let inside = |base: u64| {
        let fits = |offset: u64, len: u64| {
            let from = base.wrapping_add(offset);
            from >= note.at && from.checked_add(len).is_some_and(|to| to <= end)
        };
        values.iter().filter(|&&(offset, len)| fits(offset, len)).count()
    };
    let after = at + 2 + 12 * ifd.entries.len() as u64 + 4;
    let first = values.iter().map(|(offset, _)| *offset).min()?;
    // Where Canon's first value may lie, from the end of the directory: some models leave room for two entries more.
    let gap = tiff.base.wrapping_add(first).checked_sub(after);
    let is_usual = !is_canon || matches!(gap, None | Some(0 | 2 | 12 | 24));
    if values.len() < 3 || (inside(tiff.base) == values.len() && is_usual) {
        return None;
    }
    let [m0, m1, m2, m3, o0, o1, o2, o3] = head.array(end.checked_sub(8)?)?;
    let footer = matches!(&[m0, m1, m2, m3], b"II*\0" | b"MM\0*").then(|| u64::from(tiff.order.u32([o0, o1, o2, o3])));
    let candidates = [footer.map(|offset| note.at.wrapping_sub(offset)), Some(after.wrapping_sub(first))];
    candidates.into_iter().flatten().find(|&base| inside(base) == values.len())
}

/// The other byte order, where the number of entries is absurd in the one around.
fn guess(around: Order, count: [u8; 2]) -> Order {
    let [high, low] = around.u16(count).to_be_bytes();
    match (high > low, around) {
        (false, order) => order,
        (true, Order::Little) => Order::Big,
        (true, Order::Big) => Order::Little,
    }
}

/// A number above 0.
fn positive(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<f64> {
    tiff.number(head, entry).and_then(Number::real).filter(|&v| v > 0.0)
}

/// An exposure time as the fraction that the note has.
fn seconds(head: &mut Head<'_>, tiff: &Tiff, entry: &Entry) -> Option<Ratio> {
    match tiff.number(head, entry)? {
        Number::Fraction(num, den) if num > 0 && den > 0 => Some(Ratio { num: num as u64, den: den as u64 }),
        _ => None,
    }
}

/// A JPEG by a pair of tags for its offset and length, from a note's base.
fn preview(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, start: u16, length: u16, found: &mut Found) {
    let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(head, e));
    if let Some((start, length)) = value(start).zip(value(length))
        && let Some(at) = tiff.position(start)
    {
        crate::previews::note(head, found, at, length, None);
    }
}

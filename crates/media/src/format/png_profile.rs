//! Metadata as text in a PNG: `Raw profile type …`, as programs wrote it before PNG had a chunk for EXIF.
//!
//! The text, which may be compressed, is a line with the profile's name, a line with its length, then hexadecimal digits.
//! What comes out is bounded, and read as the bytes of the profile would be.

use zune_inflate::{DeflateDecoder, DeflateOptions};

use crate::found::Found;
use crate::{BytesSource, Head};
use crate::{iptc, xmp::Xmp};

use super::tiff_file;

/// How the keyword of such a text begins.
const KEYWORD: &[u8] = b"Raw profile type ";
/// The longest text that is read, and that comes out of its compression.
const MAX_TEXT: usize = 1 << 20;

/// Reads the text chunk at `at`, if it holds a profile that says something.
pub(super) fn read(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    if !head.up_to(at, len.min(64) as usize).starts_with(KEYWORD) {
        return;
    }
    let is_compressed = at.checked_sub(4).and_then(|at| head.array(at)) == Some(*b"zTXt");
    let chunk = head.up_to(at, len.min(MAX_TEXT as u64) as usize);
    let Some(end) = chunk.iter().take(80).position(|&b| b == 0) else { return };
    let name = chunk.get(KEYWORD.len()..end).unwrap_or_default().to_ascii_lowercase();
    let rest = chunk.get(end + 1..).unwrap_or_default();
    let text = match is_compressed {
        // The method of compression; there is only one.
        true => match rest.split_first() {
            Some((0, stream)) => inflate(stream),
            _ => None,
        },
        false => Some(rest.to_vec()),
    };
    let Some(profile) = text.and_then(|text| bytes_of(&text)) else { return };
    match name.as_slice() {
        b"exif" | b"app1" => exif(&profile, found),
        b"iptc" | b"8bim" => found.iptc = iptc::photoshop(&profile).or(found.iptc.take()),
        b"xmp" if found.xmp.is_none() => found.xmp = Some(Xmp::read(&profile)),
        _ => {}
    }
}

fn inflate(stream: &[u8]) -> Option<Vec<u8>> {
    let options = DeflateOptions::default().set_limit(MAX_TEXT).set_size_hint(16 << 10);
    DeflateDecoder::new_with_options(stream, options).decode_zlib().ok()
}

/// The bytes that the digits after the name and the length stand for.
fn bytes_of(text: &[u8]) -> Option<Vec<u8>> {
    let mut lines = text.trim_ascii_start().splitn(3, |&b| b == b'\n');
    let (_, length, digits) = (lines.next()?, lines.next()?, lines.next()?);
    let length: usize = std::str::from_utf8(length).ok()?.trim().parse().ok()?;
    let digits: Vec<u8> = digits
        .iter()
        .filter(|b| !b.is_ascii_whitespace())
        .map(|&b| char::from(b).to_digit(16).and_then(|v| u8::try_from(v).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |sum, &v| sum << 4 | v)).collect();
    (bytes.len() >= length.min(MAX_TEXT)).then_some(bytes)
}

fn exif(profile: &[u8], found: &mut Found) {
    const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
    if let Some(packet) = profile.strip_prefix(XMP) {
        if found.xmp.is_none() {
            found.xmp = Some(Xmp::read(packet));
        }
        return;
    }
    let tiff = profile.strip_prefix(b"Exif\0\0").unwrap_or(profile);
    let mut source = BytesSource(tiff);
    let mut inner = Head::new(&mut source);
    let len = inner.len();
    let stored = found.stored;
    let previews = found.previews.len();
    tiff_file::embedded(&mut inner, 0, len, found);
    found.stored = stored.or(found.stored);
    // A preview lies in the text, not in the file: it cannot be given by its place.
    found.previews.truncate(previews);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text chunk's content with EXIF that says who made it, at 8.
    fn chunk(kind: &[u8; 4], end: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        bytes.extend(kind);
        bytes.extend(b"Raw profile type exif\0");
        bytes.extend(end);
        bytes
    }

    fn make_of(bytes: &[u8]) -> Option<String> {
        let mut found = Found::default();
        let mut source = BytesSource(bytes);
        read(&mut Head::new(&mut source), 8, bytes.len() as u64 - 8, &mut found);
        found.exif.make
    }

    const PROFILE: &str =
        "\nexif\n 38\n4578696600004949 2a00080000000100\n0f01020006000000 1a00000000000000\n4e696b6f6e00\n";

    #[test]
    fn exif_as_digits_in_a_text() {
        assert_eq!(make_of(&chunk(b"tEXt", PROFILE.as_bytes())).as_deref(), Some("Nikon"));
    }

    #[test]
    fn a_profile_that_is_cut_or_no_stream_says_nothing() {
        assert_eq!(make_of(&chunk(b"zTXt", b"\0not a stream")), None);
        assert_eq!(make_of(&chunk(b"zTXt", b"")), None);
        assert_eq!(make_of(&chunk(b"tEXt", b"\nexif\n 99999999999999999999999\n00")), None);
        for end in 0..PROFILE.len() {
            make_of(&chunk(b"tEXt", PROFILE.get(..end).unwrap().as_bytes()));
        }
    }
}

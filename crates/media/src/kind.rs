//! What a file is, told by its first bytes; the name only decides between roles of the same format.
//!
//! `.THM` is a JPEG with another job, `.LRV` a clip, and an NEF called `.JPG` is still an NEF.
//! A TIFF is a RAW when its directories say so. Only what carries no mark of its own (a subtitle track, a
//! camera's recipe) goes by its name.

mod tables;
mod tiff_kind;

use std::ffi::OsStr;

use lightfast_model::Kind;

/// The kind and the format's usual name of a file that begins with `head` (4 KiB are enough for all but some TIFFs,
/// 64 KiB for those).
pub fn kind_of(head: &[u8], name: &OsStr) -> (Kind, Option<&'static str>) {
    let extension = extension(name);
    by_content(head, &extension).unwrap_or_else(|| by_name(&extension))
}

/// The extension in lower case, without its dot.
pub(crate) fn extension(name: &OsStr) -> String {
    std::path::Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn by_content(head: &[u8], extension: &str) -> Option<(Kind, Option<&'static str>)> {
    let has = |at: usize, bytes: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(bytes));
    if (has(0, b"II") || has(0, b"MM"))
        && let Some((kind, format)) = tiff_kind::of(head, extension)
    {
        return Some((kind, Some(format)));
    }
    if has(0, b"RIFF") {
        let form = head.get(8..12)?;
        let (_, kind, format) = tables::RIFF_FORMS.iter().find(|(name, ..)| *name == form)?;
        return Some((*kind, Some(format)));
    }
    if has(4, b"ftyp") {
        return Some(by_brand(head, extension));
    }
    if tables::QUICKTIME_FIRST.iter().any(|name| has(4, name)) && plausible_box(head) {
        return Some((Kind::Video, Some("MOV")));
    }
    if let Some((.., kind, format)) = tables::MAGIC.iter().find(|(at, bytes, ..)| has(*at, bytes)) {
        let renamed = tables::SAME_FORMAT.iter().find(|(of, ext, ..)| of == format && *ext == extension);
        return Some(renamed.map_or((*kind, Some(*format)), |(.., kind, format)| (*kind, Some(*format))));
    }
    if has(0, &[0x47]) && has(188, &[0x47]) {
        return Some((Kind::Video, Some("MTS")));
    }
    if has(4, &[0x47]) && has(196, &[0x47]) {
        return Some((Kind::Video, Some("MTS")));
    }
    text_kind(head)
}

/// ISO-BMFF by its brands; the extension tells apart what differs only by its job.
fn by_brand(head: &[u8], extension: &str) -> (Kind, Option<&'static str>) {
    let size = head.get(..4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
    let brands = head.get(8..size.clamp(12, 256).min(head.len())).unwrap_or(&[]);
    // The second word is the minor version, not a brand.
    let all = brands.chunks_exact(4).enumerate().filter(|(i, _)| *i != 1).map(|(_, brand)| brand);
    let known = |brand: &[u8]| tables::BRANDS.iter().find(|(name, ..)| *name == brand);
    let major = brands.get(..4).and_then(known);
    let general = matches!(major, Some((_, Kind::Heif, "HEIF")) | None);
    let found = if general { all.filter_map(known).find(|entry| entry.2 != "HEIF").or(major) } else { major };
    let (kind, format) = found.map_or((Kind::Video, "MP4"), |(_, kind, format)| (*kind, *format));
    let renamed = tables::SAME_FORMAT.iter().find(|(of, ext, ..)| *of == format && *ext == extension);
    renamed.map_or((kind, Some(format)), |(.., kind, format)| (*kind, Some(*format)))
}

/// Whether the first box has a size that a QuickTime file can begin with.
fn plausible_box(head: &[u8]) -> bool {
    let size = head.get(..4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_be_bytes);
    size == 1 || size >= 8
}

/// Companions in text: XMP, Apple's adjustments, other XML.
fn text_kind(head: &[u8]) -> Option<(Kind, Option<&'static str>)> {
    let start = head.get(..head.len().min(1024))?;
    // UTF-16 is told by leaving out its NULs.
    let text: Vec<u8> = start.iter().copied().filter(|&b| b != 0).collect();
    let text = text
        .strip_prefix(&[0xef, 0xbb, 0xbf])
        .or(text.strip_prefix(&[0xff, 0xfe]))
        .or(text.strip_prefix(&[0xfe, 0xff]))
        .unwrap_or(&text);
    let text = text.trim_ascii_start();
    let holds = |what: &[u8]| text.windows(what.len()).any(|window| window == what);
    if !text.starts_with(b"<") {
        return None;
    }
    if holds(b"<?xpacket") || holds(b"xmpmeta") || holds(b":RDF") || holds(b"xapmeta") {
        return Some((Kind::Sidecar, Some("XMP")));
    }
    if holds(b"<plist") && holds(b"adjustment") {
        return Some((Kind::Sidecar, Some("AAE")));
    }
    None
}

fn by_name(extension: &str) -> (Kind, Option<&'static str>) {
    let found = tables::BY_NAME.iter().find(|(ext, ..)| *ext == extension);
    found.map_or((Kind::Other, None), |(_, kind, format)| (*kind, Some(*format)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &[u8], name: &str) -> (Kind, &'static str) {
        let (kind, format) = kind_of(head, OsStr::new(name));
        (kind, format.unwrap_or("-"))
    }

    #[test]
    fn content_decides_not_the_name() {
        assert_eq!(kind(b"\xff\xd8\xff\xe1", "IMG_0001.CR2"), (Kind::Jpeg, "JPEG"));
        assert_eq!(kind(b"\xff\xd8\xff\xe1", "MVI_0001.THM"), (Kind::Thumbnail, "THM"));
        assert_eq!(kind(b"II*\0\x10\0\0\0CR\x02\0", "IMG_0001.JPG"), (Kind::Raw, "CR2"));
        assert_eq!(kind(b"FUJIFILMCCD-RAW 0201", "x"), (Kind::Raw, "RAF"));
        assert_eq!(kind(b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", "x.JPG"), (Kind::Raw, "CR3"));
        assert_eq!(kind(b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "x"), (Kind::Heif, "HEIC"));
        assert_eq!(kind(b"\0\0\0\x14ftypmif1\0\0\0\0mif1", "x"), (Kind::Heif, "HEIF"));
        assert_eq!(kind(b"\0\0\0\x14ftypqt  \x20\x07\x09\0CAEP", "MVI_0001.MOV"), (Kind::Video, "MOV"));
        assert_eq!(kind(b"\0\0\0\x14ftypmp41\0\0\0\0mp41", "GL010001.LRV"), (Kind::Video, "LRV"));
        assert_eq!(kind(b"RIFF\0\0\0\0AVI LIST", "x"), (Kind::Video, "AVI"));
        assert_eq!(kind(b"RIFF\0\0\0\0WAVEfmt ", "x"), (Kind::Audio, "WAV"));
        assert_eq!(kind(b"<?xpacket begin=''?><x:xmpmeta>", "x"), (Kind::Sidecar, "XMP"));
        assert_eq!(kind(b"\xff\xfe<\0x\0:\0x\0m\0p\0m\0e\0t\0a\0", "x"), (Kind::Sidecar, "XMP"));
    }

    #[test]
    fn what_has_no_mark_goes_by_its_name() {
        assert_eq!(kind(b"1\n00:00:00,000", "DJI_0001.SRT"), (Kind::Sidecar, "SRT"));
        assert_eq!(kind(b"", "IMG_0001.CR2"), (Kind::Raw, "CR2"));
        assert_eq!(kind(b"whatever", "notes.txt"), (Kind::Other, "-"));
    }
}

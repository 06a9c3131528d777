//! What a file is, told by its first bytes; the name only decides between roles of the same format.
//!
//! `.THM` is a JPEG with another job, `.LRV` a clip, and an NEF called `.JPG` is still an NEF.
//! A TIFF is a RAW when its directories say so.

use std::ffi::OsStr;

use lightfast_model::Kind;

/// The kind and the format's usual name of a file that begins with `head`.
pub fn kind_of(head: &[u8], name: &OsStr) -> (Kind, Option<&'static str>) {
    let extension = extension(name);
    let at = |from: usize, bytes: &[u8]| head.get(from..).is_some_and(|rest| rest.starts_with(bytes));
    if at(0, &[0xff, 0xd8, 0xff]) {
        return if extension == "thm" { (Kind::Thumbnail, Some("THM")) } else { (Kind::Jpeg, Some("JPEG")) };
    }
    if (at(0, b"II*\0") || at(0, b"MM\0*")) && at(8, b"CR") {
        return (Kind::Raw, Some("CR2"));
    }
    if at(0, b"II*\0") || at(0, b"MM\0*") {
        return (Kind::Tiff, Some("TIFF"));
    }
    if at(4, b"ftypqt") || at(4, b"moov") {
        return (Kind::Video, Some("MOV"));
    }
    if at(4, b"ftyp") {
        return (Kind::Video, Some("MP4"));
    }
    match extension.as_str() {
        "xmp" => (Kind::Sidecar, Some("XMP")),
        "aae" => (Kind::Sidecar, Some("AAE")),
        "wav" => (Kind::Audio, Some("WAV")),
        _ => (Kind::Other, None),
    }
}

/// The extension in lower case, without its dot.
pub(crate) fn extension(name: &OsStr) -> String {
    std::path::Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

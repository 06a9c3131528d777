//! The colour profile that a small picture carries.
//!
//! A thumbnail keeps its source's ICC profile when that is for its kind of
//! pixels, is not sRGB (which viewers take for granted) and is small: the
//! pixels are then the source's own, and the viewer converts. Other profiles
//! are left out.

use super::JpegError;

/// Bytes of a profile that is kept: display profiles of cameras and telephones have some hundreds.
const MAX_PROFILE: usize = 64 << 10;
/// Bytes of a profile in one segment.
const CHUNK: usize = 65_000;
/// Where a profile names the colour space of the pixels (ICC.1, 7.2).
const COLOUR_SPACE: std::ops::Range<usize> = 16..20;

/// Whether a picture of these components should keep the profile.
pub(crate) fn worth_keeping(profile: &[u8], is_grey: bool) -> bool {
    let space: &[u8] = if is_grey { b"GRAY" } else { b"RGB " };
    let named = |name: &[u8]| memchr::memmem::find(profile, name).is_some();
    profile.len() <= MAX_PROFILE && profile.get(COLOUR_SPACE) == Some(space) && !named(b"sRGB") && !named(b"s\0R\0G\0B")
}

/// The JPEG with the profile behind its start.
pub(crate) fn with_profile(jpeg: &[u8], profile: &[u8]) -> Result<Vec<u8>, JpegError> {
    with_segments(jpeg, &segments(profile))
}

/// The segments of a profile.
pub(crate) fn segments(profile: &[u8]) -> Vec<u8> {
    let count = profile.len().div_ceil(CHUNK) as u8;
    let mut segments = Vec::with_capacity(profile.len() + 32);
    for (number, chunk) in (1..).zip(profile.chunks(CHUNK)) {
        segments.extend([0xff, 0xe2]);
        segments.extend(((chunk.len() + 16) as u16).to_be_bytes());
        segments.extend(b"ICC_PROFILE\0");
        segments.extend([number, count]);
        segments.extend_from_slice(chunk);
    }
    segments
}

/// The JPEG with segments behind its start.
pub(crate) fn with_segments(jpeg: &[u8], segments: &[u8]) -> Result<Vec<u8>, JpegError> {
    // JFIF wants to come first; the encoder has written it.
    let jfif = jpeg.get(2..4).zip(jpeg.get(4..6)).filter(|(marker, _)| *marker == [0xff, 0xe0]);
    let length = jfif
        .and_then(|(_, length)| length.try_into().ok())
        .map_or(0, |length| 2 + usize::from(u16::from_be_bytes(length)));
    let (head, rest) = jpeg.split_at_checked(2 + length).ok_or(JpegError::Damaged("it ends inside a header"))?;
    Ok([head, segments, rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jpeg::Header;

    fn profile(space: &[u8; 4], words: &[u8], length: usize) -> Vec<u8> {
        let mut profile = vec![0; 128];
        profile[COLOUR_SPACE].copy_from_slice(space);
        profile.extend(words);
        profile.resize(length, 7);
        profile
    }

    #[test]
    fn profiles_of_the_same_kind_that_are_not_srgb_are_kept() {
        assert!(worth_keeping(&profile(b"RGB ", b"Display P3", 500), false));
        assert!(worth_keeping(&profile(b"GRAY", b"Dot gain", 500), true));
        assert!(!worth_keeping(&profile(b"RGB ", b"sRGB IEC61966-2.1", 500), false));
        assert!(!worth_keeping(&profile(b"RGB ", b"\0s\0R\0G\0B", 500), false));
        assert!(!worth_keeping(&profile(b"CMYK", b"Coated", 500), false));
        assert!(!worth_keeping(&profile(b"RGB ", b"", MAX_PROFILE + 1), false));
        assert!(!worth_keeping(b"short", false));
    }

    #[test]
    fn a_profile_put_in_is_read_back_whole() {
        let image = turbojpeg::Image {
            pixels: &[9u8; 48][..],
            width: 4,
            pitch: 12,
            height: 4,
            format: turbojpeg::PixelFormat::RGB,
        };
        let jpeg = turbojpeg::compress(image, 80, turbojpeg::Subsamp::Sub2x2).unwrap();
        for length in [200, CHUNK, CHUNK + 1] {
            let profile = profile(b"RGB ", b"any", length);
            let with = with_profile(&jpeg, &profile).unwrap();
            assert_eq!(Header::parse(&with).unwrap().icc, Some(profile));
            assert!(turbojpeg::decompress(&with, turbojpeg::PixelFormat::RGB).is_ok());
        }
    }
}

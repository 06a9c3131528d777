//! HEIF, HEIC, HIF and AVIF: their primary picture as pixels, by libheif.
//!
//! libheif and its codecs are C++ on hostile bytes: this is only ever called inside the worker process. Its own
//! limits are set before anything is read, and it starts no threads. What comes out is 8-bit RGB, turned as the
//! container says. Without the feature `heif` a HEIF is refused as one that is not supported.

/// Whether bytes begin as a file of this family does.
pub(crate) fn is_heif(bytes: &[u8]) -> bool {
    const BRANDS: [&[u8; 4]; 10] =
        [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"avif", b"avis", b"mif1", b"msf1"];
    bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|brand| BRANDS.iter().any(|known| brand == *known))
}

#[cfg(feature = "heif")]
pub(crate) use library::decode;

/// A decoded picture: 8 bits, three samples a pixel, without gaps between rows.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: Vec<u8>,
    /// The colour profile that belongs to the samples.
    pub(crate) icc: Option<Vec<u8>>,
}

/// Refuses: this build has no decoder for it.
#[cfg(not(feature = "heif"))]
pub(crate) fn decode(_: &[u8], _: u32, _: crate::jpeg::Limits) -> Result<Decoded, crate::jpeg::JpegError> {
    Err(crate::jpeg::JpegError::Unsupported("HEIF (this program was built without its decoder)"))
}

#[cfg(feature = "heif")]
mod library {
    use libheif_rs::{
        ColorSpace, DecodingOptions, HeifContext, HeifError, HeifErrorCode, ImageHandle, LibHeif, RgbChroma,
    };

    use super::Decoded;
    use crate::jpeg::{JpegError, Limits};

    /// Items of a file at most: a telephone's picture in tiles has about 60.
    const MAX_ITEMS: u32 = 5_000;
    /// Bytes that libheif may have at a time; the process has a limit of its own behind it.
    const MAX_MEMORY: u64 = 2 << 30;

    fn damaged(error: HeifError) -> JpegError {
        JpegError::Library(format!("damaged HEIF: {}", error.message))
    }

    /// Decodes the primary picture, or its own thumbnail where that has `edge` pixels on its long side.
    pub(crate) fn decode(bytes: &[u8], edge: u32, limits: Limits) -> Result<Decoded, JpegError> {
        let library = LibHeif::new();
        let mut context = HeifContext::new().map_err(damaged)?;
        let mut security = context.security_limits();
        security.set_max_image_size_pixels(limits.pixels);
        security.set_max_items(MAX_ITEMS);
        security.set_max_total_memory(MAX_MEMORY);
        context.set_security_limits(&security).map_err(damaged)?;
        // Nothing but this thread: the worker is one of several, and its address space is counted.
        context.set_max_decoding_threads(0);
        context.read_bytes(bytes).map_err(damaged)?;
        let primary = context.primary_image_handle().map_err(damaged)?;
        limits.check(primary.width(), primary.height())?;
        let handle = thumbnail(&primary, edge).unwrap_or(primary);
        let mut options = DecodingOptions::new().ok_or(JpegError::Library("no memory".to_owned()))?;
        options.set_convert_hdr_to_8bit(true);
        options.set_num_codec_threads(1);
        options.set_autocorrect_broken_input(true);
        let unsupported = |error: &HeifError| {
            matches!(error.code, HeifErrorCode::UnsupportedFileType | HeifErrorCode::UnsupportedFeature)
        };
        let image = library.decode(&handle, ColorSpace::Rgb(RgbChroma::Rgb), Some(options)).map_err(|error| {
            if unsupported(&error) { JpegError::Unsupported("a HEIF of this kind") } else { damaged(error) }
        })?;
        let planes = image.planes();
        let plane = planes.interleaved.ok_or(JpegError::Damaged("a HEIF without pixels"))?;
        let (width, height) = (plane.width, plane.height);
        limits.check(width, height)?;
        let row = width as usize * 3;
        let mut samples = Vec::with_capacity(row * height as usize);
        for line in plane.data.chunks(plane.stride.max(1)).take(height as usize) {
            samples.extend_from_slice(line.get(..row).ok_or(JpegError::Damaged("a HEIF with short rows"))?);
        }
        if samples.len() != row * height as usize {
            return Err(JpegError::Damaged("a HEIF with too few rows"));
        }
        Ok(Decoded { width, height, samples, icc: handle.color_profile_raw().map(|profile| profile.data) })
    }

    /// A thumbnail of the same shape that is large enough.
    fn thumbnail(primary: &ImageHandle, edge: u32) -> Option<ImageHandle> {
        let mut ids = [0; 8];
        let count = primary.thumbnail_ids(&mut ids);
        let shape = |handle: &ImageHandle| f64::from(handle.width()) / f64::from(handle.height().max(1));
        let fits = |handle: &ImageHandle| {
            let long = handle.width().max(handle.height());
            // As for JPEGs, a thirty-second less is not seen.
            u64::from(long) * 32 >= u64::from(edge) * 31 && (shape(handle) / shape(primary) - 1.0).abs() < 0.02
        };
        ids.iter().take(count).filter_map(|&id| primary.thumbnail(id).ok()).find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heif_is_known_by_its_brand_and_a_clip_is_none() {
        assert!(is_heif(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"));
        assert!(is_heif(b"\0\0\0\x18ftypavif"));
        for other in [&b"\0\0\0\x18ftypqt  "[..], b"\0\0\0\x18ftypcrx ", b"\xff\xd8\xff\xe1", b"ftypheic", b""] {
            assert!(!is_heif(other));
        }
    }
}

//! What the parsers found, as it stands in the file, before anything is decided.
//!
//! Each source (EXIF, a maker note, IPTC, XMP, a clip's header) fills its own part; `resolve` then
//! decides which one counts for each fact. Parsers therefore never overwrite each other.

use lightfast_model::{Gps, Orientation, PreviewSource, Ratio};

use crate::time::Parsed;

/// A time tag with the tags that belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeTag {
    pub(crate) text: Option<String>,
    pub(crate) fraction: Option<String>,
    pub(crate) offset: Option<String>,
}

/// EXIF's GPS directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct GpsTags {
    pub(crate) latitude: Vec<f64>,
    pub(crate) latitude_ref: Option<String>,
    pub(crate) longitude: Vec<f64>,
    pub(crate) longitude_ref: Option<String>,
    pub(crate) altitude: Option<f64>,
    pub(crate) below_sea: bool,
    pub(crate) time: Vec<f64>,
    pub(crate) date: Option<String>,
}

/// TIFF's own tags, EXIF's and GPS.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exif {
    pub(crate) make: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) lens: Option<String>,
    pub(crate) iso: Option<u32>,
    pub(crate) recommended_iso: Option<u32>,
    pub(crate) exposure: Option<Ratio>,
    pub(crate) shutter_speed: Option<f64>,
    pub(crate) aperture: Option<f64>,
    pub(crate) focal_length: Option<f64>,
    pub(crate) orientation: Option<Orientation>,
    pub(crate) original: TimeTag,
    pub(crate) digitized: TimeTag,
    pub(crate) modified: TimeTag,
    pub(crate) gps: GpsTags,
    pub(crate) artist: Option<String>,
    pub(crate) copyright: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) rating: Option<i64>,
    pub(crate) windows_title: Option<String>,
    pub(crate) windows_keywords: Option<String>,
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
}

/// What a maker note says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maker {
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) lens: Option<String>,
    pub(crate) iso: Option<u32>,
    pub(crate) iso_auto: Option<bool>,
    pub(crate) file_number: Option<u64>,
}

/// A JPEG that is said to lie somewhere; its frame header has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) source: PreviewSource,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// What its own container says of it; `None` follows the main picture.
    pub(crate) orientation: Option<Orientation>,
}

/// Everything that was found in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) exif: Exif,
    pub(crate) maker: Maker,
    pub(crate) gps: Option<Gps>,
    /// A clip's creation time.
    pub(crate) clip_time: Option<Parsed>,
    /// Pixels of the main picture as stored.
    pub(crate) stored: Option<(u32, u32)>,
    pub(crate) previews: Vec<Candidate>,
    pub(crate) problems: Vec<String>,
}

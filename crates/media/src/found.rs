//! What the parsers found, as it stands in the file, before anything is decided.
//!
//! Each source (EXIF, a maker note, IPTC, XMP, a clip's header) fills its own part; `resolve` then
//! decides which one counts for each fact. Parsers therefore never overwrite each other.

use lightfast_model::{Orientation, PreviewSource, Ratio};

use crate::maker::LensId;
use crate::xmp::Xmp;

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
    /// DNG's own serial number, beside EXIF's.
    pub(crate) dng_serial: Option<String>,
    pub(crate) lens: Option<String>,
    pub(crate) iso: Option<u32>,
    pub(crate) recommended_iso: Option<u32>,
    pub(crate) exposure: Option<Ratio>,
    /// APEX.
    pub(crate) shutter_speed: Option<f64>,
    pub(crate) aperture: Option<f64>,
    /// APEX.
    pub(crate) aperture_value: Option<f64>,
    /// APEX.
    pub(crate) max_aperture: Option<f64>,
    pub(crate) focal_length: Option<f64>,
    pub(crate) flash: Option<u16>,
    pub(crate) compensation: Option<f64>,
    pub(crate) metering: Option<u16>,
    pub(crate) program: Option<u16>,
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
    /// The picture's size as EXIF states it, which editing leaves behind.
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
}

/// What a maker's own block says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maker {
    pub(crate) make: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) lens: Option<String>,
    pub(crate) lens_id: Option<LensId>,
    /// Millimetres at the lens's short end.
    pub(crate) lens_short: Option<f64>,
    /// Millimetres at the lens's long end.
    pub(crate) lens_long: Option<f64>,
    /// F-number wide open.
    pub(crate) lens_aperture: Option<f64>,
    /// The lens in its maker's short form.
    pub(crate) lens_spec: Option<String>,
    pub(crate) iso: Option<u32>,
    pub(crate) iso_auto: Option<bool>,
    pub(crate) exposure: Option<Ratio>,
    pub(crate) aperture: Option<f64>,
    pub(crate) focal_length: Option<f64>,
    /// How many of the focal length's units make a millimetre, where that is told apart from it.
    pub(crate) focal_unit: Option<f64>,
    pub(crate) compensation: Option<f64>,
    pub(crate) orientation: Option<Orientation>,
    pub(crate) time: TimeTag,
    pub(crate) file_number: Option<u64>,
    pub(crate) shutter_count: Option<u64>,
    pub(crate) rating: Option<i64>,
    pub(crate) content_id: Option<String>,
    pub(crate) burst_id: Option<String>,
    pub(crate) size: Option<(u32, u32)>,
}

/// IPTC's record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iptc {
    pub(crate) title: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) creators: Vec<String>,
    pub(crate) copyright: Option<String>,
    pub(crate) keywords: Vec<String>,
    /// Date and time of creation, as `2009:07:12 14:03:22+02:00`.
    pub(crate) created: Option<String>,
    /// Whether a digest says that XMP is newer than this record, or could not tell.
    pub(crate) in_step: bool,
}

/// A clip's header and what phones add to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clip {
    /// Seconds since 1904.
    pub(crate) created: Option<u64>,
    /// Seconds since 1904, of the picture's track.
    pub(crate) media_created: Option<u64>,
    /// Apple's creation date: a local time with its offset.
    pub(crate) creation_date: Option<String>,
    /// User data's or iTunes' date.
    pub(crate) content_date: Option<String>,
    /// The date in a maker's XML, inside or beside the clip.
    pub(crate) sidecar_date: Option<String>,
    /// Seconds.
    pub(crate) duration: Option<f64>,
    pub(crate) frame_rate: Option<f64>,
    pub(crate) codec: Option<String>,
    /// Degrees clockwise.
    pub(crate) rotation: u16,
    pub(crate) make: Option<String>,
    pub(crate) model: Option<String>,
    /// A maker's own name of the model, where the usual one is missing.
    pub(crate) maker_model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) lens: Option<String>,
    /// ISO 6709.
    pub(crate) place: Option<String>,
    pub(crate) content_id: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) creator: Option<String>,
    pub(crate) copyright: Option<String>,
    pub(crate) rating: Option<f64>,
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
    /// Whether there is a maker's note, understood or not.
    pub(crate) has_note: bool,
    pub(crate) iptc: Option<Iptc>,
    pub(crate) xmp: Option<Xmp>,
    pub(crate) clip: Clip,
    /// Pixels of the main picture as stored.
    pub(crate) stored: Option<(u32, u32)>,
    /// How the container itself turns the picture, where it has a say.
    pub(crate) turn: Option<Orientation>,
    pub(crate) previews: Vec<Candidate>,
    /// Frames, for a roll of several.
    pub(crate) frames: Option<u32>,
    pub(crate) problems: Vec<String>,
}

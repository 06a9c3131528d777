//! What one file says of itself.

use serde::{Deserialize, Serialize};

use crate::{CaptureTime, Flag};

/// What kind of file it is, by its content and not by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A camera's RAW, of whatever maker.
    Raw,
    /// JPEG.
    Jpeg,
    /// HEIF, HEIC, HIF or AVIF.
    Heif,
    /// TIFF that is not a RAW.
    Tiff,
    /// PNG, WebP, JPEG XL and other pictures.
    Image,
    /// A moving picture.
    Video,
    /// A sound.
    Audio,
    /// A thumbnail that a camera wrote beside a clip (`.THM`), or a low-resolution proxy's picture.
    Thumbnail,
    /// XMP, AAE, XML and other companions of a photo.
    Sidecar,
    /// Anything else: copied and verified like the rest.
    #[default]
    Other,
}

/// A fraction as a file has it; the denominator is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ratio {
    /// Above the line.
    pub num: u64,
    /// Below the line.
    pub den: u64,
}

impl Ratio {
    /// As a number.
    pub fn as_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// An exposure time as photographers write it: `1/250`, `0.3`, `30` (seconds).
    pub fn exposure(self) -> String {
        let seconds = self.as_f64();
        if seconds > 0.0 && seconds < 0.25001 {
            format!("1/{}", (1.0 / seconds).round())
        } else {
            let rounded = (seconds * 10.0).round() / 10.0;
            format!("{rounded}")
        }
    }
}

/// The eight orientations of EXIF: what must be done to the stored pixels to see them upright.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Orientation(u8);

impl Orientation {
    /// As stored.
    pub const UPRIGHT: Self = Self(1);

    /// From EXIF's value; anything but 1 to 8 is `None`.
    pub fn new(value: u16) -> Option<Self> {
        (1..=8).contains(&value).then_some(Self(value as u8))
    }

    /// EXIF's value, 1 to 8 (a default-made one counts as 1).
    pub fn value(self) -> u8 {
        self.0.max(1)
    }

    /// The same, turned by so many more quarters of a circle, clockwise.
    pub fn turned(self, quarters: u8) -> Self {
        (0..quarters % 4).fold(self, |at, _| {
            let next = [6, 7, 8, 5, 2, 3, 4, 1].get(usize::from(at.value()) - 1);
            Self(next.copied().unwrap_or(1))
        })
    }

    /// Whether width and height change places.
    pub fn swaps_sides(self) -> bool {
        self.0 >= 5
    }
}

/// Where a picture was taken, in degrees; north and east are positive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gps {
    /// -90 to 90.
    pub latitude: f64,
    /// -180 to 180.
    pub longitude: f64,
    /// Metres above the sea, if known.
    pub altitude: Option<f64>,
}

/// How a preview is coded inside its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PreviewSource {
    /// A complete JPEG at `offset`, `length`.
    Jpeg,
    /// The file's main picture is the preview (a JPEG file: offset 0, the whole file).
    WholeFile,
    /// The file is a HEIF whose main picture only a decoder shows (offset 0, the whole file): never to be sent as a JPEG.
    /// `width`, `height` and `orientation` are of what the decoder gives.
    Heif,
}

/// A picture to look at that lies inside a file, complete and contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Preview {
    /// How it is coded.
    pub source: PreviewSource,
    /// First byte, from the start of the file.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Pixels across as stored, from the JPEG's own frame header.
    pub width: u32,
    /// Pixels down as stored, from the JPEG's own frame header.
    pub height: u32,
    /// What must be done to its pixels to see it upright.
    pub orientation: Orientation,
}

impl Preview {
    /// The longer side in pixels.
    pub fn long_edge(&self) -> u32 {
        self.width.max(self.height)
    }
}

/// What is known of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Video {
    /// Seconds.
    pub duration: Option<f64>,
    /// Frames a second.
    pub frame_rate: Option<f64>,
    /// The sample entry's four characters, as in the file (`avc1`, `hvc1`).
    pub codec: Option<String>,
    /// Degrees clockwise that the picture must be turned for viewing: 0, 90, 180 or 270.
    pub rotation: u16,
}

/// Everything that one file says of itself. A field that the file does not have is empty, never guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// The format's usual name: `CR2`, `JPEG`, `HEIC`, `MOV`.
    pub format: Option<&'static str>,
    /// When it was taken.
    pub taken: Option<CaptureTime>,
    /// Camera maker, as in the file.
    pub make: Option<String>,
    /// Camera model, as ExifTool's `Model` has it.
    pub model: Option<String>,
    /// Serial number of the body.
    pub serial: Option<String>,
    /// Lens name.
    pub lens: Option<String>,
    /// ISO that was used.
    pub iso: Option<u32>,
    /// Whether the camera chose the ISO; `None` where the file does not say.
    pub iso_auto: Option<bool>,
    /// Seconds.
    pub exposure: Option<Ratio>,
    /// F-number.
    pub aperture: Option<f64>,
    /// Millimetres.
    pub focal_length: Option<f64>,
    /// Pixels across, as a viewer shows it: upright.
    pub width: Option<u32>,
    /// Pixels down, as a viewer shows it: upright.
    pub height: Option<u32>,
    /// What must be done to the main picture's pixels.
    pub orientation: Orientation,
    /// The container itself tells how the picture is turned (HEIF's `irot`, `imir`), so a decoder of the format gives it
    /// upright already, and `orientation` must not be applied to what comes out of it.
    pub decoder_turns: bool,
    /// Where it was taken.
    pub gps: Option<Gps>,
    /// The time is an instant that the file gives in UTC (a clip's header), not a wall clock: the local time needs a zone,
    /// and `taken` has offset 0 until one is applied.
    pub taken_is_utc: bool,
    /// The camera's own number of the file, where a maker note has one.
    pub file_number: Option<u64>,
    /// How often the shutter had been released, where a maker note counts it.
    pub shutter_count: Option<u64>,
    /// EXIF's Flash value: bit 0 is whether it fired.
    pub flash: Option<u16>,
    /// Exposure compensation in steps.
    pub exposure_compensation: Option<f64>,
    /// EXIF's MeteringMode value: 1 average, 2 centre-weighted, 3 spot, 5 matrix, …
    pub metering: Option<u16>,
    /// EXIF's ExposureProgram value: 1 manual, 2 program, 3 aperture priority, 4 shutter priority, …
    pub program: Option<u16>,
    /// Joins the still and the clip of a Live Photo.
    pub content_id: Option<String>,
    /// Joins the frames of one burst.
    pub burst_id: Option<String>,
    /// Frames in the file, where it is a roll of several (CR3 burst rolls).
    pub frames: Option<u32>,
    /// Stars, 0 to 5, or -1 for rejected, where the file carries them.
    pub rating: Option<i8>,
    /// Colour label, as the file words it.
    pub label: Option<String>,
    /// A decision made while culling, where the file carries one beside the stars.
    pub flag: Option<Flag>,
    /// Title.
    pub title: Option<String>,
    /// Caption.
    pub caption: Option<String>,
    /// Creator.
    pub creator: Option<String>,
    /// Copyright.
    pub copyright: Option<String>,
    /// Keywords.
    pub keywords: Vec<String>,
    /// What is known of a clip.
    pub video: Option<Video>,
    /// JPEGs inside the file, largest first.
    pub previews: Vec<Preview>,
    /// Where each fact came from, by the name of its field.
    pub origins: Vec<(&'static str, Origin)>,
    /// What could not be read, one clear line each; the file is imported all the same.
    pub problems: Vec<String>,
}

/// Where in a file a fact came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// EXIF, TIFF or GPS tags.
    Exif,
    /// A camera maker's own block.
    Maker,
    /// IPTC's record, as older programs write it.
    Iptc,
    /// An XMP packet.
    Xmp,
    /// The frame of the format: a clip's header, a picture's own header.
    Container,
}

impl Facts {
    /// Where a field's value came from, if it has one.
    pub fn origin(&self, field: &str) -> Option<Origin> {
        self.origins.iter().find(|(name, _)| *name == field).map(|(_, origin)| *origin)
    }

    /// The largest preview: the camera's 1:1 where it is full size.
    pub fn largest_preview(&self) -> Option<&Preview> {
        self.previews.iter().max_by_key(|p| (p.long_edge(), p.length))
    }

    /// The smallest preview that is at least `edge` pixels on its long side; else the largest there is.
    pub fn preview_for(&self, edge: u32) -> Option<&Preview> {
        let enough = self.previews.iter().filter(|p| p.long_edge() >= edge).min_by_key(|p| (p.long_edge(), p.length));
        enough.or_else(|| self.largest_preview())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposures_read_as_photographers_write_them() {
        let shown = |num, den| Ratio { num, den }.exposure();
        assert_eq!(shown(1, 250), "1/250");
        assert_eq!(shown(10, 2500), "1/250");
        assert_eq!(shown(3, 10), "0.3");
        assert_eq!(shown(30, 1), "30");
    }

    #[test]
    fn four_quarters_are_a_whole_turn() {
        for value in 1..=8 {
            let start = Orientation::new(value).unwrap();
            assert_eq!(start.turned(4).value(), start.value());
            assert_eq!(start.turned(1).turned(3).value(), start.value());
            assert_ne!(start.turned(1).swaps_sides(), start.swaps_sides());
        }
        let turned: Vec<u8> = (0..4).map(|n| Orientation::UPRIGHT.turned(n).value()).collect();
        assert_eq!(turned, [1, 6, 3, 8]);
    }

    #[test]
    fn the_preview_is_the_smallest_that_is_large_enough() {
        let preview = |width| Preview {
            source: PreviewSource::Jpeg,
            offset: 0,
            length: 1,
            width,
            height: 10,
            orientation: Orientation::UPRIGHT,
        };
        let facts = Facts { previews: vec![preview(5616), preview(160), preview(1024)], ..Facts::default() };
        assert_eq!(facts.preview_for(512).map(|p| p.width), Some(1024));
        assert_eq!(facts.preview_for(9000).map(|p| p.width), Some(5616));
    }
}

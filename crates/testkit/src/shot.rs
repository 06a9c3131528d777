//! What is true of one made picture or clip.
//!
//! The samples and the card maker write these values into their files, and
//! tests compare what a reader finds with them. It knows no file format.

use jiff::civil::{Date, DateTime, date};
use lightfast_model::{CaptureTime, Gps, Orientation, Ratio, TimeSource};

/// What a made file says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Pixels across, as stored.
    pub width: u32,
    /// Pixels down, as stored.
    pub height: u32,
    /// What must be done to the stored pixels to see them upright.
    pub orientation: Orientation,
    /// When it was taken.
    pub taken: CaptureTime,
    /// Camera maker.
    pub make: String,
    /// Camera model.
    pub model: String,
    /// Serial number of the body, digits.
    pub serial: String,
    /// Lens name.
    pub lens: String,
    /// ISO that was used.
    pub iso: u32,
    /// Whether the camera chose the ISO (only Canon's maker note can say so).
    pub iso_auto: bool,
    /// Seconds.
    pub exposure: Ratio,
    /// F-number.
    pub aperture: Ratio,
    /// Millimetres.
    pub focal_length: Ratio,
    /// Where it was taken.
    pub gps: Option<Gps>,
    /// The camera's own number of the file: folder times 10,000 plus number (only Canon's maker note has it).
    pub file_number: Option<u64>,
    /// Creator.
    pub creator: String,
    /// Copyright.
    pub copyright: String,
    /// What the picture looks like.
    pub seed: u64,
}

impl Default for Shot {
    fn default() -> Self {
        let day: Date = date(2009, 7, 12);
        Self {
            width: 240,
            height: 160,
            orientation: Orientation::UPRIGHT,
            taken: exif_time(day.at(14, 3, 22, 450_000_000)),
            make: "Canon".to_owned(),
            model: "Canon EOS 5D Mark II".to_owned(),
            serial: "0520101234".to_owned(),
            lens: "EF24-105mm f/4L IS USM".to_owned(),
            iso: 400,
            iso_auto: false,
            exposure: Ratio { num: 1, den: 250 },
            aperture: Ratio { num: 56, den: 10 },
            focal_length: Ratio { num: 50, den: 1 },
            gps: None,
            file_number: None,
            creator: String::new(),
            copyright: String::new(),
            seed: 1,
        }
    }
}

impl Shot {
    /// A picture of another size.
    pub fn sized(width: u32, height: u32) -> Self {
        Self { width, height, ..Self::default() }
    }

    /// The same, taken at another moment (hundredths of a second are kept).
    pub fn taken_at(self, local: DateTime) -> Self {
        Self { taken: exif_time(local), ..self }
    }

    /// The same with another EXIF orientation, 1 to 8; any other value counts as 1.
    pub fn oriented(self, value: u16) -> Self {
        Self { orientation: Orientation::new(value).unwrap_or_default(), ..self }
    }

    /// The same with another picture in it.
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

/// A capture time as a 5D Mark II writes it: hundredths of a second, no offset.
pub(crate) fn exif_time(local: DateTime) -> CaptureTime {
    CaptureTime { local, fraction_digits: 2, utc_offset: None, from: TimeSource::Exif }
}

//! When a picture was taken: a local time with, if known, its offset. Never silently UTC.

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

/// Where a capture time came from, most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeSource {
    /// EXIF in the file itself (or in the RAW's own directories).
    Exif,
    /// A QuickTime or MP4 header, or Apple's creation date in it.
    Quicktime,
    /// Another file of the same photo: M01.XML, THM.
    Sidecar,
    /// An XMP packet or sidecar.
    Xmp,
    /// The file's name.
    Name,
    /// The file's modification time: a guess, and shown as one.
    File,
}

impl TimeSource {
    /// The word used in JSON and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exif => "exif",
            Self::Quicktime => "quicktime",
            Self::Sidecar => "sidecar",
            Self::Xmp => "xmp",
            Self::Name => "name",
            Self::File => "file",
        }
    }

    /// The inverse of [`TimeSource::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Exif, Self::Quicktime, Self::Sidecar, Self::Xmp, Self::Name, Self::File]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// A capture time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaptureTime {
    /// The wall clock where the picture was taken, with the fraction of a second if the file has one.
    pub local: DateTime,
    /// How many decimal digits of the fraction the file gave (0 to 9), so that `.50` is not shown as `.5`.
    pub fraction_digits: u8,
    /// Seconds east of UTC, if known.
    pub utc_offset: Option<i32>,
    /// Where it came from.
    pub from: TimeSource,
}

impl CaptureTime {
    /// `2009-07-12T14:03:22.45`: the local time, with the digits that the file gave.
    pub fn taken(&self) -> String {
        let seconds = self.local.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        if self.fraction_digits == 0 {
            return seconds;
        }
        let nanos = format!("{:09}", self.local.subsec_nanosecond());
        let digits = usize::from(self.fraction_digits.min(9));
        format!("{seconds}.{}", nanos.get(..digits).unwrap_or(""))
    }

    /// `+02:00`, where the offset is known.
    pub fn offset(&self) -> Option<String> {
        self.utc_offset.map(|seconds| {
            let sign = if seconds < 0 { '-' } else { '+' };
            let minutes = seconds.unsigned_abs() / 60;
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_digits_the_file_gave() {
        let mut time = CaptureTime {
            local: jiff::civil::date(2009, 7, 12).at(14, 3, 22, 450_000_000),
            fraction_digits: 2,
            utc_offset: Some(-(3 * 3600 + 30 * 60)),
            from: TimeSource::Exif,
        };
        assert_eq!(time.taken(), "2009-07-12T14:03:22.45");
        assert_eq!(time.offset().as_deref(), Some("-03:30"));
        time.fraction_digits = 0;
        assert_eq!(time.taken(), "2009-07-12T14:03:22");
    }
}

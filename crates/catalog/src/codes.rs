//! The numbers that small sets of words have in the catalogue. They are part of the stored format: a number
//! is never given to another word.

use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use lightfast_model::{
    CaptureTime, ContentHash, Flag, Kind, Label, PhotoKind, PreviewSource, Role, TimeSource, Verified,
};

use crate::{CatalogError, Result};

/// A set of words with numbers.
pub(crate) trait Code: Copy + Eq + 'static {
    const WHAT: &'static str;
    const TABLE: &'static [(Self, i64)];

    fn code(self) -> i64 {
        Self::TABLE.iter().find(|(word, _)| *word == self).map_or(-1, |(_, code)| *code)
    }

    fn from_code(code: i64) -> Result<Self> {
        let found = Self::TABLE.iter().find(|(_, c)| *c == code).map(|(word, _)| *word);
        found.ok_or_else(|| CatalogError::Value { what: Self::WHAT, value: code.to_string() })
    }
}

/// The lower the number, the more it decides what its photo is.
impl Code for Role {
    const WHAT: &'static str = "role";
    const TABLE: &'static [(Self, i64)] = &[
        (Self::Raw, 0),
        (Self::Heif, 1),
        (Self::Jpeg, 2),
        (Self::Tiff, 3),
        (Self::Video, 4),
        (Self::Other, 5),
        (Self::Audio, 6),
        (Self::Thumbnail, 7),
        (Self::Sidecar, 8),
    ];
}

impl Code for Kind {
    const WHAT: &'static str = "kind of file";
    const TABLE: &'static [(Self, i64)] = &[
        (Self::Raw, 0),
        (Self::Jpeg, 1),
        (Self::Heif, 2),
        (Self::Tiff, 3),
        (Self::Image, 4),
        (Self::Video, 5),
        (Self::Audio, 6),
        (Self::Thumbnail, 7),
        (Self::Sidecar, 8),
        (Self::Other, 9),
    ];
}

impl Code for PhotoKind {
    const WHAT: &'static str = "kind of photo";
    const TABLE: &'static [(Self, i64)] = &[(Self::Photo, 0), (Self::Video, 1)];
}

/// Most trusted first.
impl Code for TimeSource {
    const WHAT: &'static str = "source of a time";
    const TABLE: &'static [(Self, i64)] =
        &[(Self::Exif, 0), (Self::Quicktime, 1), (Self::Sidecar, 2), (Self::Xmp, 3), (Self::Name, 4), (Self::File, 5)];
}

/// Weakest first.
impl Code for Verified {
    const WHAT: &'static str = "proof";
    const TABLE: &'static [(Self, i64)] = &[(Self::Stream, 0), (Self::Reread, 1), (Self::Cold, 2), (Self::Twice, 3)];
}

impl Code for Flag {
    const WHAT: &'static str = "flag";
    const TABLE: &'static [(Self, i64)] = &[(Self::Pick, 1), (Self::Reject, 2)];
}

impl Code for Label {
    const WHAT: &'static str = "label";
    const TABLE: &'static [(Self, i64)] =
        &[(Self::Red, 1), (Self::Yellow, 2), (Self::Green, 3), (Self::Blue, 4), (Self::Purple, 5)];
}

impl Code for PreviewSource {
    const WHAT: &'static str = "kind of preview";
    const TABLE: &'static [(Self, i64)] = &[(Self::Jpeg, 0), (Self::WholeFile, 1), (Self::Heif, 2)];
}

/// State of an intent; 0 is intended.
pub(crate) mod intent_state {
    pub(crate) const VERIFIED: i64 = 1;
    pub(crate) const FAILED: i64 = 2;
    pub(crate) const DUPLICATE: i64 = 3;
    pub(crate) const ABANDONED: i64 = 4;
}

/// State of a copy.
pub(crate) mod copy_state {
    pub(crate) const PRESENT: i64 = 0;
    pub(crate) const VANISHED: i64 = 1;
    pub(crate) const TRASH: i64 = 2;
    pub(crate) const CHANGED: i64 = 3;
    pub(crate) const UNREADABLE: i64 = 4;
}

/// Kinds of repeated names.
pub(crate) mod term {
    pub(crate) const CAMERA: i64 = 0;
    pub(crate) const MAKE: i64 = 1;
    pub(crate) const SERIAL: i64 = 2;
    pub(crate) const LENS: i64 = 3;
    pub(crate) const JOB: i64 = 4;
}

/// Microseconds of a wall clock since 1970-01-01T00:00:00 of the same clock.
pub(crate) fn civil_micros(time: DateTime) -> i64 {
    let days = date(1970, 1, 1).until(time.date()).map_or(0, |span| i64::from(span.get_days()));
    let in_day = (i64::from(time.hour()) * 60 + i64::from(time.minute())) * 60 + i64::from(time.second());
    (days * 86_400 + in_day) * 1_000_000 + i64::from(time.subsec_nanosecond() / 1_000)
}

/// The inverse of [`civil_micros`], with the nanoseconds below a microsecond.
pub(crate) fn civil_from_micros(micros: i64, nanos: i64) -> Result<DateTime> {
    let wrong = || CatalogError::Value { what: "capture time", value: micros.to_string() };
    let days = i32::try_from(micros.div_euclid(86_400_000_000)).map_err(|_| wrong())?;
    let in_day = micros.rem_euclid(86_400_000_000);
    let day =
        date(1970, 1, 1).checked_add(jiff::Span::new().try_days(days).map_err(|_| wrong())?).map_err(|_| wrong())?;
    let seconds = in_day / 1_000_000;
    let subsec = (in_day % 1_000_000) * 1_000 + nanos.clamp(0, 999);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Ok(day.at(hour as i8, minute as i8, second as i8, subsec as i32))
}

/// A capture time from its columns.
pub(crate) fn capture_time(
    micros: i64,
    nanos: i64,
    digits: i64,
    from: i64,
    utc_offset: Option<i32>,
) -> Result<CaptureTime> {
    Ok(CaptureTime {
        local: civil_from_micros(micros, nanos)?,
        fraction_digits: digits.clamp(0, 9) as u8,
        utc_offset,
        from: TimeSource::from_code(from)?,
    })
}

/// An instant as stored.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// An instant from what is stored.
pub(crate) fn timestamp(micros: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| CatalogError::Value { what: "time", value: micros.to_string() })
}

/// A content hash from its column.
pub(crate) fn content_hash(bytes: &[u8]) -> Result<ContentHash> {
    let array = bytes.try_into();
    array.map(ContentHash).map_err(|_| CatalogError::Value { what: "hash", value: format!("{} bytes", bytes.len()) })
}

/// A size for a column; sizes above 8 EiB do not exist.
pub(crate) fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A size from its column.
pub(crate) fn bytes(size: i64) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_one_number() {
        for role in Role::ALL {
            assert_eq!(Role::from_code(role.code()).unwrap(), role);
        }
        assert!(Role::from_code(99).is_err());
    }

    #[test]
    fn wall_clocks_round_trip_before_and_after_1970() {
        for time in [
            date(2009, 7, 12).at(14, 3, 22, 450_000_001),
            date(1969, 12, 31).at(23, 59, 59, 999_999_999),
            date(1, 1, 1).at(0, 0, 0, 0),
            date(9999, 12, 31).at(23, 59, 59, 1),
        ] {
            let nanos = i64::from(time.subsec_nanosecond() % 1000);
            assert_eq!(civil_from_micros(civil_micros(time), nanos).unwrap(), time);
        }
    }
}

//! Times as files write them, and as names of files have them.
//!
//! An impossible value (hour 24, month 0, year 0000, 1904 or 2050, blanks, NULs) is missing as a
//! whole; no part of it is ever used, and nothing is clamped. A time without an offset stays a
//! local time: it is never taken for UTC.

use std::ffi::OsStr;

use jiff::civil::DateTime;
use lightfast_model::{CaptureTime, TimeSource};

/// A local time with the digits of its fraction, and the offset if the text had one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) local: DateTime,
    pub(crate) fraction_digits: u8,
    pub(crate) utc_offset: Option<i32>,
}

impl Parsed {
    pub(crate) fn from(self, from: TimeSource) -> CaptureTime {
        CaptureTime { local: self.local, fraction_digits: self.fraction_digits, utc_offset: self.utc_offset, from }
    }
}

/// A civil time, if each part is possible and the whole is one at which a picture can have been taken.
///
/// Years end at 2049, as clocks gone wild show later ones, and begin with photography itself;
/// the first day of 1904 and the first second of 1970 are clocks that were never set.
pub(crate) fn civil(year: i16, month: i8, day: i8, hour: i8, minute: i8, second: i8) -> Option<DateTime> {
    let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let unset = (year, month, day) == (1904, 1, 1) || time == jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    ((1826..=2049).contains(&year) && !unset).then_some(time)
}

/// Reads `2009:07:12 14:03:22`, the same with `-`, `/` or `T`, and what may follow: a fraction, `Z`, `+02:00`.
pub(crate) fn parse(text: &str) -> Option<Parsed> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let mut rest = text;
    let year = number(&mut rest, 4, &[':', '-', '/', '.'])?;
    let month = number(&mut rest, 2, &[':', '-', '/', '.'])?;
    let day = number(&mut rest, 2, &[' ', 'T', ':'])?;
    let hour = number(&mut rest, 2, &[':', '.'])?;
    let minute = number(&mut rest, 2, &[':', '.'])?;
    let second = number(&mut rest, 2, &[])?;
    let time = civil(year, month as i8, day as i8, hour as i8, minute as i8, second as i8)?;
    let mut parsed = Parsed { local: time, fraction_digits: 0, utc_offset: None };
    if let Some(after) = rest.strip_prefix(['.', ',']) {
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        parsed = with_fraction(parsed, after.get(..digits)?);
        rest = after.get(digits..)?;
    }
    parsed.utc_offset = offset(rest.trim_start());
    Some(parsed)
}

/// Takes one number of at most `digits` digits (blanks may pad it) and the separator after it.
fn number(rest: &mut &str, digits: usize, separators: &[char]) -> Option<i16> {
    let text = rest.trim_start();
    let len = text.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    let value = text.get(..len)?.parse().ok()?;
    let after = text.get(len..)?;
    *rest = if separators.is_empty() { after } else { after.strip_prefix(separators)? };
    Some(value)
}

/// Adds the digits after the decimal point; anything but digits adds nothing.
pub(crate) fn with_fraction(parsed: Parsed, digits: &str) -> Parsed {
    let digits = digits.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let digits = digits.get(..digits.len().min(9)).unwrap_or("");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return parsed;
    }
    let Ok(nanos) = format!("{digits:0<9}").parse::<i32>() else { return parsed };
    let Ok(local) = parsed.local.with().subsec_nanosecond(nanos).build() else { return parsed };
    Parsed { local, fraction_digits: digits.len() as u8, ..parsed }
}

/// `Z`, `+02:00`, `-0330`, `+9`: seconds east of UTC, up to 14 hours.
pub(crate) fn offset(text: &str) -> Option<i32> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes.get(..2)?),
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let all_digits = |part: &str| !part.is_empty() && part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(hours) || !all_digits(minutes) {
        return None;
    }
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    let total = hours * 3600 + minutes * 60;
    (minutes < 60 && total <= 14 * 3600).then_some(sign * total)
}

/// A time that a phone or camera put into the name: `20230401_120000.jpg`, `IMG_20200609_063000.mp4`, `PXL_…`, `VID_…`,
/// `2023-04-01 12.00.00.jpg`. Digits that merely look like a date in a longer number do not count.
pub fn time_from_name(name: &OsStr) -> Option<CaptureTime> {
    let name = name.to_string_lossy();
    let digits: Vec<(usize, &str)> = runs(&name);
    digits.iter().enumerate().find_map(|(i, _)| from_runs(&name, digits.get(i..)?))
}

/// Runs of digits with their places.
fn runs(name: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in name.char_indices().chain([(name.len(), ' ')]) {
        match (c.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.extend(name.get(from..at).map(|run| (from, run)));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A date and a time at the front of these runs, in one of the shapes that names have.
fn from_runs(name: &str, runs: &[(usize, &str)]) -> Option<CaptureTime> {
    let part = |i: usize| runs.get(i).map(|&(_, run)| run);
    let lengths: Vec<usize> = runs.iter().take(6).map(|(_, run)| run.len()).collect();
    let gap_is = |i: usize, allowed: &[&str]| {
        let Some((&(a, first), &(b, _))) = runs.get(i).zip(runs.get(i + 1)) else { return false };
        name.get(a + first.len()..b).is_some_and(|gap| allowed.contains(&gap))
    };
    let between = ["_", "-", " ", "T", "at ", " at "];
    let text = match lengths.as_slice() {
        [8, 6, ..] if gap_is(0, &between) => format!("{}{}", part(0)?, part(1)?),
        // PXL_20230401_120000123: the milliseconds follow at once.
        [8, 9, ..] if gap_is(0, &between) => format!("{}{}", part(0)?, part(1)?),
        [14 | 17, ..] => part(0)?.to_owned(),
        [4, 2, 2, 2, 2, 2]
            if (0..2).all(|i| gap_is(i, &["-", "_", "."])) && (3..5).all(|i| gap_is(i, &["-", "_", ".", ":"])) =>
        {
            (0..6).map(part).collect::<Option<String>>()?
        }
        [4, 2, 2, 6, ..] if (0..2).all(|i| gap_is(i, &["-", "_", "."])) => {
            (0..4).map(part).collect::<Option<String>>()?
        }
        _ => return None,
    };
    let field = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    let time = civil(
        field(0, 4)?,
        field(4, 6)? as i8,
        field(6, 8)? as i8,
        field(8, 10)? as i8,
        field(10, 12)? as i8,
        field(12, 14)? as i8,
    )?;
    let parsed = Parsed { local: time, fraction_digits: 0, utc_offset: None };
    let parsed = with_fraction(parsed, text.get(14..).unwrap_or(""));
    // Names are young: phones that write them are, too.
    (parsed.local.year() >= 1990).then(|| parsed.from(TimeSource::Name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        parse(text).map(|p| p.from(TimeSource::Exif)).map(|t| t.taken() + &t.offset().unwrap_or_default())
    }

    fn named(name: &str) -> Option<String> {
        time_from_name(OsStr::new(name)).map(|t| t.taken())
    }

    #[test]
    fn times_as_cameras_write_them() {
        assert_eq!(shown("2009:07:12 14:03:22").as_deref(), Some("2009-07-12T14:03:22"));
        assert_eq!(shown("2009:07:12 14:03:22\0").as_deref(), Some("2009-07-12T14:03:22"));
        assert_eq!(shown("2009-07-12T14:03:22.450+02:00").as_deref(), Some("2009-07-12T14:03:22.450+02:00"));
        assert_eq!(shown("2009:07:12 14:03:22Z").as_deref(), Some("2009-07-12T14:03:22+00:00"));
        assert_eq!(shown("2009/07/12 14:03:22-0330").as_deref(), Some("2009-07-12T14:03:22-03:30"));
    }

    #[test]
    fn impossible_times_are_missing_whole() {
        for text in [
            "2018:10:13 24:24:27",
            "0000:00:00 00:00:00",
            "    :  :     :  :  ",
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            "2050:12:31 10:00:00",
            "1904:01:01 00:00:00",
            "1970:01:01 00:00:00",
            "171546:07:25 10:00:00",
            "2018:02:30 10:00:00",
            "2018:10:13 10:60:00",
            "2018:10:13",
            "0-0-0",
            "",
        ] {
            assert_eq!(shown(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_offset_that_cannot_be_is_missing() {
        assert_eq!(offset("+05:45"), Some(20_700));
        assert_eq!(offset("-9"), Some(-32_400));
        for text in ["+25:00", "+05:99", "", "  :  ", "5:45", "+ab:cd", "+é0:00"] {
            assert_eq!(offset(text), None, "{text:?}");
        }
    }

    #[test]
    fn times_in_names() {
        assert_eq!(named("20230401_120000.jpg").as_deref(), Some("2023-04-01T12:00:00"));
        assert_eq!(named("IMG_20200609_063000.mp4").as_deref(), Some("2020-06-09T06:30:00"));
        assert_eq!(named("PXL_20230401_120000123.jpg").as_deref(), Some("2023-04-01T12:00:00.123"));
        assert_eq!(named("VID_20230401_120000_2.mp4").as_deref(), Some("2023-04-01T12:00:00"));
        assert_eq!(named("2023-04-01 12.00.00.jpg").as_deref(), Some("2023-04-01T12:00:00"));
        assert_eq!(named("Screenshot_2023-04-01-12-00-00.png").as_deref(), Some("2023-04-01T12:00:00"));
        assert_eq!(named("DJI_20230401120000_0001_D.MP4").as_deref(), Some("2023-04-01T12:00:00"));
        for name in
            ["IMG_0001.CR2", "20230401_250000.jpg", "99999999_999999.jpg", "DSC02023.ARW", "1234567890123456.jpg"]
        {
            assert_eq!(named(name), None, "{name}");
        }
    }
}

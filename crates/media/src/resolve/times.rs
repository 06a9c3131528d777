//! When it was taken: the most trusted time that is possible at all.
//!
//! EXIF with its offset or with GPS time beside it, EXIF alone (which stays local), a maker's block, Apple's creation date,
//! a maker's XML, the clip's header (UTC by the specification, local for the makes of `data/clip_clocks.tsv`), XMP and IPTC.

use jiff::civil::DateTime;
use lightfast_model::{CaptureTime, Origin, TimeSource};

use crate::found::{Exif, Found, TimeTag};
use crate::time::{self, Parsed};

/// Seconds from 1904 to 1970.
const MAC_TO_UNIX: i64 = 2_082_844_800;

/// A capture time, where it came from, and whether it is an instant rather than a wall clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) time: CaptureTime,
    pub(super) origin: Origin,
    pub(super) is_utc: bool,
}

pub(super) fn taken(found: &Found) -> Option<Taken> {
    let plain = |time: Parsed, from, origin| Taken { time: time.from(from), origin, is_utc: false };
    let exif = &found.exif;
    let clip = &found.clip;
    if let Some(time) = tag_time(&exif.original).or_else(|| tag_time(&exif.digitized)) {
        return Some(plain(with_gps_offset(time, exif), TimeSource::Exif, Origin::Exif));
    }
    if let Some(time) = tag_time(&found.maker.time) {
        return Some(plain(time, TimeSource::Exif, Origin::Maker));
    }
    let dated = |text: &Option<String>| text.as_deref().and_then(time::parse);
    if let Some(time) = dated(&clip.creation_date) {
        return Some(plain(time, TimeSource::Quicktime, Origin::Container));
    }
    if let Some(time) = dated(&clip.sidecar_date) {
        return Some(plain(time, TimeSource::Sidecar, Origin::Container));
    }
    if let Some(time) = dated(&clip.content_date).filter(|time| time.utc_offset.is_some()) {
        return Some(plain(time, TimeSource::Quicktime, Origin::Container));
    }
    if let Some(time) = clip.created.or(clip.media_created).and_then(from_1904) {
        let local = crate::clip_clock::is_local(found);
        let offset = if local { None } else { Some(0) };
        let time = Parsed { local: time, fraction_digits: 0, utc_offset: offset };
        return Some(Taken { time: time.from(TimeSource::Quicktime), origin: Origin::Container, is_utc: !local });
    }
    if let Some(time) = dated(&clip.content_date) {
        return Some(plain(time, TimeSource::Quicktime, Origin::Container));
    }
    if let Some(taken) = found.xmp.as_ref().and_then(|xmp| xmp.taken) {
        return Some(Taken { time: taken, origin: Origin::Xmp, is_utc: false });
    }
    let created = found.iptc.as_ref().and_then(|iptc| dated(&iptc.created));
    created.map(|time| plain(time, TimeSource::Xmp, Origin::Iptc))
}

fn tag_time(tag: &TimeTag) -> Option<Parsed> {
    let mut parsed = time::parse(tag.text.as_deref()?)?;
    if let Some(fraction) = &tag.fraction {
        parsed = time::with_fraction(parsed, fraction);
    }
    if let Some(offset) = tag.offset.as_deref().and_then(time::offset) {
        parsed.utc_offset = Some(offset);
    }
    Some(parsed)
}

/// A clip's time from its header. Some cameras count from 1970; no camera is older than that.
fn from_1904(seconds: u64) -> Option<DateTime> {
    let seconds = i64::try_from(seconds).ok()?;
    let unix = if seconds >= MAC_TO_UNIX { seconds - MAC_TO_UNIX } else { seconds };
    let time = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::from_second(unix).ok()?);
    time::civil(time.year(), time.month(), time.day(), time.hour(), time.minute(), time.second())
}

/// The offset that GPS time tells: the whole half hours (or the three zones with 45 minutes) between it and the wall clock,
/// if they fit to within a minute. A fix that is older than that says nothing.
fn with_gps_offset(time: Parsed, exif: &Exif) -> Parsed {
    if time.utc_offset.is_some() {
        return time;
    }
    let offset = gps_time(exif).and_then(|utc| {
        let difference = time.local.duration_since(utc).as_secs();
        let quarters = (difference as f64 / 900.0).round() as i64;
        let fits = (difference - quarters * 900).abs() <= 60 && (-12 * 4..=14 * 4).contains(&quarters);
        let real = quarters % 2 == 0 || matches!(quarters, 23 | 35 | 51);
        (fits && real).then_some((quarters * 900) as i32)
    });
    Parsed { utc_offset: offset, ..time }
}

fn gps_time(exif: &Exif) -> Option<DateTime> {
    let [hour, minute, second] = exif.gps.time.as_slice() else { return None };
    let date = exif.gps.date.as_deref()?;
    if !(0.0..24.0).contains(hour) || !(0.0..60.0).contains(minute) || !(0.0..60.0).contains(second) {
        return None;
    }
    // Some write fractions of minutes.
    let seconds = hour * 3600.0 + minute * 60.0 + second;
    let seconds = seconds as i64;
    time::parse(&format!("{} {:02}:{:02}:{:02}", date.trim(), seconds / 3600, seconds / 60 % 60, seconds % 60))
        .map(|p| p.local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Clip, GpsTags};

    fn shown(found: &Found) -> Option<(String, Option<String>, bool)> {
        taken(found).map(|t| (t.time.taken(), t.time.offset(), t.is_utc))
    }

    fn exif(text: &str) -> Found {
        let original = TimeTag { text: Some(text.to_owned()), ..TimeTag::default() };
        Found { exif: Exif { original, ..Exif::default() }, ..Found::default() }
    }

    #[test]
    fn exif_without_an_offset_stays_local() {
        assert_eq!(shown(&exif("2009:07:12 14:03:22")), Some(("2009-07-12T14:03:22".to_owned(), None, false)));
    }

    #[test]
    fn gps_time_gives_the_offset_only_where_it_fits() {
        let with = |time: [f64; 3], date: &str| {
            let mut found = exif("2009:07:12 14:03:22");
            found.exif.gps = GpsTags { time: time.to_vec(), date: Some(date.to_owned()), ..GpsTags::default() };
            shown(&found).and_then(|(_, offset, _)| offset)
        };
        assert_eq!(with([12.0, 3.0, 10.0], "2009:07:12").as_deref(), Some("+02:00"));
        assert_eq!(with([8.0, 18.0, 10.0], "2009:07:12").as_deref(), Some("+05:45"));
        assert_eq!(with([22.0, 3.0, 20.0], "2009:07:12").as_deref(), Some("-08:00"));
        assert_eq!(with([12.0, 7.0, 10.0], "2009:07:12"), None, "an old fix");
        assert_eq!(with([12.0, 3.0, 10.0], "2009:07:11"), None, "another day");
        assert_eq!(with([25.0, 3.0, 10.0], "2009:07:12"), None);
    }

    #[test]
    fn a_clip_header_is_utc_and_says_so() {
        let clip = |created| Found { clip: Clip { created: Some(created), ..Clip::default() }, ..Found::default() };
        assert_eq!(
            shown(&clip(3_674_529_000)),
            Some(("2020-06-09T06:30:00".to_owned(), Some("+00:00".to_owned()), true))
        );
        assert_eq!(
            shown(&clip(1_591_684_200)).map(|t| t.0).as_deref(),
            Some("2020-06-09T06:30:00"),
            "counted from 1970"
        );
        for impossible in [0, 5_413_046_400_000, u64::MAX, MAC_TO_UNIX as u64] {
            assert_eq!(shown(&clip(impossible)), None, "{impossible}");
        }
    }

    #[test]
    fn apples_date_counts_before_the_header() {
        let clip = Clip {
            created: Some(3_674_529_000),
            creation_date: Some("2020-06-08T23:30:00-0700".to_owned()),
            ..Clip::default()
        };
        let found = Found { clip, ..Found::default() };
        assert_eq!(shown(&found), Some(("2020-06-08T23:30:00".to_owned(), Some("-07:00".to_owned()), false)));
    }

    #[test]
    fn an_impossible_original_gives_way_to_the_digitised() {
        let mut found = exif("0000:00:00 00:00:00");
        found.exif.digitized.text = Some("2009:07:12 14:03:22".to_owned());
        assert_eq!(shown(&found).map(|t| t.0).as_deref(), Some("2009-07-12T14:03:22"));
    }
}

//! What a person says about photos on the way in, put into the facts before anything is named or catalogued: corrections
//! of the camera's clock, the zone it was set to, keywords, creator, copyright.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lightfast_model::{CaptureTime, Facts};
use serde::{Deserialize, Serialize};

use super::look::facts_of;
use super::{PlannedSource, taken_guess};
use crate::error::{At, StartError, Step};
use crate::options::Options;
use crate::sys;

/// A correction of a camera's clock: `5D=+01:00`, or `5D=IMG_0001.CR2@2009-07-12T14:03:22`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClockCorrection {
    /// The camera: its serial number, or part of its model's name.
    pub camera: String,
    /// How far its clock was off.
    pub by: ClockBy,
    text: String,
}

/// How far a clock was off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockBy {
    /// Seconds to be added to its times.
    Seconds(i64),
    /// A picture of a clock that is right, and what that clock shows; without a date, the picture's own day.
    Picture {
        /// The picture's name, or the end of its path on the card.
        picture: String,
        /// The date that is right, if it was given.
        date: Option<jiff::civil::Date>,
        /// The time of day that is right.
        time: Time,
    },
}

/// Why a text is no correction of a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no correction of a clock: write CAMERA=+HH:MM, CAMERA=-HH:MM:SS or CAMERA=PHOTO@TIME")]
pub struct ClockError {
    /// As it was given.
    pub text: String,
}

impl std::str::FromStr for ClockCorrection {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        let wrong = || ClockError { text: text.to_owned() };
        let (camera, by) = text.rsplit_once('=').ok_or_else(wrong)?;
        let by = match by.rsplit_once('@') {
            Some((picture, time)) if !picture.trim().is_empty() => {
                // A time of day is also read from a whole moment, so that one is tried first.
                let (date, time) = match (time.parse::<DateTime>(), time.parse::<Time>()) {
                    (Ok(moment), _) => (Some(moment.date()), moment.time()),
                    (_, Ok(time)) => (None, time),
                    _ => return Err(wrong()),
                };
                ClockBy::Picture { picture: picture.trim().to_owned(), date, time }
            }
            Some(_) => return Err(wrong()),
            None => ClockBy::Seconds(seconds(by).ok_or_else(wrong)?),
        };
        let camera = camera.trim().to_owned();
        if camera.is_empty() {
            return Err(wrong());
        }
        Ok(Self { camera, by, text: text.to_owned() })
    }
}

impl TryFrom<String> for ClockCorrection {
    type Error = ClockError;

    fn try_from(text: String) -> Result<Self, ClockError> {
        text.parse()
    }
}

impl From<ClockCorrection> for String {
    fn from(clock: ClockCorrection) -> Self {
        clock.text
    }
}

/// `+01:00`, `-00:00:07`, with a sign always.
fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-" | "−", digits) => (-1, digits),
        _ => return None,
    };
    let parts: Option<Vec<i64>> = digits
        .split(':')
        .map(|part| {
            let fits = (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
            fits.then(|| part.parse().ok()).flatten()
        })
        .collect();
    let (hours, minutes, seconds) = match parts?.as_slice() {
        [hours, minutes] => (*hours, *minutes, 0),
        [hours, minutes, seconds] => (*hours, *minutes, *seconds),
        _ => return None,
    };
    (minutes < 60 && seconds < 60).then_some(sign * ((hours * 60 + minutes) * 60 + seconds))
}

/// What is put into the facts of every file of an import.
pub(crate) struct Amendments<'a> {
    options: &'a Options,
    /// The person's zone: what an instant in UTC is a local time in, where no other is given.
    home: &'a TimeZone,
    /// Cameras, the seconds to add, and whether a file of that camera was seen.
    clocks: Vec<(String, i64, AtomicBool)>,
}

impl<'a> Amendments<'a> {
    /// Looks at the pictures of clocks, where there are any.
    pub(crate) fn new(options: &'a Options, home: &'a TimeZone, sources: &[PlannedSource]) -> Result<Self, StartError> {
        let mut this = Self { options, home, clocks: Vec::new() };
        for clock in &options.clocks {
            let by = match &clock.by {
                ClockBy::Seconds(seconds) => *seconds,
                ClockBy::Picture { picture, date, time } => {
                    let taken = this.taken_of(picture, sources)?;
                    let right = date.unwrap_or(taken.local.date()).to_datetime(*time);
                    let shown = taken.local.with().subsec_nanosecond(0).build().unwrap_or(taken.local);
                    right.duration_since(shown).as_secs()
                }
            };
            this.clocks.push((clock.camera.to_lowercase(), by, AtomicBool::new(false)));
        }
        Ok(this)
    }

    /// The zone in which times without one are read.
    pub(crate) fn zone(&self) -> &'a TimeZone {
        self.options.zone.as_ref().unwrap_or(self.home)
    }

    /// When a picture of a clock was taken, by the clock that is wrong.
    fn taken_of(&self, picture: &str, sources: &[PlannedSource]) -> Result<CaptureTime, StartError> {
        let all = sources.iter().flat_map(|source| source.listing.files.iter().map(move |file| (source, file)));
        let is_meant = |path: &Path| {
            path.ends_with(picture) || path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(picture))
        };
        let mut found = all.filter(|(_, file)| file.junk.is_none() && is_meant(file.path.as_path()));
        let wrong = |reason: &'static str| StartError::ClockPicture { picture: picture.to_owned(), reason };
        let (source, file) = found.next().ok_or_else(|| wrong("is not on the card"))?;
        if found.next().is_some() {
            return Err(wrong("is there more than once; give its path on the card"));
        }
        let path = source.card.source.join(file.path.as_path());
        let (open, _) = sys::open_source(&path, false).at(Step::Open, &path)?;
        let name = file.path.as_path().file_name().unwrap_or_default();
        let mut facts = facts_of(&open, file.size, name);
        facts_in_zone(&mut facts, self.zone());
        facts.taken.ok_or_else(|| wrong("does not say when it was taken"))
    }

    /// Puts everything into the facts of one file.
    pub(crate) fn apply(&self, facts: &mut Facts) {
        facts_in_zone(facts, self.zone());
        for (camera, seconds, seen) in &self.clocks {
            if is_camera(camera, facts) {
                seen.store(true, Ordering::Relaxed);
                if let Some(taken) = &mut facts.taken {
                    taken.local = taken.local.saturating_add(SignedDuration::from_secs(*seconds));
                }
                break;
            }
        }
        if let (Some(zone), Some(taken)) = (&self.options.zone, &mut facts.taken)
            && taken.utc_offset.is_none()
        {
            taken.utc_offset = zone.to_timestamp(taken.local).ok().map(|instant| zone.to_offset(instant).seconds());
        }
        self.words(facts);
    }

    /// The time of a file that says none itself.
    pub(crate) fn guess(&self, name: &std::ffi::OsStr, mtime_ns: i64) -> CaptureTime {
        taken_guess(name, mtime_ns, self.zone())
    }

    fn words(&self, facts: &mut Facts) {
        let Options { keywords, creator, copyright, .. } = self.options;
        for keyword in keywords {
            if !facts.keywords.iter().any(|known| known.to_lowercase() == keyword.to_lowercase()) {
                facts.keywords.push(keyword.clone());
            }
        }
        if creator.is_some() {
            facts.creator.clone_from(creator);
        }
        if copyright.is_some() {
            facts.copyright.clone_from(copyright);
        }
    }

    /// Corrections that no file was of.
    pub(crate) fn unused(&self) -> Vec<String> {
        let unused = self.clocks.iter().filter(|(_, _, seen)| !seen.load(Ordering::Relaxed));
        unused.map(|(camera, _, _)| format!("--clock: no new file is of a camera called {camera}")).collect()
    }
}

/// Whether a file is of the camera that a person named, in lower case: its serial number, or part of its model's name.
fn is_camera(camera: &str, facts: &Facts) -> bool {
    let folded = |text: &Option<String>| text.as_deref().map(|t| t.trim().to_lowercase()).unwrap_or_default();
    folded(&facts.serial) == camera || folded(&facts.model).contains(camera)
}

/// A time that the file gives as an instant in UTC becomes the local time of a zone, with its offset.
pub(crate) fn facts_in_zone(facts: &mut Facts, zone: &TimeZone) {
    if !facts.taken_is_utc {
        return;
    }
    facts.taken_is_utc = false;
    let Some(taken) = &mut facts.taken else { return };
    let instant: Option<Timestamp> = TimeZone::UTC.to_timestamp(taken.local).ok();
    if let Some(instant) = instant {
        taken.local = zone.to_datetime(instant);
        taken.utc_offset = Some(zone.to_offset(instant).seconds());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use lightfast_model::TimeSource;

    fn clock(text: &str) -> Result<ClockBy, String> {
        text.parse::<ClockCorrection>().map(|clock| clock.by).map_err(|error| error.to_string())
    }

    fn facts(is_utc: bool) -> Facts {
        let local = date(2020, 6, 9).at(6, 30, 0, 0);
        let offset = is_utc.then_some(0);
        Facts {
            model: Some("Canon EOS 5D Mark II".to_owned()),
            serial: Some("0123".to_owned()),
            taken: Some(CaptureTime { local, fraction_digits: 0, utc_offset: offset, from: TimeSource::Exif }),
            taken_is_utc: is_utc,
            ..Facts::default()
        }
    }

    fn amended(set: impl FnOnce(&mut Options), facts: &mut Facts) -> Vec<String> {
        let mut options = Options::new(Vec::new(), "/l".into());
        set(&mut options);
        let zone = TimeZone::fixed(jiff::tz::offset(-7));
        let amendments = Amendments::new(&options, &zone, &[]).unwrap();
        amendments.apply(facts);
        amendments.unused()
    }

    #[test]
    fn clocks_are_written_as_people_write_them() {
        assert_eq!(clock("5D=+01:00"), Ok(ClockBy::Seconds(3600)));
        assert_eq!(clock("Canon EOS 5D=-00:00:07"), Ok(ClockBy::Seconds(-7)));
        let noon = jiff::civil::time(12, 0, 0, 0);
        let picture = |date| ClockBy::Picture { picture: "IMG_1.CR2".into(), date, time: noon };
        assert_eq!(clock("5D=IMG_1.CR2@12:00:00"), Ok(picture(None)));
        assert_eq!(clock("5D=IMG_1.CR2@2009-07-12T12:00"), Ok(picture(Some(date(2009, 7, 12)))));
        for wrong in ["5D", "=+01:00", "5D=01:00", "5D=+1", "5D=+01:60", "5D=@12:00:00", "5D=IMG@noon"] {
            assert!(clock(wrong).unwrap_err().contains("CAMERA=+HH:MM"), "{wrong}");
        }
    }

    #[test]
    fn a_clip_in_utc_becomes_local_in_the_persons_zone() {
        let mut clip = facts(true);
        let _ = amended(|_| {}, &mut clip);
        let taken = clip.taken.unwrap();
        assert_eq!((taken.local, taken.utc_offset), (date(2020, 6, 8).at(23, 30, 0, 0), Some(-7 * 3600)));
        let mut clip = facts(true);
        let _ = amended(|o| o.zone = Some(TimeZone::fixed(jiff::tz::offset(2))), &mut clip);
        assert_eq!(clip.taken.unwrap().local, date(2020, 6, 9).at(8, 30, 0, 0));
    }

    #[test]
    fn a_zone_gives_an_offset_and_changes_no_wall_clock() {
        let mut still = facts(false);
        let _ = amended(|_| {}, &mut still);
        assert_eq!(still.taken.unwrap().utc_offset, None, "never silently");
        let _ = amended(|o| o.zone = Some(TimeZone::fixed(jiff::tz::offset(2))), &mut still);
        let taken = still.taken.unwrap();
        assert_eq!((taken.local.hour(), taken.utc_offset), (6, Some(7200)));
    }

    #[test]
    fn a_clock_is_corrected_for_its_own_camera_alone() {
        let corrected = |camera: &str| {
            let mut still = facts(false);
            let unused = amended(|o| o.clocks = vec![format!("{camera}=+01:30").parse().unwrap()], &mut still);
            let time = still.taken.unwrap().local.time();
            (format!("{:02}:{:02}", time.hour(), time.minute()), unused.len())
        };
        assert_eq!(corrected("5d mark"), ("08:00".to_owned(), 0));
        assert_eq!(corrected("0123"), ("08:00".to_owned(), 0));
        assert_eq!(corrected("012"), ("06:30".to_owned(), 1));
        assert_eq!(corrected("D90"), ("06:30".to_owned(), 1));
    }
}

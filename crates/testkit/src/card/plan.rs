//! What will be on a card: a photographer's day as a list of scenes and their frames, all from the seed.
//!
//! It decides names, times, settings and where on the scene each frame looks; it draws nothing.

use std::path::PathBuf;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use lightfast_model::{Orientation, Ratio};

use super::CardOptions;
use super::light::{Iso, settings};
use crate::Shot;
use crate::raw::grain::Random;
use crate::raw::sensor::Geometry;
use crate::scene::Look;
use crate::shot::exif_time;

/// One folder holds numbers 0001 to 9999.
const NUMBERS: u32 = 9999;
/// The camera's body.
const SERIAL: &str = "0520412873";

/// A lens: its name, and its range in millimetres.
type Lens = (&'static str, i32, i32);
const LONG: Lens = ("EF70-200mm f/4L USM", 70, 200);
const SHORT: Lens = ("EF24-105mm f/4L IS USM", 24, 105);

/// How a photographer of ours takes one kind of picture.
struct Habit {
    look: Look,
    lens: Lens,
    /// Light in thirds of an exposure value, the aperture in thirds, the ISO.
    light: i32,
    aperture: i32,
    iso: Iso,
    /// The camera held upright.
    portrait: bool,
    /// The camera's fastest: several frames a second.
    burst: bool,
    /// Three exposures of each view.
    bracket: bool,
}

const fn habit(look: Look, lens: Lens, exposed: (i32, i32, Iso)) -> Habit {
    let (light, aperture, iso) = exposed;
    Habit { look, lens, light, aperture, iso, portrait: false, burst: false, bracket: false }
}

/// The day, from before sunrise to after sunset.
fn day() -> [Habit; 12] {
    [
        Habit { bracket: true, ..habit(Look::Dawn, SHORT, (27, 24, Iso::Set(0))) },
        habit(Look::Balloons, LONG, (36, 18, Iso::Set(3))),
        Habit { portrait: true, ..habit(Look::Pines, SHORT, (33, 21, Iso::Set(3))) },
        habit(Look::Flower, LONG, (36, 12, Iso::Auto(24))),
        Habit { burst: true, ..habit(Look::Regatta, LONG, (43, 15, Iso::Set(6))) },
        habit(Look::Meadow, SHORT, (42, 21, Iso::Set(0))),
        Habit { portrait: true, ..habit(Look::Flower, LONG, (34, 12, Iso::Auto(21))) },
        habit(Look::Lake, SHORT, (41, 24, Iso::Set(0))),
        Habit { burst: true, ..habit(Look::Balloons, LONG, (39, 15, Iso::Auto(27))) },
        Habit { portrait: true, bracket: true, ..habit(Look::Dusk, SHORT, (24, 24, Iso::Set(0))) },
        habit(Look::City, SHORT, (12, 12, Iso::Auto(15))),
        habit(Look::Stars, SHORT, (-6, 12, Iso::Set(18))),
    ]
}

/// One frame: what it says of itself, where it lies, and how it differs from the others of its scene.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) raw: PathBuf,
    /// A JPEG beside the RAW.
    pub(crate) jpeg: Option<PathBuf>,
    pub(crate) shot: Shot,
    /// How much lighter than the scene it is, in 256ths.
    pub(crate) gain: u32,
    /// Where it looks: 0 to 1000 of the scene's margin across and down.
    pub(crate) view: (u32, u32),
}

/// A clip and its thumbnail.
#[derive(Clone, Debug)]
pub(crate) struct ClipFile {
    pub(crate) movie: PathBuf,
    pub(crate) thumbnail: PathBuf,
    pub(crate) shot: Shot,
    pub(crate) look: Look,
}

/// Frames of one scene, and the clip that was taken after them.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) look: Look,
    pub(crate) seed: u64,
    /// The camera was held upright: how its pictures are turned for viewing.
    pub(crate) orientation: Orientation,
    pub(crate) frames: Vec<Frame>,
    pub(crate) clip: Option<ClipFile>,
}

/// Numbers files as the camera does.
struct Counter(u32);

impl Counter {
    /// The folder's number and the file's.
    fn next(&mut self) -> (u32, u32) {
        let (folder, number) = (100 + self.0 / NUMBERS, self.0 % NUMBERS + 1);
        self.0 += 1;
        (folder, number)
    }
}

fn path((folder, number): (u32, u32), prefix: &str, extension: &str) -> PathBuf {
    PathBuf::from(format!("DCIM/{folder}EOS5D/{prefix}_{number:04}.{extension}"))
}

/// The whole card.
pub(crate) fn sessions(options: &CardOptions) -> Vec<Session> {
    let mut random = Random::new(options.seed);
    let mut counter = Counter(0);
    let days = day();
    // A dozen scenes make a day; few frames make few of them, and many go through the day again and again.
    let count = options.files.div_ceil(3).clamp(1, days.len() as u32).max(options.files.div_ceil(10));
    let mut upright = 0;
    let mut sessions = Vec::new();
    let mut clock = date(2009, 7, 12).at(5, 12, 0, 0);
    for index in 0..count {
        let all = days.len() as u32;
        let which = if count < all { (index * all + all / 2) / count } else { index };
        let Some(habit) = days.get(which as usize % days.len()) else { continue };
        let (first, last) = (share(options.files, index, count), share(options.files, index + 1, count));
        let seed = random.next();
        let geometry = Geometry::picture_of(options.megapixels);
        // The grip up, and the next time down.
        let orientation = match (habit.portrait, upright % 2) {
            (false, _) => 1,
            (true, 0) => 6,
            (true, _) => 8,
        };
        upright += u32::from(habit.portrait);
        let mut session = Session {
            look: habit.look,
            seed,
            orientation: Orientation::new(orientation).unwrap_or_default(),
            frames: Vec::new(),
            clip: None,
        };
        let with_jpeg = index % 3 == 1;
        let mut view = (random.below(1000), random.below(1000));
        let mut focal = random.between(habit.lens.1, habit.lens.2);
        for number in 0..last - first {
            clock = clock.saturating_add(pause(&mut random, habit, number));
            let step = match (habit.bracket, number % 3) {
                (false, _) | (true, 0) => 0,
                (true, 1) => -3,
                (true, _) => 3,
            };
            if !habit.bracket || number % 3 == 0 {
                let near = if habit.burst { 60 } else { 400 };
                view = (wander(&mut random, view.0, near), wander(&mut random, view.1, near));
            } else {
                // The hand moves a little even between the frames of a bracket.
                view = (wander(&mut random, view.0, 12), wander(&mut random, view.1, 12));
            }
            if !habit.burst && !habit.bracket && random.below(3) == 0 {
                focal = random.between(habit.lens.1, habit.lens.2);
            }
            let compensation = step + if habit.burst || habit.bracket { 0 } else { random.between(-1, 1) };
            let set = settings(habit.light, habit.aperture, habit.iso, compensation);
            let place = counter.next();
            let shot = Shot {
                width: geometry.0,
                height: geometry.1,
                orientation: session.orientation,
                taken: exif_time(clock),
                serial: SERIAL.to_owned(),
                lens: habit.lens.0.to_owned(),
                iso: set.iso,
                iso_auto: set.iso_auto,
                exposure: set.exposure,
                aperture: set.aperture,
                focal_length: Ratio { num: focal.unsigned_abs().into(), den: 1 },
                file_number: Some(u64::from(place.0) * 10_000 + u64::from(place.1)),
                seed: random.next(),
                ..Shot::default()
            };
            session.frames.push(Frame {
                raw: path(place, "IMG", "CR2"),
                jpeg: with_jpeg.then(|| path(place, "IMG", "JPG")),
                shot,
                gain: gain(compensation),
                view,
            });
        }
        if index % 5 == 1 || count == 1 {
            clock = clock.saturating_add(SignedDuration::from_secs(random.between(20, 90).into()));
            session.clip = Some(clip(&mut random, &mut counter, &session, habit, options, clock));
        }
        // On to the next place.
        let minutes = 16 * 60 / i64::from(count.max(14)) + i64::from(random.below(9));
        clock = clock.saturating_add(SignedDuration::from_mins(minutes));
        sessions.push(session);
    }
    sessions
}

/// Where part `index` of `count` begins among `all`.
fn share(all: u32, index: u32, count: u32) -> u32 {
    (u64::from(all) * u64::from(index) / u64::from(count.max(1))) as u32
}

/// How long after the last frame: within a burst or a bracket a quarter of a second, else some while.
fn pause(random: &mut Random, habit: &Habit, number: u32) -> SignedDuration {
    let quick = match (habit.bracket, habit.burst) {
        (true, _) => !number.is_multiple_of(3),
        (false, true) => !number.is_multiple_of(8),
        (false, false) => false,
    };
    let hundredths = if quick { random.between(25, 27) } else { random.between(250, 3900) };
    SignedDuration::from_millis(i64::from(hundredths) * 10)
}

fn wander(random: &mut Random, from: u32, near: i32) -> u32 {
    (from as i32 + random.between(-near, near)).clamp(0, 1000) as u32
}

/// Thirds of a stop as a factor in 256ths.
fn gain(thirds: i32) -> u32 {
    let cube_root_of_two = [256, 323, 406];
    let (stops, rest) = (thirds.div_euclid(3), thirds.rem_euclid(3) as usize);
    let base = cube_root_of_two.get(rest).copied().unwrap_or(256);
    if stops >= 0 { base << stops } else { base >> -stops }
}

fn clip(
    random: &mut Random,
    counter: &mut Counter,
    session: &Session,
    habit: &Habit,
    options: &CardOptions,
    clock: DateTime,
) -> ClipFile {
    let place = counter.next();
    let (width, height) = if options.megapixels >= 8 { (1920, 1080) } else { (320, 180) };
    let set = settings(habit.light, habit.aperture, Iso::Auto(15), 0);
    let shot = Shot {
        width,
        height,
        orientation: Orientation::UPRIGHT,
        taken: exif_time(clock),
        serial: SERIAL.to_owned(),
        lens: habit.lens.0.to_owned(),
        iso: set.iso,
        iso_auto: true,
        exposure: set.exposure,
        aperture: set.aperture,
        focal_length: Ratio { num: habit.lens.1.unsigned_abs().into(), den: 1 },
        seed: random.next(),
        ..Shot::default()
    };
    ClipFile { movie: path(place, "MVI", "MOV"), thumbnail: path(place, "MVI", "THM"), shot, look: session.look }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn planned(files: u32) -> Vec<Session> {
        sessions(&CardOptions { files, megapixels: 21, seed: 7 })
    }

    #[test]
    fn there_are_as_many_raws_as_asked_for_and_at_least_one_clip() {
        for files in [1, 2, 9, 10, 113, 1000] {
            let sessions = planned(files);
            assert_eq!(sessions.iter().map(|session| session.frames.len()).sum::<usize>(), files as usize);
            assert!(sessions.iter().any(|session| session.clip.is_some()), "{files}");
        }
    }

    #[test]
    fn numbers_roll_to_the_next_folder() {
        let mut counter = Counter(NUMBERS - 1);
        assert_eq!(path(counter.next(), "IMG", "CR2"), PathBuf::from("DCIM/100EOS5D/IMG_9999.CR2"));
        assert_eq!(path(counter.next(), "IMG", "CR2"), PathBuf::from("DCIM/101EOS5D/IMG_0001.CR2"));
    }

    #[test]
    fn a_hundred_files_are_a_photographers_day() {
        let sessions = planned(113);
        let shots: Vec<&Shot> = sessions.iter().flat_map(|s| s.frames.iter().map(|frame| &frame.shot)).collect();
        let times: Vec<DateTime> = shots.iter().map(|shot| shot.taken.local).collect();
        assert!(times.is_sorted());
        assert!(times.iter().all(|time| time.date() == date(2009, 7, 12)), "{:?}", times.last());
        assert_eq!(times.iter().collect::<HashSet<_>>().len(), times.len(), "no two at the same moment");
        let second = |time: &DateTime| (time.hour(), time.minute(), time.second());
        assert!(times.windows(2).any(|two| second(&two[0]) == second(&two[1])), "bursts");
        assert!(shots.iter().any(|shot| shot.iso_auto) && shots.iter().any(|shot| !shot.iso_auto));
        assert!(shots.iter().any(|shot| shot.iso == 100) && shots.iter().any(|shot| shot.iso == 6400));
        for orientation in [1, 6, 8] {
            assert!(shots.iter().any(|shot| shot.orientation.value() == orientation), "{orientation}");
        }
        for lens in [LONG, SHORT] {
            assert!(shots.iter().any(|shot| shot.lens == lens.0));
        }
        assert!(sessions.iter().flat_map(|s| &s.frames).any(|frame| frame.jpeg.is_some()));
    }
}

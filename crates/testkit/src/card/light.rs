//! Exposure, as photographers reckon it: in thirds of a stop, from tables of what a camera can be set to.

use lightfast_model::Ratio;

const fn ratio(num: u64, den: u64) -> Ratio {
    Ratio { num, den }
}

/// Exposure times from 30 s (-15 thirds) to 1/8000 s (39), in the form Canon writes them.
const TIMES: [Ratio; 55] = [
    ratio(30, 1),
    ratio(25, 1),
    ratio(20, 1),
    ratio(15, 1),
    ratio(13, 1),
    ratio(10, 1),
    ratio(8, 1),
    ratio(6, 1),
    ratio(5, 1),
    ratio(4, 1),
    ratio(32, 10),
    ratio(25, 10),
    ratio(2, 1),
    ratio(16, 10),
    ratio(13, 10),
    ratio(1, 1),
    ratio(8, 10),
    ratio(6, 10),
    ratio(5, 10),
    ratio(4, 10),
    ratio(3, 10),
    ratio(1, 4),
    ratio(1, 5),
    ratio(1, 6),
    ratio(1, 8),
    ratio(1, 10),
    ratio(1, 13),
    ratio(1, 15),
    ratio(1, 20),
    ratio(1, 25),
    ratio(1, 30),
    ratio(1, 40),
    ratio(1, 50),
    ratio(1, 60),
    ratio(1, 80),
    ratio(1, 100),
    ratio(1, 125),
    ratio(1, 160),
    ratio(1, 200),
    ratio(1, 250),
    ratio(1, 320),
    ratio(1, 400),
    ratio(1, 500),
    ratio(1, 640),
    ratio(1, 800),
    ratio(1, 1000),
    ratio(1, 1250),
    ratio(1, 1600),
    ratio(1, 2000),
    ratio(1, 2500),
    ratio(1, 3200),
    ratio(1, 4000),
    ratio(1, 5000),
    ratio(1, 6400),
    ratio(1, 8000),
];
/// Thirds of the first time.
const LONGEST: i32 = -15;

/// F-numbers from f/4 (12 thirds) on.
const APERTURES: [Ratio; 13] = [
    ratio(40, 10),
    ratio(45, 10),
    ratio(50, 10),
    ratio(56, 10),
    ratio(63, 10),
    ratio(71, 10),
    ratio(80, 10),
    ratio(90, 10),
    ratio(100, 10),
    ratio(110, 10),
    ratio(130, 10),
    ratio(140, 10),
    ratio(160, 10),
];
const WIDEST: i32 = 12;

/// ISO from 100 on.
const ISOS: [u32; 19] =
    [100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6400];

/// The entry nearest to the index asked for.
fn nearest<T: Copy>(table: &[T], first: T, index: i32) -> (T, i32) {
    let index = index.clamp(0, table.len() as i32 - 1);
    (table.get(index as usize).copied().unwrap_or(first), index)
}

/// Settings of one exposure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) exposure: Ratio,
    pub(crate) aperture: Ratio,
    pub(crate) iso: u32,
    pub(crate) iso_auto: bool,
}

/// How the ISO is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iso {
    /// By the photographer: thirds above 100.
    Set(i32),
    /// By the camera, so that the exposure is at most this long (thirds).
    Auto(i32),
}

/// What a camera with this aperture (thirds) takes in this light (thirds of an exposure value at ISO 100), with
/// `compensation` thirds more light than is right.
pub(crate) fn settings(light: i32, aperture: i32, iso: Iso, compensation: i32) -> Settings {
    let (f_number, above) = nearest(&APERTURES, ratio(4, 1), aperture - WIDEST);
    let aperture = above + WIDEST;
    let (wanted, iso_auto) = match iso {
        Iso::Set(thirds) => (thirds, false),
        // Auto ISO of the 5D Mark II ends at 3200.
        Iso::Auto(longest) => ((longest + aperture - light).min(15), true),
    };
    let (iso, thirds) = nearest(&ISOS, 100, wanted);
    let (exposure, _) = nearest(&TIMES, ratio(1, 1), light + thirds - aperture - compensation - LONGEST);
    Settings { exposure, aperture: f_number, iso, iso_auto }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sunny_sixteen() {
        // Exposure value 15: 1/125 s (a little less by the rule of thumb) at f/16 and ISO 100.
        let sunny = settings(45, 24, Iso::Set(0), 0);
        assert_eq!((sunny.exposure, sunny.aperture, sunny.iso), (ratio(1, 125), ratio(160, 10), 100));
        let brighter = settings(45, 24, Iso::Set(0), 3);
        assert_eq!(brighter.exposure, ratio(1, 60));
    }

    #[test]
    fn auto_iso_keeps_the_exposure_short() {
        let dim = settings(21, 12, Iso::Auto(21), 0);
        assert_eq!((dim.exposure, dim.iso, dim.iso_auto), (ratio(1, 125), 1600, true));
        let bright = settings(45, 12, Iso::Auto(21), 0);
        assert_eq!((bright.exposure, bright.iso), (ratio(1, 2000), 100));
        let dark = settings(0, 12, Iso::Auto(21), 0);
        assert_eq!(dark.iso, 3200);
    }
}

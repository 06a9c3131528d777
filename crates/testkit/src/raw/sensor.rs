//! The sensor's geometry, of the real size or scaled.

use crate::format::canon::{self, WhiteBalance};

/// Masked columns on the left, masked rows on top, and unused ones on the right and below.
const LEFT: u32 = 168;
const TOP: u32 = 56;
const RIGHT: u32 = 8;
const BOTTOM: u32 = 4;
/// The first column and row that see light: a little of the scene lies outside the picture.
const LIT: (u32, u32) = (158, 51);
/// How much of the scene must be drawn around the picture, so that every lit photosite sees something.
pub(crate) const APRON: (u32, u32) = (LEFT - LIT.0, TOP - LIT.1 + 1);

/// Where the picture lies on the sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// All photosites.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The picture's size.
    pub(crate) picture: (u32, u32),
}

/// What a photosite sees through its filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    Red,
    Green,
    Blue,
}

impl Geometry {
    /// For a picture of `width` by `height`, which must be even; the width a multiple of four.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Self { width: width + LEFT + RIGHT, height: height + TOP + BOTTOM, picture: (width, height) }
    }

    /// The picture that a camera of so many megapixels takes: 21 is the 5D Mark II's own size.
    pub(crate) fn picture_of(megapixels: u32) -> (u32, u32) {
        if megapixels == 21 {
            return (5616, 3744);
        }
        let width = (u64::from(megapixels) * 1_500_000).isqrt() as u32 / 8 * 8;
        (width, width * 2 / 3 / 4 * 4)
    }

    /// The first lit column and row.
    pub(crate) fn lit(&self) -> (u32, u32) {
        LIT
    }

    /// The first column and row of the picture.
    pub(crate) fn origin(&self) -> (u32, u32) {
        (LEFT, TOP)
    }

    /// What the photosite at this column and row sees.
    ///
    /// On the real sensor the first row is green, blue, the second red, green.
    /// Readers know no sensor of another size; they take red to come first.
    pub(crate) fn filter(&self, column: u32, row: u32) -> Filter {
        let row = if self.is_real() { row + 1 } else { row };
        match (row % 2, column % 2) {
            (0, 0) => Filter::Red,
            (1, 1) => Filter::Blue,
            _ => Filter::Green,
        }
    }

    fn is_real(&self) -> bool {
        self.picture == (5616, 3744)
    }

    /// How the columns are cut into slices for compression: all but the last are equally wide.
    pub(crate) fn slices(&self) -> Vec<u32> {
        let wide = self.width.div_ceil(3).next_multiple_of(16);
        vec![wide, wide, self.width - 2 * wide]
    }

    /// For the maker note.
    pub(crate) fn described(&self, white_balance: WhiteBalance) -> canon::Sensor {
        canon::Sensor {
            width: self.width,
            height: self.height,
            left: LEFT,
            top: TOP,
            picture: self.picture,
            white_balance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_21_megapixels_it_is_the_real_sensor() {
        let (width, height) = Geometry::picture_of(21);
        let sensor = Geometry::new(width, height);
        assert_eq!((sensor.width, sensor.height), (5792, 3804));
        assert_eq!(sensor.slices(), [1936, 1936, 1920]);
        assert_eq!(sensor.filter(0, 0), Filter::Green);
        assert_eq!(sensor.filter(1, 0), Filter::Blue);
        assert_eq!(sensor.filter(158, 51), Filter::Red);
    }

    #[test]
    fn other_sizes_stay_even_and_near_what_was_asked_for() {
        for megapixels in [1, 2, 6, 12, 50] {
            let (width, height) = Geometry::picture_of(megapixels);
            let pixels = u64::from(width) * u64::from(height);
            assert!(pixels.abs_diff(u64::from(megapixels) * 1_000_000) < 30_000 * u64::from(megapixels));
            let sensor = Geometry::new(width, height);
            assert_eq!(sensor.width % 4, 0);
            assert!(sensor.slices().iter().all(|slice| slice % 4 == 0 && *slice > 0), "{:?}", sensor.slices());
            assert_eq!(sensor.slices().iter().sum::<u32>(), sensor.width);
        }
    }
}

//! Where the picture lies: from places of the buffer to places of the upright result.
//!
//! The renderer works on a grid of two-by-two cells, because both a Bayer sensor and a
//! JPEG's colour planes have them. Where the picture is to be mirrored along a side of odd
//! length, the grid begins one pixel early, so that cells stay cells in the result.

use lightfast_model::Orientation;

use super::sensor::Area;

/// The picture on the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Place of the grid's first pixel in the buffer; may be one before the buffer.
    pub(crate) x: isize,
    pub(crate) y: isize,
    /// Even numbers of pixels.
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Where samples may be taken from.
    pub(crate) within: Area,
    /// What is done to the grid to see it upright.
    pub(crate) turn: Turn,
    /// Pixels of the upright result.
    pub(crate) out: (usize, usize),
}

/// The eight orientations as three switches, in this order: mirror, then exchange the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) mirror_x: bool,
    pub(crate) mirror_y: bool,
    pub(crate) exchange: bool,
}

impl Turn {
    /// As EXIF numbers them.
    pub(crate) fn new(orientation: Orientation) -> Self {
        let value = orientation.value();
        Self {
            mirror_x: matches!(value, 2 | 3 | 7 | 8),
            mirror_y: matches!(value, 3 | 4 | 6 | 7),
            exchange: orientation.swaps_sides(),
        }
    }
}

impl Grid {
    /// The grid of a crop.
    pub(crate) fn new(crop: Area, within: Area, orientation: Orientation) -> Self {
        let turn = Turn::new(orientation);
        let early = |mirror: bool, length: usize| isize::from(mirror && length % 2 == 1);
        let even = |length: usize| length.next_multiple_of(2);
        let (width, height) = (even(crop.width), even(crop.height));
        Self {
            x: crop.x as isize - early(turn.mirror_x, crop.width),
            y: crop.y as isize - early(turn.mirror_y, crop.height),
            width,
            height,
            within,
            turn,
            out: if turn.exchange { (crop.height, crop.width) } else { (crop.width, crop.height) },
        }
    }

    /// Row of the buffer for a row of the grid, which may lie outside.
    pub(crate) fn row(&self, y: isize) -> usize {
        reflect(self.y.saturating_add(y), self.within.y, self.within.height)
    }

    /// Column of the buffer for a column of the grid, which may lie outside.
    pub(crate) fn column(&self, x: isize) -> usize {
        reflect(self.x.saturating_add(x), self.within.x, self.within.width)
    }
}

/// A place mirrored at the outermost pixels until it lies inside; keeps even even, odd odd,
/// as long as the length allows.
fn reflect(place: isize, start: usize, length: usize) -> usize {
    let (start, last) = (start as isize, length.max(1) as isize - 1);
    if last < 2 {
        return start.saturating_add(place.saturating_sub(start).clamp(0, last)) as usize;
    }
    let period = last.saturating_mul(2);
    let folded = place.saturating_sub(start).rem_euclid(period);
    start.saturating_add(folded.min(period.saturating_sub(folded))) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Area = Area { x: 10, y: 20, width: 8, height: 6 };

    #[test]
    fn places_outside_mirror_and_keep_their_colour() {
        let grid = Grid::new(WITHIN, WITHIN, Orientation::UPRIGHT);
        assert_eq!([-2, -1, 0, 7, 8, 9].map(|x| grid.column(x)), [12, 11, 10, 17, 16, 15]);
        for x in -40..40 {
            let column = grid.column(x);
            assert!((10..18).contains(&column));
            assert_eq!(column % 2, (10 + x).rem_euclid(2) as usize, "parity of {x}");
        }
    }

    #[test]
    fn odd_sides_that_are_mirrored_begin_early() {
        let crop = Area { x: 11, y: 20, width: 5, height: 5 };
        let at = |value| Grid::new(crop, WITHIN, Orientation::new(value).unwrap());
        assert_eq!((at(1).x, at(1).width, at(1).out), (11, 6, (5, 5)));
        assert_eq!((at(2).x, at(2).y), (10, 20));
        assert_eq!((at(6).x, at(6).y), (11, 19));
    }

    #[test]
    fn tiny_areas_do_not_trap() {
        for length in 0..3 {
            let area = Area { x: 0, y: 0, width: length, height: 1 };
            let grid = Grid::new(area, area, Orientation::UPRIGHT);
            for x in -9..9 {
                assert!(grid.column(x) < length.max(1));
            }
        }
    }
}

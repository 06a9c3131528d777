//! Samples that cannot be light: stuck bright or dark ones, replaced as they are read.
//!
//! A first look compares each site with its two neighbours of the same colour in the row,
//! many at a time. What stands out is compared with all eight of its colour and the four
//! beside it: light that has passed a lens spreads to those, a stuck sample does not.

use super::Row;
use crate::raw::grid::Grid;
use crate::raw::lanes::Lanes;
use crate::raw::levels::Levels;
use crate::raw::ring::CELLS;
use crate::raw::sensor::Sensor;

/// How far a site must stand out, beyond twice its neighbours (four times their light).
const MARGIN: i16 = 2048;

/// Mends the two rows that hold row `y` of the grid from cell `first` on.
#[inline(always)]
pub(super) fn mend<L: Lanes>(
    sensor: &Sensor,
    levels: &Levels,
    grid: &Grid,
    (first, y): (isize, isize),
    coloured_column: isize,
    colour: &mut Row,
    green: &mut Row,
) {
    for (row, column) in [(colour, coloured_column), (green, 1 - coloured_column)] {
        let mut cell = 0;
        while cell < CELLS {
            let centre = L::load(row.from(0), cell);
            let (left, right) = (L::load(row.from(-1), cell), L::load(row.from(1), cell));
            let (high, low) = (left.max(right), left.min(right));
            let margin = L::splat(MARGIN);
            let bright = centre.sub(high).sub(high).above(margin);
            let dark = low.sub(centre).sub(centre).above(margin);
            if bright.or(dark).any() {
                for at in cell..cell + L::N {
                    let x = 2 * (first + at as isize) + column;
                    if let Some(mended) = judge(sensor, levels, grid, x, y)
                        && let Some(place) = row.cells().get_mut(at)
                    {
                        *place = mended;
                    }
                }
            }
            cell += L::N;
        }
    }
}

/// The value to put in the place of a bad sample; none for a good one.
fn judge(sensor: &Sensor, levels: &Levels, grid: &Grid, x: isize, y: isize) -> Option<i16> {
    let at = |dx: isize, dy: isize| {
        let (x, y) = (grid.column(x + dx), grid.row(y + dy));
        let sample = sensor.row(y).get(x).copied().unwrap_or(0);
        i32::from(levels.encode_one(sensor, x, y, 0, sample))
    };
    let centre = at(0, 0);
    let same = [(-2, -2), (0, -2), (2, -2), (-2, 0), (2, 0), (-2, 2), (0, 2), (2, 2)].map(|(dx, dy)| at(dx, dy));
    let beside = [(0, -1), (-1, 0), (1, 0), (0, 1)].map(|(dx, dy)| at(dx, dy));
    let high = same.iter().chain(&beside).copied().max()?;
    let low = same.iter().chain(&beside).copied().min()?;
    let margin = i32::from(MARGIN);
    let bad = centre - 2 * high > margin || low - 2 * centre > margin;
    bad.then(|| ((same[1] + same[3] + same[4] + same[6]) / 4) as i16)
}

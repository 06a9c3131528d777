//! Half the size, straight from a Bayer sensor: each square of two becomes a pixel.
//!
//! Nothing has to be guessed, so there are no artefacts, and three quarters of the work
//! fall away. Used where the result is to be at most half as large as the sensor.

use super::grid::Grid;
use super::lanes::Lanes;
use super::levels::Levels;
use super::ring::CELLS;
use super::sensor::{Area, Layout, Sensor};
use super::sites::Sites;

/// Gives rows of squares.
pub(crate) struct Half<'a> {
    sensor: &'a Sensor,
    levels: &'a Levels,
    grid: Grid,
    /// Where in a row each square of the band begins.
    columns: Vec<usize>,
    /// Samples of the two rows of the squares.
    samples: [Vec<u16>; 2],
    /// Coded values of the squares, row by row: left, right.
    coded: [[Vec<i16>; 2]; 2],
}

/// The grid of a half-size picture of a sensor, in squares from the corner of its crop.
pub(crate) fn grid(sensor: &Sensor) -> Grid {
    let squares = Area { x: 0, y: 0, width: (sensor.crop.width / 2).max(1), height: (sensor.crop.height / 2).max(1) };
    Grid::new(squares, squares, sensor.orientation)
}

impl<'a> Half<'a> {
    pub(crate) fn new(sensor: &'a Sensor, levels: &'a Levels, grid: Grid) -> Self {
        let row = || [vec![0; 2 * CELLS], vec![0; 2 * CELLS]];
        let samples = [vec![0; 4 * CELLS], vec![0; 4 * CELLS]];
        Self { sensor, levels, grid, columns: vec![0; 2 * CELLS], samples, coded: [row(), row()] }
    }

    /// Begins a band; answers the row to begin with.
    pub(crate) fn begin(&mut self, first: isize) -> isize {
        for (column, square) in self.columns.iter_mut().zip(2 * first..) {
            *column = self.sensor.crop.x + 2 * self.grid.column(square);
        }
        -1
    }

    /// Finishes row `y` into `out`.
    #[inline(always)]
    pub(crate) fn row<L: Lanes>(&mut self, y: isize, out: &mut Sites) {
        let crop = self.sensor.crop;
        let top = crop.y + 2 * self.grid.row(y);
        for (place, (samples, coded)) in self.samples.iter_mut().zip(&mut self.coded).enumerate() {
            let source = self.sensor.row(top + place);
            for (pair, x) in samples.as_chunks_mut::<2>().0.iter_mut().zip(&self.columns) {
                *pair = source.get(*x..).and_then(|rest| rest.first_chunk::<2>()).copied().unwrap_or_default();
            }
            let encode = self.levels.encode(self.sensor, crop.x, top + place);
            let [left, right] = coded;
            let mut i = 0;
            while i < 2 * CELLS {
                let (l, r) = L::encode(samples, 2 * i, &encode);
                l.store(left, i);
                r.store(right, i);
                i += L::N;
            }
        }
        let Layout::Bayer(_) = self.sensor.layout else { return };
        let colour = |x: usize, y: usize| self.sensor.layout.colour(crop.x + x, top + y, 0);
        let [[a, b], [c, d]] = &self.coded;
        // Which of the four is which: greens lie on a diagonal.
        let (first, second) = if colour(0, 0) == 1 { ((b, c), (a, d)) } else { ((a, d), (b, c)) };
        let (red, blue) = if colour(usize::from(colour(0, 0) == 1), 0) == 0 { first } else { (first.1, first.0) };
        for (column, channels) in out.0.iter_mut().enumerate() {
            let [r, g, b] = channels.0.each_mut().map(|row| row.cells());
            let greens = second.0.iter().zip(second.1).skip(column).step_by(2);
            for (to, (x, y)) in g.iter_mut().zip(greens) {
                *to = ((i32::from(*x) + i32::from(*y) + 1) >> 1) as i16;
            }
            for (to, from) in [(r, red), (b, blue)] {
                for (to, from) in to.iter_mut().zip(from.iter().skip(column).step_by(2)) {
                    *to = *from;
                }
            }
        }
    }
}

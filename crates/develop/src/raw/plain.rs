//! Sources that give all three channels of a pixel without a Bayer interpolation: linear
//! RGB (also sRAW and YCC files, which the decoder has made RGB of), sensors without colour,
//! and X-Trans, whose interpolation (`xtrans`) fills whole rows.

use super::grid::Grid;
use super::levels::Levels;
use super::ring::CELLS;
use super::sensor::{Layout, Sensor};
use super::sites::Sites;
use super::xtrans::XTrans;

/// Gives rows of any layout but Bayer's.
pub(crate) struct Plain<'a> {
    sensor: &'a Sensor,
    levels: &'a Levels,
    grid: Grid,
    first: isize,
    xtrans: Option<XTrans<'a>>,
}

impl<'a> Plain<'a> {
    pub(crate) fn new(sensor: &'a Sensor, levels: &'a Levels, grid: Grid) -> Self {
        let xtrans = match sensor.layout {
            Layout::XTrans(pattern) => Some(XTrans::new(sensor, levels, grid, pattern)),
            _ => None,
        };
        Self { sensor, levels, grid, first: 0, xtrans }
    }

    /// Begins a band; answers the row to begin with.
    pub(crate) fn begin(&mut self, first: isize) -> isize {
        self.first = first;
        match &mut self.xtrans {
            Some(xtrans) => xtrans.begin(first),
            None => -1,
        }
    }

    /// Finishes row `y` into `out`.
    pub(crate) fn row(&mut self, y: isize, out: &mut Sites) {
        if let Some(xtrans) = &mut self.xtrans {
            return xtrans.row(y, out);
        }
        let at = self.grid.row(y);
        let depth = self.sensor.layout.samples();
        let row = self.sensor.row(at);
        for (column, channels) in out.0.iter_mut().enumerate() {
            let [red, green, blue] = &mut channels.0;
            let cells = red.cells().iter_mut().zip(green.cells()).zip(blue.cells());
            for (((r, g), b), cell) in cells.zip(self.first..) {
                let x = self.grid.column(2 * cell + column as isize);
                let coded = |channel: usize| {
                    let sample = row.get(x * depth + channel).copied().unwrap_or(0);
                    self.levels.encode_one(self.sensor, x, at, channel, sample)
                };
                if depth == 3 {
                    (*r, *g, *b) = (coded(0), coded(1), coded(2));
                } else {
                    let v = coded(0);
                    (*r, *g, *b) = (v, v, v);
                }
            }
        }
    }
}

const _: () = assert!(CELLS.is_multiple_of(32), "a band must be whole registers");

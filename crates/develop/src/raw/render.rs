//! The one pass over the sensor, band by band and row by row.

use super::bayer::Bayer;
use super::finish::Finish;
use super::grid::Grid;
use super::half::Half;
use super::lanes::Lanes;
use super::plain::Plain;
use super::ring::{CELLS, HALO};
use super::simd::Work;
use super::sites::Sites;

/// Where rows come from.
pub(crate) enum Rows<'a> {
    /// Interpolated from a Bayer sensor.
    Bayer(Box<Bayer<'a>>),
    /// Squares of a Bayer sensor, at half the size.
    Half(Box<Half<'a>>),
    /// Any other sensor.
    Plain(Box<Plain<'a>>),
}

impl Rows<'_> {
    fn begin(&mut self, first: isize) -> isize {
        match self {
            Self::Bayer(bayer) => bayer.begin(first),
            Self::Half(half) => half.begin(first),
            Self::Plain(plain) => plain.begin(first),
        }
    }

    #[inline(always)]
    fn row<L: Lanes>(&mut self, y: isize, sites: &mut Sites) {
        match self {
            Self::Bayer(bayer) => bayer.row::<L>(y, sites),
            Self::Half(half) => half.row::<L>(y, sites),
            Self::Plain(plain) => plain.row(y, sites),
        }
    }
}

/// The pass: rows from a source, through the finish, into its output.
pub(crate) struct Pass<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) finish: Finish<'a>,
    pub(crate) grid: Grid,
}

impl Work for Pass<'_> {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let mut sites = Sites::new();
        let height = self.grid.height as isize;
        let step = CELLS - 2 * HALO;
        for first in (0..self.grid.width / 2).step_by(step) {
            let first = first as isize - HALO as isize;
            self.finish.begin(first);
            // Rows before the first and behind the last are neighbours only.
            for y in self.rows.begin(first)..=height {
                self.rows.row::<L>(y, &mut sites);
                if y >= -1 {
                    self.finish.row::<L>(y, &sites);
                }
            }
        }
    }
}

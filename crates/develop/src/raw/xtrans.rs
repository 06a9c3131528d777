//! X-Trans sensors: green, red and blue from a pattern of six by six.
//!
//! Four steps over a window of rows, in coded values: green at the other sites from the
//! greens around, the ones across an edge counting less; the site's own difference to it,
//! smoothed; green again, now with the detail that the site itself saw; red and blue
//! everywhere from their differences to green around. Neighbours and their weights by
//! distance come from a table of the 36 places. Plain loops: these sensors are rarer.

use super::grid::Grid;
use super::levels::Levels;
use super::ring::CELLS;
use super::sensor::Sensor;
use super::sites::Sites;

/// Pixels of a band.
const WIDTH: usize = 2 * CELLS;
/// Pixels beside a band's window on each side, for neighbours.
const EDGE: usize = 4;
const STRIDE: usize = WIDTH + 2 * EDGE;
/// Rows that the first step is ahead of the last.
const AHEAD: isize = 6;
/// Rows kept; more than twice `AHEAD`, and a power of two.
const KEPT: usize = 16;
/// Keeps weights finite: about the noise of a good sensor.
const NOISE: i32 = 64;

/// A neighbour of a place: how far right and down, and how much it counts.
#[derive(Clone, Copy)]
struct Near {
    right: isize,
    down: isize,
    weight: i32,
}

/// Interpolates an X-Trans sensor, row by row, band by band.
pub(crate) struct XTrans<'a> {
    sensor: &'a Sensor,
    levels: &'a Levels,
    grid: Grid,
    first: isize,
    /// Colours of the pattern, from the grid's first pixel on.
    colours: [[u8; 6]; 6],
    /// By place and colour: the sites of that colour around.
    near: Vec<[Vec<Near>; 3]>,
    coded: Vec<[i16; STRIDE]>,
    green: Vec<[i16; STRIDE]>,
    /// Own colour less green, at sites that are not green.
    difference: Vec<[i16; STRIDE]>,
    /// The same after the second green.
    refined: Vec<[i16; STRIDE]>,
}

impl<'a> XTrans<'a> {
    pub(crate) fn new(sensor: &'a Sensor, levels: &'a Levels, grid: Grid, pattern: [[u8; 6]; 6]) -> Self {
        let modulo = |v: isize, by: isize| (v.rem_euclid(6) + by).rem_euclid(6) as usize;
        let colours: [[u8; 6]; 6] = std::array::from_fn(|y| {
            std::array::from_fn(|x| {
                let row = pattern.get(modulo(grid.y, y as isize)).copied().unwrap_or_default();
                row.get(modulo(grid.x, x as isize)).copied().unwrap_or(1)
            })
        });
        let near =
            (0..36).map(|place| [0, 1, 2].map(|colour| around(&colours, place % 6, place / 6, colour))).collect();
        let rows = || vec![[0; STRIDE]; KEPT];
        Self {
            sensor,
            levels,
            grid,
            first: 0,
            colours,
            near,
            coded: rows(),
            green: rows(),
            difference: rows(),
            refined: rows(),
        }
    }

    /// Begins a band; answers the row to begin with.
    pub(crate) fn begin(&mut self, first: isize) -> isize {
        self.first = first;
        -2 * AHEAD - 2
    }

    /// Takes in the row that is due and finishes row `y` into `out`.
    pub(crate) fn row(&mut self, y: isize, out: &mut Sites) {
        self.samples(y + AHEAD);
        self.greens(y + AHEAD - 2);
        self.refine(y + AHEAD - 4);
        self.finish(y, out);
    }

    /// Place in the pattern of a pixel of the band's window, and its colour.
    fn place(&self, i: usize, y: isize) -> (usize, u8) {
        let x = (2 * self.first + i as isize - EDGE as isize).rem_euclid(6) as usize;
        let y = y.rem_euclid(6) as usize;
        (y * 6 + x, self.colours.get(y).and_then(|row| row.get(x)).copied().unwrap_or(1))
    }

    fn samples(&mut self, y: isize) {
        let at = self.grid.row(y);
        // Mirrored rows and columns have another colour: a fold that keeps the pattern
        // does not exist, so the nearest whole pattern further in is taken.
        let at = self.folded(at, y, self.grid.y, self.grid.within.y, self.grid.within.height);
        let source = self.sensor.row(at);
        let mut row = [0; STRIDE];
        for (to, x) in row.iter_mut().zip(2 * self.first - EDGE as isize..) {
            let column = self.folded(self.grid.column(x), x, self.grid.x, self.grid.within.x, self.grid.within.width);
            let sample = source.get(column).copied().unwrap_or(0);
            *to = self.levels.encode_one(self.sensor, column, at, 0, sample);
        }
        if let Some(place) = self.coded.get_mut(y as usize % KEPT) {
            *place = row;
        }
    }

    /// A place inside that has the colour of `wanted`: itself where that is inside, else the
    /// nearest that is a whole number of patterns away.
    fn folded(&self, mirrored: usize, wanted: isize, origin: isize, start: usize, length: usize) -> usize {
        let (place, start, end) = (origin + wanted, start as isize, (start + length) as isize);
        let inside = if place < start {
            place + (start - place + 5) / 6 * 6
        } else if place >= end {
            place - (place - end + 6) / 6 * 6
        } else {
            place
        };
        if (start..end).contains(&inside) { inside as usize } else { mirrored }
    }

    fn greens(&mut self, y: isize) {
        let mut green = [0; STRIDE];
        let mut difference = [0; STRIDE];
        let row = self.coded.get(y as usize % KEPT).copied().unwrap_or([0; STRIDE]);
        for i in EDGE..STRIDE - EDGE {
            let (place, colour) = self.place(i, y);
            let own = row.get(i).copied().unwrap_or(0);
            let value = if colour == 1 { own } else { self.green_around(i, y, place) };
            if let (Some(g), Some(d)) = (green.get_mut(i), difference.get_mut(i)) {
                (*g, *d) = (value, own.saturating_sub(value));
            }
        }
        for (rows, row) in [(&mut self.green, green), (&mut self.difference, difference)] {
            if let Some(to) = rows.get_mut(y as usize % KEPT) {
                *to = row;
            }
        }
    }

    /// Green from the greens around: each counts by distance, and less the more the greens
    /// on its own side differ from it.
    fn green_around(&self, i: usize, y: isize, place: usize) -> i16 {
        let near = self.near.get(place).map_or(&[] as &[Near], |by_colour| &by_colour[1]);
        let at = |n: &Near| i32::from(sample(&self.coded, i, y, n.right, n.down));
        let (mut sum, mut total) = (0_i64, 0_i64);
        for one in near {
            let value = at(one);
            let mut rough = NOISE;
            for other in near {
                // The same side: in a line with it or nearly so, or opposite.
                let along = one.right * other.right + one.down * other.down;
                let across = (one.right * other.down - one.down * other.right).abs();
                if along != 0 && across < 2 {
                    rough += (at(other) - value).abs() * other.weight / 16;
                }
            }
            let weight = i64::from(one.weight) * 65536 / i64::from(rough);
            sum += weight * i64::from(value);
            total += weight;
        }
        if total > 0 { (sum / total) as i16 } else { sample(&self.coded, i, y, 0, 0) }
    }

    /// The difference of a site, half its own and half the mean of those of its colour around.
    fn refine(&mut self, y: isize) {
        let mut refined = [0; STRIDE];
        for i in EDGE..STRIDE - EDGE {
            let (place, colour) = self.place(i, y);
            if colour == 1 {
                continue;
            }
            let own = i32::from(sample(&self.difference, i, y, 0, 0));
            let mean = self.mean(&self.difference, i, y, place, usize::from(colour));
            let value = (own + mean) / 2;
            if let Some(to) = refined.get_mut(i) {
                *to = value as i16;
            }
            let coded = i32::from(sample(&self.coded, i, y, 0, 0));
            if let Some(to) = self.green.get_mut(y as usize % KEPT).and_then(|row| row.get_mut(i)) {
                *to = (coded - value).clamp(0, 32767) as i16;
            }
        }
        if let Some(to) = self.refined.get_mut(y as usize % KEPT) {
            *to = refined;
        }
    }

    /// Mean difference of the sites of a colour around, those with similar green counting more.
    fn mean(&self, rows: &[[i16; STRIDE]], i: usize, y: isize, place: usize, colour: usize) -> i32 {
        let near = self.near.get(place).and_then(|by_colour| by_colour.get(colour));
        let green = i32::from(sample(&self.green, i, y, 0, 0));
        let (mut sum, mut total) = (0_i64, 0_i64);
        for one in near.into_iter().flatten() {
            let other = i32::from(sample(&self.green, i, y, one.right, one.down));
            let weight = i64::from(one.weight) * 65536 / i64::from((other - green).abs() + 8 * NOISE);
            sum += weight * i64::from(sample(rows, i, y, one.right, one.down));
            total += weight;
        }
        if total > 0 { (sum / total) as i32 } else { 0 }
    }

    fn finish(&self, y: isize, out: &mut Sites) {
        for (column, channels) in out.0.iter_mut().enumerate() {
            let [red, green, blue] = &mut channels.0;
            let cells = red.cells().iter_mut().zip(green.cells()).zip(blue.cells()).enumerate();
            for (cell, ((r, g), b)) in cells {
                let i = EDGE + 2 * cell + column;
                let (place, colour) = self.place(i, y);
                let value = i32::from(sample(&self.green, i, y, 0, 0));
                let channel = |wanted: u8| {
                    if colour == wanted {
                        return sample(&self.coded, i, y, 0, 0);
                    }
                    let difference = self.mean(&self.refined, i, y, place, usize::from(wanted));
                    (value + difference).clamp(0, 32767) as i16
                };
                (*r, *g, *b) = (channel(0), value as i16, channel(2));
            }
        }
    }
}

/// A value of a row that is kept, some pixels to the right and rows down.
#[inline(always)]
fn sample(rows: &[[i16; STRIDE]], i: usize, y: isize, right: isize, down: isize) -> i16 {
    let row = rows.get((y + down) as usize % KEPT);
    row.and_then(|row| row.get(i.wrapping_add_signed(right))).copied().unwrap_or(0)
}

/// Sites of a colour around a place of the pattern, within two pixels, weighed by distance.
fn around(colours: &[[u8; 6]; 6], x: usize, y: usize, colour: u8) -> Vec<Near> {
    let mut near = Vec::new();
    for down in -2..=2_isize {
        for right in -2..=2_isize {
            let at = |v: usize, by: isize| (v as isize + by).rem_euclid(6) as usize;
            let there = colours.get(at(y, down)).and_then(|row| row.get(at(x, right)));
            let distance = right * right + down * down;
            if there == Some(&colour) && distance > 0 {
                // 16 at one pixel, falling with the square of the distance.
                near.push(Near { right, down, weight: (16 / distance).max(1) as i32 });
            }
        }
    }
    near
}

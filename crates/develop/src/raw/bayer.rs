//! Bayer sensors: two of three channels of every pixel from its neighbours.
//!
//! A row is held as two: its coloured sites (red or blue, one a cell) and its green
//! ones. So every operation is dense, and a neighbour is the same array moved by a cell.
//! Steps, each a few rows ahead of the next, on coded values (see `levels`):
//!
//! 1. `gradients`: how much the picture changes along and across, at coloured sites.
//! 2. `greens`: green there, from four one-sided estimates (neighbour plus half the
//!    step of the site's own colour, Hamilton and Adams 1997), opposite ones weighed by
//!    their gradients, the two axes by gradients averaged over the neighbourhood.
//! 3. `diagonals`: the missing colour at coloured sites, as difference to green, from
//!    the four diagonal neighbours; the smoother diagonal counts more.
//! 4. `finish`: both colours at green sites, from the four neighbours, along and across
//!    weighed as the green was.
//!
//! [`Quality::Best`] weighs all four neighbours by their own gradients in steps 3 and 4.

use super::grid::Grid;
use super::lanes::Lanes;
use super::levels::Levels;
use super::options::Quality;
use super::ring::{CELLS, Ring, Row};
use super::sensor::Sensor;
use super::sites::Sites;

mod bad_pixels;

/// Keeps a sum of gradients from being zero: about the noise of a good sensor.
const NOISE: i16 = 49;

/// Rows that step 1 is ahead of the finished one, by quality; samples are 3 more.
const fn ahead(quality: Quality) -> isize {
    match quality {
        Quality::Fast => 4,
        Quality::Best => 7,
    }
}

/// Interpolates a Bayer sensor, row by row, band by band.
pub(crate) struct Bayer<'a> {
    sensor: &'a Sensor,
    levels: &'a Levels,
    grid: Grid,
    quality: Quality,
    /// First cell of the band, halo included.
    first: isize,
    /// Samples of a row that had to be mirrored.
    mirrored: Vec<u16>,
    colour: Ring,
    green: Ring,
    across: Ring,
    down: Ring,
    /// Green at coloured sites, and the own colour's difference to it.
    filled: Ring,
    own: Ring,
    /// How much the horizontal axis counted.
    weight: Ring,
    /// The other colour's difference to green at coloured sites.
    other: Ring,
}

/// A coloured row: which column of a cell is coloured, and whether that is red.
#[derive(Clone, Copy)]
struct Kind {
    column: isize,
    red: bool,
}

impl<'a> Bayer<'a> {
    pub(crate) fn new(sensor: &'a Sensor, levels: &'a Levels, grid: Grid, quality: Quality) -> Self {
        let ring = Ring::new;
        Self {
            sensor,
            levels,
            grid,
            quality,
            first: 0,
            mirrored: vec![0; 2 * CELLS],
            colour: ring(),
            green: ring(),
            across: ring(),
            down: ring(),
            filled: ring(),
            own: ring(),
            weight: ring(),
            other: ring(),
        }
    }

    /// Begins a band; answers the row to begin with so that row -1 comes out right.
    pub(crate) fn begin(&mut self, first: isize) -> isize {
        self.first = first;
        -2 * (ahead(self.quality) + 4)
    }

    fn kind(&self, y: isize) -> Kind {
        let (x, y) = (self.grid.column(0), self.grid.row(y));
        let colour = self.sensor.layout.colour(x, y, 0);
        let column = isize::from(colour == 1);
        Kind { column, red: self.sensor.layout.colour(x.wrapping_add(column as usize), y, 0) == 0 }
    }

    /// Takes in the row that is due and finishes row `y` into `out`.
    #[inline(always)]
    pub(crate) fn row<L: Lanes>(&mut self, y: isize, out: &mut Sites) {
        let lead = ahead(self.quality);
        self.samples::<L>(y + lead + 3);
        self.gradients::<L>(y + lead);
        self.greens::<L>(y + lead - 2);
        match self.quality {
            Quality::Fast => {
                self.diagonals::<L>(y + 1);
                self.finish::<L>(y, out);
            }
            Quality::Best => {
                self.diagonals_weighed::<L>(y + 3);
                self.finish_weighed::<L>(y, out);
            }
        }
    }

    /// Codes the samples of a row.
    #[inline(always)]
    fn samples<L: Lanes>(&mut self, y: isize) {
        let at = self.grid.row(y);
        let kind = self.kind(y);
        let source = self.sensor.row(at);
        let begin = self.grid.x + 2 * self.first;
        let within = self.grid.within;
        let (start, end) = (within.x as isize, within.x.saturating_add(within.width) as isize);
        // Cells of the band that lie outside are mirrored, one by one; the others, nearly always all, are copied.
        let inside =
            (start - begin).clamp(0, 2 * CELLS as isize) as usize..(end - begin).clamp(0, 2 * CELLS as isize) as usize;
        let direct = source.get((begin.max(start) as usize)..).and_then(|rest| rest.get(..inside.len()));
        let samples = match direct {
            Some(samples) if samples.len() == 2 * CELLS => samples,
            _ => {
                let inside = if direct.is_some() { inside } else { 0..0 };
                for (place, x) in self
                    .mirrored
                    .iter_mut()
                    .zip(2 * self.first..)
                    .enumerate()
                    .filter_map(|(i, cell)| (!inside.contains(&i)).then_some(cell))
                {
                    *place = source.get(self.grid.column(x)).copied().unwrap_or(0);
                }
                if let (Some(to), Some(from)) = (self.mirrored.get_mut(inside), direct) {
                    to.copy_from_slice(from);
                }
                &self.mirrored
            }
        };
        let encode = self.levels.encode(self.sensor, self.grid.column(0), at);
        let (mut colour, mut green) = (self.colour.take(y), self.green.take(y));
        {
            let (colour, green) = (colour.cells(), green.cells());
            let mut cell = 0;
            while cell < CELLS {
                let (even, odd) = L::encode(samples, 2 * cell, &encode);
                let (c, g) = if kind.column == 0 { (even, odd) } else { (odd, even) };
                c.store(colour, cell);
                g.store(green, cell);
                cell += L::N;
            }
        }
        bad_pixels::mend::<L>(
            self.sensor,
            self.levels,
            &self.grid,
            (self.first, y),
            kind.column,
            &mut colour,
            &mut green,
        );
        self.colour.put(y, colour);
        self.green.put(y, green);
    }

    /// Step 1: three times the change between neighbours and twice that of the next, by axis.
    #[inline(always)]
    fn gradients<L: Lanes>(&mut self, y: isize) {
        let k = self.kind(y).column;
        let (mut across, mut down) = (self.across.take(y), self.down.take(y));
        let (c, g) = (&self.colour, &self.green);
        let (c0, g0) = (c.row(y), g.row(y));
        let (centre, left2, right2) = (c0.from(0), c0.from(-1), c0.from(1));
        let (left, right, left3, right3) = (g0.from(k - 1), g0.from(k), g0.from(k - 2), g0.from(k + 1));
        let (up, down1) = (g.row(y - 1).from(0), g.row(y + 1).from(0));
        let (up2, down2) = (c.row(y - 2).from(0), c.row(y + 2).from(0));
        let (up3, down3) = (g.row(y - 3).from(0), g.row(y + 3).from(0));
        let (to_across, to_down) = (across.cells(), down.cells());
        let mut i = 0;
        while i < CELLS {
            let v = L::load(centre, i);
            change(v, load3([left, left2, left3], i), load3([right, right2, right3], i)).store(to_across, i);
            change(v, load3([up, up2, up3], i), load3([down1, down2, down3], i)).store(to_down, i);
            i += L::N;
        }
        self.across.put(y, across);
        self.down.put(y, down);
    }

    /// Step 2.
    #[inline(always)]
    fn greens<L: Lanes>(&mut self, y: isize) {
        let k = self.kind(y).column;
        let (mut filled, mut own, mut weight) = (self.filled.take(y), self.own.take(y), self.weight.take(y));
        let (across, down) = (around(&self.across, y, k), around(&self.down, y, k));
        let (c, g) = (&self.colour, &self.green);
        let (c0, g0) = (c.row(y), g.row(y));
        let centre = c0.from(0);
        // By direction: the first, second, third and fourth neighbour.
        let rays: [[&[i16]; 4]; 4] = [
            [g0.from(k - 1), c0.from(-1), g0.from(k - 2), c0.from(-2)],
            [g0.from(k), c0.from(1), g0.from(k + 1), c0.from(2)],
            [g.row(y - 1).from(0), c.row(y - 2).from(0), g.row(y - 3).from(0), c.row(y - 4).from(0)],
            [g.row(y + 1).from(0), c.row(y + 2).from(0), g.row(y + 3).from(0), c.row(y + 4).from(0)],
        ];
        let (to_filled, to_own, to_weight) = (filled.cells(), own.cells(), weight.cells());
        let mut i = 0;
        while i < CELLS {
            let horizontal = smooth::<L>(&down, i).share_squared(smooth::<L>(&across, i));
            let v = L::load(centre, i);
            let vertical = green_along(v, load4(rays[2], i), load4(rays[3], i));
            let value =
                vertical.towards(green_along(v, load4(rays[0], i), load4(rays[1], i)), horizontal).not_negative();
            value.store(to_filled, i);
            v.sub(value).store(to_own, i);
            horizontal.store(to_weight, i);
            i += L::N;
        }
        self.filled.put(y, filled);
        self.own.put(y, own);
        self.weight.put(y, weight);
    }

    /// Step 3, fast: the two diagonals weighed by how much difference and green change along them.
    #[inline(always)]
    fn diagonals<L: Lanes>(&mut self, y: isize) {
        let k = self.kind(y).column;
        let mut other = self.other.take(y);
        let (differences, greens) = (aslant(&self.own, y, k), aslant(&self.filled, y, k));
        let centre = self.filled.row(y).from(0);
        let to = other.cells();
        let mut i = 0;
        while i < CELLS {
            let [a, b, c, d] = load4::<L>(differences, i);
            let [ga, gb, gc, gd] = load4::<L>(greens, i);
            let g = L::load(centre, i);
            let noise = L::splat(NOISE);
            let first = a.gap(b).add(ga.gap(g)).add(gb.gap(g)).add(noise);
            let second = first.share_squared(c.gap(d).add(gc.gap(g)).add(gd.gap(g)).add(noise));
            a.halfway(b).towards(c.halfway(d), second).store(to, i);
            i += L::N;
        }
        self.other.put(y, other);
    }

    /// Step 4, fast.
    #[inline(always)]
    fn finish<L: Lanes>(&mut self, y: isize, out: &mut Sites) {
        let kind = self.kind(y);
        let k = kind.column;
        let (own, other, weight) = (self.own.row(y), self.other.row(y), self.weight.row(y));
        let (own_beside, other_beside, weight_beside) = (beside(own, k), beside(other, k), beside(weight, k));
        let (own_vertical, other_vertical) = (above_and_below(&self.other, y), above_and_below(&self.own, y));
        let weight_vertical = above_and_below(&self.weight, y);
        let (colour, filled, green) =
            (self.colour.row(y).from(0), self.filled.row(y).from(0), self.green.row(y).from(0));
        let other = other.from(0);
        let [mut coloured, mut greens] = out.by_column(kind.column, kind.red);
        let mut i = 0;
        while i < CELLS {
            let g = L::load(filled, i);
            coloured.store(i, [L::load(colour, i), g, g.add(L::load(other, i)).not_negative()]);
            let [w0, w1] = load2::<L>(weight_beside, i);
            let [w2, w3] = load2::<L>(weight_vertical, i);
            let horizontal = w0.mean(w1).mean(w2.mean(w3));
            let g = L::load(green, i);
            let own = pair::<L>(own_vertical, i).towards(pair(own_beside, i), horizontal);
            let other = pair::<L>(other_vertical, i).towards(pair(other_beside, i), horizontal);
            greens.store(i, [g.add(own).not_negative(), g, g.add(other).not_negative()]);
            i += L::N;
        }
    }

    /// Step 3, best: all four diagonal neighbours weighed by their own gradients.
    #[inline(always)]
    fn diagonals_weighed<L: Lanes>(&mut self, y: isize) {
        let k = self.kind(y).column;
        let mut other = self.other.take(y);
        // By diagonal direction: the other colour one and three steps away, green two
        // steps away, the difference one step away.
        let ray = |down: isize, right: isize| -> [&[i16]; 4] {
            // A cell to the side, for one, two and three steps.
            let one = if right > 0 { k } else { k - 1 };
            let (two, three) = (right, one + right);
            [
                self.colour.row(y + down).from(one),
                self.colour.row(y + 3 * down).from(three),
                self.filled.row(y + 2 * down).from(two),
                self.own.row(y + down).from(one),
            ]
        };
        let rays = [ray(-1, -1), ray(1, 1), ray(-1, 1), ray(1, -1)];
        let centre = self.filled.row(y).from(0);
        let to = other.cells();
        let mut i = 0;
        while i < CELLS {
            let g = L::load(centre, i);
            let (first, rough_first) = colour_along(g, load4(rays[0], i), load4(rays[1], i));
            let (second, rough_second) = colour_along(g, load4(rays[2], i), load4(rays[3], i));
            first.towards(second, rough_first.share_squared(rough_second)).store(to, i);
            i += L::N;
        }
        self.other.put(y, other);
    }

    /// Step 4, best.
    #[inline(always)]
    fn finish_weighed<L: Lanes>(&mut self, y: isize, out: &mut Sites) {
        let kind = self.kind(y);
        let k = kind.column;
        let greens = self.green.row(y);
        // Neighbours of a green site in its row: coloured ones one and three steps away,
        // green ones two steps away; above and below the two colours change parts.
        let in_row = |one: isize, three: isize| -> [[&[i16]; 2]; 3] {
            let (own, other, filled) = (self.own.row(y), self.other.row(y), self.filled.row(y));
            [
                [own.from(one), own.from(three)],
                [other.from(one), other.from(three)],
                [filled.from(one), filled.from(three)],
            ]
        };
        let vertical = |down: isize| -> [[&[i16]; 2]; 3] {
            let (one, three) = (y + down, y + 3 * down);
            [
                [self.other.row(one).from(0), self.other.row(three).from(0)],
                [self.own.row(one).from(0), self.own.row(three).from(0)],
                [self.filled.row(one).from(0), self.filled.row(three).from(0)],
            ]
        };
        let rays = [in_row(-k, -k - 1), in_row(1 - k, 2 - k), vertical(-1), vertical(1)];
        let second = [greens.from(-1), greens.from(1), self.green.row(y - 2).from(0), self.green.row(y + 2).from(0)];
        let weights = [
            self.weight.row(y).from(-k),
            self.weight.row(y).from(1 - k),
            self.weight.row(y - 1).from(0),
            self.weight.row(y + 1).from(0),
        ];
        let centre = greens.from(0);
        let (colour, filled, other) =
            (self.colour.row(y).from(0), self.filled.row(y).from(0), self.other.row(y).from(0));
        let [mut coloured, mut green_sites] = out.by_column(kind.column, kind.red);
        let mut i = 0;
        while i < CELLS {
            let g = L::load(filled, i);
            coloured.store(i, [L::load(colour, i), g, g.add(L::load(other, i)).not_negative()]);
            let g = L::load(centre, i);
            let [w0, w1, w2, w3] = load4::<L>(weights, i);
            let horizontal = w0.mean(w1).mean(w2.mean(w3));
            let [west2, east2, north2, south2] = load4::<L>(second, i);
            let noise = L::splat(NOISE);
            let steps =
                [g.gap(west2).add(noise), g.gap(east2).add(noise), g.gap(north2).add(noise), g.gap(south2).add(noise)];
            let own = around_green(&rays, 0, steps, horizontal, i);
            let other = around_green(&rays, 1, steps, horizontal, i);
            green_sites.store(i, [g.add(own).not_negative(), g, g.add(other).not_negative()]);
            i += L::N;
        }
    }
}

/// A coloured site, then the sites of rows of the same kind: beside it, two rows away, aslant.
#[inline(always)]
fn around(ring: &Ring, y: isize, k: isize) -> [&[i16]; 9] {
    let (row, above, below) = (ring.row(y), ring.row(y - 1), ring.row(y + 1));
    let (above2, below2) = (ring.row(y - 2), ring.row(y + 2));
    [
        row.from(0),
        row.from(-1),
        row.from(1),
        above2.from(0),
        below2.from(0),
        above.from(k - 1),
        above.from(k),
        below.from(k - 1),
        below.from(k),
    ]
}

/// The coloured sites aslant of one: the ends of the first diagonal, then of the second.
#[inline(always)]
fn aslant(ring: &Ring, y: isize, k: isize) -> [&[i16]; 4] {
    let (above, below) = (ring.row(y - 1), ring.row(y + 1));
    [above.from(k - 1), below.from(k), above.from(k), below.from(k - 1)]
}

/// The coloured sites beside a green one.
#[inline(always)]
fn beside(row: &Row, k: isize) -> [&[i16]; 2] {
    [row.from(-k), row.from(1 - k)]
}

/// The coloured sites above and below a green one.
#[inline(always)]
fn above_and_below(ring: &Ring, y: isize) -> [&[i16]; 2] {
    [ring.row(y - 1).from(0), ring.row(y + 1).from(0)]
}

// The arithmetic of the steps, for one register. Functions rather than closures: only a
// function can be told to become part of its caller, which the instruction sets need.

#[inline(always)]
fn load2<L: Lanes>(rows: [&[i16]; 2], i: usize) -> [L; 2] {
    [L::load(rows[0], i), L::load(rows[1], i)]
}

#[inline(always)]
fn load3<L: Lanes>(rows: [&[i16]; 3], i: usize) -> [L; 3] {
    [L::load(rows[0], i), L::load(rows[1], i), L::load(rows[2], i)]
}

#[inline(always)]
fn load4<L: Lanes>(rows: [&[i16]; 4], i: usize) -> [L; 4] {
    [L::load(rows[0], i), L::load(rows[1], i), L::load(rows[2], i), L::load(rows[3], i)]
}

#[inline(always)]
fn pair<L: Lanes>(rows: [&[i16]; 2], i: usize) -> L {
    L::load(rows[0], i).halfway(L::load(rows[1], i))
}

/// Change along an axis at a coloured site, from its neighbours at one to three steps.
#[inline(always)]
fn change<L: Lanes>(v: L, a: [L; 3], b: [L; 3]) -> L {
    let near = v.gap(a[1]).add(v.gap(b[1])).add(a[0].gap(b[0]));
    let far = a[2].gap(a[0]).add(b[2].gap(b[0]));
    near.shr::<1>().add(near.shr::<2>()).add(far.shr::<1>())
}

/// Mean of a gradient over a site (a quarter), the four beside it (a quarter) and the four
/// aslant (a half).
#[inline(always)]
fn smooth<L: Lanes>(rows: &[&[i16]; 9], i: usize) -> L {
    let straight = L::load(rows[1], i).mean(L::load(rows[2], i)).mean(L::load(rows[3], i).mean(L::load(rows[4], i)));
    let slanted = L::load(rows[5], i).mean(L::load(rows[6], i)).mean(L::load(rows[7], i).mean(L::load(rows[8], i)));
    L::load(rows[0], i).mean(straight).mean(slanted).add(L::splat(1))
}

/// Green from two opposite directions, each with neighbours at one to four steps.
#[inline(always)]
fn green_along<L: Lanes>(v: L, a: [L; 4], b: [L; 4]) -> L {
    let between = a[0].gap(b[0]).add(L::splat(NOISE));
    let rough_a = between.add(v.gap(a[1])).add(a[0].gap(a[2])).add(a[1].gap(a[3]));
    let rough_b = between.add(v.gap(b[1])).add(b[0].gap(b[2])).add(b[1].gap(b[3]));
    let from_a = a[0].add(v.sub(a[1]).shr::<1>());
    let from_b = b[0].add(v.sub(b[1]).shr::<1>());
    from_a.towards(from_b, rough_a.share(rough_b))
}

/// The other colour's difference from two opposite diagonals, and how rough they are.
#[inline(always)]
fn colour_along<L: Lanes>(g: L, a: [L; 4], b: [L; 4]) -> (L, L) {
    let between = a[0].gap(b[0]).add(L::splat(NOISE));
    let rough_a = between.add(a[0].gap(a[1])).add(g.gap(a[2]));
    let rough_b = between.add(b[0].gap(b[1])).add(g.gap(b[2]));
    (a[3].towards(b[3], rough_a.share(rough_b)), rough_a.shr::<1>().add(rough_b.shr::<1>()))
}

/// A colour's difference at a green site from its neighbours west, east, north, south.
#[inline(always)]
fn around_green<L: Lanes>(rays: &[[[&[i16]; 2]; 3]; 4], channel: usize, steps: [L; 4], horizontal: L, i: usize) -> L {
    let across = between_two(&rays[0], &rays[1], channel, steps[0], steps[1], i);
    let down = between_two(&rays[2], &rays[3], channel, steps[2], steps[3], i);
    down.towards(across, horizontal)
}

/// A colour's difference from two opposite neighbours, weighed by their gradients.
#[inline(always)]
fn between_two<L: Lanes>(a: &[[&[i16]; 2]; 3], b: &[[&[i16]; 2]; 3], channel: usize, a2: L, b2: L, i: usize) -> L {
    let [near_a, one_a, three_a] = look::<L>(a, channel, i);
    let [near_b, one_b, three_b] = look::<L>(b, channel, i);
    let between = one_a.gap(one_b);
    let rough_a = between.add(a2).add(one_a.gap(three_a));
    let rough_b = between.add(b2).add(one_b.gap(three_b));
    near_a.towards(near_b, rough_a.share(rough_b))
}

/// A colour's difference one step away, and the colour itself one and three steps away.
#[inline(always)]
fn look<L: Lanes>(ray: &[[&[i16]; 2]; 3], channel: usize, i: usize) -> [L; 3] {
    let difference = if channel == 0 { ray[0] } else { ray[1] };
    let [near, far] = load2::<L>(difference, i);
    let [green_one, green_three] = load2::<L>(ray[2], i);
    [near, green_one.add(near), green_three.add(far)]
}

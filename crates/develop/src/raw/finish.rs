//! From coded camera colours to what is shown: highlights, matrix, curve, sharpening.
//!
//! Takes finished rows of `Sites` one after the other and hands bytes to an [`Output`].
//! Luma is sharpened one row late, when the row below is known. All steps but the curve,
//! which is a table, are the same few operations on many pixels at a time.

use super::colour::{self, Matrix};
use super::lanes::{Lanes, Mix};
use super::levels::{Levels, ONE};
use super::output::Output;
use super::ring::{CELLS, Ring, Row};
use super::sites::{Channels, Sites};
use super::tone::{self, Look, TABLE};

/// Coded distance below the full level at which a channel begins to count as clipped.
const NEAR_FULL: i16 = 328;
/// Coded distance over which it comes to count wholly, as a power of two.
const RAMP: i32 = 7;

/// Weights of red, green, blue in luma (ITU-R BT.601, as JPEG has it), 32768 is one.
const LUMA: [i16; 3] = [9798, 19235, 3735];
/// `0.5 / (1 - 0.114)` and `0.5 / (1 - 0.299)`, 32768 is one.
const CHROMA: [i16; 2] = [18492, 23372];
/// The middle of the chroma range, with 6 bits of fraction.
const MIDDLE: i16 = 128 << 6;

/// How much luma is sharpened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sharpen {
    /// Part of the detail that is added; 32768 is one.
    pub(crate) amount: i16,
    /// Detail of this size and below is left alone, in 64ths of a level.
    pub(crate) threshold: i16,
    /// No pixel is changed by more, in 64ths of a level.
    pub(crate) most: i16,
}

/// The last part of the pass.
pub(crate) struct Finish<'a> {
    mix: Mix,
    tables: [Box<[i16; TABLE]>; 3],
    near_full: [i16; 3],
    sharpen: Sharpen,
    index: [Row; 3],
    /// Shown red, green, blue of both columns, 6 bits of fraction.
    shown: [[Ring; 3]; 2],
    luma: [Ring; 2],
    /// Vertically smoothed luma of both columns.
    smooth: [Row; 2],
    /// Mean red, blue and luma of the cells' first rows.
    first_row: [Row; 3],
    output: &'a mut Output,
}

impl<'a> Finish<'a> {
    pub(crate) fn new(
        levels: &Levels,
        camera_to_srgb: &Matrix,
        look: &Look,
        gain: f32,
        sharpen: Sharpen,
        output: &'a mut Output,
    ) -> Self {
        let ring = || [Ring::new(), Ring::new(), Ring::new()];
        let row = || [Row::new(), Row::new(), Row::new()];
        Self {
            mix: mix(&colour::product(&look.mix, camera_to_srgb), levels.floor, gain),
            tables: look.curves.each_ref().map(tone::table),
            near_full: levels.full.map(|full| full.saturating_sub(NEAR_FULL)),
            sharpen,
            index: row(),
            shown: [ring(), ring()],
            luma: [Ring::new(), Ring::new()],
            smooth: [Row::new(), Row::new()],
            first_row: row(),
            output,
        }
    }

    /// Begins a band at its first cell, halo included.
    pub(crate) fn begin(&mut self, first: isize) {
        self.output.begin(first);
    }

    /// Takes row `y` in (from -1 to the height, so that the outermost rows have neighbours)
    /// and puts out what has become complete.
    #[inline(always)]
    pub(crate) fn row<L: Lanes>(&mut self, y: isize, sites: &Sites) {
        let height = self.output.height();
        for (column, channels) in sites.0.iter().enumerate() {
            self.show::<L>(y, column, channels);
        }
        if self.output.has_chroma() && (0..height).contains(&y) {
            self.chroma::<L>(y);
        }
        if (0..height).contains(&(y - 1)) {
            self.sharpened::<L>(y - 1);
        }
    }

    /// Matrix and curve of one column's sites, and their luma.
    #[inline(always)]
    fn show<L: Lanes>(&mut self, y: isize, column: usize, channels: &Channels) {
        let [red, green, blue] = channels.0.each_ref().map(|row| row.from(0));
        {
            let [ir, ig, ib] = self.index.each_mut().map(Row::cells);
            let mut i = 0;
            while i < CELLS {
                let coded = [L::load(red, i), L::load(green, i), L::load(blue, i)];
                let [r, g, b] = rescue(coded, self.near_full);
                let [r, g, b] = L::index(r, g, b, &self.mix);
                r.store(ir, i);
                g.store(ig, i);
                b.store(ib, i);
                i += L::N;
            }
        }
        let Some(rings) = self.shown.get_mut(column) else { return };
        let mut rows = rings.each_mut().map(|ring| ring.take(y));
        for ((row, index), table) in rows.iter_mut().zip(&self.index).zip(&self.tables) {
            look_up(index.from(0), table, row.cells());
        }
        let Some(ring) = self.luma.get_mut(column) else { return };
        let mut luma = ring.take(y);
        {
            let [red, green, blue] = rows.each_ref().map(|row| row.from(0));
            let to = luma.cells();
            let weights = [L::splat(LUMA[0]), L::splat(LUMA[1]), L::splat(LUMA[2])];
            let mut i = 0;
            while i < CELLS {
                let red_green = L::load(red, i).scaled(weights[0]).add(L::load(green, i).scaled(weights[1]));
                red_green.add(L::load(blue, i).scaled(weights[2])).store(to, i);
                i += L::N;
            }
        }
        ring.put(y, luma);
        for (ring, row) in rings.iter_mut().zip(rows) {
            ring.put(y, row);
        }
    }

    /// Chroma of the cells, from the mean of their four pixels.
    #[inline(always)]
    fn chroma<L: Lanes>(&mut self, y: isize) {
        let [even, odd] = &self.shown;
        let rows = [
            [even[0].row(y).from(0), odd[0].row(y).from(0)],
            [even[2].row(y).from(0), odd[2].row(y).from(0)],
            [self.luma[0].row(y).from(0), self.luma[1].row(y).from(0)],
        ];
        let [red, blue, luma] = self.first_row.each_mut().map(Row::cells);
        let mut i = 0;
        if y % 2 == 0 {
            while i < CELLS {
                L::load(rows[0][0], i).mean(L::load(rows[0][1], i)).store(red, i);
                L::load(rows[1][0], i).mean(L::load(rows[1][1], i)).store(blue, i);
                L::load(rows[2][0], i).mean(L::load(rows[2][1], i)).store(luma, i);
                i += L::N;
            }
            return;
        }
        let Some([to_blue, to_red]) = self.output.chroma_rows(y / 2) else { return };
        let middle = L::splat(MIDDLE);
        while i < CELLS {
            let r = L::load(rows[0][0], i).mean(L::load(rows[0][1], i)).mean(L::load(red, i));
            let b = L::load(rows[1][0], i).mean(L::load(rows[1][1], i)).mean(L::load(blue, i));
            let l = L::load(rows[2][0], i).mean(L::load(rows[2][1], i)).mean(L::load(luma, i));
            b.sub(l).scaled(L::splat(CHROMA[0])).add(middle).store_bytes(to_blue, i);
            r.sub(l).scaled(L::splat(CHROMA[1])).add(middle).store_bytes(to_red, i);
            i += L::N;
        }
    }

    /// Sharpens the luma of a row whose neighbours are known, and puts the row out.
    #[inline(always)]
    fn sharpened<L: Lanes>(&mut self, y: isize) {
        for (ring, to) in self.luma.iter().zip(&mut self.smooth) {
            let (above, row, below) = (ring.row(y - 1).from(0), ring.row(y).from(0), ring.row(y + 1).from(0));
            let to = to.cells();
            let mut i = 0;
            while i < CELLS {
                L::load(above, i).mean(L::load(below, i)).mean(L::load(row, i)).store(to, i);
                i += L::N;
            }
        }
        let [even, odd] = [self.luma[0].row(y).from(0), self.luma[1].row(y).from(0)];
        let [smooth_even, smooth_odd] = [self.smooth[0].from(0), self.smooth[1].from(0)];
        let (odd_before, even_after) = (self.smooth[1].from(-1), self.smooth[0].from(1));
        let sharpen = self.sharpen;
        if let Some(to) = self.output.luma_row(y) {
            let mut i = 0;
            while i < CELLS {
                let (e, o) = (L::load(even, i), L::load(odd, i));
                let (se, so) = (L::load(smooth_even, i), L::load(smooth_odd, i));
                let e = e.add(detail(e, L::load(odd_before, i).mean(so).mean(se), sharpen));
                let o = o.add(detail(o, se.mean(L::load(even_after, i)).mean(so), sharpen));
                L::store_bytes_woven(e, o, to, 2 * i);
                i += L::N;
            }
        } else {
            // The same detail for red, green and blue.
            let [to_even, to_odd, _] = self.index.each_mut().map(Row::cells);
            let mut i = 0;
            while i < CELLS {
                let (e, o) = (L::load(even, i), L::load(odd, i));
                let (se, so) = (L::load(smooth_even, i), L::load(smooth_odd, i));
                detail(e, L::load(odd_before, i).mean(so).mean(se), sharpen).store(to_even, i);
                detail(o, se.mean(L::load(even_after, i)).mean(so), sharpen).store(to_odd, i);
                i += L::N;
            }
            let [shown_even, shown_odd] = &self.shown;
            let columns = [shown_even, shown_odd].map(|rings| rings.each_ref().map(|ring| ring.row(y).from(0)));
            let details = [self.index[0].from(0), self.index[1].from(0)];
            self.output.rgb_row(y, columns, details);
        }
        self.output.row_done(y);
    }
}

/// Multipliers of squared coded values for a linear map, on the scale of the indices.
fn mix(matrix: &Matrix, floor: f32, gain: f32) -> Mix {
    let (scale, constant) = tone::to_index_scale();
    Mix(matrix.map(|row| {
        let [r, g, b] = row.map(|v| v * gain * scale / (ONE * ONE));
        let sum: f32 = row.iter().sum();
        [r, g, b, constant - sum * floor * gain * scale]
    }))
}

/// Keeps clipped areas without colour.
///
/// A channel that is full is at least the mean of the other two; where all are full, all
/// are the same. Nothing happens to a register without a full value.
#[inline(always)]
fn rescue<L: Lanes>([r, g, b]: [L; 3], near: [i16; 3]) -> [L; 3] {
    let (tr, tg, tb) = (fullness(r, near[0]), fullness(g, near[1]), fullness(b, near[2]));
    if !tr.or(tg).or(tb).any() {
        return [r, g, b];
    }
    let (r, g, b) = (r.towards(r.max(g.mean(b)), tr), g.towards(g.max(r.mean(b)), tg), b.towards(b.max(r.mean(g)), tb));
    let (all, most) = (tr.min(tg).min(tb), r.max(g).max(b));
    [r.towards(most, all), g.towards(most, all), b.towards(most, all)]
}

/// How full a channel is, as a weight.
#[inline(always)]
fn fullness<L: Lanes>(v: L, near: i16) -> L {
    v.sub(L::splat(near)).not_negative().min(L::splat((1 << RAMP) - 1)).shl::<{ 15 - RAMP }>()
}

/// What is added to a pixel: its difference to the smooth picture, less the threshold.
#[inline(always)]
fn detail<L: Lanes>(v: L, smooth: L, by: Sharpen) -> L {
    let (threshold, most) = (L::splat(by.threshold), L::splat(by.most));
    let zero = L::splat(0);
    let difference = v.sub(smooth);
    let small = difference.min(threshold).max(zero.sub(threshold));
    difference.sub(small).scaled(L::splat(by.amount)).min(most).max(zero.sub(most))
}

/// Values of a table at indices; the one step that goes pixel by pixel.
#[inline(always)]
fn look_up(index: &[i16], table: &[i16; TABLE], to: &mut [i16]) {
    for (to, index) in to.iter_mut().zip(index) {
        *to = table.get(usize::from(*index as u16)).copied().unwrap_or(0);
    }
}

//! Land and water: ridges, forests, meadows, lakes.

use super::paint::{Band, Colour, blend, lit};
use super::texture::{Texture, along};
use crate::raw::grain::Random;

/// A line of hills or mountains before the sky. Heights in thousandths of the shorter side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ridge {
    pub(crate) seed: u64,
    /// Where its feet are, from the top.
    pub(crate) foot: i32,
    /// How high it rises above them at most.
    pub(crate) rise: i32,
    /// How wide its widest mountain is.
    pub(crate) span: i32,
    /// How rough it is: octaves of noise.
    pub(crate) octaves: u32,
    /// Colours of crest and foot.
    pub(crate) crest: Colour,
    pub(crate) base: Colour,
    /// How strongly light and shadow show on it, 0 to 256.
    pub(crate) relief: i32,
    /// The colour of snow, and how far below the highest crest it reaches (thousandths; 0 is no snow).
    pub(crate) snow: (Colour, i32),
}

impl Ridge {
    /// The row of the crest in a column.
    fn crest_at(&self, band: &Band<'_>, x: i32) -> i32 {
        let place = (i64::from(x) << 24) / (i64::from(self.span) * band.unit).max(1);
        let height = along(self.seed, place, self.octaves);
        band.px(self.foot) - ((i64::from(band.px(self.rise)) * i64::from(height)) >> 16) as i32
    }

    pub(crate) fn paint(&self, band: &mut Band<'_>) {
        let crests: Vec<i32> = (0..band.width).map(|x| self.crest_at(band, x)).collect();
        let foot = band.px(self.foot);
        let highest = crests.iter().copied().min().unwrap_or(foot);
        let texture = Texture::shared();
        let pace = band.pace(2);
        let snow_line = foot - band.px(self.rise) + band.px(self.snow.1);
        // What stands before it covers the rest.
        let bottom = foot + band.px(180);
        let unit = band.unit;
        for (y, mut row) in band.rows_between(highest, bottom) {
            let mut crests = crests.iter();
            row.cover(0, crests.len() as i32, |x| {
                let crest = crests.next().copied().unwrap_or(bottom);
                if y < crest {
                    return (self.crest, 0);
                }
                let deep = (y - crest) * 256 / (foot - crest).max(1);
                let mut colour = blend(self.crest, self.base, deep.min(256));
                if self.relief > 0 && y < foot {
                    let (u, v) = (i64::from(x) * pace + self.seed as u16 as i64 * 65_536, i64::from(y) * pace);
                    let (here, beside) = (texture.at(u, v), texture.at(u + (3 << 16), v + (2 << 16)));
                    let slope = (((here - beside) * self.relief) >> 13).clamp(-150, 150);
                    if self.snow.1 > 0 && y < snow_line + (((here - 32_768) as i64 * unit) >> 16) as i32 {
                        colour = blend(self.snow.0, colour, (40 - slope).clamp(0, 200));
                    }
                    colour = lit(colour, 256 + slope);
                }
                // The crest's edge is a pixel soft.
                (colour, if y == crest { 128 } else { 256 })
            });
        }
    }
}

/// Water from `shore` (pixels) down: what lies above it, mirrored, moved by ripples, and tinted.
/// `above` are the rows from the top to the shore.
pub(crate) fn water(band: &mut Band<'_>, above: &[u8], shore: i32, tint: Colour, strength: i32) {
    let texture = Texture::shared();
    let length = band.width.max(1) as usize * 3;
    let (unit, pace) = (band.px(1000).max(1), band.pace(2));
    let (width, bottom) = (band.width, band.height);
    for (y, mut row) in band.rows_between(shore, bottom) {
        let deep = y - shore;
        // Ripples are larger near the viewer.
        let near = 24 + deep * 400 / unit;
        row.fill(|x| {
            let wave =
                texture.at(i64::from(x) * pace * 24 / i64::from(near), i64::from(deep) * pace * 160 / i64::from(near));
            let move_by = ((wave - 32_768) as i64 * i64::from(unit * near) / 32_768 / 9000) as i32;
            let from_y = (shore - 1 - deep + move_by).clamp(0, shore - 1);
            let from_x = (x + move_by / 3).clamp(0, width - 1);
            let mirrored = match above.get(from_y as usize * length + from_x as usize * 3..) {
                Some([r, g, b, ..]) => [i32::from(*r) << 8, i32::from(*g) << 8, i32::from(*b) << 8],
                _ => tint,
            };
            let shade = 238 + ((wave - 32_768) >> 10);
            lit(blend(mirrored, tint, (strength + deep * 60 / unit).min(256)), shade)
        });
    }
}

/// Firs on a slope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Firs {
    pub(crate) seed: u64,
    pub(crate) count: u32,
    /// Where their feet are (thousandths from the top), and how much that varies.
    pub(crate) foot: (i32, i32),
    /// The smallest and the tallest.
    pub(crate) height: (i32, i32),
    pub(crate) colour: Colour,
    /// The side where the light comes from.
    pub(crate) bright: Colour,
}

impl Firs {
    pub(crate) fn paint(&self, band: &mut Band<'_>) {
        let mut random = Random::new(self.seed);
        let width = band.width;
        for _ in 0..self.count {
            let x = random.between(-width / 20, width + width / 20);
            let foot = band.px(self.foot.0 + random.between(-self.foot.1, self.foot.1));
            let height = band.px(random.between(self.height.0, self.height.1)).max(2);
            let seed = random.next();
            fir(band, (x, foot), height, seed, (self.colour, self.bright));
        }
    }
}

/// One fir: whorls of branches that hang a little, ragged at their ends.
fn fir(band: &mut Band<'_>, (x, foot): (i32, i32), height: i32, seed: u64, (colour, bright): (Colour, Colour)) {
    let whorls = 9 + (seed % 7) as i32;
    let bottom = band.height;
    for (y, mut row) in band.rows_between(foot - height, (foot + height / 14).min(bottom)) {
        let down = y - (foot - height);
        let trunk = (height / 60).max(1);
        if y >= foot - height / 16 {
            row.cover(x - trunk, x + trunk + 1, |_| (lit(colour, 150), 256));
            continue;
        }
        let whorl = down * whorls * 256 / height;
        let hang = whorl & 255;
        let wide = (i64::from(down) * i64::from(150 + hang * 110 / 256) / 1000) as i32 + trunk.min(down / 6);
        let ragged = |side: u64| {
            (along(seed ^ side, (i64::from(down) << 22) / i64::from(height.max(1)), 3) - 32_768) * wide / 150_000
        };
        let (left, right) = (wide + ragged(1), wide + ragged(2));
        row.cover(x - left, x + right, |column| {
            let side = (x + right - column) * 256 / (left + right).max(1);
            let shade = blend(colour, bright, ((side * side) >> 9) + (hang >> 3));
            let edge = (column - (x - left)).min(x + right - 1 - column);
            (shade, if edge == 0 { 140 } else { 256 })
        });
    }
}

/// A meadow from `top` (thousandths) down: grass and flowers that grow larger towards the viewer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meadow {
    pub(crate) seed: u64,
    pub(crate) top: i32,
    pub(crate) far: Colour,
    pub(crate) near: Colour,
    /// Flowers' colours, and how many flowers.
    pub(crate) flowers: ([Colour; 3], u32),
}

impl Meadow {
    pub(crate) fn paint(&self, band: &mut Band<'_>) {
        let texture = Texture::shared();
        let (top, bottom) = (band.px(self.top), band.height);
        let crests: Vec<i32> = (0..band.width)
            .map(|x| {
                top + band.px((along(self.seed, (i64::from(x) << 24) / (700 * band.unit).max(1), 3) - 32_768) / 1100)
            })
            .collect();
        let reach = (bottom - top).max(1);
        let pace = band.pace(1);
        for (y, mut row) in band.rows_between(top - band.px(60), bottom) {
            let mut crests = crests.iter();
            row.cover(0, crests.len() as i32, |x| {
                let crest = crests.next().copied().unwrap_or(bottom);
                if y < crest {
                    return (self.far, 0);
                }
                let near = ((y - top) * 256 / reach).clamp(0, 256);
                // Blades: noise drawn out upwards, coarser near the viewer.
                let scale = i64::from(300 - near);
                let (u, v) = (i64::from(x) * pace * scale / 90, i64::from(y) * pace * scale / 520);
                let blade = texture.at(u, v) - 32_768 + (texture.at(u * 3, v * 2) - 32_768) / 2;
                let patch = texture.at(i64::from(x) * pace / 12, i64::from(y) * pace / 5) - 32_768;
                let grass = blend(self.far, self.near, near);
                (lit(grass, 256 + ((blade * (60 + near)) >> 15) + (patch >> 9)), if y == crest { 128 } else { 256 })
            });
        }
        self.flowers(band, top, reach);
    }

    fn flowers(&self, band: &mut Band<'_>, top: i32, reach: i32) {
        let mut random = Random::new(self.seed ^ 0x666c);
        let (width, unit) = (band.width, band.px(1000).max(1));
        for index in 0..self.flowers.1 {
            // Far ones first, so that near ones lie over them; more of them far away.
            let depth = (index as i64 * 1000 / i64::from(self.flowers.1.max(1))) as i32;
            let near = depth * depth / 1000;
            let y = top
                + band.px(14)
                + (i64::from(reach) * i64::from(near) / 1000) as i32
                + random.between(0, unit / 100 + 1);
            let x = random.between(0, width.max(1));
            let size = (i64::from(unit) * i64::from(3 + near / 26) / 2200) as i32 + 1;
            let [first, second, third] = self.flowers.0;
            let colour = random.pick(first, &[second, third]);
            bloom(band, (x, y), size, colour, random.between(150, 256));
        }
    }
}

/// A flower seen from the side: a flat disc, lighter above, with a dark heart.
fn bloom(band: &mut Band<'_>, at: (i32, i32), size: i32, colour: Colour, shade: i32) {
    let high = (size * 2 / 3).max(1);
    for (y, mut row) in band.rows_between(at.1 - high, at.1 + high + 1) {
        let dy = y - at.1;
        let half = size * super::paint::root(i64::from(high * high - dy * dy) << 16) / (high.max(1) << 8);
        row.cover(at.0 - half, at.0 + half + 1, |x| {
            let heart = (x - at.0).abs() * 5 < size && dy.abs() * 5 < size;
            let light = shade - dy * 50 / high;
            (if heart { lit(colour, 90) } else { lit(colour, light) }, if size < 3 { 200 } else { 256 })
        });
    }
}

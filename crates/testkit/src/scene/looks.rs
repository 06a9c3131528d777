//! The scenes: what stands where, and in which light.
//!
//! Each is a list of passes over the picture. Places are thousandths of the shorter side, colours those of a fine day
//! in the mountains.

use super::canvas::Canvas;
use super::land::{Firs, Meadow, Ridge, water};
use super::paint::{Band, Colour, hex};
use super::sky::{Clouds, Sun, sky, spot, stars};
use super::things::{Flower, balloon, birds, boat, bokeh, tent, town};
use crate::raw::grain::Random;

/// What a scene shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Misty ridges before sunrise.
    Dawn,
    /// Balloons over hills.
    Balloons,
    /// Firs in fog.
    Pines,
    /// A flower, close.
    Flower,
    /// Sailing boats with numbers.
    Regatta,
    /// Flowers before mountains.
    Meadow,
    /// Mountains mirrored in a lake.
    Lake,
    /// After sunset.
    Dusk,
    /// A town by night.
    City,
    /// The Milky Way over a tent.
    Stars,
}

impl Look {
    /// All of them, for pictures that only need to differ.
    pub(crate) const ALL: [Self; 10] = [
        Self::Lake,
        Self::Balloons,
        Self::Flower,
        Self::Dawn,
        Self::Regatta,
        Self::Meadow,
        Self::Pines,
        Self::Dusk,
        Self::City,
        Self::Stars,
    ];
}

/// Draws a scene.
pub(crate) fn draw(look: Look, seed: u64, size: (u32, u32), threads: usize) -> Canvas {
    let mut canvas = Canvas::new(size.0 as usize, size.1 as usize);
    let scene = Scene {
        seed,
        threads,
        long: i64::from(size.0) * 1000 / i64::from(size.0.min(size.1).max(1)),
        tall: i64::from(size.1) * 1000 / i64::from(size.0.min(size.1).max(1)),
    };
    match look {
        Look::Dawn => scene.dawn(&mut canvas),
        Look::Balloons => scene.balloons(&mut canvas),
        Look::Pines => scene.pines(&mut canvas),
        Look::Flower => scene.flower(&mut canvas),
        Look::Regatta => scene.regatta(&mut canvas),
        Look::Meadow => scene.meadow(&mut canvas),
        Look::Lake => scene.lake(&mut canvas),
        Look::Dusk => scene.dusk(&mut canvas),
        Look::City => scene.city(&mut canvas),
        Look::Stars => scene.stars(&mut canvas),
    }
    canvas
}

/// What all scenes know: the seed, and the picture's sides in thousandths of the shorter.
struct Scene {
    seed: u64,
    threads: usize,
    long: i64,
    tall: i64,
}

const NO_SNOW: (Colour, i32) = ([0; 3], 0);

impl Scene {
    fn random(&self) -> Random {
        Random::new(self.seed)
    }

    /// So many thousandths of the width, in thousandths of the shorter side.
    fn across(&self, thousandths: i32) -> i32 {
        (self.long * i64::from(thousandths) / 1000) as i32
    }

    /// The same of the height.
    fn down(&self, thousandths: i32) -> i32 {
        (self.tall * i64::from(thousandths) / 1000) as i32
    }

    fn paint(&self, canvas: &mut Canvas, pass: impl Fn(&mut Band<'_>) + Sync) {
        canvas.paint(self.seed, self.threads, 0, |_, band| pass(band));
    }

    /// Mirrors what is above `shore` in water below it.
    fn mirror(&self, canvas: &mut Canvas, shore: i32, tint: Colour, strength: i32) {
        let shore = canvas.px(shore);
        canvas.paint(self.seed, self.threads, shore, |above, band| water(band, above, shore, tint, strength));
    }

    /// Ridges one before the other, from the far ones in `haze` to the near ones in `near`.
    fn ridges(&self, band: &mut Band<'_>, feet: (i32, i32), colours: (Colour, Colour), count: i32) {
        for index in 0..count {
            let step = index * 256 / (count - 1).max(1);
            let crest = super::paint::blend(colours.0, colours.1, step);
            let foot = feet.0 + (feet.1 - feet.0) * (index + 1) / count;
            Ridge {
                seed: self.seed.wrapping_add(index as u64 * 77),
                foot: foot + 60,
                rise: 250 - index * 14,
                span: 620 - index * 60,
                octaves: 5 + index as u32 / 2,
                crest,
                // Mist lies in the valleys.
                base: super::paint::blend(crest, colours.0, 150),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
        }
    }

    fn dawn(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let sun = (self.across(random.between(300, 700)), self.down(440));
        self.paint(canvas, |band| {
            let palette = [
                (0, hex(0x2f4a7d)),
                (380, hex(0x8d86a8)),
                (640, hex(0xf0a184)),
                (860, hex(0xffd19a)),
                (1000, hex(0xffe3b8)),
            ];
            let disc = Sun { at: sun, radius: 34, colour: hex(0xffe9b0), glow: 620 };
            let clouds = Clouds { light: hex(0xffb48a), shade: hex(0x7a6f96), cover: 480, scale: 5 };
            sky(band, band.px(self.down(620)), &palette, Some(disc), Some(clouds));
            self.ridges(band, (self.down(520), self.down(980)), (hex(0xe8b69a), hex(0x14202e)), 7);
            birds(band, self.seed, (sun.0 + 150, self.down(300)), 9, hex(0x2a2a3a));
        });
    }

    fn balloons(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let colours = [
            (hex(0xd7263d), hex(0xf9c22e)),
            (hex(0x1b6ca8), hex(0xf4f4f2)),
            (hex(0x2e933c), hex(0xf2e94e)),
            (hex(0x7a2d8f), hex(0xff9f1c)),
            (hex(0xef6f6c), hex(0x2d3a8c)),
        ];
        let mut flying: Vec<(i32, i32, i32, u64)> = (0..11)
            .map(|index| {
                let radius = if index == 10 { random.between(150, 190) } else { random.between(14, 80) };
                (self.across(random.between(60, 940)), self.down(random.between(120, 480)), radius, random.next())
            })
            .collect();
        flying.sort_by_key(|balloon| balloon.2);
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x2e74b8)), (500, hex(0x86b8df)), (820, hex(0xe9dcc4)), (1000, hex(0xf8d9a8))];
            let clouds = Clouds { light: hex(0xfffaf0), shade: hex(0xb9c6d6), cover: 430, scale: 6 };
            let sun = Sun { at: (self.across(80), self.down(560)), radius: 0, colour: hex(0xffe0a0), glow: 900 };
            sky(band, band.px(self.down(740)), &palette, Some(sun), Some(clouds));
            self.ridges(band, (self.down(640), self.down(820)), (hex(0xb9c3cf), hex(0x47663f)), 4);
            Meadow {
                seed: self.seed,
                top: self.down(800),
                far: hex(0x7f9a4a),
                near: hex(0x48702c),
                flowers: ([hex(0xf2d544), hex(0xffffff), hex(0xd94f4f)], 500),
            }
            .paint(band);
            Firs {
                seed: self.seed ^ 5,
                count: 60,
                foot: (self.down(806), 14),
                height: (20, 70),
                colour: hex(0x1f3b22),
                bright: hex(0x5b7c3a),
            }
            .paint(band);
            for (index, (x, y, radius, seed)) in flying.iter().enumerate() {
                let at = (band.px(*x), band.px(*y));
                let pair = colours.get((index + (*seed % 3) as usize) % colours.len()).copied().unwrap_or_default();
                balloon(band, at, band.px(*radius), pair, *seed);
            }
        });
    }

    fn pines(&self, canvas: &mut Canvas) {
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x9fb4bd)), (600, hex(0xc8d3d2)), (1000, hex(0xdfe4de))];
            let sun = Sun { at: (self.across(640), self.down(210)), radius: 0, colour: hex(0xfff3d4), glow: 800 };
            sky(band, band.height, &palette, Some(sun), None);
            for index in 0..6i32 {
                let step = index * 256 / 5;
                let colour = super::paint::blend(hex(0xa9bcbd), hex(0x0d1f18), step);
                let bright = super::paint::blend(hex(0xc3d0cb), hex(0x3d5b3a), step);
                let foot = self.down(480 + index * 108);
                Ridge {
                    seed: self.seed ^ index as u64,
                    foot: foot + 130,
                    rise: 170,
                    span: 900,
                    octaves: 4,
                    crest: colour,
                    base: super::paint::blend(colour, hex(0xdfe4de), 190),
                    relief: 0,
                    snow: NO_SNOW,
                }
                .paint(band);
                let tall = 120 + index * 75;
                let count = (70 - index as u32 * 9).max(14);
                Firs {
                    seed: self.seed ^ (index as u64) << 9,
                    count,
                    foot: (foot + 50, 36),
                    height: (tall / 2, tall),
                    colour,
                    bright,
                }
                .paint(band);
            }
        });
    }

    fn flower(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let kinds = [
            (21, hex(0xf2eee4), hex(0xffffff), hex(0xf0b429)),
            (13, hex(0xe07a10), hex(0xffd23c), hex(0x5a3217)),
            (8, hex(0x7a1f5c), hex(0xe86fae), hex(0xf4d35e)),
            (16, hex(0x3d2c8d), hex(0x9a86ea), hex(0xf7d54a)),
            (6, hex(0x8f1010), hex(0xf0402c), hex(0x1c1c1c)),
        ];
        let kind = (self.seed >> 3) as usize % kinds.len();
        let mut flowers = Vec::new();
        let places = [
            (self.across(random.between(400, 600)), self.down(random.between(400, 470)), random.between(300, 350)),
            (self.across(random.between(90, 200)), self.down(random.between(650, 850)), random.between(110, 150)),
            (self.across(random.between(800, 930)), self.down(random.between(600, 850)), random.between(130, 180)),
        ];
        for (x, y, radius) in places.into_iter().rev() {
            flowers.push((x, y, radius, random.between(0, 90), random.next()));
        }
        self.paint(canvas, |band| {
            let palette = [(0, hex(0xa8c96a)), (350, hex(0x5f9440)), (700, hex(0x2f6132)), (1000, hex(0x183a22))];
            let sun = Sun { at: (self.across(160), self.down(60)), radius: 0, colour: hex(0xfff2b8), glow: 1300 };
            sky(band, band.height, &palette, Some(sun), None);
            bokeh(band, self.seed, 70, (24, 105), [hex(0xf6f3b0), hex(0xbfe08a), hex(0xffe0e8)]);
            for (x, y, radius, turn, seed) in &flowers {
                let Some((petals, root, tip, heart)) = kinds.get(kind).copied() else { continue };
                let (at, radius) = ((band.px(*x), band.px(*y)), band.px(*radius));
                Flower { at, radius, petals, turn: *turn, root, tip, heart, seed: *seed }.paint(band);
            }
        });
    }

    fn regatta(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let jibs = [hex(0xd62839), hex(0x1d4e89), hex(0xf7b32b), hex(0x2a9d8f), hex(0xf4f4f4)];
        let mut boats: Vec<(i32, i32, i32, u32, usize)> = (0..9)
            .map(|index| {
                let near = if index == 8 { 1000 } else { random.between(0, 520) };
                let y = 530 + near * 300 / 1000;
                (self.across(random.between(80, 920)), y, 90 + near * 470 / 1000, 10 + random.below(980), index)
            })
            .collect();
        boats.sort_by_key(|boat| boat.1);
        let shore = self.down(520);
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x1f66ad)), (600, hex(0x77b2de)), (1000, hex(0xd3e6ee))];
            let clouds = Clouds { light: hex(0xffffff), shade: hex(0x9fb3c4), cover: 560, scale: 7 };
            sky(band, band.px(shore), &palette, None, Some(clouds));
            Ridge {
                seed: self.seed,
                foot: shore,
                rise: 110,
                span: 500,
                octaves: 6,
                crest: hex(0x7f9bb0),
                base: hex(0xa9bfcb),
                relief: 60,
                snow: NO_SNOW,
            }
            .paint(band);
            Ridge {
                seed: self.seed ^ 3,
                foot: shore,
                rise: 60,
                span: 300,
                octaves: 6,
                crest: hex(0x4d6b5c),
                base: hex(0x6f8a76),
                relief: 90,
                snow: NO_SNOW,
            }
            .paint(band);
        });
        self.mirror(canvas, shore, hex(0x1c5c86), 150);
        self.paint(canvas, |band| {
            for (x, y, mast, number, jib) in &boats {
                let colour = jibs.get(jib % jibs.len()).copied().unwrap_or_default();
                boat(band, (band.px(*x), band.px(self.down(*y))), band.px(*mast), colour, *number);
            }
        });
    }

    /// Snowy mountains, their feet at `foot`.
    fn alps(&self, band: &mut Band<'_>, foot: i32) {
        let snow = hex(0xf7f9fc);
        Ridge {
            seed: self.seed,
            foot,
            rise: 470,
            span: 760,
            octaves: 8,
            crest: hex(0x8a93a8),
            base: hex(0x9aabbd),
            relief: 230,
            snow: (snow, 230),
        }
        .paint(band);
        Ridge {
            seed: self.seed ^ 11,
            foot,
            rise: 300,
            span: 520,
            octaves: 8,
            crest: hex(0x66727f),
            base: hex(0x6d8591),
            relief: 256,
            snow: (snow, 60),
        }
        .paint(band);
        Ridge {
            seed: self.seed ^ 21,
            foot,
            rise: 130,
            span: 420,
            octaves: 7,
            crest: hex(0x2f4a3a),
            base: hex(0x45664c),
            relief: 200,
            snow: NO_SNOW,
        }
        .paint(band);
    }

    fn meadow(&self, canvas: &mut Canvas) {
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x1f6bbf)), (650, hex(0x7db9ea)), (1000, hex(0xd9ebf5))];
            let clouds = Clouds { light: hex(0xffffff), shade: hex(0xa9bccd), cover: 500, scale: 6 };
            sky(band, band.px(self.down(600)), &palette, None, Some(clouds));
            self.alps(band, self.down(580));
            Firs {
                seed: self.seed ^ 9,
                count: 120,
                foot: (self.down(580), 16),
                height: (24, 70),
                colour: hex(0x1a3322),
                bright: hex(0x496b3c),
            }
            .paint(band);
            let flowers = [hex(0xe23d3d), hex(0xfdfdf6), hex(0x4b6fd8)];
            Meadow {
                seed: self.seed,
                top: self.down(585),
                far: hex(0x8fb04e),
                near: hex(0x4f8a2c),
                flowers: (flowers, 2600),
            }
            .paint(band);
        });
    }

    fn lake(&self, canvas: &mut Canvas) {
        let shore = self.down(600);
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x2a6fb5)), (700, hex(0x9cc7e8)), (1000, hex(0xe8f1f3))];
            let clouds = Clouds { light: hex(0xffffff), shade: hex(0xb3c2d0), cover: 470, scale: 8 };
            sky(band, band.px(shore), &palette, None, Some(clouds));
            self.alps(band, shore);
            Firs {
                seed: self.seed ^ 9,
                count: 170,
                foot: (shore - 6, 6),
                height: (20, 62),
                colour: hex(0x15301f),
                bright: hex(0x3f6339),
            }
            .paint(band);
        });
        self.mirror(canvas, shore, hex(0x1d4a5e), 60);
    }

    fn dusk(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let sun = (self.across(random.between(350, 650)), self.down(555));
        let shore = self.down(640);
        self.paint(canvas, |band| {
            let palette = [
                (0, hex(0x1b1f4b)),
                (350, hex(0x5d3a7a)),
                (620, hex(0xc4527a)),
                (830, hex(0xff8c50)),
                (1000, hex(0xffd27a)),
            ];
            let disc = Sun { at: sun, radius: 42, colour: hex(0xffe08a), glow: 520 };
            let clouds = Clouds { light: hex(0xff9d6e), shade: hex(0x553066), cover: 620, scale: 8 };
            sky(band, band.px(shore), &palette, Some(disc), Some(clouds));
            Ridge {
                seed: self.seed,
                foot: shore,
                rise: 170,
                span: 520,
                octaves: 7,
                crest: hex(0x5a3350),
                base: hex(0x8a4a58),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
            Ridge {
                seed: self.seed ^ 2,
                foot: shore,
                rise: 80,
                span: 340,
                octaves: 8,
                crest: hex(0x2a1a30),
                base: hex(0x3b2238),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
        });
        self.mirror(canvas, shore, hex(0x2a1c44), 50);
        self.paint(canvas, |band| birds(band, self.seed, (sun.0, self.down(430)), 14, hex(0x1a1024)));
    }

    fn city(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let moon = (self.across(random.between(120, 880)), self.down(random.between(120, 220)));
        let shore = self.down(690);
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x070b1f)), (550, hex(0x17244d)), (850, hex(0x4a3a66)), (1000, hex(0xc0704a))];
            let disc = Sun { at: moon, radius: 30, colour: hex(0xdfe6ff), glow: 260 };
            let clouds = Clouds { light: hex(0x3d4a78), shade: hex(0x141a36), cover: 420, scale: 9 };
            sky(band, band.px(shore), &palette, Some(disc), Some(clouds));
            let ground = band.px(shore);
            town(band, self.seed, ground, 300, hex(0x2b3357));
            town(band, self.seed ^ 77, ground, 400, hex(0x1a2040));
            town(band, self.seed ^ 99, ground, 170, hex(0x10142a));
        });
        self.mirror(canvas, shore, hex(0x060a1c), 70);
    }

    fn stars(&self, canvas: &mut Canvas) {
        let mut random = self.random();
        let camp = (self.across(random.between(300, 700)), self.down(905));
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x060a1c)), (600, hex(0x101c3a)), (1000, hex(0x2d4a5c))];
            sky(band, band.height, &palette, None, None);
            stars(band, band.px(self.down(860)), self.seed);
            Ridge {
                seed: self.seed,
                foot: self.down(900),
                rise: 240,
                span: 600,
                octaves: 7,
                crest: hex(0x0b1420),
                base: hex(0x16242c),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
            Firs {
                seed: self.seed ^ 4,
                count: 90,
                foot: (self.down(900), 20),
                height: (50, 190),
                colour: hex(0x04080c),
                bright: hex(0x0d1a1c),
            }
            .paint(band);
            Ridge {
                seed: self.seed ^ 8,
                foot: self.down(980),
                rise: 90,
                span: 900,
                octaves: 5,
                crest: hex(0x0c120f),
                base: hex(0x070b09),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
            let at = (band.px(camp.0), band.px(camp.1));
            tent(band, at, band.px(95));
            spot(band, (at.0 + band.px(150), at.1), 700, hex(0xfff0c0), 200);
        });
    }
}

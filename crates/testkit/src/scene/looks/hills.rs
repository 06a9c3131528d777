//! Scenes of hills and forests.

use super::{NO_SNOW, Scene};
use crate::scene::canvas::Canvas;
use crate::scene::land::{Firs, Meadow, Ridge};
use crate::scene::paint::{blend, hex};
use crate::scene::sky::{Clouds, Sun, sky};
use crate::scene::things::{balloon, birds};

impl Scene {
    pub(super) fn dawn(&self, canvas: &mut Canvas) {
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

    pub(super) fn balloons(&self, canvas: &mut Canvas) {
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

    pub(super) fn pines(&self, canvas: &mut Canvas) {
        self.paint(canvas, |band| {
            let palette = [(0, hex(0x9fb4bd)), (600, hex(0xc8d3d2)), (1000, hex(0xdfe4de))];
            let sun = Sun { at: (self.across(640), self.down(210)), radius: 0, colour: hex(0xfff3d4), glow: 800 };
            sky(band, band.height, &palette, Some(sun), None);
            for index in 0..6i32 {
                let step = index * 256 / 5;
                let colour = blend(hex(0xa9bcbd), hex(0x0d1f18), step);
                let bright = blend(hex(0xc3d0cb), hex(0x3d5b3a), step);
                let foot = self.down(480 + index * 108);
                Ridge {
                    seed: self.seed ^ index as u64,
                    foot: foot + 130,
                    rise: 170,
                    span: 900,
                    octaves: 4,
                    crest: colour,
                    base: blend(colour, hex(0xdfe4de), 190),
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

    pub(super) fn meadow(&self, canvas: &mut Canvas) {
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
}

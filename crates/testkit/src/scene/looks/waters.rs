//! Scenes whose lower part is water.

use super::{NO_SNOW, Scene};
use crate::scene::canvas::Canvas;
use crate::scene::land::{Firs, Ridge};
use crate::scene::paint::hex;
use crate::scene::sky::{Clouds, Sun, sky};
use crate::scene::things::{birds, boat};

impl Scene {
    pub(super) fn lake(&self, canvas: &mut Canvas) {
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

    pub(super) fn regatta(&self, canvas: &mut Canvas) {
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

    pub(super) fn dusk(&self, canvas: &mut Canvas) {
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
}

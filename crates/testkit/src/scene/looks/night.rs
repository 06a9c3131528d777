//! Scenes of the night.

use super::{NO_SNOW, Scene};
use crate::scene::canvas::Canvas;
use crate::scene::land::{Firs, Ridge};
use crate::scene::paint::hex;
use crate::scene::sky::{Clouds, Sun, sky, spot, stars};
use crate::scene::things::{tent, town};

impl Scene {
    pub(super) fn city(&self, canvas: &mut Canvas) {
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

    pub(super) fn stars(&self, canvas: &mut Canvas) {
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

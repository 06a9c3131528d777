//! A flower from near by.

use super::Scene;
use crate::scene::canvas::Canvas;
use crate::scene::paint::hex;
use crate::scene::sky::{Sun, sky};
use crate::scene::things::{Flower, bokeh};

impl Scene {
    pub(super) fn flower(&self, canvas: &mut Canvas) {
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
}

//! Things in a scene: balloons, sailing boats, a flower, a town, a tent, birds.

use super::paint::{Band, Colour, blend, hex, lit, root, sine};
use super::texture::Texture;
use crate::raw::grain::{Random, mix};

/// A hot-air balloon: the middle of its envelope, its radius (pixels), and two colours.
pub(crate) fn balloon(band: &mut Band<'_>, (x, y): (i32, i32), radius: i32, colours: (Colour, Colour), seed: u64) {
    let mouth = y + radius * 5 / 4;
    let zigzag = seed.is_multiple_of(3);
    for (row_y, mut row) in band.rows_between(y - radius, mouth) {
        let dy = row_y - y;
        let half = envelope(dy, radius);
        row.cover(x - half, x + half + 1, |column| {
            let across = (column - x) * 4096 / half.max(1);
            // Gores are as wide as the sine says, because they lie on a round envelope.
            let gore = (0..8).filter(|gore| sine(-90 + 20 + gore * 20) < across).count() as i32;
            let step = if zigzag { (dy * 10 / radius.max(1) + 20) % 2 } else { 0 };
            let base = if (gore + step) % 2 == 0 { colours.0 } else { colours.1 };
            let seam = (0..8).any(|gore| (sine(-90 + 20 + gore * 20) - across).abs() < 40);
            let light = 276 - (across + 4096) / 40 - dy * 30 / radius.max(1) - if seam { 20 } else { 0 };
            let edge = half - (column - x).abs();
            (lit(base, light.clamp(60, 280)), if edge < 1 { 150 } else { 256 })
        });
    }
    // Ropes and basket.
    let (basket, deep) = (radius / 7, radius / 6);
    for (row_y, mut row) in band.rows_between(mouth, mouth + radius / 4 + deep) {
        if row_y >= mouth + radius / 4 {
            row.cover(x - basket, x + basket, |column| {
                let weave =
                    if (column / (radius / 40).max(1) + row_y / (radius / 40).max(1)) % 2 == 0 { 230 } else { 256 };
                (lit(hex(0x6b4526), weave - (column - x + basket) * 90 / (2 * basket).max(1)), 256)
            });
        } else {
            for side in [-1, 1] {
                let rope = x + side * basket;
                row.cover(rope, rope + (radius / 120).max(1), |_| (hex(0x3a3028), 220));
            }
        }
    }
}

/// Half the width of a balloon, so far below its middle: round above, drawn in towards the mouth below.
fn envelope(dy: i32, radius: i32) -> i32 {
    let knee = radius * 2 / 5;
    if dy <= knee {
        return root(i64::from(radius) * i64::from(radius) - i64::from(dy) * i64::from(dy));
    }
    let at_knee = root(i64::from(radius) * i64::from(radius) - i64::from(knee) * i64::from(knee));
    let end = radius / 6;
    let along = (dy - knee) * 256 / (radius * 5 / 4 - knee).max(1);
    // A little bellied.
    end + (((at_knee - end) * (256 - along)) >> 8) + (at_knee * sine(along * 180 / 256) / 4096) / 9
}

/// A sailing boat: the middle of its waterline, the height of its mast (pixels), its jib's colour and its number.
pub(crate) fn boat(band: &mut Band<'_>, (x, y): (i32, i32), mast: i32, jib: Colour, number: u32) {
    let (deck, hull) = (y - mast / 14, mast / 14);
    let top = y - mast;
    for (row_y, mut row) in band.rows_between(top, deck) {
        let down = (row_y - top) * 1000 / (deck - top).max(1);
        let belly = sine(down * 180 / 1000) / 64;
        // The mainsail aft of the mast, the jib before it.
        let main = (mast * 34 / 100) * down / 1000 + mast * belly / 1300;
        if down < 955 {
            row.cover(x - main, x - mast / 90, |column| {
                let across = (x - column) * 256 / main.max(1);
                let seam = down % 160 < 5;
                (lit(hex(0xfbf7ee), 262 - across / 5 - if seam { 22 } else { 0 }), 256)
            });
        }
        let begin = down - 120;
        if begin > 0 && down < 975 {
            let fore = mast * 26 / 100 * begin / 880 + mast * sine(begin * 180 / 880) / 90_000;
            row.cover(x + mast / 70, x + mast / 70 + fore, |column| {
                let across = (column - x) * 256 / fore.max(1);
                (lit(jib, 240 - across / 6 - if begin % 200 < 6 { 20 } else { 0 }), 256)
            });
        }
        row.cover(x - (mast / 160).max(1), x + (mast / 160).max(1), |_| (hex(0x2b2b30), 256));
    }
    digits(band, number, (x - mast * 19 / 100, y - mast * 45 / 100), (mast / 75).max(1), hex(0x1d2f6f));
    for (row_y, mut row) in band.rows_between(deck, y + hull / 3) {
        let down = (row_y - deck) * 256 / (hull + hull / 3).max(1);
        let (aft, fore) = (mast * 36 / 100 - down * mast / 4000, mast * 34 / 100 - down * mast / 1500);
        row.cover(x - aft, x + fore, |_| {
            let stripe = (50..80).contains(&down);
            (if stripe { jib } else { lit(hex(0xe9eef2), 262 - down / 2) }, 256)
        });
    }
    // Spray at the bow, and what the water mirrors of the sails.
    let texture = Texture::shared();
    let pace = band.pace(1);
    for (row_y, mut row) in band.rows_between(y + hull / 3, y + mast * 5 / 10) {
        let down = (row_y - y) * 256 / (mast / 2).max(1);
        let half = mast / 5 + down * mast / 2500;
        row.cover(x - half * 3 / 2, x + half, |column| {
            let ripple = texture.at(i64::from(column) * pace * 2, i64::from(row_y) * pace * 14);
            (hex(0xeef3f6), ((ripple - 30_000) >> 7).clamp(0, 256) * (256 - down).max(0) / 420)
        });
    }
}

/// Numerals of five by seven.
const NUMERALS: [[u8; 7]; 10] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];

/// Writes a number: its upper left corner, the size of a dot.
pub(crate) fn digits(band: &mut Band<'_>, number: u32, at: (i32, i32), dot: i32, colour: Colour) {
    let text = number.to_string();
    for (y, mut row) in band.rows_between(at.1, at.1 + 7 * dot) {
        let line = ((y - at.1) / dot) as usize;
        for (index, numeral) in text.bytes().enumerate() {
            let bits = NUMERALS.get(usize::from(numeral - b'0')).and_then(|rows| rows.get(line)).copied().unwrap_or(0);
            for column in 0..5 {
                if bits & (0b10000 >> column) != 0 {
                    let left = at.0 + (index as i32 * 6 + column) * dot;
                    row.cover(left, left + dot, |_| (colour, 235));
                }
            }
        }
    }
}

/// A flower seen from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flower {
    pub(crate) at: (i32, i32),
    /// From its middle to the tip of a petal, in pixels.
    pub(crate) radius: i32,
    pub(crate) petals: i32,
    /// Degrees by which it is turned.
    pub(crate) turn: i32,
    /// Colours of a petal at its root and at its tip, and of the heart.
    pub(crate) root: Colour,
    pub(crate) tip: Colour,
    pub(crate) heart: Colour,
    pub(crate) seed: u64,
}

impl Flower {
    pub(crate) fn paint(&self, band: &mut Band<'_>) {
        self.stem(band);
        // Two rings, the hinder one darker and turned by half a petal.
        let between = 180 / self.petals.max(1);
        for (ring, turn, shade) in [(0, between, 196), (1, 0, 256)] {
            for petal in 0..self.petals {
                let sway = (mix(self.seed ^ (petal as u64) << ring) % 9) as i32 - 4;
                let angle = self.turn + turn + petal * 360 / self.petals.max(1) + sway;
                self.petal(band, angle, shade);
            }
        }
        self.middle(band);
    }

    fn stem(&self, band: &mut Band<'_>) {
        let (bottom, wide) = (band.height, (self.radius / 16).max(2));
        for (y, mut row) in band.rows_between(self.at.1, bottom) {
            let down = y - self.at.1;
            let x = self.at.0 + (i64::from(down) * i64::from(down) / i64::from(self.radius.max(1)) / 9) as i32;
            row.cover(x - wide, x + wide, |column| {
                (lit(hex(0x5d8a36), 280 - (column - x + wide) * 150 / (2 * wide)), 256)
            });
        }
    }

    fn petal(&self, band: &mut Band<'_>, angle: i32, shade: i32) {
        let texture = Texture::shared();
        let (cosine, sine) = (i64::from(sine(angle + 90)), i64::from(sine(angle)));
        let long = i64::from(self.radius) * 9 / 20;
        let wide = i64::from(self.radius) * 21 / (10 * i64::from(self.petals.max(3)));
        let (x, y) = self.at;
        // The petal's middle, and the box that holds it whichever way it points.
        let (middle_x, middle_y) =
            (x + (cosine * long * 11 / 10 / 4096) as i32, y + (sine * long * 11 / 10 / 4096) as i32);
        let reach = long as i32 + 2;
        for (row_y, mut row) in band.rows_between(middle_y - reach, middle_y + reach) {
            row.cover(middle_x - reach, middle_x + reach, |column| {
                let (dx, dy) = (i64::from(column - middle_x), i64::from(row_y - middle_y));
                let (along, aside) = ((dx * cosine + dy * sine) >> 12, (dy * cosine - dx * sine) >> 12);
                let (a, b) = (along * 4096 / long.max(1), aside * 4096 / wide.max(1));
                // Broader towards the tip.
                let b = b * 4096 / (3300 + a / 5).max(1);
                let inside = 4096 - ((a * a + b * b) >> 12);
                if inside <= 0 {
                    return (self.tip, 0);
                }
                let out = ((a + 4096) >> 5) as i32;
                let veins =
                    texture.at((aside << 19) / wide.max(1), (along << 17) / long.max(1) + (i64::from(angle) << 20));
                let rib = (256 - (b.abs() as i32 >> 3)).max(0) / 9;
                let light = shade + ((veins - 32_768) >> 10) - rib - (out - 128).abs() / 8 + (b >> 8) as i32;
                (lit(blend(self.root, self.tip, out), light), (inside * long / 512).clamp(0, 256) as i32)
            });
        }
    }

    fn middle(&self, band: &mut Band<'_>) {
        let radius = self.radius / 5;
        super::sky::disc(band, self.at, radius + radius / 8, lit(self.heart, 110), 200);
        super::sky::disc(band, self.at, radius, lit(self.heart, 190), 256);
        // Florets in the spiral of the golden angle.
        for index in 0..230 {
            let away = root(i64::from(index) << 16) * radius / (16 * 256);
            let angle = index * 1375 / 10 + index / 20;
            let at = (self.at.0 + away * sine(angle + 90) / 4096, self.at.1 + away * sine(angle) / 4096);
            let light = 190 + index / 4 - (mix(self.seed ^ index as u64) % 60) as i32;
            super::sky::spot(band, at, (radius * 20).max(200), lit(self.heart, light), 240);
        }
    }
}

/// Lights out of focus.
pub(crate) fn bokeh(band: &mut Band<'_>, seed: u64, count: u32, sizes: (i32, i32), colours: [Colour; 3]) {
    let mut random = Random::new(seed);
    let (width, height) = (band.width, band.height);
    for _ in 0..count {
        let at = (random.between(0, width), random.between(0, height));
        let radius = band.px(random.between(sizes.0, sizes.1)).max(2);
        let [first, second, third] = colours;
        let (colour, strength) = (random.pick(first, &[second, third]), random.between(18, 74));
        super::sky::disc(band, at, radius, colour, strength);
    }
}

/// A town's houses by night, standing on `ground` (pixels).
pub(crate) fn town(band: &mut Band<'_>, seed: u64, ground: i32, tallest: i32, wall: Colour) {
    let mut random = Random::new(seed);
    let width = band.width;
    let mut left = -random.between(0, band.px(60));
    while left < width {
        let wide = band.px(random.between(40, 120)).max(4);
        // Taller towards the middle.
        let middle = 256 - (left + wide / 2 - width / 2).abs() * 300 / width.max(1);
        let high = (band.px(random.between(tallest / 4, tallest)) * middle.max(90)) >> 8;
        house(band, (left, ground), (wide, high.max(3)), random.next(), wall);
        left += wide + band.px(random.between(-8, 12));
    }
}

fn house(band: &mut Band<'_>, (left, ground): (i32, i32), (wide, high): (i32, i32), seed: u64, wall: Colour) {
    let storey = band.px(15).max(2);
    let window = band.px(11).max(2);
    let mast = seed.is_multiple_of(4);
    let wall = lit(wall, 150 + (seed % 140) as i32);
    let lamp = [hex(0xffd58a), hex(0xffe9c4), hex(0xbfd8ff)].get((seed >> 8) as usize % 3).copied().unwrap_or_default();
    if mast {
        for (_, mut row) in band.rows_between(ground - high - high / 6, ground - high) {
            row.cover(left + wide / 2, left + wide / 2 + (storey / 5).max(1), |_| (wall, 256));
        }
        super::sky::spot(band, (left + wide / 2, ground - high - high / 6), storey * 256, hex(0xff3b30), 230);
    }
    for (y, mut row) in band.rows_between(ground - high, ground) {
        let level = (ground - y) / storey;
        let sill = (ground - y) % storey;
        row.cover(left, left + wide, |x| {
            let column = (x - left) / window;
            let glass = sill * 10 > storey * 3 && sill * 10 < storey * 8;
            let pane = (x - left) % window * 10;
            let inside = pane > window * 2 && pane < window * 8 && x < left + wide - window;
            let choice = mix(seed ^ ((level as u64) << 32) ^ column as u64);
            if glass && inside && choice % 100 < 42 {
                (lit(lamp, 120 + (choice >> 8) as i32 % 137), 256)
            } else {
                (lit(wall, 256 - (x - left) * 60 / wide), 256)
            }
        });
    }
}

/// A tent with a lamp in it: the middle of its foot and its height.
pub(crate) fn tent(band: &mut Band<'_>, (x, y): (i32, i32), high: i32) {
    super::sky::spot(band, (x, y - high / 3), high * 3 * 256, hex(0xff9a3c), 150);
    for (row_y, mut row) in band.rows_between(y - high, y) {
        let down = row_y - (y - high);
        let half = down * 9 / 10 + sine(down * 180 / high.max(1)) * high / 40_000;
        row.cover(x - half, x + half, |column| {
            let away = root(i64::from(column - x).pow(2) + i64::from(row_y - y + high / 3).pow(2));
            let glow = blend(hex(0xffe6a0), hex(0xc94a12), (away * 256 / high.max(1)).min(256));
            let pole = (column - x).abs() < (high / 90).max(1);
            (lit(glow, if pole { 150 } else { 256 }), 256)
        });
    }
}

/// Birds far away: each two bent strokes.
pub(crate) fn birds(band: &mut Band<'_>, seed: u64, around: (i32, i32), count: u32, colour: Colour) {
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (x, y) = (band.px(around.0 + random.between(-170, 170)), band.px(around.1 + random.between(-60, 60)));
        let span = band.px(random.between(7, 20)).max(3);
        let thick = (span / 9).max(1);
        let lift = random.between(20, 60);
        for (row_y, mut row) in band.rows_between(y - span, y + span / 2) {
            row.cover(x - span, x + span, |column| {
                let out = (column - x).abs() * 100 / span;
                // Up from the body, then down to the tips.
                let wing = y - (out * (130 - out) / 65) * span * lift / 10_000;
                (colour, (256 - (row_y - wing).abs() * 256 / (thick + 1)).clamp(0, 235))
            });
        }
    }
}

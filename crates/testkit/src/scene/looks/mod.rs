//! The scenes: what stands where, and in which light.
//!
//! Each is a list of passes over the picture. Places are thousandths of the shorter side, colours those of a fine day
//! in the mountains.

mod hills;
mod near;
mod night;
mod waters;

use crate::raw::grain::Random;
use crate::scene::canvas::Canvas;
use crate::scene::land::{Ridge, water};
use crate::scene::paint::{Band, Colour, blend, hex};

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
            let crest = blend(colours.0, colours.1, step);
            let foot = feet.0 + (feet.1 - feet.0) * (index + 1) / count;
            Ridge {
                seed: self.seed.wrapping_add(index as u64 * 77),
                foot: foot + 60,
                rise: 250 - index * 14,
                span: 620 - index * 60,
                octaves: 5 + index as u32 / 2,
                crest,
                // Mist lies in the valleys.
                base: blend(crest, colours.0, 150),
                relief: 0,
                snow: NO_SNOW,
            }
            .paint(band);
        }
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
}

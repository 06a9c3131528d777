//! Skies: gradients, sun and moon, clouds, stars.

use super::paint::{Band, Colour, blend, graded, hex, root};
use super::texture::Texture;
use crate::raw::grain::{Random, mix};

/// A disc of light and the glow around it. Places and sizes in thousandths of the shorter side, from the top left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sun {
    pub(crate) at: (i32, i32),
    pub(crate) radius: i32,
    pub(crate) colour: Colour,
    /// How far the glow reaches.
    pub(crate) glow: i32,
}

/// Clouds that cover part of the sky.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clouds {
    pub(crate) light: Colour,
    pub(crate) shade: Colour,
    /// 0 none to 1000 all.
    pub(crate) cover: i32,
    /// How wide one is, in thousandths.
    pub(crate) scale: i64,
}

/// Paints the sky down to `horizon` (pixels): `palette` from top to horizon in thousandths.
pub(crate) fn sky(
    band: &mut Band<'_>,
    horizon: i32,
    palette: &[(i32, Colour)],
    sun: Option<Sun>,
    clouds: Option<Clouds>,
) {
    let texture = Texture::shared();
    let (place, glow) = match sun {
        Some(sun) => ((band.px(sun.at.0), band.px(sun.at.1)), band.px(sun.glow).max(1)),
        None => ((0, 0), 1),
    };
    let disc = sun.map_or(0, |sun| band.px(sun.radius));
    let glow_square = i64::from(glow) * i64::from(glow);
    let offset = ((mix(band.seed) as i64) & 0xff_ffff) << 8;
    let clouds = clouds.map(|clouds| (clouds, band.pace(clouds.scale)));
    for (y, mut row) in band.rows_between(0, horizon) {
        let air = graded(palette, y * 1000 / horizon.max(1));
        // Clouds are nearer to each other towards the horizon.
        let depth = i64::from(horizon) * 256 / i64::from((horizon - y) * 3 / 4 + horizon / 4).max(1);
        row.fill(|x| {
            let mut colour = air;
            if let Some(sun) = sun {
                let (dx, dy) = (i64::from(x - place.0), i64::from(y - place.1));
                let square = dx * dx + dy * dy;
                if square < glow_square {
                    let away = root(square);
                    let near = 256 - away * 256 / glow;
                    colour = blend(colour, sun.colour, (near * near * near) >> 16);
                    // The edge is a pixel or two soft.
                    if away <= disc + 1 && disc > 0 {
                        colour = blend(colour, [65535; 3], ((disc - away) * 96 + 128).clamp(0, 256));
                    }
                }
            }
            if let Some((clouds, pace)) = clouds {
                let (u, v) =
                    (offset + i64::from(x) * pace * depth / 256, offset / 2 + i64::from(y) * pace * 2 * depth / 256);
                let thick = texture.at(u, v) - (58_000 - clouds.cover * 40);
                if thick > 0 {
                    let lit = texture.at(u + (3 << 16), v + (6 << 16));
                    let body = blend(clouds.light, clouds.shade, ((lit - 22_000) >> 6).clamp(0, 256));
                    colour = blend(colour, body, (thick >> 4).min(236));
                }
            }
            colour
        });
    }
}

/// Stars down to `horizon`, and the Milky Way across them.
pub(crate) fn stars(band: &mut Band<'_>, horizon: i32, seed: u64) {
    let texture = Texture::shared();
    let pace = band.pace(4);
    let (width, unit) = (band.width, band.px(1000).max(1));
    for (y, mut row) in band.rows_between(0, horizon) {
        row.cover(0, width, |x| {
            // Across the sky from the lower left to the upper right.
            let across = ((x * 3 / 5 + y) - unit * 3 / 4) * 1000 / unit;
            let cloud = texture.at(i64::from(x) * pace, i64::from(y) * pace);
            let dust = texture.at(i64::from(x) * pace * 3, i64::from(y) * pace * 3);
            let near = (300 - across.abs()).max(0);
            let strength = (near * near / 350) * (cloud >> 8) / 256 * ((90_000 - dust) >> 8) / 256;
            (blend(hex(0x9aa6d8), hex(0xe8d2c0), (cloud >> 8).min(256)), (strength * 5 / 8).min(190))
        });
    }
    let mut random = Random::new(seed);
    let count = 2600;
    for _ in 0..count {
        let (x, y) = (random.below(width.max(1) as u32) as i32, random.below(horizon.max(1) as u32) as i32);
        let faint = random.below(1000) as i32;
        let radius256 = (band.unit as i32 * (3 + 9 * i32::from(faint > 965) + faint / 260) / 8).max(160);
        let tint = blend(hex(0xbfd0ff), hex(0xfff0d8), random.below(256) as i32);
        spot(band, (x, y), radius256, tint, 90 + faint / 6);
    }
}

/// A soft round spot of light; the radius in 256ths of a pixel, the strength 0 to 256.
pub(crate) fn spot(band: &mut Band<'_>, at: (i32, i32), radius: i32, colour: Colour, strength: i32) {
    let reach = (radius >> 8) + 1;
    for (y, mut row) in band.rows_between(at.1 - reach, at.1 + reach + 1) {
        row.cover(at.0 - reach, at.0 + reach + 1, |x| {
            let (dx, dy) = (i64::from(x - at.0) << 8, i64::from(y - at.1) << 8);
            let away = root(dx * dx + dy * dy);
            let near = 256 - (i64::from(away) * 256 / i64::from(radius.max(1))) as i32;
            (colour, (near.max(0) * strength) >> 8)
        });
    }
}

/// An evenly lit disc with a soft edge: a light out of focus. Sizes in pixels.
pub(crate) fn disc(band: &mut Band<'_>, at: (i32, i32), radius: i32, colour: Colour, strength: i32) {
    let edge = (radius / 12).max(2);
    for (y, mut row) in band.rows_between(at.1 - radius, at.1 + radius + 1) {
        row.cover(at.0 - radius, at.0 + radius + 1, |x| {
            let (dx, dy) = (i64::from(x - at.0), i64::from(y - at.1));
            let inside = radius - root(dx * dx + dy * dy);
            // A little brighter at the rim, as lenses draw it.
            let rim = if inside < edge * 2 { strength / 4 } else { 0 };
            (colour, ((inside * 256 / edge).clamp(0, 256) * (strength + rim)) >> 8)
        });
    }
}

//! A look fitted to pairs of what the sensor saw and what the camera showed.
//!
//! In turns: one curve for all channels, by smoothed least squares on its points; then a
//! small mixing of colours in linear light, through the curve's inverse, that leaves
//! neutral neutral; at last a curve for each channel. Where the pairs say nothing, the
//! curve keeps the shape that it started from. All of it takes a few milliseconds.

use super::small::Pair;
use super::{Curve, Look, STEPS};
use crate::raw::colour::{IDENTITY, Matrix, apply, luminance};

/// Fewest pairs that say anything.
const FEWEST: usize = 200;
/// How much a point of the curve keeps the step to its neighbour, against the weight of pairs.
const STIFF: f64 = 6.0;
/// Off-diagonal parts of the mixing, at most.
const MOST_MIXING: f32 = 0.6;

/// A look, and how far it is from the pairs it was fitted to.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub(crate) look: Look,
    /// Mean distance of shown values, in 255ths.
    pub(crate) distance: f32,
}

/// Fits a look; `start` is its shape where there are no pairs, `camera` takes balanced camera
/// colours to linear sRGB. None where the pairs are too few or do not belong together.
pub(crate) fn fit(pairs: &[Pair], camera: &Matrix, start: &Curve) -> Option<Fitted> {
    let usable: Vec<Pair> = pairs
        .iter()
        .filter(|p| p.camera.iter().all(|v| v.is_finite()))
        .map(|p| Pair { camera: apply(camera, p.camera), ..*p })
        .collect();
    if usable.len() < FEWEST {
        return None;
    }
    let mut mix = IDENTITY;
    let mut curve = curve_of(&usable, &mix, start, None);
    let colourful = usable.iter().map(|p| saturation(p.shown)).sum::<f32>() / usable.len() as f32 > 0.01;
    if colourful {
        for _ in 0..4 {
            mix = mixing_of(&usable, &curve)?;
            curve = curve_of(&usable, &mix, start, None);
        }
    } else {
        // A picture without colour: the camera showed luminance.
        mix = [[0.2126, 0.7152, 0.0722]; 3];
        curve = curve_of(&usable, &mix, start, None);
    }
    let curves = if colourful {
        [0, 1, 2].map(|channel| curve_of(&usable, &mix, &curve, Some(channel)))
    } else {
        [curve.clone(), curve.clone(), curve]
    };
    let look = Look { mix, curves };
    let distance = distance(&usable, &look);
    distance.is_finite().then_some(Fitted { look, distance })
}

fn saturation(shown: [f32; 3]) -> f32 {
    shown.iter().copied().fold(0.0, f32::max) - shown.iter().copied().fold(1.0, f32::min)
}

/// Mean distance between what the look makes of the pairs and what was shown, in 255ths.
fn distance(pairs: &[Pair], look: &Look) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for pair in pairs {
        let linear = apply(&look.mix, pair.camera);
        let apart: f32 = linear
            .iter()
            .zip(&look.curves)
            .zip(pair.shown)
            .map(|((v, curve), shown)| (curve.at(*v) - shown).abs())
            .sum();
        sum += apart / 3.0 * pair.weight;
        total += pair.weight;
    }
    255.0 * sum / f32::max(total, 1e-6)
}

/// The curve through the pairs of one channel, or of all three.
fn curve_of(pairs: &[Pair], mix: &Matrix, start: &Curve, channel: Option<usize>) -> Curve {
    // Weight and weighted height of each point, each pair shared by its two points.
    let mut weight = [0.0_f64; STEPS + 1];
    let mut height = [0.0_f64; STEPS + 1];
    for pair in pairs {
        let linear = apply(mix, pair.camera);
        // Colours far from neutral say less about tone.
        let trust = f64::from(pair.weight / (1.0 + 4.0 * saturation(pair.shown)));
        for (c, (v, shown)) in linear.iter().zip(pair.shown).enumerate() {
            if channel.is_some_and(|wanted| wanted != c) || *v >= 1.0 {
                continue;
            }
            let place = v.max(0.0).sqrt() * STEPS as f32;
            let (step, part) = (place as usize, f64::from(place.fract()));
            for (point, share) in [(step, 1.0 - part), (step + 1, part)] {
                if let (Some(w), Some(h)) = (weight.get_mut(point), height.get_mut(point)) {
                    *w += trust * share;
                    *h += trust * share * f64::from(shown);
                }
            }
        }
    }
    let total: f64 = weight.iter().sum::<f64>().max(1e-9);
    // Least squares for the difference to the start, which should change little from point
    // to point: a chain, solved from one end to the other and back (Thomas).
    let scale = (STEPS + 1) as f64 / total;
    let mut diagonal = [0.0_f64; STEPS + 1];
    let mut right = [0.0_f64; STEPS + 1];
    for (k, (d, r)) in diagonal.iter_mut().zip(&mut right).enumerate() {
        let of = |list: &[f64]| list.get(k).copied().unwrap_or(0.0);
        let from = f64::from(start.0.get(k).copied().unwrap_or(1.0));
        let w = of(&weight) * scale;
        let neighbours = if k == 0 || k == STEPS { 1.0 } else { 2.0 };
        // Black is black and white is white.
        let anchor = if k == 0 {
            2.0
        } else if k == STEPS {
            50.0
        } else {
            1e-3
        };
        *d = w + STIFF * neighbours + anchor;
        *r = of(&height) * scale - w * from;
    }
    for k in 1..=STEPS {
        let (before, r) = (diagonal.get(k - 1).copied().unwrap_or(1.0), right.get(k - 1).copied().unwrap_or(0.0));
        if let (Some(d), Some(now)) = (diagonal.get_mut(k), right.get_mut(k)) {
            *d -= STIFF * STIFF / before;
            *now += STIFF * r / before;
        }
    }
    let mut heights = [0.0_f32; STEPS + 1];
    let mut next = 0.0;
    for k in (0..=STEPS).rev() {
        let of = |list: &[f64]| list.get(k).copied().unwrap_or(1.0);
        next = (of(&right) + if k == STEPS { 0.0 } else { STIFF * next }) / of(&diagonal);
        if let (Some(h), Some(from)) = (heights.get_mut(k), start.0.get(k)) {
            *h = from + next as f32;
        }
    }
    // Rising, from black to white.
    let mut highest = 0.0_f32;
    for h in &mut heights {
        highest = highest.max(h.clamp(0.0, 1.0));
        *h = highest;
    }
    if let Some(last) = heights.last_mut() {
        *last = 1.0;
    }
    Curve(heights)
}

/// The mixing of colours that takes the pairs nearest to the inverse of what was shown.
fn mixing_of(pairs: &[Pair], curve: &Curve) -> Option<Matrix> {
    let mut mix = IDENTITY;
    for (channel, row) in mix.iter_mut().enumerate() {
        let (a, b) = ((channel + 1) % 3, (channel + 2) % 3);
        // Least squares in two unknowns, with a pull to none at all.
        let (mut aa, mut ab, mut bb, mut at, mut bt) = (0.0_f64, 0.0, 0.0, 0.0, 0.0);
        for pair in pairs {
            let of = |list: [f32; 3], k: usize| list.get(k).copied().unwrap_or(0.0);
            let shown = of(pair.shown, channel);
            if !(0.02..0.97).contains(&shown) || pair.camera.iter().any(|v| *v > 0.95) {
                continue;
            }
            let own = of(pair.camera, channel);
            let target = curve.inverse(shown);
            // Equal ratios are equal steps to the eye.
            let weight = f64::from(pair.weight) / f64::from(target + luminance(pair.camera).max(0.0) + 0.02).powi(2);
            let (x, y, t) =
                (f64::from(of(pair.camera, a) - own), f64::from(of(pair.camera, b) - own), f64::from(target - own));
            aa += weight * x * x;
            ab += weight * x * y;
            bb += weight * y * y;
            at += weight * x * t;
            bt += weight * y * t;
        }
        let pull = 0.02 * (aa + bb) + 1e-6;
        let (aa, bb) = (aa + pull, bb + pull);
        let determinant = aa * bb - ab * ab;
        if determinant <= 0.0 || !determinant.is_finite() {
            return None;
        }
        let part = |v: f64| ((v / determinant) as f32).clamp(-MOST_MIXING, MOST_MIXING);
        let (x, y) = (part(at * bb - bt * ab), part(bt * aa - at * ab));
        for (k, value) in [(channel, 1.0 - x - y), (a, x), (b, y)] {
            if let Some(place) = row.get_mut(k) {
                *place = value;
            }
        }
    }
    Some(mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of a made camera: a mixing and a curve that the fit is to find.
    fn made(mix: &Matrix, curve: impl Fn(f32) -> f32) -> Vec<Pair> {
        (0..4000)
            .map(|i| {
                let v = |k: u32| ((i as u32 * 7919 + k * 104_729) % 1000) as f32 / 1000.0;
                let light = v(0).powi(2);
                let camera = [light * (0.6 + 0.4 * v(1)), light, light * (0.6 + 0.4 * v(2))];
                let shown = apply(mix, camera).map(&curve);
                Pair { camera, shown, weight: 1.0 }
            })
            .collect()
    }

    #[test]
    fn a_made_look_is_found_again() {
        let mix = [[1.3, -0.2, -0.1], [-0.1, 1.2, -0.1], [0.0, -0.2, 1.2]];
        let curve = |v: f32| (v.clamp(0.0, 1.0) * 1.3).min(1.0).powf(0.5);
        let fitted = fit(&made(&mix, curve), &IDENTITY, &Curve::srgb()).unwrap();
        assert!(fitted.distance < 1.5, "{}", fitted.distance);
        for (row, wanted) in fitted.look.mix.iter().zip(mix) {
            assert!(row.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.12), "{:?}", fitted.look.mix);
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "neutral must stay neutral");
        }
    }

    #[test]
    fn curves_rise_from_black_to_white_whatever_the_pairs() {
        let noise: Vec<Pair> = made(&IDENTITY, |v| (v * 997.0).fract());
        let fitted = fit(&noise, &IDENTITY, &Curve::srgb()).unwrap();
        for curve in &fitted.look.curves {
            assert!(curve.0.windows(2).all(|w| w[0] <= w[1]));
            assert!(curve.0[0] < 0.2 && curve.0[STEPS] == 1.0);
        }
        assert!(fitted.distance > 30.0);
    }

    #[test]
    fn a_picture_without_colour_gives_one_curve() {
        let grey: Vec<Pair> =
            made(&IDENTITY, |v| v).into_iter().map(|p| Pair { shown: [luminance(p.camera).sqrt(); 3], ..p }).collect();
        let fitted = fit(&grey, &IDENTITY, &Curve::srgb()).unwrap();
        assert_eq!(fitted.look.curves[0], fitted.look.curves[2]);
        assert!(fitted.distance < 2.0, "{}", fitted.distance);
    }

    #[test]
    fn too_few_pairs_say_nothing() {
        assert!(fit(&made(&IDENTITY, |v| v)[..50], &IDENTITY, &Curve::srgb()).is_none());
    }
}

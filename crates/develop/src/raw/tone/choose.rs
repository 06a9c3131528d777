//! Which look a file gets: its camera's own, its maker's, or none.
//!
//! The camera's own is fitted to the smallest embedded picture that says enough. A picture
//! that is not of what the sensor saw (another scene, a flat one, a filter that no curve
//! can follow) is not believed; then the maker's look is taken.

use super::fit::{Fitted, fit};
use super::small::{Pair, Small, pairs};
use super::{Look, maker};
use crate::raw::colour::{Matrix, luminance};
use crate::raw::options::{Tone, ToneSource};
use crate::raw::sensor::Sensor;
use lightfast_model::Orientation;

/// Pixels of the longer side that an embedded picture needs, to say enough.
const ENOUGH: usize = 120;
/// Mean distance after the fit, in 255ths, above which a picture is not believed.
const FARTHEST: f32 = 16.0;
/// Correlation of brightness, below which a picture is not believed.
const LEAST_ALIKE: f32 = 0.75;

/// The look for a decoded file; `camera` takes balanced camera colours to linear sRGB.
pub(crate) fn choose(
    bytes: &[u8],
    sensor: &Sensor,
    camera: &Matrix,
    balance: [f32; 3],
    tone: Tone,
) -> (Look, ToneSource) {
    if tone == Tone::Linear {
        return (Look::linear(), ToneSource::Linear);
    }
    let (look, is_known) = maker::of(&sensor.shot.make);
    if tone == Tone::Camera
        && let Some(fitted) = own(bytes, sensor, camera, balance, &look)
    {
        return (fitted.look, ToneSource::Camera);
    }
    (look, if is_known { ToneSource::Maker } else { ToneSource::General })
}

/// The look of the camera's own picture, if there is one to believe.
pub(crate) fn own(bytes: &[u8], sensor: &Sensor, camera: &Matrix, balance: [f32; 3], start: &Look) -> Option<Fitted> {
    let mut embedded: Vec<_> = sensor.embedded.iter().collect();
    // Sizes may be unknown (zero) until the picture is read: then by bytes. Large enough
    // ones from the smallest on, then the others from the largest on.
    embedded.sort_by_key(|e| {
        let large = e.width.max(e.height) >= ENOUGH;
        let bytes = e.range.len() as i64;
        (!large, if large { bytes } else { -bytes })
    });
    for one in embedded.into_iter().take(2) {
        let Some(small) = Small::of(bytes, one) else { continue };
        let turned = one.orientation == Orientation::UPRIGHT && sensor.orientation != Orientation::UPRIGHT;
        let pairs = pairs(sensor, balance, &small, turned);
        if alike(&pairs) < LEAST_ALIKE {
            continue;
        }
        let [red, green, blue] = start.curves.each_ref();
        let mean = super::Curve::mean([red, green, blue]);
        let fitted = fit(&pairs, camera, &mean).filter(|fitted| fitted.distance <= FARTHEST);
        if fitted.is_some() {
            return fitted;
        }
    }
    None
}

/// Correlation of what the sensor saw with what was shown, in brightness on an even scale.
fn alike(pairs: &[Pair]) -> f32 {
    let (mut n, mut x, mut y, mut xx, mut yy, mut xy) = (0.0_f64, 0.0, 0.0, 0.0, 0.0, 0.0);
    for pair in pairs {
        let a = f64::from(luminance(pair.camera.map(|v| v.clamp(0.0, 1.0))).sqrt());
        let b = f64::from(luminance(pair.shown));
        if !a.is_finite() {
            continue;
        }
        let w = f64::from(pair.weight);
        n += w;
        x += w * a;
        y += w * b;
        xx += w * a * a;
        yy += w * b * b;
        xy += w * a * b;
    }
    let (across, down) = (n * xx - x * x, n * yy - y * y);
    if across <= 1e-9 || down <= 1e-9 { 0.0 } else { ((n * xy - x * y) / (across * down).sqrt()) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(shown: impl Fn(usize, f32) -> f32) -> f32 {
        let pairs: Vec<Pair> = (0..500)
            .map(|i| {
                let v = (i * 7919 % 500) as f32 / 500.0;
                Pair { camera: [v; 3], shown: [shown(i, v); 3], weight: 1.0 }
            })
            .collect();
        alike(&pairs)
    }

    #[test]
    fn a_picture_is_believed_by_its_brightness() {
        assert!(with(|_, v| v.powf(0.4)) > 0.98);
        assert!(with(|_, v| 1.0 - v) < 0.0);
        assert!(with(|_, _| 0.5) < LEAST_ALIKE);
        assert!(with(|i, _| (i % 17) as f32 / 17.0) < 0.2);
    }
}

//! Colour by matrices: what a camera's channels are in linear sRGB, and white balance.
//!
//! Three-by-three matrices by row. The matrix of a camera gives its channels from CIE
//! XYZ under daylight; rows are scaled so that balanced neutral is neutral in sRGB, as
//! dcraw does, so white balance and matrix stay apart. No look of any maker is in here.

/// Linear sRGB to CIE XYZ, D65 (IEC 61966-2-1).
const XYZ_FROM_SRGB: Matrix = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175],
    [0.019_333_9, 0.119_192, 0.950_304_1],
];

/// Rows of a linear map from three channels to three.
pub(crate) type Matrix = [[f32; 3]; 3];

/// The map that changes nothing.
pub(crate) const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The map that does `b`, then `a`.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| std::array::from_fn(|j| (0..3).map(|k| at(&row, k) * at(b.get(k).unwrap_or(&row), j)).sum()))
}

fn at(row: &[f32; 3], k: usize) -> f32 {
    row.get(k).copied().unwrap_or(0.0)
}

/// The map applied to three channels.
pub(crate) fn apply(m: &Matrix, v: [f32; 3]) -> [f32; 3] {
    m.map(|[a, b, c]| a * v[0] + b * v[1] + c * v[2])
}

/// The map that undoes `m`; none for one that loses a dimension.
pub(crate) fn inverse(m: &Matrix) -> Option<Matrix> {
    let [[a, b, c], [d, e, f], [g, h, i]] = m.map(|row| row.map(f64::from));
    let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    if !determinant.is_finite() || determinant.abs() < 1e-9 {
        return None;
    }
    let rows = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ];
    let inverse = rows.map(|row| row.map(|v| (v / determinant) as f32));
    inverse.iter().flatten().all(|v| v.is_finite()).then_some(inverse)
}

/// Balanced camera channels to linear sRGB; the identity where the matrix is missing or useless.
pub(crate) fn camera_to_srgb(from_xyz: Option<&Matrix>) -> Matrix {
    from_xyz
        .map(|camera| product(camera, &XYZ_FROM_SRGB))
        .map(|camera| {
            camera.map(|row| {
                let sum: f32 = row.iter().sum();
                if sum.abs() > 1e-6 { row.map(|v| v / sum) } else { row }
            })
        })
        .and_then(|camera| inverse(&camera))
        .unwrap_or(IDENTITY)
}

/// Multipliers that make the light of a given white (CIE XYZ) neutral.
fn multipliers_for(from_xyz: &Matrix, white: [f32; 3]) -> Option<[f32; 3]> {
    let seen = apply(from_xyz, white);
    seen.iter().all(|v| v.is_finite() && *v > 1e-4).then(|| seen.map(|v| 1.0 / v))
}

/// Multipliers that make daylight (D65) neutral.
pub(crate) fn daylight(from_xyz: &Matrix) -> Option<[f32; 3]> {
    multipliers_for(from_xyz, apply(&XYZ_FROM_SRGB, [1.0; 3]))
}

/// Multipliers that make light of a temperature in kelvin neutral.
///
/// Chromaticity on the Planckian locus up to 4000 K (the cubic fit of Kim et al. 2002), on the
/// CIE daylight locus from 5000 K (Judd 1964, as in CIE 15), between them in between: the two
/// loci do not meet.
pub(crate) fn temperature(from_xyz: &Matrix, kelvin: f32) -> Option<[f32; 3]> {
    let t = f64::from(kelvin);
    let (black, day) = (planckian(t), daylight_locus(t.max(4000.0)));
    let part = ((t - 4000.0) / 1000.0).clamp(0.0, 1.0);
    let (x, y) = (black.0 + (day.0 - black.0) * part, black.1 + (day.1 - black.1) * part);
    let white = [x / y, 1.0, (1.0 - x - y) / y].map(|v| v as f32);
    multipliers_for(from_xyz, white)
}

/// Chromaticity of a black body, from 1667 K.
fn planckian(t: f64) -> (f64, f64) {
    let x = if t < 4000.0 {
        -0.266_123_9e9 / t.powi(3) - 0.234_358_9e6 / t.powi(2) + 0.877_695_6e3 / t + 0.179_910
    } else {
        -3.025_846_9e9 / t.powi(3) + 2.107_037_9e6 / t.powi(2) + 0.222_634_7e3 / t + 0.240_390
    };
    let y = if t < 2222.0 {
        -1.106_381_4 * x.powi(3) - 1.348_110_2 * x.powi(2) + 2.185_558_32 * x - 0.202_196_83
    } else if t < 4000.0 {
        -0.954_947_6 * x.powi(3) - 1.374_185_93 * x.powi(2) + 2.091_370_15 * x - 0.167_488_67
    } else {
        3.081_758 * x.powi(3) - 5.873_386_7 * x.powi(2) + 3.751_129_97 * x - 0.370_014_83
    };
    (x, y)
}

/// Chromaticity of daylight, from 4000 K.
fn daylight_locus(t: f64) -> (f64, f64) {
    let x = if t <= 7000.0 {
        -4.607e9 / t.powi(3) + 2.9678e6 / t.powi(2) + 0.099_11e3 / t + 0.244_063
    } else {
        -2.0064e9 / t.powi(3) + 1.9018e6 / t.powi(2) + 0.247_48e3 / t + 0.237_040
    };
    (x, -3.0 * x * x + 2.87 * x - 0.275)
}

/// Multipliers scaled so that the smallest is one: then all channels are full where the sensor is.
pub(crate) fn normalised(balance: [f32; 3]) -> [f32; 3] {
    let least = balance.iter().copied().fold(f32::MAX, f32::min).max(1e-6);
    balance.map(|v| v / least)
}

/// Relative luminance of linear sRGB.
pub(crate) fn luminance([r, g, b]: [f32; 3]) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The sRGB curve: linear 0 to 1 to encoded 0 to 1 (IEC 61966-2-1).
pub(crate) fn srgb_encode(v: f32) -> f32 {
    let v = v.clamp(0.0, 1.0);
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// The inverse of [`srgb_encode`].
pub(crate) fn srgb_decode(v: f32) -> f32 {
    let v = v.clamp(0.0, 1.0);
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix of a Canon EOS 5D Mark II for daylight, as DNG files of it have it.
    const CAMERA: Matrix = [[0.4716, 0.0603, -0.083], [-0.7798, 1.5474, 0.248], [-0.1496, 0.1937, 0.6651]];

    #[test]
    fn neutral_stays_neutral_through_the_camera_matrix() {
        let out = apply(&camera_to_srgb(Some(&CAMERA)), [0.5; 3]);
        assert!(out.iter().all(|v| (v - 0.5).abs() < 1e-4), "{out:?}");
    }

    #[test]
    fn daylight_is_about_6500_kelvin_and_tungsten_needs_more_blue() {
        let d65 = normalised(daylight(&CAMERA).unwrap());
        let by_kelvin = normalised(temperature(&CAMERA, 6504.0).unwrap());
        assert!(d65.iter().zip(by_kelvin).all(|(a, b)| (a - b).abs() < 0.02), "{d65:?} {by_kelvin:?}");
        let tungsten = normalised(temperature(&CAMERA, 2856.0).unwrap());
        assert!(tungsten[2] > 1.5 * d65[2] && tungsten[0] < d65[0], "{tungsten:?}");
        let warm = temperature(&CAMERA, 3999.0).unwrap();
        let cool = temperature(&CAMERA, 4001.0).unwrap();
        assert!(warm.iter().zip(cool).all(|(a, b)| (a / b - 1.0).abs() < 0.03), "a step between the two loci");
    }

    #[test]
    fn useless_matrices_become_the_identity() {
        assert_eq!(camera_to_srgb(None), IDENTITY);
        assert_eq!(camera_to_srgb(Some(&[[0.0; 3]; 3])), IDENTITY);
        assert_eq!(camera_to_srgb(Some(&[[f32::NAN; 3]; 3])), IDENTITY);
    }

    #[test]
    fn the_curve_and_its_inverse_meet() {
        for i in 0..=100 {
            let v = i as f32 / 100.0;
            assert!((srgb_decode(srgb_encode(v)) - v).abs() < 1e-5);
        }
    }
}

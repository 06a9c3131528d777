//! Mosaics made from a known picture: what comes out is compared with that picture.

use super::*;
use crate::raw::colour::srgb_encode;
use crate::raw::options::Quality;
use crate::resize::{Samples, turned};

const LAYOUTS: [Layout; 5] = [RGGB, GBRG, XTRANS, Layout::Grey, Layout::Rgb];

/// A grey pattern of rings that become finer towards the corners, up to 0.9 of what the sensor can tell apart.
fn zone_plate(size: usize) -> impl Fn(usize, usize) -> [f32; 3] {
    move |x, y| {
        let (x, y) = (x as f32 - size as f32 / 2.0, y as f32 - size as f32 / 2.0);
        let phase = 0.9 * std::f32::consts::PI * (x * x + y * y) / (size as f32 * std::f32::consts::SQRT_2);
        [0.25 + 0.2 * phase.cos(); 3]
    }
}

/// Spokes of two colours that meet in the middle.
fn star(size: usize) -> impl Fn(usize, usize) -> [f32; 3] {
    move |x, y| {
        let (x, y) = (x as f32 - size as f32 / 2.0 + 0.3, y as f32 - size as f32 / 2.0 + 0.2);
        let part = 0.5 + 0.5 * (20.0 * y.atan2(x)).sin().clamp(-0.7, 0.7) / 0.7;
        let mix = |a: f32, b: f32| a + (b - a) * part;
        [mix(0.6, 0.15), mix(0.55, 0.2), mix(0.4, 0.3)]
    }
}

/// Leaves: brightness changes much from place to place, colour little.
fn leaves(size: usize) -> impl Fn(usize, usize) -> [f32; 3] {
    let mut random = Random(0x5eed);
    let mut field = |step: usize| {
        let across = size / step + 2;
        let values: Vec<f32> = (0..across * across).map(|_| random.next()).collect();
        move |x: usize, y: usize| {
            let (i, j) = (x / step, y / step);
            let (u, v) = ((x % step) as f32 / step as f32, (y % step) as f32 / step as f32);
            let at = |i: usize, j: usize| values[j * across + i];
            let top = at(i, j) + (at(i + 1, j) - at(i, j)) * u;
            let bottom = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * u;
            top + (bottom - top) * v
        }
    };
    let (fine, middle, coarse, hue) = (field(2), field(5), field(17), field(23));
    move |x, y| {
        let light = 0.05 + 0.5 * (0.45 * fine(x, y) + 0.35 * middle(x, y) + 0.2 * coarse(x, y)).powi(2);
        let hue = hue(x, y);
        [light * (0.5 + 0.4 * hue), light, light * (0.3 + 0.2 * hue)]
    }
}

fn shown(linear: [f32; 3]) -> [f32; 3] {
    linear.map(|v| 255.0 * srgb_encode(v))
}

/// Peak signal to noise in decibels, without the outermost pixels.
fn psnr(found: impl Fn(usize, usize) -> [f32; 3], truth: &impl Fn(usize, usize) -> [f32; 3], size: usize) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for y in 8..size - 8 {
        for x in 8..size - 8 {
            for (a, b) in found(x, y).iter().zip(shown(truth(x, y))) {
                sum += f64::from((a - b).powi(2));
                count += 1.0;
            }
        }
    }
    10.0 * (255.0_f32.powi(2) / (sum / count) as f32).log10()
}

/// The plainest interpolation: the mean of the neighbours that have the colour.
fn bilinear(sensor: &Sensor, x: usize, y: usize) -> [f32; 3] {
    let mut linear = [0.0; 3];
    for (colour, value) in linear.iter_mut().enumerate() {
        let (mut sum, mut total) = (0.0, 0.0);
        for j in y - 1..=y + 1 {
            for i in x - 1..=x + 1 {
                if sensor.layout.colour(i, j, 0) == colour {
                    let weight = [4.0, 2.0, 1.0][i.abs_diff(x) + j.abs_diff(y)];
                    sum += weight * (f32::from(sensor.row(j)[i]) - BLACK) / (WHITE - BLACK) * BALANCE[colour];
                    total += weight;
                }
            }
        }
        *value = sum / total;
    }
    shown(linear)
}

/// Decibels of a scene: bilinear, fast, best.
fn compared(scene: impl Fn(usize, usize) -> [f32; 3], size: usize) -> [f32; 3] {
    let sensor = sensor(RGGB, size, size, &scene);
    let of = |quality| {
        let (pixels, width) = rgb(&sensor, &DevelopOptions { quality, ..plain() }, Processor::best());
        psnr(|x, y| pixels[y * width + x].map(f32::from), &scene, size)
    };
    [psnr(|x, y| bilinear(&sensor, x, y), &scene, size), of(Quality::Fast), of(Quality::Best)]
}

#[test]
fn fine_patterns_come_out_nearer_to_the_truth_than_by_the_plainest_interpolation() {
    for (name, [plain, fast, best]) in [
        ("zone plate", compared(zone_plate(256), 256)),
        ("star", compared(star(256), 256)),
        ("leaves", compared(leaves(256), 256)),
    ] {
        println!("{name}: bilinear {plain:.2} dB, fast {fast:.2} dB, best {best:.2} dB");
        assert!(fast > plain + 3.0, "{name}: {fast} against {plain}");
        assert!(best > fast - 0.6, "{name}: best {best}, fast {fast}");
    }
}

#[test]
fn x_trans_and_full_colour_sensors_follow_the_scene() {
    let scene = leaves(192);
    for (layout, least) in [(XTRANS, 26.0), (Layout::Rgb, 45.0)] {
        let sensor = sensor(layout, 192, 192, &scene);
        let (pixels, width) = rgb(&sensor, &plain(), Processor::best());
        let found = psnr(|x, y| pixels[y * width + x].map(f32::from), &scene, 192);
        assert!(found > least, "{layout:?}: {found} dB");
    }
}

#[test]
fn an_even_grey_comes_out_even_and_grey_from_every_layout() {
    for layout in LAYOUTS {
        for quality in [Quality::Fast, Quality::Best] {
            let sensor = sensor(layout, 70, 54, |_, _| [0.18; 3]);
            let (pixels, _) = rgb(&sensor, &DevelopOptions { quality, ..plain() }, Processor::best());
            assert_eq!(pixels.len(), 70 * 54);
            for pixel in pixels {
                assert!(pixel.iter().all(|v| v.abs_diff(118) <= 1), "{layout:?} {quality:?}: {pixel:?}");
            }
        }
    }
}

#[test]
fn every_processor_gives_the_same_pixels() {
    let scene = leaves(400);
    for layout in LAYOUTS {
        let mut sensor = sensor(layout, 398, 61, &scene);
        // Some bad samples and a crop of odd sides.
        let length = sensor.samples.len();
        for i in (0..length).step_by(997) {
            sensor.samples[i] = if i % 2 == 0 { 0 } else { 16_383 };
        }
        sensor.crop = Area { x: 3, y: 2, width: 391, height: 57 };
        for quality in [Quality::Fast, Quality::Best] {
            for size in [None, Some(190)] {
                let options = DevelopOptions { quality, size, sharpen: true, ..plain() };
                let of =
                    |processor, planes| match render(&ready(sensor.clone()), &options, processor, planes).unwrap().0 {
                        Picture::Rgb(plane) => plane.bytes,
                        Picture::Ycc([y, b, r]) => [y.bytes, b.bytes, r.bytes].concat(),
                    };
                for planes in [false, true] {
                    let expected = of(Processor::Portable, planes);
                    for processor in Processor::available() {
                        assert!(of(processor, planes) == expected, "{processor:?} {layout:?} {quality:?} {size:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn wide_sensors_have_no_seam_between_bands() {
    // Twice the width of a band and more: each pixel must be what a narrower part of the sensor gives.
    let scene = leaves(2400);
    let wide = sensor(RGGB, 2400, 32, &scene);
    let (pixels, width) = rgb(&wide, &plain(), Processor::best());
    for start in [900, 1900] {
        let part = sensor(RGGB, 200, 32, |x, y| scene(start + x, y));
        let (expected, _) = rgb(&part, &plain(), Processor::best());
        for y in 0..32 {
            for x in 16..184 {
                assert_eq!(pixels[y * width + start + x], expected[y * 200 + x], "{},{y}", start + x);
            }
        }
    }
}

#[test]
fn every_orientation_shows_the_same_picture_turned() {
    let scene = leaves(128);
    for (width, height) in [(96, 64), (97, 63)] {
        let mut source = sensor(RGGB, 128, 96, &scene);
        source.crop = Area { x: 6, y: 8, width, height };
        let (upright, _) = rgb(&source, &plain(), Processor::best());
        let bytes: Vec<u8> = upright.iter().flatten().copied().collect();
        for value in 1..=8 {
            source.orientation = Orientation::new(value).unwrap();
            let (found, found_width) = rgb(&source, &plain(), Processor::best());
            let samples = Samples { width: width as u32, height: height as u32, channels: 3, samples: &bytes };
            let (expected, expected_width, _) = turned(samples, source.orientation);
            assert_eq!(found_width, expected_width as usize);
            assert!(found.as_flattened() == expected, "{value} of {width}x{height}");
        }
    }
}

#[test]
fn clipped_areas_have_no_colour() {
    // All channels full, then green alone, as in a bright sky.
    for (name, light) in [("all", [4.0, 4.0, 4.0]), ("green only", [1.0, 1.6, 1.1]), ("two", [2.4, 1.6, 1.2])] {
        let source = sensor(RGGB, 64, 64, |_, _| light);
        let (pixels, _) = rgb(&source, &plain(), Processor::best());
        for [r, g, b] in pixels {
            let magenta = (i32::from(r) + i32::from(b)) / 2 - i32::from(g);
            assert!(magenta <= 2, "{name}: {r} {g} {b}");
            assert!(name != "all" || [r, g, b] == [255; 3], "{name}: {r} {g} {b}");
        }
    }
}

#[test]
fn stuck_samples_are_mended_and_stars_are_not() {
    let mut source = sensor(RGGB, 64, 64, |_, _| [0.1; 3]);
    for (x, y, value) in [(20, 20, 16_383), (33, 20, 16_383), (20, 41, 0), (41, 41, 16_000)] {
        source.samples[y * 64 + x] = value;
    }
    let (pixels, _) = rgb(&source, &plain(), Processor::best());
    let expected = shown([0.1; 3])[0];
    for pixel in pixels {
        assert!(pixel.iter().all(|v| (f32::from(*v) - expected).abs() < 4.0), "{pixel:?}");
    }
    // A star as a lens shows it covers several samples.
    let star = sensor(RGGB, 64, 64, |x, y| {
        let far = (x as f32 - 32.0).powi(2) + (y as f32 - 32.0).powi(2);
        [0.02 + 0.9 * (-far / 3.0).exp(); 3]
    });
    let (pixels, _) = rgb(&star, &plain(), Processor::best());
    assert!(pixels[32 * 64 + 32][1] > 200, "{:?}", pixels[32 * 64 + 32]);
}

#[test]
fn half_the_size_is_the_mean_of_the_whole() {
    let scene = leaves(256);
    for layout in [RGGB, GBRG] {
        let source = sensor(layout, 256, 256, |x, y| scene(x / 8 * 8, y / 8 * 8));
        let whole = rgb(&source, &plain(), Processor::best()).0;
        let (half, width) = rgb(&source, &DevelopOptions { size: Some(128), ..plain() }, Processor::best());
        assert_eq!((half.len(), width), (128 * 128, 128));
        // Inside of the even squares both are the scene.
        for y in (1..127).filter(|y| y % 4 == 1) {
            for x in (1..127).filter(|x| x % 4 == 1) {
                let (a, b) = (half[y * 128 + x], whole[2 * y * 256 + 2 * x]);
                assert!(a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 12), "{x},{y}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn sharpening_leaves_even_areas_and_raises_edges() {
    let edge = sensor(RGGB, 64, 64, |x, _| [if x < 32 { 0.1 } else { 0.4 }; 3]);
    let soft = rgb(&edge, &plain(), Processor::best()).0;
    let sharp = rgb(&edge, &DevelopOptions { sharpen: true, ..plain() }, Processor::best()).0;
    let row = |pixels: &[[u8; 3]], x: usize| i32::from(pixels[20 * 64 + x][1]);
    assert_eq!(row(&soft, 8), row(&sharp, 8));
    assert!(row(&sharp, 31) < row(&soft, 31) && row(&sharp, 32) > row(&soft, 32));
}

#[test]
fn more_exposure_is_more_light_and_the_smallest_sensors_render() {
    let light = |ev: f32| {
        let source = sensor(RGGB, 16, 16, |_, _| [0.1; 3]);
        rgb(&source, &DevelopOptions { exposure_ev: ev, ..plain() }, Processor::best()).0[100][1]
    };
    assert!(light(1.0).abs_diff(shown([0.2; 3])[1] as u8) <= 1, "{}", light(1.0));
    assert!(light(-1.0).abs_diff(shown([0.05; 3])[1] as u8) <= 1, "{}", light(-1.0));
    for layout in LAYOUTS {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (2, 2), (3, 5), (7, 6)] {
            let source = sensor(layout, width, height, |_, _| [0.2; 3]);
            for size in [None, Some(1)] {
                let (pixels, _) = rgb(&source, &DevelopOptions { size, ..plain() }, Processor::best());
                assert!(!pixels.is_empty(), "{layout:?} {width}x{height}");
            }
        }
    }
}

//! Whole files of the test kit: made RAWs whose scene is known, and what is done to them.

use super::*;
use crate::jpeg::Header;
use crate::raw::options::{Limits, Quality, Tone, WhiteBalance};
use crate::raw::source;
use crate::raw::{DevelopError, Developer};
use lightfast_testkit::{Shot as Made, samples};

fn cr2(seed: u64) -> Vec<u8> {
    samples::cr2(&Made { iso: 100, ..Made::sized(720, 480).seeded(seed) })
}

fn pixels(bytes: &[u8], options: &DevelopOptions) -> crate::raw::Pixels {
    Developer::new().unwrap().pixels(bytes, options).unwrap()
}

/// Mean distance of two pictures, in levels.
fn distance(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

fn decoded(jpeg: &[u8]) -> Vec<u8> {
    turbojpeg::decompress(jpeg, turbojpeg::PixelFormat::RGB).unwrap().pixels
}

/// The bytes of the file's largest embedded JPEG.
fn largest(bytes: &[u8]) -> std::ops::Range<usize> {
    let sensor = source::decode(bytes, &Limits::default()).unwrap();
    let embedded = sensor.embedded.iter().filter(|e| !e.plain).max_by_key(|e| e.range.len());
    embedded.unwrap().range.clone()
}

/// The file with other JPEGs in the place of its own.
fn with_other_pictures(bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let sensor = source::decode(bytes, &Limits::default()).unwrap();
    let mut changed = bytes.to_vec();
    let mut count = 0;
    for embedded in sensor.embedded.iter().filter(|e| !e.plain) {
        let place = &mut changed[embedded.range.clone()];
        assert!(other.len() <= place.len(), "the other picture must fit");
        place.fill(0);
        place[..other.len()].copy_from_slice(other);
        count += 1;
    }
    assert!(count > 0);
    changed
}

#[test]
fn a_raw_comes_out_as_the_camera_showed_it() {
    for bytes in [cr2(3), samples::dng(&Made { iso: 100, ..Made::sized(720, 480).seeded(3) })] {
        let camera = decoded(&bytes[largest(&bytes)]);
        let made = pixels(&bytes, &DevelopOptions { sharpen: false, ..DevelopOptions::default() });
        assert_eq!((made.width, made.height, made.tone), (720, 480, ToneSource::Camera));
        let apart = distance(&made.rgb, &camera);
        assert!(apart < 6.0, "{apart} levels");
    }
}

/// What is shown must be what the sensor saw, whatever JPEG lies in the file.
#[test]
fn an_embedded_picture_of_something_else_is_not_taken_for_the_sensors() {
    let bytes = cr2(3);
    let honest = pixels(&bytes, &DevelopOptions { tone: Tone::Maker, ..DevelopOptions::default() });
    let small = |pixels: Vec<u8>| {
        let image = turbojpeg::Image {
            pixels: pixels.as_slice(),
            width: 160,
            pitch: 480,
            height: 120,
            format: turbojpeg::PixelFormat::RGB,
        };
        turbojpeg::compress(image, 30, turbojpeg::Subsamp::Sub2x2).unwrap().to_vec()
    };
    let stripes = small((0..160 * 120 * 3).map(|i| if i / 3 % 160 / 20 % 2 == 0 { 240 } else { 10 }).collect());
    let flat = small(vec![128; 160 * 120 * 3]);
    for other in [stripes, flat] {
        let lied = pixels(&with_other_pictures(&bytes, &other), &DevelopOptions::default());
        assert_eq!(lied.tone, ToneSource::Maker, "such a picture must not be believed");
        assert!(lied.rgb == honest.rgb);
    }
}

/// Detail must come from the sensor: a renderer that hands on the embedded JPEG has none of it.
#[test]
fn what_the_jpeg_does_not_show_and_the_sensor_saw_is_in_the_rendering() {
    let bytes = cr2(3);
    let range = largest(&bytes);
    // The camera's picture with half of it a flat grey: similar enough to be believed or not, but not the scene.
    let mut picture = decoded(&bytes[range.clone()]);
    for row in picture.chunks_exact_mut(720 * 3) {
        row[360 * 3..].fill(90);
    }
    let image = turbojpeg::Image {
        pixels: picture.as_slice(),
        width: 720,
        pitch: 2160,
        height: 480,
        format: turbojpeg::PixelFormat::RGB,
    };
    let jpeg = turbojpeg::compress(image, 70, turbojpeg::Subsamp::Sub2x2).unwrap();
    let mut changed = bytes.clone();
    assert!(jpeg.len() <= range.len());
    changed[range.clone()].fill(0);
    changed[range.start..range.start + jpeg.len()].copy_from_slice(&jpeg);
    let made = pixels(&changed, &DevelopOptions::default());
    let right: Vec<u8> = made.rgb.chunks_exact(720 * 3).flat_map(|row| row[400 * 3..].to_vec()).collect();
    let mean = right.iter().map(|v| f64::from(*v)).sum::<f64>() / right.len() as f64;
    let spread = right.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / right.len() as f64;
    assert!(spread.sqrt() > 15.0, "the right half has no detail: {}", spread.sqrt());
}

#[test]
fn the_jpeg_is_upright_has_its_size_profile_and_exif() {
    let shot = Made { iso: 100, ..Made::sized(720, 480).seeded(4).oriented(6) };
    let bytes = samples::cr2(&shot);
    let mut developer = Developer::new().unwrap();
    for (size, expected) in
        [(None, (480, 720)), (Some(300), (200, 300)), (Some(500), (333, 500)), (Some(9000), (480, 720))]
    {
        let made = developer.jpeg(&bytes, &DevelopOptions { size, ..DevelopOptions::default() }).unwrap();
        let header = Header::parse(&made.jpeg).unwrap();
        assert_eq!((made.width, made.height), expected);
        assert_eq!((header.width, header.height), expected);
        assert_eq!((header.components[0].across, header.components[0].down), (2, 2));
        assert!(header.icc.is_some_and(|icc| icc.len() > 128));
        let exif = memchr::memmem::find(&made.jpeg, b"Exif\0\0II*\0").unwrap();
        assert!(memchr::memmem::find(&made.jpeg[exif..exif + 1000], shot.model.as_bytes()).is_some());
        let full = developer.pixels(&bytes, &DevelopOptions { size, ..DevelopOptions::default() }).unwrap();
        let apart = distance(&decoded(&made.jpeg), &full.rgb);
        assert!(apart < 4.0, "{size:?}: {apart} levels between JPEG and pixels");
    }
}

#[test]
fn balance_quality_and_refused_options() {
    let bytes = cr2(5);
    let mean = |options: &DevelopOptions| {
        let made = pixels(&bytes, options);
        let mut sums = [0.0; 3];
        for pixel in made.rgb.as_chunks::<3>().0 {
            for (sum, v) in sums.iter_mut().zip(pixel) {
                *sum += f64::from(*v);
            }
        }
        sums
    };
    let of = |white_balance| mean(&DevelopOptions { white_balance, tone: Tone::Linear, ..DevelopOptions::default() });
    let (warm, cold) = (of(WhiteBalance::Temperature(3000.0)), of(WhiteBalance::Temperature(9000.0)));
    // A balance for warm light makes a picture colder.
    assert!(warm[2] / warm[0] > 1.3 * cold[2] / cold[0], "{warm:?} {cold:?}");
    let (fast, best) = (DevelopOptions::default(), DevelopOptions { quality: Quality::Best, ..Default::default() });
    let apart = distance(&pixels(&bytes, &fast).rgb, &pixels(&bytes, &best).rgb);
    assert!(apart > 0.0 && apart < 3.0, "{apart}");
    let mut developer = Developer::new().unwrap();
    for wrong in [
        DevelopOptions { exposure_ev: 9.0, ..fast },
        DevelopOptions { exposure_ev: f32::NAN, ..fast },
        DevelopOptions { white_balance: WhiteBalance::Temperature(1.0), ..fast },
        DevelopOptions { white_balance: WhiteBalance::Multipliers([0.0, 1.0, 1.0]), ..fast },
        DevelopOptions { size: Some(0), ..fast },
        DevelopOptions { jpeg_quality: 0, ..fast },
    ] {
        assert!(matches!(developer.jpeg(&bytes, &wrong), Err(DevelopError::Option { .. })), "{wrong:?}");
    }
    let limits = Limits { pixels: 10_000, ..Limits::default() };
    let small = developer.jpeg(&bytes, &DevelopOptions { limits, ..fast });
    assert!(matches!(small, Err(DevelopError::TooLarge { .. })), "{small:?}");
}

#[test]
fn damaged_files_are_answers_and_never_panics() {
    let mut developer = Developer::new().unwrap();
    let options = DevelopOptions { limits: Limits { pixels: 4_000_000, side: 5000 }, ..DevelopOptions::default() };
    assert!(developer.jpeg(b"", &options).is_err());
    assert!(developer.jpeg(b"II*\0\x10\0\0\0CR\x02\0", &options).is_err());
    let shot = Made::sized(128, 96);
    let mut random = Random(77);
    for original in [samples::cr2(&shot), samples::dng(&shot)] {
        for length in (0..original.len()).step_by(original.len() / 40) {
            let _ = developer.jpeg(&original[..length], &options);
        }
        for _ in 0..150 {
            let mut bytes = original.clone();
            // Directories lie near the start: most damage goes there.
            for _ in 0..1 + (random.next() * 6.0) as usize {
                let reach = if random.next() < 0.7 { 3000.min(bytes.len()) } else { bytes.len() };
                let at = (random.next() * reach as f32) as usize % bytes.len();
                bytes[at] = (random.next() * 256.0) as u8;
            }
            let _ = developer.jpeg(&bytes, &options);
        }
    }
}

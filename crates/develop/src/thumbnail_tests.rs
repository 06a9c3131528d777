//! Thumbnails of every kind of JPEG, upright and of the right colours.

use proptest::prelude::*;
use turbojpeg::{Colorspace, Compressor, Image, PixelFormat, Subsamp};

use super::*;

#[test]
fn the_scale_is_the_smallest_that_is_large_enough() {
    assert_eq!(eighths(5616, 512), 1);
    assert_eq!(eighths(4032, 512), 1);
    assert_eq!(eighths(4000, 512), 1);
    assert_eq!(eighths(3840, 512), 2);
    assert_eq!(eighths(5616, 2560), 4);
    assert_eq!(eighths(600, 600), 8);
    assert_eq!(eighths(1, 512), 8);
}

/// Four flat quarters: red, green, blue and grey, from the top left in reading order.
const QUARTERS: [[u8; 3]; 4] = [[200, 40, 40], [40, 180, 40], [40, 40, 220], [128, 128, 128]];

fn quarters(width: usize, height: usize) -> Image<Vec<u8>> {
    let quarter = |i: usize| usize::from(i % width >= width / 2) + 2 * usize::from(i / width >= height / 2);
    let pixels = (0..width * height).flat_map(|i| QUARTERS[quarter(i)]).collect();
    Image { pixels, width, pitch: 3 * width, height, format: PixelFormat::RGB }
}

fn encoded(width: usize, height: usize, set: impl FnOnce(&mut Compressor)) -> Vec<u8> {
    let mut compressor = Compressor::new().unwrap();
    compressor.set_quality(95).unwrap();
    set(&mut compressor);
    compressor.compress_to_vec(quarters(width, height).as_deref()).unwrap()
}

fn made(jpeg: &[u8], orientation: u16, edge: u32) -> UprightJpeg {
    let orientation = Orientation::new(orientation).unwrap();
    Thumbnailer::new().unwrap().make(jpeg, &Request::thumbnail(orientation, edge)).unwrap()
}

/// The colours of the four quarters, each in its middle.
fn colours(picture: &UprightJpeg) -> [[u8; 3]; 4] {
    let image = turbojpeg::decompress(&picture.jpeg, PixelFormat::RGB).unwrap();
    assert_eq!((image.width as u32, image.height as u32), (picture.width, picture.height));
    [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| {
        let at = image.height * y / 4 * image.pitch + image.width * x / 4 * 3;
        image.pixels[at..at + 3].try_into().unwrap()
    })
}

fn assert_colours(picture: &UprightJpeg, expected: [[u8; 3]; 4]) {
    let colours = colours(picture);
    for (ours, expected) in colours.iter().flatten().zip(expected.iter().flatten()) {
        assert!(ours.abs_diff(*expected) <= 12, "{colours:?}, not {expected:?}");
    }
}

#[test]
fn every_kind_of_jpeg_keeps_its_colours() {
    // Large enough for an eighth, and so small that another scale is taken; even and odd.
    for (width, height, edge, expected) in [
        (2400, 1600, 300, (300, 200)),
        (2403, 1601, 300, (300, 200)),
        (641, 423, 300, (300, 198)),
        (77, 51, 300, (77, 51)),
        (801, 2401, 300, (100, 300)),
    ] {
        let check = |name: &str, jpeg: Vec<u8>| {
            let picture = made(&jpeg, 1, edge);
            assert_eq!((picture.width, picture.height), expected, "{name}");
            assert_colours(&picture, QUARTERS);
        };
        for sampling in [Subsamp::None, Subsamp::Sub2x1, Subsamp::Sub2x2, Subsamp::Sub1x2, Subsamp::Sub4x1] {
            check("baseline", encoded(width, height, |compressor| compressor.set_subsamp(sampling).unwrap()));
        }
        check("progressive", encoded(width, height, |compressor| compressor.set_progressive(true).unwrap()));
        check("arithmetic", encoded(width, height, |compressor| compressor.set_arithmetic(true).unwrap()));
        check("optimised", encoded(width, height, |compressor| compressor.set_optimize(true).unwrap()));
        check("RGB", encoded(width, height, |compressor| compressor.set_colorspace(Colorspace::RGB).unwrap()));
    }
}

#[test]
fn grey_stays_grey() {
    for (width, height) in [(2400, 1600), (641, 423)] {
        let jpeg = encoded(width, height, |compressor| compressor.set_subsamp(Subsamp::Gray).unwrap());
        let picture = made(&jpeg, 1, 300);
        let header = Header::parse(&picture.jpeg).unwrap();
        assert_eq!(header.components.len(), 1);
        assert!(colours(&picture).iter().all(|[red, green, blue]| red == green && green == blue));
    }
}

#[test]
fn inks_become_light() {
    // As Adobe stores them, inverted: red is cyan 255, magenta and yellow 0.
    let pixels = [255, 0, 0, 255].repeat(64 * 64);
    let image = Image { pixels: pixels.as_slice(), width: 64, pitch: 256, height: 64, format: PixelFormat::CMYK };
    let mut compressor = Compressor::new().unwrap();
    let jpeg = compressor.compress_to_vec(image).unwrap();
    assert_colours(&made(&jpeg, 1, 32), [[255, 0, 0]; 4]);
}

#[test]
fn all_eight_orientations_are_upright() {
    let [red, green, blue, grey] = QUARTERS;
    let upright = [
        [red, green, blue, grey],
        [green, red, grey, blue],
        [grey, blue, green, red],
        [blue, grey, red, green],
        [red, blue, green, grey],
        [blue, red, grey, green],
        [grey, green, blue, red],
        [green, grey, red, blue],
    ];
    let jpegs = [
        encoded(2403, 1601, |compressor| compressor.set_subsamp(Subsamp::Sub2x1).unwrap()),
        encoded(641, 427, |compressor| compressor.set_colorspace(Colorspace::RGB).unwrap()),
    ];
    for jpeg in jpegs {
        for (orientation, expected) in (1..).zip(upright) {
            let picture = made(&jpeg, orientation, 300);
            let size = if orientation < 5 { (300, 200) } else { (200, 300) };
            assert_eq!((picture.width, picture.height), size);
            assert_colours(&picture, expected);
        }
    }
}

#[test]
fn a_file_cut_short_gives_what_there_is_of_it() {
    for progressive in [false, true] {
        let jpeg = encoded(2400, 1600, |compressor| compressor.set_progressive(progressive).unwrap());
        let picture = made(&jpeg[..jpeg.len() * 3 / 4], 1, 300);
        let colours = colours(&picture);
        assert!(colours[0][0] > 150 && colours[0][1] < 90, "{colours:?}");
        let nothing = Thumbnailer::new().unwrap().make(&jpeg[..100], &Request::thumbnail(Orientation::UPRIGHT, 300));
        assert!(matches!(nothing, Err(JpegError::Damaged(_) | JpegError::Library(_))), "{nothing:?}");
    }
}

#[test]
fn a_wide_gamut_profile_goes_with_the_thumbnail_and_srgb_does_not() {
    let jpeg = encoded(2400, 1600, |_| {});
    for (words, kept) in [("Display P3", true), ("sRGB IEC61966-2.1", false)] {
        let mut icc = vec![0; 128];
        icc[16..20].copy_from_slice(b"RGB ");
        icc.extend(words.as_bytes());
        let jpeg = profile::with_profile(&jpeg, &icc).unwrap();
        let picture = made(&jpeg, 6, 300);
        assert_eq!(Header::parse(&picture.jpeg).unwrap().icc, kept.then_some(icc));
    }
}

/// Pictures of the corpus, if it is there: `LIGHTFAST_CORPUS`, or beside the repository.
fn corpus() -> Option<std::path::PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let root = std::env::var_os("LIGHTFAST_CORPUS").unwrap_or_else(|| beside.into()).into();
    let there = std::path::Path::new(&root).is_dir();
    if !there {
        println!("no corpus: real JPEGs are not tried");
    }
    there.then_some(root)
}

fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

#[test]
fn real_jpegs_equal_libjpeg_and_malformed_ones_do_no_harm() {
    let Some(root) = corpus() else { return };
    let mut found = Vec::new();
    for folder in ["jpeg", "cards", "malformed", "exiftool", "exiv2"] {
        files(&root.join(folder), &mut found);
    }
    let mut thumbnailer = Thumbnailer::new().unwrap();
    let (mut equal, mut made, mut refused) = (0, 0, 0);
    for file in found {
        let bytes = std::fs::read(&file).unwrap();
        if bytes.len() > 8 << 20 {
            continue;
        }
        let start = memchr::memmem::find(&bytes, &[0xff, 0xd8, 0xff]).unwrap_or(0);
        let jpeg = &bytes[start..];
        match thumbnailer.make(jpeg, &Request::thumbnail(Orientation::UPRIGHT, 512)) {
            Ok(_) => made += 1,
            Err(_) => refused += 1,
        }
        let Ok(header) = Header::parse(jpeg) else { continue };
        let (Ok(ours), Ok(Decoded::Planes(theirs))) =
            (eighth(&header, Limits::default()), thumbnailer.turbo.decode(jpeg, 1, Limits::default()))
        else {
            continue;
        };
        // Where libjpeg's planes are smaller by its rounding, what both have.
        for (ours, theirs) in ours.iter().zip(theirs.iter()) {
            let rows = ours.samples.chunks(ours.stride as usize).zip(theirs.samples.chunks(theirs.stride as usize));
            for (ours, theirs) in rows {
                let both = ours.len().min(theirs.len());
                assert_eq!(ours[..both], theirs[..both], "{}", file.display());
            }
        }
        equal += 1;
    }
    println!("{made} thumbnails, {refused} refused, {equal} equal to libjpeg's eighth");
    assert!(equal > 50);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn flipped_bytes_do_no_harm(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        progressive in any::<bool>(),
        edge in 1u32..300,
    ) {
        let mut jpeg = encoded(320, 240, |compressor| compressor.set_progressive(progressive).unwrap());
        for (place, byte) in flips {
            let place = place.index(jpeg.len());
            jpeg[place] = byte;
        }
        let request = Request { limits: Limits { pixels: 4_000_000 }, ..Request::thumbnail(Orientation::UPRIGHT, edge) };
        if let Ok(picture) = Thumbnailer::new().unwrap().make(&jpeg, &request) {
            prop_assert!(picture.width.max(picture.height) <= edge);
        }
    }
}

#[cfg(feature = "heif")]
#[test]
fn heics_of_all_eight_orientations_come_out_upright() {
    use lightfast_testkit::samples::heic_quarters;
    // Red, green, blue and white, as stored.
    let stored: Vec<u8> = [[220, 30, 30], [30, 200, 30], [30, 30, 220], [230, 230, 230]].concat();
    for value in 1..=8 {
        let orientation = Orientation::new(value).unwrap();
        let picture = Samples { width: 2, height: 2, channels: 3, samples: &stored };
        let (expected, ..) = turned(picture, orientation);
        // The container turns the picture, so nothing more is asked for.
        let request = Request::thumbnail(Orientation::UPRIGHT, 512);
        let made = Thumbnailer::new().unwrap().make(&heic_quarters(value), &request).unwrap();
        let upright = if value >= 5 { (64, 96) } else { (96, 64) };
        assert_eq!((made.width, made.height), upright, "{value}");
        let image = turbojpeg::decompress(&made.jpeg, turbojpeg::PixelFormat::RGB).unwrap();
        for (quarter, colour) in expected.chunks(3).enumerate() {
            let x = image.width * (1 + 2 * (quarter % 2)) / 4;
            let y = image.height * (1 + 2 * (quarter / 2)) / 4;
            let at = y * image.pitch + x * 3;
            let near = image.pixels[at..at + 3].iter().zip(colour).all(|(a, b)| a.abs_diff(*b) < 30);
            assert!(near, "orientation {value}, quarter {quarter}: {:?}, not {colour:?}", &image.pixels[at..at + 3]);
        }
    }
}

#[cfg(feature = "heif")]
#[test]
fn a_heif_that_is_cut_or_too_large_is_refused() {
    let whole = lightfast_testkit::samples::heic_quarters(1);
    let mut thumbnailer = Thumbnailer::new().unwrap();
    let request = Request::fit(Orientation::UPRIGHT, u32::MAX);
    for len in (16..whole.len() - 1).step_by(7) {
        let _ = thumbnailer.make(&whole[..len], &request);
    }
    let small = Request { limits: Limits { pixels: 100 }, ..request };
    assert!(thumbnailer.make(&whole, &small).is_err());
    assert!(thumbnailer.make(&whole, &request).is_ok());
}

#[cfg(not(feature = "heif"))]
#[test]
fn without_its_decoder_a_heif_is_refused_with_words() {
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
    let error = Thumbnailer::new().unwrap().make(heic, &Request::thumbnail(Orientation::UPRIGHT, 512)).unwrap_err();
    assert!(matches!(error, JpegError::Unsupported(_)));
}

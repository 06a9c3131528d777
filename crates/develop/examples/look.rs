//! How near renderings come to the pictures that cameras made of the same files.
//!
//! `cargo run --release -p lightfast-develop --example look -- [--learn] [--crops DIR] FILE…`
//!
//! For each RAW that holds a camera's JPEG: the mean and 95th percentile of CIEDE2000 and the
//! structural similarity (SSIM) to it, at 1024 pixels of the long side, once with the curve of
//! the file's own JPEG and once with the mean of the other files of the maker (leave one out;
//! of all others where there is no other), after one gain of exposure. `--learn` prints the
//! lines for `src/raw/tone/makers.tsv`. `--crops` writes 1:1 crops, camera left, ours right.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lightfast_develop::raw::{DevelopOptions, Developer, Learned, Pixels, learn, mean};
use lightfast_develop::resize::{Samples, Scaler, fitting, turned};
use lightfast_model::Orientation;

const EDGE: u32 = 1024;

struct Source {
    path: PathBuf,
    bytes: Vec<u8>,
    learned: Learned,
    camera: (Vec<u8>, u32, u32),
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let learning = arguments.iter().position(|a| a == "--learn").map(|at| arguments.remove(at)).is_some();
    let crops = arguments.iter().position(|a| a == "--crops").map(|at| {
        arguments.remove(at);
        PathBuf::from(arguments.remove(at))
    });
    let mut sources = Vec::new();
    for path in arguments.iter().map(PathBuf::from) {
        match source(&path) {
            Ok(source) => sources.push(source),
            Err(why) => eprintln!("{}: {why}", path.display()),
        }
    }
    if learning {
        return print_makers(&sources);
    }
    println!("file\tcamera\town mean\town 95th\town SSIM\tmaker mean\tmaker 95th\tmaker SSIM\tmaker EV");
    let mut developer = Developer::new().expect("a developer");
    for (at, source) in sources.iter().enumerate() {
        let options = DevelopOptions { size: Some(EDGE), ..DevelopOptions::default() };
        let own = developer.pixels(&source.bytes, &options).expect("rendered before");
        let own = compare(&own, &source.camera);
        let others = others(&sources, at);
        let (left_out, ev) = best_exposure(&mut developer, source, &options, &others);
        println!(
            "{}\t{}\t{:.2}\t{:.2}\t{:.3}\t{:.2}\t{:.2}\t{:.3}\t{ev:+.2}",
            source.path.file_name().unwrap_or_default().to_string_lossy(),
            source.learned.model,
            own.0,
            own.1,
            own.2,
            left_out.0,
            left_out.1,
            left_out.2
        );
        if let Some(folder) = &crops {
            let full = developer.pixels(&source.bytes, &DevelopOptions::default()).expect("rendered before");
            write_crops(folder, source, &full);
        }
    }
}

fn source(path: &Path) -> Result<Source, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let learned = learn(&bytes).map_err(|error| error.to_string())?.ok_or("no camera's picture to compare with")?;
    let camera = camera_picture(&bytes)?;
    Ok(Source { path: path.to_owned(), bytes, learned, camera })
}

/// The largest JPEG in the file that decodes, upright.
fn camera_picture(bytes: &[u8]) -> Result<(Vec<u8>, u32, u32), String> {
    let file = flashraw::FlashRaw::open(bytes).map_err(|error| error.to_string())?;
    let mut previews: Vec<_> = file.previews().iter().collect();
    previews.sort_by_key(|preview| std::cmp::Reverse(preview.length));
    for preview in previews {
        let Some(jpeg) = bytes.get(preview.offset as usize..(preview.offset + preview.length) as usize) else {
            continue;
        };
        if let Ok(image) = turbojpeg::decompress(jpeg, turbojpeg::PixelFormat::RGB) {
            let orientation = Orientation::new(preview.orientation.exif() as u16).unwrap_or_default();
            let samples =
                Samples { width: image.width as u32, height: image.height as u32, channels: 3, samples: &image.pixels };
            return Ok(turned(samples, orientation));
        }
    }
    Err("no JPEG in it".into())
}

/// The mean look of the other files of the maker, one a camera; of all others where there is none.
fn others(sources: &[Source], left_out: usize) -> String {
    let make = |source: &Source| source.learned.make.split(' ').next().unwrap_or_default().to_lowercase();
    let own = make(&sources[left_out]);
    let rest = || sources.iter().enumerate().filter(move |(at, _)| *at != left_out).map(|(_, source)| source);
    let same: Vec<&Source> = rest().filter(|source| make(source) == own).collect();
    let chosen = if same.is_empty() { rest().collect() } else { same };
    one_a_camera("x", &chosen).unwrap_or_else(|| sources[left_out].learned.line.clone())
}

/// The mean of the cameras' means: files that are alike (a burst, made files) must not outweigh others.
fn one_a_camera(name: &str, sources: &[&Source]) -> Option<String> {
    let mut cameras: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources {
        cameras.entry(&source.learned.model).or_default().push(&source.learned.line);
    }
    let means: Vec<String> = cameras.into_values().filter_map(|lines| mean(name, lines)).collect();
    mean(name, means.iter().map(String::as_str))
}

fn print_makers(sources: &[Source]) {
    println!("# A word of the maker's name; colour correction by row; 65 heights of the curve; all in thousandths.");
    let mut makers: BTreeMap<String, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        let word = source.learned.make.split(' ').next().unwrap_or_default().to_lowercase();
        makers.entry(word).or_default().push(source);
    }
    let mut lines = Vec::new();
    for (maker, sources) in &makers {
        if let Some(line) = one_a_camera(maker, sources) {
            println!("{line}");
            lines.push(line);
        }
    }
    println!("{}", mean("*", lines.iter().map(String::as_str)).unwrap_or_default());
}

type Figures = (f64, f64, f64);

fn best_exposure(developer: &mut Developer, source: &Source, options: &DevelopOptions, line: &str) -> (Figures, f32) {
    let mut at = |ev: f32| {
        let options = DevelopOptions { exposure_ev: ev, ..*options };
        let pixels = developer.pixels_with(&source.bytes, &options, line).expect("rendered before");
        compare(&pixels, &source.camera)
    };
    let mut best = (at(0.0), 0.0);
    let mut step = 0.8;
    while step > 0.04 {
        for ev in [best.1 - step, best.1 + step] {
            let found = at(ev);
            if found.0 < best.0.0 {
                best = (found, ev);
            }
        }
        step /= 2.0;
    }
    best
}

/// Mean and 95th percentile of CIEDE2000, and SSIM of brightness.
fn compare(ours: &Pixels, camera: &(Vec<u8>, u32, u32)) -> Figures {
    let (width, height) = fitting(ours.width as u32, ours.height as u32, EDGE);
    let small = |rgb: &[u8], w: u32, h: u32| {
        let samples = Samples { width: w, height: h, channels: 3, samples: rgb };
        Scaler::default().resize(samples, (f64::from(w), f64::from(h)), width, height).expect("a size that is right")
    };
    let a = small(&ours.rgb, ours.width as u32, ours.height as u32);
    let b = small(&camera.0, camera.1, camera.2);
    let mut distances: Vec<f64> =
        a.as_chunks::<3>().0.iter().zip(b.as_chunks::<3>().0).map(|(a, b)| ciede2000(lab(*a), lab(*b))).collect();
    distances.sort_by(f64::total_cmp);
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    (mean, distances[distances.len() * 95 / 100], ssim(&a, &b, width as usize))
}

/// sRGB to CIE L*a*b* under D65.
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|v| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
    let y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
    let z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
    let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let (x, y, z) = (f(x), f(y), f(z));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The colour difference of CIE 142-2001.
fn ciede2000([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    let c_mean = (a1.hypot(b1) + a2.hypot(b2)) / 2.0;
    let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
    let g = 0.5 * (1.0 - seventh(c_mean));
    let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue = |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let grey = c1 * c2 == 0.0;
    let mut dh = h2 - h1;
    if grey {
        dh = 0.0;
    } else if dh > 180.0 {
        dh -= 360.0;
    } else if dh < -180.0 {
        dh += 360.0;
    }
    let dh_term = 2.0 * (c1 * c2).sqrt() * (dh / 2.0).to_radians().sin();
    let (l, c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let h = if grey {
        h1 + h2
    } else if (h1 - h2).abs() <= 180.0 {
        (h1 + h2) / 2.0
    } else if h1 + h2 < 360.0 {
        (h1 + h2 + 360.0) / 2.0
    } else {
        (h1 + h2 - 360.0) / 2.0
    };
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0) - 0.2 * cos(4.0 * h - 63.0);
    let turn = (60.0 * (-((h - 275.0) / 25.0).powi(2)).exp()).to_radians();
    let rotation = -turn.sin() * 2.0 * seventh(c);
    let s_l = 1.0 + 0.015 * (l - 50.0).powi(2) / (20.0 + (l - 50.0).powi(2)).sqrt();
    let (s_c, s_h) = (1.0 + 0.045 * c, 1.0 + 0.015 * c * t);
    let (dl, dc, dh) = ((l2 - l1) / s_l, (c2 - c1) / s_c, dh_term / s_h);
    (dl * dl + dc * dc + dh * dh + rotation * dc * dh).max(0.0).sqrt()
}

/// Structural similarity of brightness, in windows of 8 by 8 (Wang et al. 2004).
fn ssim(a: &[u8], b: &[u8], width: usize) -> f64 {
    let luma = |p: &[u8; 3]| 0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2]);
    let a: Vec<f64> = a.as_chunks::<3>().0.iter().map(luma).collect();
    let b: Vec<f64> = b.as_chunks::<3>().0.iter().map(luma).collect();
    let height = a.len() / width;
    let (mut sum, mut count) = (0.0, 0.0);
    for y in (0..height.saturating_sub(8)).step_by(4) {
        for x in (0..width.saturating_sub(8)).step_by(4) {
            let (mut ma, mut mb, mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for j in 0..8 {
                for i in 0..8 {
                    let (p, q) = (a[(y + j) * width + x + i], b[(y + j) * width + x + i]);
                    ma += p;
                    mb += q;
                    aa += p * p;
                    bb += q * q;
                    ab += p * q;
                }
            }
            let n = 64.0;
            let (ma, mb) = (ma / n, mb / n);
            let (va, vb, cov) = (aa / n - ma * ma, bb / n - mb * mb, ab / n - ma * mb);
            let (c1, c2) = (6.5025, 58.5225);
            sum += (2.0 * ma * mb + c1) * (2.0 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
            count += 1.0;
        }
    }
    sum / f64::max(count, 1.0)
}

/// Three crops of 480 by 480, camera left and ours right, below each other. Where the camera's picture is smaller
/// its crop is too.
fn write_crops(folder: &Path, source: &Source, ours: &Pixels) {
    const SIDE: usize = 480;
    let mut sheet = vec![0_u8; 2 * SIDE * 3 * SIDE * 3];
    let (camera, cw, ch) = &source.camera;
    for (row, (u, v)) in [(0.5, 0.5), (0.2, 0.3), (0.75, 0.7)].into_iter().enumerate() {
        for (column, (rgb, w, h)) in
            [(camera, *cw as usize, *ch as usize), (&ours.rgb, ours.width, ours.height)].into_iter().enumerate()
        {
            let (x0, y0) = (
                ((w as f64 * u) as usize).saturating_sub(SIDE / 2),
                ((h as f64 * v) as usize).saturating_sub(SIDE / 2),
            );
            for y in 0..SIDE.min(h - y0) {
                for x in 0..SIDE.min(w - x0) {
                    let from = ((y0 + y) * w + x0 + x) * 3;
                    let to = ((row * SIDE + y) * 2 * SIDE + column * SIDE + x) * 3;
                    sheet[to..to + 3].copy_from_slice(&rgb[from..from + 3]);
                }
            }
        }
    }
    let image = turbojpeg::Image {
        pixels: sheet.as_slice(),
        width: 2 * SIDE,
        pitch: 6 * SIDE,
        height: 3 * SIDE,
        format: turbojpeg::PixelFormat::RGB,
    };
    let jpeg = turbojpeg::compress(image, 95, turbojpeg::Subsamp::None).expect("a picture");
    std::fs::create_dir_all(folder).expect("a folder");
    let name = source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    std::fs::write(folder.join(format!("{name}.jpg")), &*jpeg).expect("a file");
}

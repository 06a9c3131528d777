//! How near interpolations come to scenes whose truth is known, beside LibRaw's.
//!
//! `cargo run --release -p lightfast-develop --example mosaics [-- --pictures DIR]`
//!
//! Makes a zone plate, a star of spokes and leaves, sees them through a Bayer sensor with the
//! noise of ISO 100 and of ISO 6400, writes each as a DNG, and develops it with the fast way,
//! the best way and, where `dcraw_emu` is installed, LibRaw's bilinear (0), PPG (2) and AHD (3).
//! Printed: peak signal to noise (PSNR) of sRGB values against the scene without noise, and the
//! zipper measure of Lu and Tan (2003): the part of pixels whose difference to the neighbour
//! that is nearest in the scene has changed by more than 2.3 in CIE L*a*b*.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use lightfast_develop::raw::{DevelopOptions, Developer, Quality, Tone};

const SIZE: usize = 512;
const BLACK: f32 = 512.0;
const WHITE: f32 = 15_000.0;
const BALANCE: [f32; 3] = [2.0, 1.0, 1.5];
/// CIE XYZ (D65) to linear sRGB, in ten-thousandths: the made camera sees as sRGB does.
const MATRIX: [i32; 9] = [32405, -15371, -4985, -9693, 18760, 416, 556, -2040, 10572];

type Scene = Vec<[f32; 3]>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let pictures = arguments.iter().position(|a| a == "--pictures").map(|at| PathBuf::from(&arguments[at + 1]));
    let folder = std::env::temp_dir().join(format!("lightfast-mosaics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    println!("scene\tISO\tway\tPSNR dB\tzipper %");
    for (name, scene) in [("zone plate", zone_plate()), ("star", star()), ("leaves", leaves())] {
        for iso in [100, 6400] {
            let path = folder.join("scene.dng");
            std::fs::write(&path, dng(&scene, iso)).expect("a file");
            let mut ways = vec![("fast", ours(&path, Quality::Fast)), ("best", ours(&path, Quality::Best))];
            for (way, number) in [("bilinear", "0"), ("PPG", "2"), ("AHD", "3")] {
                ways.extend(libraw(&path, number).map(|pixels| (way, pixels)));
            }
            for (way, pixels) in ways {
                println!("{name}\t{iso}\t{way}\t{:.2}\t{:.2}", psnr(&pixels, &scene), 100.0 * zipper(&pixels, &scene));
                if let Some(folder) = &pictures {
                    std::fs::create_dir_all(folder).expect("a folder");
                    let mut ppm = format!("P6 {SIZE} {SIZE} 255\n").into_bytes();
                    ppm.extend(pixels.iter().flatten().map(|v| v.round() as u8));
                    std::fs::write(folder.join(format!("{name}-{iso}-{way}.ppm")), ppm).expect("a file");
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

fn scene(at: impl Fn(f32, f32) -> [f32; 3]) -> Scene {
    (0..SIZE * SIZE).map(|i| at((i % SIZE) as f32, (i / SIZE) as f32)).collect()
}

fn zone_plate() -> Scene {
    let middle = SIZE as f32 / 2.0;
    scene(|x, y| {
        let phase = 0.9 * std::f32::consts::PI * ((x - middle).powi(2) + (y - middle).powi(2)) / (SIZE as f32 * 1.414);
        [0.25 + 0.2 * phase.cos(); 3]
    })
}

fn star() -> Scene {
    let middle = SIZE as f32 / 2.0;
    scene(|x, y| {
        let part = 0.5 + 0.5 * (24.0 * (y - middle + 0.2).atan2(x - middle + 0.3)).sin().clamp(-0.7, 0.7) / 0.7;
        let mix = |a: f32, b: f32| a + (b - a) * part;
        [mix(0.6, 0.15), mix(0.55, 0.2), mix(0.4, 0.3)]
    })
}

fn leaves() -> Scene {
    let mut random = Random(0x5eed);
    let mut field = |step: f32| {
        let across = (SIZE as f32 / step) as usize + 3;
        let values: Vec<f32> = (0..across * across).map(|_| random.next()).collect();
        move |x: f32, y: f32| {
            let (i, j) = ((x / step) as usize, (y / step) as usize);
            let (u, v) = ((x / step).fract(), (y / step).fract());
            let at = |i: usize, j: usize| values[j * across + i];
            let top = at(i, j) + (at(i + 1, j) - at(i, j)) * u;
            let bottom = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * u;
            top + (bottom - top) * v
        }
    };
    let (fine, middle, coarse, hue) = (field(2.0), field(5.0), field(17.0), field(23.0));
    scene(|x, y| {
        let light = 0.05 + 0.5 * (0.45 * fine(x, y) + 0.35 * middle(x, y) + 0.2 * coarse(x, y)).powi(2);
        let hue = hue(x, y);
        [light * (0.5 + 0.4 * hue), light, light * (0.3 + 0.2 * hue)]
    })
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    /// About normal, of variance one.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.next()).sum::<f32>() - 6.0
    }
}

/// What an RGGB sensor makes of it: 60,000 electrons at full level at ISO 100, 3 of read noise.
fn mosaic(scene: &Scene, iso: u32) -> Vec<u16> {
    let mut random = Random(0xca5e);
    let well = 60_000.0 * 100.0 / iso as f32;
    let sample = |(i, seen): (usize, &[f32; 3])| {
        let colour = (i % SIZE) % 2 + (i / SIZE) % 2;
        let electrons = seen[colour] / BALANCE[colour] * well;
        let noisy = electrons + random.normal() * (electrons + 9.0).sqrt();
        (BLACK + noisy / well * (WHITE - BLACK)).round().clamp(0.0, WHITE) as u16
    };
    scene.iter().enumerate().map(sample).collect()
}

/// A DNG of one directory, uncompressed.
fn dng(scene: &Scene, iso: u32) -> Vec<u8> {
    let samples: Vec<u8> = mosaic(scene, iso).into_iter().flat_map(u16::to_le_bytes).collect();
    let long = |v: u32| v.to_le_bytes().to_vec();
    let short = |v: u16| v.to_le_bytes().to_vec();
    let ratios = |list: &[(i32, i32)]| {
        list.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect::<Vec<u8>>()
    };
    let neutral = BALANCE.map(|v| (10_000, (10_000.0 * v) as i32));
    let mut entries: Vec<(u16, u16, u32, Vec<u8>)> = vec![
        (254, 4, 1, long(0)),
        (256, 4, 1, long(SIZE as u32)),
        (257, 4, 1, long(SIZE as u32)),
        (258, 3, 1, short(16)),
        (259, 3, 1, short(1)),
        (262, 3, 1, short(32803)),
        (271, 2, 5, b"Made\0".to_vec()),
        (272, 2, 5, b"Made\0".to_vec()),
        (273, 4, 1, long(0)),
        (274, 3, 1, short(1)),
        (277, 3, 1, short(1)),
        (278, 4, 1, long(SIZE as u32)),
        (279, 4, 1, long(samples.len() as u32)),
        (33421, 3, 2, [short(2), short(2)].concat()),
        (33422, 1, 4, vec![0, 1, 1, 2]),
        (34855, 3, 1, short(iso as u16)),
        (50706, 1, 4, vec![1, 4, 0, 0]),
        (50707, 1, 4, vec![1, 1, 0, 0]),
        (50708, 2, 5, b"Made\0".to_vec()),
        (50714, 3, 1, short(BLACK as u16)),
        (50717, 3, 1, short(WHITE as u16)),
        (50721, 10, 9, ratios(&MATRIX.map(|v| (v, 10_000)))),
        (50728, 5, 3, ratios(&neutral)),
        (50778, 3, 1, short(21)),
    ];
    let begin = 8 + 2 + 12 * entries.len() + 4;
    let behind: usize =
        entries.iter().map(|e| e.3.len()).filter(|length| *length > 4).map(|l| l.next_multiple_of(2)).sum();
    for entry in &mut entries {
        if entry.0 == 273 {
            entry.3 = long((begin + behind) as u32);
        }
    }
    let mut out = b"II*\0\x08\0\0\0".to_vec();
    out.extend((entries.len() as u16).to_le_bytes());
    let mut data = Vec::new();
    for (tag, kind, count, bytes) in entries {
        out.extend(tag.to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(count.to_le_bytes());
        if bytes.len() <= 4 {
            let mut bytes = bytes;
            bytes.resize(4, 0);
            out.extend(bytes);
        } else {
            out.extend(((begin + data.len()) as u32).to_le_bytes());
            data.extend(bytes);
            data.resize(data.len().next_multiple_of(2), 0);
        }
    }
    out.extend([0; 4]);
    out.extend(data);
    out.extend(samples);
    out
}

fn ours(path: &Path, quality: Quality) -> Vec<[f32; 3]> {
    let bytes = std::fs::read(path).expect("a file");
    let options = DevelopOptions { quality, tone: Tone::Linear, sharpen: false, ..DevelopOptions::default() };
    let made = Developer::new().expect("a developer").pixels(&bytes, &options).expect("pixels");
    assert_eq!((made.width, made.height), (SIZE, SIZE));
    made.rgb.as_chunks::<3>().0.iter().map(|pixel| pixel.map(f32::from)).collect()
}

/// LibRaw's linear 16 bits, without its matrix (the camera sees as sRGB does), as sRGB values.
fn libraw(path: &Path, way: &str) -> Option<Vec<[f32; 3]>> {
    let [r, g, b] = BALANCE.map(|v| v.to_string());
    let run = Command::new("dcraw_emu")
        .args(["-q", way, "-4", "-W", "-o", "0", "-r", &r, &g, &b, &g])
        .arg(path)
        .output()
        .ok()?;
    if !run.status.success() {
        return None;
    }
    let made = PathBuf::from(format!("{}.ppm", path.display()));
    let ppm = std::fs::read(&made).ok()?;
    let pixels = ppm.get(ppm.len() - SIZE * SIZE * 6..)?;
    let pixel =
        |bytes: &[u8; 6]| [0, 2, 4].map(|i| shown(f32::from(u16::from_be_bytes([bytes[i], bytes[i + 1]])) / 65535.0));
    Some(pixels.as_chunks::<6>().0.iter().map(pixel).collect())
}

/// sRGB value of linear light, rounded as ours are.
fn shown(v: f32) -> f32 {
    exact(v).round()
}

fn exact(v: f32) -> f32 {
    let v = v.clamp(0.0, 1.0);
    255.0 * if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// All places but the outermost ten.
fn inside() -> impl Iterator<Item = usize> {
    (10..SIZE - 10).flat_map(|y| (10..SIZE - 10).map(move |x| y * SIZE + x))
}

fn psnr(pixels: &[[f32; 3]], scene: &Scene) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for i in inside() {
        for (a, b) in pixels[i].iter().zip(scene[i]) {
            sum += f64::from((a - exact(b)).powi(2));
            count += 1.0;
        }
    }
    10.0 * (255.0 * 255.0 * count / sum).log10()
}

fn zipper(pixels: &[[f32; 3]], scene: &Scene) -> f64 {
    let truth: Vec<[f32; 3]> = scene.iter().map(|seen| lab(seen.map(exact))).collect();
    let found: Vec<[f32; 3]> = pixels.iter().map(|pixel| lab(*pixel)).collect();
    let far = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    let (mut changed, mut count) = (0.0, 0.0);
    for i in inside() {
        let around = [i - SIZE - 1, i - SIZE, i - SIZE + 1, i - 1, i + 1, i + SIZE - 1, i + SIZE, i + SIZE + 1];
        let nearest = around
            .into_iter()
            .min_by(|a, b| far(truth[i], truth[*a]).total_cmp(&far(truth[i], truth[*b])))
            .expect("eight");
        changed += f64::from(u8::from((far(found[i], found[nearest]) - far(truth[i], truth[nearest])).abs() > 2.3));
        count += 1.0;
    }
    changed / count
}

fn lab(rgb: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|v| {
        let v = v / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let f = |t: f32| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = f((0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47);
    let y = f(0.212_672_9 * r + 0.715_152_2 * g + 0.072_175 * b);
    let z = f((0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

//! CPU time of a thumbnail: ours, and with libjpeg-turbo's scaled decode.
//!
//! `cargo bench -p lightfast-develop --bench thumbnail [-- FILE.jpg…]`. Without files it makes one picture of 21
//! megapixels as cameras code them. Times are of the thread's processor time, the median of 15 runs, so that other
//! work on the machine does not count.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

use lightfast_develop::jpeg::{Header, Limits, eighth};
use lightfast_develop::thumbnail::{Request, Thumbnailer};
use lightfast_model::Orientation;
use rustix::time::{ClockId, clock_gettime};
use turbojpeg::{Decompressor, Image, PixelFormat, ScalingFactor, Subsamp, YuvImage};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    println!(
        "{:>9} {:>9} {:>9} {:>9}  milliseconds of processor time: decode to 1/8, the same by libjpeg-turbo,",
        "eighth", "turbo", "thumbnail", "by turbo"
    );
    println!("{:>39}  whole thumbnail of 512 pixels, the same with libjpeg-turbo's decode to RGB", "");
    if files.is_empty() {
        measure("a made picture", &made(5616, 3744));
    }
    for file in files {
        measure(&file, &std::fs::read(&file).unwrap());
    }
}

fn measure(name: &str, jpeg: &[u8]) {
    let header = Header::parse(jpeg).unwrap();
    let mut thumbnailer = Thumbnailer::new().unwrap();
    let request = Request::thumbnail(Orientation::UPRIGHT, 512);
    let mut decompressor = Decompressor::new().unwrap();
    let ours = median(|| drop(eighth(&Header::parse(jpeg).unwrap(), Limits::default())));
    let turbo = median(|| drop(turbo_planes(&mut decompressor, jpeg)));
    let whole = median(|| drop(thumbnailer.make(jpeg, &request).unwrap()));
    let whole_turbo = median(|| drop(turbo_thumbnail(&mut decompressor, jpeg)));
    println!(
        "{ours:9.1} {turbo:9.1} {whole:9.1} {whole_turbo:9.1}  {name}: {}x{}, {} bytes",
        header.width,
        header.height,
        jpeg.len()
    );
}

fn turbo_planes(decompressor: &mut Decompressor, jpeg: &[u8]) -> Vec<u8> {
    let header = decompressor.read_header(jpeg).unwrap();
    decompressor.set_scaling_factor(ScalingFactor::ONE_EIGHTH).unwrap();
    let size = header.scaled(ScalingFactor::ONE_EIGHTH);
    let length = turbojpeg::yuv_pixels_len(size.width, 1, size.height, size.subsamp).unwrap();
    let mut image =
        YuvImage { pixels: vec![0; length], width: size.width, align: 1, height: size.height, subsamp: size.subsamp };
    decompressor.decompress_to_yuv(jpeg, image.as_deref_mut()).unwrap();
    image.pixels
}

/// What most programs do: decode to RGB at 1/8, resize, encode.
fn turbo_thumbnail(decompressor: &mut Decompressor, jpeg: &[u8]) -> Vec<u8> {
    let header = decompressor.read_header(jpeg).unwrap();
    decompressor.set_scaling_factor(ScalingFactor::ONE_EIGHTH).unwrap();
    let size = header.scaled(ScalingFactor::ONE_EIGHTH);
    let (width, height, pitch) = (size.width, size.height, 3 * size.width);
    let mut image = Image { pixels: vec![0; pitch * height], width, pitch, height, format: PixelFormat::RGB };
    decompressor.decompress(jpeg, image.as_deref_mut()).unwrap();
    let (to_width, to_height) = lightfast_develop::resize::fitting(width as u32, height as u32, 512);
    let source = lightfast_develop::resize::Samples {
        width: width as u32,
        height: height as u32,
        channels: 3,
        samples: &image.pixels,
    };
    let covered = (width as f64, height as f64);
    let pixels = lightfast_develop::resize::Scaler::default().resize(source, covered, to_width, to_height).unwrap();
    let (width, height) = (to_width as usize, to_height as usize);
    let image = Image { pixels: pixels.as_slice(), width, pitch: 3 * width, height, format: PixelFormat::RGB };
    turbojpeg::compress(image, 80, Subsamp::Sub2x2).unwrap().to_vec()
}

/// Waves and grain, coded 4:2:2 as Canon does.
fn made(width: usize, height: usize) -> Vec<u8> {
    let mut grain = 1u32;
    let pixels = (0..width * height * 3).map(|i| {
        grain = grain.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (x, y) = ((i / 3 % width) as f32, (i / 3 / width) as f32);
        let wave = (x / 40.0).sin() * (y / 55.0).cos() * 60.0 + (x / 7.0 + y / 9.0).sin() * 12.0;
        (128.0 + wave + (i % 3) as f32 * 9.0 + (grain >> 24) as f32 / 24.0) as u8
    });
    let pixels: Vec<u8> = pixels.collect();
    let image = Image { pixels: pixels.as_slice(), width, pitch: 3 * width, height, format: PixelFormat::RGB };
    turbojpeg::compress(image, 88, Subsamp::Sub2x1).unwrap().to_vec()
}

fn median(mut work: impl FnMut()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let start = now();
            work();
            now() - start
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

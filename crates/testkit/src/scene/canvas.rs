//! The pixels that scenes are drawn on.

use std::sync::OnceLock;

use super::paint::Band;
use crate::raw::grain::Grain;

/// Noise with a standard deviation of one level.
fn dither() -> &'static Grain {
    static DITHER: OnceLock<Grain> = OnceLock::new();
    DITHER.get_or_init(Grain::new)
}

/// Pixels, RGB, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Canvas {
    width: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![0; width * height * 3] }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.pixels.len() / (self.width * 3).max(1)
    }

    /// The pixels of a row.
    pub(crate) fn row(&self, y: usize) -> &[u8] {
        let length = self.width * 3;
        self.pixels.get(y * length..(y + 1) * length).unwrap_or_default()
    }

    pub(crate) fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Turned a quarter against the clock.
    pub(crate) fn turned_left(&self) -> Self {
        let (width, height) = (self.width(), self.height());
        self.turned(|x, y| (width - 1 - y, x), (height, width))
    }

    /// Turned a quarter with the clock.
    pub(crate) fn turned_right(&self) -> Self {
        let (width, height) = (self.width(), self.height());
        self.turned(|x, y| (y, height - 1 - x), (height, width))
    }

    /// Takes each pixel of a new canvas from where `from` says, in squares, so that both stay in the processor's cache.
    fn turned(&self, from: impl Fn(usize, usize) -> (usize, usize), size: (usize, usize)) -> Self {
        const SQUARE: usize = 32;
        let mut out = Self::new(size.0, size.1);
        let line = self.width * 3;
        for (band, rows) in out.pixels.chunks_mut(size.0 * 3 * SQUARE).enumerate() {
            for left in (0..size.0).step_by(SQUARE) {
                for (y, row) in rows.chunks_exact_mut(size.0 * 3).enumerate() {
                    let pixels = row.chunks_exact_mut(3).enumerate().skip(left).take(SQUARE);
                    for (x, pixel) in pixels {
                        let (from_x, from_y) = from(x, band * SQUARE + y);
                        let at = from_y * line + from_x * 3;
                        pixel.copy_from_slice(self.pixels.get(at..at + 3).unwrap_or(&[0; 3]));
                    }
                }
            }
        }
        out
    }

    /// So many thousandths of the shorter side in pixels.
    pub(crate) fn px(&self, thousandths: i32) -> i32 {
        ((i64::from(thousandths) * self.unit()) >> 8) as i32
    }

    /// A thousandth of the shorter side in 256ths of a pixel.
    fn unit(&self) -> i64 {
        self.width().min(self.height()) as i64 * 256 / 1000
    }

    /// Paints the rows from `first` on, cut into bands, by several threads; `pass` also sees the rows above `first` as
    /// they are.
    pub(crate) fn paint(&mut self, seed: u64, threads: usize, first: i32, pass: impl Fn(&[u8], &mut Band<'_>) + Sync) {
        let (width, height, unit) = (self.width() as i32, self.height() as i32, self.unit());
        let first = first.clamp(0, height);
        let length = self.width.max(1) * 3;
        let (above, below) = self.pixels.split_at_mut(first as usize * length);
        let (above, grain, pass) = (&*above, dither(), &pass);
        let rows = ((height - first) as usize).div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            for (index, pixels) in below.chunks_mut(rows * length).enumerate() {
                let top = first + (index * rows) as i32;
                scope.spawn(move || pass(above, &mut Band { top, width, height, pixels, grain, unit, seed }));
            }
        });
    }

    pub(crate) fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }
}

impl Canvas {
    /// A picture with `margin` more columns and rows on each side, which repeat its edge.
    pub(crate) fn around(picture: &[u8], width: usize, margin: (usize, usize)) -> Self {
        let height = picture.len() / (width * 3).max(1);
        let mut canvas = Self::new(width + 2 * margin.0, height + 2 * margin.1);
        let line = canvas.width * 3;
        for (y, out) in canvas.pixels.chunks_exact_mut(line.max(1)).enumerate() {
            let y = y.saturating_sub(margin.1).min(height.saturating_sub(1));
            let row = picture.get(y * width * 3..(y + 1) * width * 3).unwrap_or_default();
            for (x, pixel) in out.chunks_exact_mut(3).enumerate() {
                let x = x.saturating_sub(margin.0).min(width.saturating_sub(1));
                pixel.copy_from_slice(row.get(x * 3..x * 3 + 3).unwrap_or(&[0; 3]));
            }
        }
        canvas
    }
}

//! The pixels that scenes are drawn on.

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

    pub(crate) fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    pub(crate) fn into_pixels(self) -> Vec<u8> {
        self.pixels
    }
}

pub(crate) fn gradient(seed: u64, width: u32, height: u32) -> Canvas {
    let mut canvas = Canvas::new(width as usize, height as usize);
    let (w, h) = (width.max(1), height.max(1));
    for (i, pixel) in canvas.pixels_mut().chunks_exact_mut(3).enumerate() {
        let (x, y) = (i as u32 % w, i as u32 / w);
        pixel.copy_from_slice(&[(x * 255 / w) as u8, (y * 255 / h) as u8, seed as u8]);
    }
    canvas
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

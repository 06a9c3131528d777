//! What a decoded RAW is to the renderer: samples, and how to read them.
//!
//! Plain values in our own words, so that the decoder stays behind `source` alone.
//! Coordinates are those of the whole buffer, masked borders included.

use lightfast_model::Orientation;

/// A rectangle of the buffer, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// How the samples lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One sample a pixel; the colours (0 red, 1 green, 2 blue) of a square of two.
    Bayer([[u8; 2]; 2]),
    /// One sample a pixel; the colours of a square of six.
    XTrans([[u8; 6]; 6]),
    /// One sample a pixel, without colour.
    Grey,
    /// Red, green and blue of every pixel.
    Rgb,
}

impl Layout {
    /// Samples a pixel.
    pub(crate) fn samples(&self) -> usize {
        if matches!(self, Self::Rgb) { 3 } else { 1 }
    }

    /// Colour of the sample at a place (for `Rgb`, of its `channel`).
    pub(crate) fn colour(&self, x: usize, y: usize, channel: usize) -> usize {
        let of = |rows: &[&[u8]]| {
            let row = rows.get(y % rows.len().max(1)).copied().unwrap_or_default();
            row.get(x % row.len().max(1)).copied().map_or(1, usize::from)
        };
        match self {
            Self::Bayer(rows) => of(&[rows[0].as_slice(), rows[1].as_slice()]),
            Self::XTrans(rows) => of(&rows.each_ref().map(|row| row.as_slice())),
            Self::Grey => 1,
            Self::Rgb => channel,
        }
    }
}

/// Sample value of no light: a pattern that repeats, and what is added by row and by column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Black {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) samples: usize,
    pub(crate) values: Vec<f32>,
    pub(crate) by_row: Vec<f32>,
    pub(crate) by_column: Vec<f32>,
}

impl Black {
    /// The level at a place.
    pub(crate) fn at(&self, x: usize, y: usize, channel: usize) -> f32 {
        let (rows, columns, samples) = (self.rows.max(1), self.columns.max(1), self.samples.max(1));
        let at = ((y % rows) * columns + x % columns) * samples + channel % samples;
        let of = |list: &[f32], at: usize| list.get(at).copied().unwrap_or(0.0);
        of(&self.values, at) + of(&self.by_row, y) + of(&self.by_column, x)
    }

    /// Whether columns that are two apart may have different levels, apart from the row's own.
    pub(crate) fn varies_along_a_row(&self) -> bool {
        self.columns > 2 || !self.by_column.is_empty()
    }
}

/// An embedded picture that the tone can be fitted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Embedded {
    pub(crate) range: std::ops::Range<usize>,
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// What must be done to its stored pixels to see them upright.
    pub(crate) orientation: Orientation,
    /// Plain RGB bytes instead of a JPEG.
    pub(crate) plain: bool,
}

/// What goes into the EXIF of a rendering.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Shot {
    pub(crate) make: String,
    pub(crate) model: String,
    pub(crate) lens: Option<String>,
    pub(crate) artist: Option<String>,
    pub(crate) copyright: Option<String>,
    /// `YYYY:MM:DD HH:MM:SS`, as the camera's clock had it.
    pub(crate) taken: Option<String>,
    pub(crate) seconds: Option<f64>,
    pub(crate) f_number: Option<f64>,
    pub(crate) focal_length: Option<f64>,
    pub(crate) bias: Option<f64>,
    pub(crate) iso: Option<u32>,
    pub(crate) flash: Option<u16>,
    /// Degrees north, degrees east.
    pub(crate) place: Option<(f64, f64)>,
}

/// A decoded RAW.
#[derive(Debug, Clone)]
pub(crate) struct Sensor {
    /// Row by row, `layout.samples()` a pixel.
    pub(crate) samples: Vec<u16>,
    pub(crate) width: usize,
    pub(crate) layout: Layout,
    /// Where the samples are picture.
    pub(crate) active: Area,
    /// What of it the camera shows.
    pub(crate) crop: Area,
    pub(crate) black: Black,
    /// Sample value of the most light, of red, green, blue.
    pub(crate) white: [f32; 3],
    /// Multipliers of the camera's own balance; all one where it is in the samples already.
    pub(crate) as_shot: Option<[f32; 3]>,
    /// Whether the samples are balanced already.
    pub(crate) is_balanced: bool,
    /// Camera colours of a light given in CIE XYZ (D65), by row.
    pub(crate) from_xyz: Option<[[f32; 3]; 3]>,
    pub(crate) orientation: Orientation,
    pub(crate) embedded: Vec<Embedded>,
    pub(crate) shot: Shot,
}

impl Sensor {
    /// The samples of a row of the buffer; empty outside of it.
    pub(crate) fn row(&self, y: usize) -> &[u16] {
        let length = self.width * self.layout.samples();
        let start = y.saturating_mul(length);
        self.samples.get(start..start.saturating_add(length)).unwrap_or_default()
    }
}

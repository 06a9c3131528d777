//! A picture as planes of 8-bit samples: luma alone, or luma and two chromas of the same or a smaller size.

/// One component's samples, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plane {
    /// Samples from the start of a row to the start of the next; what lies behind the picture is padding.
    pub stride: u32,
    /// Rows, padding included; `stride * rows` samples in all.
    pub rows: u32,
    /// The samples.
    pub samples: Vec<u8>,
    /// How many samples the picture covers across and down; the last may be covered in part only.
    pub covered: (f64, f64),
}

impl Plane {
    /// Without the columns and rows that the picture does not cover at all.
    fn trimmed(self) -> Self {
        let (width, height) = (self.covered.0.ceil() as u32, self.covered.1.ceil() as u32);
        if self.stride <= width && self.rows <= height {
            return self;
        }
        let (width, height) = (width.min(self.stride), height.min(self.rows));
        let mut samples = Vec::with_capacity(width as usize * height as usize);
        for row in self.samples.chunks_exact(self.stride.max(1) as usize).take(height as usize) {
            samples.extend_from_slice(row.get(..width as usize).unwrap_or_default());
        }
        Self { stride: width, rows: height, samples, ..self }
    }
}

/// Luma and, unless the picture is grey, blue and red chroma, full range (JFIF).
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    /// Luma.
    pub luma: Plane,
    /// Blue and red chroma.
    pub chroma: Option<[Plane; 2]>,
}

impl Planes {
    /// One or three planes, in a scan's order.
    pub(super) fn new(planes: Vec<Plane>) -> Option<Self> {
        let mut planes = planes.into_iter().map(Plane::trimmed);
        let luma = planes.next()?;
        let chroma = match (planes.next(), planes.next()) {
            (Some(blue), Some(red)) => Some([blue, red]),
            _ => None,
        };
        Some(Self { luma, chroma })
    }

    /// One or three.
    pub fn iter(&self) -> impl Iterator<Item = &Plane> {
        std::iter::once(&self.luma).chain(self.chroma.iter().flatten())
    }
}

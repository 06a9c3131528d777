//! Where finished rows go: planes for a JPEG, or RGB pixels, already upright.
//!
//! Rows of a band collect in a small block; a full block is put in its place in the
//! result, turned and mirrored on the way. So the picture is never copied as a whole.

use super::error::DevelopError;
use super::grid::{Grid, Turn};
use super::ring::{CELLS, HALO};

/// Rows of a block; even.
const ROWS: usize = 16;

/// One plane of bytes, `depth` a pixel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plane {
    pub(crate) bytes: Vec<u8>,
    /// Pixels of a row.
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Plane {
    fn new(width: usize, height: usize, depth: usize) -> Result<Self, DevelopError> {
        let bytes = width.checked_mul(height).and_then(|n| n.checked_mul(depth));
        let bytes = bytes.ok_or(DevelopError::OutOfMemory { bytes: usize::MAX })?;
        Ok(Self { bytes: zeroed(bytes)?, width, height })
    }
}

/// A buffer of zeros, or an error instead of the end of the process.
pub(crate) fn zeroed(bytes: usize) -> Result<Vec<u8>, DevelopError> {
    // A trial reservation first: `vec!` gives zeroed pages, which cost nothing until used,
    // but cannot fail.
    let trial = Vec::<u8>::new().try_reserve_exact(bytes);
    trial.map_err(|_| DevelopError::OutOfMemory { bytes })?;
    Ok(vec![0; bytes])
}

/// The result that is being filled.
#[derive(Debug)]
pub(crate) enum Picture {
    /// Luma, blueness, redness; the last two half as wide and half as high.
    Ycc([Plane; 3]),
    /// Red, green, blue bytes of every pixel.
    Rgb(Plane),
}

/// A picture, and the block that collects its next rows.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) picture: Picture,
    turn: Turn,
    size: (usize, usize),
    first: isize,
    block: [Vec<u8>; 3],
}

impl Output {
    /// Planes for a JPEG with halved chroma.
    pub(crate) fn ycc(grid: &Grid) -> Result<Self, DevelopError> {
        let (width, height) = if grid.turn.exchange { (grid.height, grid.width) } else { (grid.width, grid.height) };
        let chroma = || Plane::new(width / 2, height / 2, 1);
        let planes = [Plane::new(width, height, 1)?, chroma()?, chroma()?];
        let half = vec![0; ROWS / 2 * CELLS];
        Ok(Self::new(grid, Picture::Ycc(planes), [vec![0; ROWS * 2 * CELLS], half.clone(), half]))
    }

    /// RGB pixels.
    pub(crate) fn rgb(grid: &Grid) -> Result<Self, DevelopError> {
        let plane = Plane::new(grid.out.0, grid.out.1, 3)?;
        Ok(Self::new(grid, Picture::Rgb(plane), [vec![0; ROWS * 2 * CELLS * 3], vec![], vec![]]))
    }

    fn new(grid: &Grid, picture: Picture, block: [Vec<u8>; 3]) -> Self {
        Self { picture, turn: grid.turn, size: (grid.width, grid.height), first: 0, block }
    }

    pub(crate) fn begin(&mut self, first: isize) {
        self.first = first;
    }

    pub(crate) fn height(&self) -> isize {
        self.size.1 as isize
    }

    pub(crate) fn has_chroma(&self) -> bool {
        matches!(self.picture, Picture::Ycc(_))
    }

    /// Where to write a row of luma, if this picture has luma.
    pub(crate) fn luma_row(&mut self, y: isize) -> Option<&mut [u8]> {
        if !self.has_chroma() {
            return None;
        }
        let start = (y as usize % ROWS) * 2 * CELLS;
        self.block[0].get_mut(start..start + 2 * CELLS)
    }

    /// Where to write a row of cells' blueness and redness.
    pub(crate) fn chroma_rows(&mut self, y: isize) -> Option<[&mut [u8]; 2]> {
        let start = (y as usize % (ROWS / 2)) * CELLS;
        let [_, blue, red] = &mut self.block;
        Some([blue.get_mut(start..start + CELLS)?, red.get_mut(start..start + CELLS)?])
    }

    /// Writes a row of RGB, each channel with the detail of its pixel added.
    pub(crate) fn rgb_row(&mut self, y: isize, columns: [[&[i16]; 3]; 2], details: [&[i16]; 2]) {
        let start = (y as usize % ROWS) * 2 * CELLS * 3;
        let Some(row) = self.block[0].get_mut(start..start + 2 * CELLS * 3) else { return };
        for (column, ([red, green, blue], detail)) in columns.into_iter().zip(details).enumerate() {
            let pixels = row.as_chunks_mut::<3>().0.iter_mut().skip(column).step_by(2);
            for ((((pixel, r), g), b), detail) in pixels.zip(red).zip(green).zip(blue).zip(detail) {
                *pixel = [*r, *g, *b].map(|v| super::lanes::byte(v.saturating_add(*detail)));
            }
        }
    }

    /// Says that row `y` is written; puts a full block (or the last one) into the picture.
    pub(crate) fn row_done(&mut self, y: isize) {
        let y = y as usize;
        if !(y + 1).is_multiple_of(ROWS) && y + 1 != self.size.1 {
            return;
        }
        let top = y - y % ROWS;
        let rows = y + 1 - top;
        // The cells of the band that lie in the picture and are not halo.
        let first = self.first.saturating_add(HALO as isize).max(0) as usize;
        let cells = (CELLS - 2 * HALO).min((self.size.0 / 2).saturating_sub(first));
        let skipped = (first as isize - self.first) as usize;
        let (turn, size) = (self.turn, self.size);
        let part = |scale: usize| Part {
            x: first * scale,
            y: top * scale / 2,
            width: cells * scale,
            height: rows * scale / 2,
            from: skipped * scale,
            stride: CELLS * scale,
        };
        match &mut self.picture {
            Picture::Ycc(planes) => {
                for ((plane, block), scale) in planes.iter_mut().zip(&self.block).zip([2, 1, 1]) {
                    place::<1>(plane, block, part(scale), turn, (size.0 * scale / 2, size.1 * scale / 2));
                }
            }
            Picture::Rgb(plane) => place::<3>(plane, &self.block[0], part(2), turn, size),
        }
    }
}

/// A rectangle of the grid and where its pixels are in a block.
#[derive(Clone, Copy)]
struct Part {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    /// Pixels to skip at the left of the block.
    from: usize,
    /// Pixels of a row of the block.
    stride: usize,
}

/// Copies a rectangle into a plane, mirrored and turned. `size` is the grid's, in pixels of
/// the plane. Pixels that fall beyond the plane are left out.
fn place<const DEPTH: usize>(plane: &mut Plane, block: &[u8], part: Part, turn: Turn, size: (usize, usize)) {
    let (width, height) = (plane.width, plane.height);
    let block = block.as_chunks::<DEPTH>().0;
    let pixels = plane.bytes.as_chunks_mut::<DEPTH>().0;
    let across = |x: usize| if turn.mirror_x { size.0.wrapping_sub(1).wrapping_sub(x) } else { x };
    let down = |y: usize| if turn.mirror_y { size.1.wrapping_sub(1).wrapping_sub(y) } else { y };
    let row_of = |j: usize| {
        let start = j * part.stride + part.from;
        block.get(start..start + part.width).unwrap_or_default()
    };
    if turn.exchange {
        for i in 0..part.width {
            let y = across(part.x + i);
            let Some(row) = pixels.get_mut(y.wrapping_mul(width)..).filter(|_| y < height) else { continue };
            for j in 0..part.height {
                let (x, from) = (down(part.y + j), row_of(j).get(i));
                if let (Some(to), Some(from)) = (row.get_mut(x).filter(|_| x < width), from) {
                    *to = *from;
                }
            }
        }
        return;
    }
    for j in 0..part.height {
        let y = down(part.y + j);
        if y >= height {
            continue;
        }
        let Some(row) = pixels.get_mut(y * width..(y + 1) * width) else { continue };
        let from = row_of(j);
        if turn.mirror_x {
            let last = across(part.x);
            for (i, pixel) in from.iter().enumerate() {
                if let Some(to) = row.get_mut(last.wrapping_sub(i)) {
                    *to = *pixel;
                }
            }
        } else if let Some(to) = row.get_mut(part.x.min(width)..) {
            let count = to.len().min(from.len());
            if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
                to.copy_from_slice(from);
            }
        }
    }
}

//! Rows that live while the rows around them are being made.
//!
//! A band of the picture is worked through from top to bottom; of every intermediate
//! result only the last sixteen rows are kept, so that they stay in the cache.

/// Cells of a band, with the halo that is made twice.
pub(crate) const CELLS: usize = 512;
/// Cells on each side of a band that only serve their neighbours.
pub(crate) const HALO: usize = 8;
/// Room on each side of a row, so that a neighbour can be read at the edge of the halo.
const PAD: usize = 8;
/// Rows kept; a power of two.
const KEPT: usize = 16;

/// One row of coded values, one a cell, with room around.
#[derive(Debug, Clone)]
pub(crate) struct Row(Vec<i16>);

impl Row {
    pub(crate) fn new() -> Self {
        Self(vec![0; CELLS + 2 * PAD])
    }

    /// The cells, from `offset` cells to the right (left, if negative) of the first on.
    #[inline(always)]
    pub(crate) fn from(&self, offset: isize) -> &[i16] {
        let start = PAD.wrapping_add_signed(offset);
        self.0.get(start..start.wrapping_add(CELLS)).unwrap_or_default()
    }

    /// The cells, to be written.
    #[inline(always)]
    pub(crate) fn cells(&mut self) -> &mut [i16] {
        self.0.get_mut(PAD..PAD + CELLS).unwrap_or_default()
    }
}

/// The last rows of one result, by the number of the row.
#[derive(Debug)]
pub(crate) struct Ring(Vec<Row>, Row);

impl Ring {
    pub(crate) fn new() -> Self {
        Self(vec![Row::new(); KEPT], Row::new())
    }

    /// A row that was put in not long ago.
    #[inline(always)]
    pub(crate) fn row(&self, y: isize) -> &Row {
        self.0.get(y as usize % KEPT).unwrap_or(&self.1)
    }

    /// Takes out the place of a new row, to be filled and put back.
    #[inline(always)]
    pub(crate) fn take(&mut self, y: isize) -> Row {
        self.0.get_mut(y as usize % KEPT).map_or_else(Row::new, |row| std::mem::replace(row, Row(Vec::new())))
    }

    /// Puts a filled row back.
    #[inline(always)]
    pub(crate) fn put(&mut self, y: isize, row: Row) {
        if let Some(place) = self.0.get_mut(y as usize % KEPT) {
            *place = row;
        }
    }
}

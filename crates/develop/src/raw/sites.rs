//! One finished row of coded red, green and blue: the even and the odd columns of the cells.

use super::lanes::Lanes;
use super::ring::Row;

/// Red, green and blue of one column of a row's cells.
#[derive(Debug, Clone)]
pub(crate) struct Channels(pub(crate) [Row; 3]);

impl Channels {
    fn new() -> Self {
        Self([Row::new(), Row::new(), Row::new()])
    }

    /// For own colour, green, other colour, where red is the own colour or is not.
    #[inline(always)]
    fn writer(&mut self, red: bool) -> Writer<'_> {
        let [r, g, b] = &mut self.0;
        let (own, other) = if red { (r, b) } else { (b, r) };
        Writer([own.cells(), g.cells(), other.cells()])
    }
}

/// A row, by column of the cells.
#[derive(Debug, Clone)]
pub(crate) struct Sites(pub(crate) [Channels; 2]);

impl Sites {
    pub(crate) fn new() -> Self {
        Self([Channels::new(), Channels::new()])
    }

    /// Where to write the sites of a coloured row: the coloured column, then the green one,
    /// each as own colour, green, other colour.
    #[inline(always)]
    pub(crate) fn by_column(&mut self, coloured: isize, red: bool) -> [Writer<'_>; 2] {
        let [even, odd] = &mut self.0;
        if coloured == 0 { [even.writer(red), odd.writer(red)] } else { [odd.writer(red), even.writer(red)] }
    }
}

/// Writes three channels at once.
pub(crate) struct Writer<'a>([&'a mut [i16]; 3]);

impl Writer<'_> {
    #[inline(always)]
    pub(crate) fn store<L: Lanes>(&mut self, at: usize, values: [L; 3]) {
        let [a, b, c] = &mut self.0;
        let [x, y, z] = values;
        x.store(a, at);
        y.store(b, at);
        z.store(c, at);
    }
}

//! Tables that fit the terminal they are shown on.
//!
//! Columns are as wide as what is in them. Where the terminal is narrower, the columns that may shrink give
//! way, the widest first, and then the least important ones are left out; nothing wraps. Where output is not
//! a terminal nothing is cut, so that other programs see whole names.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Styles;

/// Which side of a column its text is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// What stands above it.
    pub(crate) title: &'static str,
    /// Which side its text is at.
    pub(crate) align: Align,
    /// The width down to which it may be cut; `usize::MAX` for never.
    pub(crate) least: usize,
    /// The order of leaving out: 0 never, otherwise the highest first.
    pub(crate) drop: u8,
}

/// Rows of cells under columns.
pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<[String; N]>,
}

const GAP: usize = 2;

impl<const N: usize> Table<N> {
    /// An empty one.
    pub(crate) fn new(columns: [Column; N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| harmless(&cell)));
    }

    /// The lines: titles first, then the rows. A column that is empty throughout is left out.
    pub(crate) fn lines(&self, width: Option<usize>, styles: Styles) -> Vec<String> {
        let widths = self.fit(width);
        let titles = self.columns.map(|column| column.title.to_owned());
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        lines.push(styles.faint(&self.line(&titles, &widths)));
        lines.extend(self.rows.iter().map(|row| self.line(row, &widths)));
        lines
    }

    /// The width of each column; 0 for one that is left out.
    fn fit(&self, limit: Option<usize>) -> [usize; N] {
        let mut widths = [0usize; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        for (width, column) in widths.iter_mut().zip(&self.columns) {
            if *width > 0 {
                *width = (*width).max(column.title.width());
            }
        }
        let Some(limit) = limit else { return widths };
        loop {
            let excess = total(&widths).saturating_sub(limit);
            if excess == 0 {
                return widths;
            }
            let widest = widths.iter_mut().zip(&self.columns).filter(|(w, c)| **w > c.least).max_by_key(|(w, _)| **w);
            if let Some((width, _)) = widest {
                *width -= 1;
                continue;
            }
            let next =
                widths.iter_mut().zip(&self.columns).filter(|(w, c)| **w > 0 && c.drop > 0).max_by_key(|(_, c)| c.drop);
            match next {
                Some((width, _)) => *width = 0,
                None => return widths,
            }
        }
    }

    fn line(&self, cells: &[String; N], widths: &[usize; N]) -> String {
        let mut out = String::new();
        for ((cell, column), width) in cells.iter().zip(&self.columns).zip(widths) {
            if *width == 0 {
                continue;
            }
            if !out.is_empty() {
                out.push_str("  ");
            }
            let cell = cut(cell, *width);
            let space = " ".repeat(width.saturating_sub(cell.width()));
            match column.align {
                Align::Left => out.extend([cell.as_str(), &space]),
                Align::Right => out.extend([space.as_str(), &cell]),
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|w| **w > 0).count();
    widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1)
}

/// Text without control characters, so that a name on a card cannot move a terminal's cursor.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The text, cut with an ellipsis where it is wider.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let next = used + c.width().unwrap_or(0);
        if next + 1 > width {
            break;
        }
        used = next;
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Column = Column { title: "Name", align: Align::Left, least: 8, drop: 0 };
    const LENS: Column = Column { title: "Lens", align: Align::Left, least: 6, drop: 1 };
    const ISO: Column = Column { title: "ISO", align: Align::Right, least: usize::MAX, drop: 0 };

    fn shown(width: Option<usize>) -> Vec<String> {
        let mut table = Table::new([NAME, LENS, ISO]);
        table.row(["IMG_0001.CR2".into(), "EF24-105mm f/4L IS USM".into(), "100".into()]);
        table.row(["IMG_0002.CR2".into(), "EF70-200mm f/4L".into(), "3200".into()]);
        table.lines(width, Styles::new(false))
    }

    #[test]
    fn nothing_is_cut_where_there_is_no_terminal() {
        assert_eq!(
            shown(None),
            [
                "Name          Lens                     ISO",
                "IMG_0001.CR2  EF24-105mm f/4L IS USM   100",
                "IMG_0002.CR2  EF70-200mm f/4L         3200",
            ]
        );
    }

    #[test]
    fn narrow_terminals_shrink_the_widest_column_then_lose_the_least_important() {
        assert_eq!(shown(Some(32))[1], "IMG_0001.CR2  EF24-105mm…    100");
        assert_eq!(shown(Some(15))[1], "IMG_000…   100");
        for width in 14..60 {
            assert!(shown(Some(width)).iter().all(|line| line.width() <= width), "{width}");
        }
    }

    #[test]
    fn a_column_without_values_is_left_out_and_control_characters_are_harmless() {
        let mut table = Table::new([NAME, LENS]);
        table.row(["a\u{1b}[2Jb".into(), String::new()]);
        assert_eq!(table.lines(None, Styles::new(false)), ["Name", "a\u{fffd}[2Jb"]);
    }
}

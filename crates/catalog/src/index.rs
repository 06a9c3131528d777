//! The result of a query as columns, for the app's grid: a few numbers a photo, no value a photo.
//!
//! The grid lays out a whole library exactly, so it wants the shape and the marks of every photo at once and
//! nothing else of them. What changed after a revision can be asked for alone, so that an import or a mark
//! costs what changed and not the library.

use lightfast_model::{ContentHash, Flag, PhotoId};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::codes::{self, Code as _};
use crate::error::Doing as _;
use crate::query::Condition;
use crate::{Catalog, Query, Result, Sort};

const DOING: &str = "read the index";

/// Bits of [`IndexColumns::marks`]: stars.
pub const RATING_BITS: u16 = 0b111;
/// Where the flag begins: two bits, 1 pick, 2 reject.
pub const FLAG_SHIFT: u16 = 3;
/// Where the label begins: three bits, 1 red to 5 purple.
pub const LABEL_SHIFT: u16 = 5;
/// Set for a clip.
pub const VIDEO_BIT: u16 = 1 << 8;
/// Set for a photo that is in a stack.
pub const STACK_BIT: u16 = 1 << 9;
/// Where the person's own quarter turns begin: two bits.
pub const TURNED_SHIFT: u16 = 12;

/// Photos in the order asked, a column each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexColumns {
    /// Row numbers, as [`Catalog::rows`] gives them.
    pub rows: Vec<u32>,
    /// Seconds since 1970 of the wall clock where the picture was taken.
    pub taken: Vec<i64>,
    /// Width by height as shown, in thousandths; 0 where the size is unknown.
    pub aspect: Vec<u16>,
    /// Stars, flag, label, kind and turns in bits.
    pub marks: Vec<u16>,
    /// Where only changes were asked for: photos that changed and do not match.
    pub gone: Vec<u32>,
    /// The catalogue's revision that this is of.
    pub revision: i64,
    /// The highest row number of the catalogue, whether it matches or not.
    pub last_row: u32,
}

impl Catalog {
    /// The photos that match, as columns; with `since`, only those that changed after that revision.
    pub fn index(&self, query: &Query, sort: Sort, since: Option<i64>) -> Result<IndexColumns> {
        // One look at one state of the catalogue, beside whoever writes.
        let transaction = self.db.unchecked_transaction().doing(DOING)?;
        let last: Option<u32> = self.db.query_row("SELECT max(id) FROM photo", [], |row| row.get(0)).doing(DOING)?;
        let mut found =
            IndexColumns { revision: self.revision()?, last_row: last.unwrap_or(0), ..IndexColumns::default() };
        if since.is_none() {
            found.reserve(self.count_all()? as usize);
        }
        let Condition { sql, mut values } = Condition::of(query, &self.db, &self.zone)?;
        let changed = since.map(|revision| {
            values.push(Value::Integer(revision));
            format!("p.revision > ?{}", values.len())
        });
        let matching = match &changed {
            None => sql.clone(),
            // The plus keeps SQLite from any other index than the one on what changed.
            Some(changed) => format!("{changed} AND +({sql})"),
        };
        let mut statement = self
            .db
            .prepare_cached(&format!(
                "SELECT p.id, p.taken, p.width, p.height, p.rating, p.flag, p.label, p.turned, p.kind, p.stack <> 0 \
                 FROM photo p WHERE {matching} ORDER BY {}",
                sort.sql()
            ))
            .doing(DOING)?;
        let mut rows = statement.query(params_from_iter(values.clone())).doing(DOING)?;
        while let Some(row) = rows.next().doing(DOING)? {
            found.push(row).doing(DOING)?;
        }
        if let Some(changed) = changed {
            let mut statement = self
                .db
                .prepare_cached(&format!("SELECT p.id FROM photo p WHERE {changed} AND ({sql}) IS NOT TRUE"))
                .doing(DOING)?;
            let gone = statement.query_map(params_from_iter(values), |row| row.get(0)).doing(DOING)?;
            found.gone = gone.collect::<rusqlite::Result<_>>().doing(DOING)?;
        }
        drop(rows);
        drop(statement);
        transaction.finish().doing(DOING)?;
        Ok(found)
    }
}

impl Catalog {
    /// The contents of a photo's files by its row number, the most primary first; what a thumbnail is kept under.
    pub fn contents_of_row(&self, row: u32) -> Result<Vec<ContentHash>> {
        let hashes: Vec<Vec<u8>> = self
            .db
            .prepare_cached(
                "SELECT f.hash FROM member m JOIN file f ON f.id = m.file WHERE m.photo = ?1 ORDER BY m.role, f.id",
            )
            .and_then(|mut s| s.query_map([row], |row| row.get(0))?.collect())
            .doing(DOING)?;
        hashes.iter().map(|hash| codes::content_hash(hash)).collect()
    }

    /// The row number of a photo.
    pub fn row_of_photo(&self, id: &PhotoId) -> Result<Option<u32>> {
        Ok(self.row_of(id)?.and_then(|row| u32::try_from(row).ok()))
    }

    /// When this catalogue was made, in microseconds since 1970: row numbers mean the same for as long as it is
    /// the same.
    pub fn made(&self) -> Result<Option<i64>> {
        self.db.query_row("SELECT created FROM state", [], |row| row.get(0)).doing(DOING)
    }
}

impl IndexColumns {
    fn reserve(&mut self, photos: usize) {
        self.rows.reserve(photos);
        self.taken.reserve(photos);
        self.aspect.reserve(photos);
        self.marks.reserve(photos);
    }

    fn push(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let taken: i64 = row.get(1)?;
        let (width, height): (Option<u32>, Option<u32>) = (row.get(2)?, row.get(3)?);
        let turned: u16 = row.get(7)?;
        let sides = if turned % 2 == 1 { (height, width) } else { (width, height) };
        let video: i64 = row.get(8)?;
        self.rows.push(row.get(0)?);
        self.taken.push(taken.div_euclid(1_000_000));
        self.aspect.push(aspect(sides.0, sides.1));
        let video = video == lightfast_model::PhotoKind::Video.code();
        let stacked = if row.get(9)? { STACK_BIT } else { 0 };
        self.marks.push(marks(row.get(4)?, row.get(5)?, row.get(6)?, turned, video) | stacked);
        Ok(())
    }
}

/// A photo's marks in bits.
pub(crate) fn marks(rating: u16, flag: u16, label: u16, turned: u16, video: bool) -> u16 {
    (rating & RATING_BITS)
        | (flag & 0b11) << FLAG_SHIFT
        | (label & 0b111) << LABEL_SHIFT
        | if video { VIDEO_BIT } else { 0 }
        | (turned & 0b11) << TURNED_SHIFT
}

pub(crate) fn aspect(width: Option<u32>, height: Option<u32>) -> u16 {
    match (width, height) {
        (Some(width), Some(height)) if width > 0 && height > 0 => {
            let thousandths = u64::from(width) * 1000 / u64::from(height);
            thousandths.clamp(50, u64::from(u16::MAX)) as u16
        }
        _ => 0,
    }
}

// The bits are those of the codes that are stored.
const _: () = assert!(matches!(Flag::TABLE, [(Flag::Pick, 1), (Flag::Reject, 2)]));

#[cfg(test)]
mod tests {
    use super::aspect;

    #[test]
    fn shapes_stay_within_what_a_grid_can_lay_out() {
        assert_eq!(aspect(Some(3000), Some(2000)), 1500);
        assert_eq!(aspect(Some(1), Some(u32::MAX)), 50);
        assert_eq!(aspect(Some(u32::MAX), Some(1)), u16::MAX);
        assert_eq!(aspect(Some(0), Some(2)), 0);
        assert_eq!(aspect(None, Some(2)), 0);
    }
}

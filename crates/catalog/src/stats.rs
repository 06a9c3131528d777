//! Counts by camera, lens, ISO, month …: what `stats` prints and what a filter bar shows.
//!
//! A bucket is a number in the catalogue and a word for people. `stats` groups in SQL, in one or two dimensions,
//! whatever the query; counts of the whole library in one dimension come from the summary table where it has them.

use std::cmp::Reverse;

use rusqlite::params_from_iter;

use crate::codes::{self, Code as _};
use crate::error::Doing as _;
use crate::query::Condition;
use crate::tally::Tally;
use crate::writer::fold;
use crate::{Catalog, Query, Result};

const DOING: &str = "count photos";

/// What photos are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// Camera model.
    Camera,
    /// Lens.
    Lens,
    /// ISO.
    Iso,
    /// Whether the camera chose the ISO.
    IsoMode,
    /// Focal length, to the millimetre.
    Focal,
    /// F-number, to a tenth.
    Aperture,
    /// Year of the capture.
    Year,
    /// Month of the capture.
    Month,
    /// Hour of the day of the capture.
    Hour,
    /// Photo or clip.
    Kind,
    /// Stars.
    Rating,
    /// Flag.
    Flag,
    /// Colour label.
    Label,
}

/// One count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The value in each dimension, in words; `None` where the photos do not say.
    pub keys: Vec<Option<String>>,
    /// How many photos have it.
    pub photos: u64,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Camera,
        Self::Lens,
        Self::Iso,
        Self::IsoMode,
        Self::Focal,
        Self::Aperture,
        Self::Year,
        Self::Month,
        Self::Hour,
        Self::Kind,
        Self::Rating,
        Self::Flag,
        Self::Label,
    ];

    /// The word used on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::Lens => "lens",
            Self::Iso => "iso",
            Self::IsoMode => "iso-mode",
            Self::Focal => "focal",
            Self::Aperture => "aperture",
            Self::Year => "year",
            Self::Month => "month",
            Self::Hour => "hour",
            Self::Kind => "kind",
            Self::Rating => "rating",
            Self::Flag => "flag",
            Self::Label => "label",
        }
    }

    /// The inverse of [`By::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }

    /// The bucket's number, in SQL; null where the photo does not say.
    fn sql(self) -> &'static str {
        match self {
            Self::Camera => "p.camera",
            Self::Lens => "p.lens",
            Self::Iso => "p.iso",
            Self::IsoMode => "p.iso_auto",
            Self::Focal => "CAST(round(p.focal) AS INTEGER)",
            Self::Aperture => "CAST(round(p.aperture * 10) AS INTEGER)",
            Self::Year => "CAST(strftime('%Y', p.taken / 1000000, 'unixepoch') AS INTEGER)",
            Self::Month => "CAST(strftime('%Y%m', p.taken / 1000000, 'unixepoch') AS INTEGER)",
            Self::Hour => "CAST(strftime('%H', p.taken / 1000000, 'unixepoch') AS INTEGER)",
            Self::Kind => "p.kind",
            Self::Rating => "p.rating",
            Self::Flag => "nullif(p.flag, 0)",
            Self::Label => "nullif(p.label, 0)",
        }
    }

    /// Where the summary table has it.
    fn tally(self) -> Option<Tally> {
        match self {
            Self::Camera => Some(Tally::Camera),
            Self::Lens => Some(Tally::Lens),
            Self::Month => Some(Tally::Month),
            Self::Kind => Some(Tally::Kind),
            Self::Rating => Some(Tally::Rating),
            Self::Flag => Some(Tally::Flag),
            Self::Label => Some(Tally::Label),
            _ => None,
        }
    }

    /// Whether 0 in the summary table stands for what photos do not say.
    fn zero_is_none(self) -> bool {
        matches!(self, Self::Camera | Self::Lens | Self::Flag | Self::Label)
    }

    /// Whether buckets come in the order of their numbers; else the largest count is first.
    fn by_number(self) -> bool {
        !matches!(self, Self::Camera | Self::Lens)
    }
}

impl Catalog {
    /// How many photos match in each bucket of each dimension (one or two are useful). Cameras and lenses come
    /// with the largest count first, everything else in its natural order, and what is not known last.
    pub fn stats(&self, query: &Query, by: &[By]) -> Result<Vec<Bucket>> {
        let _one_state = self.reading()?;
        let counts = match by {
            [one] if query.is_all() && one.tally().is_some() => self.counted(*one)?,
            _ => self.grouped(query, by)?,
        };
        self.buckets(by, counts)
    }

    /// From the summary table.
    fn counted(&self, by: By) -> Result<Vec<(Vec<Option<i64>>, i64)>> {
        let Some(tally) = by.tally() else { return Ok(Vec::new()) };
        let mut statement =
            self.db.prepare_cached("SELECT key, photos FROM tally WHERE dim = ?1 AND photos > 0").doing(DOING)?;
        let rows = statement
            .query_map([tally.code()], |row| {
                let key: i64 = row.get(0)?;
                Ok((vec![Some(key).filter(|k| *k != 0 || !by.zero_is_none())], row.get(1)?))
            })
            .doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }

    fn grouped(&self, query: &Query, by: &[By]) -> Result<Vec<(Vec<Option<i64>>, i64)>> {
        let Condition { sql, values } = Condition::of(query, &self.db, &self.zone)?;
        let columns: Vec<&str> = by.iter().map(|b| b.sql()).collect();
        let group: Vec<String> = (1..=by.len()).map(|n| n.to_string()).collect();
        let group = if by.is_empty() { String::new() } else { format!(" GROUP BY {}", group.join(", ")) };
        let columns = if by.is_empty() { String::new() } else { columns.join(", ") + ", " };
        let mut statement = self
            .db
            .prepare_cached(&format!("SELECT {columns}count(*) FROM photo p WHERE {sql}{group}"))
            .doing(DOING)?;
        let rows = statement
            .query_map(params_from_iter(values), |row| {
                let keys = (0..by.len()).map(|i| row.get(i)).collect::<rusqlite::Result<_>>()?;
                Ok((keys, row.get(by.len())?))
            })
            .doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }

    /// Puts words on numbers, and both in order.
    pub(crate) fn buckets(&self, by: &[By], mut counts: Vec<(Vec<Option<i64>>, i64)>) -> Result<Vec<Bucket>> {
        counts.sort_by_cached_key(|(keys, _)| -> Vec<(bool, i64)> {
            keys.iter().map(|k| (k.is_none(), k.unwrap_or(0))).collect()
        });
        let word = |(by, key): (&By, Option<i64>)| key.map_or(Ok(None), |key| self.word(*by, key));
        let bucket = |(keys, photos): (Vec<Option<i64>>, i64)| {
            let keys = by.iter().zip(keys).map(word).collect::<Result<_>>()?;
            Ok(Bucket { keys, photos: codes::bytes(photos) })
        };
        let mut buckets: Vec<Bucket> = counts.into_iter().map(bucket).collect::<Result<_>>()?;
        if !by.iter().all(|b| b.by_number()) {
            let folded = |bucket: &Bucket| -> Vec<(bool, Option<String>)> {
                bucket.keys.iter().map(|k| (k.is_none(), k.as_deref().map(fold))).collect()
            };
            buckets.sort_by_cached_key(|bucket| (Reverse(bucket.photos), folded(bucket)));
        }
        Ok(buckets)
    }

    fn word(&self, by: By, key: i64) -> Result<Option<String>> {
        Ok(Some(match by {
            By::Camera | By::Lens => return self.name(Some(key)),
            By::IsoMode => if key == 0 { "manual" } else { "auto" }.to_owned(),
            By::Aperture => format!("{}.{}", key / 10, key % 10),
            By::Month => format!("{:04}-{:02}", key / 100, key % 100),
            By::Kind => if key == 0 { "photo" } else { "video" }.to_owned(),
            By::Flag => lightfast_model::Flag::from_code(key)?.as_str().to_owned(),
            By::Label => lightfast_model::Label::from_code(key)?.as_str().to_owned(),
            By::Iso | By::Focal | By::Year | By::Hour | By::Rating => key.to_string(),
        }))
    }

    pub(crate) fn count_all(&self) -> Result<u64> {
        self.db
            .prepare_cached("SELECT ifnull(sum(photos), 0) FROM tally WHERE dim = ?1")
            .and_then(|mut s| s.query_row([Tally::All.code()], |row| row.get(0)))
            .doing(DOING)
            .map(codes::bytes)
    }

    /// All keywords that photos have, with how many, most used first.
    pub fn keywords(&self, limit: Option<u32>) -> Result<Vec<(String, u64)>> {
        self.db
            .prepare_cached("SELECT text, photos FROM keyword WHERE photos > 0 ORDER BY photos DESC, folded LIMIT ?1")
            .and_then(|mut s| {
                s.query_map([limit.map_or(-1, i64::from)], |row| Ok((row.get(0)?, codes::bytes(row.get(1)?))))?
                    .collect()
            })
            .doing(DOING)
    }
}

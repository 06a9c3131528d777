//! What there is of each month, camera, lens and keyword, and which folders: the app's left side.
//!
//! For the whole library the counts are kept (see `tally`); for a query they are counted. Folders are found by
//! leaping from one to the next through the index of paths, so that a level costs what it has and not what lies
//! below.

use std::collections::HashMap;

use lightfast_model::BytePath;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, params, params_from_iter};

use crate::codes;
use crate::error::Doing as _;
use crate::query::Condition;
use crate::tally::Tally;
use crate::{Bucket, Catalog, Query, Result, RootId};

const DOING: &str = "count what there is";

/// Folders in one answer, at most.
const MAX_FOLDERS: usize = 2_000;

/// One value and how many photos have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// As a query takes it.
    pub value: String,
    /// Photos that have it.
    pub photos: u64,
}

impl Count {
    /// A bucket of one dimension; none where the photos do not say.
    pub(crate) fn of(bucket: Bucket) -> Option<Self> {
        let value = bucket.keys.into_iter().next().flatten()?;
        Some(Self { value, photos: bucket.photos })
    }
}

/// Counts of the photos that match a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// `2009-07`, the newest first.
    pub months: Vec<Count>,
    /// The most frequent first.
    pub cameras: Vec<Count>,
    /// The most frequent first.
    pub lenses: Vec<Count>,
    /// The most frequent first.
    pub keywords: Vec<Count>,
}

impl Catalog {
    /// What there is of the photos that match.
    pub fn facets(&self, query: &Query) -> Result<Facets> {
        if query.is_all() {
            return Ok(Facets {
                months: self.kept_months()?,
                cameras: self.kept_terms(Tally::Camera)?,
                lenses: self.kept_terms(Tally::Lens)?,
                keywords: self.counts(
                    "SELECT text, photos FROM keyword WHERE photos > 0 ORDER BY photos DESC, folded LIMIT 1000",
                    Vec::new(),
                )?,
            });
        }
        let Condition { sql, values } = Condition::of(query, &self.db, &self.zone)?;
        let terms = |column: &str| {
            format!(
                "SELECT t.text, g.n FROM (SELECT p.{column} AS term, count(*) AS n FROM photo p WHERE {sql} \
                 GROUP BY p.{column}) g JOIN term t ON t.id = g.term ORDER BY g.n DESC, t.folded LIMIT 500"
            )
        };
        Ok(Facets {
            months: self.counts(
                &format!(
                    "SELECT strftime('%Y-%m', p.taken / 1000000, 'unixepoch') AS m, count(*) FROM photo p \
                     WHERE {sql} GROUP BY m ORDER BY m DESC"
                ),
                values.clone(),
            )?,
            cameras: self.counts(&terms("camera"), values.clone())?,
            lenses: self.counts(&terms("lens"), values.clone())?,
            keywords: self.counts(
                &format!(
                    "SELECT k.text, count(*) AS n FROM photo p JOIN photo_keyword pk ON pk.photo = p.id \
                     JOIN keyword k ON k.id = pk.keyword WHERE {sql} GROUP BY k.id ORDER BY n DESC, k.folded LIMIT 500"
                ),
                values,
            )?,
        })
    }

    /// Folders of a root that lie in `under` (empty for the top), by name; as a query's `path:` takes them.
    pub fn folders(&self, root: RootId, under: &BytePath) -> Result<Vec<BytePath>> {
        let mut prefix = under.as_bytes().to_vec();
        if !prefix.is_empty() && !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        let mut statement = self
            .db
            .prepare_cached("SELECT path FROM copy WHERE root = ?1 AND path >= ?2 ORDER BY path LIMIT 1")
            .doing(DOING)?;
        let mut from = prefix.clone();
        let mut found = Vec::new();
        while found.len() < MAX_FOLDERS {
            let next: Option<Vec<u8>> =
                statement.query_row(params![root.0, from], |row| row.get(0)).optional().doing(DOING)?;
            let Some(rest) = next.as_deref().and_then(|path| path.strip_prefix(prefix.as_slice())) else { break };
            match rest.iter().position(|byte| *byte == b'/') {
                Some(end) => {
                    let folder = [prefix.as_slice(), rest.get(..end).unwrap_or_default()].concat();
                    // The byte after a slash: the first path that lies behind everything in this folder.
                    from = [folder.as_slice(), b"0"].concat();
                    found.push(BytePath::from_bytes(&folder));
                }
                // A file: the next path after it.
                None => from = [next.unwrap_or_default().as_slice(), b"\0"].concat(),
            }
        }
        Ok(found)
    }

    /// Keywords by number, in words and in the order of [`Facets::keywords`].
    pub(crate) fn keyword_counts(&self, counts: HashMap<i64, u64>) -> Result<Vec<Count>> {
        let mut statement = self.db.prepare_cached("SELECT text, folded FROM keyword WHERE id = ?1").doing(DOING)?;
        let mut found = Vec::new();
        for (id, photos) in counts {
            let (value, folded): (String, String) =
                statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).doing(DOING)?;
            found.push((folded, Count { value, photos }));
        }
        found.sort_by(|(a, m), (b, n)| n.photos.cmp(&m.photos).then_with(|| a.cmp(b)));
        Ok(found.into_iter().map(|(_, count)| count).take(500).collect())
    }

    fn kept_months(&self) -> Result<Vec<Count>> {
        self.counts(
            "SELECT printf('%04d-%02d', key / 100, key % 100), photos FROM tally WHERE dim = ?1 AND photos > 0 \
             ORDER BY key DESC",
            vec![Value::Integer(Tally::Month.code())],
        )
    }

    fn kept_terms(&self, tally: Tally) -> Result<Vec<Count>> {
        self.counts(
            "SELECT t.text, y.photos FROM tally y JOIN term t ON t.id = y.key WHERE y.dim = ?1 AND y.photos > 0 \
             ORDER BY y.photos DESC, t.folded LIMIT 500",
            vec![Value::Integer(tally.code())],
        )
    }

    fn counts(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Count>> {
        let mut statement = self.db.prepare_cached(sql).doing(DOING)?;
        let rows = statement
            .query_map(params_from_iter(values), |row| {
                Ok(Count { value: row.get(0)?, photos: codes::bytes(row.get(1)?) })
            })
            .doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }
}

//! Answers from the columns: the index of a query's result, and counts within it.

use std::collections::HashMap;

use super::bits::Bits;
use super::{Arrays, DOING, NO_ISO, bit};
use crate::codes;
use crate::error::Doing as _;
use crate::photos::{Sort, SortKey};
use crate::{Bucket, By, Catalog, Count, FLAG_SHIFT, Facets, IndexColumns, LABEL_SHIFT, Query, RATING_BITS, Result};

impl Arrays {
    /// The index of a query's result.
    pub(super) fn index(&self, catalog: &Catalog, query: &Query, sort: Sort) -> Result<IndexColumns> {
        let found = self.select(catalog, query)?;
        let mut order: Vec<u32> = match sort.key {
            SortKey::Name | SortKey::Album(_) => {
                let all = Query::all_and_trash();
                let rows = catalog.rows(&all, Sort { descending: false, ..sort }, None, 0)?;
                rows.into_iter().filter_map(|id| self.position_of(id)).map(|at| at as u32).collect()
            }
            _ => self.by_taken.clone(),
        };
        order.retain(|at| found.contains(*at as usize));
        // Stable: what is equal stays in the order of capture time.
        match sort.key {
            SortKey::Rating => {
                order.sort_by_key(|at| self.bits.get(*at as usize).map_or(0, |bits| bits & u32::from(RATING_BITS)));
            }
            SortKey::Imported => order.sort_by_key(|at| self.imported.get(*at as usize).copied()),
            SortKey::Taken | SortKey::Name | SortKey::Album(_) => {}
        }
        if sort.descending {
            order.reverse();
        }
        Ok(IndexColumns {
            rows: gather(&order, &self.ids),
            taken: gather(&order, &self.taken).into_iter().map(|micros| micros.div_euclid(1_000_000)).collect(),
            aspect: gather(&order, &self.aspect),
            marks: gather(&order, &self.bits).into_iter().map(|bits| bits as u16).collect(),
            gone: Vec::new(),
            revision: self.state.map_or(0, |state| state.revision),
            last_row: self.ids.iter().copied().max().unwrap_or(0),
        })
    }

    /// Counts of a query's result in one dimension.
    pub(super) fn stats(&self, catalog: &Catalog, query: &Query, by: By) -> Result<Vec<Bucket>> {
        self.counts(catalog, &self.select(catalog, query)?, by)
    }

    fn counts(&self, catalog: &Catalog, found: &Bits, by: By) -> Result<Vec<Bucket>> {
        let mut counts: HashMap<Option<i64>, i64> = HashMap::new();
        for at in found.iter() {
            *counts.entry(self.key(by, at)).or_default() += 1;
        }
        let counts = counts.into_iter().map(|(key, photos)| (vec![key], photos)).collect();
        catalog.buckets(&[by], counts)
    }

    /// What there is of a query's result.
    pub(super) fn facets(&self, catalog: &Catalog, query: &Query) -> Result<Facets> {
        if query.is_all() {
            // Kept in the catalogue.
            return catalog.facets(query);
        }
        let found = self.select(catalog, query)?;
        let count = |by| -> Result<Vec<Count>> {
            let buckets = self.counts(catalog, &found, by)?;
            Ok(buckets.into_iter().filter_map(Count::of).collect())
        };
        let mut months = count(By::Month)?;
        months.reverse();
        let keywords = self.keywords(catalog, &found)?;
        Ok(Facets { months, cameras: count(By::Camera)?, lenses: count(By::Lens)?, keywords })
    }

    fn keywords(&self, catalog: &Catalog, found: &Bits) -> Result<Vec<Count>> {
        let mut counts: HashMap<i64, u64> = HashMap::new();
        let mut statement = catalog.db.prepare_cached("SELECT photo, keyword FROM photo_keyword").doing(DOING)?;
        let mut rows = statement.query([]).doing(DOING)?;
        while let Some(row) = rows.next().doing(DOING)? {
            let (photo, keyword): (u32, i64) = (row.get(0).doing(DOING)?, row.get(1).doing(DOING)?);
            if self.position_of(photo).is_some_and(|at| found.contains(at)) {
                *counts.entry(keyword).or_default() += 1;
            }
        }
        catalog.keyword_counts(counts)
    }

    /// The number of a photo's bucket.
    fn key(&self, by: By, at: usize) -> Option<i64> {
        let bits = self.bits.get(at).copied().unwrap_or(0);
        let taken = self.taken.get(at).copied().unwrap_or(0);
        let named = |column: &[u32]| column.get(at).copied().filter(|id| *id != 0).map(i64::from);
        let rounded = |column: &[f32], by: f64| {
            column.get(at).map(|n| f64::from(*n)).filter(|n| !n.is_nan()).map(|n| (n * by).round() as i64)
        };
        let date = || codes::civil_from_micros(taken, 0).ok();
        let set = |value: u32| Some(i64::from(value)).filter(|v| *v != 0);
        match by {
            By::Camera => named(&self.camera),
            By::Lens => named(&self.lens),
            By::Iso => self.iso.get(at).copied().filter(|iso| *iso != NO_ISO).map(i64::from),
            By::IsoMode => (bits & bit::ISO_KNOWN != 0).then_some(i64::from(bits & bit::ISO_AUTO != 0)),
            By::Focal => rounded(&self.focal, 1.0),
            By::Aperture => rounded(&self.aperture, 10.0),
            By::Year => date().map(|d| i64::from(d.year())),
            By::Month => date().map(|d| i64::from(d.year()) * 100 + i64::from(d.month())),
            By::Hour => Some(taken.div_euclid(3_600_000_000).rem_euclid(24)),
            By::Kind => Some(i64::from(bits & bit::VIDEO != 0)),
            By::Rating => Some(i64::from(bits & u32::from(RATING_BITS))),
            By::Flag => set((bits >> FLAG_SHIFT) & 0b11),
            By::Label => set((bits >> LABEL_SHIFT) & 0b111),
        }
    }
}

fn gather<T: Copy>(order: &[u32], column: &[T]) -> Vec<T> {
    order.iter().filter_map(|at| column.get(*at as usize)).copied().collect()
}

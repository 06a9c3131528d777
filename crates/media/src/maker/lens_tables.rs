//! Tables of lenses by the numbers that cameras report: data files, read when first asked for.
//!
//! A number that several lenses share has further rows `number.1`, `number.2`, …; its first row then ends in `or …`.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A table.
pub(super) struct Table {
    text: &'static str,
    rows: OnceLock<HashMap<&'static str, &'static str>>,
}

impl Table {
    const fn new(text: &'static str) -> Self {
        Self { text, rows: OnceLock::new() }
    }

    /// The name in a row.
    pub(super) fn get(&self, key: &str) -> Option<&'static str> {
        let rows = self.rows.get_or_init(|| {
            let rows = self.text.lines().filter(|line| !line.starts_with('#'));
            rows.filter_map(|line| line.split_once('\t')).collect()
        });
        rows.get(key).copied()
    }

    /// The numbers of all rows.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let rows = self.text.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| line.split_once('\t')).map(|(key, _)| key)
    }

    /// Every lens of the table once, in the order of the numbers as texts, without `or …`.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut rows: Vec<(&str, &str)> =
            self.text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect();
        rows.sort_unstable();
        let mut names: Vec<&'static str> = Vec::new();
        for (_, name) in rows {
            let name = name.split(" or ").next().unwrap_or(name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// All lenses that report a number: the first without its `or …`.
    pub(super) fn all(&self, key: &str) -> Vec<&'static str> {
        let Some(first) = self.get(key) else { return Vec::new() };
        let mut found = vec![first];
        for number in 1.. {
            let Some(name) = self.get(&format!("{key}.{number}")) else { break };
            found.push(name);
        }
        if let [first, _, ..] = found.as_mut_slice() {
            *first = first.split(" or ").next().unwrap_or(first);
        }
        found
    }
}

pub(super) static CANON: Table = Table::new(include_str!("../../data/lenses_canon.tsv"));
pub(super) static CANON_RF: Table = Table::new(include_str!("../../data/lenses_canon_rf.tsv"));
pub(super) static NIKON: Table = Table::new(include_str!("../../data/lenses_nikon.tsv"));
pub(super) static NIKON_Z: Table = Table::new(include_str!("../../data/lenses_nikon_z.tsv"));
pub(super) static SONY_E: Table = Table::new(include_str!("../../data/lenses_sony_e.tsv"));
pub(super) static SONY_A: Table = Table::new(include_str!("../../data/lenses_sony_a.tsv"));
pub(super) static PENTAX: Table = Table::new(include_str!("../../data/lenses_pentax.tsv"));
pub(super) static OLYMPUS: Table = Table::new(include_str!("../../data/lenses_olympus.tsv"));
pub(super) static SIGMA: Table = Table::new(include_str!("../../data/lenses_sigma.tsv"));
pub(super) static LEICA: Table = Table::new(include_str!("../../data/lenses_leica.tsv"));
pub(super) static SAMSUNG: Table = Table::new(include_str!("../../data/lenses_samsung.tsv"));

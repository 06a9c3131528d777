//! Saved runs side by side: several machines, dates and importers.
//!
//! Seconds of different machines are not compared; each run's ratios to its own machine's copy are. Runs of different
//! cards are told apart and not put in one table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::report::{BenchReport, VERSION};
use super::text::{card_line, ratio};
use crate::trace::bytes_text;

/// Why a saved run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It is not there, or cannot be read.
    #[error("read the saved run {}", .path.display())]
    Read {
        /// Where.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It is no saved run.
    #[error("understand the saved run {}", .path.display())]
    Shape {
        /// Where.
        path: PathBuf,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
    /// It was written by a newer version.
    #[error("understand the saved run {}: its version is {version}, this program knows {VERSION}", .path.display())]
    Newer {
        /// Where.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

/// Reads a saved run.
pub fn read_saved(path: &Path) -> Result<BenchReport, SavedError> {
    let failed = |source| SavedError::Read { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let shape = |source| SavedError::Shape { path: path.to_owned(), source };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(shape)?;
    let version = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if version > u64::from(VERSION) {
        return Err(SavedError::Newer { path: path.to_owned(), version: u32::try_from(version).unwrap_or(u32::MAX) });
    }
    serde_json::from_value(value).map_err(shape)
}

/// Runs side by side, each with a name.
pub fn compare(runs: &[(String, BenchReport)]) -> String {
    let mut out = String::new();
    let mut cards: Vec<&str> = Vec::new();
    for (_, run) in runs {
        if !cards.contains(&run.card.digest.as_str()) {
            cards.push(&run.card.digest);
        }
    }
    for (n, digest) in cards.iter().enumerate() {
        let same: Vec<&(String, BenchReport)> = runs.iter().filter(|(_, r)| r.card.digest == **digest).collect();
        if n > 0 {
            out.push('\n');
        }
        if let Some((_, first)) = same.first() {
            let _ = writeln!(out, "{}", card_line(first));
        }
        for (name, run) in &same {
            let m = &run.machine;
            let _ = writeln!(
                out,
                "  {name}: {}, {} ({} cores, {}), kernel {}, {} rounds{}",
                run.made_at,
                m.processor,
                m.cores,
                bytes_text(m.memory),
                m.kernel,
                run.rounds,
                run.versions.get("lightfast").map_or_else(String::new, |v| format!(", {v}"))
            );
        }
        for (name, run) in &same {
            for d in &run.destinations {
                let disk = d.under.as_ref().unwrap_or(&d.disk);
                let over = if d.under.is_some() { format!(" over {}", disk.kind) } else { String::new() };
                let scheduler = disk.scheduler.as_deref().map_or_else(String::new, |s| format!(", scheduler {s}"));
                let _ = writeln!(out, "  {name}: {} is {} on {}{over}{scheduler}", d.name, d.disk.kind, disk.source);
            }
            let others: Vec<&str> =
                run.versions.iter().filter(|(tool, _)| *tool != "lightfast").map(|(_, v)| v.as_str()).collect();
            if !others.is_empty() {
                let _ = writeln!(out, "  {name}: with {}", others.join("; "));
            }
        }
        table(&mut out, &same);
    }
    if cards.len() > 1 {
        let _ =
            writeln!(out, "\nThe runs used {} different cards; only runs of one card stand in one table.", cards.len());
    }
    out
}

fn table(out: &mut String, runs: &[&(String, BenchReport)]) {
    let mut keys: Vec<(String, String)> = Vec::new();
    for (_, run) in runs {
        for row in &run.rows {
            let destination = run.destinations.get(row.destination).map_or_else(String::new, |d| d.name.clone());
            let key = (destination, row.program.clone());
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let width = keys.iter().map(|(d, p)| d.chars().count() + p.chars().count() + 2).max().unwrap_or(0);
    let _ = write!(out, "{:<width$}", "ratio to the machine's own cp -a, and seconds");
    for (name, _) in runs {
        let _ = write!(out, "  {name:>28}");
    }
    out.push('\n');
    for (destination, program) in &keys {
        let _ = write!(out, "{:<width$}", format!("{destination}, {program}"));
        for (_, run) in runs {
            let row = run.rows.iter().find(|r| {
                r.program == *program && run.destinations.get(r.destination).is_some_and(|d| d.name == *destination)
            });
            let cell = row.and_then(|r| Some((r.ratio?, r.durable_seconds?)));
            let cell = cell.map_or_else(|| "-".to_owned(), |(r, s)| format!("{}, {:.1} s", ratio(r), s.median));
            let _ = write!(out, "  {cell:>28}");
        }
        out.push('\n');
    }
}

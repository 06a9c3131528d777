//! What each part costs: our import with one part left out at a time, and the old importer with one habit at a time.
//!
//! Our import overlaps its parts, so a part's cost is what leaving it out saves; the savings need not add up. The old
//! importer works serially: what each habit adds to a plain copy must add up to what all of them cost together.

use std::path::Path;

use lightfast_import::{Options, Without};
use lightfast_model::VerifyMode;
use serde::{Deserialize, Serialize};

use super::old::Habit;
use super::programs::Program;
use super::report::Round;
use super::stats::Spread;

/// A part of an import that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Part {
    Hash,
    Sync,
    ColdRead,
    Thumbnails,
    Catalogue,
    Metadata,
}

impl Part {
    /// All of them, by the names that the command line has for them.
    pub const ALL: [(&'static str, Self); 6] = [
        ("hash", Self::Hash),
        ("sync", Self::Sync),
        ("cold-read", Self::ColdRead),
        ("thumbnails", Self::Thumbnails),
        ("catalogue", Self::Catalogue),
        ("metadata", Self::Metadata),
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }

    /// What a table says of it.
    fn said(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Sync => "sync of originals",
            Self::ColdRead => "cold read",
            Self::Thumbnails => "thumbnails",
            Self::Catalogue => "catalogue on the disk",
            Self::Metadata => "metadata, and thumbnails with it",
        }
    }
}

/// The import that `bench --ablate` runs, with one part left out.
pub fn import_without(part: Part, card: &Path, library: &Path) -> Options {
    let mut options = Options::new(vec![card.to_owned()], library.to_owned());
    match part {
        Part::Hash => options.without = Without { hash: true, ..Without::default() },
        Part::Sync => options.without = Without { sync: true, ..Without::default() },
        Part::ColdRead => options.verify = VerifyMode::Stream,
        Part::Thumbnails => options.thumbnails = false,
        Part::Catalogue => options.without = Without { catalog: true, ..Without::default() },
        Part::Metadata => options.without = Without { metadata: true, ..Without::default() },
    }
    options
}

/// The import that all parts are left out of.
pub(crate) const OURS: &str = "lightfast cold";
const OLD: &str = "old importer";
const OLD_BASE: &str = "old importer: copies only";

fn without(part: Part) -> String {
    format!("lightfast without {}", part.said())
}

fn only(habit: &str) -> String {
    format!("old importer: only {}", habit.replace('-', " "))
}

/// What `--ablate` measures besides the built-in programs. `exe` is the `lightfast` to run.
pub(crate) fn programs(exe: &Path) -> Vec<Program> {
    let words = |more: &[&str]| -> Vec<String> { more.iter().map(|word| (*word).to_owned()).collect() };
    let mut all: Vec<Program> = Part::ALL
        .iter()
        .map(|(name, part)| Program::ours(without(*part), exe, words(&["bench", "part", "--without", name])))
        .collect();
    let every: Vec<&str> = Habit::ALL.iter().map(|(name, _)| *name).collect();
    let old = |name: String, habits: &[&str]| {
        let mut list = words(&["bench", "old-importer"]);
        list.extend(habits.iter().flat_map(|habit| ["--habit".to_owned(), (*habit).to_owned()]));
        Program::ours(name, exe, list)
    };
    all.push(old(OLD_BASE.to_owned(), &[]));
    all.extend(every.iter().map(|habit| old(only(habit), &[*habit])));
    all.push(old(OLD.to_owned(), &every));
    all
}

/// The parts of one program on one destination.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ablation {
    /// Place in the report's destinations.
    pub destination: usize,
    /// Which program.
    pub program: String,
    /// Its seconds with all of it.
    pub whole: Spread,
    /// Seconds with none of it, where there is such a thing.
    pub base: Option<Spread>,
    /// What each part costs, from differences within a round.
    pub parts: Vec<PartCost>,
    /// Base and parts together, as a share of the whole.
    pub sum: Option<Spread>,
}

/// One part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PartCost {
    pub part: String,
    pub seconds: Spread,
}

/// From transfers to costs.
pub(crate) fn ablations(rounds: &[Round], destinations: usize, files: u64) -> Vec<Ablation> {
    let mut found = Vec::new();
    for destination in 0..destinations {
        let table = Table { rounds, destination, files };
        found.extend(ours(&table));
        found.extend(old(&table));
    }
    found
}

struct Table<'a> {
    rounds: &'a [Round],
    destination: usize,
    files: u64,
}

impl Table<'_> {
    /// The seconds of a program, round by round; only of transfers that did the work.
    fn seconds(&self, program: &str) -> Vec<(usize, f64)> {
        let good = |r: &&Round| {
            r.destination == self.destination
                && r.program == program
                && r.transfer.failure.is_none()
                && r.complete >= self.files
        };
        self.rounds.iter().filter(good).map(|r| (r.round, r.transfer.durable_seconds)).collect()
    }

    fn spread(&self, program: &str) -> Option<Spread> {
        Spread::of(&self.seconds(program).into_iter().map(|(_, s)| s).collect::<Vec<_>>())
    }

    /// What one program takes longer than another, within each round.
    fn difference(&self, longer: &str, shorter: &str) -> Vec<(usize, f64)> {
        let shorter = self.seconds(shorter);
        let same = |round: usize| shorter.iter().find(|(r, _)| *r == round).map(|(_, s)| *s);
        self.seconds(longer).into_iter().filter_map(|(round, s)| Some((round, s - same(round)?))).collect()
    }
}

fn values(rounds: &[(usize, f64)]) -> Option<Spread> {
    Spread::of(&rounds.iter().map(|(_, s)| *s).collect::<Vec<_>>())
}

fn ours(table: &Table<'_>) -> Option<Ablation> {
    let parts: Vec<PartCost> = Part::ALL
        .iter()
        .filter_map(|(_, part)| {
            let seconds = values(&table.difference(OURS, &without(*part)))?;
            Some(PartCost { part: part.said().to_owned(), seconds })
        })
        .collect();
    let whole = table.spread(OURS).filter(|_| !parts.is_empty())?;
    Some(Ablation { destination: table.destination, program: OURS.to_owned(), whole, base: None, parts, sum: None })
}

fn old(table: &Table<'_>) -> Option<Ablation> {
    let (whole, base) = (table.spread(OLD)?, table.spread(OLD_BASE)?);
    let costs: Vec<(String, Vec<(usize, f64)>)> = Habit::ALL
        .iter()
        .map(|(habit, _)| (habit.replace('-', " "), table.difference(&only(habit), OLD_BASE)))
        .collect();
    let base_of: Vec<(usize, f64)> = table.seconds(OLD_BASE);
    let shares: Vec<f64> = table
        .seconds(OLD)
        .into_iter()
        .filter_map(|(round, all)| {
            let in_round = |list: &[(usize, f64)]| list.iter().find(|(r, _)| *r == round).map(|(_, s)| *s);
            let parts: Option<Vec<f64>> = costs.iter().map(|(_, list)| in_round(list)).collect();
            Some((in_round(&base_of)? + parts?.iter().sum::<f64>()) / all)
        })
        .collect();
    let cost =
        |(part, list): &(String, Vec<(usize, f64)>)| Some(PartCost { part: part.clone(), seconds: values(list)? });
    Some(Ablation {
        destination: table.destination,
        program: OLD.to_owned(),
        whole,
        base: Some(base),
        parts: costs.iter().filter_map(cost).collect(),
        sum: Spread::of(&shares),
    })
}

#[cfg(test)]
mod tests {
    use super::super::measure::Transfer;
    use super::*;

    fn round(round: usize, program: &str, seconds: f64) -> Round {
        Round {
            round,
            destination: 0,
            program: program.to_owned(),
            complete: 5,
            reference_seconds: None,
            transfer: Transfer { durable_seconds: seconds, ..Transfer::default() },
        }
    }

    #[test]
    fn a_part_costs_what_leaving_it_out_saves_in_the_same_round() {
        let name = without(Part::ColdRead);
        let rounds = [round(1, OURS, 3.0), round(1, &name, 2.0), round(2, OURS, 6.0), round(2, &name, 4.5)];
        let found = ablations(&rounds, 1, 5);
        let cost = &found[0].parts[0];
        assert_eq!((cost.part.as_str(), cost.seconds.low, cost.seconds.high), ("cold read", 1.0, 1.5));
    }

    #[test]
    fn habits_of_the_old_importer_are_added_up() {
        let mut rounds = vec![round(1, OLD, 10.0), round(1, OLD_BASE, 3.0)];
        rounds.extend(Habit::ALL.iter().map(|(habit, _)| round(1, &only(habit), 4.4)));
        let found = ablations(&rounds, 1, 5);
        assert_eq!(found[0].sum.map(|s| (s.median * 100.0).round()), Some(100.0));
        assert!(found[0].parts.iter().all(|p| (p.seconds.median - 1.4).abs() < 1e-9));
    }

    #[test]
    fn parts_have_names_that_the_command_line_knows() {
        for (name, part) in Part::ALL {
            assert_eq!(Part::named(name), Some(part));
        }
        assert!(Part::ALL.iter().all(|(_, part)| {
            let options = import_without(*part, Path::new("/card"), Path::new("/library"));
            options.without.any() || options.verify == VerifyMode::Stream || !options.thumbnails
        }));
    }
}

//! `lightfast verify`: every original read again from the medium and compared with its hash.
//!
//! It changes no original unless it is told where good copies are, and then keeps the bad one in the quarantine.
//! What it finds is noted in the catalogue, where that can be written. A folder without a catalogue is checked by
//! its manifests. A sidecar may be edited; that is counted and is not bad.

mod folder;
mod library;
mod manifests;
mod repair;
mod resume;
mod say;
mod unknown;

use std::path::PathBuf;

use clap::Args;
use lightfast_catalog::Place;
use lightfast_import::be_considerate;

use crate::context::{Context, absolute};
use crate::error::{Error, Exit};

/// Read every original again from the medium and compare it with its hash
///
/// An interrupted check goes on where it stopped. Exit code 3 when any original is bad.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// A folder to check by its ASC MHL or MHL manifests, where there is no catalogue [default: the library]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Only part N of T, such as 1/7: a different part each day proves everything in a week
    #[arg(long, value_name = "N/T", value_parser = part)]
    subset: Option<Part>,

    /// Put a good copy from this other destination in the place of a bad original, which goes to the quarantine
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    repair_from: Option<PathBuf>,

    /// Begin anew instead of going on where an interrupted check stopped
    #[arg(long)]
    again: bool,
}

/// Part `n` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    n: i64,
    of: i64,
}

impl Part {
    /// Whether the file of this number is in it; every number is in exactly one part.
    fn has(self, number: i64) -> bool {
        number.rem_euclid(self.of) == self.n - 1
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.n, self.of)
    }
}

fn part(text: &str) -> Result<Part, String> {
    let (n, of) = text.split_once('/').ok_or("write it as N/T, such as 1/7")?;
    match (n.trim().parse(), of.trim().parse()) {
        (Ok(n), Ok(of)) if 1 <= n && n <= of => Ok(Part { n, of }),
        _ => Err("N and T are whole numbers, and N is from 1 to T".to_owned()),
    }
}

pub(crate) fn run(args: &Verify, context: &Context) -> Result<Exit, Error> {
    be_considerate();
    let Some(named) = &args.folder else { return library::run(args, None, context) };
    let named = absolute(named)?;
    if Place::in_library(&named).file().exists() {
        return library::run(args, Some(named), context);
    }
    folder::run(&named, args.subset, context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one_and_are_the_whole() {
        assert_eq!(part("1/7"), Ok(Part { n: 1, of: 7 }));
        for wrong in ["0/7", "8/7", "1", "a/b", "-1/7", "1/0"] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
        for number in [-3, 0, 5, i64::MAX] {
            assert_eq!((1..=3).filter(|n| Part { n: *n, of: 3 }.has(number)).count(), 1);
        }
    }
}

//! What `bench --ablate` runs in a process of its own, so that it is measured like any other program: an import with
//! one part left out, and the model of an old importer. Hidden from the help: neither is for pictures to keep.

use std::path::PathBuf;

use clap::Args;
use lightfast_bench::bench::{Habit, OldImport, import_as_of_old, import_without};

use crate::commands::import::{Outcome, run_job};
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::reporter::Words;

/// An import with one part left out.
#[derive(Debug, Args)]
pub(crate) struct Part {
    /// What is left out
    #[arg(long, value_name = "PART", value_parser = part)]
    without: lightfast_bench::bench::Part,

    /// The card
    source: PathBuf,

    /// The library
    library_folder: PathBuf,
}

/// An importer as they were.
#[derive(Debug, Args)]
pub(crate) struct OldImporter {
    /// What it does besides copying; may repeat
    #[arg(long = "habit", value_name = "HABIT", value_parser = habit)]
    habits: Vec<Habit>,

    /// The card
    source: PathBuf,

    /// Where it goes
    folder: PathBuf,
}

fn part(name: &str) -> Result<lightfast_bench::bench::Part, String> {
    lightfast_bench::bench::Part::named(name).ok_or_else(|| {
        let names = lightfast_bench::bench::Part::ALL.map(|(name, _)| name);
        format!("one of: {}", names.join(", "))
    })
}

fn habit(name: &str) -> Result<Habit, String> {
    Habit::named(name).ok_or_else(|| format!("one of: {}", Habit::ALL.map(|(name, _)| name).join(", ")))
}

pub(crate) fn run_part(args: &Part, context: &Context) -> Result<Exit, Error> {
    let source = crate::context::absolute(&args.source)?;
    let library = crate::context::absolute(&args.library_folder)?;
    let options = import_without(args.without, &source, &library);
    let words = Words::default();
    match run_job(options, words, context)? {
        Outcome::Ended(ended, _) if ended.interrupted => Ok(Exit::Interrupted),
        Outcome::Ended(ended, _) if ended.stopped.is_some() || ended.report.failed > 0 => Ok(Exit::Fault),
        _ => Ok(Exit::Done),
    }
}

pub(crate) fn run_old_importer(args: &OldImporter, context: &Context) -> Result<Exit, Error> {
    let job = OldImport {
        card: &args.source,
        to: &args.folder,
        temporary: &std::env::temp_dir(),
        habits: &args.habits,
        now: context.now(),
    };
    let steps = import_as_of_old(&job).map_err(|error| Error::start(format!("cannot {error}")).because(error))?;
    if context.ui.is_json() {
        context.ui.object(&serde_json::json!({"event": "report", "stages": steps}));
    } else {
        for (step, seconds) in steps {
            context.ui.line(format!("{step}: {seconds:.2} s"));
        }
    }
    Ok(Exit::Done)
}

//! `lightfast man`: manual pages, one a command, into a folder.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::args::Cli;
use crate::context::Context;
use crate::error::{Error, Exit};

/// Write the manual pages into a folder
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder; it is made if it does not exist
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run(args: &Man, context: &Context) -> Result<Exit, Error> {
    let shown = args.dir.display();
    std::fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.dir))
        .map_err(|error| Error::start(format!("cannot write manual pages into {shown}")).because(error))?;
    context.ui.line(format!("Manual pages are in {}", context.shown(&args.dir)));
    Ok(Exit::Done)
}

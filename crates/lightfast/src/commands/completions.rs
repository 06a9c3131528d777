//! `lightfast completions`: a shell's completion script, on standard output.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::context::Context;
use crate::error::{Error, Exit};

/// Print a completion script for a shell
///
/// For example, for bash:
/// lightfast completions bash > ~/.local/share/bash-completion/completions/lightfast
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Completions, context: &Context) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lightfast", &mut script);
    context.ui.answer(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}

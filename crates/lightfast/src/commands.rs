//! One file a command: its arguments, whose doc comments are its help, and what it does.

pub(crate) mod bench;
pub(crate) mod cards;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod demo_card;
pub(crate) mod develop;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mark;
pub(crate) mod preview;
pub(crate) mod previews;
pub(crate) mod rebuild;
pub(crate) mod rescan;
pub(crate) mod roots;
pub(crate) mod serve;

pub(crate) mod show;
mod start;
pub(crate) mod stats;
pub(crate) mod trace;
pub(crate) mod trash;
pub(crate) mod verify;
pub(crate) mod worker;

use crate::args::Command;
use crate::context::Context;
use crate::error::{Error, Exit};

impl Command {
    /// Whether the config file is looked at.
    pub(crate) fn needs_config(&self) -> bool {
        !matches!(self, Self::Worker(_) | Self::Completions(_) | Self::Man(_) | Self::DemoCard(_) | Self::Develop(_))
    }
}

/// Does what was asked for; without a command, says what can be done next.
pub(crate) fn run(command: Option<Command>, context: &Context) -> Result<Exit, Error> {
    match command {
        None => start::run(context),
        Some(Command::Import(args)) => import::run(&args, context),
        Some(Command::Cards(args)) => cards::run(&args, context),
        Some(Command::List(args)) => list::run(&args, context),
        Some(Command::Show(args)) => show::run(&args, context),
        Some(Command::Mark(args)) => mark::run(&args, context),
        Some(Command::Stats(args)) => stats::run(&args, context),
        Some(Command::Trash(args)) => trash::run(&args, context),
        Some(Command::Rescan(args)) => rescan::run(&args, context),
        Some(Command::Rebuild(args)) => rebuild::run(&args, context),
        Some(Command::Roots(args)) => roots::run(&args, context),
        Some(Command::Verify(args)) => verify::run(&args, context),
        Some(Command::Preview(args)) => preview::run(&args, context),
        Some(Command::Serve(args)) => serve::run(&args, context),
        Some(Command::Previews(args)) => previews::run(&args, context),
        Some(Command::Develop(args)) => develop::run(&args, context),
        Some(Command::Demo(args)) => demo::run(&args, context),
        Some(Command::DemoCard(args)) => demo_card::run(&args, context),
        Some(Command::Bench(args)) => bench::run(&args, context),
        Some(Command::Trace(args)) => trace::run(&args, context),
        Some(Command::Completions(args)) => completions::run(&args, context),
        Some(Command::Man(args)) => man::run(&args, context),
        Some(Command::Worker(args)) => worker::run(&args),
    }
}

//! The command line of lightfast.
//!
//! The rule of this room: the only one that prints, prompts, or reads the environment, the home folder and the
//! clock. Everything else is asked of the rooms below, which answer with values, events and errors. One file a
//! command; arguments are read in two stages, first their form ([`args`]), then, in each command, what they
//! mean here and now.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod config;
mod context;
mod error;
mod interrupt;
mod keeping;
mod library;
mod reporter;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Global};
use config::Config;
use context::{Context, Environment};
use error::{Error, Exit};

fn main() -> ExitCode {
    let environment = Environment::read();
    let exit = match Cli::try_parse_from(args::with_exclusions(std::env::args_os())) {
        Ok(cli) => run(cli, environment),
        Err(error) => usage(&error, environment),
    };
    ExitCode::from(exit.code())
}

fn run(cli: Cli, environment: Environment) -> Exit {
    // A worker needs no config and must not be stopped by a wrong one.
    let config = match &cli.command {
        Some(command) if !command.needs_config() => Ok(Config::default()),
        _ => Config::load(environment.config.as_deref()),
    };
    let (config, wrong) = match config {
        Ok(config) => (config, None),
        Err(error) => (Config::default(), Some(error)),
    };
    let context = Context::new(&cli.global, environment, config);
    let outcome = match wrong {
        Some(error) => Err(error),
        None => commands::run(cli.command, &context),
    };
    let exit = outcome.unwrap_or_else(|error| {
        context.ui.error(&error);
        error.kind()
    });
    match context.ui.finish() {
        Some(failure) => {
            context.ui.error(&Error::new(Exit::Fault, "cannot write to standard output").because(failure));
            if exit == Exit::Done { Exit::Fault } else { exit }
        }
        None => exit,
    }
}

/// Help and version go to standard output and are what was asked for; anything else is wrong usage.
fn usage(error: &clap::Error, environment: Environment) -> Exit {
    let context = Context::new(&Global::default(), environment, Config::default());
    let text = error.render();
    if error.use_stderr() {
        let on = context.ui.error_styles().is_on();
        context.ui.raw_error(&if on { text.ansi().to_string() } else { text.to_string() });
        return Exit::Usage;
    }
    let text = if context.ui.styles().is_on() { text.ansi().to_string() } else { text.to_string() };
    context.ui.answer(text.trim_end());
    context.ui.finish();
    Exit::Done
}

//! `lightfast worker`: the child process that decodes pixels, on the socket that its parent put on standard
//! input. It is started by lightfast itself and is of no use on a terminal, so help does not show it.

use clap::Args;

use crate::error::{Error, Exit};
use crate::interrupt;

/// Decode pictures for the process that started this one
#[derive(Debug, Args)]
pub(crate) struct Worker {}

pub(crate) fn run(_: &Worker) -> Result<Exit, Error> {
    interrupt::ignore();
    match lightfast_worker::serve_stdin() {
        Ok(()) => Ok(Exit::Done),
        Err(error) => Err(Error::start("the worker stopped").because(error)),
    }
}

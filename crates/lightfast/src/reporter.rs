//! What a person or a machine sees of a running import.
//!
//! The engine says one stream of events. A reporter consumes it: [`Terminal`] keeps at most two moving lines
//! and ends with a report and a verdict in words, [`Lines`] writes one JSON object a line. Reporters decide
//! how often they draw; the engine does not care.

mod json;
mod progress;
mod summary;
mod terminal;
mod verdict;

use lightfast_model::Event;

pub(crate) use json::Lines;
pub(crate) use progress::Bar;
pub(crate) use terminal::Terminal;

use crate::context::Context;

/// A consumer of the engine's events.
pub(crate) trait Reporter {
    /// The next event.
    fn event(&mut self, event: &Event);

    /// Called now and then while nothing happens.
    fn tick(&mut self) {}

    /// The engine has said everything.
    fn end(&mut self) {}
}

/// The reporter for what was asked: JSON lines, or a display for a person.
pub(crate) fn for_import<'a>(context: &'a Context, words: Words) -> Box<dyn Reporter + 'a> {
    if context.ui.is_json() { Box::new(Lines::new(&context.ui)) } else { Box::new(Terminal::new(context, words)) }
}

/// What the report's words depend on, beside the events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// Nothing is copied; the plan is shown.
    pub(crate) dry_run: bool,
    /// `--library DIR` with a space before it, or nothing: for commands that are suggested.
    pub(crate) library_option: String,
}

//! The one error of the command line: what kind it is, what happened, and what to do next.
//!
//! Rooms below have small errors of their own with fields. At this edge they become a kind, which alone
//! decides the exit code, a sentence, and a hint. A person reads one line: what, where, why, what next.
//! This is not the place where a single file's failure is kept; that is an event, and changes the verdict.

use std::error::Error as StdError;
use std::fmt;

/// How a command ended; the numbers are the exit codes that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done as asked.
    Done,
    /// Could not start; nothing was changed.
    CouldNotStart,
    /// Wrong usage.
    Usage,
    /// Finished or stopped by a fault, or a file is not safe as asked.
    Fault,
    /// Nothing to import in the source.
    Nothing,
    /// Interrupted; the same command resumes.
    Interrupted,
    /// The status of a program that was run for its own sake.
    Program(u8),
}

impl Exit {
    /// The process's exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::CouldNotStart => 1,
            Self::Usage => 2,
            Self::Fault => 3,
            Self::Nothing => 4,
            Self::Interrupted => 130,
            Self::Program(status) => status,
        }
    }
}

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Error {
    kind: Exit,
    what: String,
    source: Option<Box<dyn StdError>>,
    hint: Option<String>,
}

impl Error {
    /// With a sentence in lower case and without a full stop.
    pub(crate) fn new(kind: Exit, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), source: None, hint: None }
    }

    /// Wrong usage.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    /// The command could not start.
    pub(crate) fn start(what: impl Into<String>) -> Self {
        Self::new(Exit::CouldNotStart, what)
    }

    /// Adds what lies below.
    pub(crate) fn because(mut self, source: impl StdError + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Adds what to do next: a sentence that begins in lower case and has no full stop.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What decides the exit code.
    pub(crate) fn kind(&self) -> Exit {
        self.kind
    }

    /// What to do next.
    pub(crate) fn next(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        let mut said = self.what.clone();
        let mut cause = self.source.as_deref();
        while let Some(error) = cause {
            let text = error.to_string();
            if !said.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            said = text;
            cause = error.source();
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_said_once_and_in_one_line() {
        #[derive(Debug, thiserror::Error)]
        #[error("open /card/a")]
        struct Below(#[source] std::io::Error);

        let error = Error::start("cannot read the card").because(Below(std::io::Error::other("no medium")));
        assert_eq!(error.to_string(), "cannot read the card: open /card/a: no medium");

        #[derive(Debug, thiserror::Error)]
        #[error("open /card/a: {0}")]
        struct Whole(#[source] std::io::Error);
        let error = Error::start("cannot read the card").because(Whole(std::io::Error::other("no medium")));
        assert_eq!(error.to_string(), "cannot read the card: open /card/a: no medium");
    }

    #[test]
    fn exit_codes_are_those_that_scripts_rely_on() {
        let codes = [Exit::Done, Exit::CouldNotStart, Exit::Usage, Exit::Fault, Exit::Nothing, Exit::Interrupted];
        assert_eq!(codes.map(Exit::code), [0, 1, 2, 3, 4, 130]);
    }
}

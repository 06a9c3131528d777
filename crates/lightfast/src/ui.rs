//! The one owner of standard output and standard error.
//!
//! Commands say everything through [`Ui`], so that a closed pipe ends quietly, colour appears only where a
//! person looks, `--quiet` and `--json` hold everywhere, and nothing can panic because a disk that standard
//! output was redirected to is full. Two of its methods never fail: what could not be written is remembered
//! and told at the end, because an import must not stop when its reader goes away.

mod style;
mod table;
mod units;

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

pub(crate) use style::Styles;
pub(crate) use table::{Align, Column, Table, harmless};
pub(crate) use units::{bytes, count, duration, of_total, rate};

use crate::error::Error;

/// What the person asked for about output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    /// One JSON object a line on standard output.
    pub(crate) json: bool,
    /// Only what went wrong.
    pub(crate) quiet: bool,
    /// More detail, once or more often.
    pub(crate) verbose: u8,
    /// `NO_COLOR` is set, or the terminal is a dumb one.
    pub(crate) plain: bool,
}

/// Standard output and standard error.
pub(crate) struct Ui {
    out: RefCell<Box<dyn Write>>,
    err: RefCell<Box<dyn Write>>,
    wishes: Wishes,
    out_is_terminal: bool,
    err_is_terminal: bool,
    in_is_terminal: bool,
    closed: Cell<bool>,
    failure: RefCell<Option<io::Error>>,
}

impl Ui {
    /// On the process's own streams.
    pub(crate) fn new(wishes: Wishes) -> Self {
        Self {
            out: RefCell::new(Box::new(BufWriter::with_capacity(64 * 1024, io::stdout()))),
            err: RefCell::new(Box::new(io::stderr())),
            wishes,
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            in_is_terminal: io::stdin().is_terminal(),
            closed: Cell::new(false),
            failure: RefCell::new(None),
        }
    }

    /// Whether machines read standard output.
    pub(crate) fn is_json(&self) -> bool {
        self.wishes.json
    }

    /// Whether only what went wrong is to be said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.wishes.quiet
    }

    /// Whether more detail was asked for.
    pub(crate) fn is_verbose(&self) -> bool {
        self.wishes.verbose > 0
    }

    /// Whether a person sees standard output.
    pub(crate) fn is_terminal(&self) -> bool {
        self.out_is_terminal
    }

    /// Whether a moving progress display may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        self.err_is_terminal && !self.wishes.quiet && !self.wishes.json
    }

    /// Whether a question would be seen and could be answered.
    pub(crate) fn can_ask(&self) -> bool {
        self.in_is_terminal && self.err_is_terminal && !self.wishes.json
    }

    /// Columns of the terminal that standard output is; `None` where it is none.
    pub(crate) fn width(&self) -> Option<usize> {
        self.out_is_terminal.then(|| terminal_columns().clamp(40, 400))
    }

    /// Colours for standard output.
    pub(crate) fn styles(&self) -> Styles {
        Styles::new(self.out_is_terminal && !self.wishes.plain)
    }

    /// Colours for standard error.
    pub(crate) fn error_styles(&self) -> Styles {
        Styles::new(self.err_is_terminal && !self.wishes.plain)
    }

    /// Whether whoever reads standard output is still there; a listing may stop when not.
    pub(crate) fn is_open(&self) -> bool {
        !self.closed.get()
    }

    /// A line for a person on standard output; nothing with `--json` or `--quiet`.
    pub(crate) fn line(&self, text: impl Display) {
        if !self.wishes.json && !self.wishes.quiet {
            self.answer(text);
        }
    }

    /// A line that was asked for, so that `--quiet` does not silence it: a listing's row, a completion script.
    pub(crate) fn answer(&self, text: impl Display) {
        self.put(|out| writeln!(out, "{text}"));
    }

    /// One JSON object on a line of its own.
    pub(crate) fn object(&self, value: &impl Serialize) {
        match serde_json::to_vec(value) {
            Ok(mut line) => {
                line.push(b'\n');
                self.put(|out| out.write_all(&line));
            }
            Err(error) => self.remember(error.into()),
        }
    }

    /// Bytes on standard output exactly as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        self.put(|out| out.write_all(bytes));
    }

    /// Sends what is buffered, so that a reader follows as it happens.
    pub(crate) fn flush(&self) {
        self.put(|out| out.flush());
    }

    /// A remark for a person on standard error; nothing with `--quiet`.
    pub(crate) fn remark(&self, text: impl Display) {
        if !self.wishes.quiet {
            self.say(&format!("{text}"));
        }
    }

    /// Something that should be known even with `--quiet`.
    pub(crate) fn warn(&self, text: impl Display) {
        let s = self.error_styles();
        self.say(&format!("{} {text}", s.warning("warning:")));
    }

    /// The one line of an error.
    pub(crate) fn error(&self, error: &Error) {
        let s = self.error_styles();
        let next = error.next().map(|hint| format!("; {hint}")).unwrap_or_default();
        self.say(&format!("{} {error}{}", s.error("error:"), s.faint(&next)));
    }

    /// Text on standard error exactly as it is: usage errors that the argument parser has formatted.
    pub(crate) fn raw_error(&self, text: &str) {
        let _ = self.err.borrow_mut().write_all(text.as_bytes());
    }

    /// Asks; only `y` or `yes` is a yes. Call only where [`Ui::can_ask`].
    pub(crate) fn confirm(&self, question: &str) -> bool {
        self.flush();
        let _ = write!(self.err.borrow_mut(), "{question} [y/N] ");
        let _ = self.err.borrow_mut().flush();
        let mut answer = String::new();
        match io::stdin().read_line(&mut answer) {
            Ok(_) => matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"),
            Err(_) => false,
        }
    }

    /// Sends everything and says what could not be written, if anything. A closed pipe is not a failure.
    pub(crate) fn finish(&self) -> Option<io::Error> {
        self.flush();
        self.failure.borrow_mut().take()
    }

    fn say(&self, text: &str) {
        self.flush();
        let _ = writeln!(self.err.borrow_mut(), "{text}");
    }

    fn put(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.closed.get() {
            return;
        }
        if let Err(error) = write(&mut **self.out.borrow_mut()) {
            self.remember(error);
        }
    }

    fn remember(&self, error: io::Error) {
        self.closed.set(true);
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.failure.borrow_mut().get_or_insert(error);
        }
    }

    /// On streams of a test.
    #[cfg(test)]
    pub(crate) fn for_test(out: Box<dyn Write>, err: Box<dyn Write>, wishes: Wishes) -> Self {
        Self {
            out: RefCell::new(out),
            err: RefCell::new(err),
            wishes,
            out_is_terminal: false,
            err_is_terminal: false,
            in_is_terminal: false,
            closed: Cell::new(false),
            failure: RefCell::new(None),
        }
    }
}

fn terminal_columns() -> usize {
    usize::from(console::Term::stdout().size().1)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::rc::Rc;

    /// A stream that a test can read afterwards.
    #[derive(Clone, Default)]
    pub(crate) struct Capture(pub(crate) Rc<RefCell<Vec<u8>>>);

    impl Capture {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).unwrap()
        }
    }

    impl Write for Capture {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn ui_on(kind: io::ErrorKind) -> Ui {
        Ui::for_test(Box::new(Failing(kind)), Box::new(io::sink()), Wishes::default())
    }

    #[test]
    fn a_closed_pipe_ends_quietly() {
        let ui = ui_on(io::ErrorKind::BrokenPipe);
        ui.line("one");
        assert!(!ui.is_open());
        ui.line("two");
        assert!(ui.finish().is_none());
    }

    #[test]
    fn a_full_disk_behind_standard_output_is_told_at_the_end() {
        let ui = ui_on(io::ErrorKind::StorageFull);
        ui.object(&serde_json::json!({"event": "scan"}));
        assert_eq!(ui.finish().unwrap().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn json_and_quiet_silence_lines_for_people_but_not_answers() {
        for wishes in [Wishes { json: true, ..Wishes::default() }, Wishes { quiet: true, ..Wishes::default() }] {
            let out = Capture::default();
            let ui = Ui::for_test(Box::new(out.clone()), Box::new(io::sink()), wishes);
            ui.line("for people");
            ui.answer("asked for");
            assert_eq!(out.text(), "asked for\n");
        }
    }
}

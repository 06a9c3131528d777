//! Colours, by what they mean. Where no person looks, every method gives its text back unchanged.

use anstyle::{AnsiColor, Style};

/// Paints text by meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Styles {
    on: bool,
}

impl Styles {
    /// With colours or without.
    pub(crate) fn new(on: bool) -> Self {
        Self { on }
    }

    /// Whether colours are shown.
    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    /// A name, a heading, a count that matters.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// What may be overlooked.
    pub(crate) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// All is well.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    /// Something to look at.
    pub(crate) fn warning(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// Something is wrong.
    pub(crate) fn error(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// A command that can be typed.
    pub(crate) fn command(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

//! A query as a tree. Values are checked and resolved: a date is an interval, a word of a small set is that word.

use jiff::civil::DateTime;
use lightfast_model::{Flag, Label, PhotoKind, Role};

/// What a photo must be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// All of them; at least two.
    And(Vec<Expr>),
    /// Any of them; at least two.
    Or(Vec<Expr>),
    /// Not this.
    Not(Box<Expr>),
    /// One condition.
    Term(Term),
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// A word (its beginning is enough) or, where it was quoted, a phrase.
    Words { text: String, exact: bool },
    /// A text that contains another.
    Text(TextField, String),
    /// A number between two others.
    Number(NumberField, Interval),
    /// Capture time, on the wall clock: from, inclusive, and to, exclusive.
    Taken(Option<DateTime>, Option<DateTime>),
    /// Time of the import, in the person's zone.
    Imported(Option<DateTime>, Option<DateTime>),
    /// The flag, or none.
    Flag(Option<Flag>),
    /// The label, or none.
    Label(Option<Label>),
    /// Photo or clip.
    Kind(PhotoKind),
    /// A member in this role.
    Role(Role),
    /// A member of this format, in capitals.
    Format(String),
    /// A keyword.
    Keyword(String),
    /// Whether the camera chose the ISO; `None` where the file does not say.
    IsoMode(Option<bool>),
    /// Has something.
    Has(Has),
    /// The photo of that name.
    Id(String),
    /// One of these row numbers.
    Rows(Vec<u32>),
    /// Came in that session.
    Session(i64),
    /// Lies in the trash.
    InTrash,
    /// Was put in the album of that name.
    Album(String),
    /// Is in one stack with the photo of that name.
    Stack(String),
    /// Is in no stack, or on top of its own.
    OnTop,
}

/// A text that is searched for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextField {
    Camera,
    Make,
    Serial,
    Lens,
    Job,
    Name,
    Path,
    Title,
    Caption,
    Creator,
    Copyright,
}

/// A number that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberField {
    Iso,
    Aperture,
    Focal,
    Rating,
    Duration,
}

/// A bound of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: f64,
    pub(crate) inclusive: bool,
}

/// An interval of numbers; an empty bound is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: Option<Bound>,
    pub(crate) high: Option<Bound>,
}

/// What a photo may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Has {
    Gps,
    Conflict,
    Keyword,
    Title,
    Caption,
    Rating,
    Flag,
    Label,
    Job,
    Lens,
    /// A capture time that is not a guess.
    Time,
    /// A copy that was not read back, or that a check found bad.
    Unverified,
    /// Something in a file that could not be read.
    Problem,
    Member(Role),
}

impl Expr {
    /// Whether a condition about the trash is anywhere in it.
    pub(crate) fn speaks_of_trash(&self) -> bool {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().any(Self::speaks_of_trash),
            Self::Not(inner) => inner.speaks_of_trash(),
            Self::Term(term) => matches!(term, Term::InTrash | Term::Id(_)),
        }
    }
}

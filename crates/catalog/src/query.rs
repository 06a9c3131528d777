//! The query language: `camera:5D iso:1600.. keyword:beach -flag:reject (a OR b) "two words"`.
//!
//! A query is read once into a small tree whose values are checked (a wrong date is an error, not a search that
//! finds nothing), then turned into SQL with every value bound. Reading is bounded in length and depth and never
//! panics. The language itself is described for people by [`FIELDS`].

mod expr;
mod fields;
mod parse;
mod sql;
mod token;

use jiff::civil::Date;

pub(crate) use expr::{Bound, Expr, Has, Interval, NumberField, Term, TextField};
pub use fields::{FIELDS, FieldHelp};
pub(crate) use sql::{Condition, OF_KEYWORD, slack, terms_containing};

/// A parsed query. The empty one matches every photo that is not in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    text: String,
    expr: Option<Expr>,
}

/// Why a text is not a query: one clear line, with where and, if possible, what was meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the query is wrong at character {position}: {problem}")]
pub struct QueryError {
    /// The character where it begins, from 1.
    pub position: usize,
    /// What is wrong, and what would be right.
    pub problem: String,
}

impl Query {
    /// Every photo that is not in the trash.
    pub fn all() -> Self {
        Self { text: String::new(), expr: None }
    }

    /// Every photo there is.
    pub(crate) fn all_and_trash() -> Self {
        let trash = || Expr::Term(Term::InTrash);
        let expr = Expr::Or(vec![trash(), Expr::Not(Box::new(trash()))]);
        Self { text: "in:trash OR -in:trash".to_owned(), expr: Some(expr) }
    }

    /// One photo, wherever it is.
    pub fn of_photo(id: &lightfast_model::PhotoId) -> Self {
        let text = format!("id:{id}");
        Self { text, expr: Some(Expr::Term(Term::Id(id.as_str().to_owned()))) }
    }

    /// The photos of these row numbers, as far as they are not in the trash.
    pub fn of_rows(rows: Vec<u32>) -> Self {
        Self { text: format!("{} chosen photos", rows.len()), expr: Some(Expr::Term(Term::Rows(rows))) }
    }

    /// Reads a query; `today` is what `today` and `yesterday` mean.
    pub fn parse(text: &str, today: Date) -> Result<Self, QueryError> {
        let expr = parse::parse(text, today)?;
        Ok(Self { text: text.to_owned(), expr })
    }

    /// The same with stacks closed: of each only the photo on top.
    #[must_use]
    pub fn on_top(self) -> Self {
        let top = Expr::Term(Term::OnTop);
        let expr = match self.expr {
            Some(expr) => Expr::And(vec![expr, top]),
            None => top,
        };
        Self { text: self.text, expr: Some(expr) }
    }

    /// Whether it is empty, and so matches every photo.
    pub fn is_all(&self) -> bool {
        self.expr.is_none()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn expr(&self) -> Option<&Expr> {
        self.expr.as_ref()
    }
}

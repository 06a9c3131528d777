//! The query language: `camera:5D iso:1600.. keyword:beach -flag:reject (a OR b) "two words"`.

use jiff::civil::Date;

/// A parsed query. The empty one matches every photo that is not in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {}

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
    /// Every photo.
    pub fn all() -> Self {
        unimplemented!()
    }

    /// Reads a query; `today` is what `today` and `yesterday` mean.
    pub fn parse(_text: &str, _today: Date) -> Result<Self, QueryError> {
        unimplemented!()
    }

    /// Whether it matches every photo.
    pub fn is_all(&self) -> bool {
        unimplemented!()
    }
}

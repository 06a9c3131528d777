//! Marks: stars, flags, labels, keywords, turns, titles; with a log, so that they can be undone.

use jiff::Timestamp;
use lightfast_model::{Flag, Label, PhotoId};

use crate::{Catalog, Query, Result};

/// What to do with the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagChange {
    /// Set it.
    Set(Flag),
    /// Take it off.
    Clear,
}

/// What to do with the colour label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelChange {
    /// Set it.
    Set(Label),
    /// Take it off.
    Clear,
}

/// A change of marks; what is empty stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Stars, 0 to 5.
    pub rating: Option<u8>,
    /// The flag.
    pub flag: Option<FlagChange>,
    /// The label.
    pub label: Option<LabelChange>,
    /// Keywords to add.
    pub add_keywords: Vec<String>,
    /// Keywords to take off.
    pub remove_keywords: Vec<String>,
    /// Degrees clockwise to turn by: a multiple of 90.
    pub rotate: Option<i32>,
    /// A new title; an empty one takes it off.
    pub title: Option<String>,
    /// A new caption; an empty one takes it off.
    pub caption: Option<String>,
    /// A new creator; an empty one takes it off.
    pub creator: Option<String>,
    /// A new copyright line; an empty one takes it off.
    pub copyright: Option<String>,
}

/// What a mark did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkOutcome {
    /// Photos that matched.
    pub matched: u64,
    /// Photos that are not as before.
    pub changed: u64,
    /// The step that undo takes back; empty where nothing changed.
    pub step: Option<i64>,
}

impl Catalog {
    /// Marks the photos that match, in one transaction.
    pub fn mark(&mut self, _query: &Query, _mark: &Mark, _now: Timestamp) -> Result<MarkOutcome> {
        unimplemented!()
    }

    /// What [`Catalog::mark`] would do.
    pub fn would_mark(&self, _query: &Query, _mark: &Mark) -> Result<MarkOutcome> {
        unimplemented!()
    }

    /// Takes back the last `steps` marks; `changed` counts photos, `step` is the last one taken back.
    pub fn undo(&mut self, _steps: u32, _now: Timestamp) -> Result<MarkOutcome> {
        unimplemented!()
    }

    /// Does again what was last taken back.
    pub fn redo(&mut self, _steps: u32, _now: Timestamp) -> Result<MarkOutcome> {
        unimplemented!()
    }

    /// The photos that a step changed.
    pub fn photos_of_step(&self, _step: i64) -> Result<Vec<PhotoId>> {
        unimplemented!()
    }
}

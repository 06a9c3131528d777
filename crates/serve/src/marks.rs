//! Marks, undo and redo: what was acknowledged is on stable storage.
//!
//! One request is one transaction and one step of undo, however many photos it hits. The catalogue's own log is
//! the truth; other pages learn of it by the revision that changed.

use axum::Json;
use axum::extract::State;
use lightfast_catalog::{Catalog, CatalogError, FlagChange, LabelChange, Mark, MarkOutcome, Query};
use lightfast_model::{Flag, Label};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::extract::Body;
use crate::index::parse_rows;
use crate::problem::{Answer, Problem};

/// Photos that one mark may hit.
pub(crate) const MOST: usize = 5_000_000;
/// Characters of a title, caption or keyword.
const LONGEST: usize = 20_000;
/// Keywords in one request.
const MOST_KEYWORDS: usize = 200;

/// A change of marks; what is empty stays as it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    rows: String,
    rating: Option<u8>,
    flag: Option<String>,
    label: Option<String>,
    rotate: Option<i32>,
    #[serde(default)]
    add_keywords: Vec<String>,
    #[serde(default)]
    remove_keywords: Vec<String>,
    title: Option<String>,
    caption: Option<String>,
    creator: Option<String>,
    copyright: Option<String>,
}

/// What it did.
#[derive(Debug, Serialize)]
pub(crate) struct Done {
    matched: u64,
    changed: u64,
    step: Option<i64>,
    revision: i64,
}

impl Wish {
    fn mark(self) -> Answer<(Vec<u32>, Mark)> {
        let rows = parse_rows(&self.rows, MOST)?;
        if self.rating.is_some_and(|rating| rating > 5) {
            return Err(Problem::bad("a rating is 0 to 5 stars"));
        }
        if self.rotate.is_some_and(|degrees| degrees % 90 != 0) {
            return Err(Problem::bad("a photo is turned by 90, 180 or 270 degrees"));
        }
        let flag = match self.flag.as_deref() {
            None => None,
            Some("pick") => Some(FlagChange::Set(Flag::Pick)),
            Some("reject") => Some(FlagChange::Set(Flag::Reject)),
            Some("none") => Some(FlagChange::Clear),
            Some(_) => return Err(Problem::bad("a flag is pick, reject or none")),
        };
        let label = match self.label.as_deref() {
            None => None,
            Some("none") => Some(LabelChange::Clear),
            Some(word) => {
                let label = Label::parse(word);
                let label = label.ok_or_else(|| Problem::bad("a label is red, yellow, green, blue, purple or none"))?;
                Some(LabelChange::Set(label))
            }
        };
        let texts = [&self.title, &self.caption, &self.creator, &self.copyright].into_iter().flatten();
        let words = self.add_keywords.iter().chain(&self.remove_keywords);
        if texts.chain(words.clone()).any(|text| text.len() > LONGEST) || words.count() > MOST_KEYWORDS {
            return Err(Problem::bad("that is too long"));
        }
        let mark = Mark {
            rating: self.rating,
            flag,
            label,
            add_keywords: self.add_keywords,
            remove_keywords: self.remove_keywords,
            rotate: self.rotate,
            title: self.title,
            caption: self.caption,
            creator: self.creator,
            copyright: self.copyright,
        };
        Ok((rows, mark))
    }
}

/// `POST /api/marks`.
pub(crate) async fn mark(State(app): State<App>, Body(wish): Body<Wish>) -> Answer<Json<Done>> {
    let (rows, mark) = wish.mark()?;
    let done = app.library.write(move |catalog, now| {
        let outcome = catalog.mark(&Query::of_rows(rows), &mark, now)?;
        answer(catalog, &outcome)
    });
    told(&app, done.await?)
}

/// `POST /api/undo`.
pub(crate) async fn undo(State(app): State<App>) -> Answer<Json<Done>> {
    let done = app.library.write(|catalog, now| {
        let outcome = catalog.undo(1, now)?;
        answer(catalog, &outcome)
    });
    told(&app, done.await?)
}

/// `POST /api/redo`.
pub(crate) async fn redo(State(app): State<App>) -> Answer<Json<Done>> {
    let done = app.library.write(|catalog, now| {
        let outcome = catalog.redo(1, now)?;
        answer(catalog, &outcome)
    });
    told(&app, done.await?)
}

pub(crate) fn answer(catalog: &Catalog, outcome: &MarkOutcome) -> Result<Done, CatalogError> {
    let &MarkOutcome { matched, changed, step, .. } = outcome;
    Ok(Done { matched, changed, step, revision: catalog.revision()? })
}

pub(crate) fn told(app: &App, done: Done) -> Answer<Json<Done>> {
    app.live.changed(done.revision);
    app.due.notify_one();
    Ok(Json(done))
}

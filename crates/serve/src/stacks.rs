//! Stacks: photos of one moment that are looked at as one. Each request is one step of undo.

use axum::Json;
use axum::extract::State;
use jiff::SignedDuration;
use lightfast_catalog::Query;
use serde::Deserialize;

use crate::App;
use crate::extract::Body;
use crate::index::parse_rows;
use crate::marks::{Done, MOST, answer, told};
use crate::problem::{Answer, Problem};

/// The longest pause within a burst that may be asked for.
const LONGEST_GAP: f64 = 3600.0;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Stack,
    Unstack,
    Top,
}

/// What to do with which photos.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    rows: String,
    #[serde(rename = "do")]
    what: What,
}

/// `POST /api/stacks`: into one stack, apart, or one photo on top of its own.
pub(crate) async fn stack(State(app): State<App>, Body(wish): Body<Wish>) -> Answer<Json<Done>> {
    let Wish { rows, what } = wish;
    let rows = parse_rows(&rows, MOST)?;
    let top = match (&what, rows.as_slice()) {
        (What::Top, [row]) => Some(*row),
        (What::Top, _) => return Err(Problem::bad("one photo lies on top of a stack")),
        _ => None,
    };
    let done = app.library.write(move |catalog, now| {
        let outcome = match (what, top) {
            (What::Unstack, _) => catalog.unstack(&Query::of_rows(rows), now),
            (_, Some(row)) => catalog.put_on_top(row, now),
            (_, None) => catalog.stack(&Query::of_rows(rows), now),
        };
        answer(catalog, &outcome?)
    });
    told(&app, done.await?)
}

/// Which bursts to stack.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bursts {
    #[serde(default)]
    q: String,
    seconds: f64,
}

/// `POST /api/stacks/bursts`: stacks what one camera took in quick succession.
pub(crate) async fn bursts(State(app): State<App>, Body(wish): Body<Bursts>) -> Answer<Json<Done>> {
    let Bursts { q, seconds } = wish;
    let query = app.library.query(&q)?;
    if !(0.0..=LONGEST_GAP).contains(&seconds) {
        return Err(Problem::bad("the pause within a burst is 0 to 3600 seconds"));
    }
    let gap = SignedDuration::try_from_secs_f64(seconds).map_err(|error| Problem::bad(error.to_string()))?;
    let done = app.library.write(move |catalog, now| {
        let outcome = catalog.stack_bursts(&query, gap, now)?;
        answer(catalog, &outcome)
    });
    told(&app, done.await?)
}

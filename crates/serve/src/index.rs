//! `GET /api/index`: the result of a query as columns of bytes, twelve a photo.
//!
//! All little endian: a head of 32 bytes (`LFI1`, photos u32, revision u64, the earliest capture time i64 in
//! seconds since 1970, the highest row of the catalogue u32, photos that are gone u32), then the columns one after
//! the other: rows u32, capture time u32 in seconds after the earliest, width by height in thousandths u16, marks
//! u16, and the rows u32 that changed and do not match. A million photos are 12 MB. Answers come from columns in
//! memory, which follow the catalogue; what changed since a revision comes from the catalogue itself.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use lightfast_catalog::{Catalog, IndexColumns, Query, Sort, SortKey};
use serde::Deserialize;

use crate::App;
use crate::extract::Parameters;
use crate::problem::{Answer, Problem};

const MAGIC: &[u8; 4] = b"LFI1";
const HEAD: usize = 32;

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: SortWord,
    #[serde(default)]
    descending: bool,
    /// Of each stack only the photo on top.
    #[serde(default)]
    closed: bool,
    /// Whose order is asked for, with `sort=album`.
    album: Option<i64>,
    /// Only what changed after this revision.
    since: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SortWord {
    #[default]
    Taken,
    Imported,
    Rating,
    Name,
    Album,
}

/// `GET /api/index`.
pub(crate) async fn index(State(app): State<App>, Parameters(wish): Parameters<Wish>) -> Answer {
    let query = app.library.query(&wish.q)?;
    let query = if wish.closed { query.on_top() } else { query };
    let key = match wish.sort {
        SortWord::Taken => SortKey::Taken,
        SortWord::Imported => SortKey::Imported,
        SortWord::Rating => SortKey::Rating,
        SortWord::Name => SortKey::Name,
        SortWord::Album => SortKey::Album(wish.album.unwrap_or(0)),
    };
    let sort = Sort { key, descending: wish.descending };
    let library = app.library.clone();
    let bytes = app.library.read(move |catalog| {
        let found = match wish.since {
            // What changed is little, and is not in memory before it is asked for.
            Some(_) => catalog.index(&query, sort, wish.since),
            None => library.columns.index(catalog, &query, sort),
        };
        found.map(|columns| encode(&columns))
    });
    Ok(([(CONTENT_TYPE, "application/octet-stream")], bytes.await?).into_response())
}

/// Photos from which on the columns are kept beside the catalogue; fewer are read from it in no time.
const KEPT_FROM: u64 = 20_000;

/// Takes the columns that an earlier server kept, before the first question: whoever asks meanwhile would read them all
/// from the catalogue.
pub(crate) async fn bring(app: &App) {
    let library = app.library.clone();
    // A library that cannot be read says so to the first page that asks.
    let brought = app.library.read(move |catalog| library.columns.bring(catalog, library.options.place.dir()));
    let _: Answer<bool> = brought.await;
}

/// Reads the columns into memory before anyone asks, and keeps them for the next time.
pub(crate) async fn warm(app: App) {
    keep(&app).await;
    let _: Answer<()> = app.library.read(Catalog::read_keywords_ahead).await;
}

/// Keeps the columns of a large library beside its catalogue, where they have changed.
pub(crate) async fn keep(app: &App) {
    let library = app.library.clone();
    let kept = move |catalog: &Catalog| {
        if library.columns.count(catalog, &Query::all())? >= KEPT_FROM {
            // A cache: a folder that takes no file is no reason for anything.
            let _ = library.columns.keep(catalog, library.options.place.dir())?;
        }
        Ok(())
    };
    let _: Answer<()> = app.library.read(kept).await;
}

fn encode(columns: &IndexColumns) -> Bytes {
    let count = columns.rows.len();
    let base = columns.taken.iter().copied().min().unwrap_or(0);
    let mut out = Vec::with_capacity(HEAD + count * 12 + columns.gone.len() * 4);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(count as u32).to_le_bytes());
    out.extend_from_slice(&columns.revision.to_le_bytes());
    out.extend_from_slice(&base.to_le_bytes());
    out.extend_from_slice(&columns.last_row.to_le_bytes());
    out.extend_from_slice(&(columns.gone.len() as u32).to_le_bytes());
    out.extend(columns.rows.iter().flat_map(|row| row.to_le_bytes()));
    // Later than 136 years after the earliest counts as unknown.
    let after = |taken: &i64| taken.checked_sub(base).and_then(|s| u32::try_from(s).ok()).unwrap_or(u32::MAX);
    out.extend(columns.taken.iter().flat_map(|taken| after(taken).to_le_bytes()));
    out.extend(columns.aspect.iter().flat_map(|aspect| aspect.to_le_bytes()));
    out.extend(columns.marks.iter().flat_map(|marks| marks.to_le_bytes()));
    out.extend(columns.gone.iter().flat_map(|row| row.to_le_bytes()));
    Bytes::from(out)
}

/// Reads row numbers as a page sends them: `3-17,20`.
pub(crate) fn parse_rows(text: &str, most: usize) -> Answer<Vec<u32>> {
    let wrong = || Problem::bad("rows are numbers and runs of them, as in 3-17,20");
    let mut rows = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| digits(text)).ok_or_else(wrong);
        let (from, to) = (number(from)?, number(to)?);
        let length = to.checked_sub(from).ok_or_else(wrong)? as usize;
        if rows.len().saturating_add(length) >= most {
            return Err(Problem::bad(format!("at most {most} photos at once")));
        }
        rows.extend(from..=to);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_has_twelve_bytes_a_photo_after_its_head() {
        let columns = IndexColumns {
            rows: vec![7, 9],
            taken: vec![1_000, 990],
            aspect: vec![1500, 0],
            marks: vec![5, 0x100],
            gone: vec![3],
            revision: 12,
            last_row: 9,
        };
        let bytes = encode(&columns);
        assert_eq!(bytes.len(), 32 + 2 * 12 + 4);
        let mut wanted = b"LFI1\x02\0\0\0\x0c\0\0\0\0\0\0\0\xde\x03\0\0\0\0\0\0\x09\0\0\0\x01\0\0\0".to_vec();
        wanted.extend_from_slice(b"\x07\0\0\0\x09\0\0\0\x0a\0\0\0\0\0\0\0\xdc\x05\0\0\x05\0\0\x01\x03\0\0\0");
        assert_eq!(bytes, wanted);
    }

    #[test]
    fn rows_are_read_within_bounds() {
        assert_eq!(parse_rows("3-5,9", 10).unwrap(), [3, 4, 5, 9]);
        assert_eq!(parse_rows("", 10).unwrap(), [0u32; 0]);
        for wrong in ["a", "1-", "-", "5-3", "1-2-3", "4294967296", "+1", "0-4294967295", "1-5,1-6"] {
            assert!(parse_rows(wrong, 10).is_err(), "{wrong}");
        }
    }
}

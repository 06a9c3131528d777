//! `lightfast previews`: the rendered previews of a library, built, counted and cleared.
//!
//! They are a cache: safe to delete, and bounded. Building is resumable; it goes on beside
//! other work with what the processors have left, and waits while an import runs.

pub(crate) mod job;

use clap::{Args, Subcommand, ValueEnum};
use lightfast_catalog::{Query, Sort, SortKey, Thumbnails};
use lightfast_previews::{Entry, Item, Level, Store};
use serde::Serialize;

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access, Opened, catalog_error};
use crate::ui::{bytes, count};

/// Photos read from the catalogue at once.
const PAGE: u32 = 500;

/// Build, count or clear the previews that are rendered from RAWs
#[derive(Debug, Args)]
pub(crate) struct Previews {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Render what is not rendered yet, the newest import first
    ///
    /// It can be stopped at any time; the same command goes on. It takes only what other programs leave of the
    /// processors, and waits while an import runs or the disk is full.
    Build(Build),
    /// How many photos have which previews
    Status,
    /// Remove rendered previews; originals and marks are not touched
    Clear(Clear),
}

#[derive(Debug, Args)]
struct Build {
    /// Only photos that match
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// How large
    #[arg(long, value_enum, default_value_t = Size::Full)]
    size: Size,

    /// What they are made from
    #[arg(long, value_enum, default_value_t = Origin::Rendered)]
    from: Origin,

    /// Bytes that the cache may take, such as 20G [default: a tenth of what is free on its disk]
    #[arg(long, value_name = "N", value_parser = byte_count)]
    limit_bytes: Option<u64>,
}

#[derive(Debug, Args)]
struct Clear {
    /// Thumbnails too; they are made again when they are looked at
    #[arg(long)]
    thumbnails: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Size {
    /// 2560 pixels on the long side, for a screen
    Fit,
    /// As shot
    #[value(name = "1:1")]
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Origin {
    /// The RAW; the camera's own picture needs no building, it is served from inside the original
    Rendered,
}

/// What there is.
#[derive(Serialize)]
struct Status {
    event: &'static str,
    photos: u64,
    thumbnails: u64,
    fit: u64,
    full_camera: u64,
    full_rendered: u64,
    failed: u64,
    bytes: u64,
}

fn byte_count(text: &str) -> Result<u64, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor: u64 = match unit.trim_end_matches(['B', 'b']).to_ascii_uppercase().as_str() {
        "" => 1,
        "K" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return Err("it is a number of bytes, such as 20000000000 or 20G".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "it is a number of bytes, such as 20000000000 or 20G")?;
    number.checked_mul(factor).ok_or_else(|| "that is more than there can be".to_owned())
}

pub(crate) fn run(args: &Previews, context: &Context) -> Result<Exit, Error> {
    let opened = library::open(context, Access::Read)?;
    match &args.what {
        What::Build(build) => {
            let Origin::Rendered = build.from;
            let query = library::query(&build.query, context)?;
            let level = if build.size == Size::Fit { Level::Fit } else { Level::Full };
            let store = job::store(&opened, build.limit_bytes)?;
            let items = wanted(&opened, &query, &store, level)?;
            job::build(&opened, items, &store, level, job::Manner::Background, context)
        }
        What::Status => status(&opened, context),
        What::Clear(clear) => self::clear(&opened, clear.thumbnails, context),
    }
}

/// The RAWs of the photos that match, newest import first, that are not rendered yet.
fn wanted(opened: &Opened, query: &Query, store: &Store, level: Level) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    each(opened, query, &mut |item| {
        if !store.has(&Entry { hash: item.hash, level }) && store.failure(&item.hash).is_none() {
            items.push(item);
        }
    })?;
    Ok(items)
}

/// Every RAW of the photos that match, newest import first.
fn each(opened: &Opened, query: &Query, take: &mut dyn FnMut(Item)) -> Result<(), Error> {
    let roots = opened.catalog.roots().map_err(catalog_error)?;
    let sort = Sort { key: SortKey::Imported, descending: true };
    let mut offset = 0;
    loop {
        let photos = opened.catalog.photos(query, sort, Some(PAGE), offset).map_err(catalog_error)?;
        if photos.is_empty() {
            return Ok(());
        }
        offset += photos.len() as u64;
        for photo in &photos {
            job::items(opened, &roots, photo).into_iter().for_each(&mut *take);
        }
    }
}

fn status(opened: &Opened, context: &Context) -> Result<Exit, Error> {
    let store = job::store(opened, None)?;
    let mut status = Status {
        event: "previews",
        photos: opened.catalog.count(&Query::all()).map_err(catalog_error)?,
        // A store that is damaged or not there holds none.
        thumbnails: Thumbnails::open(opened.place.dir()).and_then(|store| store.count()).unwrap_or(0),
        fit: 0,
        full_camera: opened.catalog.count_with_full_preview().map_err(catalog_error)?,
        full_rendered: 0,
        failed: 0,
        bytes: store.usage().bytes,
    };
    each(opened, &Query::all(), &mut |item| {
        let has = |level| u64::from(store.has(&Entry { hash: item.hash, level }));
        status.fit += has(Level::Fit);
        status.full_rendered += has(Level::Full);
        status.failed += u64::from(store.failure(&item.hash).is_some());
    })?;
    if context.ui.is_json() {
        context.ui.object(&status);
        return Ok(Exit::Done);
    }
    let rows = [
        ("photos", status.photos),
        ("thumbnails", status.thumbnails),
        ("1:1 from the camera", status.full_camera),
        ("1:1 rendered", status.full_rendered),
        ("fit rendered", status.fit),
        ("cannot be rendered", status.failed),
    ];
    for (what, number) in rows {
        context.ui.answer(format!("{what:<20} {:>9}", count(number)));
    }
    context.ui.answer(format!("{:<20} {:>9} of {}", "cache", bytes(status.bytes), bytes(store.limit())));
    Ok(Exit::Done)
}

fn clear(opened: &Opened, thumbnails: bool, context: &Context) -> Result<Exit, Error> {
    let store = job::store(opened, None)?;
    let removed = store.clear().map_err(job::store_error)?;
    let mut also = String::new();
    if thumbnails {
        let mut store = Thumbnails::open(opened.place.dir()).map_err(catalog_error)?;
        let number = store.count().map_err(catalog_error)?;
        store.clear().map_err(catalog_error)?;
        also = format!(" and {} thumbnails", count(number));
    }
    context.ui.line(format!("Removed {} rendered previews, {}{also}", count(removed.entries), bytes(removed.bytes)));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes_may_have_a_unit() {
        assert_eq!(byte_count("20000"), Ok(20_000));
        assert_eq!(byte_count("20G"), Ok(20_000_000_000));
        assert_eq!(byte_count("5mb"), Ok(5_000_000));
        for wrong in ["", "G", "-1", "1.5G", "20X", "99999999999999T"] {
            assert!(byte_count(wrong).is_err(), "{wrong}");
        }
    }
}

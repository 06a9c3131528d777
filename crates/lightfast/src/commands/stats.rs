//! `lightfast stats`: how many photos each camera, lens, ISO, month … has, in one dimension or two.

use std::collections::BTreeMap;

use clap::{Args, builder::PossibleValuesParser};
use lightfast_catalog::{Bucket, By};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access, catalog_error};
use crate::ui::{Align, Column, Table, count, harmless};

/// Most columns of a table; the smallest are added up in the last one.
const MOST_COLUMNS: usize = 24;
/// Width of the longest bar.
const BAR: usize = 40;

/// Count photos by camera, lens, ISO, month and the like
///
///   lightfast stats --by camera
///   lightfast stats taken:2009 --by iso-mode,month
///
/// Two dimensions give a table.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Stats {
    /// Which photos, as for list; nothing counts all
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// What to count by, one or two of them
    #[arg(long, value_name = "WHAT[,WHAT]", value_delimiter = ',', required = true,
        value_parser = PossibleValuesParser::new(By::ALL.map(By::as_str)))]
    by: Vec<String>,
}

pub(crate) fn run(args: &Stats, context: &Context) -> Result<Exit, Error> {
    let by: Vec<By> = args.by.iter().filter_map(|word| By::parse(word)).collect();
    if by.len() > 2 {
        return Err(Error::usage("stats counts by one or two things at once").hint("leave some out of --by"));
    }
    if by.first() == by.get(1) {
        return Err(Error::usage("both things to count by are the same").hint("give one, or two different ones"));
    }
    let query = library::query(&args.query, context)?;
    let opened = library::open(context, Access::Read)?;
    let buckets = opened.catalog.stats(&query, &by).map_err(catalog_error)?;
    if context.ui.is_json() {
        buckets.iter().take_while(|_| context.ui.is_open()).for_each(|bucket| context.ui.object(&object(&by, bucket)));
    } else if by.len() == 2 {
        table(&by, &buckets, context);
    } else {
        bars(&by, &buckets, context);
    }
    Ok(Exit::Done)
}

/// `{"iso-mode":"auto","month":"2009-07","photos":12}`.
fn object(by: &[By], bucket: &Bucket) -> serde_json::Value {
    let mut object = serde_json::Map::new();
    for (by, key) in by.iter().zip(&bucket.keys) {
        object.insert(by.as_str().to_owned(), key.clone().into());
    }
    object.insert("photos".to_owned(), bucket.photos.into());
    object.into()
}

fn word(key: Option<&Option<String>>) -> String {
    key.and_then(Option::as_deref).map_or_else(|| "unknown".to_owned(), harmless)
}

fn bars(by: &[By], buckets: &[Bucket], context: &Context) {
    let ui = &context.ui;
    let most = buckets.iter().map(|bucket| bucket.photos).max().unwrap_or(0).max(1);
    let title = by.first().map_or("", |by| by.as_str());
    let columns = [
        Column { title, align: Align::Left, least: 12, drop: 0 },
        Column { title: "photos", align: Align::Right, least: usize::MAX, drop: 0 },
        Column { title: "", align: Align::Left, least: usize::MAX, drop: 1 },
    ];
    let mut table = Table::new(columns);
    for bucket in buckets {
        let length = usize::try_from(bucket.photos.saturating_mul(BAR as u64).div_ceil(most)).unwrap_or(BAR);
        let bar = if ui.is_terminal() { "█".repeat(length) } else { String::new() };
        table.row([word(bucket.keys.first()), count(bucket.photos), bar]);
    }
    table
        .lines(ui.width(), ui.styles())
        .iter()
        .take_while(|_| ui.is_open())
        .for_each(|line| ui.answer(line.trim_end()));
}

/// Rows by the first dimension, columns by the second, with sums.
fn table(by: &[By], buckets: &[Bucket], context: &Context) {
    let ui = &context.ui;
    let mut rows: Vec<Option<String>> = Vec::new();
    let mut columns: Vec<(Option<String>, u64)> = Vec::new();
    let mut cells: BTreeMap<(Option<String>, Option<String>), u64> = BTreeMap::new();
    for bucket in buckets {
        let (row, column) = (bucket.keys.first().cloned().flatten(), bucket.keys.get(1).cloned().flatten());
        if !rows.contains(&row) {
            rows.push(row.clone());
        }
        match columns.iter_mut().find(|(known, _)| *known == column) {
            Some((_, sum)) => *sum += bucket.photos,
            None => columns.push((column.clone(), bucket.photos)),
        }
        *cells.entry((row, column)).or_default() += bucket.photos;
    }
    // Numbers and dates stand in their order; names by how many photos they have.
    if by.get(1).is_some_and(|by| matches!(by, By::Camera | By::Lens)) {
        columns.sort_by_key(|(_, photos)| std::cmp::Reverse(*photos));
    } else {
        columns.sort_by_cached_key(|(key, _)| {
            (key.is_none(), key.as_ref().and_then(|k| k.parse::<f64>().ok()).map(f64::to_bits), key.clone())
        });
    }
    let rest = columns.split_off(columns.len().min(MOST_COLUMNS));
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut head: Vec<String> = vec![by.first().map_or("", |by| by.as_str()).to_owned()];
    head.extend(columns.iter().map(|(key, _)| word(Some(key))));
    if !rest.is_empty() {
        head.push("others".to_owned());
    }
    head.push("all".to_owned());
    lines.push(head);
    let mut sums = vec![0u64; columns.len() + usize::from(!rest.is_empty()) + 1];
    for row in &rows {
        let of = |column: &Option<String>| cells.get(&(row.clone(), column.clone())).copied().unwrap_or(0);
        let mut numbers: Vec<u64> = columns.iter().map(|(column, _)| of(column)).collect();
        if !rest.is_empty() {
            numbers.push(rest.iter().map(|(column, _)| of(column)).sum());
        }
        numbers.push(numbers.iter().sum());
        sums.iter_mut().zip(&numbers).for_each(|(sum, number)| *sum += number);
        lines.push(std::iter::once(word(Some(row))).chain(numbers.into_iter().map(shown)).collect());
    }
    lines.push(std::iter::once("all".to_owned()).chain(sums.into_iter().map(shown)).collect());
    let width =
        |at: usize| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines.first().map_or(0, Vec::len)).map(width).collect();
    for line in lines.iter().take_while(|_| ui.is_open()) {
        let cells = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        ui.answer(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

fn shown(photos: u64) -> String {
    if photos == 0 { "·".to_owned() } else { count(photos) }
}

//! `lightfast cards`: mounted cards, what is on them, and how much of it is new.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_import::card::mounted_cards;
use lightfast_import::{Host, Options, StartError, prepare};
use lightfast_model::{BytePath, Event};
use serde::Serialize;

use crate::context::{Context, quoted};
use crate::error::{Error, Exit};
use crate::ui::{Align, Column, Table, bytes, count, harmless};

/// List the mounted cards, with what is on them and what is new
#[derive(Debug, Args)]
pub(crate) struct Cards {}

/// A mounted card, as JSON has it.
#[derive(Debug, Serialize)]
pub(super) struct CardLine {
    card: String,
    #[serde(flatten)]
    path: BytePath,
    device: String,
    files: u64,
    bytes: u64,
    junk: u64,
    new: u64,
    new_bytes: u64,
    problem: Option<String>,
}

impl CardLine {
    /// What a person calls the card.
    pub(super) fn name(&self) -> String {
        harmless(&self.card)
    }

    /// Files on it that the library does not have.
    pub(super) fn new_files(&self) -> u64 {
        self.new
    }
}

pub(crate) fn run(_: &Cards, context: &Context) -> Result<Exit, Error> {
    let ui = &context.ui;
    let cards = look(context)?;
    if ui.is_json() {
        cards.iter().for_each(|card| ui.object(card));
        return Ok(Exit::Done);
    }
    if cards.is_empty() {
        ui.line("No card is mounted. A folder can be imported as well: lightfast import FOLDER");
        return Ok(Exit::Done);
    }
    let mut table = Table::new(COLUMNS);
    for card in &cards {
        table.row([
            card.card.clone(),
            context.shown(card.path.as_path()),
            count(card.files),
            bytes(card.bytes),
            card.problem.clone().unwrap_or_else(|| news(card)),
        ]);
    }
    table.lines(ui.width(), ui.styles()).iter().for_each(|line| ui.answer(line));
    if let [card] = cards.as_slice()
        && card.new > 0
    {
        ui.line(format!("\nImport it with {}", ui.styles().command(&format!("{} import", context.program()))));
    } else if let Some(card) = cards.iter().find(|card| card.new > 0) {
        let command = format!("{} import {}", context.program(), quoted(card.path.as_path()));
        ui.line(format!("\nImport one with {}, or all with --all", ui.styles().command(&command)));
    }
    Ok(Exit::Done)
}

const COLUMNS: [Column; 5] = [
    Column { title: "Card", align: Align::Left, least: 8, drop: 0 },
    Column { title: "Place", align: Align::Left, least: 12, drop: 2 },
    Column { title: "Files", align: Align::Right, least: usize::MAX, drop: 1 },
    Column { title: "Size", align: Align::Right, least: usize::MAX, drop: 1 },
    Column { title: "New", align: Align::Left, least: 10, drop: 0 },
];

fn news(card: &CardLine) -> String {
    match card.new {
        0 => "nothing new".to_owned(),
        n if n + card.junk >= card.files => "all of it".to_owned(),
        n => format!("{} files, {}", count(n), bytes(card.new_bytes)),
    }
}

/// Every mounted card, compared with the library; nothing is changed by it.
pub(super) fn look(context: &Context) -> Result<Vec<CardLine>, Error> {
    let cards = mounted_cards().map_err(|error| Error::start("cannot read the table of mounts").because(error))?;
    let library = context.library()?;
    let catalog = context.catalog()?;
    let lines = cards.into_iter().map(|mounted| {
        let mut options = Options::new(vec![mounted.card.source.clone()], library.clone());
        options.catalog.clone_from(&catalog);
        options.dry_run = true;
        let mut line = CardLine {
            card: mounted.card.name(),
            path: mounted.card.source.into(),
            device: mounted.mount.device.to_string_lossy().into_owned(),
            files: 0,
            bytes: 0,
            junk: 0,
            new: 0,
            new_bytes: 0,
            problem: None,
        };
        compare(options, &mut line);
        line
    });
    Ok(lines.collect())
}

/// Fills in the counts from the plan of an import that is not performed.
fn compare(options: Options, line: &mut CardLine) {
    let host = Host { now: Timestamp::now, zone: TimeZone::system(), worker: None, workers: 0 };
    let said = Mutex::new(Vec::new());
    let events = |event: Event| {
        if let Ok(mut said) = said.lock() {
            said.push(event);
        }
    };
    let prepared = prepare(options, &host, &events, &AtomicBool::new(false));
    for event in said.into_inner().unwrap_or_default() {
        match event {
            Event::Scan { files, bytes, junk, .. } => (line.files, line.bytes, line.junk) = (files, bytes, junk),
            Event::Plan { copy, bytes, .. } => (line.new, line.new_bytes) = (copy, bytes),
            Event::File(_) | Event::Progress(_) | Event::Report(_) => {}
        }
    }
    match prepared {
        Ok(_) | Err(StartError::NothingToImport { .. }) => {}
        Err(error) => line.problem = Some(error.to_string()),
    }
}

/// The folder to import a card from, for a command that is suggested.
pub(super) fn place(card: &CardLine) -> PathBuf {
    card.path.0.clone()
}

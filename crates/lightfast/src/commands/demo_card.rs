//! `lightfast demo-card`: a folder that looks like a camera's card, for trying and for measuring.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use lightfast_model::{Kind, Progress, Stage};
use lightfast_testkit::{CardError, CardOptions, CardProgress, CardSummary, make_card};

use crate::context::{Context, quoted};
use crate::error::{Error, Exit};
use crate::reporter::Bar;
use crate::ui::{bytes, count, duration};

/// Make a camera card with valid RAW, JPEG and video files
///
/// The card is as a Canon EOS 5D Mark II leaves it. The same seed gives the same bytes on any machine.
#[derive(Debug, Args)]
pub(crate) struct DemoCard {
    /// A folder that is empty or does not exist yet
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// How many RAW files; JPEGs and clips come on top
    #[arg(long, default_value_t = 12, value_name = "N")]
    files: u32,

    /// The size of the pictures, 1 to 50
    #[arg(long, default_value_t = 21, value_name = "N")]
    megapixels: u32,

    /// What is in the pictures and when they were taken
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

pub(crate) fn run(args: &DemoCard, context: &Context) -> Result<Exit, Error> {
    let options = CardOptions { files: args.files, megapixels: args.megapixels, seed: args.seed };
    let dir = crate::context::absolute(&args.dir)?;
    let started = Instant::now();
    let card = make(&dir, &options, context)?;
    if context.ui.is_json() {
        context.ui.object(&serde_json::json!({
            "event": "card", "path": dir.to_string_lossy(), "files": card.files.len(), "bytes": card.bytes(),
            "raw": card.count(Kind::Raw), "jpeg": card.count(Kind::Jpeg), "video": card.count(Kind::Video),
        }));
        return Ok(Exit::Done);
    }
    context.ui.line(format!(
        "{}: {} RAW, {} JPEG, {} video files, {} in {}",
        context.shown(&dir),
        count(card.count(Kind::Raw) as u64),
        count(card.count(Kind::Jpeg) as u64),
        count(card.count(Kind::Video) as u64),
        bytes(card.bytes()),
        duration(started.elapsed().as_secs_f64()),
    ));
    context.ui.line(format!("Import it with {} import {}", context.program(), quoted(&args.dir)));
    Ok(Exit::Done)
}

/// Makes the card, with a moving display.
pub(super) fn make(dir: &std::path::Path, options: &CardOptions, context: &Context) -> Result<CardSummary, Error> {
    let mut bar = Bar::new(&context.ui);
    let mut progress = |done: CardProgress| {
        bar.update(Progress {
            stage: Stage::Previews,
            files: done.files_done.into(),
            files_total: done.files_total.into(),
            bytes: done.bytes_done,
            bytes_total: 0,
            bytes_per_second: 0,
            eta_seconds: None,
        });
    };
    make_card(dir, options, &mut progress).map_err(|error| match error {
        CardError::Option { .. } => Error::usage(error.to_string()),
        CardError::NotEmpty { .. } => Error::start(error.to_string()).hint("name a folder that does not exist yet"),
        other => Error::start("cannot make the card").because(other),
    })
}

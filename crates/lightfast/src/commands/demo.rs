//! `lightfast demo`: a made card, imported, to see what it is like.

use std::path::{Path, PathBuf};

use clap::Args;
use lightfast_catalog::Place;
use lightfast_import::Options;
use lightfast_model::Kind;
use lightfast_testkit::CardOptions;

use super::import::{exit_of, run_job};
use super::serve::{self, Serve};
use crate::context::{Context, absolute, quoted};
use crate::error::{Error, Exit};
use crate::reporter::Words;
use crate::ui::{bytes, count};

/// Make a camera card, import it, and show what came of it
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// A folder for the card and the library [default: a new folder lightfast-demo here]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,

    /// How many RAW files; JPEGs and clips come on top
    #[arg(long, default_value_t = 12, value_name = "N")]
    files: u32,

    /// The size of the pictures, 1 to 50
    #[arg(long, default_value_t = 21, value_name = "N")]
    megapixels: u32,

    /// Do not open the app at the end, where there is a screen for it
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: &Demo, context: &Context) -> Result<Exit, Error> {
    let dir = absolute(&match &args.dir {
        Some(dir) => dir.clone(),
        None => new_folder(Path::new("lightfast-demo")),
    })?;
    let (card, library) = (dir.join("card"), dir.join("library"));
    if library.exists() {
        return Err(Error::start(format!("{} holds an earlier demo", context.shown(&dir)))
            .hint("name a new folder, or remove that one"));
    }
    let options = CardOptions { files: args.files, megapixels: args.megapixels, ..CardOptions::default() };
    let made = super::demo_card::make(&card, &options, context)?;
    let ui = &context.ui;
    ui.line(format!(
        "Made a card as a camera leaves it: {} RAW, {} JPEG and {} video files, {}\n",
        count(made.count(Kind::Raw) as u64),
        count(made.count(Kind::Jpeg) as u64),
        count(made.count(Kind::Video) as u64),
        bytes(made.bytes()),
    ));
    let library_option = format!(" --library {}", quoted(&library));
    let outcome = run_job(Options::new(vec![card.clone()], library.clone()), Words::default(), context)?;
    let exit = exit_of(&outcome, context)?;
    let s = ui.styles();
    ui.line("");
    ui.line(format!("The originals are in {}", context.shown(&library)));
    ui.line("Try next:");
    let name = context.program();
    let tries = [
        ("look at them", format!("{name} serve --open{library_option}")),
        ("what came in", format!("{name} list{library_option}")),
        ("one photo", format!("{name} show IMG_0001.CR2{library_option}")),
        ("rate one", format!("{name} mark IMG_0001 --rating 4{library_option}")),
        ("prove it again", format!("{name} verify{library_option}")),
        ("import again", format!("{name} import {}{library_option}", quoted(&card))),
    ];
    for (what, command) in tries {
        ui.line(format!("  {:<15} {}", what, s.command(&command)));
    }
    if exit == Exit::Done && context.has_display && ui.can_ask() && !args.no_open {
        ui.line("");
        ui.flush();
        return serve::at(Place::in_library(&library), &Serve::opened(), context);
    }
    Ok(exit)
}

/// The folder, or one with a number behind it that is not there yet.
fn new_folder(wanted: &Path) -> PathBuf {
    let numbered = (2..1000u32).map(|n| PathBuf::from(format!("{}-{n}", wanted.display())));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|path| !path.exists()).unwrap_or_else(|| wanted.to_owned())
}

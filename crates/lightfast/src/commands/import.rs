//! `lightfast import`: a card into the library, provably whole.
//!
//! This file is the command's arguments and how it ends; the import itself is `lightfast-import`. It runs on a
//! thread of its own, so that a slow reader of the output never holds it up.

mod eject;
mod failures;
mod job;
mod sources;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lightfast_import::{Options, Previews as EnginePreviews, Template};
use lightfast_model::VerifyMode;
use serde::Deserialize;

use crate::config::{Preset, Previews, YesNo};
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::reporter::Words;

pub(super) use job::{Outcome, exit_of, run_job};

/// Copy a card into the library, prove every file, and say whether the card may be formatted
///
/// Without SOURCE it takes the mounted card. Running the same command again goes on where it stopped; what is in
/// the library already is not copied twice, and nothing is ever overwritten.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Cards or folders to import from [default: the mounted card]
    #[arg(value_name = "SOURCE")]
    sources: Vec<PathBuf>,

    /// Every mounted card
    #[arg(long, conflicts_with = "sources")]
    all: bool,

    /// Where originals go inside the library; the extension follows by itself [default: {year}/{date}/{name}]
    #[arg(long, value_name = "TEMPLATE", long_help = name_help())]
    name: Option<String>,

    /// A job code, for {job} in the name and for search
    #[arg(long, value_name = "TEXT")]
    job: Option<String>,

    /// A named set of these options from the config file
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// A further destination, written from the same read and proven on its own; may be given again
    #[arg(long, value_name = "DIR")]
    also: Vec<PathBuf>,

    /// How copies are proven [default: cold]
    #[arg(long, value_enum)]
    verify: Option<Verify>,

    /// Safe only when read back from the medium itself, past every cache
    #[arg(long)]
    strict: bool,

    /// Show the plan and copy nothing
    #[arg(long)]
    dry_run: bool,

    /// Unmount the card when, and only when, it is safe to format
    #[arg(long, conflicts_with = "dry_run")]
    eject: bool,

    /// Normal priority, instead of giving way to other programs
    #[arg(long)]
    urgent: bool,

    /// Whether to make thumbnails [default: yes]
    #[arg(long, value_enum)]
    thumbnails: Option<YesNo>,

    /// What to note of full-size pictures [default: camera]
    #[arg(long, value_enum)]
    previews: Option<Previews>,
}

/// How copies are proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verify {
    /// Every copy is read back from the medium
    Cold,
    /// Hashed while it is written, synced, not read back: never "safe to format"
    Stream,
    /// As cold, and the card is read a second time: finds a card that gives other bytes each time
    Twice,
}

fn name_help() -> String {
    let mut text = String::from(
        "Where originals go inside the library; the extension follows by itself\n\
         [default: {year}/{date}/{name}]\n\nTokens:",
    );
    for (token, meaning) in lightfast_import::TOKENS {
        text.push_str(&format!("\n  {:<10} {meaning}", format!("{{{token}}}")));
    }
    text
}

pub(crate) fn run(args: &Import, context: &Context) -> Result<Exit, Error> {
    let options = args.build(context)?;
    let eject = args.eject || args.preset(context)?.eject.unwrap_or(false);
    let words = Words { dry_run: args.dry_run, library_option: context.library_option(&options.library) };
    let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let sources: Vec<PathBuf> = options.sources.iter().map(real).collect();
    let outcome = run_job(options, words, context)?;
    if eject && let Outcome::Ended(ended) = &outcome {
        eject::eject(&ended.report, &sources, context);
    }
    exit_of(&outcome, context)
}

impl Import {
    fn preset(&self, context: &Context) -> Result<Preset, Error> {
        self.preset.as_deref().map_or(Ok(Preset::default()), |name| context.config.preset(name).cloned())
    }

    /// The second stage: what the options mean here and now. An option that was typed wins over the preset's.
    fn build(&self, context: &Context) -> Result<Options, Error> {
        let preset = self.preset(context)?;
        let library = context.library()?;
        let name = match self.name.as_ref().or(preset.name.as_ref()) {
            Some(text) => text.parse::<Template>().map_err(|wrong| failures::template(text, &wrong))?,
            None => Template::default(),
        };
        let sources = sources::resolve(&self.sources, self.all, context)?;
        let mut options = Options::new(sources, library);
        options.catalog = context.catalog()?;
        options.name = name;
        options.job = self.job.clone().or(preset.job);
        options.verify = match self.verify.or(preset.verify).unwrap_or(Verify::Cold) {
            Verify::Cold => VerifyMode::Cold,
            Verify::Stream => VerifyMode::Stream,
            Verify::Twice => VerifyMode::Twice,
        };
        options.strict = self.strict || preset.strict.unwrap_or(false);
        options.urgent = self.urgent || preset.urgent.unwrap_or(false);
        options.thumbnails = self.thumbnails.or(preset.thumbnails).unwrap_or(YesNo::Yes) == YesNo::Yes;
        options.previews = match self.previews.or(preset.previews).unwrap_or(Previews::Camera) {
            Previews::Camera => EnginePreviews::Camera,
            Previews::None => EnginePreviews::None,
        };
        options.also = self.also.iter().map(|dir| crate::context::absolute(dir)).collect::<Result<_, _>>()?;
        options.dry_run = self.dry_run;
        Ok(options)
    }
}

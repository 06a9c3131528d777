//! `lightfast import`: a card into the library, provably whole.
//!
//! This file is the command's arguments and how it ends; the import itself is `lightfast-import`. It runs on a
//! thread of its own, so that a slow reader of the output never holds it up.

mod eject;
mod failures;
mod job;
mod rendered;
mod sources;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use lightfast_import::{Add, ClockCorrection, ClockError, Options, Previews as EnginePreviews, Template};
use lightfast_model::VerifyMode;
use serde::Deserialize;

use crate::config::{Layout, Preset, Previews, YesNo};
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

    /// Where originals go: by the name, or as the card has them, under one folder {date}-{card} [default: dated]
    #[arg(long, value_enum)]
    layout: Option<Layout>,

    /// Keywords that every photo gets
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    keyword: Vec<String>,

    /// The creator that every photo gets
    #[arg(long, value_name = "TEXT")]
    creator: Option<String>,

    /// The copyright line that every photo gets
    #[arg(long, value_name = "TEXT")]
    copyright: Option<String>,

    /// A camera's clock, put right: 5D=+01:00, or from a picture of a clock, 5D=IMG_0001.CR2@14:03:22; may be given again
    #[arg(long, value_name = "CAMERA=±HH:MM[:SS]", value_parser = clock)]
    clock: Vec<ClockCorrection>,

    /// The zone that the cameras were set to, where the file does not say
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,

    /// A day begins then, for {date} and its parts [default: 00:00]
    #[arg(long, value_name = "HH:MM")]
    day_start: Option<String>,

    /// Also photos that were put in the trash before
    #[arg(long)]
    again: bool,

    /// Catalogue a folder where it lies and copy nothing; not for a card
    #[arg(long, conflicts_with_all = ["name", "layout", "also", "verify", "strict", "dry_run", "eject", "all"], requires = "sources")]
    add: bool,

    /// With --add: write marks as XMP beside its photos
    #[arg(long, requires = "add")]
    sidecars: bool,

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

    /// Write an ASC MHL manifest of this import's files in each destination
    #[arg(long, conflicts_with = "dry_run")]
    mhl: bool,

    /// Normal priority, instead of giving way to other programs
    #[arg(long)]
    urgent: bool,

    /// Whether to make thumbnails [default: yes]
    #[arg(long, value_enum)]
    thumbnails: Option<YesNo>,

    /// What to do about full-size pictures [default: camera]
    #[arg(long, value_enum)]
    previews: Option<Previews>,

    /// With --previews rendered, leave the rendering to `lightfast previews build`
    #[arg(long)]
    no_wait: bool,
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

fn clock(text: &str) -> Result<ClockCorrection, String> {
    text.parse().map_err(|error: ClockError| error.to_string())
}

/// An IANA time zone by name.
fn zone(name: &str) -> Result<TimeZone, Error> {
    TimeZone::get(name).map_err(|_| {
        Error::usage(format!("there is no time zone {name:?}")).hint("give a name as Europe/Berlin or America/New_York")
    })
}

/// `04:00`.
fn day_start(text: &str) -> Result<Time, Error> {
    let wrong =
        || Error::usage(format!("--day-start {text:?} is no time of day")).hint("write it as HH:MM, such as 04:00");
    let (hour, minute) = text.trim().split_once(':').ok_or_else(wrong)?;
    let part = |part: &str| part.parse::<i8>().map_err(|_| wrong());
    Time::new(part(hour)?, part(minute)?, 0, 0).map_err(|_| wrong())
}

pub(crate) fn run(args: &Import, context: &Context) -> Result<Exit, Error> {
    let options = args.build(context)?;
    let eject = args.eject || args.preset(context)?.eject.unwrap_or(false);
    let words = Words { dry_run: args.dry_run, library_option: context.library_option(&options.library) };
    let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let sources: Vec<PathBuf> = options.sources.iter().map(real).collect();
    let outcome = run_job(options, words, context)?;
    if eject && let Outcome::Ended(ended, _) = &outcome {
        eject::eject(&ended.report, &sources, context);
    }
    let exit = exit_of(&outcome, context)?;
    let wants_rendered = args.previews(context)? == Previews::Rendered && !args.no_wait;
    if let Outcome::Ended(ended, contents) = &outcome
        && wants_rendered
        && !ended.interrupted
    {
        rendered::render(contents, context);
    }
    Ok(exit)
}

impl Import {
    fn preset(&self, context: &Context) -> Result<Preset, Error> {
        self.preset.as_deref().map_or(Ok(Preset::default()), |name| context.config.preset(name).cloned())
    }

    fn previews(&self, context: &Context) -> Result<Previews, Error> {
        Ok(self.previews.or(self.preset(context)?.previews).unwrap_or(Previews::Camera))
    }

    /// The second stage: what the options mean here and now. An option that was typed wins over the preset's.
    fn build(&self, context: &Context) -> Result<Options, Error> {
        let preset = self.preset(context)?;
        let library = context.library()?;
        if self.layout == Some(Layout::Mirror) && self.name.is_some() {
            return Err(Error::usage("--layout mirror keeps the card's own names, so there is no --name with it")
                .hint("leave one of them out"));
        }
        // A layout or a name that was typed wins over either of the preset.
        let layout = match (self.layout, &self.name) {
            (Some(layout), _) => layout,
            (None, Some(_)) => Layout::Dated,
            (None, None) => preset.layout.unwrap_or(Layout::Dated),
        };
        if self.layout.is_none() && layout == Layout::Mirror && preset.name.is_some() {
            return Err(Error::usage("the preset has both a name and the layout mirror").hint("leave one of them out"));
        }
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
        options.previews = match self.previews(context)? {
            // What is rendered comes after the import; the engine notes the camera's own as always.
            Previews::Camera | Previews::Rendered => EnginePreviews::Camera,
            Previews::None => EnginePreviews::None,
        };
        options.also = self.also.iter().map(|dir| crate::context::absolute(dir)).collect::<Result<_, _>>()?;
        options.dry_run = self.dry_run;
        options.mirror = layout == Layout::Mirror;
        options.keywords = if self.keyword.is_empty() { preset.keyword } else { self.keyword.clone() };
        options.keywords.iter_mut().for_each(|keyword| *keyword = keyword.trim().trim_start_matches('+').to_owned());
        options.keywords.retain(|keyword| !keyword.is_empty());
        let text = |typed: &Option<String>, preset: Option<String>| {
            typed.clone().or(preset).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        options.creator = text(&self.creator, preset.creator);
        options.copyright = text(&self.copyright, preset.copyright);
        options.clocks = if self.clock.is_empty() { preset.clock } else { self.clock.clone() };
        options.zone = self.zone.as_ref().or(preset.zone.as_ref()).map(|name| zone(name)).transpose()?;
        if let Some(text) = self.day_start.as_ref().or(preset.day_start.as_ref()) {
            options.day_start = day_start(text)?;
        }
        options.again = self.again || preset.again.unwrap_or(false);
        options.sidecars = crate::keeping::settings(context);
        options.add = self.add.then_some(Add { sidecars: self.sidecars });
        options.mhl = (self.mhl || preset.mhl.unwrap_or(false)).then(crate::context::host_name);
        Ok(options)
    }
}

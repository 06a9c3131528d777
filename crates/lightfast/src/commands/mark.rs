//! `lightfast mark`: stars, flags, labels, keywords and turns for the photos that match a query.

use clap::{Args, ValueEnum};
use lightfast_catalog::{FlagChange, LabelChange, Mark as Change, MarkOutcome};
use lightfast_import::{SidecarConflict, SidecarReport};
use lightfast_model::{Flag, Label};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::keeping::{follow, tell};
use crate::library::{self, Access, catalog_error};
use crate::ui::count;

/// Above this many photos a person is asked first.
const ASK_ABOVE: u64 = 20;

/// Rate, flag, label and describe the photos that match a query
///
///   lightfast mark IMG_0042 --rating 4 --flag pick
///   lightfast mark taken:2009-07-12 --keyword +beach,-sea
///   lightfast mark --undo
///
/// Above 20 photos it asks first; where nobody can be asked it needs --yes.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Mark {
    /// Which photos, as for list
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// Every photo in the library, where no QUERY is given
    #[arg(long, conflicts_with = "query")]
    all: bool,

    /// Stars
    #[arg(long, value_name = "0-5", value_parser = clap::value_parser!(u8).range(0..=5))]
    rating: Option<u8>,

    /// The flag; a reject is only a flag, nothing is deleted by it
    #[arg(long, value_enum)]
    flag: Option<FlagWord>,

    /// The colour label
    #[arg(long, value_enum)]
    label: Option<LabelWord>,

    /// Keywords to add (+beach, or beach) and to take off (-sea)
    #[arg(long, value_name = "+A,-B", value_delimiter = ',', allow_hyphen_values = true)]
    keyword: Vec<String>,

    /// Degrees to turn by, clockwise: 90, 180, 270 or -90
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    rotate: Option<i32>,

    /// The title; an empty one takes it off
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// The caption; an empty one takes it off
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,

    /// Say how many photos would change, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    /// Take back the last mark, or the last N
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1",
        conflicts_with_all = ["query", "all", "rating", "flag", "label", "keyword", "rotate", "title", "caption", "dry_run"])]
    undo: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FlagWord {
    Pick,
    Reject,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LabelWord {
    Red,
    Yellow,
    Green,
    Blue,
    Purple,
    None,
}

pub(crate) fn run(args: &Mark, context: &Context) -> Result<Exit, Error> {
    if let Some(steps) = args.undo {
        let mut opened = library::open(context, Access::Write)?;
        let outcome = opened.catalog.undo(steps, context.now()).map_err(catalog_error)?;
        let written = follow(&mut opened, context)?;
        say(&outcome, &written, "taken back", context);
        return Ok(tell(&written, context));
    }
    let change = args.change()?;
    let query = library::query(&args.query, context)?;
    if query.is_all() && !args.all {
        return Err(
            Error::usage("mark without a query would change every photo").hint("say so with --all, or give a query")
        );
    }
    let access = if args.dry_run { Access::Read } else { Access::Write };
    let mut opened = library::open(context, access)?;
    let would = opened.catalog.would_mark(&query, &change).map_err(catalog_error)?;
    if args.dry_run {
        say(&would, &SidecarReport::default(), "would change", context);
        return Ok(Exit::Done);
    }
    if would.changed > ASK_ABOVE && !args.yes && !agreed(would.changed, context)? {
        context.ui.remark("Nothing was changed.");
        return Ok(Exit::Done);
    }
    let outcome = opened.catalog.mark(&query, &change, context.now()).map_err(catalog_error)?;
    let written = follow(&mut opened, context)?;
    say(&outcome, &written, "changed", context);
    Ok(tell(&written, context))
}

fn agreed(photos: u64, context: &Context) -> Result<bool, Error> {
    if !context.ui.can_ask() {
        return Err(Error::usage(format!("this would change {} photos", count(photos)))
            .hint("nobody can be asked here, so it needs --yes (or --dry-run first)"));
    }
    Ok(context.ui.confirm(&format!("Change {} photos?", count(photos))))
}

fn say(outcome: &MarkOutcome, written: &SidecarReport, word: &str, context: &Context) {
    if context.ui.is_json() {
        let conflict = |conflict: &SidecarConflict| {
            serde_json::json!({
                "id": conflict.photo, "path": conflict.path.as_path().to_string_lossy(),
                "properties": conflict.properties,
            })
        };
        context.ui.object(&serde_json::json!({
            "event": "mark", "matched": outcome.matched, "changed": outcome.changed, "step": outcome.step,
            "sidecars": written.written, "conflicts": written.conflicts.iter().map(conflict).collect::<Vec<_>>(),
        }));
        return;
    }
    let photos = |n: u64| format!("{} {}", count(n), if n == 1 { "photo" } else { "photos" });
    if outcome.matched == outcome.changed {
        context.ui.line(format!("{} {word}", photos(outcome.changed)));
    } else {
        context.ui.line(format!("{} {word}, of {} that match", photos(outcome.changed), count(outcome.matched)));
    }
}

impl Mark {
    /// What is asked for, as the catalogue takes it; asking for nothing is wrong usage.
    fn change(&self) -> Result<Change, Error> {
        let mut change = Change {
            rating: self.rating,
            flag: self.flag.map(|flag| match flag {
                FlagWord::Pick => FlagChange::Set(Flag::Pick),
                FlagWord::Reject => FlagChange::Set(Flag::Reject),
                FlagWord::None => FlagChange::Clear,
            }),
            label: self.label.map(|label| match label {
                LabelWord::Red => LabelChange::Set(Label::Red),
                LabelWord::Yellow => LabelChange::Set(Label::Yellow),
                LabelWord::Green => LabelChange::Set(Label::Green),
                LabelWord::Blue => LabelChange::Set(Label::Blue),
                LabelWord::Purple => LabelChange::Set(Label::Purple),
                LabelWord::None => LabelChange::Clear,
            }),
            rotate: self.rotate,
            title: self.title.clone(),
            caption: self.caption.clone(),
            ..Change::default()
        };
        for word in &self.keyword {
            let (list, keyword) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
                (Some(keyword), _) => (&mut change.add_keywords, keyword),
                (_, Some(keyword)) => (&mut change.remove_keywords, keyword),
                _ => (&mut change.add_keywords, word.as_str()),
            };
            if keyword.trim().is_empty() {
                return Err(Error::usage("a keyword is empty").hint("write --keyword +beach,-sea"));
            }
            list.push(keyword.trim().to_owned());
        }
        if change.rotate.is_some_and(|degrees| degrees % 90 != 0) {
            return Err(Error::usage("a photo is turned by a multiple of 90 degrees"));
        }
        if change == Change::default() {
            return Err(Error::usage("there is nothing to mark")
                .hint("give --rating, --flag, --label, --keyword, --rotate, --title or --caption"));
        }
        Ok(change)
    }
}

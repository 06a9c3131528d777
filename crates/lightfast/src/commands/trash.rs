//! `lightfast trash`: photos put away, looked at, brought back, and at last deleted.

use clap::{Args, Subcommand};
use lightfast_catalog::{Catalog, Query};
use lightfast_import::{PutAway, bring_back, empty, put_away};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::keeping::{follow, keep_error, library_of};
use crate::library::{self, Access, catalog_error};
use crate::ui::{bytes, count};

/// Above this many photos a person is asked first.
const ASK_ABOVE: u64 = 20;

/// Put photos into the library's trash, from where they can be brought back
///
///   lightfast trash flag:reject
///   lightfast trash list
///   lightfast trash restore IMG_0042
///   lightfast trash empty
///
/// A later import of the same card leaves them out; import --again brings them. Above 20 photos it asks first; where
/// nobody can be asked it needs --yes.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, args_conflicts_with_subcommands = true)]
pub(crate) struct Trash {
    /// Which photos, as for list
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// Every photo in the library, where no QUERY is given
    #[arg(long, conflicts_with = "query")]
    all: bool,

    /// Say how many photos would be put away, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the photos in the trash
    List {
        /// Which of them, as for list
        #[arg(value_name = "QUERY")]
        query: Vec<String>,
    },
    /// Bring photos back to where they were
    Restore {
        /// Which of them, as for list
        #[arg(value_name = "QUERY")]
        query: Vec<String>,

        /// All of them, where no QUERY is given
        #[arg(long, conflicts_with = "query")]
        all: bool,
    },
    /// Delete what is in the trash for good, where another proven copy of it is read back and right
    Empty {
        /// Also files of which there is no other proven copy
        #[arg(long)]
        last_copies: bool,

        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

pub(crate) fn run(args: &Trash, context: &Context) -> Result<Exit, Error> {
    match &args.what {
        None => put(args, context),
        Some(What::List { query }) => list(query, context),
        Some(What::Restore { query, all }) => restore(query, *all, context),
        Some(What::Empty { last_copies, yes }) => delete(*last_copies, *yes, context),
    }
}

fn photos(n: u64) -> String {
    format!("{} {}", count(n), if n == 1 { "photo" } else { "photos" })
}

fn put(args: &Trash, context: &Context) -> Result<Exit, Error> {
    let query = library::query(&args.query, context)?;
    if query.is_all() && !args.all {
        return Err(Error::usage("trash without a query would put every photo away")
            .hint("say so with --all, or give a query; lightfast trash list shows what is in it"));
    }
    let mut opened = library::open(context, if args.dry_run { Access::Read } else { Access::Write })?;
    let would = opened.catalog.count(&query).map_err(catalog_error)?;
    if args.dry_run {
        say("trash", would, &PutAway { photos: would, ..PutAway::default() }, "would be put away", context);
        return Ok(Exit::Done);
    }
    if would > ASK_ABOVE && !args.yes {
        if !context.ui.can_ask() {
            return Err(Error::usage(format!("this would put {} into the trash", photos(would)))
                .hint("nobody can be asked here, so it needs --yes (or --dry-run first)"));
        }
        if !context.ui.confirm(&format!("Put {} into the trash?", photos(would))) {
            context.ui.remark("Nothing was changed.");
            return Ok(Exit::Done);
        }
    }
    let library = library_of(&opened);
    let done = put_away(&mut opened.catalog, &library, &query, context.now()).map_err(keep_error)?;
    say("trash", would, &done, "put into the trash", context);
    Ok(failures(&done, context))
}

fn say(event: &str, matched: u64, done: &PutAway, word: &str, context: &Context) {
    if context.ui.is_json() {
        context.ui.object(&serde_json::json!({
            "event": event, "matched": matched, "photos": done.photos, "files": done.files, "failed": done.failed.len(),
        }));
    } else {
        context.ui.line(format!("{} {word}", photos(done.photos)));
    }
}

fn failures(done: &PutAway, context: &Context) -> Exit {
    for (path, reason) in &done.failed {
        context.ui.warn(format!("{} was not moved: {reason}; the next trash command tries again", path.shown()));
    }
    if done.failed.is_empty() { Exit::Done } else { Exit::Fault }
}

/// A query among the photos in the trash.
fn in_trash(words: &[String], context: &Context) -> Result<Query, Error> {
    // Read alone first, so that a mistake in it is told at its own place.
    library::query(words, context)?;
    let words = words.join(" ");
    let text = if words.trim().is_empty() { "in:trash".to_owned() } else { format!("in:trash ({words})") };
    library::query(&[text], context)
}

fn list(words: &[String], context: &Context) -> Result<Exit, Error> {
    let query = in_trash(words, context)?;
    super::list::show_all(&query, context)
}

fn restore(words: &[String], all: bool, context: &Context) -> Result<Exit, Error> {
    if words.is_empty() && !all {
        return Err(Error::usage("trash restore needs to know which photos").hint("give a query, or --all"));
    }
    let query = in_trash(words, context)?;
    let mut opened = library::open(context, Access::Write)?;
    let matched = opened.catalog.count(&query).map_err(catalog_error)?;
    let library = library_of(&opened);
    let done = bring_back(&mut opened.catalog, &library, &query, context.now()).map_err(keep_error)?;
    follow(&mut opened, context)?;
    say("restore", matched, &done, "brought back", context);
    Ok(failures(&done, context))
}

fn in_it(catalog: &Catalog) -> Result<(u64, u64), Error> {
    let files = catalog.in_trash().map_err(catalog_error)?;
    Ok((files.len() as u64, files.iter().map(|file| file.size).sum()))
}

fn delete(last_copies: bool, yes: bool, context: &Context) -> Result<Exit, Error> {
    let mut opened = library::open(context, Access::Write)?;
    let (files, size) = in_it(&opened.catalog)?;
    if files > 0 && !yes {
        let what = format!("{} files ({})", count(files), bytes(size));
        if !context.ui.can_ask() {
            return Err(Error::usage(format!("this would delete up to {what} for good"))
                .hint("nobody can be asked here, so it needs --yes (lightfast trash list shows them)"));
        }
        let which = if last_copies { "" } else { " of which there is another proven copy" };
        if !context.ui.confirm(&format!("Delete up to {what}{which} for good?")) {
            context.ui.remark("Nothing was changed.");
            return Ok(Exit::Done);
        }
    }
    let library = library_of(&opened);
    let all = empty(&mut opened.catalog, &library, last_copies, context.now()).map_err(keep_error)?;
    let (mut deleted, mut kept, mut freed) = (0u64, 0u64, 0u64);
    for file in &all {
        match &file.kept {
            None => {
                deleted += 1;
                freed += file.bytes;
            }
            Some(_) => kept += 1,
        }
        if context.ui.is_json() {
            let state = if file.kept.is_none() { "deleted" } else { "kept" };
            context.ui.object(&serde_json::json!({
                "event": "file", "path": file.home.as_path().to_string_lossy(), "state": state, "bytes": file.bytes,
                "reason": file.kept,
            }));
        } else if let Some(reason) = &file.kept {
            context.ui.warn(format!("{} was kept: {reason}", file.home.shown()));
        }
    }
    if context.ui.is_json() {
        context.ui.object(&serde_json::json!({
            "event": "report", "deleted": deleted, "kept": kept, "bytes": freed,
        }));
    } else {
        context.ui.line(format!("{} files deleted ({}), {} kept", count(deleted), bytes(freed), count(kept)));
        if kept > 0 {
            context.ui.remark("Files without a second copy are deleted only with --last-copies.");
        }
    }
    Ok(if kept == 0 { Exit::Done } else { Exit::Fault })
}

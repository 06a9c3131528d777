//! `lightfast rebuild`: the catalogue made again from the files, sidecars, journals and manifests.

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_import::{Host, Library, RebuildReport, rebuild};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::keeping::keep_error;
use crate::library;
use crate::ui::{bytes, count};

/// Make the catalogue again from the files, their sidecars, the library's journal and manifests
///
/// Every original is read whole; what is not as the journal or a manifest says, or is not there, is named. The old catalogue is set aside, not deleted, once the new one is whole.
#[derive(Debug, Args)]
pub(crate) struct Rebuild {
    /// Do not ask, where there is a catalogue that can be opened
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(args: &Rebuild, context: &Context) -> Result<Exit, Error> {
    let place = library::place(context)?;
    let shown = context.shown(&place.library);
    let found = Library::find(&place.library).map_err(|error| Error::start(error.to_string()))?;
    let library =
        found.ok_or_else(|| Error::start(format!("{shown} is not a library")).hint("name it with --library DIR"))?;
    if place.file().exists() && !args.yes {
        let whole = lightfast_catalog::Catalog::open_read_only(&place).is_ok();
        if whole && !context.ui.can_ask() {
            return Err(Error::usage("there is a catalogue already")
                .hint("it would be set aside and made again: say so with --yes"));
        }
        if whole && !context.ui.confirm("Set the catalogue aside and make it again?") {
            context.ui.remark("Nothing was changed.");
            return Ok(Exit::Done);
        }
    }
    let stop = interrupt::watch()?;
    let host = Host { now: Timestamp::now, zone: TimeZone::system(), worker: None, workers: 0 };
    let mut shown_at = 0;
    let mut tell = |report: &RebuildReport| {
        if context.ui.is_verbose() && report.files / 1000 != shown_at {
            shown_at = report.files / 1000;
            context.ui.remark(format!("{} files, {}", count(report.files), bytes(report.bytes)));
        }
    };
    let report = rebuild(&place, &library, &host, &mut tell, &stop).map_err(keep_error)?;
    let Some(report) = report else {
        context.ui.remark("Interrupted; the old catalogue stands.");
        return Ok(Exit::Interrupted);
    };
    for problem in &report.problems {
        context.ui.warn(format!("journal {problem}"));
    }
    for (path, reason) in &report.failed {
        context.ui.warn(format!("{}: {reason}", path.shown()));
    }
    if context.ui.is_json() {
        context.ui.object(&serde_json::json!({
            "event": "report", "files": report.files, "bytes": report.bytes, "marked": report.marked,
            "from_sidecars": report.from_sidecars, "failed": report.failed.len(), "problems": report.problems.len(),
            "aside": report.aside.as_ref().map(|path| path.to_string_lossy().into_owned()),
        }));
    } else {
        context.ui.line(format!(
            "{} files ({}) catalogued; {} photos have marks from the journal, {} from sidecars",
            count(report.files),
            bytes(report.bytes),
            count(report.marked),
            count(report.from_sidecars)
        ));
        if let Some(aside) = &report.aside {
            context.ui.line(format!("The old catalogue is now {}", context.shown(aside)));
        }
    }
    Ok(if report.failed.is_empty() { Exit::Done } else { Exit::Fault })
}

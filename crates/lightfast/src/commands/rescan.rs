//! `lightfast rescan`: what is new, changed, missing or moved on the disk, and which sidecars were edited elsewhere.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::{Args, ValueEnum};
use jiff::tz::TimeZone;
use lightfast_import::{
    Keep, RescanEvent, RescanOptions, RescanReport, RescanState, SidecarSettings, ThumbsOptions, rescan,
};
use lightfast_model::BytePath;
use lightfast_worker::WorkerOptions;
use serde::Serialize;

use crate::context::{Context, installed};
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::keeping::{keep_error, library_of, settings};
use crate::library::{self, Access};
use crate::ui::count;

/// Look at the disk again: find new, changed, missing and moved files, and sidecars that were edited elsewhere
///
/// A file that moved keeps its photo and all marks. No original is written to. Exit code 3 when a sidecar
/// and the catalogue contradict each other, or a file could not be read.
#[derive(Debug, Args)]
pub(crate) struct Rescan {
    /// Only this folder [default: every place that is connected]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Where catalogue and sidecar contradict each other: keep ours (it is written) or theirs (it is taken)
    #[arg(long, value_enum)]
    keep: Option<Side>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    Ours,
    Theirs,
}

#[derive(Serialize)]
struct FileLine<'a> {
    event: &'static str,
    state: &'static str,
    root: &'a str,
    #[serde(flatten)]
    path: &'a BytePath,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct ReportLine {
    event: &'static str,
    files: u64,
    new: u64,
    moved: u64,
    changed: u64,
    missing: u64,
    back: u64,
    sidecars: u64,
    conflicts: u64,
    failed: u64,
    offline: u64,
}

pub(crate) fn run(args: &Rescan, context: &Context) -> Result<Exit, Error> {
    let folder = args.dir.as_deref().map(|dir| {
        std::fs::canonicalize(dir)
            .map_err(|error| Error::start(format!("cannot look at {}", dir.display())).because(error))
    });
    let folder = folder.transpose()?;
    let mut opened = library::open(context, Access::Write)?;
    let stop = interrupt::watch()?;
    let keep = match args.keep {
        None => Keep::Neither,
        Some(Side::Ours) => Keep::Ours,
        Some(Side::Theirs) => Keep::Theirs,
    };
    let zone = TimeZone::system();
    let thumbnails = std::env::current_exe().ok().map(|program| ThumbsOptions {
        worker: WorkerOptions { ffmpeg: installed("ffmpeg"), ..WorkerOptions::new(program) },
        workers: available_parallelism().map_or(1, NonZero::get).min(8),
        store: opened.place.dir().to_owned(),
    });
    let options = RescanOptions {
        folder,
        sidecars: SidecarSettings { keep, ..settings(context) },
        zone: &zone,
        now: context.now(),
        thumbnails,
        stop: &stop,
    };
    let library = library_of(&opened);
    let report =
        rescan(&mut opened.catalog, &library, &options, &mut |event| say(&event, context)).map_err(keep_error)?;
    end(&report, context);
    Ok(match report {
        RescanReport { interrupted: true, .. } => Exit::Interrupted,
        RescanReport { conflicts: 0, failed: 0, .. } => Exit::Done,
        _ => Exit::Fault,
    })
}

fn word(state: RescanState) -> &'static str {
    match state {
        RescanState::New => "new",
        RescanState::Moved => "moved",
        RescanState::Changed => "changed",
        RescanState::Missing => "missing",
        RescanState::Back => "back",
        RescanState::Sidecar => "sidecar",
        RescanState::Conflict => "conflict",
        RescanState::Failed => "failed",
    }
}

fn say(event: &RescanEvent, context: &Context) {
    let ui = &context.ui;
    if ui.is_json() {
        ui.object(&FileLine {
            event: "file",
            state: word(event.state),
            root: &event.root.to_string_lossy(),
            path: &event.path,
            from: event.from.as_ref().map(|from| from.as_path().to_string_lossy().into_owned()),
            reason: event.reason.as_deref(),
        });
        return;
    }
    let s = ui.styles();
    let text = format!("{:<9}", word(event.state));
    let text = match event.state {
        RescanState::Changed | RescanState::Conflict | RescanState::Failed => s.error(&text),
        RescanState::Missing => s.warning(&text),
        _ => text,
    };
    let from = event.from.as_ref().map(|from| format!("  from {}", from.shown())).unwrap_or_default();
    let reason = event.reason.as_deref().map(|reason| s.faint(&format!("  {reason}"))).unwrap_or_default();
    ui.line(format!("{text} {}{from}{reason}", event.path.shown()));
}

fn end(report: &RescanReport, context: &Context) {
    let ui = &context.ui;
    if ui.is_json() {
        let RescanReport { files, new, moved, changed, missing, back, sidecars, conflicts, failed, offline, .. } =
            *report;
        ui.object(&ReportLine {
            event: "report",
            files,
            new,
            moved,
            changed,
            missing,
            back,
            sidecars,
            conflicts,
            failed,
            offline,
        });
        return;
    }
    let all = [
        (report.new, "new"),
        (report.moved, "moved"),
        (report.changed, "changed"),
        (report.missing, "missing"),
        (report.back, "back"),
        (report.sidecars, "edited sidecars"),
        (report.conflicts, "conflicts"),
        (report.failed, "not readable"),
    ];
    let parts: Vec<String> =
        all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n))).collect();
    let what = if parts.is_empty() { "all as recorded".to_owned() } else { parts.join(", ") };
    ui.line(format!("{} files looked at: {what}", count(report.files)));
    if report.offline > 0 {
        ui.remark(format!(
            "{} places are not connected; what lies there is not called missing.",
            count(report.offline)
        ));
    }
    if report.conflicts > 0 {
        ui.remark("lightfast list has:conflict shows the photos; rescan --keep ours or --keep theirs decides.");
    }
}

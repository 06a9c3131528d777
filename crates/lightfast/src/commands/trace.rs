//! `lightfast trace`: what any program reads and writes, and what takes a way round.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use lightfast_bench::trace::{self, Output, Target, TraceError, TraceOptions, WatchError, Watched};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::ui::{bytes, harmless};

/// Trace what a program reads, writes, renames and syncs, by process and folder
///
/// Finds files that are staged: written somewhere else before their content comes to its destination. The exit
/// status is that of the program. Needs strace; a program runs a little slower under it, so times are no timings.
#[derive(Debug, Args)]
#[command(override_usage = "lightfast trace [--dest DIR] [--html FILE] -- PROGRAM [ARGUMENT]…\n       \
                            lightfast trace --pid PID [--dest DIR] [--html FILE]\n       \
                            lightfast trace --watch DIR…")]
pub(crate) struct Trace {
    /// Where the program's files are meant to end up; what it writes elsewhere first is named as staging
    #[arg(long, value_name = "DIR")]
    dest: Option<PathBuf>,

    /// Join a running program; Ctrl-C leaves it, and reports
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pid: Option<u32>,

    /// Show live which process writes where, until Ctrl-C; needs root
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["command", "pid", "dest", "html"])]
    watch: Vec<PathBuf>,

    /// Also write the report as one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &Trace, context: &Context) -> Result<Exit, Error> {
    if !args.watch.is_empty() {
        return watch(&args.watch, context);
    }
    let target = match (args.pid, args.command.is_empty()) {
        (Some(pid), _) => Target::Process(pid),
        (None, false) => Target::Command(args.command.clone()),
        (None, true) => {
            return Err(Error::usage("nothing to trace").hint("write lightfast trace -- PROGRAM, or --pid, or --watch"));
        }
    };
    // Ctrl-C is for the program; the report still comes.
    crate::interrupt::ignore();
    let output = if context.ui.is_json() { Output::ToErrors } else { Output::Ours };
    let report =
        trace::trace(&TraceOptions { target, dest: args.dest.clone(), output, timeout: None }).map_err(|error| {
            let kind = if matches!(error, TraceError::NoProgram(_) | TraceError::NoCommand) {
                Exit::Usage
            } else {
                Exit::CouldNotStart
            };
            Error::new(kind, format!("cannot {error}")).because(error)
        })?;
    if let Some(path) = &args.html {
        std::fs::write(path, trace::html(&report))
            .map_err(|error| Error::start(format!("cannot write {}", context.shown(path))).because(error))?;
    }
    if context.ui.is_json() {
        context.ui.object(&report);
    } else {
        context.ui.line(harmless_lines(&trace::text(&report)));
    }
    Ok(report.exit.map_or(Exit::Done, |status| Exit::Program(u8::try_from(status).unwrap_or(u8::MAX))))
}

fn watch(folders: &[PathBuf], context: &Context) -> Result<Exit, Error> {
    let stop = crate::interrupt::watch()?;
    let stopped = |flag: &AtomicBool| match flag.load(Ordering::Relaxed) || !context.ui.is_open() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let mut seen = |event: Watched| {
        if context.ui.is_json() {
            context.ui.object(&event);
        } else {
            let what = if event.done { format!("wrote {}", bytes(event.bytes)) } else { "writes".to_owned() };
            let who = harmless(&event.process);
            context.ui.answer(format!(
                "{:8.2} s  {who} ({})  {what}  {}",
                event.seconds,
                event.pid,
                event.path.shown()
            ));
        }
        context.ui.flush();
        stopped(&stop)
    };
    trace::watch(folders, &mut seen, &mut || stopped(&stop)).map_err(|error| match error {
        WatchError::NotRoot => Error::start("only root may watch what other processes write")
            .hint("run it with sudo, or trace one program with lightfast trace -- PROGRAM"),
        error => Error::start(format!("cannot {error}")).because(error),
    })?;
    Ok(Exit::Done)
}

/// Lines stay lines; other control characters, which a name may hold, do no harm.
fn harmless_lines(text: &str) -> String {
    text.trim_end().lines().map(harmless).collect::<Vec<_>>().join("\n")
}

//! The files of one `develop`, on as many workers as there are processors.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use lightfast_model::{BytePath, Progress, Stage};
use lightfast_worker::{DevelopOptions, Job, Task, Worker, WorkerOptions};
use serde::Serialize;

use super::Wanted;
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::reporter::Bar;
use crate::ui::{count, duration};

/// How often the display is looked at while no file ends.
const TICK: Duration = Duration::from_millis(100);

/// What came of one file.
#[derive(Serialize)]
struct FileLine<'a> {
    event: &'static str,
    #[serde(flatten)]
    path: BytePath,
    output: Option<std::borrow::Cow<'a, str>>,
    state: &'static str,
    width: Option<u32>,
    height: Option<u32>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct Report {
    event: &'static str,
    rendered: u64,
    failed: u64,
    seconds: f64,
}

/// A file's place in the list, and its size or why there is none.
type Done = (usize, Result<(u32, u32), String>);

/// Develops all; the exit code says whether each file came out.
pub(super) fn run(
    wanted: &[Wanted],
    options: DevelopOptions,
    overwrite: bool,
    context: &Context,
) -> Result<Exit, Error> {
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    let stop = interrupt::watch()?;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()).min(wanted.len());
    let task = Work { wanted, options, overwrite, worker: WorkerOptions::new(program), next: AtomicUsize::new(0) };
    let began = Instant::now();
    let (sender, receiver) = channel::<Done>();
    let mut shown = Shown::new(wanted, context);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, task, stop) = (sender.clone(), &task, &*stop);
            scope.spawn(move || task.work(&sender, stop));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok((at, outcome)) => shown.file(at, outcome),
                Err(RecvTimeoutError::Timeout) => shown.bar.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    Ok(shown.end(began.elapsed().as_secs_f64(), stop.load(Ordering::Relaxed)))
}

struct Work<'a> {
    wanted: &'a [Wanted],
    options: DevelopOptions,
    overwrite: bool,
    worker: WorkerOptions,
    next: AtomicUsize,
}

impl Work<'_> {
    fn work(&self, done: &Sender<Done>, stop: &AtomicBool) {
        let mut worker = Worker::new(self.worker.clone());
        while !stop.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(wanted) = self.wanted.get(at) else { return };
            // The receiver lives until all threads have ended.
            let _ = done.send((at, self.one(&mut worker, wanted)));
        }
    }

    fn one(&self, worker: &mut Worker, wanted: &Wanted) -> Result<(u32, u32), String> {
        let to = &wanted.to;
        if !self.overwrite && to.exists() {
            return Err(format!("{} is there already; --overwrite writes over it", to.display()));
        }
        let file = File::open(&wanted.from).map_err(|error| format!("cannot read it: {error}"))?;
        let length = file.metadata().map_err(|error| format!("cannot read it: {error}"))?.len();
        let job = Job { file: file.as_fd(), offset: 0, length, task: Task::Develop(self.options) };
        let picture = worker.run(&job).map_err(|error| error.to_string())?;
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", to.display());
        let folder = to.parent().unwrap_or(to);
        let permissions = std::fs::Permissions::from_mode(0o644);
        let mut temp = tempfile::Builder::new()
            .prefix(".lightfast-")
            .permissions(permissions)
            .tempfile_in(folder)
            .map_err(failed)?;
        temp.write_all(&picture.jpeg).map_err(failed)?;
        let kept = if self.overwrite { temp.persist(to) } else { temp.persist_noclobber(to) };
        kept.map_err(|error| failed(error.error))?;
        Ok((picture.width, picture.height))
    }
}

struct Shown<'a> {
    wanted: &'a [Wanted],
    context: &'a Context,
    bar: Bar,
    rendered: u64,
    failed: u64,
}

impl<'a> Shown<'a> {
    fn new(wanted: &'a [Wanted], context: &'a Context) -> Self {
        Self { wanted, context, bar: Bar::new(&context.ui), rendered: 0, failed: 0 }
    }

    fn file(&mut self, at: usize, outcome: Result<(u32, u32), String>) {
        let Some(wanted) = self.wanted.get(at) else { return };
        let ui = &self.context.ui;
        match &outcome {
            Ok(_) => self.rendered += 1,
            Err(_) => self.failed += 1,
        }
        if ui.is_json() {
            let size = outcome.as_ref().ok();
            ui.object(&FileLine {
                event: "file",
                path: wanted.from.as_path().into(),
                output: size.map(|_| wanted.to.to_string_lossy()),
                state: if size.is_some() { "rendered" } else { "failed" },
                width: size.map(|size| size.0),
                height: size.map(|size| size.1),
                reason: outcome.err(),
            });
            ui.flush();
            return;
        }
        self.bar.above(|| match outcome {
            Ok(_) if ui.is_verbose() => ui.line(format!("Wrote {}", self.context.shown(&wanted.to))),
            Ok(_) => {}
            Err(reason) => ui.warn(format!("{}: {reason}", self.context.shown(&wanted.from))),
        });
        self.bar.update(Progress {
            stage: Stage::Previews,
            files: self.rendered + self.failed,
            files_total: self.wanted.len() as u64,
            bytes: 0,
            bytes_total: 0,
            bytes_per_second: 0,
            eta_seconds: None,
        });
    }

    fn end(mut self, seconds: f64, interrupted: bool) -> Exit {
        self.bar.clear();
        let ui = &self.context.ui;
        let (rendered, failed) = (self.rendered, self.failed);
        if ui.is_json() {
            ui.object(&Report { event: "report", rendered, failed, seconds });
        } else {
            let not = if failed > 0 { format!(", {} not", count(failed)) } else { String::new() };
            ui.line(format!("{} developed{not} in {}", count(rendered), duration(seconds)));
        }
        match (failed, interrupted) {
            (_, true) if rendered + failed < self.wanted.len() as u64 => Exit::Interrupted,
            (0, _) => Exit::Done,
            _ => Exit::Fault,
        }
    }
}

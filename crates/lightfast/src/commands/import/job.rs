//! One import, run on a thread of its own while this one shows what it says.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_import::{Ended, Host, Options, StartError, add, prepare};
use lightfast_model::{Event, Report, VerifyMode};
use lightfast_worker::WorkerOptions;

use super::failures;
use crate::context::{Context, installed};
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::reporter::{self, Words};

/// How often the display is looked at while the engine is silent.
const TICK: Duration = Duration::from_millis(100);

/// After this time without a byte or a file a person is told.
const PATIENCE: Duration = Duration::from_secs(15);
const STUCK: &str = "Nothing has moved for 15 seconds: the card or a disk does not answer. The import waits; Ctrl-C twice \
                     gives up, and the same command resumes.";

/// Notices that nothing moves any more: a card that hangs cannot be read, and cannot be given up by itself either.
struct Watch {
    last: (u64, u64),
    since: Instant,
    told: bool,
}

impl Watch {
    fn new() -> Self {
        Self { last: (0, 0), since: Instant::now(), told: false }
    }

    fn saw(&mut self, event: &Event) {
        let moved = match event {
            Event::Progress(progress) => {
                let now = (progress.files, progress.bytes);
                std::mem::replace(&mut self.last, now) != now
            }
            _ => true,
        };
        if moved {
            *self = Self { last: self.last, ..Self::new() };
        }
    }

    /// True once for each time that nothing moves.
    fn is_stuck(&mut self) -> bool {
        let stuck = !self.told && self.since.elapsed() >= PATIENCE;
        self.told |= stuck;
        stuck
    }
}

/// How an import ended.
pub(crate) enum Outcome {
    /// The plan was shown.
    Planned,
    /// It was performed.
    Ended(Box<Ended>),
}

/// Prepares and performs, or only plans; events go to the reporter as they come.
pub(crate) fn run_job(options: Options, words: Words, context: &Context) -> Result<Outcome, Error> {
    let host = host(&options)?;
    let stop = interrupt::watch()?;
    let mut reporter = reporter::for_import(context, words);
    let (sender, receiver) = channel::<Event>();
    let ended = std::thread::scope(|scope| {
        let engine = scope.spawn({
            let (host, stop) = (&host, &*stop);
            move || engine(options, host, stop, sender)
        });
        let mut watch = Watch::new();
        loop {
            if watch.is_stuck() {
                context.ui.remark(STUCK);
            }
            match receiver.recv_timeout(TICK) {
                Ok(event) => {
                    watch.saw(&event);
                    reporter.event(&event);
                }
                Err(RecvTimeoutError::Timeout) => reporter.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        engine.join()
    });
    reporter.end();
    drop(reporter);
    match ended {
        Ok(outcome) => outcome.map_err(|error| failures::start(error, context)),
        // A panic has been told on standard error by its own message. What was committed before it stands.
        Err(_) => Err(Error::new(Exit::Fault, "the import ended by a defect in lightfast")
            .hint("nothing that was reported is lost; run the same command again")),
    }
}

fn engine(
    options: Options,
    host: &Host,
    stop: &AtomicBool,
    sender: std::sync::mpsc::Sender<Event>,
) -> Result<Outcome, StartError> {
    let sender = std::sync::Mutex::new(sender);
    let events = move |event: Event| {
        if let Ok(sender) = sender.lock() {
            // The receiver lives until this thread has ended.
            let _ = sender.send(event);
        }
    };
    if let Some(how) = options.add {
        return add(options, how, host, &events, stop).map(|ended| Outcome::Ended(Box::new(ended)));
    }
    let dry_run = options.dry_run;
    let prepared = prepare(options, host, &events, stop)?;
    if dry_run {
        prepared.dry_run(&events)?;
        return Ok(Outcome::Planned);
    }
    prepared.perform(host, &events, stop).map(|ended| Outcome::Ended(Box::new(ended)))
}

fn host(options: &Options) -> Result<Host, Error> {
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    Ok(Host {
        now: Timestamp::now,
        zone: TimeZone::system(),
        worker: options
            .thumbnails
            .then(|| WorkerOptions { ffmpeg: installed("ffmpeg"), ..WorkerOptions::new(program) }),
        workers: std::thread::available_parallelism().map_or(1, |n| n.get()).min(8),
    })
}

/// The exit code of an import that ran, and what a person needs to know beside the report.
pub(crate) fn exit_of(outcome: &Outcome, context: &Context) -> Result<Exit, Error> {
    let Outcome::Ended(ended) = outcome else { return Ok(Exit::Done) };
    for note in &ended.notes {
        context.ui.remark(note);
    }
    if let Some(why) = &ended.stopped {
        return Err(Error::new(Exit::Fault, format!("the import stopped early: {why}"))
            .hint("what is done is safe; run the same command again to go on"));
    }
    if ended.interrupted {
        context.ui.remark("Interrupted. What is done is safe; run the same command again to go on.");
        return Ok(Exit::Interrupted);
    }
    for line in &ended.unlisted {
        context.ui.warn(line);
    }
    let report = &ended.report;
    let is_short = !ended.unlisted.is_empty() || (report.safe_to_format.is_none() && report.failed > 0);
    if is_short {
        return Ok(Exit::Fault);
    }
    Ok(if report.safe_to_format != Some(false) || done_as_asked(report) { Exit::Done } else { Exit::Fault })
}

/// `--verify stream` never earns "safe", and still is done as asked where nothing else was wrong.
fn done_as_asked(report: &Report) -> bool {
    let streamed = report.destinations.iter().map(|place| place.verified.stream).max().unwrap_or(0);
    report.verify == VerifyMode::Stream && report.failed == 0 && report.not_safe.len() as u64 == streamed
}

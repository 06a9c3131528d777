//! Runs `strace` over a command or joins a running process, and reads what it says as it comes.
//!
//! `strace` rather than a tracer of our own: with `--seccomp-bpf` only the calls asked for stop the program, a stop
//! costs 20 to 30 µs, and its ways with threads, `exec` and signals are proven. Its output comes through a pipe, so
//! that no file is written anywhere. The program keeps our standard input, output and error, unless asked otherwise.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::calls::{TRACED, op};
use super::ledger::{Ledger, System};
use super::mounts::Mounts;
use super::parse::{Line, Parser};
use super::report::TraceReport;
use super::summary::{Context, report};
use crate::bench::below;

/// What to trace.
#[derive(Debug, Clone)]
pub enum Target {
    /// A command and its arguments.
    Command(Vec<OsString>),
    /// A running process; the trace ends with it, or when `strace` is interrupted.
    Process(u32),
}

/// How to trace.
#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// What.
    pub target: Target,
    /// The folder where the files are meant to end up.
    pub dest: Option<PathBuf>,
    /// Where the program's own output goes.
    pub output: Output,
    /// A program that has not ended by then is ended, with all that it started.
    pub timeout: Option<Duration>,
}

/// Where a traced program's output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Where ours goes.
    Ours,
    /// All of it to our standard error, so that standard output is free for the report.
    ToErrors,
    /// Nowhere.
    Discarded,
}

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// `strace` is not installed.
    #[error("find strace; install it (on Debian and Ubuntu: apt-get install strace)")]
    NoStrace,
    /// The command is not there.
    #[error("find the program {}", .0.display())]
    NoProgram(PathBuf),
    /// No command was given.
    #[error("trace: no command was given")]
    NoCommand,
    /// No such process.
    #[error("join process {0}: there is none with this number")]
    NoProcess(u32),
    /// `strace` ran but could not trace.
    #[error("trace: the system does not let this process be traced ({0}); try as root, or allow ptrace")]
    Refused(String),
    /// The program did not end in time.
    #[error("wait for the program: it was stopped after {} s without an end", .0.as_secs())]
    TimedOut(Duration),
    /// A step of our own failed.
    #[error("{step} for the trace")]
    Io {
        /// What was being done.
        step: &'static str,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
}

/// Traces, and returns when the program has ended.
pub fn trace(options: &TraceOptions) -> Result<TraceReport, TraceError> {
    let io = |step| move |source| TraceError::Io { step, source };
    check(&options.target)?;
    let (reader, writer) = std::io::pipe().map_err(io("make a pipe"))?;
    // A full pipe stops the tracer and so the program: a large one takes the bursts. Only root may exceed the limit.
    let _ = rustix::pipe::fcntl_setpipe_size(&writer, 1 << 20);
    let output = format!("/proc/{}/fd/{}", std::process::id(), writer.as_raw_fd());
    let mut command = strace(&options.target, &output);
    match options.output {
        Output::Ours => {}
        Output::ToErrors => _ = command.stdout(std::io::stderr()),
        Output::Discarded => _ = command.stdout(Stdio::null()).stderr(Stdio::null()),
    }
    let mut child = command.spawn().map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => TraceError::NoStrace,
        _ => TraceError::Io { step: "start strace", source },
    })?;
    let tracer = child.id();
    let reading = std::thread::spawn(move || {
        read_all(BufReader::with_capacity(1 << 20, File::from(std::os::fd::OwnedFd::from(reader))), tracer)
    });
    let (status, timed_out) = wait(&mut child, options.timeout).map_err(io("wait for strace"))?;
    // Our end of the pipe was kept until strace had opened its own; now the reader sees the end.
    drop(writer);
    let (ledger, unread_lines, tracer_seconds) = reading.join().unwrap_or_else(|_| (Ledger::default(), u64::MAX, 0.0));
    if let Some(timeout) = options.timeout.filter(|_| timed_out) {
        return Err(TraceError::TimedOut(timeout));
    }
    if ledger.calls == 0 {
        return Err(TraceError::Refused(status.to_string()));
    }
    let context = Context {
        command: described(&options.target),
        dest: options.dest.as_deref().map(absolute),
        exit: matches!(options.target, Target::Command(_)).then(|| exit_code(status)),
        tracer_seconds,
        unread_lines,
        joined: matches!(options.target, Target::Process(_)),
        mounts: Mounts::read(),
    };
    Ok(report(&ledger, context, &|path| Live.size(path)))
}

fn check(target: &Target) -> Result<(), TraceError> {
    match target {
        Target::Command(command) => {
            let program = command.first().ok_or(TraceError::NoCommand)?;
            find_program(program).map(drop).ok_or_else(|| TraceError::NoProgram(program.into()))
        }
        Target::Process(pid) => {
            let there = Path::new("/proc").join(pid.to_string()).exists();
            there.then_some(()).ok_or(TraceError::NoProcess(*pid))
        }
    }
}

/// Finds a program as a shell does.
pub(crate) fn find_program(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return path.exists().then(|| path.to_owned());
    }
    let dirs = std::env::var_os("PATH")?;
    std::env::split_paths(&dirs).map(|dir| dir.join(path)).find(|p| p.is_file())
}

fn strace(target: &Target, output: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-T", "-ttt", "-s", "32", "-a", "1", "-q", "-e", "signal=none", "-o", output]);
    command.arg("-e").arg(format!("trace={TRACED}"));
    match target {
        Target::Command(program) => command.arg("--seccomp-bpf").arg("--").args(program),
        Target::Process(pid) => command.arg("-p").arg(pid.to_string()),
    };
    command
}

/// Waits for the end; after the timeout, ends everything below `strace`, with which it ends itself.
fn wait(child: &mut Child, timeout: Option<Duration>) -> std::io::Result<(ExitStatus, bool)> {
    let began = Instant::now();
    let mut timed_out = false;
    loop {
        let ended = if timeout.is_some() { child.try_wait() } else { child.wait().map(Some) };
        match ended {
            Ok(Some(status)) => return Ok((status, timed_out)),
            Ok(None) => {}
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        }
        if timeout.is_some_and(|timeout| began.elapsed() > timeout) {
            timed_out = true;
            for pid in below(child.id()).into_iter().skip(1) {
                if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
            }
        }
        // What left the tree (a daemon) would be waited for without an end.
        if timeout.is_some_and(|timeout| began.elapsed() > timeout + Duration::from_secs(5)) {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn read_all(mut lines: BufReader<File>, tracer: u32) -> (Ledger, u64, f64) {
    let (mut parser, mut ledger, mut unread, mut seconds) = (Parser::default(), Ledger::default(), 0, 0.0);
    let mut line = Vec::new();
    let mut count: u64 = 0;
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return (ledger, unread, seconds),
            Ok(_) => {}
        }
        match parser.line(String::from_utf8_lossy(&line).trim_end()) {
            Line::Call(call) => {
                let op = op(&call);
                ledger.book(&call, op, &Live);
            }
            Line::Ended { thread, at } => {
                ledger.end(thread, at);
                seconds = cpu_seconds(tracer).unwrap_or(seconds);
            }
            Line::Other => {}
            Line::Unknown => unread += 1,
        }
        count += 1;
        if count.is_multiple_of(4096) {
            seconds = cpu_seconds(tracer).unwrap_or(seconds);
        }
    }
}

/// User and system CPU of a process so far.
fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10).as_secs_f64())
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1)
}

fn described(target: &Target) -> Vec<String> {
    match target {
        Target::Command(command) => command.iter().map(|part| part.to_string_lossy().into_owned()).collect(),
        Target::Process(pid) => vec![format!("process {pid}")],
    }
}

/// The path as the kernel names it, also where the folder itself is still to be made.
fn absolute(path: &Path) -> PathBuf {
    let mut above = path.to_owned();
    let mut below = Vec::new();
    loop {
        let here = if above.as_os_str().is_empty() { Path::new(".") } else { &above };
        if let Ok(found) = here.canonicalize() {
            return below.iter().rev().fold(found, |path, part| path.join(part));
        }
        match (above.file_name().map(OsStr::to_owned), above.pop()) {
            (Some(name), true) => below.push(name),
            _ => return path.to_owned(),
        }
    }
}

/// The running system.
struct Live;

impl System for Live {
    fn process_of(&self, thread: u32) -> Option<(u32, u32)> {
        let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
        let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)?.trim().parse().ok());
        Some((field("Tgid:")?, field("PPid:")?))
    }

    fn size(&self, path: &Path) -> Option<u64> {
        std::fs::symlink_metadata(path).ok().map(|m| m.len())
    }

    fn describe(&self, pid: u32) -> (Option<String>, Option<PathBuf>) {
        let folder = Path::new("/proc").join(pid.to_string());
        let name = std::fs::read_to_string(folder.join("comm")).ok().map(|n| n.trim().to_owned());
        (name, std::fs::read_link(folder.join("cwd")).ok())
    }
}

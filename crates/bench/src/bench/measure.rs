//! One transfer, measured whole: from its start until everything is on the disk.
//!
//! CPU and bytes come from the kernel's books of the children that were waited for, so that a process too short to be
//! sampled counts too. This process adopts what a program leaves running (it is their "subreaper") and waits for it
//! for a while; what a helper does that was there before (an encrypting file system's daemon) is booked apart.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use rustix::process::{Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::books::{self, Io, children, children_io, disks, machine_cpu, process};
use super::cache::make_durable;
use super::probe::{Latency, Probe};
use super::programs::OwnReport;
use super::sample::{Sampler, Samples, below};

/// How long what a program left running is waited for.
const LEFT_RUNNING: Duration = Duration::from_secs(30);

/// What to run.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub words: Vec<OsString>,
    pub account: Option<(u32, u32, PathBuf)>,
    /// Folders whose file systems must be synced at the end: the destination, and what lies under it.
    pub durable: Vec<&'a Path>,
    /// Processes that work on the program's behalf and were there before.
    pub helpers: &'a [u32],
    pub probe: &'a Path,
    pub events: bool,
    pub timeout: Duration,
    /// Set from outside: end it now.
    pub stop: &'a AtomicBool,
}

/// One transfer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Transfer {
    /// Until the program said it was done.
    pub exit_seconds: f64,
    /// Until everything was on the disk; what is compared.
    pub durable_seconds: f64,
    /// CPU of the program and all its processes.
    pub user_seconds: f64,
    /// In the kernel on its behalf.
    pub system_seconds: f64,
    /// CPU of helpers: an encrypting file system's daemon.
    pub helper_seconds: f64,
    /// The most memory its processes had at once, as sampled.
    pub peak_memory: u64,
    /// Bytes its processes had read from disks.
    pub read: u64,
    /// Bytes they had written.
    pub written: u64,
    /// Bytes helpers had read.
    pub helper_read: u64,
    /// Bytes helpers had written.
    pub helper_written: u64,
    /// Bytes read and written by disk, of the whole machine, by `major:minor`.
    pub disks: std::collections::BTreeMap<String, (u64, u64)>,
    /// Share of the machine's CPU that other programs used meanwhile.
    pub others: f64,
    /// Latency of small things meanwhile.
    pub latency: Latency,
    /// CPU over time.
    pub samples: Samples,
    /// What it said itself.
    pub own: OwnReport,
    /// Why it did not finish the work, if so.
    pub failure: Option<String>,
    /// What is worth knowing besides.
    pub remark: Option<String>,
}

/// Runs and measures.
pub(crate) fn measure(job: &Job<'_>) -> std::io::Result<Transfer> {
    let pid = rustix::process::getpid();
    // Where this is refused, what a program leaves running goes to the system and is not measured.
    let _ = rustix::process::set_child_subreaper(Some(pid));
    // What is running already is ours (helpers of this and of other destinations), not left by the program.
    let known = children(std::process::id());
    let probe = Probe::start(job.probe);
    let sampler = Sampler::start(job.helpers);
    let before = Books::read(job.helpers);
    let started = Instant::now();
    let mut transfer = Transfer::default();

    let spawned = spawn(job);
    let (status, tail, own) = match spawned {
        Ok(mut child) => {
            sampler.watch(child.id());
            follow(&mut child, job, started, (&sampler, &known))?
        }
        Err(error) => {
            let _ = (sampler.finish(), probe.finish());
            transfer.failure = Some(format!("it could not be started: {error}"));
            return Ok(transfer);
        }
    };
    transfer.exit_seconds = started.elapsed().as_secs_f64();
    make_durable(&job.durable);
    transfer.durable_seconds = started.elapsed().as_secs_f64();

    let after = Books::read(job.helpers);
    transfer.samples = sampler.finish();
    transfer.latency = probe.finish();
    transfer.own = own;
    transfer.peak_memory = transfer.samples.peak_memory;
    after.difference(&before, &mut transfer);
    let (ended, remark) = status;
    transfer.remark = remark;
    transfer.failure = match ended {
        Ended::By(status) if status.success() => None,
        Ended::By(status) => Some(failure(status, &tail)),
        Ended::TimedOut => Some(stopped_after(job.timeout)),
    };
    Ok(transfer)
}

/// Why a program that hangs failed.
pub(crate) fn stopped_after(timeout: Duration) -> String {
    format!("it was stopped after {} s without an end", timeout.as_secs())
}

enum Ended {
    By(ExitStatus),
    TimedOut,
}

fn spawn(job: &Job<'_>) -> std::io::Result<Child> {
    let Some((program, arguments)) = job.words.split_first() else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command.stdout(if job.events { Stdio::piped() } else { Stdio::null() });
    if let Some((user, group, home)) = &job.account {
        command.uid(*user).gid(*group).env("HOME", home);
    }
    command.spawn()
}

type Followed = ((Ended, Option<String>), String, OwnReport);

/// Waits for the program, reads what it says, and waits for what it leaves running.
fn follow(
    child: &mut Child,
    job: &Job<'_>,
    started: Instant,
    (sampler, known): (&Sampler, &[u32]),
) -> std::io::Result<Followed> {
    let said = child.stdout.take().map(|out| {
        std::thread::spawn(move || {
            let mut own = OwnReport::default();
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                own.line(&line, started.elapsed().as_secs_f64());
            }
            own
        })
    });
    let errors = child.stderr.take().map(|err| std::thread::spawn(move || last_words(err)));
    let group = rustix::process::Pid::from_child(child);
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let enough = started.elapsed() > job.timeout || job.stop.load(Ordering::Relaxed);
        if !timed_out && enough {
            timed_out = true;
            let _ = kill_process_group(group, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let remark = adopt(known, sampler, started);
    if remark.is_some() {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // A process left running may hold the pipes open; its group is gone by now.
    let own = said.and_then(|s| s.join().ok()).unwrap_or_default();
    let tail = errors.and_then(|e| e.join().ok()).unwrap_or_default();
    Ok(((if timed_out { Ended::TimedOut } else { Ended::By(status) }, remark), tail, own))
}

/// Waits for processes that the program left running. Says so where they do not end.
fn adopt(before: &[u32], sampler: &Sampler, started: Instant) -> Option<String> {
    let deadline = started.elapsed() + LEFT_RUNNING;
    let mut known = Vec::new();
    loop {
        let mut left = Vec::new();
        for pid in children(std::process::id()).into_iter().filter(|p| !before.contains(p)) {
            if !known.contains(&pid) {
                known.push(pid);
                sampler.watch(pid);
            }
            let ended = process(pid).is_none_or(|p| p.ended);
            if ended && let Ok(raw) = i32::try_from(pid) {
                let _ = waitpid(Pid::from_raw(raw), Some(WaitPidFlag::WNOHANG));
            } else {
                left.extend(process(pid).map(|p| (pid, p.name)));
            }
        }
        if left.is_empty() {
            return None;
        }
        if started.elapsed() > deadline {
            for pid in left.iter().flat_map(|(pid, _)| below(*pid)) {
                let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
                let _ = pid.map(|pid| rustix::process::kill_process(pid, Signal::KILL));
            }
            let names: Vec<_> = left.into_iter().map(|(_, name)| name).collect();
            return Some(format!(
                "it left {} running, which was ended after {} s",
                names.join(", "),
                LEFT_RUNNING.as_secs()
            ));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The end of what it wrote to standard error.
fn last_words(mut errors: impl std::io::Read) -> String {
    let (mut kept, mut block) = (Vec::new(), [0; 4096]);
    while let Ok(n) = errors.read(&mut block) {
        let Some(new) = block.get(..n).filter(|new| !new.is_empty()) else { break };
        kept.extend_from_slice(new);
        let surplus = kept.len().saturating_sub(2000);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).trim().lines().next_back().unwrap_or_default().to_owned()
}

fn failure(status: ExitStatus, tail: &str) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with status {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        _ => "it did not end well".to_owned(),
    };
    if tail.is_empty() { how } else { format!("{how}: {tail}") }
}

/// The books at one moment.
struct Books {
    user: f64,
    system: f64,
    io: Io,
    helpers: f64,
    helper_io: Io,
    disks: std::collections::BTreeMap<String, Io>,
    machine: f64,
    own: f64,
    at: Instant,
}

impl Books {
    fn read(helpers: &[u32]) -> Self {
        let seconds = |who| {
            let usage = getrusage(who).ok();
            let of = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
            usage.map_or((0.0, 0.0), |u| (of(u.user_time()), of(u.system_time())))
        };
        let (user, system) = seconds(UsageWho::RUSAGE_CHILDREN);
        let (own_user, own_system) = seconds(UsageWho::RUSAGE_SELF);
        let helper = |pid: &u32| books::io(&PathBuf::from(format!("/proc/{pid}/io"))).unwrap_or_default();
        let add = |a: Io, b: Io| Io { read: a.read + b.read, written: a.written + b.written };
        Self {
            user,
            system,
            io: children_io(),
            helpers: helpers.iter().filter_map(|&p| process(p)).map(|p| p.cpu_seconds).sum(),
            helper_io: helpers.iter().map(helper).fold(Io::default(), add),
            disks: disks(),
            machine: machine_cpu().unwrap_or(0.0),
            own: own_user + own_system,
            at: Instant::now(),
        }
    }

    fn difference(&self, before: &Self, transfer: &mut Transfer) {
        transfer.user_seconds = self.user - before.user;
        transfer.system_seconds = self.system - before.system;
        transfer.helper_seconds = self.helpers - before.helpers;
        let (io, helper) = (self.io.since(before.io), self.helper_io.since(before.helper_io));
        (transfer.read, transfer.written) = (io.read, io.written);
        (transfer.helper_read, transfer.helper_written) = (helper.read, helper.written);
        for (device, after) in &self.disks {
            let io = after.since(before.disks.get(device).copied().unwrap_or_default());
            if io != Io::default() {
                transfer.disks.insert(device.clone(), (io.read, io.written));
            }
        }
        let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
        let wall = self.at.duration_since(before.at).as_secs_f64().max(1e-3);
        let ours = transfer.user_seconds + transfer.system_seconds + transfer.helper_seconds + self.own - before.own;
        transfer.others = ((self.machine - before.machine - ours) / (wall * cores)).clamp(0.0, 1.0);
    }
}

//! The order of a benchmark: places made, rounds run, everything taken down again.
//!
//! Within a round every program transfers the card to every destination, one after the other, in an order that
//! rotates from round to round. The first round is thrown away as a timing, so in it programs run under the tracer,
//! which slows them. Whatever fails costs its own row only.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::ablate;
use super::cache::{Dropped, drop_caches};
use super::card::Card;
use super::cardspeed::SlowCard;
use super::encrypted::{Encrypted, Encryption};
use super::machine::{Disk, Machine};
use super::measure::{Job, Transfer, measure, stopped_after};
use super::probe::idle;
use super::programs::{Program, REFERENCE, built_in};
use super::report::{BenchReport, Destination, MadeCard, Place, Round, Traced, VERSION};
use super::slowdisk::{MountedSlowDisk, SlowDisk};
use super::summary::row;
use super::tools::{ToolError, run_tool};
use crate::trace::{Output, Place as Where, Target, TraceError, TraceOptions, trace};

/// What to measure.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// The `lightfast` to run.
    pub exe: PathBuf,
    /// Destinations; each must be a folder.
    pub to: Vec<PathBuf>,
    /// Encrypted ones to make below the first.
    pub encrypted: Vec<Encryption>,
    /// Accounts, each with its own folder.
    pub accounts: Vec<(String, PathBuf)>,
    /// The card; else one is made.
    pub card: Option<PathBuf>,
    /// The card to make.
    pub make: MadeCard,
    /// Bytes a second the card gives at most.
    pub card_speed: Option<u64>,
    /// Other programs.
    pub against: Vec<Program>,
    /// Whether 1:1 previews are rendered too, as a row of its own.
    pub rendered: bool,
    /// Whether to measure what each part of an import costs, in place of the other built-in programs.
    pub ablate: bool,
    /// A destination that seeks, made below the first.
    pub slow_disk: Option<SlowDisk>,
    /// Rounds that count.
    pub rounds: usize,
    /// Longest time of one transfer.
    pub timeout: Duration,
    /// How long the idle machine is probed first.
    pub idle: Duration,
    /// When, for the report.
    pub made_at: String,
    /// How, for the report.
    pub command: Vec<String>,
}

/// Why there is no benchmark.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No destination.
    #[error("measure without a destination")]
    NoDestination,
    /// The card cannot be read, or holds nothing.
    #[error("read the card {}", .path.display())]
    Card {
        /// Where.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A place could not be made.
    #[error(transparent)]
    Place(#[from] ToolError),
    /// Interrupted before there was anything to report.
    #[error("go on: interrupted before the first round had ended")]
    Interrupted,
}

/// What happens meanwhile, to show.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum BenchEvent {
    MakingCard(MadeCard),
    Remark(String),
    Starting { round: usize, rounds: usize, program: String, destination: String },
    Done { round: usize, program: String, destination: String, seconds: f64, failure: Option<String> },
}

/// A destination while it is there.
struct Spot {
    facts: Destination,
    folder: PathBuf,
    /// What else must be synced for it.
    under: Option<PathBuf>,
    helper: Option<u32>,
    account: Option<(u32, u32, PathBuf)>,
    encrypted: Option<Encrypted>,
    slow: Option<MountedSlowDisk>,
}

/// Measures everything that was asked for.
pub fn bench(
    options: &BenchOptions,
    stop: &AtomicBool,
    say: &mut dyn FnMut(BenchEvent),
) -> Result<BenchReport, BenchError> {
    let first = options.to.first().or(options.accounts.first().map(|(_, dir)| dir)).ok_or(BenchError::NoDestination)?;
    let work = work_folder(first)?;
    let mut remarks = Vec::new();
    let (source, card_made) = match &options.card {
        Some(card) => (card.clone(), None),
        None => {
            say(BenchEvent::MakingCard(options.make));
            (make_card(options, work.path())?, Some(options.make))
        }
    };
    let unreadable = |source_error| BenchError::Card { path: source.clone(), source: source_error };
    let card = Card::read(&source).map_err(unreadable)?;
    let facts = card.facts();
    if facts.files == 0 {
        return Err(unreadable(std::io::Error::other("there are no files in it")));
    }
    // Places are taken down in the reverse order: the slow card first, then encrypted folders, then the folder.
    let targets = places(options, work.path(), facts.bytes, &mut remarks)?;
    let slow = match options.card_speed.map(|speed| SlowCard::make(&source, work.path(), speed)).transpose() {
        Ok(slow) => slow,
        Err(error) => {
            let remark = format!("the card is not slowed: cannot {}", chain(&error));
            remarks.push(remark);
            None
        }
    };
    let card_speed = options.card_speed.filter(|_| slow.is_some());
    let from = slow.as_ref().map_or_else(|| source.clone(), |s| s.folder.clone());
    for remark in &remarks {
        say(BenchEvent::Remark(remark.clone()));
    }

    let mut programs = built_in(&options.exe, options.rendered);
    if options.ablate {
        programs.retain(|p| p.name == REFERENCE || p.name == ablate::OURS);
        programs.extend(ablate::programs(&options.exe));
    }
    programs.extend(options.against.iter().cloned());
    let mut bench = Running { options, card: &card, from: &from, stop, say, remarks, dropped: Dropped::Nothing };
    let idle = idle(work.path(), options.idle);
    let (transfers, traced, failed) = bench.rounds(&targets, &programs);
    if transfers.is_empty() && stop.load(Ordering::Relaxed) {
        return Err(BenchError::Interrupted);
    }
    let mut rows = Vec::new();
    for (n, _) in targets.iter().enumerate() {
        for program in &programs {
            let here: Vec<&Round> =
                transfers.iter().filter(|r| r.destination == n && r.program == program.name).collect();
            let key = |(d, p, _): &&(usize, String, Traced)| *d == n && *p == program.name;
            let traced = traced.iter().find(key).map(|(_, _, t)| t.clone());
            let failed = failed.iter().find(|(d, p, _)| *d == n && *p == program.name).map(|(_, _, why)| why.clone());
            rows.push(row(&here, n, &program.name, traced, failed, (facts.files, facts.bytes)));
        }
    }
    let ablations = ablate::ablations(&transfers, targets.len(), facts.files);
    Ok(BenchReport {
        version: VERSION,
        made_at: options.made_at.clone(),
        command: options.command.clone(),
        versions: versions(options),
        machine: Machine::read(),
        card_disk: Disk::of(&from),
        card: facts,
        card_made,
        card_speed,
        dropped: bench.dropped,
        rounds: transfers.iter().map(|r| r.round).max().unwrap_or(0),
        idle,
        destinations: targets.iter().map(|t| t.facts.clone()).collect(),
        ablations,
        slow_disk: options.slow_disk.filter(|_| targets.iter().any(|t| t.slow.is_some())),
        rows,
        transfers,
        remarks: bench.remarks,
    })
}

struct Running<'a> {
    options: &'a BenchOptions,
    card: &'a Card,
    from: &'a Path,
    stop: &'a AtomicBool,
    say: &'a mut dyn FnMut(BenchEvent),
    remarks: Vec<String>,
    dropped: Dropped,
}

type Keyed<T> = Vec<(usize, String, T)>;

impl Running<'_> {
    fn rounds(&mut self, targets: &[Spot], programs: &[Program]) -> (Vec<Round>, Keyed<Traced>, Keyed<String>) {
        let (mut transfers, mut traced, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let mut can_trace = true;
        for round in 0..=self.options.rounds {
            for (n, target) in targets.iter().enumerate() {
                let mut here: Vec<Round> = Vec::new();
                for program in rotated(programs, round) {
                    if self.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // What failed in the first round is not tried again: a program that hangs would cost its time
                    // in every round.
                    if failed.iter().any(|(d, p, _): &(usize, String, String)| *d == n && *p == program.name) {
                        continue;
                    }
                    (self.say)(BenchEvent::Starting {
                        round,
                        rounds: self.options.rounds,
                        program: program.name.clone(),
                        destination: target.facts.name.clone(),
                    });
                    if round == 0 && can_trace && target.account.is_none() {
                        match self.traced(target, program) {
                            Ok((found, Some(0))) => {
                                self.done(round, program, target, found.seconds, None);
                                traced.push((n, program.name.clone(), found));
                                continue;
                            }
                            // Run again below, where what it said is heard.
                            Ok(_) => {}
                            Err(TraceError::TimedOut(timeout)) => {
                                let why = stopped_after(timeout);
                                self.done(round, program, target, timeout.as_secs_f64(), Some(why.clone()));
                                failed.push((n, program.name.clone(), why));
                                continue;
                            }
                            Err(error) => {
                                can_trace = false;
                                let why =
                                    format!("bytes outside the destination are not known: cannot {}", chain(&error));
                                self.remarks.push(why);
                            }
                        }
                    }
                    let (transfer, complete) = match self.transfer(target, program) {
                        Ok(measured) => measured,
                        Err(_) if self.stop.load(Ordering::Relaxed) => break,
                        Err(error) => {
                            failed.push((n, program.name.clone(), chain(&error)));
                            continue;
                        }
                    };
                    if self.stop.load(Ordering::Relaxed) {
                        // Cut off from outside: it says nothing of the program. What this round has of others counts
                        // where its reference is among it.
                        break;
                    }
                    self.done(round, program, target, transfer.durable_seconds, transfer.failure.clone());
                    if round > 0 {
                        here.push(Round {
                            round,
                            destination: n,
                            program: program.name.clone(),
                            complete,
                            reference_seconds: None,
                            transfer,
                        });
                    } else if let Some(why) = transfer.failure {
                        failed.push((n, program.name.clone(), why));
                    }
                }
                let reference = here.iter().find(|r| r.program == REFERENCE && r.transfer.failure.is_none());
                let reference = reference.map(|r| r.transfer.durable_seconds);
                here.iter_mut().for_each(|r| r.reference_seconds = reference);
                transfers.append(&mut here);
                if self.stop.load(Ordering::Relaxed) {
                    return (transfers, traced, failed);
                }
            }
        }
        (transfers, traced, failed)
    }

    fn done(&mut self, round: usize, program: &Program, target: &Spot, seconds: f64, failure: Option<String>) {
        (self.say)(BenchEvent::Done {
            round,
            program: program.name.clone(),
            destination: target.facts.name.clone(),
            seconds,
            failure,
        });
    }

    fn transfer(&mut self, target: &Spot, program: &Program) -> std::io::Result<(Transfer, u64)> {
        let folder = fresh(target)?;
        self.dropped = drop_caches(&self.card.path);
        let helpers: Vec<u32> = target.helper.into_iter().collect();
        let under = target.under.as_deref().unwrap_or(&target.folder);
        let job = Job {
            words: program.words(self.from, &folder),
            account: target.account.clone(),
            durable: vec![&folder, under],
            helpers: &helpers,
            probe: under,
            events: program.has_events(),
            timeout: self.options.timeout,
            stop: self.stop,
        };
        let little_memory = target.slow.as_ref().map(MountedSlowDisk::with_little_memory).transpose();
        let little_memory = little_memory.map_err(std::io::Error::other)?;
        let transfer = measure(&job)?;
        drop(little_memory);
        let complete = self.card.complete_in(&folder);
        std::fs::remove_dir_all(&folder)?;
        Ok((transfer, complete))
    }

    /// Runs it under the tracer; with what the trace found comes how the program ended.
    fn traced(&mut self, target: &Spot, program: &Program) -> Result<(Traced, Option<i32>), TraceError> {
        let io = |source| TraceError::Io { step: "make a folder", source };
        let folder = fresh(target).map_err(io)?;
        self.dropped = drop_caches(&self.card.path);
        let options = TraceOptions {
            target: Target::Command(program.words(self.from, &folder)),
            dest: Some(folder.clone()),
            output: Output::Discarded,
            timeout: Some(self.options.timeout),
        };
        let began = Instant::now();
        let report = trace(&options);
        let seconds = began.elapsed().as_secs_f64();
        std::fs::remove_dir_all(&folder).map_err(io)?;
        let report = report?;
        let outside = report.folders.iter().filter(|f| f.place == Where::Outside).map(|f| f.totals.bytes_in()).sum();
        let moved = |f: &&crate::trace::FileSystem| f.totals.bytes_in() + f.totals.bytes_out() > 0;
        let places = report.file_systems.iter().filter(moved).map(|f| Place {
            path: f.path.shown(),
            kind: f.kind.clone(),
            read: f.totals.bytes_out(),
            written: f.totals.bytes_in(),
        });
        let traced = Traced {
            outside,
            staged_files: report.staging.files,
            staged_bytes: report.staging.written + report.staging.read_back,
            seconds,
            places: places.collect(),
        };
        Ok((traced, report.exit))
    }
}

/// The folder a transfer goes into, new and empty, and belonging to the account that will write there.
fn fresh(target: &Spot) -> std::io::Result<PathBuf> {
    let folder = target.folder.join("transfer");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir(&folder)?;
    if let Some((user, group, _)) = &target.account {
        chown(&folder, Some(*user), Some(*group))?;
    }
    Ok(folder)
}

/// The programs in the order of this round.
fn rotated(programs: &[Program], round: usize) -> impl Iterator<Item = &Program> {
    let from = round % programs.len().max(1);
    programs.iter().skip(from).chain(programs.iter().take(from))
}

fn work_folder(first: &Path) -> Result<tempfile::TempDir, BenchError> {
    let failed = |e| ToolError::io("make a folder in", first, e);
    let first = first.canonicalize().map_err(failed)?;
    let folder = tempfile::Builder::new().prefix("lightfast-bench-").tempdir_in(first).map_err(failed)?;
    // Other accounts read the card there.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), mode).map_err(failed)?;
    Ok(folder)
}

fn make_card(options: &BenchOptions, work: &Path) -> Result<PathBuf, BenchError> {
    let card = work.join("card");
    let mut command = Command::new(&options.exe);
    command.arg("demo-card").arg(&card);
    let MadeCard { files, megapixels, seed } = options.make;
    command.args(["--files", &files.to_string(), "--megapixels", &megapixels.to_string(), "--seed", &seed.to_string()]);
    run_tool(command.arg("--quiet"))?;
    Ok(card)
}

/// All destinations. One that cannot be made costs a remark, unless none is left.
fn places(options: &BenchOptions, work: &Path, bytes: u64, remarks: &mut Vec<String>) -> Result<Vec<Spot>, BenchError> {
    let mut targets = Vec::new();
    for (n, to) in options.to.iter().enumerate() {
        let folder = to.canonicalize().map_err(|e| ToolError::io("use", to, e))?;
        let folder =
            if n == 0 { work.to_owned() } else { folder.join(format!("lightfast-bench-{}", std::process::id())) };
        std::fs::create_dir_all(&folder).map_err(|e| ToolError::io("make a folder", &folder, e))?;
        let disk = Disk::of(&folder);
        let name = if options.to.len() > 1 {
            format!("{} ({})", to.display(), disk.kind)
        } else {
            format!("plain ({})", disk.kind)
        };
        let facts = Destination { name, disk, under: None, account: None };
        targets.push(Spot { facts, folder, under: None, helper: None, account: None, encrypted: None, slow: None });
    }
    for kind in &options.encrypted {
        match Encrypted::make(*kind, work, bytes.saturating_mul(2)) {
            Ok(made) => targets.push(Spot {
                facts: Destination {
                    name: kind.name().to_owned(),
                    disk: Disk::of(&made.folder),
                    under: Some(Disk::of(&made.backing)),
                    account: None,
                },
                folder: made.folder.clone(),
                under: Some(made.backing.clone()),
                helper: made.helper(),
                account: None,
                encrypted: Some(made),
                slow: None,
            }),
            Err(error) => remarks.push(format!("no {} destination: cannot {}", kind.name(), chain(&error))),
        }
    }
    if let Some(limits) = options.slow_disk {
        match MountedSlowDisk::make(limits, work, bytes.saturating_mul(2)) {
            Ok(made) => targets.push(Spot {
                facts: Destination {
                    name: "slow disk".to_owned(),
                    disk: Disk::of(&made.folder),
                    under: None,
                    account: None,
                },
                folder: made.folder.clone(),
                under: None,
                helper: None,
                account: None,
                encrypted: None,
                slow: Some(made),
            }),
            Err(error) => remarks.push(format!("no slow disk: cannot {}", chain(&error))),
        }
    }
    for (user, folder) in &options.accounts {
        match account(user, folder) {
            Ok(target) => targets.push(target),
            Err(why) => remarks.push(format!("no transfer as {user}: {why}")),
        }
    }
    if targets.is_empty() { Err(BenchError::NoDestination) } else { Ok(targets) }
}

fn account(user: &str, folder: &Path) -> Result<Spot, String> {
    if !rustix::process::geteuid().is_root() {
        return Err("only root may run a program as someone else".to_owned());
    }
    let found = nix::unistd::User::from_name(user).map_err(|e| e.to_string())?.ok_or("there is no such account")?;
    let folder = folder.canonicalize().map_err(|e| format!("cannot use {}: {e}", folder.display()))?;
    let folder = folder.join(format!("lightfast-bench-{}", std::process::id()));
    let (uid, gid) = (found.uid.as_raw(), found.gid.as_raw());
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    chown(&folder, Some(uid), Some(gid)).map_err(|e| format!("cannot give {} away: {e}", folder.display()))?;
    let disk = Disk::of(&folder);
    let facts =
        Destination { name: format!("as {user} ({})", disk.kind), disk, under: None, account: Some(user.to_owned()) };
    let account = Some((uid, gid, found.dir));
    Ok(Spot { facts, folder, under: None, helper: None, account, encrypted: None, slow: None })
}

impl Drop for Spot {
    fn drop(&mut self) {
        // Folders outside the work folder; that one is removed as a whole. An encrypted one goes with its mount.
        let ours = self.folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lightfast-bench-"));
        if ours && self.encrypted.is_none() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

fn versions(options: &BenchOptions) -> std::collections::BTreeMap<String, String> {
    let mut names: Vec<std::ffi::OsString> =
        vec![options.exe.clone().into(), "cp".into(), "sha256sum".into(), "strace".into()];
    names.extend(options.encrypted.iter().map(|k| k.name().into()));
    let version = |name: std::ffi::OsString| {
        let said = run_tool(Command::new(&name).arg("--version")).ok()?;
        let short = Path::new(&name).file_name()?.to_string_lossy().into_owned();
        Some((short, said.lines().next()?.trim().to_owned()))
    };
    names.into_iter().filter_map(version).collect()
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        text.push_str(&format!(": {below}"));
        cause = below.source();
    }
    text
}

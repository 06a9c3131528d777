//! One child process: its start, one job at a time, and what its death means.
//!
//! The child gets a socket as standard input, nothing as standard output, and
//! as standard error a small sealed file in memory, so that a dying worker's
//! last words can be told and a talkative one cannot fill anything. It has an
//! empty environment, stands in the root folder (so that no card stays busy)
//! and in a process group of its own (so that Ctrl-C reaches its caller alone).

use std::fs::File;
use std::io::Seek;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::protocol::{self, HELLO, Hello, REPLY, Reply, Request};
use crate::{Fault, Job, Limits, Picture, Refusal, WorkerOptions};

/// Bytes kept of what a child says on standard error.
const MAX_SAID: u64 = 4096;
/// Characters of it in a message.
const MAX_SHOWN: usize = 200;
/// For a child to start and say hello: a busy machine with a cold disk takes seconds.
const START: Duration = Duration::from_secs(60);
/// For a child that has closed its socket to be gone.
const LEAVE: Duration = Duration::from_secs(5);
/// Bytes of a refusal's words.
const MAX_WORDS: u64 = 4096;

/// What a child answered.
#[derive(Debug)]
pub(crate) enum Answer {
    Picture(Picture),
    Refused(Refusal, String),
}

/// A started child.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    socket: OwnedFd,
    said: File,
    /// The thread that started it: the kernel kills it when that thread ends.
    thread: ThreadId,
    idle: bool,
}

/// Why there is no child.
#[derive(Debug)]
pub(crate) enum Unstarted {
    /// The program cannot be started, or is no worker.
    Failed(std::io::Error),
    /// Somebody killed it before it had said hello, which says nothing of the program.
    Killed,
}

impl From<std::io::Error> for Unstarted {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Why nothing more comes from a socket.
enum Silence {
    Closed,
    Deadline,
    Failed,
}

impl Child {
    /// Starts a child and exchanges hellos.
    pub(crate) fn start(options: &WorkerOptions) -> Result<Self, Unstarted> {
        let (ours, theirs) = protocol::pair().map_err(std::io::Error::from)?;
        let said = last_words()?;
        let process = Command::new(&options.program)
            .args(&options.args)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::from(said.try_clone()?))
            .spawn()?;
        let thread = std::thread::current().id();
        let mut child = Self { process, socket: ours, said, thread, idle: options.idle_priority };
        let hello = Hello { nice: options.nice, idle: options.idle_priority };
        let deadline = Instant::now() + START;
        let mut answer = [0; HELLO];
        let greeted = protocol::send(child.socket.as_fd(), &hello.encode(), None).is_ok()
            && child.receive(&mut answer, deadline).is_ok();
        if greeted && Hello::decode(&answer).is_some() {
            return Ok(child);
        }
        match child.judge(LEAVE, Duration::ZERO) {
            Fault::Killed => Err(Unstarted::Killed),
            fault => Err(std::io::Error::other(format!("it is no worker of this version; it {fault}")).into()),
        }
    }

    /// Whether it can take a job from this thread.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.thread == std::thread::current().id() && matches!(self.process.try_wait(), Ok(None))
    }

    #[cfg(test)]
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Does one job. After a fault the child is gone.
    pub(crate) fn run(&mut self, job: &Job<'_>, limits: Limits) -> Result<Answer, Fault> {
        let wall = if self.idle { limits.wall.saturating_mul(10) } else { limits.wall };
        let deadline = Instant::now() + wall;
        // Words of earlier jobs are overwritten.
        let _ = self.said.rewind();
        let request = Request { offset: job.offset, length: job.length, task: job.task, limits };
        let outcome = match protocol::send(self.socket.as_fd(), &request.encode(), Some(job.file)) {
            Ok(()) => self.answer(limits, deadline),
            Err(_) => Err(Silence::Closed),
        };
        match outcome {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                self.stop();
                Err(Fault::Garbage)
            }
            Err(Silence::Deadline) => {
                self.stop();
                Err(Fault::Hung(wall))
            }
            Err(Silence::Closed | Silence::Failed) => Err(self.judge(LEAVE, limits.cpu)),
        }
    }

    /// `None` for an answer that makes no sense.
    fn answer(&self, limits: Limits, deadline: Instant) -> Result<Option<Answer>, Silence> {
        let mut head = [0; REPLY];
        self.receive(&mut head, deadline)?;
        let Some(reply) = Reply::decode(&head) else { return Ok(None) };
        let most = match reply {
            Reply::Picture { .. } => limits.output,
            Reply::Refused { .. } => MAX_WORDS,
        };
        if reply.body() > most {
            return Ok(None);
        }
        let mut body = vec![0; reply.body() as usize];
        self.receive(&mut body, deadline)?;
        Ok(Some(match reply {
            Reply::Picture { width, height, .. } => {
                if !body.starts_with(&[0xff, 0xd8]) {
                    return Ok(None);
                }
                Answer::Picture(Picture { jpeg: body, width, height })
            }
            Reply::Refused { kind, .. } => Answer::Refused(kind, shown(&body)),
        }))
    }

    fn receive(&self, bytes: &mut [u8], deadline: Instant) -> Result<(), Silence> {
        let mut filled = 0;
        while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
            if !readable(&self.socket, deadline) {
                return Err(Silence::Deadline);
            }
            match rustix::net::recv(&self.socket, room, RecvFlags::DONTWAIT) {
                Ok((0, _)) | Err(Errno::CONNRESET) => return Err(Silence::Closed),
                Ok((count, _)) => filled += count,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Err(Silence::Failed),
            }
        }
        Ok(())
    }

    /// Why it ended. One that has closed its socket and lives on is stopped after `patience`.
    fn judge(&mut self, patience: Duration, cpu: Duration) -> Fault {
        let ended = Pid::from_raw(self.process.id() as i32)
            .and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok())
            .is_some_and(|process| readable(&process, Instant::now() + patience));
        if !ended {
            self.stop();
            return Fault::Garbage;
        }
        match self.process.wait() {
            Ok(status) => fault(status, cpu, self.said()),
            Err(_) => Fault::Crashed { how: "lost".into(), said: self.said() },
        }
    }

    fn stop(&mut self) {
        // It fails only when the child has ended, and then waiting is enough.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// The last line that it has written during this job.
    fn said(&mut self) -> String {
        // The file's position is shared with the child: it stands behind what was written.
        let length = self.said.stream_position().unwrap_or(0).min(MAX_SAID);
        let mut bytes = vec![0; length as usize];
        let _ = self.said.read_exact_at(&mut bytes, 0);
        let text = String::from_utf8_lossy(&bytes);
        // A panic's message is followed by a note on how to see more of it.
        let tells = |line: &&str| !line.trim().is_empty() && !line.starts_with("note:");
        shown(text.lines().rfind(tells).unwrap_or_default().as_bytes())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits until there is something to read, or the end. False at the deadline.
pub(crate) fn readable(descriptor: &impl AsFd, deadline: Instant) -> bool {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().min(1 << 30) as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if left.is_zero() => return false,
            Ok(0) | Err(Errno::INTR) => {}
            // A failure shows itself in what is done next.
            Ok(_) | Err(_) => return true,
        }
    }
}

/// A file in memory that cannot grow.
fn last_words() -> std::io::Result<File> {
    let file = rustix::fs::memfd_create("worker's words", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    rustix::fs::ftruncate(&file, MAX_SAID)?;
    rustix::fs::fcntl_add_seals(&file, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(File::from(file))
}

/// Printable, and not too long for one line.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SHOWN).collect::<String>().trim().to_owned()
}

fn fault(status: ExitStatus, cpu: Duration, said: String) -> Fault {
    let Some(signal) = status.signal() else {
        return Fault::Crashed { how: status.to_string(), said };
    };
    let is = |other: Signal| signal == other.as_raw();
    // Not sent by us, and not what a decoder does to itself: the system short of memory, or somebody who tidies up.
    if [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT].into_iter().any(is) {
        return Fault::Killed;
    }
    if is(Signal::XCPU) {
        return Fault::Cpu(cpu);
    }
    let names = [
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::ILL, "SIGILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::SYS, "SIGSYS"),
        (Signal::TRAP, "SIGTRAP"),
    ];
    let name = names.into_iter().find(|&(named, _)| is(named));
    let how = name.map_or_else(|| format!("signal {signal}"), |(_, name)| name.to_owned());
    Fault::Crashed { how, said }
}

//! Which process writes where, live, in folders that are watched.
//!
//! By fanotify, which only root may use. It tells that a process writes to a file and when it is done, not how many
//! bytes a call wrote, and it does not see renames or writes through memory. What this process writes itself is left
//! out, so that its own output can lie in a watched folder.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lightfast_model::BytePath;
use nix::errno::Errno;
use nix::sys::fanotify::{EventFFlags, Fanotify, FanotifyEvent, InitFlags, MarkFlags, MaskFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

/// One thing seen.
#[derive(Debug, Clone, Serialize)]
pub struct Watched {
    /// Seconds since the watch began.
    pub seconds: f64,
    /// The process.
    pub pid: u32,
    /// Its name.
    pub process: String,
    /// The file.
    #[serde(flatten)]
    pub path: BytePath,
    /// Its size by then.
    pub bytes: u64,
    /// Whether the process has closed it; otherwise it has begun to write.
    pub done: bool,
}

/// Why a folder cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Only root may.
    #[error("watch: only root may watch what other processes write (fanotify)")]
    NotRoot,
    /// The folder.
    #[error("watch {}", .path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Reading what was seen.
    #[error("read what the system saw")]
    Read(#[source] std::io::Error),
}

/// Watches until `seen` says to stop. `idle` is asked at least every 200 ms and may say so too.
pub fn watch(
    folders: &[PathBuf],
    seen: &mut dyn FnMut(Watched) -> ControlFlow<()>,
    idle: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), WatchError> {
    let flags = InitFlags::FAN_CLASS_NOTIF | InitFlags::FAN_CLOEXEC | InitFlags::FAN_NONBLOCK;
    let group = Fanotify::init(flags, EventFFlags::O_RDONLY | EventFFlags::O_LARGEFILE | EventFFlags::O_CLOEXEC)
        .map_err(|errno| match errno {
            Errno::EPERM => WatchError::NotRoot,
            errno => WatchError::Read(errno.into()),
        })?;
    let mut roots = Vec::new();
    for folder in folders {
        let failed = |source| WatchError::Folder { path: folder.clone(), source };
        let root = folder.canonicalize().map_err(failed)?;
        let mask = MaskFlags::FAN_MODIFY | MaskFlags::FAN_CLOSE_WRITE;
        let mark = MarkFlags::FAN_MARK_ADD | MarkFlags::FAN_MARK_MOUNT;
        group.mark(mark, mask, rustix::fs::CWD, Some(root.as_path())).map_err(|errno| failed(errno.into()))?;
        roots.push(root);
    }
    let began = Instant::now();
    let mut writing = HashMap::new();
    loop {
        if idle().is_break() {
            return Ok(());
        }
        let wait = Timespec::try_from(Duration::from_millis(200)).ok();
        match poll(&mut [PollFd::new(&group.as_fd(), PollFlags::IN)], wait.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(errno) => return Err(WatchError::Read(errno.into())),
        }
        let events = match group.read_events() {
            Ok(events) => events,
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(errno) => return Err(WatchError::Read(errno.into())),
        };
        for event in events {
            if let Some(event) = understood(&event, &roots, began, &mut writing)
                && seen(event).is_break()
            {
                return Ok(());
            }
        }
    }
}

/// Who was last seen writing a file: its number and name.
type Writer = (u32, String);

/// A file is told when it is first written and when it is closed, not at each write. The last to close it may be
/// another process than the one that wrote (a shell that opened it for a command): the writer is named.
fn understood(
    event: &FanotifyEvent,
    roots: &[PathBuf],
    began: Instant,
    writing: &mut HashMap<PathBuf, Writer>,
) -> Option<Watched> {
    let pid = u32::try_from(event.pid()).ok().filter(|&pid| pid != std::process::id())?;
    let file = event.fd()?;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    if !roots.iter().any(|root| path.starts_with(root)) {
        return None;
    }
    let done = event.mask().contains(MaskFlags::FAN_CLOSE_WRITE);
    let written = event.mask().contains(MaskFlags::FAN_MODIFY);
    let known = writing.get(&path).cloned();
    let (pid, process) = match (&known, done, written) {
        // Still being written by the one already told.
        (Some(writer), false, _) if writer.0 == pid => return None,
        (Some(writer), true, false) => writer.clone(),
        // Opened for writing, but not written.
        (None, _, false) => return None,
        _ => (pid, name_of(pid)),
    };
    if done {
        writing.remove(&path);
    } else {
        writing.insert(path.clone(), (pid, process.clone()));
    }
    let bytes = rustix::fs::fstat(file).ok().and_then(|s| u64::try_from(s.st_size).ok()).unwrap_or(0);
    Some(Watched { seconds: began.elapsed().as_secs_f64(), pid, process, path: path.into(), bytes, done })
}

fn name_of(pid: u32) -> String {
    let comm = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("comm"));
    comm.map_or_else(|_| "(ended)".to_owned(), |name| name.trim().to_owned())
}

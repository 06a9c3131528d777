//! Runs the copy: starts lanes and settlers, feeds them, and publishes what they prove.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use jiff::Timestamp;
use lightfast_catalog::{Catalog, IntentId, RootId};
use lightfast_model::{ContentHash, QuickKey, SessionId, Verified, VerifyMode};

use super::buffer::AlignedBuffer;
use super::desk::Desk;
use super::lane::{LaneSettings, Written, copy_one};
use super::publish::cold_hash;
use super::settle::{SettleSettings, Settled, settle};
use super::{Busy, Outcome, Thumbs, Why};
use crate::error::{At, IoError, Step};
use crate::plan::{Action, KnownCopy, Plan, hash_of};
use crate::progress::Meter;
use crate::sys::{self, FsClass};

/// What the copy needs besides the plan.
pub(crate) struct Copying<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) library: &'a Path,
    pub(crate) root: RootId,
    pub(crate) catalog: &'a mut Catalog,
    /// The session of each source.
    pub(crate) sessions: &'a [SessionId],
    /// The intent and the temporary file of each file that may be written, by its place in the plan.
    pub(crate) intents: &'a HashMap<usize, (IntentId, PathBuf)>,
    pub(crate) verify: VerifyMode,
    pub(crate) again: bool,
    pub(crate) lanes: usize,
    pub(crate) considerate: bool,
    pub(crate) now: fn() -> Timestamp,
    /// Set from outside to interrupt.
    pub(crate) stop: &'a AtomicBool,
    pub(crate) thumbs: Option<&'a Thumbs>,
    pub(crate) clocks: &'a Clocks,
    pub(crate) meter: &'a Meter<'a>,
}

/// For how long each stage was busy.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    pub(crate) copy: Busy,
    pub(crate) sync: Busy,
    pub(crate) verify: Busy,
    pub(crate) catalog: Busy,
    pub(crate) thumbnails: Arc<Busy>,
}

/// What lanes are asked for.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Copy(usize),
    Hash(usize),
    /// Read a copy of the library back, which was not proven well enough for this import.
    Prove(usize),
}

/// What comes back from lanes and settlers.
pub(super) enum Done {
    Settled(usize, Settled),
    Hashed(usize, ContentHash, QuickKey),
    Proven(usize, Verified),
    Failed(usize, Why),
}

struct ToSettle {
    index: usize,
    written: Written,
}

/// Copies, compares and proves everything in the plan that needs it. `tell` gets each file's outcome once, after its
/// commit. Returns why the session had to end early, if it had.
pub(crate) fn run(copying: Copying<'_>, tell: &mut dyn FnMut(usize, Outcome)) -> Option<String> {
    let halt = AtomicBool::new(false);
    let (class, _) = sys::fs_class(copying.library);
    let umask = sys::umask();
    let (work_to, work) = unbounded::<Work>();
    let (settle_to, to_settle) = bounded::<ToSettle>(copying.lanes + 2);
    let (done_to, done) = unbounded::<Done>();
    let settlers = if copying.lanes == 1 { 1 } else { 2 };
    let threads = Threads {
        plan: copying.plan,
        library: copying.library,
        class,
        umask,
        verify: copying.verify,
        halt: &halt,
        intents: copying.intents,
        thumbs: copying.thumbs,
        clocks: copying.clocks,
        meter: copying.meter,
        considerate: copying.considerate,
    };
    let lanes = copying.lanes;
    let mut desk = Desk::new(copying, class, &halt, work_to, tell);
    std::thread::scope(|scope| {
        for _ in 0..lanes {
            let (work, settle_to, done_to) = (work.clone(), settle_to.clone(), done_to.clone());
            let threads = &threads;
            scope.spawn(move || threads.lane(&work, &settle_to, &done_to));
        }
        for _ in 0..settlers {
            let (to_settle, done_to) = (to_settle.clone(), done_to.clone());
            let threads = &threads;
            scope.spawn(move || threads.settler(&to_settle, &done_to));
        }
        drop((work, settle_to, to_settle, done_to));
        desk.direct(&done);
    });
    desk.ended
}

/// What lanes and settlers share.
struct Threads<'a> {
    plan: &'a Plan,
    library: &'a Path,
    class: FsClass,
    umask: u32,
    verify: VerifyMode,
    halt: &'a AtomicBool,
    intents: &'a HashMap<usize, (IntentId, PathBuf)>,
    thumbs: Option<&'a Thumbs>,
    clocks: &'a Clocks,
    meter: &'a Meter<'a>,
    considerate: bool,
}

impl Threads<'_> {
    fn lane(&self, work: &Receiver<Work>, settle_to: &Sender<ToSettle>, done_to: &Sender<Done>) {
        if self.considerate {
            sys::be_considerate();
        }
        let mut buffer = AlignedBuffer::new();
        for work in work {
            let (Work::Copy(index) | Work::Hash(index) | Work::Prove(index)) = work;
            if self.halt.load(Ordering::Relaxed) {
                let _ = done_to.send(Done::Failed(index, Why::Interrupted));
                continue;
            }
            let done = match work {
                Work::Copy(_) => match self.copy(index, &mut buffer) {
                    Ok(written) => {
                        let _ = settle_to.send(ToSettle { index, written });
                        continue;
                    }
                    Err(why) => Done::Failed(index, why),
                },
                Work::Hash(_) => self.hash(index, &mut buffer),
                Work::Prove(_) => self.prove(index, &mut buffer),
            };
            let _ = done_to.send(done);
        }
    }

    fn copy(&self, index: usize, buffer: &mut AlignedBuffer) -> Result<Written, Why> {
        let (file, (_, temp)) = self.plan.files.get(index).zip(self.intents.get(&index)).ok_or(Why::Interrupted)?;
        let _busy = self.clocks.copy.start();
        let settings = LaneSettings {
            stop: self.halt,
            bytes: &self.meter.copied,
            umask: self.umask,
            direct: self.class == FsClass::Block,
        };
        let preview = file.target().and_then(|target| target.thumbnail_from);
        let mut tee = self.thumbs.zip(preview).and_then(|(thumbs, preview)| thumbs.tee(index, preview));
        let path = self.plan.source_path(file);
        let temp = self.library.join(temp);
        copy_one(&settings, &path, &file.file, &temp, buffer, &mut tee)
    }

    fn hash(&self, index: usize, buffer: &mut AlignedBuffer) -> Done {
        let Some(file) = self.plan.files.get(index) else { return Done::Failed(index, Why::Interrupted) };
        let _busy = self.clocks.copy.start();
        let path = self.plan.source_path(file);
        match hash_of(&path, file.file.size, buffer) {
            Ok((hash, quick)) => Done::Hashed(index, hash, quick),
            Err(error) => Done::Failed(index, IoError::new(Step::Read, &path, error).into()),
        }
    }

    /// Reads the library's copy of a duplicate back.
    fn prove(&self, index: usize, buffer: &mut AlignedBuffer) -> Done {
        let Some(Action::Duplicate(copy)) = self.plan.files.get(index).map(|file| &file.action) else {
            return Done::Failed(index, Why::Interrupted);
        };
        let _busy = self.clocks.verify.start();
        let size = self.plan.files.get(index).map_or(0, |file| file.file.size);
        match prove_copy(self.library, copy, size, self.class, buffer) {
            Ok(level) => Done::Proven(index, level),
            Err(why) => Done::Failed(index, why),
        }
    }

    fn settler(&self, to_settle: &Receiver<ToSettle>, done_to: &Sender<Done>) {
        if self.considerate {
            sys::be_considerate();
        }
        let mut buffer = AlignedBuffer::new();
        let settings = SettleSettings {
            verify: self.verify,
            class: self.class,
            sync: &self.clocks.sync,
            reading: &self.clocks.verify,
            verified_bytes: &self.meter.verified,
            stop: self.halt,
        };
        for ToSettle { index, written } in to_settle {
            let Some(file) = self.plan.files.get(index) else { continue };
            let source = self.plan.source_path(file);
            let done = match settle(&settings, written, file.file.size, &source, &mut buffer) {
                Ok(settled) => Done::Settled(index, settled),
                Err(why) => Done::Failed(index, why),
            };
            let _ = done_to.send(done);
        }
    }
}

/// Reads a copy of the library back and compares it with the hash that it must have.
pub(super) fn prove_copy(
    library: &Path,
    copy: &KnownCopy,
    size: u64,
    class: FsClass,
    buffer: &mut AlignedBuffer,
) -> Result<Verified, Why> {
    let path = library.join(copy.path.as_path());
    let file = std::fs::File::open(&path).at(Step::ReadBack, &path)?;
    sys::sync_file(&file).at(Step::Sync, &path)?;
    drop(file);
    let (hash, level) = cold_hash(&path, size, class, buffer).at(Step::ReadBack, &path)?;
    if hash == copy.hash { Ok(level) } else { Err(Why::CopyDiffers { path: copy.path.0.clone() }) }
}

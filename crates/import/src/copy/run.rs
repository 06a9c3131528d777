//! Runs the copy: starts lanes, writers and settlers, and lets the desk feed them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use jiff::Timestamp;
use lightfast_catalog::{Catalog, IntentId};
use lightfast_model::{ContentHash, QuickKey, SessionId, Verified, VerifyMode};

use super::buffer::AlignedBuffer;
use super::desk::Desk;
use super::far::{Far, far};
use super::lane::{LaneSettings, Sink, copy_one};
use super::pace::Pace;
use super::publish::cold_hash;
use super::settle::{Content, SettleSettings, Settled, Synced, prove, sync};
use super::temp::Written;
use super::{Busy, Thumbs, Told, Why};
use crate::destination::{Destination, Dests};
use crate::error::{At, IoError, Step};
use crate::options::Without;
use crate::plan::{KnownCopy, Plan, hash_of};
use crate::progress::Meter;
use crate::sys::{self, FsClass};

/// The intent and the temporary file (relative to its destination) of each file that may be written, by its place
/// in the plan and its destination's.
pub(crate) type Intents = HashMap<(usize, usize), (IntentId, PathBuf)>;

/// XXH128 of files by their place in the plan, for manifests.
pub(crate) type Sums = Mutex<HashMap<usize, u128>>;

/// Files that one settler syncs in one go at most; as many wait for it, with their descriptors open.
const TOGETHER: usize = 8;

/// What the copy needs besides the plan.
pub(crate) struct Copying<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) destinations: &'a [Destination],
    pub(crate) catalog: &'a mut Catalog,
    /// The session of each source.
    pub(crate) sessions: &'a [SessionId],
    pub(crate) intents: &'a Intents,
    pub(crate) verify: VerifyMode,
    pub(crate) again: bool,
    pub(crate) lanes: usize,
    pub(crate) considerate: bool,
    pub(crate) now: fn() -> Timestamp,
    /// Set from outside to interrupt.
    pub(crate) stop: &'a AtomicBool,
    pub(crate) thumbs: Option<&'a Thumbs>,
    /// Where to put what manifests need, if there are to be any.
    pub(crate) sums: Option<&'a Sums>,
    pub(crate) clocks: &'a Clocks,
    pub(crate) meter: &'a Meter<'a>,
    pub(crate) without: Without,
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
pub(super) enum Work {
    Copy(usize, Dests),
    Hash(usize),
    /// Read a copy back, which was not proven well enough for this import.
    Prove(usize, usize, KnownCopy),
}

/// What comes back from lanes and settlers; files and destinations by their places.
pub(super) enum Done {
    Settled(usize, usize, Settled),
    Hashed(usize, ContentHash, QuickKey),
    Proven(usize, usize, KnownCopy, Verified),
    Failed(usize, usize, Why),
    /// The card's file could not be read: all these destinations go without.
    Unread(usize, Dests, Why),
}

struct ToSettle {
    index: usize,
    written: Written,
    content: Content,
}

/// Why an import ends before its end: all of it, or one destination.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    /// Set when the person interrupts, the card is gone, or nothing is left to write to.
    pub(super) all: AtomicBool,
    /// Set for each destination that cannot go on.
    pub(super) each: Vec<AtomicBool>,
}

impl Stops {
    pub(super) fn has_ended(&self, dest: usize) -> bool {
        self.all.load(Ordering::Relaxed) || self.each.get(dest).is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Copies, compares and proves everything in the plan that needs it. `tell` gets each file's outcome once, after its
/// commit in every destination. Returns why it had to end early, if it had.
pub(crate) fn run(copying: Copying<'_>, tell: &mut dyn FnMut(usize, Told)) -> Option<String> {
    let stops =
        Stops { all: AtomicBool::new(false), each: copying.destinations.iter().map(|_| false.into()).collect() };
    let (work_to, work) = unbounded::<Work>();
    let (done_to, done) = unbounded::<Done>();
    let (settle_to, to_settle): (Vec<_>, Vec<_>) =
        copying.destinations.iter().map(|_| bounded::<ToSettle>(copying.lanes + TOGETHER)).unzip();
    let lanes = copying.lanes;
    let coming = AtomicUsize::new(0);
    let threads = Threads {
        coming: &coming,
        plan: copying.plan,
        destinations: copying.destinations,
        umask: sys::umask(),
        verify: copying.verify,
        stops: &stops,
        intents: copying.intents,
        thumbs: copying.thumbs,
        sums: copying.sums,
        clocks: copying.clocks,
        meter: copying.meter,
        considerate: copying.considerate,
        is_single: lanes == 1,
        without: copying.without,
    };
    let mut desk = Desk::new(copying, &stops, &coming, work_to, tell);
    std::thread::scope(|scope| {
        let threads = &threads;
        for _ in 0..lanes {
            let (work, settle_to, done_to) = (work.clone(), settle_to.clone(), done_to.clone());
            let mut far_ends = Vec::new();
            for destination in threads.destinations.iter().skip(threads.near()) {
                let (end, writer) = far(threads.umask, destination.class == FsClass::Block, lanes == 1);
                far_ends.push(end);
                scope.spawn(move || threads.considerate(|| writer.run()));
            }
            scope.spawn(move || threads.considerate(|| threads.lane(&work, &far_ends, &settle_to, &done_to)));
        }
        for (dest, to_settle) in to_settle.iter().enumerate() {
            for _ in 0..if lanes == 1 { 1 } else { 2 } {
                let (to_settle, done_to) = (to_settle.clone(), done_to.clone());
                scope.spawn(move || threads.considerate(|| threads.settler(dest, &to_settle, &done_to)));
            }
        }
        drop((work, settle_to, to_settle, done_to));
        desk.direct(&done);
    });
    desk.ended()
}

/// What lanes and settlers share.
struct Threads<'a> {
    plan: &'a Plan,
    destinations: &'a [Destination],
    umask: u32,
    verify: VerifyMode,
    stops: &'a Stops,
    /// Files that are to be copied and have not come to the settlers yet.
    coming: &'a AtomicUsize,
    intents: &'a Intents,
    thumbs: Option<&'a Thumbs>,
    sums: Option<&'a Sums>,
    clocks: &'a Clocks,
    meter: &'a Meter<'a>,
    considerate: bool,
    /// Only one lane reads.
    is_single: bool,
    without: Without,
}

impl Threads<'_> {
    /// How many destinations a lane writes itself. A lane that is alone writes none, so that reading goes on meanwhile.
    fn near(&self) -> usize {
        usize::from(!self.is_single)
    }

    fn considerate(&self, work: impl FnOnce()) {
        if self.considerate {
            sys::be_considerate();
        }
        work();
    }

    fn lane(&self, work: &Receiver<Work>, far: &[Far], settle_to: &[Sender<ToSettle>], done_to: &Sender<Done>) {
        let mut buffer = AlignedBuffer::new();
        for work in work {
            let is_over = self.stops.all.load(Ordering::Relaxed);
            let done = match work {
                Work::Copy(index, dests) if is_over => {
                    self.coming.fetch_sub(1, Ordering::AcqRel);
                    Done::Unread(index, dests, Why::Interrupted)
                }
                Work::Hash(index) if is_over => Done::Failed(index, 0, Why::Interrupted),
                Work::Prove(index, dest, _) if is_over => Done::Failed(index, dest, Why::Interrupted),
                Work::Copy(index, dests) => {
                    self.copy(index, dests, far, settle_to, done_to, &mut buffer);
                    continue;
                }
                Work::Hash(index) => self.hash(index, &mut buffer),
                Work::Prove(index, dest, copy) => self.prove(index, dest, copy, &mut buffer),
            };
            let _ = done_to.send(done);
        }
    }

    fn copy(
        &self,
        index: usize,
        dests: Dests,
        far: &[Far],
        settle_to: &[Sender<ToSettle>],
        done_to: &Sender<Done>,
        buffer: &mut AlignedBuffer,
    ) {
        let mut places = Vec::new();
        let mut sinks = Vec::new();
        for dest in dests.iter() {
            let parts = self.destinations.get(dest).zip(self.intents.get(&(index, dest)));
            let Some((destination, (_, temp))) = parts.filter(|_| !self.stops.has_ended(dest)) else {
                let _ = done_to.send(Done::Failed(index, dest, Why::Interrupted));
                continue;
            };
            let temp = destination.path().join(temp);
            sinks.push(match dest.checked_sub(self.near()).and_then(|at| far.get(at)) {
                Some(writer) => Sink::Far { temp, writer },
                None => Sink::Near { temp },
            });
            places.push(dest);
        }
        let Some(file) = self.plan.files.get(index).filter(|_| !sinks.is_empty()) else {
            self.coming.fetch_sub(1, Ordering::AcqRel);
            return;
        };
        let _busy = self.clocks.copy.start();
        let direct = self.destinations.first().is_some_and(|library| library.class == FsClass::Block);
        let settings = LaneSettings {
            stop: &self.stops.all,
            bytes: &self.meter.copied,
            umask: self.umask,
            direct,
            hash: !self.without.hash,
            sum: self.sums.is_some(),
        };
        // A frame of the clip itself will be the better picture.
        let has_poster = self.thumbs.is_some_and(Thumbs::can_make_posters);
        let target = file.target().filter(|target| !(target.poster && has_poster));
        let preview = target.and_then(|target| target.thumbnail_from);
        let mut tee = self.thumbs.zip(preview).and_then(|(thumbs, preview)| thumbs.tee(index, preview));
        let copied = copy_one(&settings, &self.plan.source_path(file), &file.file, &sinks, buffer, &mut tee);
        self.coming.fetch_sub(1, Ordering::AcqRel);
        match copied {
            Ok(read) => {
                if let Some((sums, sum)) = self.sums.zip(read.sum) {
                    let _ = sums.lock().map(|mut sums| sums.insert(index, sum));
                }
                let content = Content { hash: read.hash, quick: read.quick, size: file.file.size };
                for (dest, copy) in places.into_iter().zip(read.copies) {
                    match (copy, settle_to.get(dest)) {
                        (Ok(written), Some(to)) => drop(to.send(ToSettle { index, written, content })),
                        (Ok(_), None) => {}
                        (Err(why), _) => drop(done_to.send(Done::Failed(index, dest, why))),
                    }
                }
            }
            Err(why) => {
                let dests = places.into_iter().fold(Dests::default(), Dests::with);
                let _ = done_to.send(Done::Unread(index, dests, why));
            }
        }
    }

    fn hash(&self, index: usize, buffer: &mut AlignedBuffer) -> Done {
        let Some(file) = self.plan.files.get(index) else { return Done::Failed(index, 0, Why::Interrupted) };
        let _busy = self.clocks.copy.start();
        let path = self.plan.source_path(file);
        match hash_of(&path, file.file.size, buffer) {
            Ok((hash, quick)) => Done::Hashed(index, hash, quick),
            Err(error) => Done::Failed(index, 0, IoError::new(Step::Read, &path, error).into()),
        }
    }

    fn prove(&self, index: usize, dest: usize, copy: KnownCopy, buffer: &mut AlignedBuffer) -> Done {
        let parts = self.destinations.get(dest).zip(self.plan.files.get(index));
        let Some((destination, file)) = parts else { return Done::Failed(index, dest, Why::Interrupted) };
        let _busy = self.clocks.verify.start();
        match prove_copy(destination, &copy, file.file.size, buffer) {
            Ok(level) => Done::Proven(index, dest, copy, level),
            Err(why) => Done::Failed(index, dest, why),
        }
    }

    /// The next files to settle: one, and those that come until the next sync is due. None at the end.
    fn together(&self, to_settle: &Receiver<ToSettle>, pace: &Pace) -> Option<Vec<ToSettle>> {
        let mut batch = vec![to_settle.recv().ok()?];
        let due = pace.due();
        while batch.len() < TOGETHER {
            // Whoever is the last waits for nobody.
            let more = match self.coming.load(Ordering::Acquire) {
                0 => to_settle.try_recv().ok(),
                _ => to_settle.recv_deadline(due).ok(),
            };
            let Some(more) = more else { break };
            batch.push(more);
        }
        Some(batch)
    }

    fn settler(&self, dest: usize, to_settle: &Receiver<ToSettle>, done_to: &Sender<Done>) {
        let mut buffer = AlignedBuffer::new();
        let Some(destination) = self.destinations.get(dest) else { return };
        let settings = SettleSettings {
            verify: self.verify,
            class: destination.class,
            sync: &self.clocks.sync,
            reading: &self.clocks.verify,
            // The meter shows the library's progress; the others run beside it.
            verified_bytes: (dest == 0).then_some(&self.meter.verified),
            stop: &self.stops.all,
            without: self.without,
        };
        let mut pace = Pace::new();
        while let Some(batch) = self.together(to_settle, &pace) {
            // All are synced before the first is read back: what is behind the first sync is mostly in it.
            let synced: Vec<(usize, Result<Synced, Why>)> = pace
                .timed(|| batch.into_iter().map(|to| (to.index, sync(&settings, to.written, to.content))).collect());
            for (index, synced) in synced {
                let Some(file) = self.plan.files.get(index) else { continue };
                let source = self.plan.source_path(file);
                let done = match synced.and_then(|synced| prove(&settings, synced, &source, &mut buffer)) {
                    Ok(settled) => Done::Settled(index, dest, settled),
                    Err(why) => Done::Failed(index, dest, why),
                };
                let _ = done_to.send(done);
            }
        }
    }
}

/// Reads a copy back and compares it with the hash that it must have.
pub(super) fn prove_copy(
    destination: &Destination,
    copy: &KnownCopy,
    size: u64,
    buffer: &mut AlignedBuffer,
) -> Result<Verified, Why> {
    let path: &Path = &destination.path().join(copy.path.as_path());
    let file = std::fs::File::open(path).at(Step::ReadBack, path)?;
    sys::sync_file(&file).at(Step::Sync, path)?;
    drop(file);
    let (hash, level) = cold_hash(path, size, destination.class, buffer).at(Step::ReadBack, path)?;
    if hash == copy.hash { Ok(level) } else { Err(Why::CopyDiffers { path: copy.path.0.clone() }) }
}

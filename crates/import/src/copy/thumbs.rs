//! Thumbnails, made beside the copy from the bytes that pass by.
//!
//! A lane keeps the embedded JPEG of the file that it copies in a memory file, and hands that to a worker: the
//! card is not read again for it. What is kept so is bounded; beyond the bound a thumbnail is made from the
//! library's copy once that has its name. A thumbnail that cannot be made is no reason for anything: the
//! original is safe, and whoever looks at the photo is told.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lightfast_catalog::{Catalog, Found, LocatedPreviews, RootId, Thumbnails};
use lightfast_model::{BytePath, ContentHash, Kind, Orientation, Preview};
use lightfast_worker::{JobError, Picture, Pool, PoolJob, Poster, Task, WorkerOptions};
use rustix::fs::MemfdFlags;

use super::Busy;
use crate::THUMBNAIL_EDGE;

/// Bytes of embedded JPEGs that may wait in memory.
const BUDGET: u64 = 48 << 20;
/// Thumbnails stored in one go.
const BATCH: usize = 32;
/// Files that are open at a time for thumbnails of what was catalogued where it lies.
const IN_PLACE: usize = 256;

/// What the maker of thumbnails needs.
#[derive(Clone, Debug)]
pub struct ThumbsOptions {
    /// How to start a worker.
    pub worker: WorkerOptions,
    /// How many workers at most.
    pub workers: usize,
    /// Where their store lies: the folder of the catalogue.
    pub store: PathBuf,
}

/// Makes thumbnails beside the copy.
pub(crate) struct Thumbs {
    messages: Sender<Message>,
    /// Whether frames of clips can be made.
    posters: bool,
    budget: Arc<AtomicU64>,
    /// Files whose preview a worker got while they were copied.
    handed: Arc<Mutex<HashSet<usize>>>,
    thread: JoinHandle<Made>,
}

/// How many thumbnails there are, and why some are not.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) stored: u64,
    /// Plan index and reason.
    pub(crate) failed: Vec<(usize, String)>,
}

enum Message {
    Job(Waiting),
    Clip(Clip),
    Framed(Clip, Result<Picture, JobError>),
    Hash(usize, ContentHash),
    Picture(usize, Result<Picture, JobError>),
    End,
}

/// A clip of which a frame is wanted.
struct Clip {
    index: usize,
    file: Arc<File>,
    duration: Option<f64>,
    /// The small picture inside it, for the case that no frame can be had.
    preview: Option<Preview>,
}

struct Waiting {
    index: usize,
    file: Arc<File>,
    offset: u64,
    length: u64,
    orientation: Orientation,
    held: Option<Held>,
}

/// A part of the budget, given back when dropped.
struct Held(Arc<AtomicU64>, u64);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

impl Thumbs {
    /// Opens the store and starts the thread; workers are started at their first picture.
    pub(crate) fn start(options: ThumbsOptions, busy: Arc<Busy>) -> lightfast_catalog::Result<Self> {
        let store = Thumbnails::open(&options.store)?;
        let (messages, inbox) = unbounded();
        let replies = messages.clone();
        let posters = options.worker.ffmpeg.is_some();
        let thread = std::thread::spawn(move || make(options, store, &inbox, &replies, &busy));
        Ok(Self { messages, posters, budget: Arc::default(), handed: Arc::default(), thread })
    }

    /// Begins to keep a preview's bytes; `None` where too many wait already, or memory files cannot be made.
    pub(crate) fn tee(&self, index: usize, preview: Preview) -> Option<Tee> {
        let held = Held(self.budget.clone(), preview.length);
        let before = self.budget.fetch_add(preview.length, Ordering::Relaxed);
        if before.saturating_add(preview.length) > BUDGET {
            return None;
        }
        let memory = rustix::fs::memfd_create("lightfast-preview", MemfdFlags::CLOEXEC).ok()?;
        Some(Tee {
            memory: Arc::new(memory.into()),
            preview,
            index,
            kept: 0,
            held: Some(held),
            to: self.messages.clone(),
            handed: self.handed.clone(),
        })
    }

    /// Makes a thumbnail from a file of the library.
    pub(crate) fn read_from(&self, index: usize, path: &Path, preview: Preview) {
        if let Ok((file, _)) = crate::sys::open_source(path, false) {
            let Preview { offset, length, orientation, .. } = preview;
            let job = Waiting { index, file: Arc::new(file), offset, length, orientation, held: None };
            let _ = self.messages.send(Message::Job(job));
        }
    }

    /// Whether frames of clips can be made at all.
    pub(crate) fn can_make_posters(&self) -> bool {
        self.posters
    }

    /// Makes a thumbnail from a frame of a clip of the library, else from the picture inside it. False where nothing can be
    /// made of it here.
    pub(crate) fn poster(&self, index: usize, path: &Path, duration: Option<f64>, preview: Option<Preview>) -> bool {
        let Some((file, _)) = self.posters.then(|| crate::sys::open_source(path, false).ok()).flatten() else {
            return false;
        };
        self.messages.send(Message::Clip(Clip { index, file: Arc::new(file), duration, preview })).is_ok()
    }

    /// Whether a worker got this file's preview while the file was copied.
    pub(crate) fn was_handed_over(&self, index: usize) -> bool {
        self.handed.lock().is_ok_and(|handed| handed.contains(&index))
    }

    /// Says under which content a file's thumbnail is kept. Without this word it is thrown away.
    pub(crate) fn is_content(&self, index: usize, hash: ContentHash) {
        let _ = self.messages.send(Message::Hash(index, hash));
    }

    /// Waits for all that was asked for.
    pub(crate) fn finish(self) -> Made {
        let _ = self.messages.send(Message::End);
        self.thread.join().unwrap_or_default()
    }
}

/// Keeps a preview's bytes while its file is copied.
pub(crate) struct Tee {
    memory: Arc<File>,
    preview: Preview,
    index: usize,
    kept: u64,
    held: Option<Held>,
    to: Sender<Message>,
    handed: Arc<Mutex<HashSet<usize>>>,
}

impl Tee {
    /// Takes the bytes at `offset`, in ascending order; when the preview is complete, a worker gets it.
    pub(crate) fn take(&mut self, offset: u64, block: &[u8]) {
        let (start, end) = (self.preview.offset, self.preview.offset.saturating_add(self.preview.length));
        let from = start.max(offset);
        let to = end.min(offset + block.len() as u64);
        if from >= to || self.held.is_none() {
            return;
        }
        let part = block.get((from - offset) as usize..(to - offset) as usize).unwrap_or_default();
        if self.memory.write_all_at(part, from - start).is_err() {
            self.held = None;
            return;
        }
        self.kept += part.len() as u64;
        if self.kept == self.preview.length {
            if let Ok(mut handed) = self.handed.lock() {
                handed.insert(self.index);
            }
            let _ = self.to.send(Message::Job(Waiting {
                index: self.index,
                file: self.memory.clone(),
                offset: 0,
                length: self.preview.length,
                orientation: self.preview.orientation,
                held: self.held.take(),
            }));
        }
    }
}

/// Makes the thumbnails that are missing: of photos whose files are duplicates of an earlier, interrupted import, or that were
/// catalogued where they lie. `duplicates` are places in the plan and paths in the root.
pub(crate) fn make_up_missing(
    thumbs: &Thumbs,
    store: &Path,
    library: &Path,
    catalog: &Catalog,
    root: RootId,
    duplicates: &[(usize, BytePath)],
) -> lightfast_catalog::Result<()> {
    let store = Thumbnails::open(store)?;
    let mut seen = HashSet::new();
    for (index, path) in duplicates {
        let Some(photo) = catalog.photo_at(root, path)?.filter(|photo| seen.insert(photo.clone())) else { continue };
        let located = catalog.previews_of(&photo)?;
        let hashes: Vec<ContentHash> = located.iter().map(|file| file.hash).collect();
        if store.has(&hashes)?.contains(&true) {
            continue;
        }
        let best = |file: &LocatedPreviews| {
            let enough = file.previews.iter().filter(|preview| preview.long_edge() >= THUMBNAIL_EDGE);
            enough.min_by_key(|preview| preview.long_edge()).or(file.previews.first()).copied()
        };
        let here = |file: &LocatedPreviews| file.copies.iter().find(|copy| copy.root == root).map(|c| c.path.clone());
        if let Some((file, preview, at)) = located.iter().find_map(|file| Some((file, best(file)?, here(file)?))) {
            thumbs.read_from(*index, &library.join(at.as_path()), preview);
            thumbs.is_content(*index, file.hash);
        }
    }
    Ok(())
}

/// A file that was catalogued where it lies.
pub(crate) struct Catalogued {
    path: BytePath,
    hash: ContentHash,
    /// For a clip: how long it is, if that is known.
    clip: Option<Option<f64>>,
}

impl From<&Found> for Catalogued {
    fn from(found: &Found) -> Self {
        let facts = found.facts.as_ref();
        let is_clip = facts.is_some_and(|facts| facts.kind == Kind::Video);
        let duration = facts.and_then(|facts| facts.video.as_ref()?.duration);
        Self { path: found.path.clone(), hash: found.hash, clip: is_clip.then_some(duration) }
    }
}

/// Makes thumbnails of photos that were catalogued where they lie, a bounded number at a time. They are a cache: what cannot be
/// made now is made at the first look.
pub(crate) fn make_in_place(
    options: &ThumbsOptions,
    folder: &Path,
    catalog: &Catalog,
    root: RootId,
    files: &[Catalogued],
    stop: &AtomicBool,
) -> lightfast_catalog::Result<()> {
    for part in files.chunks(IN_PLACE) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let thumbs = Thumbs::start(options.clone(), Arc::default())?;
        let asked = ask_in_place(&thumbs, options, folder, catalog, root, part);
        thumbs.finish();
        asked?;
    }
    Ok(())
}

fn ask_in_place(
    thumbs: &Thumbs,
    options: &ThumbsOptions,
    folder: &Path,
    catalog: &Catalog,
    root: RootId,
    part: &[Catalogued],
) -> lightfast_catalog::Result<()> {
    let store = Thumbnails::open(&options.store)?;
    let mut pictures = Vec::new();
    for (index, file) in part.iter().enumerate() {
        match file.clip.filter(|_| thumbs.can_make_posters()) {
            Some(duration) if !store.has(&[file.hash])?.contains(&true) => {
                let inside =
                    catalog.photo_at(root, &file.path)?.map(|photo| catalog.previews_of(&photo)).transpose()?;
                let own = inside.into_iter().flatten().find(|located| located.hash == file.hash);
                let preview = own.and_then(|located| located.previews.first().copied());
                if thumbs.poster(index, &folder.join(file.path.as_path()), duration, preview) {
                    thumbs.is_content(index, file.hash);
                }
            }
            Some(_) => {}
            None => pictures.push((index, file.path.clone())),
        }
    }
    make_up_missing(thumbs, &options.store, folder, catalog, root, &pictures)
}

fn make(
    options: ThumbsOptions,
    store: Thumbnails,
    inbox: &Receiver<Message>,
    replies: &Sender<Message>,
    busy: &Busy,
) -> Made {
    let mut desk =
        Desk { store, hashes: HashMap::new(), pictures: HashMap::new(), ready: Vec::new(), made: Made::default() };
    let mut open = 0usize;
    let mut ending = false;
    let mut guard = None;
    let pool = Pool::new(&options.worker, options.workers);
    let clips = options.worker.ffmpeg.clone().map(|ffmpeg| frames(ffmpeg, replies.clone()));
    let submit = |job: Waiting| {
        let Waiting { index, file, offset, length, orientation, held } = job;
        let replies = replies.clone();
        let task = Task::Thumbnail { orientation, edge: THUMBNAIL_EDGE };
        pool.submit(PoolJob { file, offset, length, task }, move |outcome| {
            drop(held);
            let _ = replies.send(Message::Picture(index, outcome));
        });
    };
    while !(ending && open == 0) {
        let Ok(message) = inbox.recv() else { break };
        match message {
            Message::End => ending = true,
            Message::Hash(index, hash) => desk.hash(index, hash),
            Message::Picture(index, outcome) => {
                open = open.saturating_sub(1);
                desk.picture(index, outcome);
            }
            Message::Job(job) => {
                open += 1;
                guard.get_or_insert_with(|| busy.start());
                submit(job);
            }
            Message::Clip(clip) => {
                open += 1;
                guard.get_or_insert_with(|| busy.start());
                // Where there is nobody to make a frame, nothing was asked for.
                if clips.as_ref().is_none_or(|clips| clips.send(clip).is_err()) {
                    open -= 1;
                }
            }
            Message::Framed(clip, outcome) => match (outcome, clip.preview) {
                (Err(_), Some(preview)) => {
                    let Preview { offset, length, orientation, .. } = preview;
                    submit(Waiting { index: clip.index, file: clip.file, offset, length, orientation, held: None });
                }
                (outcome, _) => {
                    open = open.saturating_sub(1);
                    desk.picture(clip.index, outcome);
                }
            },
        }
        if open == 0 {
            guard = None;
        }
        if desk.ready.len() >= BATCH || (open == 0 && inbox.is_empty()) {
            desk.store_ready();
        }
    }
    // Every file that was published has told its content before the end was called.
    desk.store_ready();
    desk.made
}

/// A thread that makes frames of clips, one after the other; it ends with the channel that it is fed by.
fn frames(ffmpeg: PathBuf, replies: Sender<Message>) -> Sender<Clip> {
    let (sender, clips) = unbounded::<Clip>();
    std::thread::spawn(move || {
        for clip in clips {
            let wanted = Poster {
                ffmpeg: &ffmpeg,
                duration: clip.duration,
                edge: THUMBNAIL_EDGE,
                limits: lightfast_worker::POSTER_LIMITS,
            };
            let outcome = lightfast_worker::poster(&clip.file, &wanted);
            let _ = replies.send(Message::Framed(clip, outcome));
        }
    });
    sender
}

/// Brings pictures and contents together, in whichever order they come.
struct Desk {
    store: Thumbnails,
    hashes: HashMap<usize, ContentHash>,
    pictures: HashMap<usize, Picture>,
    ready: Vec<(ContentHash, Picture)>,
    made: Made,
}

impl Desk {
    fn hash(&mut self, index: usize, hash: ContentHash) {
        match self.pictures.remove(&index) {
            Some(picture) => self.ready.push((hash, picture)),
            None => drop(self.hashes.insert(index, hash)),
        }
    }

    fn picture(&mut self, index: usize, outcome: Result<Picture, JobError>) {
        match (outcome, self.hashes.remove(&index)) {
            (Ok(picture), Some(hash)) => self.ready.push((hash, picture)),
            (Ok(picture), None) => drop(self.pictures.insert(index, picture)),
            (Err(error), _) => self.made.failed.push((index, error.to_string())),
        }
    }

    fn store_ready(&mut self) {
        let rows: Vec<(ContentHash, &[u8], u32, u32)> =
            self.ready.iter().map(|(hash, p)| (*hash, p.jpeg.as_slice(), p.width, p.height)).collect();
        // A cache: what could not be stored is made again at the first look.
        if !rows.is_empty() && self.store.put(&rows).is_ok() {
            self.made.stored += rows.len() as u64;
        }
        self.ready.clear();
    }
}

//! Puts a planned card on disk.
//!
//! Scene after scene: two threads draw it together, then each makes and writes whole frames. The caller's progress is
//! told on the caller's thread.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use lightfast_model::Kind;

use super::plan::{ClipFile, Frame, Session, sessions};
use super::studio::{Darkroom, Set, film};
use super::{CardError, CardFile, CardOptions, CardProgress, CardSummary};
use crate::Shot;
use crate::raw::grain::Grain;

/// Enough to keep two cores busy; each thread costs memory.
const THREADS: usize = 2;

/// A card that is being made.
pub(super) struct Maker<'a> {
    dir: &'a Path,
    files: Vec<CardFile>,
    total: u32,
    progress: &'a mut dyn FnMut(CardProgress),
}

impl<'a> Maker<'a> {
    pub(super) fn new(dir: &'a Path, progress: &'a mut dyn FnMut(CardProgress)) -> Self {
        Self { dir, files: Vec::new(), total: 0, progress }
    }

    pub(super) fn make(mut self, options: &CardOptions) -> Result<CardSummary, CardError> {
        let sessions = sessions(options);
        self.total = sessions.iter().map(files_of).sum::<u32>() + 2;
        for folder in ["DCIM", "DCIM/EOSMISC", "MISC"] {
            self.folder(Path::new(folder))?;
        }
        for folder in folders(&sessions) {
            self.folder(&folder)?;
        }
        let grain = Grain::new();
        for session in &sessions {
            self.session(session, &grain)?;
        }
        self.extras(&sessions)?;
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(CardSummary { files: self.files })
    }

    fn folder(&self, relative: &Path) -> Result<(), CardError> {
        let path = self.dir.join(relative);
        fs::create_dir_all(&path).map_err(|source| CardError::Io { step: "create folder", path, source })
    }

    fn session(&mut self, session: &Session, grain: &Grain) -> Result<(), CardError> {
        if let Some(first) = session.frames.first() {
            let picture = (first.shot.width, first.shot.height);
            let set = Set::draw(session.look, session.seed, picture, session.orientation.value(), THREADS);
            self.frames(&session.frames, &set, grain)?;
        }
        if let Some(clip) = &session.clip {
            let (movie, thumbnail) = film(clip).map_err(|source| picture_error(&clip.movie, source))?;
            let modified = clip.shot.taken.local;
            self.done(write(self.dir, &clip.movie, &[&movie], modified)?.of(Kind::Video, Some(&clip.shot)));
            let small = Shot { width: 160, height: 120, ..clip.shot.clone() };
            self.done(write(self.dir, &clip.thumbnail, &[&thumbnail], modified)?.of(Kind::Thumbnail, Some(&small)));
        }
        Ok(())
    }

    fn frames(&mut self, frames: &[Frame], set: &Set, grain: &Grain) -> Result<(), CardError> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let dir = self.dir;
        std::thread::scope(|scope| {
            for _ in 0..THREADS.min(frames.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    // Nobody receives once another frame has failed.
                    let _ = work(dir, frames, next, set, grain, &sender);
                });
            }
            drop(sender);
            for made in receiver {
                for file in made? {
                    self.done(file);
                }
            }
            Ok(())
        })
    }

    fn extras(&mut self, sessions: &[Session]) -> Result<(), CardError> {
        let (first, last) = (frames(sessions).next(), frames(sessions).last());
        let Some((first, last)) = first.zip(last) else { return Ok(()) };
        let order = print_order(first, last);
        let file = write(self.dir, Path::new("MISC/AUTPRINT.MRK"), &[order.as_bytes()], last.shot.taken.local)?;
        self.done(file.of(Kind::Other, None));
        let settings = first.shot.serial.as_bytes();
        let file = write(self.dir, Path::new("DCIM/EOSMISC/M0100.CTG"), &[settings], last.shot.taken.local)?;
        self.done(file.of(Kind::Other, None));
        Ok(())
    }

    fn done(&mut self, file: CardFile) {
        let path = file.path.clone();
        self.files.push(file);
        (self.progress)(CardProgress {
            files_done: self.files.len() as u32,
            files_total: self.total,
            bytes_done: self.files.iter().map(|file| file.bytes).sum(),
            path,
        });
    }
}

/// How many files a scene leaves on the card.
fn files_of(session: &Session) -> u32 {
    let frames: usize = session.frames.iter().map(|frame| 1 + usize::from(frame.jpeg.is_some())).sum();
    frames as u32 + if session.clip.is_some() { 2 } else { 0 }
}

fn frames(sessions: &[Session]) -> impl Iterator<Item = &Frame> {
    sessions.iter().flat_map(|session| &session.frames)
}

fn folders(sessions: &[Session]) -> std::collections::BTreeSet<PathBuf> {
    let clips = sessions.iter().filter_map(|session| session.clip.as_ref()).map(|clip: &ClipFile| &clip.movie);
    let raws = frames(sessions).map(|frame| &frame.raw);
    raws.chain(clips).filter_map(|path| path.parent()).map(Path::to_owned).collect()
}

fn picture_error(path: &Path, source: turbojpeg::Error) -> CardError {
    CardError::Picture { path: path.to_owned(), source }
}

/// What a thread does: frame after frame, until none is left.
fn work(
    dir: &Path,
    frames: &[Frame],
    next: &AtomicUsize,
    set: &Set,
    grain: &Grain,
    sender: &mpsc::Sender<Result<Vec<CardFile>, CardError>>,
) -> Result<(), mpsc::SendError<Result<Vec<CardFile>, CardError>>> {
    let mut darkroom = match Darkroom::new(grain) {
        Ok(darkroom) => darkroom,
        Err(source) => return sender.send(Err(picture_error(dir, source))),
    };
    while let Some(frame) = frames.get(next.fetch_add(1, Ordering::Relaxed)) {
        sender.send(frame_files(dir, &mut darkroom, set, frame))?;
    }
    Ok(())
}

/// Makes and writes the files of a frame.
fn frame_files(dir: &Path, darkroom: &mut Darkroom<'_>, set: &Set, frame: &Frame) -> Result<Vec<CardFile>, CardError> {
    let developed = darkroom.develop(set, frame).map_err(|source| picture_error(&frame.raw, source))?;
    let modified = frame.shot.taken.local;
    let mut files = vec![
        write(dir, &frame.raw, &developed.raw.each_ref().map(Vec::as_slice), modified)?
            .of(Kind::Raw, Some(&frame.shot)),
    ];
    if let Some((path, jpeg)) = frame.jpeg.as_ref().zip(developed.jpeg) {
        files.push(write(dir, path, &[&jpeg], modified)?.of(Kind::Jpeg, Some(&frame.shot)));
    }
    Ok(files)
}

/// A file that was written.
struct Written {
    path: PathBuf,
    bytes: u64,
    modified: DateTime,
}

impl Written {
    fn of(self, kind: Kind, shot: Option<&Shot>) -> CardFile {
        let Self { path, bytes, modified } = self;
        CardFile { path, kind, bytes, modified, shot: shot.cloned() }
    }
}

/// Writes a new file from its parts and sets its time, to the second as a card's file system would have it.
fn write(dir: &Path, relative: &Path, parts: &[&[u8]], modified: DateTime) -> Result<Written, CardError> {
    let path = dir.join(relative);
    let result = File::create_new(&path).and_then(|mut file| {
        parts.iter().try_for_each(|part| file.write_all(part))?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(super::seconds_since_epoch(modified));
        file.set_modified(time)
    });
    result.map_err(|source: io::Error| CardError::Io { step: "write", path, source })?;
    let modified = modified.date().at(modified.hour(), modified.minute(), modified.second(), 0);
    Ok(Written { path: relative.to_owned(), bytes: parts.iter().map(|part| part.len() as u64).sum(), modified })
}

/// An order of prints (DPOF 1.10) as the camera writes it when pictures were marked for the printer: two of them.
fn print_order(first: &Frame, last: &Frame) -> String {
    let mut text = String::from("[HDR]\r\nGEN REV = 01.10\r\nGEN CRT = \"Canon EOS 5D Mark II\"\r\n");
    let made = last.shot.taken.local.strftime("%Y:%m:%d:%H:%M:%S");
    text.push_str(&format!("GEN DTM = {made}\r\n"));
    for (job, frame) in [first, last].into_iter().enumerate() {
        let path = frame.jpeg.as_ref().unwrap_or(&frame.raw);
        text.push_str(&format!(
            "\r\n[JOB]\r\nPRT PID = {:03}\r\nPRT TYP = STD\r\nPRT QTY = 001\r\nIMG FMT = {}\r\n<IMG SRC = \"../{}\">\r\n",
            job + 1,
            if frame.jpeg.is_some() { "EXIF2 -J" } else { "RAW" },
            path.display()
        ));
    }
    text
}

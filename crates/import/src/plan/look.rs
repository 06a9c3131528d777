//! Looks into files: at most a bounded head of each, several at a time, without read-ahead.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lightfast_media::FileSource;
use lightfast_model::{Facts, Kind, QuickKey};

use super::known::quick_key;
use crate::sys;

/// What a look into one file found.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// What it says of itself.
    pub(crate) facts: Facts,
    /// Its quick key, where it was asked for.
    pub(crate) quick: Option<QuickKey>,
    /// Why it could not be opened or read, if so.
    pub(crate) refused: Option<String>,
}

/// One file to look into.
pub(crate) struct LookAt<'a> {
    pub(crate) path: &'a Path,
    pub(crate) size: u64,
    pub(crate) quick: bool,
}

/// Looks into all of them with `threads` threads; the answers are in the order of the questions.
/// Stops early, with what it has, where `stop` is set.
/// `ffprobe` is asked about clips whose format is not read here.
pub(crate) fn look_into(
    files: &[LookAt<'_>],
    threads: usize,
    ffprobe: Option<&Path>,
    stop: &AtomicBool,
) -> Vec<Option<Look>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { break };
            found.push((index, look(file, ffprobe)));
        }
        found
    };
    let mut answers: Vec<Option<Look>> = files.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.clamp(1, files.len().max(1))).map(|_| scope.spawn(work)).collect();
        for (index, look) in handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()) {
            if let Some(slot) = answers.get_mut(index) {
                *slot = Some(look);
            }
        }
    });
    answers
}

fn look(at: &LookAt<'_>, ffprobe: Option<&Path>) -> Look {
    let name = at.path.file_name().unwrap_or_default();
    let read = || -> std::io::Result<(Facts, Option<QuickKey>)> {
        let (file, _) = sys::open_source(at.path, false)?;
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random);
        let mut facts = facts_of(&file, at.size, name);
        if let Some(ffprobe) = ffprobe {
            complete(&mut facts, ffprobe, &file);
        }
        let quick = at.quick.then(|| quick_key(&file, at.size)).transpose()?;
        sys::drop_cached(&file);
        Ok((facts, quick))
    };
    match read() {
        Ok((facts, quick)) => Look { facts, quick, refused: None },
        Err(error) => Look { facts: Facts::default(), quick: None, refused: Some(format!("could not open: {error}")) },
    }
}

/// Asks ffprobe about a clip of which not even the duration is known.
fn complete(facts: &mut Facts, ffprobe: &Path, file: &File) {
    let unknown = facts.kind == Kind::Video && facts.video.as_ref().is_none_or(|video| video.duration.is_none());
    let Some(found) = unknown.then(|| lightfast_worker::probe(ffprobe, file)).flatten() else { return };
    let video = facts.video.get_or_insert_default();
    video.duration = found.duration;
    video.frame_rate = video.frame_rate.or(found.frame_rate);
    video.codec = video.codec.take().or(found.codec);
    if facts.width.is_none() {
        (facts.width, facts.height) = (found.width, found.height);
    }
}

/// What an open file says of itself.
pub(crate) fn facts_of(file: &File, size: u64, name: &std::ffi::OsStr) -> Facts {
    lightfast_media::facts(&mut FileSource::with_len(file, size), name)
}

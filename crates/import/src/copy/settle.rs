//! What a settler does: puts a written file on stable storage and reads it back from the medium.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lightfast_model::{ContentHash, QuickKey, Verified, VerifyMode};

use super::buffer::AlignedBuffer;
use super::publish::{cold_hash, cold_read};
use super::temp::Written;
use super::{Busy, Why};
use crate::error::{At, Step};
use crate::options::Without;
use crate::plan::hash_of;
use crate::sys::{self, FsClass};

/// A temporary file on stable storage, proven as asked.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) temp: std::path::PathBuf,
    pub(crate) content: Content,
    pub(crate) verified: Verified,
}

/// What a file's bytes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    pub(crate) hash: ContentHash,
    pub(crate) quick: QuickKey,
    pub(crate) size: u64,
}

/// What all settlers share.
pub(crate) struct SettleSettings<'a> {
    pub(crate) verify: VerifyMode,
    pub(crate) class: FsClass,
    pub(crate) sync: &'a Busy,
    pub(crate) reading: &'a Busy,
    /// Bytes read back so far, where they are counted.
    pub(crate) verified_bytes: Option<&'a AtomicU64>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) without: Without,
}

/// A file that was synced and is not read back yet.
pub(crate) struct Synced {
    temp: std::path::PathBuf,
    content: Content,
}

/// Puts a file on stable storage. On an error it is removed; it is never synced a second time.
pub(crate) fn sync(settings: &SettleSettings<'_>, written: Written, content: Content) -> Result<Synced, Why> {
    let Written { temp, file } = written;
    if !settings.without.sync {
        let _busy = settings.sync.start();
        if let Err(error) = sys::sync_file(&file).at(Step::Sync, &temp) {
            let _ = sys::remove_file(&temp);
            return Err(error.into());
        }
    }
    Ok(Synced { temp, content })
}

/// Reads a synced file back, as asked. On any error it is removed.
pub(crate) fn prove(
    settings: &SettleSettings<'_>,
    synced: Synced,
    source: &Path,
    buffer: &mut AlignedBuffer,
) -> Result<Settled, Why> {
    let temp = synced.temp.clone();
    let settled = read_back(settings, synced, source, buffer);
    if settled.is_err() {
        let _ = sys::remove_file(&temp);
    }
    settled
}

fn read_back(
    settings: &SettleSettings<'_>,
    Synced { temp, content }: Synced,
    source: &Path,
    buffer: &mut AlignedBuffer,
) -> Result<Settled, Why> {
    let Content { hash, size, .. } = content;
    let verified = if settings.verify == VerifyMode::Stream {
        Verified::Stream
    } else {
        let _busy = settings.reading.start();
        if settings.stop.load(Ordering::Relaxed) {
            return Err(Why::Interrupted);
        }
        let level = if settings.without.hash {
            cold_read(&temp, size, buffer).at(Step::ReadBack, &temp)?;
            Verified::Stream
        } else {
            let (read_back, level) = cold_hash(&temp, size, settings.class, buffer).at(Step::ReadBack, &temp)?;
            if read_back != hash {
                return Err(Why::ReadBackDiffers);
            }
            level
        };
        if let Some(bytes) = settings.verified_bytes {
            bytes.fetch_add(size, Ordering::Relaxed);
        }
        if settings.verify == VerifyMode::Twice { second_read(source, size, hash, level, buffer)? } else { level }
    };
    let verified = if settings.without.any() { Verified::Stream } else { verified };
    Ok(Settled { temp, content, verified })
}

/// Reads the card a second time; where the read-back could only be `reread`, it stays that.
fn second_read(
    source: &Path,
    size: u64,
    hash: ContentHash,
    level: Verified,
    buffer: &mut AlignedBuffer,
) -> Result<Verified, Why> {
    let again = hash_of(source, size, buffer).at(Step::Read, source)?;
    if again.0 != hash {
        return Err(Why::SecondReadDiffers);
    }
    Ok(if level == Verified::Cold { Verified::Twice } else { level })
}

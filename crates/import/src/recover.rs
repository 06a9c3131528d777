//! Recovery: what an interrupted import left behind is taken up or cleared away, before anything new is planned.
//!
//! Of each intent that was neither finished nor given up: a file under its final name with the size and time that
//! were intended was named only after it had been proven, so it is adopted (read back now, and compared with the
//! card where that card is here); an empty one is a claim left over and is removed; a partial file is deleted. An
//! adopted file that differs from the card goes to the quarantine and is copied again.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lightfast_catalog::{Catalog, IntentId, Published, RootId, UnfinishedIntent};
use lightfast_model::{BytePath, ContentHash, Kind, PhotoKind, QuickKey, Verified};

use crate::copy::{AlignedBuffer, cold_hash};
use crate::error::{At, IoError, StartError, Step};
use crate::fault::{Op, point};
use crate::library::Library;
use crate::plan::{Amendments, facts_of, hash_of};
use crate::sys;

/// What recovery needs to know of its surroundings.
pub(crate) struct Recovery<'a> {
    pub(crate) library: &'a Library,
    pub(crate) root: RootId,
    pub(crate) amendments: &'a Amendments<'a>,
    pub(crate) now: Timestamp,
    /// The sources of this import, by card.
    pub(crate) cards: &'a HashMap<String, PathBuf>,
}

impl Recovery<'_> {
    /// Takes up or clears away everything. Returns what an interrupted import of a card had planned and not finished,
    /// so that it is finished under the same names.
    pub(crate) fn run(
        &self,
        catalog: &mut Catalog,
    ) -> Result<HashMap<(String, Vec<u8>), UnfinishedIntent>, StartError> {
        let mut interrupted = HashMap::new();
        let mut given_up: Vec<IntentId> = Vec::new();
        let mut buffer = AlignedBuffer::new();
        for unfinished in catalog.unfinished()? {
            if unfinished.intent.root != self.root {
                continue;
            }
            if self.adopt(catalog, &unfinished, &mut buffer)? {
                continue;
            }
            given_up.push(unfinished.id);
            let key = (unfinished.card.clone(), unfinished.intent.source.as_bytes().to_vec());
            interrupted.insert(key, unfinished);
        }
        point(Op::Commit).at(Step::Write, &self.library.root)?;
        catalog.abandon(&given_up, "interrupted")?;
        self.empty_incoming()?;
        Ok(interrupted)
    }

    /// Whether the file of an intent was there, whole, and is now in the catalogue.
    fn adopt(
        &self,
        catalog: &mut Catalog,
        unfinished: &UnfinishedIntent,
        buffer: &mut AlignedBuffer,
    ) -> Result<bool, StartError> {
        let intent = &unfinished.intent;
        let path = self.library.root.join(intent.path.as_path());
        let Ok(meta) = fs::symlink_metadata(&path) else { return Ok(false) };
        if !meta.is_file() {
            return Ok(false);
        }
        if meta.len() == 0 && intent.size > 0 {
            sys::remove_file(&path).at(Step::Remove, &path)?;
            return Ok(false);
        }
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        if meta.len() != intent.size || mtime_ns.abs_diff(intent.mtime_ns) > 2_000_000_000 {
            // Not a file of that import: it was never written under a name that was taken.
            return Ok(false);
        }
        let file = fs::File::open(&path).at(Step::ReadBack, &path)?;
        sys::sync_file(&file).at(Step::Sync, &path)?;
        let (class, _) = sys::fs_class(&path);
        let (hash, level) = cold_hash(&path, meta.len(), class, buffer).at(Step::ReadBack, &path)?;
        let verified = match self.on_card(unfinished, buffer) {
            Some((on_card, _)) if on_card != hash => {
                self.quarantine(&path, intent.path.as_path(), unfinished)?;
                return Ok(false);
            }
            Some(_) => level,
            // Whole when it was named, but there is no card to compare it with: it must be proven again.
            None => Verified::Stream,
        };
        let folder = path.parent().unwrap_or(&self.library.root);
        sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
        let published = self.published(unfinished, &file, mtime_ns, hash, verified)?;
        point(Op::Commit).at(Step::Write, &path)?;
        catalog.publish(unfinished.session, &[published])?;
        Ok(true)
    }

    /// The content of the intent's source, where its card is one of this import's and the file is still the same.
    fn on_card(&self, unfinished: &UnfinishedIntent, buffer: &mut AlignedBuffer) -> Option<(ContentHash, QuickKey)> {
        let path = self.cards.get(&unfinished.card)?.join(unfinished.intent.source.as_path());
        let meta = fs::metadata(&path).ok()?;
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        let same = meta.is_file() && meta.len() == unfinished.intent.size && mtime_ns == unfinished.intent.mtime_ns;
        same.then(|| hash_of(&path, meta.len(), buffer).ok()).flatten()
    }

    fn published(
        &self,
        unfinished: &UnfinishedIntent,
        file: &fs::File,
        mtime_ns: i64,
        hash: ContentHash,
        verified: Verified,
    ) -> Result<Published, IoError> {
        let intent = &unfinished.intent;
        let name = intent.source.as_path().file_name().unwrap_or_default();
        let mut facts = facts_of(file, intent.size, name);
        self.amendments.apply(&mut facts);
        let quick = crate::plan::quick_key(file, intent.size).at(Step::ReadBack, intent.path.as_path())?;
        let kind = if facts.kind == Kind::Video { PhotoKind::Video } else { PhotoKind::Photo };
        Ok(Published {
            intent: unfinished.id,
            path: intent.path.clone(),
            hash,
            quick,
            size: intent.size,
            mtime_ns,
            verified,
            verified_at: self.now,
            taken: facts.taken.unwrap_or_else(|| self.amendments.guess(name, intent.mtime_ns)),
            facts: Some(facts),
            kind,
        })
    }

    /// Sets a file aside under a name that says where it came from; nothing is ever deleted here.
    fn quarantine(&self, path: &Path, relative: &Path, unfinished: &UnfinishedIntent) -> Result<(), IoError> {
        let folder = Library::own_folder(&self.library.root).join("quarantine").join(unfinished.session.to_string());
        let target = folder.join(relative);
        let parent = target.parent().unwrap_or(&folder);
        point(Op::MakeFolder).at(Step::MakeFolder, parent)?;
        fs::create_dir_all(parent).at(Step::MakeFolder, parent)?;
        sys::rename_new(path, &target).at(Step::Rename, path)?;
        sys::sync_folder(parent).at(Step::SyncFolder, parent)?;
        Ok(())
    }

    /// Everything in `incoming` is partial, or a copy of what is on a card: the lock is ours, so nobody writes there.
    fn empty_incoming(&self) -> Result<(), IoError> {
        empty_folder(&self.library.incoming())
    }
}

fn empty_folder(folder: &Path) -> Result<(), IoError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(IoError::new(Step::List, folder, error)),
    };
    for entry in entries {
        let entry = entry.at(Step::List, folder)?;
        let path = entry.path();
        if entry.file_type().at(Step::List, &path)?.is_dir() {
            point(Op::Remove).at(Step::Remove, &path)?;
            fs::remove_dir_all(&path).at(Step::Remove, &path)?;
        } else {
            sys::remove_file(&path).at(Step::Remove, &path)?;
        }
    }
    Ok(())
}

/// A path that the journal wrote, shown.
pub(crate) fn temp_path(session: lightfast_model::SessionId, number: usize) -> BytePath {
    BytePath(PathBuf::from(format!(".lightfast/incoming/{session}/{number}.part")))
}

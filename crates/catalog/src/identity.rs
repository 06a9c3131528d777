//! What is known already: by card, by quick key, by content.

use std::collections::{HashMap, HashSet};

use lightfast_model::{BytePath, ContentHash, QuickKey};

use crate::{CardEntry, Catalog, KnownFile, Result, RootId};

impl Catalog {
    /// What was hashed whole in earlier sessions of this card, by the path's bytes, relative to the source.
    /// Only contents that were proven (not `stream`) at the time; the newest entry of a path wins.
    pub fn card_history(&self, _card: &str) -> Result<HashMap<Vec<u8>, CardEntry>> {
        unimplemented!()
    }

    /// Contents with this quick key and size: a hint, never a proof.
    pub fn known_by_quick(&self, _quick: QuickKey, _size: u64) -> Result<Vec<KnownFile>> {
        unimplemented!()
    }

    /// The content itself.
    pub fn known_by_hash(&self, _hash: &ContentHash) -> Result<Option<KnownFile>> {
        unimplemented!()
    }

    /// Which of these sizes any known content has; a file of another size needs no quick key.
    pub fn sizes_known(&self, _sizes: &[u64]) -> Result<HashSet<u64>> {
        unimplemented!()
    }

    /// Notes that a copy is not on disk any more; `false` where none was recorded there.
    pub fn copy_vanished(&mut self, _root: RootId, _path: &BytePath) -> Result<bool> {
        unimplemented!()
    }

    /// Which of these paths are recorded in this root.
    pub fn paths_taken(&self, _root: RootId, _paths: &[BytePath]) -> Result<HashSet<BytePath>> {
        unimplemented!()
    }
}

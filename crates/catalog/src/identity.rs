//! What is known already: by card, by quick key, by content.
//!
//! These answers decide whether a file is read, hashed or copied at all, so they hold only what was hashed
//! whole. Whether a copy still stands on disk is the caller's to see; one that does not is told back here.

use std::collections::{HashMap, HashSet};

use lightfast_model::{BytePath, ContentHash, QuickKey, Verified};
use rusqlite::{Row, params};

use crate::codes::{self, Code as _, copy_state};
use crate::error::Doing as _;
use crate::{CardEntry, Catalog, CopyAt, FileId, KnownFile, Result, RootId};

const DOING: &str = "look up what is known";

impl Catalog {
    /// What was hashed whole in earlier sessions of this card, by the path's bytes, relative to the source.
    /// Only contents that were proven (not `stream`) at the time; the newest entry of a path wins.
    pub fn card_history(&self, card: &str) -> Result<HashMap<Vec<u8>, CardEntry>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT h.source, h.hash, h.size, h.mtime_ns, h.seen, f.id, f.trashed IS NOT NULL, \
                        c.root, c.path, f.size, c.mtime_ns, c.verified \
                 FROM history h JOIN card ON card.id = h.card \
                 LEFT JOIN file f ON f.hash = h.hash LEFT JOIN copy c ON c.file = f.id AND c.state = 0 \
                 WHERE card.identity = ?1 AND h.proven = 1 \
                 ORDER BY h.source, h.seen, h.hash, c.id",
            )
            .doing(DOING)?;
        let mut rows = statement.query([card]).doing(DOING)?;
        let mut found: HashMap<Vec<u8>, CardEntry> = HashMap::new();
        while let Some(row) = rows.next().doing(DOING)? {
            let (source, hash, numbers, file, trashed) = card_columns(row).doing(DOING)?;
            let hash = codes::content_hash(&hash)?;
            let copy = copy_at(row, 7)?;
            match found.get_mut(&source) {
                Some(entry) if entry.hash == hash => entry.copies.extend(copy),
                _ => {
                    let entry = CardEntry {
                        size: codes::bytes(numbers.0),
                        mtime_ns: numbers.1,
                        hash,
                        file: file.map(FileId),
                        copies: copy.into_iter().collect(),
                        trashed,
                    };
                    found.insert(source, entry);
                }
            }
        }
        Ok(found)
    }

    /// Contents with this quick key and size: a hint, never a proof.
    pub fn known_by_quick(&self, quick: QuickKey, size: u64) -> Result<Vec<KnownFile>> {
        let ids: Vec<(i64, Vec<u8>, bool)> = {
            let mut statement = self
                .db
                .prepare_cached("SELECT id, hash, trashed IS NOT NULL FROM file WHERE size = ?1 AND quick = ?2")
                .doing(DOING)?;
            let rows = statement.query_map(params![codes::size(size), &quick.to_bytes()[..]], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            });
            rows.doing(DOING)?.collect::<rusqlite::Result<_>>().doing(DOING)?
        };
        ids.into_iter().map(|(id, hash, trashed)| self.known(id, &hash, size, trashed)).collect()
    }

    /// The content itself.
    pub fn known_by_hash(&self, hash: &ContentHash) -> Result<Option<KnownFile>> {
        let mut statement =
            self.db.prepare_cached("SELECT id, size, trashed IS NOT NULL FROM file WHERE hash = ?1").doing(DOING)?;
        let mut rows = statement.query([&hash.0[..]]).doing(DOING)?;
        let Some(row) = rows.next().doing(DOING)? else { return Ok(None) };
        let read = || -> rusqlite::Result<(i64, i64, bool)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?)) };
        let (id, size, trashed) = read().doing(DOING)?;
        self.known(id, &hash.0, codes::bytes(size), trashed).map(Some)
    }

    fn known(&self, id: i64, hash: &[u8], size: u64, trashed: bool) -> Result<KnownFile> {
        let copies = self.copies_of(FileId(id))?;
        Ok(KnownFile { file: FileId(id), hash: codes::content_hash(hash)?, size, copies, trashed })
    }

    /// Copies of a content that should be on disk.
    pub(crate) fn copies_of(&self, file: FileId) -> Result<Vec<CopyAt>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT c.root, c.path, f.size, c.mtime_ns, c.verified FROM copy c JOIN file f ON f.id = c.file \
                 WHERE c.file = ?1 AND c.state = 0 ORDER BY c.id",
            )
            .doing(DOING)?;
        let mut rows = statement.query([file.0]).doing(DOING)?;
        let mut copies = Vec::new();
        while let Some(row) = rows.next().doing(DOING)? {
            copies.extend(copy_at(row, 0)?);
        }
        Ok(copies)
    }

    /// Which of these sizes any known content has; a file of another size needs no quick key.
    pub fn sizes_known(&self, sizes: &[u64]) -> Result<HashSet<u64>> {
        let mut statement =
            self.db.prepare_cached("SELECT EXISTS (SELECT 1 FROM file WHERE size = ?1)").doing(DOING)?;
        let distinct: HashSet<u64> = sizes.iter().copied().collect();
        let mut known = HashSet::new();
        for size in distinct {
            if statement.query_row([codes::size(size)], |row| row.get(0)).doing(DOING)? {
                known.insert(size);
            }
        }
        Ok(known)
    }

    /// Notes that a copy is not on disk any more; `false` where none was recorded there.
    pub fn copy_vanished(&mut self, root: RootId, path: &BytePath) -> Result<bool> {
        let changed = self
            .db
            .prepare_cached("UPDATE copy SET state = ?3 WHERE root = ?1 AND path = ?2 AND state <> ?3")
            .and_then(|mut s| s.execute(params![root.0, path.as_bytes(), copy_state::VANISHED]))
            .doing("note that a copy has vanished")?;
        Ok(changed > 0)
    }

    /// Which of these paths are recorded in this root, as files or as sidecars that were written there.
    pub fn paths_taken(&self, root: RootId, paths: &[BytePath]) -> Result<HashSet<BytePath>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM copy WHERE root = ?1 AND path = ?2 AND state <> ?3) \
                 OR EXISTS (SELECT 1 FROM sidecar WHERE root = ?1 AND path = ?2)",
            )
            .doing(DOING)?;
        let mut taken = HashSet::new();
        for path in paths {
            let values = params![root.0, path.as_bytes(), copy_state::VANISHED];
            if statement.query_row(values, |row| row.get(0)).doing(DOING)? {
                taken.insert(path.clone());
            }
        }
        Ok(taken)
    }
}

type CardColumns = (Vec<u8>, Vec<u8>, (i64, i64), Option<i64>, bool);

fn card_columns(row: &Row<'_>) -> rusqlite::Result<CardColumns> {
    let trashed: Option<bool> = row.get(6)?;
    Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?), row.get(5)?, trashed.unwrap_or(false)))
}

/// A copy from five columns: root, path, size, time, proof; none where an outer join found none.
pub(crate) fn copy_at(row: &Row<'_>, first: usize) -> Result<Option<CopyAt>> {
    let root: Option<i64> = row.get(first).doing(DOING)?;
    let Some(root) = root else { return Ok(None) };
    let read = || -> rusqlite::Result<(Vec<u8>, i64, i64, Option<i64>)> {
        Ok((row.get(first + 1)?, row.get(first + 2)?, row.get(first + 3)?, row.get(first + 4)?))
    };
    let (path, size, mtime_ns, verified) = read().doing(DOING)?;
    Ok(Some(CopyAt {
        root: RootId(root),
        path: BytePath::from_bytes(&path),
        size: codes::bytes(size),
        mtime_ns,
        verified: verified.map(Verified::from_code).transpose()?,
    }))
}

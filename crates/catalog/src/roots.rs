//! Places where originals live: the library, further destinations, added folders.

use std::path::Path;

use lightfast_model::BytePath;
use rusqlite::{OptionalExtension as _, params};

use crate::codes::{self, copy_state};
use crate::error::Doing as _;
use crate::{Catalog, Result, Root, RootId};

const DOING: &str = "read roots";

/// What a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// The library itself, or a further destination; its name is kept in its own folder.
    Destination,
    /// A folder that was added where it lies; nothing of ours is in it.
    Added,
}

/// A root, and what is recorded in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootInfo {
    /// Its row, name and place.
    pub root: Root,
    /// What it is.
    pub kind: RootKind,
    /// Whether sidecars are written beside its photos, where it was added.
    pub sidecars: bool,
    /// Files that should be there.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

pub(crate) const ADDED: i64 = 1;

impl Catalog {
    /// The root of an added folder, made under `uuid` where it is new. Asking for sidecars holds from then on.
    pub fn added_root(&mut self, path: &Path, uuid: &str, sidecars: bool) -> Result<RootId> {
        let path = BytePath::from(path);
        let transaction = self.writing()?;
        let known: Option<i64> = transaction
            .query_row("SELECT id FROM root WHERE kind = ?1 AND path = ?2", params![ADDED, path.as_bytes()], |r| {
                r.get(0)
            })
            .optional()
            .doing(DOING)?;
        let id = match known {
            Some(id) => {
                transaction
                    .execute("UPDATE root SET sidecars = max(sidecars, ?2) WHERE id = ?1", params![id, sidecars])
                    .doing(DOING)?;
                id
            }
            None => transaction
                .query_row(
                    "INSERT INTO root (uuid, path, kind, sidecars) VALUES (?1, ?2, ?3, ?4) RETURNING id",
                    params![uuid, path.as_bytes(), ADDED, sidecars],
                    |r| r.get(0),
                )
                .doing(DOING)?,
        };
        transaction.commit().doing(DOING)?;
        Ok(RootId(id))
    }

    /// All roots, what each is, and whether sidecars are written in an added one; the oldest first.
    pub fn root_kinds(&self) -> Result<Vec<(Root, RootKind, bool)>> {
        let mut statement =
            self.db.prepare_cached("SELECT id, uuid, path, kind, sidecars FROM root ORDER BY id").doing(DOING)?;
        let rows = statement
            .query_map([], |r| {
                let path: Vec<u8> = r.get(2)?;
                let kind: i64 = r.get(3)?;
                let root = Root { id: RootId(r.get(0)?), uuid: r.get(1)?, path: BytePath::from_bytes(&path) };
                Ok((root, if kind == ADDED { RootKind::Added } else { RootKind::Destination }, r.get(4)?))
            })
            .doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }

    /// All roots with what is recorded in them, the oldest first.
    pub fn root_infos(&self) -> Result<Vec<RootInfo>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT r.id, r.uuid, r.path, r.kind, r.sidecars, count(c.id), ifnull(sum(f.size), 0) FROM root r \
                 LEFT JOIN copy c ON c.root = r.id AND c.state NOT IN (?1, ?2) LEFT JOIN file f ON f.id = c.file \
                 GROUP BY r.id ORDER BY r.id",
            )
            .doing(DOING)?;
        let rows = statement
            .query_map([copy_state::VANISHED, copy_state::TRASH], |r| {
                let path: Vec<u8> = r.get(2)?;
                let kind: i64 = r.get(3)?;
                Ok(RootInfo {
                    root: Root { id: RootId(r.get(0)?), uuid: r.get(1)?, path: BytePath::from_bytes(&path) },
                    kind: if kind == ADDED { RootKind::Added } else { RootKind::Destination },
                    sidecars: r.get(4)?,
                    files: codes::bytes(r.get(5)?),
                    bytes: codes::bytes(r.get(6)?),
                })
            })
            .doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }
}

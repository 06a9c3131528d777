//! What `verify` needs: every copy with its hash, and a place for the result.

use jiff::Timestamp;
use lightfast_model::{BytePath, ContentHash, PhotoId, Role, Verified};
use rusqlite::{Row, params};

use crate::codes::{self, Code as _, copy_state};
use crate::error::Doing as _;
use crate::{Catalog, CatalogError, FileId, Result, RootId};

/// A copy that `verify` should find on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The row of the copy: the cursor for the next page.
    pub row: i64,
    /// Its content's row.
    pub file: FileId,
    /// Its content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// Modification time as recorded, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its root.
    pub root: RootId,
    /// Relative to the root.
    pub path: BytePath,
    /// What it is to its photo; a sidecar may be edited.
    pub role: Role,
    /// The photo it belongs to.
    pub photo: Option<PhotoId>,
    /// How it was last proven.
    pub verified: Option<Verified>,
    /// When it was last checked by `verify`.
    pub checked_at: Option<Timestamp>,
    /// What the last check found; good where there was none.
    pub was: CheckedState,
}

/// What `verify` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckedState {
    /// The right bytes.
    Good,
    /// Other bytes.
    Changed,
    /// A sidecar with other bytes: edited, not bad.
    Edited,
    /// Not there.
    Missing,
    /// There, and cannot be read.
    Unreadable,
}

/// One result of `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The row of the copy, from [`Original::row`].
    pub row: i64,
    /// What was found.
    pub state: CheckedState,
    /// How it was read, where it is good.
    pub verified: Option<Verified>,
}

impl Catalog {
    /// The next page of copies after a row (0 begins), in the order of their rows; an empty page is the end.
    /// Copies that an earlier check found bad are among them; those in the trash are not.
    pub fn originals(&self, after: i64, limit: u32) -> Result<Vec<Original>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT c.id, c.file, f.hash, f.size, c.mtime_ns, c.root, c.path, m.role, p.uid, c.verified, \
                        c.checked_at, c.state \
                 FROM copy c JOIN file f ON f.id = c.file \
                 LEFT JOIN member m ON m.file = f.id \
                   AND m.photo = (SELECT min(photo) FROM member WHERE file = f.id) \
                 LEFT JOIN photo p ON p.id = m.photo \
                 WHERE c.id > ?1 AND c.state <> ?3 ORDER BY c.id LIMIT ?2",
            )
            .doing("read originals")?;
        let mut rows = statement.query(params![after, limit, copy_state::TRASH]).doing("read originals")?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().doing("read originals")? {
            found.push(original(row)?);
        }
        Ok(found)
    }

    /// Keeps results of `verify`, in one transaction. An edited sidecar stays as recorded.
    pub fn record_verified(&mut self, checked: &[Checked], now: Timestamp) -> Result<()> {
        let transaction = self.writing()?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "UPDATE copy SET state = ?2, checked_at = ?3, verified = ifnull(?4, verified), \
                       verified_at = CASE WHEN ?4 IS NULL THEN verified_at ELSE ?3 END WHERE id = ?1",
                )
                .doing("keep what was verified")?;
            for result in checked {
                let state = match result.state {
                    CheckedState::Good | CheckedState::Edited => copy_state::PRESENT,
                    CheckedState::Changed => copy_state::CHANGED,
                    CheckedState::Missing => copy_state::VANISHED,
                    CheckedState::Unreadable => copy_state::UNREADABLE,
                };
                let verified = result.verified.filter(|_| result.state == CheckedState::Good).map(|v| v.code());
                let changed = statement
                    .execute(params![result.row, state, codes::micros(now), verified])
                    .doing("keep what was verified")?;
                if changed == 0 {
                    return Err(CatalogError::Unknown { what: "copy", name: result.row.to_string() });
                }
            }
        }
        transaction.commit().doing("keep what was verified")
    }

    /// Notes that one copy was read back and is good, and how; an import does so for what an earlier one left unproven.
    pub fn record_proof(&mut self, root: RootId, path: &BytePath, verified: Verified, now: Timestamp) -> Result<()> {
        const DOING: &str = "keep what was verified";
        let sql = "UPDATE copy SET verified = ?3, verified_at = ?4, checked_at = ?4, state = ?5 WHERE root = ?1 AND path = ?2";
        let values = params![root.0, path.as_bytes(), verified.code(), codes::micros(now), copy_state::PRESENT];
        let transaction = self.writing()?;
        transaction.execute(sql, values).doing(DOING)?;
        transaction.commit().doing(DOING)
    }
}

fn original(row: &Row<'_>) -> Result<Original> {
    let read = || -> rusqlite::Result<_> {
        let blobs: (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(6)?);
        let ids: (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(5)?);
        let numbers: (i64, i64) = (row.get(3)?, row.get(4)?);
        let codes: (Option<i64>, Option<i64>, Option<i64>, i64) =
            (row.get(7)?, row.get(9)?, row.get(10)?, row.get(11)?);
        Ok((blobs, ids, numbers, codes, row.get::<_, Option<String>>(8)?))
    };
    let ((hash, path), (id, file, root), (size, mtime_ns), (role, verified, checked_at, state), photo) =
        read().doing("read originals")?;
    Ok(Original {
        row: id,
        file: FileId(file),
        hash: codes::content_hash(&hash)?,
        size: codes::bytes(size),
        mtime_ns,
        root: RootId(root),
        path: BytePath::from_bytes(&path),
        role: role.map_or(Ok(Role::Other), Role::from_code)?,
        photo: photo.as_deref().and_then(PhotoId::parse),
        verified: verified.map(Verified::from_code).transpose()?,
        checked_at: checked_at.map(codes::timestamp).transpose()?,
        was: match state {
            copy_state::VANISHED => CheckedState::Missing,
            copy_state::CHANGED => CheckedState::Changed,
            copy_state::UNREADABLE => CheckedState::Unreadable,
            _ => CheckedState::Good,
        },
    })
}

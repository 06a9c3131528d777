//! Reading photos with their marks and what is known of their sidecars.

use std::collections::{HashMap, HashSet};

use lightfast_model::{BytePath, Flag, Label, Orientation, PhotoId, Role, SessionId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{MainFile, MarkedPhoto, Marks, Naming, SidecarBase};
use crate::codes::{self, Code as _, copy_state};
use crate::error::Doing as _;
use crate::marks::{field, keywords};
use crate::{Catalog, CatalogError, Result, RootId, oriented};

const DOING: &str = "read sidecars";

impl Catalog {
    /// Rows of photos whose marks no sidecar has yet, after a row, in order.
    pub fn sidecars_due(&self, after: i64, limit: u32) -> Result<Vec<i64>> {
        self.numbers("SELECT id FROM photo WHERE due = 1 AND id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
    }

    /// Rows of photos that have an XMP file among their files, of one session.
    pub fn photos_with_sidecars(&self, session: SessionId) -> Result<Vec<i64>> {
        self.numbers(
            "SELECT DISTINCT p.id FROM photo p JOIN member m ON m.photo = p.id JOIN copy c ON c.file = m.file \
             WHERE p.session = ?1 AND m.role = ?2 AND lower(substr(CAST(c.path AS TEXT), -4)) = '.xmp' ORDER BY p.id",
            params![session.0, Role::Sidecar.code()],
        )
    }

    /// Rows of photos whose sidecars are known in a root, and of those with a conflict.
    pub fn photos_with_known_sidecars(&self, root: RootId) -> Result<Vec<i64>> {
        self.numbers(
            "SELECT DISTINCT photo FROM sidecar WHERE root = ?1 \
             UNION SELECT id FROM photo WHERE conflict = 1 ORDER BY 1",
            params![root.0],
        )
    }

    /// The photo whose sidecar, or whose file, was last known at a path.
    pub fn row_at(&self, root: RootId, path: &BytePath) -> Result<Option<i64>> {
        self.db
            .prepare_cached(
                "SELECT photo FROM sidecar WHERE root = ?1 AND path = ?2 UNION ALL \
                 SELECT m.photo FROM copy c JOIN member m ON m.file = c.file WHERE c.root = ?1 AND c.path = ?2 LIMIT 1",
            )
            .and_then(|mut s| s.query_row(params![root.0, path.as_bytes()], |row| row.get(0)).optional())
            .doing(DOING)
    }

    /// The photos whose sidecar, or else whose file, was last known at a path: one content may be a file of several.
    pub fn rows_at(&self, root: RootId, path: &BytePath) -> Result<Vec<i64>> {
        let sidecar =
            self.numbers("SELECT photo FROM sidecar WHERE root = ?1 AND path = ?2", params![root.0, path.as_bytes()])?;
        if !sidecar.is_empty() {
            return Ok(sidecar);
        }
        self.numbers(
            "SELECT m.photo FROM copy c JOIN member m ON m.file = c.file WHERE c.root = ?1 AND c.path = ?2",
            params![root.0, path.as_bytes()],
        )
    }

    /// The photo whose RAW lies at a path but for its extension.
    pub fn raw_of_stem(&self, root: RootId, stem: &BytePath) -> Result<Option<i64>> {
        let mut low = stem.as_bytes().to_vec();
        low.push(b'.');
        let mut high = stem.as_bytes().to_vec();
        high.push(b'.' + 1);
        self.db
            .prepare_cached(
                "SELECT m.photo FROM copy c JOIN member m ON m.file = c.file \
                 WHERE c.root = ?1 AND c.path >= ?2 AND c.path < ?3 AND m.role = ?4 \
                 AND instr(substr(c.path, length(?2) + 1), X'2E') = 0 LIMIT 1",
            )
            .and_then(|mut s| s.query_row(params![root.0, low, high, Role::Raw.code()], |row| row.get(0)).optional())
            .doing(DOING)
    }

    fn numbers(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<i64>> {
        self.db.prepare_cached(sql).and_then(|mut s| s.query_map(values, |row| row.get(0))?.collect()).doing(DOING)
    }

    /// Photos by row, with their marks and what is known of their sidecars; those in the trash are left out.
    pub fn marked_photos(&self, rows: &[i64]) -> Result<Vec<MarkedPhoto>> {
        let _one_state = self.reading()?;
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let Some((id, orientation, due, conflict)) = head(&self.db, *row)? else { continue };
            found.push(MarkedPhoto {
                row: *row,
                id,
                marks: marks_of(&self.db, *row)?,
                orientation: Orientation::new(orientation).unwrap_or_default(),
                due,
                conflict,
                main: main_files(&self.db, *row)?,
                companions: companions(&self.db, *row)?,
                bases: bases(&self.db, *row)?,
            });
        }
        Ok(found)
    }

    /// What photos had before any mark that is in the log, as far as it differs from what they have now. To be asked for
    /// where a sidecar turns up that was never read: what a person marked since is a change of ours.
    pub fn marks_before(&self, photos: &[MarkedPhoto]) -> Result<HashMap<i64, Marks>> {
        let mut before: HashMap<i64, (Marks, Orientation)> =
            photos.iter().map(|photo| (photo.row, (photo.marks.clone(), photo.orientation))).collect();
        let rows = serde_json::to_string(&before.keys().collect::<Vec<_>>()).unwrap_or_default();
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT m.photo, m.field, m.item, m.before, k.text FROM mark m LEFT JOIN keyword k \
                 ON m.field = ?2 AND k.id = m.item WHERE m.photo IN (SELECT value FROM json_each(?1)) ORDER BY m.step",
            )
            .doing(DOING)?;
        let mut rows = statement.query(params![rows, field::KEYWORD]).doing(DOING)?;
        let mut seen: HashSet<(i64, i64, i64)> = HashSet::new();
        while let Some(row) = rows.next().doing(DOING)? {
            let read = || -> rusqlite::Result<(i64, i64, i64)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?)) };
            let (photo, field, item) = read().doing(DOING)?;
            if seen.insert((photo, field, item))
                && let Some((marks, orientation)) = before.get_mut(&photo)
            {
                take_back(marks, *orientation, field, row)?;
            }
        }
        Ok(before.into_iter().map(|(row, (marks, _))| (row, marks.in_order())).collect())
    }
}

/// Sets one field to what the log says was before; columns 3 and 4 are the value and the keyword.
fn take_back(marks: &mut Marks, own: Orientation, field: i64, row: &Row<'_>) -> Result<()> {
    let number = || row.get::<_, Option<i64>>(3).doing(DOING).map(Option::unwrap_or_default);
    let text = || row.get::<_, Option<String>>(3).doing(DOING);
    match field {
        field::RATING => marks.rating = stars(number()?),
        field::FLAG => marks.flag = Flag::from_code(number()?).ok(),
        field::LABEL => marks.label = Label::from_code(number()?).ok(),
        field::TURNED => marks.orientation = turned(own, number()?),
        field::TITLE => marks.title = text()?,
        field::CAPTION => marks.caption = text()?,
        field::CREATOR => marks.creator = text()?,
        field::COPYRIGHT => marks.copyright = text()?,
        field::KEYWORD => {
            let Some(keyword) = row.get::<_, Option<String>>(4).doing(DOING)? else { return Ok(()) };
            marks.keywords.retain(|known| Marks::fold(known) != Marks::fold(&keyword));
            if number()? == 1 {
                marks.keywords.push(keyword);
            }
        }
        _ => {}
    }
    Ok(())
}

fn stars(code: i64) -> u8 {
    code.clamp(0, 5) as u8
}

/// The orientation with a person's turns; none where there are none.
fn turned(own: Orientation, quarters: i64) -> Option<u8> {
    let quarters = quarters.rem_euclid(4) as u8;
    (quarters > 0).then(|| oriented::turned(own.value(), quarters))
}

fn head(db: &Connection, row: i64) -> Result<Option<(PhotoId, u16, bool, bool)>> {
    let found: Option<(String, u16, bool, bool)> = db
        .prepare_cached("SELECT uid, orientation, due, conflict FROM photo WHERE id = ?1 AND trashed IS NULL")
        .and_then(|mut s| s.query_row([row], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))).optional())
        .doing(DOING)?;
    let Some((uid, orientation, due, conflict)) = found else { return Ok(None) };
    let id = PhotoId::parse(&uid).ok_or(CatalogError::Value { what: "photo id", value: uid })?;
    Ok(Some((id, orientation, due, conflict)))
}

/// What a photo has now.
pub(super) fn marks_of(db: &Connection, row: i64) -> Result<Marks> {
    type Columns = ((i64, i64, i64, i64, u16), [Option<String>; 4]);
    let ((rating, flag, label, quarters, own), texts): Columns = db
        .prepare_cached(
            "SELECT p.rating, p.flag, p.label, p.turned, p.orientation, t.title, t.caption, t.creator, t.copyright \
             FROM photo p JOIN photo_text t ON t.photo = p.id WHERE p.id = ?1",
        )
        .and_then(|mut s| {
            s.query_row([row], |r| {
                let numbers = (r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?);
                Ok((numbers, [r.get(5)?, r.get(6)?, r.get(7)?, r.get(8)?]))
            })
        })
        .doing(DOING)?;
    let [title, caption, creator, copyright] = texts.map(|text| text.filter(|t| !t.trim().is_empty()));
    let marks = Marks {
        rating: stars(rating),
        flag: Flag::from_code(flag).ok(),
        label: Label::from_code(label).ok(),
        orientation: turned(Orientation::new(own).unwrap_or_default(), quarters),
        title,
        caption,
        creator,
        copyright,
        keywords: keywords(db, row)?,
    };
    Ok(marks.in_order())
}

/// Copies of the most primary member that has any.
fn main_files(db: &Connection, row: i64) -> Result<Vec<MainFile>> {
    let copies: Vec<(i64, i64, Vec<u8>)> = db
        .prepare_cached(
            "SELECT m.role, c.root, c.path FROM member m JOIN copy c ON c.file = m.file \
             WHERE m.photo = ?1 AND m.role < ?2 AND c.state NOT IN (?3, ?4) ORDER BY m.role, m.file, c.id",
        )
        .and_then(|mut s| {
            let values = params![row, Role::Audio.code(), copy_state::VANISHED, copy_state::TRASH];
            s.query_map(values, |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect()
        })
        .doing(DOING)?;
    let mut found: Vec<MainFile> = Vec::new();
    for (role, root, path) in copies {
        if !found.iter().any(|main| main.root == RootId(root)) {
            found.push(MainFile {
                root: RootId(root),
                path: BytePath::from_bytes(&path),
                role: Role::from_code(role)?,
            });
        }
    }
    Ok(found)
}

fn companions(db: &Connection, row: i64) -> Result<Vec<(RootId, BytePath)>> {
    let copies: Vec<(i64, Vec<u8>)> = db
        .prepare_cached(
            "SELECT c.root, c.path FROM member m JOIN copy c ON c.file = m.file \
             WHERE m.photo = ?1 AND m.role = ?2 AND c.state NOT IN (?3, ?4) ORDER BY c.id",
        )
        .and_then(|mut s| {
            let values = params![row, Role::Sidecar.code(), copy_state::VANISHED, copy_state::TRASH];
            s.query_map(values, |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
        })
        .doing(DOING)?;
    Ok(copies.into_iter().map(|(root, path)| (RootId(root), BytePath::from_bytes(&path))).collect())
}

fn bases(db: &Connection, row: i64) -> Result<Vec<SidecarBase>> {
    type Columns = (i64, i64, Vec<u8>, Vec<u8>, String);
    let rows: Vec<Columns> = db
        .prepare_cached("SELECT root, naming, path, hash, base FROM sidecar WHERE photo = ?1 ORDER BY root, naming")
        .and_then(|mut s| {
            s.query_map([row], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?)))?.collect()
        })
        .doing(DOING)?;
    rows.into_iter()
        .map(|(root, naming, path, hash, base)| {
            Ok(SidecarBase {
                root: RootId(root),
                naming: if naming == Naming::Stem.code() { Naming::Stem } else { Naming::WithExtension },
                path: BytePath::from_bytes(&path),
                hash: codes::content_hash(&hash)?,
                base: serde_json::from_str(&base)
                    .map_err(|_| CatalogError::Value { what: "sidecar's properties", value: base })?,
            })
        })
        .collect()
}

//! Reading photos: pages of a query, one photo, its previews.
//!
//! A page is found as row numbers first, by an index where there is one, and then read row by row: whatever the
//! order, a sort never moves more than numbers.

use std::sync::Arc;

use lightfast_model::{
    BytePath, ContentHash, Copy, Flag, Label, Orientation, Photo, PhotoFile, PhotoId, PhotoKind, Preview,
    PreviewSource, Ratio, Role, Verified,
};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, OptionalExtension as _, Row, params, params_from_iter};

use crate::codes::{self, Code};
use crate::error::Doing as _;
use crate::query::Condition;
use crate::writer::fold;
use crate::{Catalog, CatalogError, CopyAt, FileId, Query, Result, RootId, oriented};

const DOING: &str = "read photos";

/// What photos are sorted by.
#[derive(Clone, std::marker::Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortKey {
    /// Capture time.
    #[default]
    Taken,
    /// Time of the import.
    Imported,
    /// Stars.
    Rating,
    /// File name.
    Name,
    /// The place in the album of this number.
    Album(i64),
}

/// An order of photos; equal ones are told apart by capture time, then by row, so that pages never overlap.
#[derive(Clone, std::marker::Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sort {
    /// What they are sorted by.
    pub key: SortKey,
    /// Largest, or newest, first.
    pub descending: bool,
}

impl Sort {
    pub(crate) fn sql(self) -> String {
        let order = match (self.key, self.descending) {
            (SortKey::Taken, false) => "p.taken, p.id",
            (SortKey::Taken, true) => "p.taken DESC, p.id DESC",
            (SortKey::Imported, false) => "p.imported, p.taken, p.id",
            (SortKey::Imported, true) => "p.imported DESC, p.taken DESC, p.id DESC",
            (SortKey::Rating, false) => "p.rating, p.taken, p.id",
            (SortKey::Rating, true) => "p.rating DESC, p.taken DESC, p.id DESC",
            (SortKey::Name, false) => "p.name COLLATE NOCASE, p.taken, p.id",
            (SortKey::Name, true) => "p.name COLLATE NOCASE DESC, p.taken DESC, p.id DESC",
            (SortKey::Album(album), descending) => {
                let way = if descending { " DESC" } else { "" };
                let place = format!("(SELECT place FROM album_photo WHERE album = {album} AND photo = p.id)");
                return format!("{place}{way}, p.taken{way}, p.id{way}");
            }
        };
        order.to_owned()
    }
}

/// Where a photo's previews lie.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedPreviews {
    /// The content that they are in.
    pub hash: ContentHash,
    /// What that file is to the photo.
    pub role: Role,
    /// Copies of that content that should be on disk.
    pub copies: Vec<CopyAt>,
    /// The previews, largest first.
    pub previews: Vec<Preview>,
    /// What must be done to the main picture's own pixels to see it upright.
    pub orientation: Orientation,
    /// Quarter turns clockwise that the person added.
    pub turned: u8,
}

impl Catalog {
    /// A page of the photos that match.
    pub fn photos(&self, query: &Query, sort: Sort, limit: Option<u32>, offset: u64) -> Result<Vec<Photo>> {
        let _one_state = self.reading()?;
        let rows = self.rows(query, sort, limit, offset)?;
        self.read_rows(&rows)
    }

    /// The row numbers of a page of the photos that match: what the app's index speaks of.
    pub fn rows(&self, query: &Query, sort: Sort, limit: Option<u32>, offset: u64) -> Result<Vec<u32>> {
        let Condition { sql, mut values } = Condition::of(query, &self.db, &self.zone)?;
        let sql = format!(
            "SELECT p.id FROM photo p WHERE {sql} ORDER BY {} LIMIT ?{} OFFSET ?{}",
            sort.sql(),
            values.len() + 1,
            values.len() + 2
        );
        values.push(Value::Integer(limit.map_or(-1, i64::from)));
        values.push(Value::Integer(codes::size(offset)));
        let mut statement = self.db.prepare_cached(&sql).doing(DOING)?;
        let rows = statement.query_map(params_from_iter(values), |row| row.get(0)).doing(DOING)?;
        rows.collect::<rusqlite::Result<_>>().doing(DOING)
    }

    /// Photos by row number, in the order asked; a number that is gone is left out.
    pub fn photos_of_rows(&self, rows: &[u32]) -> Result<Vec<Photo>> {
        let _one_state = self.reading()?;
        self.read_rows(rows)
    }

    fn read_rows(&self, rows: &[u32]) -> Result<Vec<Photo>> {
        let mut reader = Reader::new(self)?;
        let mut photos = Vec::with_capacity(rows.len());
        for row in rows {
            photos.extend(reader.photo(i64::from(*row))?);
        }
        Ok(photos)
    }

    /// One photo, wherever it is.
    pub fn photo(&self, id: &PhotoId) -> Result<Option<Photo>> {
        let _one_state = self.reading()?;
        match self.row_of(id)? {
            Some(row) => Reader::new(self)?.photo(row),
            None => Ok(None),
        }
    }

    /// The row number of a photo.
    pub(crate) fn row_of(&self, id: &PhotoId) -> Result<Option<i64>> {
        self.db
            .prepare_cached("SELECT id FROM photo WHERE uid = ?1")
            .and_then(|mut s| s.query_row([id.as_str()], |row| row.get(0)).optional())
            .doing(DOING)
    }

    /// The photo that has a file at this path, relative to any root.
    pub fn photo_by_path(&self, path: &BytePath) -> Result<Option<Photo>> {
        for root in self.roots()? {
            if let Some(id) = self.photo_at(root.id, path)? {
                return self.photo(&id);
            }
        }
        Ok(None)
    }

    /// The photo that has a file at this path of this root.
    pub fn photo_at(&self, root: RootId, path: &BytePath) -> Result<Option<PhotoId>> {
        let uid: Option<String> = self
            .db
            .prepare_cached(
                "SELECT p.uid FROM copy c JOIN member m ON m.file = c.file JOIN photo p ON p.id = m.photo \
                 WHERE c.root = ?1 AND c.path = ?2 ORDER BY p.id LIMIT 1",
            )
            .and_then(|mut s| s.query_row(params![root.0, path.as_bytes()], |row| row.get(0)).optional())
            .doing(DOING)?;
        Ok(uid.as_deref().and_then(PhotoId::parse))
    }

    /// How many photos match.
    pub fn count(&self, query: &Query) -> Result<u64> {
        if query.is_all() {
            return self.count_all();
        }
        let Condition { sql, values } = Condition::of(query, &self.db, &self.zone)?;
        self.db
            .prepare_cached(&format!("SELECT count(*) FROM photo p WHERE {sql}"))
            .and_then(|mut s| s.query_row(params_from_iter(values), |row| row.get(0)))
            .doing(DOING)
            .map(codes::bytes)
    }

    /// How many photos hold a picture of the camera's of (nearly) full size, so that no 1:1 has to be made for them.
    pub fn count_with_full_preview(&self) -> Result<u64> {
        self.db
            .prepare_cached(
                "SELECT count(*) FROM photo p WHERE p.trashed IS NULL AND EXISTS (\
                   SELECT 1 FROM member m JOIN preview v ON v.file = m.file WHERE m.photo = p.id \
                   AND max(v.width, v.height) * 10 >= max(p.width, p.height) * 9)",
            )
            .and_then(|mut s| s.query_row([], |row| row.get(0)))
            .doing(DOING)
            .map(codes::bytes)
    }

    /// The previews inside a photo's files, the most primary file first.
    pub fn previews_of(&self, id: &PhotoId) -> Result<Vec<LocatedPreviews>> {
        let _one_state = self.reading()?;
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT f.id, f.hash, f.orientation, m.role, p.turned FROM photo p JOIN member m ON m.photo = p.id \
                 JOIN file f ON f.id = m.file WHERE p.uid = ?1 ORDER BY m.role, f.id",
            )
            .doing(DOING)?;
        let files: Vec<(i64, Vec<u8>, u16, i64, u8)> = statement
            .query_map([id.as_str()], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?)))
            .and_then(Iterator::collect)
            .doing(DOING)?;
        let mut found = Vec::new();
        for (file, hash, orientation, role, turned) in files {
            let previews = self.previews_in(file)?;
            if previews.is_empty() {
                continue;
            }
            found.push(LocatedPreviews {
                hash: codes::content_hash(&hash)?,
                role: Role::from_code(role)?,
                copies: self.copies_of(FileId(file))?,
                previews,
                orientation: Orientation::new(orientation).unwrap_or_default(),
                turned,
            });
        }
        Ok(found)
    }

    fn previews_in(&self, file: i64) -> Result<Vec<Preview>> {
        let mut statement = self
            .db
            .prepare_cached(
                "SELECT source, offset, length, width, height, orientation FROM preview WHERE file = ?1 ORDER BY n",
            )
            .doing(DOING)?;
        let columns: Vec<(i64, i64, i64, u32, u32, u16)> = statement
            .query_map([file], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?)))
            .and_then(Iterator::collect)
            .doing(DOING)?;
        let preview = |(source, offset, length, width, height, orientation)| {
            Ok(Preview {
                source: PreviewSource::from_code(source)?,
                offset: codes::bytes(offset),
                length: codes::bytes(length),
                width,
                height,
                orientation: Orientation::new(orientation).unwrap_or_default(),
            })
        };
        columns.into_iter().map(preview).collect()
    }

    /// The name of a number.
    pub(crate) fn name(&self, id: Option<i64>) -> Result<Option<String>> {
        let Some(id) = id else { return Ok(None) };
        if let Some(name) = self.terms.borrow().get(&id) {
            return Ok(Some(name.to_string()));
        }
        let name: String = self
            .db
            .prepare_cached("SELECT text FROM term WHERE id = ?1")
            .and_then(|mut s| s.query_row([id], |row| row.get(0)))
            .doing(DOING)?;
        self.terms.borrow_mut().insert(id, Arc::from(name.as_str()));
        Ok(Some(name))
    }
}

/// Reads photos one after the other with the same statements.
struct Reader<'c> {
    catalog: &'c Catalog,
    photo: CachedStatement<'c>,
    keywords: CachedStatement<'c>,
    files: CachedStatement<'c>,
}

impl<'c> Reader<'c> {
    fn new(catalog: &'c Catalog) -> Result<Self> {
        let prepare = |sql: &str| catalog.db.prepare_cached(sql).doing(DOING);
        Ok(Self {
            catalog,
            photo: prepare(&format!(
                "SELECT {COLUMNS} FROM photo p JOIN photo_text t ON t.photo = p.id WHERE p.id = ?1"
            ))?,
            // Few rows each: sorted here, which saves SQLite a sorter a photo.
            keywords: prepare(
                "SELECT k.text FROM photo_keyword pk JOIN keyword k ON k.id = pk.keyword WHERE pk.photo = ?1",
            )?,
            files: prepare(
                "SELECT m.role, f.id, f.size, f.hash, r.uuid, c.path, c.verified, c.verified_at \
                 FROM member m JOIN file f ON f.id = m.file LEFT JOIN copy c ON c.file = f.id AND c.state <> 1 \
                 LEFT JOIN root r ON r.id = c.root WHERE m.photo = ?1",
            )?,
        })
    }

    fn photo(&mut self, row: i64) -> Result<Option<Photo>> {
        let columns = self.photo.query_row([row], Columns::read).optional().doing(DOING)?;
        let Some(c) = columns else { return Ok(None) };
        let keywords = self.keywords.query_map([row], |row| row.get(0)).doing(DOING)?;
        let mut keywords: Vec<String> = keywords.collect::<rusqlite::Result<_>>().doing(DOING)?;
        keywords.sort_by_cached_key(|k| fold(k));
        let files = self.files(row)?;
        let taken = codes::capture_time(c.taken.0, c.taken.1, c.taken.2, c.taken.3, c.utc_offset)?;
        let (width, height) = if c.turned % 2 == 1 { (c.size.1, c.size.0) } else { c.size };
        let name = |id| self.catalog.name(id);
        Ok(Some(Photo {
            id: PhotoId::parse(&c.uid).ok_or(CatalogError::Value { what: "photo id", value: c.uid })?,
            kind: PhotoKind::from_code(c.kind)?,
            taken: Some(taken.taken()),
            utc_offset: taken.offset(),
            taken_from: Some(taken.from),
            camera: name(c.camera)?,
            make: name(c.make)?,
            serial: name(c.serial)?,
            lens: name(c.lens)?,
            iso: c.iso,
            iso_auto: c.iso_auto,
            exposure: exposure(c.exposure),
            aperture: c.aperture,
            focal_length: c.focal,
            width,
            height,
            orientation: Some(oriented::turned(c.orientation, c.turned)),
            duration: c.duration,
            rating: c.rating,
            flag: some_word::<Flag>(c.flag)?,
            label: some_word::<Label>(c.label)?,
            title: c.texts.0,
            caption: c.texts.1,
            creator: c.texts.2,
            copyright: c.texts.3,
            keywords,
            gps: c.place.0.zip(c.place.1).map(|(latitude, longitude)| [latitude, longitude]),
            job: name(c.job)?,
            imported: Some(shown(c.imported)?),
            files,
        }))
    }

    fn files(&mut self, row: i64) -> Result<Vec<PhotoFile>> {
        let mut rows = self.files.query([row]).doing(DOING)?;
        let mut files: Vec<(i64, PhotoFile)> = Vec::new();
        while let Some(row) = rows.next().doing(DOING)? {
            let id: i64 = row.get(1).doing(DOING)?;
            if files.last().is_none_or(|(last, _)| *last != id) {
                let read = || -> rusqlite::Result<(i64, i64, Vec<u8>)> { Ok((row.get(0)?, row.get(2)?, row.get(3)?)) };
                let (role, size, hash) = read().doing(DOING)?;
                let file = PhotoFile {
                    role: Role::from_code(role)?,
                    bytes: codes::bytes(size),
                    hash: codes::content_hash(&hash)?,
                    copies: Vec::new(),
                };
                files.push((id, file));
            }
            if let (Some((_, file)), Some(copy)) = (files.last_mut(), copy(row)?) {
                file.copies.push(copy);
            }
        }
        files.sort_by_key(|(id, file)| (file.role.code(), *id));
        Ok(files.into_iter().map(|(_, file)| file).collect())
    }
}

/// The copy in the last four columns of a row, where an outer join found one.
fn copy(row: &Row<'_>) -> Result<Option<Copy>> {
    let root: Option<String> = row.get(4).doing(DOING)?;
    let Some(root) = root else { return Ok(None) };
    let read =
        || -> rusqlite::Result<(Vec<u8>, Option<i64>, Option<i64>)> { Ok((row.get(5)?, row.get(6)?, row.get(7)?)) };
    let (path, verified, at) = read().doing(DOING)?;
    Ok(Some(Copy {
        root,
        path: BytePath::from_bytes(&path),
        verified: verified.map(Verified::from_code).transpose()?,
        verified_at: at.filter(|_| verified.is_some()).map(shown).transpose()?,
    }))
}

/// An instant as JSON shows it: RFC 3339 in UTC, to the second.
pub(crate) fn shown(micros: i64) -> Result<String> {
    Ok(codes::timestamp(micros)?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

fn exposure(parts: (Option<i64>, Option<i64>)) -> Option<String> {
    let (num, den) = parts.0.zip(parts.1)?;
    (den > 0 && num >= 0).then(|| Ratio { num: codes::bytes(num), den: codes::bytes(den) }.exposure())
}

/// A word of a set in which 0 is none.
fn some_word<T: Code>(code: i64) -> Result<Option<T>> {
    if code == 0 { Ok(None) } else { T::from_code(code).map(Some) }
}

/// The columns that [`Columns::read`] takes, in its order.
const COLUMNS: &str = "p.uid, p.kind, p.taken, p.taken_nanos, p.taken_digits, p.taken_from, p.utc_offset, \
    p.rating, p.flag, p.label, p.turned, p.camera, p.make, p.serial, p.lens, p.job, p.iso, \
    p.iso_auto, p.exposure_num, p.exposure_den, p.aperture, p.focal, p.width, p.height, \
    p.orientation, p.duration, p.latitude, p.longitude, p.imported, t.title, t.caption, \
    t.creator, t.copyright";

struct Columns {
    uid: String,
    kind: i64,
    taken: (i64, i64, i64, i64),
    utc_offset: Option<i32>,
    rating: u8,
    flag: i64,
    label: i64,
    turned: u8,
    camera: Option<i64>,
    make: Option<i64>,
    serial: Option<i64>,
    lens: Option<i64>,
    job: Option<i64>,
    iso: Option<u32>,
    iso_auto: Option<bool>,
    exposure: (Option<i64>, Option<i64>),
    aperture: Option<f64>,
    focal: Option<f64>,
    size: (Option<u32>, Option<u32>),
    orientation: u8,
    duration: Option<f64>,
    place: (Option<f64>, Option<f64>),
    imported: i64,
    texts: (Option<String>, Option<String>, Option<String>, Option<String>),
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            uid: row.get(0)?,
            kind: row.get(1)?,
            taken: (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?),
            utc_offset: row.get(6)?,
            rating: row.get(7)?,
            flag: row.get(8)?,
            label: row.get(9)?,
            turned: row.get(10)?,
            camera: row.get(11)?,
            make: row.get(12)?,
            serial: row.get(13)?,
            lens: row.get(14)?,
            job: row.get(15)?,
            iso: row.get(16)?,
            iso_auto: row.get(17)?,
            exposure: (row.get(18)?, row.get(19)?),
            aperture: row.get(20)?,
            focal: row.get(21)?,
            size: (row.get(22)?, row.get(23)?),
            orientation: row.get(24)?,
            duration: row.get(25)?,
            place: (row.get(26)?, row.get(27)?),
            imported: row.get(28)?,
            texts: (row.get(29)?, row.get(30)?, row.get(31)?, row.get(32)?),
        })
    }
}

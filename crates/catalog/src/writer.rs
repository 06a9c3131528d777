//! Writing files, copies, photos and members inside one transaction. `publish`, `rebuild` and made catalogues
//! all write through here, so the rules of what a photo is made of stand in one place.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, Facts, Kind, PhotoId, PhotoKind, QuickKey, Role, SessionId, Verified,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::codes::{self, Code as _, copy_state};
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::photo_row::PhotoRow;
use crate::{FileId, Result, RootId, search};

/// A content that may be new.
pub(crate) struct NewFile<'a> {
    pub(crate) hash: ContentHash,
    pub(crate) size: u64,
    pub(crate) quick: Option<QuickKey>,
    pub(crate) facts: Option<&'a Facts>,
}

/// A copy that may be new.
pub(crate) struct NewCopy<'a> {
    pub(crate) file: FileId,
    pub(crate) root: RootId,
    pub(crate) path: &'a BytePath,
    pub(crate) mtime_ns: i64,
    pub(crate) verified: Option<Verified>,
    pub(crate) verified_at: Timestamp,
    pub(crate) session: Option<SessionId>,
}

/// A file that comes to its photo.
pub(crate) struct Arrival<'a> {
    pub(crate) file: FileId,
    pub(crate) uid: &'a PhotoId,
    pub(crate) role: Role,
    pub(crate) kind: PhotoKind,
    pub(crate) taken: CaptureTime,
    pub(crate) facts: Option<&'a Facts>,
    pub(crate) path: &'a BytePath,
    pub(crate) source: &'a BytePath,
    pub(crate) job: Option<&'a str>,
    pub(crate) session: Option<SessionId>,
    pub(crate) imported: Timestamp,
}

/// Writes inside one transaction; [`Writer::finish`] ends it.
pub(crate) struct Writer<'t> {
    pub(crate) db: &'t Connection,
    pub(crate) revision: i64,
    terms: HashMap<(i64, String), i64>,
    keywords: HashMap<String, i64>,
    /// Photos whose words are to be written by [`Writer::finish`].
    new_words: Vec<i64>,
    changed_words: BTreeSet<i64>,
}

impl<'t> Writer<'t> {
    pub(crate) fn begin(db: &'t Connection) -> Result<Self> {
        Ok(Self {
            db,
            revision: next_revision(db)?,
            terms: HashMap::new(),
            keywords: HashMap::new(),
            new_words: Vec::new(),
            changed_words: BTreeSet::new(),
        })
    }

    /// Writes what was put off; to be called before the commit.
    pub(crate) fn finish(mut self) -> Result<()> {
        for new in &self.new_words {
            self.changed_words.remove(new);
        }
        search::refresh(self.db, &self.new_words, true)?;
        let changed: Vec<i64> = self.changed_words.into_iter().collect();
        search::refresh(self.db, &changed, false)
    }

    /// The row of a content, made where it is new. Content that was in the trash is not any more: it is here.
    pub(crate) fn file(&self, new: &NewFile<'_>) -> Result<FileId> {
        let doing = "note a content";
        let known: Option<(i64, bool)> = self
            .db
            .prepare_cached("SELECT id, trashed IS NOT NULL FROM file WHERE hash = ?1")
            .and_then(|mut s| s.query_row([&new.hash.0[..]], |row| Ok((row.get(0)?, row.get(1)?))).optional())
            .doing(doing)?;
        if let Some((id, trashed)) = known {
            if trashed {
                self.db.execute("UPDATE file SET trashed = NULL WHERE id = ?1", [id]).doing(doing)?;
            }
            return Ok(FileId(id));
        }
        let facts = new.facts;
        let problems = facts.map(|f| f.problems.join("\n")).filter(|text| !text.is_empty());
        let id = self
            .db
            .prepare_cached(
                "INSERT INTO file (hash, size, quick, kind, format, orientation, problems) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )
            .and_then(|mut s| {
                s.insert(params![
                    &new.hash.0[..],
                    codes::size(new.size),
                    new.quick.map(QuickKey::to_bytes),
                    facts.map_or(Kind::Other, |f| f.kind).code(),
                    facts.and_then(|f| f.format),
                    facts.map_or(1, |f| f.orientation.value()),
                    problems,
                ])
            })
            .doing(doing)?;
        for (n, preview) in facts.iter().flat_map(|f| &f.previews).enumerate() {
            self.db
                .prepare_cached(
                    "INSERT INTO preview (file, n, source, offset, length, width, height, orientation) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )
                .and_then(|mut s| {
                    s.execute(params![
                        id,
                        n as i64,
                        preview.source.code(),
                        codes::size(preview.offset),
                        codes::size(preview.length),
                        preview.width,
                        preview.height,
                        preview.orientation.value(),
                    ])
                })
                .doing("note a preview")?;
        }
        Ok(FileId(id))
    }

    /// Records where a content lies; what was recorded at that path before is replaced.
    pub(crate) fn copy(&self, new: &NewCopy<'_>) -> Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO copy (file, root, path, mtime_ns, verified, verified_at, state, session) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                 ON CONFLICT (root, path) DO UPDATE SET file = excluded.file, mtime_ns = excluded.mtime_ns, \
                   verified = excluded.verified, verified_at = excluded.verified_at, state = excluded.state, \
                   checked_at = NULL, home = NULL, session = excluded.session",
            )
            .and_then(|mut s| {
                s.execute(params![
                    new.file.0,
                    new.root.0,
                    new.path.as_bytes(),
                    new.mtime_ns,
                    new.verified.map(|v| v.code()),
                    codes::micros(new.verified_at),
                    copy_state::PRESENT,
                    new.session.map(|s| s.0),
                ])
            })
            .doing("note a copy")?;
        Ok(())
    }

    /// Joins a file to its photo.
    pub(crate) fn arrive(&mut self, arrival: &Arrival<'_>) -> Result<()> {
        let doing = "join a file to its photo";
        let picture = is_picture(arrival);
        let own: Option<i64> = self
            .db
            .prepare_cached("SELECT id FROM photo WHERE uid = ?1")
            .and_then(|mut s| s.query_row([arrival.uid.as_str()], |row| row.get(0)).optional())
            .doing(doing)?;
        let elsewhere: Option<(i64, bool)> = self
            .db
            .prepare_cached(
                "SELECT p.id, p.trashed IS NOT NULL FROM member m JOIN photo p ON p.id = m.photo \
                 WHERE m.file = ?1 AND m.photo IS NOT ?2 LIMIT 1",
            )
            .and_then(|mut s| {
                s.query_row(params![arrival.file.0, own], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .doing(doing)?;
        if let (true, Some((other, trashed))) = (picture, elsewhere) {
            if trashed {
                self.restore(other)?;
            }
            return Ok(());
        }
        match own {
            None if !picture => {
                self.db
                    .prepare_cached("INSERT OR IGNORE INTO orphan (uid, file, role) VALUES (?1, ?2, ?3)")
                    .and_then(|mut s| s.execute(params![arrival.uid.as_str(), arrival.file.0, arrival.role.code()]))
                    .doing(doing)?;
                Ok(())
            }
            None => self.new_photo(arrival),
            Some(photo) => self.join(photo, arrival, picture),
        }
    }

    fn new_photo(&mut self, arrival: &Arrival<'_>) -> Result<()> {
        let row = PhotoRow::of(self, arrival)?;
        let photo = row.insert(self.db, self.revision)?;
        self.member(photo, arrival.file, arrival.role)?;
        let adopted = self
            .db
            .prepare_cached(
                "INSERT OR IGNORE INTO member (photo, file, role) SELECT ?1, file, role FROM orphan WHERE uid = ?2",
            )
            .and_then(|mut s| s.execute(params![photo, arrival.uid.as_str()]))
            .doing("join waiting companions")?;
        if adopted > 0 {
            self.db
                .execute("DELETE FROM orphan WHERE uid = ?1", [arrival.uid.as_str()])
                .doing("join waiting companions")?;
        }
        let facts = arrival.facts;
        self.db
            .prepare_cached(
                "INSERT INTO photo_text (photo, title, caption, creator, copyright, names) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .and_then(|mut s| {
                s.execute(params![
                    photo,
                    facts.and_then(|f| f.title.as_deref()),
                    facts.and_then(|f| f.caption.as_deref()),
                    facts.and_then(|f| f.creator.as_deref()),
                    facts.and_then(|f| f.copyright.as_deref()),
                    names("", arrival),
                ])
            })
            .doing("note a photo's words")?;
        for keyword in facts.iter().flat_map(|f| &f.keywords) {
            self.add_keyword(photo, keyword)?;
        }
        self.new_words.push(photo);
        Ok(())
    }

    fn join(&mut self, photo: i64, arrival: &Arrival<'_>, picture: bool) -> Result<()> {
        self.member(photo, arrival.file, arrival.role)?;
        let old = PhotoRow::read(self.db, photo)?;
        if old.trashed {
            self.restore(photo)?;
        }
        let new = PhotoRow::of(self, arrival)?;
        let merged = old.merged(&new, picture);
        if merged != old {
            merged.update(self.db, photo, self.revision)?;
        }
        let doing = "note a photo's words";
        let texts: (String, Option<String>, Option<String>, Option<String>, Option<String>) = self
            .db
            .prepare_cached("SELECT names, title, caption, creator, copyright FROM photo_text WHERE photo = ?1")
            .and_then(|mut s| s.query_row([photo], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?))))
            .doing(doing)?;
        let facts = arrival.facts.filter(|_| !old.marked);
        let fill = |old: Option<String>, new: Option<&String>| old.or_else(|| new.cloned());
        self.db
            .prepare_cached(
                "UPDATE photo_text SET names = ?2, title = ?3, caption = ?4, creator = ?5, copyright = ?6 \
                 WHERE photo = ?1",
            )
            .and_then(|mut s| {
                s.execute(params![
                    photo,
                    names(&texts.0, arrival),
                    fill(texts.1, facts.and_then(|f| f.title.as_ref())),
                    fill(texts.2, facts.and_then(|f| f.caption.as_ref())),
                    fill(texts.3, facts.and_then(|f| f.creator.as_ref())),
                    fill(texts.4, facts.and_then(|f| f.copyright.as_ref())),
                ])
            })
            .doing(doing)?;
        for keyword in facts.iter().flat_map(|f| &f.keywords) {
            self.add_keyword(photo, keyword)?;
        }
        self.touch(photo)?;
        self.changed_words.insert(photo);
        Ok(())
    }

    fn member(&self, photo: i64, file: FileId, role: Role) -> Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO member (photo, file, role) VALUES (?1, ?2, ?3) \
                 ON CONFLICT DO UPDATE SET role = min(role, excluded.role)",
            )
            .and_then(|mut s| s.execute(params![photo, file.0, role.code()]))
            .doing("join a file to its photo")?;
        Ok(())
    }

    fn restore(&self, photo: i64) -> Result<()> {
        self.db
            .execute(
                "UPDATE photo SET trashed = NULL, gone = 0, revision = ?2 WHERE id = ?1",
                params![photo, self.revision],
            )
            .doing("take a photo out of the trash")?;
        Ok(())
    }

    /// Says that a photo is found by other words than before.
    pub(crate) fn words_changed(&mut self, photo: i64) -> Result<()> {
        self.changed_words.insert(photo);
        self.touch(photo)
    }

    /// Says that a photo is not as before.
    pub(crate) fn touch(&self, photo: i64) -> Result<()> {
        self.db
            .prepare_cached("UPDATE photo SET revision = ?2 WHERE id = ?1 AND revision <> ?2")
            .and_then(|mut s| s.execute([photo, self.revision]))
            .doing("note a change")?;
        Ok(())
    }

    /// The number of a repeated name.
    pub(crate) fn term(&mut self, sort: i64, text: Option<&str>) -> Result<Option<i64>> {
        let Some(text) = text.map(str::trim).filter(|t| !t.is_empty()) else { return Ok(None) };
        if let Some(id) = self.terms.get(&(sort, text.to_owned())) {
            return Ok(Some(*id));
        }
        let doing = "note a name";
        let known = self
            .db
            .prepare_cached("SELECT id FROM term WHERE sort = ?1 AND text = ?2")
            .and_then(|mut s| s.query_row(params![sort, text], |row| row.get(0)).optional())
            .doing(doing)?;
        let id = match known {
            Some(id) => id,
            None => self
                .db
                .prepare_cached("INSERT INTO term (sort, text, folded) VALUES (?1, ?2, ?3)")
                .and_then(|mut s| s.insert(params![sort, text, fold(text)]))
                .doing(doing)?,
        };
        self.terms.insert((sort, text.to_owned()), id);
        Ok(Some(id))
    }

    /// The number of a keyword; `None` for an empty one.
    pub(crate) fn keyword(&mut self, text: &str) -> Result<Option<i64>> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let folded = fold(text);
        if let Some(id) = self.keywords.get(&folded) {
            return Ok(Some(*id));
        }
        let doing = "note a keyword";
        let known = self
            .db
            .prepare_cached("SELECT id FROM keyword WHERE folded = ?1")
            .and_then(|mut s| s.query_row([&folded], |row| row.get(0)).optional())
            .doing(doing)?;
        let id = match known {
            Some(id) => id,
            None => self
                .db
                .prepare_cached("INSERT INTO keyword (text, folded) VALUES (?1, ?2)")
                .and_then(|mut s| s.insert(params![text, folded]))
                .doing(doing)?,
        };
        self.keywords.insert(folded, id);
        Ok(Some(id))
    }

    pub(crate) fn add_keyword(&mut self, photo: i64, text: &str) -> Result<()> {
        if let Some(keyword) = self.keyword(text)? {
            self.db
                .prepare_cached("INSERT OR IGNORE INTO photo_keyword (photo, keyword) VALUES (?1, ?2)")
                .and_then(|mut s| s.execute([photo, keyword]))
                .doing("note a keyword")?;
        }
        Ok(())
    }
}

/// The form in which names and keywords are compared.
pub(crate) fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Whether a file is a picture or clip, which makes a photo, or a companion, which only joins one.
fn is_picture(arrival: &Arrival<'_>) -> bool {
    arrival.role.code() <= Role::Video.code() || arrival.facts.is_some_and(|f| f.kind == Kind::Image)
}

/// The names that a photo is found by: of its files in the library and on the card.
fn names(before: &str, arrival: &Arrival<'_>) -> String {
    let mut names: Vec<String> = before.split('\n').filter(|n| !n.is_empty()).map(str::to_owned).collect();
    for path in [arrival.path, arrival.source] {
        let name = file_name(path);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("\n")
}

/// The last part of a path, for reading and searching.
pub(crate) fn file_name(path: &BytePath) -> String {
    path.as_path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

//! Which lines the library's journal is still to get.
//!
//! The catalogue gives a batch of lines and the file they belong in; the caller appends them there with a durable
//! write, then says so, and asks again until nothing is due. A cut between the two writes lines twice. Sessions
//! have a file each; marks and the trash share files whose numbers only grow.

use std::collections::{BTreeMap, BTreeSet};

use lightfast_model::{PhotoId, PhotoKind, Role, SessionId, Verified};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::codes::{self, Code as _, copy_state, intent_state};
use crate::error::Doing as _;
use crate::journal::{CopyLine, Line, MarkLine, MemberLine, PhotoLine, RootLine, SeenLine, SessionLine, Text, VERSION};
use crate::roots::ADDED;
use crate::{CardIdentity, Catalog, CatalogError, Result, marks};

const DOING: &str = "write the journal";

/// Most photos that one line names.
const PHOTOS_A_LINE: usize = 500;

/// Most steps of marks that one batch holds.
const STEPS_A_BATCH: u32 = 200;

/// Changes of the catalogue that go into one file of marks.
const CHANGES_A_FILE: i64 = 100_000;

/// Lines that are due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalBatch {
    /// The file in the journal's folder that they are appended to, made where it is missing.
    pub file: String,
    /// Whole lines, the last one ended.
    pub text: String,
    due: Due,
}

/// A step of marks: its row, and when and how it was last taken.
type Step = (i64, i64, i64);

/// What is settled once a batch is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Due {
    Session(i64),
    Steps(Vec<Step>),
    /// All lines up to this one.
    Outbox(i64),
}

/// Leaves a line for the journal.
pub(crate) fn put(db: &Connection, line: &Line) -> Result<()> {
    let text = line.text()?;
    db.prepare_cached("INSERT INTO outbox (line) VALUES (?1)").and_then(|mut s| s.execute([text])).doing(DOING)?;
    Ok(())
}

/// Leaves lines for the journal that say all marks which photos have now.
pub(crate) fn put_marks(db: &Connection, photos: &[i64], now: jiff::Timestamp) -> Result<()> {
    let fields: BTreeSet<i64> = (marks::field::RATING..=marks::field::COPYRIGHT).collect();
    let mut groups: BTreeMap<String, (BTreeMap<String, Value>, Vec<PhotoId>)> = BTreeMap::new();
    for photo in photos {
        let set = marks::current(db, *photo, &fields)?;
        let key = serde_json::to_string(&set).unwrap_or_default();
        groups.entry(key).or_insert_with(|| (set, Vec::new())).1.push(uid_of(db, *photo)?);
    }
    for (set, photos) in groups.into_values() {
        for photos in photos.chunks(PHOTOS_A_LINE) {
            put(db, &Line::Mark(MarkLine { at: now, photos: photos.to_vec(), set: set.clone() }))?;
        }
    }
    Ok(())
}

/// Leaves lines for the journal that say what photos are, and which files they have.
pub(crate) fn put_photos(db: &Connection, photos: &[i64]) -> Result<()> {
    photos.iter().try_for_each(|photo| put(db, &Line::Photo(photo_line(db, *photo)?)))
}

impl Catalog {
    /// The next lines that are due, if any.
    pub fn journal_pending(&self) -> Result<Option<JournalBatch>> {
        let _one_state = self.reading()?;
        let db = &self.db;
        let changes: i64 = db.query_row("SELECT changes FROM state", [], |row| row.get(0)).doing(DOING)?;
        let session: Option<i64> = db
            .query_row("SELECT min(id) FROM session WHERE journaled = 0 AND ended IS NOT NULL", [], |row| row.get(0))
            .doing(DOING)?;
        let (file, lines, due) = if let Some(id) = session {
            let (name, lines) = session_lines(db, id)?;
            (name, lines, Due::Session(id))
        } else {
            let file = format!("marks-{:06}.jsonl", changes / CHANGES_A_FILE);
            let (lines, steps) = mark_lines(db)?;
            if steps.is_empty() {
                let Some((lines, last)) = outbox_lines(db)? else { return Ok(None) };
                (file, lines, Due::Outbox(last))
            } else {
                (file, lines, Due::Steps(steps))
            }
        };
        let mut text = Line::Head { version: VERSION, changes }.text()?;
        text.push('\n');
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(Some(JournalBatch { file, text, due }))
    }

    /// Says that a batch is in the journal, on stable storage. What only served until then is dropped.
    pub fn journal_written(&mut self, batch: &JournalBatch) -> Result<()> {
        let transaction = self.writing()?;
        match &batch.due {
            Due::Session(id) => {
                transaction.execute("UPDATE session SET journaled = 1 WHERE id = ?1", [id]).doing(DOING)?;
                transaction
                    .execute(
                        "DELETE FROM intent WHERE session = ?1 AND state IN (?2, ?3, ?4)",
                        params![id, intent_state::VERIFIED, intent_state::DUPLICATE, intent_state::ABANDONED],
                    )
                    .doing(DOING)?;
            }
            Due::Steps(steps) => {
                for (id, at, state) in steps {
                    transaction
                        .prepare_cached("UPDATE step SET journaled = 1 WHERE id = ?1 AND at = ?2 AND state = ?3")
                        .and_then(|mut s| s.execute([id, at, state]))
                        .doing(DOING)?;
                }
            }
            Due::Outbox(last) => {
                transaction.execute("DELETE FROM outbox WHERE id <= ?1", [last]).doing(DOING)?;
            }
        }
        transaction.commit().doing(DOING)
    }
}

fn outbox_lines(db: &Connection) -> Result<Option<(Vec<String>, i64)>> {
    let rows: Vec<(i64, String)> = db
        .prepare_cached("SELECT id, line FROM outbox ORDER BY id LIMIT 1000")
        .and_then(|mut s| s.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .doing(DOING)?;
    let Some((last, _)) = rows.last() else { return Ok(None) };
    let last = *last;
    Ok(Some((rows.into_iter().map(|(_, line)| line).collect(), last)))
}

/// What the photos of steps have now, grouped by what it is.
fn mark_lines(db: &Connection) -> Result<(Vec<String>, Vec<Step>)> {
    let steps: Vec<Step> = db
        .prepare_cached("SELECT id, at, state FROM step WHERE journaled = 0 ORDER BY id LIMIT ?1")
        .and_then(|mut s| s.query_map([STEPS_A_BATCH], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect())
        .doing(DOING)?;
    let mut fields: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for (step, _, _) in &steps {
        let mut statement = db.prepare_cached("SELECT photo, field FROM mark WHERE step = ?1").doing(DOING)?;
        let mut rows = statement.query([step]).doing(DOING)?;
        while let Some(row) = rows.next().doing(DOING)? {
            let (photo, field): (i64, i64) = (row.get(0).doing(DOING)?, row.get(1).doing(DOING)?);
            fields.entry(photo).or_default().insert(field);
        }
    }
    let mut groups: BTreeMap<String, (BTreeMap<String, Value>, Vec<PhotoId>)> = BTreeMap::new();
    for (photo, fields) in fields {
        let set = marks::current(db, photo, &fields)?;
        let key = serde_json::to_string(&set).unwrap_or_default();
        groups.entry(key).or_insert_with(|| (set, Vec::new())).1.push(uid_of(db, photo)?);
    }
    let at = codes::timestamp(steps.iter().map(|(_, at, _)| *at).max().unwrap_or(0))?;
    let mut lines = Vec::new();
    for (set, photos) in groups.into_values() {
        for photos in photos.chunks(PHOTOS_A_LINE) {
            lines.push(Line::Mark(MarkLine { at, photos: photos.to_vec(), set: set.clone() }).text()?);
        }
    }
    Ok((lines, steps))
}

fn uid_of(db: &Connection, photo: i64) -> Result<PhotoId> {
    let uid: String = db
        .prepare_cached("SELECT uid FROM photo WHERE id = ?1")
        .and_then(|mut s| s.query_row([photo], |row| row.get(0)))
        .doing(DOING)?;
    PhotoId::parse(&uid).ok_or(CatalogError::Value { what: "photo id", value: uid })
}

/// A session's file and lines: itself, what was seen on its card, and the photos that came in it.
fn session_lines(db: &Connection, id: i64) -> Result<(String, Vec<String>)> {
    let session = session_line(db, id)?;
    let file = format!("session-{id:06}-{}.jsonl", session.started.strftime("%Y%m%dT%H%M%SZ"));
    let mut lines = root_lines(db)?;
    lines.push(Line::Session(session).text()?);
    let mut statement = db
        .prepare_cached(
            "SELECT source, hash, size, mtime_ns, quick, proven FROM history WHERE seen = ?1 ORDER BY source",
        )
        .doing(DOING)?;
    let mut rows = statement.query([id]).doing(DOING)?;
    while let Some(row) = rows.next().doing(DOING)? {
        type Seen = (Vec<u8>, Vec<u8>, i64, i64, Option<Vec<u8>>, bool);
        let read = || -> rusqlite::Result<Seen> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let (source, hash, size, mtime_ns, quick, proven) = read().doing(DOING)?;
        let seen = SeenLine {
            session: SessionId(id),
            source: Text::of(&source),
            hash: codes::content_hash(&hash)?,
            bytes: codes::bytes(size),
            mtime_ns,
            quick: quick.map(|bytes| bytes.iter().map(|b| format!("{b:02x}")).collect()),
            proven,
        };
        lines.push(Line::Seen(seen).text()?);
    }
    let photos: Vec<i64> = db
        .prepare_cached("SELECT id FROM photo WHERE session = ?1 ORDER BY id")
        .and_then(|mut s| s.query_map([id], |row| row.get(0))?.collect())
        .doing(DOING)?;
    for photo in photos {
        lines.push(Line::Photo(photo_line(db, photo)?).text()?);
    }
    Ok((file, lines))
}

/// All roots: a catalogue that is made again has to know where else originals live.
fn root_lines(db: &Connection) -> Result<Vec<String>> {
    let roots: Vec<(String, Vec<u8>, i64, bool)> = db
        .prepare_cached("SELECT uuid, path, kind, sidecars FROM root ORDER BY id")
        .and_then(|mut s| s.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?.collect())
        .doing(DOING)?;
    let line = |(uuid, path, kind, sidecars): (String, Vec<u8>, i64, bool)| {
        Line::Root(RootLine { uuid, path: Text::of(&path), added: kind == ADDED, sidecars }).text()
    };
    roots.into_iter().map(line).collect()
}

fn session_line(db: &Connection, id: i64) -> Result<SessionLine> {
    type Session =
        (Vec<u8>, String, Option<String>, i64, Option<i64>, Option<String>, String, Option<String>, Option<bool>);
    let (source, card, label, started, ended, job, options, counts, safe): Session = db
        .prepare_cached(
            "SELECT s.source, c.identity, c.label, s.started, s.ended, s.job, s.options, s.counts, s.safe \
             FROM session s JOIN card c ON c.id = s.card WHERE s.id = ?1",
        )
        .and_then(|mut s| {
            s.query_row([id], |r| {
                Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?, r.get(6)?, r.get(7)?, r.get(8)?))
            })
        })
        .doing(DOING)?;
    Ok(SessionLine {
        id: SessionId(id),
        source: Text::of(&source),
        card: CardIdentity { id: card, label },
        started: codes::timestamp(started)?,
        ended: ended.map(codes::timestamp).transpose()?,
        job,
        options,
        counts: counts.and_then(|text| serde_json::from_str(&text).ok()),
        safe,
    })
}

fn photo_line(db: &Connection, photo: i64) -> Result<PhotoLine> {
    type Photo = (i64, (i64, i64, i64, i64), Option<i32>, i64, Option<i64>);
    let (kind, taken, utc_offset, imported, session): Photo = db
        .prepare_cached(
            "SELECT kind, taken, taken_nanos, taken_digits, taken_from, utc_offset, imported, session \
             FROM photo WHERE id = ?1",
        )
        .and_then(|mut s| {
            s.query_row([photo], |r| {
                let taken = (r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?);
                Ok((r.get(0)?, taken, r.get(5)?, r.get(6)?, r.get(7)?))
            })
        })
        .doing(DOING)?;
    let taken = codes::capture_time(taken.0, taken.1, taken.2, taken.3, utc_offset)?;
    let members: Vec<(i64, i64, Vec<u8>)> = db
        .prepare_cached(
            "SELECT m.role, f.id, f.hash FROM member m JOIN file f ON f.id = m.file WHERE m.photo = ?1 \
             ORDER BY m.role, f.id",
        )
        .and_then(|mut s| s.query_map([photo], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?.collect())
        .doing(DOING)?;
    let files = members.into_iter().map(|(role, file, hash)| {
        Ok(MemberLine {
            role: Role::from_code(role)?,
            hash: codes::content_hash(&hash)?,
            copies: copy_lines(db, file)?,
        })
    });
    Ok(PhotoLine {
        id: uid_of(db, photo)?,
        kind: PhotoKind::from_code(kind)?,
        taken: taken.local,
        digits: taken.fraction_digits,
        utc_offset: taken.utc_offset,
        taken_from: taken.from,
        imported: codes::timestamp(imported)?,
        session: session.map(SessionId),
        files: files.collect::<Result<_>>()?,
    })
}

fn copy_lines(db: &Connection, file: i64) -> Result<Vec<CopyLine>> {
    type Copy = (String, Vec<u8>, Option<i64>, Option<i64>);
    let copies: Vec<Copy> = db
        .prepare_cached(
            "SELECT r.uuid, c.path, c.verified, c.verified_at FROM copy c JOIN root r ON r.id = c.root \
             WHERE c.file = ?1 AND c.state <> ?2 ORDER BY c.id",
        )
        .and_then(|mut s| {
            s.query_map([file, copy_state::VANISHED], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?.collect()
        })
        .doing(DOING)?;
    let line = |(root, path, verified, at): Copy| {
        Ok(CopyLine {
            root,
            path: Text::of(&path),
            verified: verified.map(Verified::from_code).transpose()?,
            at: at.map(codes::timestamp).transpose()?,
        })
    };
    copies.into_iter().map(line).collect()
}

//! Making a catalogue again from files and journals.
//!
//! The caller makes a new catalogue, lets [`Memory`] read the journals, then: sessions and history come back with
//! [`Catalog::restore_sessions`]; every file that is found in the library is hashed, read for its facts and given to
//! [`Catalog::restore_files`], which knows from memory which photo it was; marks come back last. Facts are never
//! taken from the journal, content decides.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, Facts, PhotoId, PhotoKind, QuickKey, Role, SessionId, Verified,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::codes::{self, copy_state};
use crate::error::Doing as _;
use crate::journal::{CopyLine, PhotoLine, SeenLine};
use crate::publish::{Seen, note_history};
use crate::roots::ADDED;
use crate::writer::{Arrival, NewCopy, NewFile, Writer};
use crate::{Catalog, Memory, Result, RootId, albums, journal_writer, marks, trash};

const DOING: &str = "make the catalogue again";

/// A file that lies in the library.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its root.
    pub root: RootId,
    /// Relative to the root.
    pub path: BytePath,
    /// Its content, hashed now; of a changed one the content that was recorded.
    pub hash: ContentHash,
    /// Whether it has other bytes now than were recorded: its copy is kept as a bad one.
    pub changed: bool,
    /// Its quick key.
    pub quick: Option<QuickKey>,
    /// Bytes.
    pub size: u64,
    /// Modification time, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How it was read now, where that proves it.
    pub verified: Option<Verified>,
    /// What it says of itself.
    pub facts: Option<Facts>,
    /// When it was taken, where no journal says.
    pub taken: CaptureTime,
    /// What its photo is to a person, where no journal says.
    pub kind: PhotoKind,
    /// The photo that it belongs to, where no journal says.
    pub photo: PhotoId,
    /// What it is to its photo, where no journal says.
    pub role: Role,
}

impl Catalog {
    /// Brings back roots, sessions, cards and history. For a new catalogue, before anything else is in it.
    pub fn restore_sessions(&mut self, memory: &Memory) -> Result<()> {
        let transaction = self.writing()?;
        let db = &*transaction;
        db.execute("UPDATE state SET changes = max(changes, ?1)", [memory.changes + 1]).doing(DOING)?;
        for root in memory.roots.values() {
            let Some(path) = root.path.path() else { continue };
            db.execute(
                "INSERT INTO root (uuid, path, kind, sidecars) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (uuid) DO UPDATE SET \
                 kind = excluded.kind, sidecars = excluded.sidecars",
                params![root.uuid, path.as_bytes(), if root.added { ADDED } else { 0 }, root.sidecars],
            )
            .doing(DOING)?;
        }
        let mut cards: BTreeMap<SessionId, i64> = BTreeMap::new();
        for (id, session) in &memory.sessions {
            let card: i64 = db
                .prepare_cached(
                    "INSERT INTO card (identity, label) VALUES (?1, ?2) \
                     ON CONFLICT (identity) DO UPDATE SET label = ifnull(excluded.label, label) RETURNING id",
                )
                .and_then(|mut s| s.query_row(params![session.card.id, session.card.label], |row| row.get(0)))
                .doing(DOING)?;
            let source = session.source.path().unwrap_or_else(|| BytePath::from_bytes(b""));
            let counts = session.counts.map(|counts| serde_json::to_string(&counts).unwrap_or_default());
            // Cut off for good: what it had not finished is for a new import to find.
            let ended = session.ended.unwrap_or(session.started);
            db.prepare_cached(
                "INSERT OR REPLACE INTO session (id, source, card, job, options, started, ended, counts, safe, journaled) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)",
            )
            .and_then(|mut s| {
                s.execute(params![
                    id.0,
                    source.as_bytes(),
                    card,
                    session.job,
                    session.options,
                    codes::micros(session.started),
                    codes::micros(ended),
                    counts,
                    session.safe
                ])
            })
            .doing(DOING)?;
            cards.insert(*id, card);
        }
        for seen in &memory.seen {
            if let (Some(card), Some(source)) = (cards.get(&seen.session), seen.source.path()) {
                restore_seen(db, *card, &source, seen)?;
            }
        }
        transaction.commit().doing(DOING)
    }

    /// Makes rows of files that lie in the library, in one transaction.
    pub fn restore_files(&mut self, memory: &Memory, files: &[Found], now: Timestamp) -> Result<()> {
        let transaction = self.writing()?;
        let roots: BTreeMap<RootId, String> = {
            let mut statement = transaction.prepare_cached("SELECT id, uuid FROM root").doing(DOING)?;
            let rows = statement.query_map([], |row| Ok((RootId(row.get(0)?), row.get(1)?))).doing(DOING)?;
            rows.collect::<rusqlite::Result<_>>().doing(DOING)?
        };
        let mut writer = Writer::begin(&transaction)?;
        for found in files {
            restore_file(&mut writer, memory, &roots, found, now)?;
        }
        writer.finish()?;
        journal_unknown(&transaction, memory, files)?;
        transaction.commit().doing(DOING)
    }

    /// Brings back marks, and notes which contents were put away; after all files are in. How many photos have marks
    /// again.
    pub fn restore_marks(&mut self, memory: &Memory) -> Result<u64> {
        let transaction = self.writing()?;
        let mut writer = Writer::begin(&transaction)?;
        let mut restored = 0;
        for album in memory.albums.values().filter(|album| !album.gone) {
            albums::restore(writer.db, album)?;
        }
        for (photo, set) in &memory.marks {
            restored += u64::from(marks::restore(&mut writer, photo, set)?);
        }
        writer.finish()?;
        restore_put_away(&transaction, memory)?;
        transaction.commit().doing(DOING)?;
        Ok(restored)
    }
}

/// Photos that no journal knows get lines there, so that their names last.
fn journal_unknown(db: &Connection, memory: &Memory, files: &[Found]) -> Result<()> {
    let mut photos = BTreeSet::new();
    for found in files.iter().filter(|found| remembered(memory, found).is_none()) {
        let photo: Option<i64> = db
            .prepare_cached("SELECT photo FROM member m JOIN file f ON f.id = m.file WHERE f.hash = ?1")
            .and_then(|mut s| s.query_row([&found.hash.0[..]], |row| row.get(0)).optional())
            .doing(DOING)?;
        photos.extend(photo);
    }
    journal_writer::put_photos(db, &photos.into_iter().collect::<Vec<_>>())
}

fn restore_seen(db: &Connection, card: i64, source: &BytePath, seen: &SeenLine) -> Result<()> {
    let quick = seen.quick.as_deref().and_then(|hex| u128::from_str_radix(hex, 16).ok()).map(u128::to_be_bytes);
    note_history(
        db,
        &Seen {
            card,
            session: seen.session,
            source: source.as_bytes(),
            size: seen.bytes,
            mtime_ns: seen.mtime_ns,
            hash: &seen.hash.0,
            quick: quick.as_ref().map(|q| &q[..]),
            proven: seen.proven,
        },
    )
}

/// Contents that were put away stay known as such. One that lies in the library was brought back.
fn restore_put_away(db: &Connection, memory: &Memory) -> Result<()> {
    let sizes: HashMap<ContentHash, u64> = memory.seen.iter().map(|seen| (seen.hash, seen.bytes)).collect();
    let mut statement = db
        .prepare_cached(
            "INSERT INTO file (hash, size, trashed) VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE \
             SET trashed = excluded.trashed \
             WHERE NOT EXISTS (SELECT 1 FROM copy WHERE copy.file = file.id AND copy.state <> ?4)",
        )
        .doing(DOING)?;
    for (hash, at) in &memory.trashed {
        let size = sizes.get(hash).copied().map_or(0, codes::size);
        statement.execute(params![&hash.0[..], size, codes::micros(*at), copy_state::TRASH]).doing(DOING)?;
    }
    Ok(())
}

fn restore_file(
    writer: &mut Writer<'_>,
    memory: &Memory,
    roots: &BTreeMap<RootId, String>,
    found: &Found,
    now: Timestamp,
) -> Result<()> {
    let file = writer.file(&NewFile {
        hash: found.hash,
        size: found.size,
        quick: found.quick,
        facts: found.facts.as_ref(),
    })?;
    let known = remembered(memory, found);
    let copy = known.and_then(|(photo, _)| copy_of(photo, found, roots.get(&found.root)?));
    // Proven now, or as it was then: its content is the same.
    let (verified, at) = match (found.verified, copy) {
        (Some(verified), _) => (Some(verified), now),
        (None, Some(copy)) => (copy.verified, copy.at.unwrap_or(now)),
        (None, None) => (None, now),
    };
    writer.copy(&NewCopy {
        file,
        root: found.root,
        path: &found.path,
        mtime_ns: found.mtime_ns,
        verified,
        verified_at: at,
        session: known.and_then(|(photo, _)| photo.session),
    })?;
    if found.changed {
        writer
            .db
            .prepare_cached("UPDATE copy SET state = ?3 WHERE root = ?1 AND path = ?2")
            .and_then(|mut s| s.execute(params![found.root.0, found.path.as_bytes(), copy_state::CHANGED]))
            .doing(DOING)?;
    }
    let mut arrival = Arrival {
        file,
        uid: &found.photo,
        role: found.role,
        kind: found.kind,
        taken: found.taken,
        facts: found.facts.as_ref(),
        path: &found.path,
        source: &found.path,
        job: None,
        session: None,
        imported: now,
    };
    if let Some((photo, role)) = known {
        let session = photo.session.and_then(|id| memory.sessions.get(&id));
        arrival.uid = &photo.id;
        arrival.role = role;
        arrival.kind = photo.kind;
        arrival.taken = CaptureTime {
            local: photo.taken,
            fraction_digits: photo.digits,
            utc_offset: photo.utc_offset,
            from: photo.taken_from,
        };
        arrival.job = session.and_then(|s| s.job.as_deref());
        arrival.session = session.map(|s| s.id);
        arrival.imported = photo.imported;
    }
    writer.arrive(&arrival)?;
    if let Some((photo, home)) = trash::place_of(&found.path) {
        trash::restore_place(writer, &photo, file, found.root, &found.path, &home, now)?;
    }
    Ok(())
}

/// The photo that a content was of; where it was of several (one sidecar of many), the one that had it here.
fn remembered<'m>(memory: &'m Memory, found: &Found) -> Option<(&'m PhotoLine, Role)> {
    let members = memory.members.get(&found.hash)?;
    let here = members.iter().find(|(id, _)| {
        let files = memory.photos.get(id).map(|photo| &photo.files);
        files.into_iter().flatten().flat_map(|f| &f.copies).any(|c| c.path.path().as_ref() == Some(&found.path))
    });
    let (id, role) = here.or_else(|| members.first())?;
    memory.photos.get(id).map(|photo| (photo, *role))
}

fn copy_of<'m>(photo: &'m PhotoLine, found: &Found, root: &str) -> Option<&'m CopyLine> {
    let copies = photo.files.iter().filter(|file| file.hash == found.hash).flat_map(|file| &file.copies);
    copies.into_iter().find(|copy| copy.root == root && copy.path.path().as_ref() == Some(&found.path))
}

//! Copies of the catalogue: at most daily, only when it changed, the last five.
//!
//! A copy is made by SQLite's backup interface from a consistent state, beside others that write, under another
//! name first: what is called `catalog-….db` in the folder is whole and on stable storage.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::connection::name_durably;
use crate::error::Doing as _;
use crate::{Catalog, CatalogError, Place, Result};

/// How many copies are kept.
const KEEP: usize = 5;

const DOING: &str = "back up";

/// Whether a copy is due: a day after the last one, if anything was written since.
fn due(last: Option<Timestamp>, changed: bool, now: Timestamp) -> bool {
    // A copy from the future (the clock was set back) does not keep the next one away.
    let a_day_old =
        |last: Timestamp| !(SignedDuration::ZERO..SignedDuration::from_hours(24)).contains(&now.duration_since(last));
    changed && last.is_none_or(a_day_old)
}

impl Catalog {
    /// Copies the catalogue into its backups folder if the last copy is a day old and something changed since;
    /// the path of the new copy, if one was made.
    pub fn backup(&mut self, place: &Place, now: Timestamp) -> Result<Option<PathBuf>> {
        let dir = place.backups();
        let (changes, backed_up): (i64, Option<i64>) = self
            .db
            .query_row("SELECT changes, backed_up FROM state", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .doing(DOING)?;
        let last = copies(&dir)?.last().map(|(when, _)| *when);
        if !due(last, last.is_none() || backed_up != Some(changes), now) {
            return Ok(None);
        }
        fs::create_dir_all(&dir).map_err(|source| io(&dir, "make", source))?;
        let path = dir.join(name(now));
        let part = dir.join("catalog.part");
        let made = self.copy_to(&part).and_then(|()| name_durably(&part, &path));
        if made.is_err() {
            // Best effort: the next one begins by replacing it.
            let _ = fs::remove_file(&part);
        }
        made?;
        self.db.execute("UPDATE state SET backed_up = ?1", [changes]).doing(DOING)?;
        let all = copies(&dir)?;
        for (_, old) in all.iter().take(all.len().saturating_sub(KEEP)) {
            fs::remove_file(old).map_err(|source| io(old, "remove", source))?;
        }
        Ok(Some(path))
    }

    fn copy_to(&self, part: &Path) -> Result<()> {
        match fs::remove_file(part) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(io(part, "remove", source)),
            _ => {}
        }
        let mut copy = Connection::open(part).doing(DOING)?;
        // It is synced once, when it is whole; what is cut off before that has no name yet.
        copy.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;").doing(DOING)?;
        {
            let backup = Backup::new(&self.db, &mut copy).doing(DOING)?;
            backup.step(-1).doing(DOING)?;
        }
        copy.close().map_err(|(_, source)| source).doing(DOING)
    }
}

fn name(now: Timestamp) -> String {
    format!("catalog-{}.db", now.strftime("%Y%m%dT%H%M%SZ"))
}

/// The copies in a folder, oldest first; other files are left alone.
fn copies(dir: &Path) -> Result<Vec<(Timestamp, PathBuf)>> {
    let entries = match fs::read_dir(dir) {
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|source| io(dir, "list", source))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|source| io(dir, "list", source))?;
        let name = entry.file_name();
        let stamp = name.to_str().and_then(|n| n.strip_prefix("catalog-")).and_then(|n| n.strip_suffix("Z.db"));
        let time = stamp.and_then(|s| jiff::civil::DateTime::strptime("%Y%m%dT%H%M%S", s).ok());
        let time = time.and_then(|t| jiff::tz::TimeZone::UTC.to_timestamp(t).ok());
        found.extend(time.map(|t| (t, entry.path())));
    }
    found.sort();
    Ok(found)
}

fn io(path: &Path, step: &'static str, source: std::io::Error) -> CatalogError {
    CatalogError::Io { path: path.to_owned(), step, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CardIdentity, NewSession};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn change(catalog: &mut Catalog) {
        let card = CardIdentity { id: "c".to_owned(), label: None };
        let source = Path::new("/card").into();
        let session =
            NewSession { source, card, started: Timestamp::UNIX_EPOCH, job: None, options_json: "{}".to_owned() };
        catalog.begin_session(&session).unwrap();
    }

    #[test]
    fn at_most_daily_and_only_when_changed_and_the_last_five() {
        let library = tempfile::tempdir().unwrap();
        let place = Place::in_library(library.path());
        let mut catalog = Catalog::create(&place, at("2026-01-01T10:00:00Z")).unwrap();
        let first = catalog.backup(&place, at("2026-01-01T10:00:00Z")).unwrap();
        assert!(first.is_some());
        change(&mut catalog);
        assert_eq!(catalog.backup(&place, at("2026-01-02T09:00:00Z")).unwrap(), None, "not a day old");
        assert!(catalog.backup(&place, at("2026-01-02T10:00:00Z")).unwrap().is_some());
        assert_eq!(catalog.backup(&place, at("2026-01-09T10:00:00Z")).unwrap(), None, "nothing changed");
        for day in 10..16 {
            change(&mut catalog);
            assert!(catalog.backup(&place, at(&format!("2026-01-{day}T10:00:00Z"))).unwrap().is_some());
        }
        let kept = copies(&place.backups()).unwrap();
        assert_eq!(kept.len(), 5);
        assert!(!first.unwrap().exists());
        let (_, newest) = kept.last().unwrap();
        let copy = Connection::open(newest).unwrap();
        let sessions: i64 = copy.query_row("SELECT count(*) FROM session", [], |row| row.get(0)).unwrap();
        assert_eq!(sessions, 7);
    }

    #[test]
    fn a_clock_set_back_does_not_stop_the_backups() {
        assert!(due(Some(at("2026-01-01T00:00:00Z")), true, at("2001-01-01T00:00:00Z")));
    }
}

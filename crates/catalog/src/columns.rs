//! The narrow columns of all photos, in memory: what the app's grid and filter bar are answered from.
//!
//! At a million photos a query that no index serves takes SQLite a tenth of a second and more, and handing out a
//! million rows longer still. Held as arrays (about 50 bytes a photo) the same takes milliseconds. The arrays
//! follow the catalogue by its revision: a refresh reads only what changed. What the columns do not hold (words,
//! keywords) is asked of the catalogue and comes back as a set.

mod answer;
mod bits;
mod kept;
mod select;

use std::sync::{PoisonError, RwLock};

use lightfast_model::TimeSource;
use rusqlite::{Row, params_from_iter};

use crate::codes::Code as _;
use crate::error::Doing as _;
use crate::index::{aspect, marks};
use crate::{Bucket, By, Catalog, Facets, IndexColumns, Query, Result, STACK_BIT, Sort};

const DOING: &str = "read columns";

/// Bits of [`Arrays::bits`]; the lower half are the marks of [`IndexColumns`].
pub(crate) mod bit {
    pub(crate) const VIDEO: u32 = crate::VIDEO_BIT as u32;
    pub(crate) const CONFLICT: u32 = 1 << 16;
    pub(crate) const GPS: u32 = 1 << 17;
    /// A time that is only the file's.
    pub(crate) const GUESSED: u32 = 1 << 18;
    pub(crate) const ISO_KNOWN: u32 = 1 << 19;
    pub(crate) const ISO_AUTO: u32 = 1 << 20;
    pub(crate) const TRASHED: u32 = 1 << 21;
    pub(crate) const GONE: u32 = 1 << 22;
}

/// The narrow columns of all photos of one catalogue, in memory; several threads may ask at once, each with a
/// connection of its own.
#[derive(Debug, Default)]
pub struct Columns {
    arrays: RwLock<Arrays>,
}

impl Columns {
    /// The result of a query as columns, as [`Catalog::index`] gives it.
    pub fn index(&self, catalog: &Catalog, query: &Query, sort: Sort) -> Result<IndexColumns> {
        self.ask(catalog, |arrays| arrays.index(catalog, query, sort))
    }

    /// What there is of the photos that match, as [`Catalog::facets`] gives it.
    pub fn facets(&self, catalog: &Catalog, query: &Query) -> Result<Facets> {
        self.ask(catalog, |arrays| arrays.facets(catalog, query))
    }

    /// Counts of the photos that match, in each of several dimensions by itself, in the order of [`Catalog::stats`].
    pub fn stats(&self, catalog: &Catalog, query: &Query, by: &[By]) -> Result<Vec<Vec<Bucket>>> {
        self.ask(catalog, |arrays| by.iter().map(|by| arrays.stats(catalog, query, *by)).collect())
    }

    /// How many photos match.
    pub fn count(&self, catalog: &Catalog, query: &Query) -> Result<u64> {
        self.ask(catalog, |arrays| Ok(arrays.select(catalog, query)?.count() as u64))
    }

    /// Asks the arrays, brought up to date first.
    fn ask<T>(&self, catalog: &Catalog, answer: impl FnOnce(&Arrays) -> Result<T>) -> Result<T> {
        // One state of the catalogue for the arrays and for what is asked of the catalogue itself.
        let _one_state = catalog.reading()?;
        let now = State::of(catalog)?;
        {
            let arrays = self.arrays.read().unwrap_or_else(PoisonError::into_inner);
            if arrays.state == Some(now) {
                return answer(&arrays);
            }
        }
        let mut arrays = self.arrays.write().unwrap_or_else(PoisonError::into_inner);
        if arrays.state.is_some_and(|state| state.created == now.created && state.revision > now.revision) {
            // This connection's look at the catalogue is older than what another has brought here.
            return answer(&arrays);
        }
        arrays.refresh(catalog, now)?;
        answer(&arrays)
    }
}

/// Which state of which catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    created: Option<i64>,
    revision: i64,
}

impl State {
    fn of(catalog: &Catalog) -> Result<Self> {
        catalog
            .db
            .prepare_cached("SELECT created, revision FROM state")
            .and_then(|mut s| s.query_row([], |row| Ok(Self { created: row.get(0)?, revision: row.get(1)? })))
            .doing(DOING)
    }
}

#[derive(Debug, Default)]
struct Arrays {
    state: Option<State>,
    /// The state that lies in the file, where one was brought or kept.
    kept: Option<State>,
    /// Position of a row number, plus one; 0 where there is none.
    position: Vec<u32>,
    ids: Vec<u32>,
    taken: Vec<i64>,
    imported: Vec<i64>,
    /// The row on top of the photo's stack, or 0.
    stack: Vec<u32>,
    bits: Vec<u32>,
    aspect: Vec<u16>,
    /// A bit for each role that a photo has files of.
    roles: Vec<u16>,
    camera: Vec<u32>,
    make: Vec<u32>,
    lens: Vec<u32>,
    iso: Vec<u32>,
    aperture: Vec<f32>,
    focal: Vec<f32>,
    /// Positions by capture time, then row number.
    by_taken: Vec<u32>,
}

const SELECT: &str = "SELECT p.id, p.taken, p.imported, p.rating, p.flag, p.label, p.kind, p.conflict, \
     p.latitude IS NOT NULL, p.taken_from, p.iso_auto, p.trashed IS NOT NULL, p.width, p.height, p.turned, p.camera, \
     p.make, p.lens, p.iso, p.aperture, p.focal, p.gone, p.stack FROM photo p";

impl Arrays {
    /// Reads what changed, or everything where it is another catalogue.
    fn refresh(&mut self, catalog: &Catalog, now: State) -> Result<()> {
        let since = self.state.filter(|state| state.created == now.created).map(|state| state.revision);
        if since.is_none() {
            *self = Self::default();
        }
        self.state = None;
        let (photos, roles) = match since {
            None => ("", "SELECT photo, role FROM member"),
            // A member that joins changes its photo's revision.
            Some(_) => (
                " WHERE p.revision > ?1",
                "SELECT m.photo, m.role FROM photo p JOIN member m ON m.photo = p.id WHERE p.revision > ?1",
            ),
        };
        let mut statement = catalog.db.prepare_cached(&format!("{SELECT}{photos}")).doing(DOING)?;
        let mut rows = statement.query(params_from_iter(since)).doing(DOING)?;
        while let Some(row) = rows.next().doing(DOING)? {
            self.take(row).doing(DOING)?;
        }
        let mut statement = catalog.db.prepare_cached(roles).doing(DOING)?;
        let mut rows = statement.query(params_from_iter(since)).doing(DOING)?;
        while let Some(row) = rows.next().doing(DOING)? {
            let (id, role): (u32, u32) = (row.get(0).doing(DOING)?, row.get(1).doing(DOING)?);
            if let Some(roles) = self.position_of(id).and_then(|at| self.roles.get_mut(at)) {
                *roles |= 1u16.checked_shl(role).unwrap_or(0);
            }
        }
        self.put_in_order();
        self.state = Some(now);
        Ok(())
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn position_of(&self, id: u32) -> Option<usize> {
        let found = self.position.get(id as usize).copied().unwrap_or(0);
        found.checked_sub(1).map(|at| at as usize)
    }

    fn put_in_order(&mut self) {
        let known = self.by_taken.len() as u32;
        self.by_taken.extend(known..self.ids.len() as u32);
        let (taken, ids) = (&self.taken, &self.ids);
        let key = |at: &u32| (taken.get(*at as usize).copied(), ids.get(*at as usize).copied());
        // Nearly in order already, which a stable sort uses.
        self.by_taken.sort_by_key(key);
    }

    fn take(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let id: u32 = row.get(0)?;
        let at = match self.position_of(id) {
            Some(at) => at,
            None => self.append(id),
        };
        let auto: Option<bool> = row.get(10)?;
        let flags = [
            (row.get(7)?, bit::CONFLICT),
            (row.get(8)?, bit::GPS),
            (row.get::<_, i64>(9)? == TimeSource::File.code(), bit::GUESSED),
            (auto.is_some(), bit::ISO_KNOWN),
            (auto == Some(true), bit::ISO_AUTO),
            (row.get(11)?, bit::TRASHED),
            (row.get(21)?, bit::GONE),
        ];
        let turned: u16 = row.get(14)?;
        let marks = marks(row.get(3)?, row.get(4)?, row.get(5)?, turned, row.get::<_, i64>(6)? == 1);
        let stack: u32 = row.get(22)?;
        let marks = marks | if stack == 0 { 0 } else { STACK_BIT };
        set(&mut self.stack, at, stack);
        let bits = flags.into_iter().filter(|(set, _)| *set).fold(u32::from(marks), |bits, (_, bit)| bits | bit);
        let (width, height): (Option<u32>, Option<u32>) = (row.get(12)?, row.get(13)?);
        let sides = if turned % 2 == 1 { (height, width) } else { (width, height) };
        set(&mut self.taken, at, row.get(1)?);
        set(&mut self.imported, at, row.get(2)?);
        set(&mut self.bits, at, bits);
        set(&mut self.aspect, at, aspect(sides.0, sides.1));
        set(&mut self.roles, at, 0);
        set(&mut self.camera, at, row.get::<_, Option<u32>>(15)?.unwrap_or(0));
        set(&mut self.make, at, row.get::<_, Option<u32>>(16)?.unwrap_or(0));
        set(&mut self.lens, at, row.get::<_, Option<u32>>(17)?.unwrap_or(0));
        set(&mut self.iso, at, row.get::<_, Option<u32>>(18)?.unwrap_or(NO_ISO));
        set(&mut self.aperture, at, row.get::<_, Option<f32>>(19)?.unwrap_or(f32::NAN));
        set(&mut self.focal, at, row.get::<_, Option<f32>>(20)?.unwrap_or(f32::NAN));
        Ok(())
    }

    fn append(&mut self, id: u32) -> usize {
        let at = self.ids.len();
        self.ids.push(id);
        self.taken.push(0);
        self.imported.push(0);
        self.stack.push(0);
        self.bits.push(0);
        self.aspect.push(0);
        self.roles.push(0);
        self.camera.push(0);
        self.make.push(0);
        self.lens.push(0);
        self.iso.push(NO_ISO);
        self.aperture.push(f32::NAN);
        self.focal.push(f32::NAN);
        if self.position.len() <= id as usize {
            self.position.resize(id as usize + 1, 0);
        }
        set(&mut self.position, id as usize, at as u32 + 1);
        at
    }
}

/// Stands for an ISO that is not known.
const NO_ISO: u32 = u32::MAX;

fn set<T>(column: &mut [T], at: usize, value: T) {
    if let Some(slot) = column.get_mut(at) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;

    use super::*;
    use crate::{Mark, SortKey, synthetic};

    const QUERIES: &[&str] = &[
        "",
        "camera:5D",
        "camera:canon",
        "camera:nosuch",
        "make:sony",
        "lens:70-200",
        "iso:1600..",
        "-iso:1600..",
        "iso:100",
        "iso:>100 iso:<800",
        "aperture:4",
        "aperture:..2.8",
        "aperture:>1.8",
        "focal:50",
        "focal:70..",
        "taken:2006-01",
        "taken:2006-01-02..2006-01-05T10",
        "imported:1970-01-01T01",
        "rating:3..",
        "rating:0",
        "flag:reject",
        "-flag:reject",
        "flag:none label:none",
        "kind:video",
        "kind:photo iso-mode:auto rating:1..",
        "iso-mode:unknown",
        "type:raw",
        "type:jpeg",
        "-type:jpeg",
        "type:cr2",
        "keyword:beach",
        "-keyword:beach",
        "beach OR wedding",
        "(beach OR iso:3200..) -kind:video",
        "has:gps",
        "has:keyword",
        "has:title",
        "has:time",
        "has:lens has:rating",
        "has:jpeg",
        "session:2",
        "in:trash",
        "-in:trash",
        "job:job",
        "name:IMG_0001",
        "duration:10..",
    ];

    fn query(text: &str) -> Query {
        Query::parse(text, date(2026, 11, 30)).unwrap()
    }

    fn agree(catalog: &Catalog, columns: &Columns) {
        for text in QUERIES {
            let query = query(text);
            for key in [SortKey::Taken, SortKey::Imported, SortKey::Rating, SortKey::Name] {
                for descending in [false, true] {
                    let sort = Sort { key, descending };
                    let found = columns.index(catalog, &query, sort).unwrap();
                    assert_eq!(found, catalog.index(&query, sort, None).unwrap(), "{text} {sort:?}");
                }
            }
            assert_eq!(columns.count(catalog, &query).unwrap(), catalog.count(&query).unwrap(), "{text}");
            assert_eq!(columns.facets(catalog, &query).unwrap(), catalog.facets(&query).unwrap(), "{text}");
            let counted = columns.stats(catalog, &query, &By::ALL).unwrap();
            for (by, counted) in By::ALL.into_iter().zip(counted) {
                assert_eq!(counted, catalog.stats(&query, &[by]).unwrap(), "{text} {by:?}");
            }
        }
    }

    #[test]
    fn the_columns_answer_as_the_catalogue_does_before_and_after_changes() {
        let mut catalog = Catalog::in_memory().unwrap();
        synthetic::fill(&mut catalog, 1_500, 3).unwrap();
        let columns = Columns::default();
        agree(&catalog, &columns);
        let mark = Mark {
            rating: Some(5),
            rotate: Some(90),
            flag: Some(crate::FlagChange::Clear),
            label: Some(crate::LabelChange::Set(lightfast_model::Label::Green)),
            add_keywords: vec!["beach".to_owned()],
            ..Mark::default()
        };
        catalog.mark(&query("iso:1600.. kind:photo"), &mark, Timestamp::UNIX_EPOCH).unwrap();
        synthetic::fill(&mut catalog, 300, 4).unwrap();
        agree(&catalog, &columns);
        catalog.undo(1, Timestamp::UNIX_EPOCH).unwrap();
        agree(&catalog, &columns);
    }

    /// A catalogue on a disk, with 400 photos.
    fn on_disk(dir: &std::path::Path) -> (crate::Place, Catalog) {
        let place = crate::Place::elsewhere(dir, dir.join("catalog"));
        let mut catalog = Catalog::create(&place, Timestamp::from_second(1).unwrap()).unwrap();
        synthetic::fill(&mut catalog, 400, 5).unwrap();
        (place, catalog)
    }

    fn stars(catalog: &mut Catalog, rating: u8, second: i64) {
        let mark = Mark { rating: Some(rating), ..Mark::default() };
        catalog.mark(&query("iso:100"), &mark, Timestamp::from_second(second).unwrap()).unwrap();
    }

    #[test]
    fn columns_that_were_kept_answer_as_the_catalogue_does_with_what_changed_since() {
        let dir = tempfile::tempdir().unwrap();
        let (place, mut catalog) = on_disk(dir.path());
        stars(&mut catalog, 3, 10);
        let first = Columns::default();
        assert!(!first.bring(&catalog, place.dir()).unwrap(), "nothing was kept yet");
        agree(&catalog, &first);
        assert!(first.keep(&catalog, place.dir()).unwrap().unwrap());
        assert!(!first.keep(&catalog, place.dir()).unwrap().unwrap(), "nothing has changed");
        stars(&mut catalog, 5, 20);
        synthetic::fill(&mut catalog, 50, 6).unwrap();
        let second = Columns::default();
        assert!(second.bring(&catalog, place.dir()).unwrap());
        catalog.read_keywords_ahead().unwrap();
        agree(&catalog, &second);
        assert!(second.keep(&catalog, place.dir()).unwrap().unwrap());
    }

    #[test]
    fn kept_columns_of_another_past_or_with_another_byte_are_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let (place, mut catalog) = on_disk(dir.path());
        stars(&mut catalog, 1, 10);
        let copy = dir.path().join("copy");
        catalog.db.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
        stars(&mut catalog, 2, 20);
        let columns = Columns::default();
        agree(&catalog, &columns);
        columns.keep(&catalog, place.dir()).unwrap().unwrap();
        drop(catalog);
        // The copy is put back and goes another way, further than what was kept.
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", place.file().display()));
        }
        std::fs::write(place.file(), std::fs::read(&copy).unwrap()).unwrap();
        let mut catalog = Catalog::open(&place).unwrap();
        stars(&mut catalog, 4, 30);
        stars(&mut catalog, 5, 31);
        assert!(!Columns::default().bring(&catalog, place.dir()).unwrap());
        columns.keep(&catalog, place.dir()).unwrap().unwrap();

        let fresh = Columns::default();
        agree(&catalog, &fresh);
        assert!(fresh.keep(&catalog, place.dir()).unwrap().unwrap());
        let path = place.dir().join("columns.cache");
        let kept = std::fs::read(&path).unwrap();
        for at in [0, 20, kept.len() / 2, kept.len() - 1] {
            let mut wrong = kept.clone();
            wrong[at] ^= 1;
            std::fs::write(&path, wrong).unwrap();
            assert!(!Columns::default().bring(&catalog, place.dir()).unwrap(), "byte {at}");
        }
        std::fs::write(&path, &kept[..kept.len() / 2]).unwrap();
        assert!(!Columns::default().bring(&catalog, place.dir()).unwrap());
        std::fs::write(&path, &kept).unwrap();
        assert!(Columns::default().bring(&catalog, place.dir()).unwrap());
    }

    #[test]
    fn another_catalogue_is_read_from_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, photos, at: i64| {
            let place = crate::Place::elsewhere(dir.path(), dir.path().join(name));
            let mut catalog = Catalog::create(&place, Timestamp::from_second(at).unwrap()).unwrap();
            synthetic::fill(&mut catalog, photos, 1).unwrap();
            catalog
        };
        let columns = Columns::default();
        assert_eq!(columns.count(&make("a", 30, 1), &Query::all()).unwrap(), 30);
        assert_eq!(columns.count(&make("b", 20, 2), &Query::all()).unwrap(), 20);
    }
}

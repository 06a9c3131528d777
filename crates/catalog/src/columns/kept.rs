//! The columns as a file beside the catalogue, so that a library of a million photos opens at once even where the
//! catalogue itself is not in the system's cache (50 MB in one piece, instead of a thousand scattered over a gigabyte).
//!
//! The file is a cache: it may be deleted, is replaced whole, and is believed only where its checksum holds and it is of
//! this catalogue's own past. What changed since comes from the catalogue.
//!
//! All little endian: `LFC1`, the state (created and revision i64; the last mark's and the last session's number and
//! time, i64 each, 0 where there is none), then each column as its length u32 and its values, then the XXH3 of all that.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use rusqlite::OptionalExtension as _;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Arrays, Columns, DOING, State};
use crate::error::Doing as _;
use crate::{Catalog, Result};

const NAME: &str = "columns.cache";
const MAGIC: &[u8; 4] = b"LFC1";
/// Larger is no cache of ours: fifty million photos.
const MOST_BYTES: u64 = 4 << 30;

impl Columns {
    /// Takes the columns that were kept in this folder, where they are of this catalogue; else the first question reads
    /// the catalogue.
    pub fn bring(&self, catalog: &Catalog, dir: &Path) -> Result<bool> {
        let Some((state, past, arrays)) = read(&dir.join(NAME)) else { return Ok(false) };
        let _one_state = catalog.reading()?;
        let now = State::of(catalog)?;
        let is_ours = state.created == now.created && state.revision <= now.revision && past.is_of(catalog)?;
        let mut held = self.arrays.write().unwrap_or_else(PoisonError::into_inner);
        if !is_ours || held.state.is_some() {
            return Ok(false);
        }
        *held = Arrays { state: Some(state), kept: Some(state), ..arrays };
        Ok(true)
    }

    /// Keeps the columns in this folder, where they have changed since they were kept.
    pub fn keep(&self, catalog: &Catalog, dir: &Path) -> Result<io::Result<bool>> {
        let state = {
            let _one_state = catalog.reading()?;
            let arrays = self.arrays.read().unwrap_or_else(PoisonError::into_inner);
            let Some(state) = arrays.state.filter(|state| arrays.kept != Some(*state)) else { return Ok(Ok(false)) };
            if State::of(catalog)? != state {
                // Written when nothing changes; the next time is soon enough.
                return Ok(Ok(false));
            }
            if let Err(error) = write(&dir.join(NAME), &arrays, state, Past::of(catalog)?) {
                return Ok(Err(error));
            }
            state
        };
        self.arrays.write().unwrap_or_else(PoisonError::into_inner).kept = Some(state);
        Ok(Ok(true))
    }
}

impl Catalog {
    /// Reads which photos have which keywords, and makes nothing of it: columns that were kept do not bring that into the
    /// system's cache, and the first search for a keyword would wait for the disk.
    pub fn read_keywords_ahead(&self) -> Result<()> {
        let all = "SELECT count(*) FROM photo_keyword INDEXED BY keyword_photo";
        self.db.query_row(all, [], |_| Ok(())).doing(DOING)
    }
}

/// What tells a catalogue's own past from that of a copy that was put back and went another way since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Past {
    mark: (i64, i64),
    session: (i64, i64),
}

impl Past {
    fn of(catalog: &Catalog) -> Result<Self> {
        let last = |sql| -> Result<(i64, i64)> {
            let row = catalog.db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().doing(DOING)?;
            Ok(row.unwrap_or_default())
        };
        Ok(Self {
            mark: last("SELECT id, at FROM step ORDER BY id DESC LIMIT 1")?,
            session: last("SELECT id, started FROM session ORDER BY id DESC LIMIT 1")?,
        })
    }

    fn is_of(self, catalog: &Catalog) -> Result<bool> {
        let has = |sql, (id, at): (i64, i64)| -> Result<bool> {
            let found: Option<i64> = catalog.db.query_row(sql, [id], |row| row.get(0)).optional().doing(DOING)?;
            Ok(id == 0 || found == Some(at))
        };
        Ok(has("SELECT at FROM step WHERE id = ?1", self.mark)?
            && has("SELECT started FROM session WHERE id = ?1", self.session)?)
    }
}

/// Writes what passes, and sums it up.
struct Summed<W> {
    to: W,
    sum: Xxh3,
}

impl<W: Write> Summed<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.to.write_all(bytes)
    }

    fn column<T: Copy, const N: usize>(&mut self, column: &[T], bytes: fn(T) -> [u8; N]) -> io::Result<()> {
        let length = u32::try_from(column.len()).map_err(io::Error::other)?;
        self.put(&length.to_le_bytes())?;
        for part in column.chunks(1 << 14) {
            let part: Vec<u8> = part.iter().flat_map(|value| bytes(*value)).collect();
            self.put(&part)?;
        }
        Ok(())
    }
}

#[allow(clippy::disallowed_methods)] // A cache may be replaced: nothing is lost with it.
fn write(path: &Path, a: &Arrays, state: State, past: Past) -> io::Result<()> {
    let Some(created) = state.created else { return Ok(()) };
    let temp = PathBuf::from(format!("{}.new", path.display()));
    let mut out = Summed { to: BufWriter::new(File::create(&temp)?), sum: Xxh3::new() };
    out.put(MAGIC)?;
    for number in [created, state.revision, past.mark.0, past.mark.1, past.session.0, past.session.1] {
        out.put(&number.to_le_bytes())?;
    }
    out.column(&a.position, u32::to_le_bytes)?;
    out.column(&a.ids, u32::to_le_bytes)?;
    out.column(&a.taken, i64::to_le_bytes)?;
    out.column(&a.imported, i64::to_le_bytes)?;
    for column in [&a.stack, &a.bits, &a.camera, &a.make, &a.lens, &a.iso, &a.by_taken] {
        out.column(column, u32::to_le_bytes)?;
    }
    for column in [&a.aspect, &a.roles] {
        out.column(column, u16::to_le_bytes)?;
    }
    for column in [&a.aperture, &a.focal] {
        out.column(column, f32::to_le_bytes)?;
    }
    let sum = out.sum.digest();
    out.to.write_all(&sum.to_le_bytes())?;
    out.to.flush()?;
    // Not synced: what a power cut leaves of it has another sum.
    fs::rename(&temp, path)
}

/// Takes values off the front of what was read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn column<T, const N: usize>(&mut self, value: fn([u8; N]) -> T) -> Option<Vec<T>> {
        let bytes = (u32::from_le_bytes(self.take()?) as usize).checked_mul(N)?;
        let (column, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(column.as_chunks::<N>().0.iter().map(|bytes| value(*bytes)).collect())
    }
}

/// What was kept; nothing where it is not there or not whole.
fn read(path: &Path) -> Option<(State, Past, Arrays)> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= MOST_BYTES)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?);
    io::Read::read_to_end(&mut io::Read::take(file, length), &mut bytes).ok()?;
    let (content, sum) = bytes.split_last_chunk::<8>()?;
    if xxh3_64(content) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut from = Reader(content.strip_prefix(MAGIC)?);
    let mut number = || from.take().map(i64::from_le_bytes);
    let state = State { created: Some(number()?), revision: number()? };
    let past = Past { mark: (number()?, number()?), session: (number()?, number()?) };
    let position = from.column(u32::from_le_bytes)?;
    let ids = from.column(u32::from_le_bytes)?;
    let taken = from.column(i64::from_le_bytes)?;
    let imported = from.column(i64::from_le_bytes)?;
    let mut wide = || from.column(u32::from_le_bytes);
    let (stack, bits, camera, make, lens, iso) = (wide()?, wide()?, wide()?, wide()?, wide()?, wide()?);
    let by_taken = wide()?;
    let (aspect, roles) = (from.column(u16::from_le_bytes)?, from.column(u16::from_le_bytes)?);
    let (aperture, focal) = (from.column(f32::from_le_bytes)?, from.column(f32::from_le_bytes)?);
    let photos = ids.len();
    let whole = [stack.len(), bits.len(), camera.len(), make.len(), lens.len(), iso.len(), by_taken.len()];
    let also = [taken.len(), imported.len(), aspect.len(), roles.len(), aperture.len(), focal.len()];
    let is_whole = from.0.is_empty()
        && whole.iter().chain(&also).all(|length| *length == photos)
        && position.iter().all(|at| *at as usize <= photos)
        && by_taken.iter().all(|at| (*at as usize) < photos);
    let columns = Arrays {
        state: None,
        kept: None,
        position,
        ids,
        taken,
        imported,
        stack,
        bits,
        aspect,
        roles,
        camera,
        make,
        lens,
        iso,
        aperture,
        focal,
        by_taken,
    };
    is_whole.then_some((state, past, columns))
}

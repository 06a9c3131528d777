//! A model of an old importer, to see what each of its habits costs.
//!
//! It works serially, one file after the other, as such programs do; each habit can be switched by itself. It is no
//! importer: it proves nothing, names nothing and must not be used for pictures anyone wants to keep. A file is kept
//! open while it is worked on, so that reading it back costs no second opening of an encrypted file.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Timestamp;
use lightfast_catalog::{CardIdentity, Catalog, CatalogError, NewSession, Place};
use lightfast_develop::resize::{Samples, Scaler, fitting};
use lightfast_media::FileSource;
use lightfast_model::BytePath;
use turbojpeg::{Image, PixelFormat, Subsamp};

/// What old importers do that a copy does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// All files go to a temporary folder first, and are moved into place at the end.
    Staging,
    /// A file is read whole into memory before any of it is written.
    WholeFile,
    /// The copy is read again.
    ReadBack,
    /// The thumbnail is decoded from the full-size picture.
    FullSizeThumbnail,
    /// The catalogue commits once a file.
    CommitEach,
}

impl Habit {
    /// All of them, by the names that the command line has for them.
    pub const ALL: [(&'static str, Self); 5] = [
        ("staging", Self::Staging),
        ("whole-file", Self::WholeFile),
        ("read-back", Self::ReadBack),
        ("full-size-thumbnail", Self::FullSizeThumbnail),
        ("commit-each", Self::CommitEach),
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, habit)| *habit)
    }
}

/// One import in the old way.
#[derive(Debug)]
pub struct OldImport<'a> {
    /// What is copied.
    pub card: &'a Path,
    /// Where it goes.
    pub to: &'a Path,
    /// The system's temporary folder.
    pub temporary: &'a Path,
    /// What it does besides copying.
    pub habits: &'a [Habit],
    /// The time, for the catalogue.
    pub now: Timestamp,
}

/// Why it came to no end.
#[derive(Debug, thiserror::Error)]
pub enum OldError {
    /// A step on a file.
    #[error("{step} {}", .path.display())]
    Io {
        /// What was being done.
        step: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The catalogue.
    #[error("keep the catalogue")]
    Catalog(#[from] CatalogError),
}

const BLOCK: usize = 128 << 10;
const EDGE: u32 = 512;
/// No camera's embedded picture is larger.
const MOST: u64 = 256 << 20;

/// Imports, and tells how many seconds each step took.
pub fn import_as_of_old(job: &OldImport<'_>) -> Result<BTreeMap<String, f64>, OldError> {
    let does = |habit| job.habits.contains(&habit);
    let mut clocks = Clocks::default();
    let staging = does(Habit::Staging)
        .then(|| tempfile::Builder::new().prefix("lightfast-bench-staging-").tempdir_in(job.temporary))
        .transpose()
        .map_err(at("make a folder in", job.temporary))?;
    let mut catalog = match does(Habit::CommitEach) {
        true => {
            let folder = job.to.join("catalogue");
            std::fs::create_dir_all(&folder).map_err(at("make a folder", &folder))?;
            Some(Catalog::create(&Place::elsewhere(job.to, folder), job.now)?)
        }
        false => None,
    };
    let thumbnails = job.to.join("thumbnails");
    let mut staged: Vec<(PathBuf, PathBuf)> = Vec::new();
    for (n, name) in super::card::files(job.card).into_iter().enumerate() {
        let (source, target) = (job.card.join(&name), job.to.join(&name));
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(at("make a folder", folder))?;
        }
        let place = staging.as_ref().map_or_else(|| target.clone(), |dir| dir.path().join(n.to_string()));
        let mut file = clocks.time("copy", || copy(&source, &place, does(Habit::WholeFile)))?;
        if does(Habit::ReadBack) {
            clocks.time("read back", || read_all(&mut file)).map_err(at("read back", &place))?;
        }
        if does(Habit::FullSizeThumbnail) {
            clocks.time("thumbnail", || thumbnail(&file, &name, &thumbnails.join(format!("{n}.jpg"))))?;
        }
        if let Some(catalog) = &mut catalog {
            clocks.time("commit", || commit(catalog, &name, job.now))?;
        }
        if staging.is_some() {
            staged.push((place, target));
        }
    }
    for (from, to) in staged {
        clocks.time("move", || move_file(&from, &to))?;
    }
    Ok(clocks.0)
}

#[derive(Default)]
struct Clocks(BTreeMap<String, f64>);

impl Clocks {
    fn time<T>(&mut self, step: &str, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        *self.0.entry(step.to_owned()).or_default() += began.elapsed().as_secs_f64();
        done
    }
}

fn at(step: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> OldError {
    let path = path.to_owned();
    move |source| OldError::Io { step, path, source }
}

/// Copies, and gives the copy back open.
fn copy(from: &Path, to: &Path, whole: bool) -> Result<File, OldError> {
    let mut source = File::open(from).map_err(at("open", from))?;
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(to).map_err(at("make", to))?;
    if whole {
        let mut all = Vec::new();
        source.read_to_end(&mut all).map_err(at("read", from))?;
        file.write_all(&all).map_err(at("write", to))?;
    } else {
        let mut block = vec![0; BLOCK];
        loop {
            let read = source.read(&mut block).map_err(at("read", from))?;
            let Some(part) = block.get(..read).filter(|part| !part.is_empty()) else { break };
            file.write_all(part).map_err(at("write", to))?;
        }
    }
    let modified = source.metadata().and_then(|meta| meta.modified()).map_err(at("ask about", from))?;
    file.set_modified(modified).map_err(at("set the time of", to))?;
    Ok(file)
}

fn read_all(file: &mut File) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut block = vec![0; BLOCK];
    while file.read(&mut block)? > 0 {}
    Ok(())
}

/// A file without a picture, or with a damaged one, has no thumbnail; that is no error.
fn thumbnail(file: &File, name: &Path, to: &Path) -> Result<(), OldError> {
    let mut source = FileSource::new(file).map_err(at("ask about", name))?;
    let facts = lightfast_media::facts(&mut source, name.file_name().unwrap_or_default());
    let largest = facts.previews.iter().filter(|p| p.length <= MOST).max_by_key(|p| p.long_edge());
    let Some(preview) = largest else { return Ok(()) };
    let mut jpeg = vec![0; preview.length as usize];
    file.read_exact_at(&mut jpeg, preview.offset).map_err(at("read the picture in", name))?;
    let Some(small) = small(&jpeg) else { return Ok(()) };
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(at("make a folder", folder))?;
    }
    std::fs::write(to, small).map_err(at("write", to))
}

/// All pixels as red, green and blue, then smaller, then coded again.
fn small(jpeg: &[u8]) -> Option<Vec<u8>> {
    let full = turbojpeg::decompress(jpeg, PixelFormat::RGB).ok()?;
    let (width, height) = (u32::try_from(full.width).ok()?, u32::try_from(full.height).ok()?);
    let (to_width, to_height) = fitting(width, height, EDGE);
    let samples = Samples { width, height, channels: 3, samples: &full.pixels };
    let pixels = Scaler::default().resize(samples, (width.into(), height.into()), to_width, to_height).ok()?;
    let image = Image {
        pixels: pixels.as_slice(),
        width: to_width as usize,
        pitch: to_width as usize * 3,
        height: to_height as usize,
        format: PixelFormat::RGB,
    };
    turbojpeg::compress(image, 80, Subsamp::Sub2x2).ok().map(|jpeg| jpeg.to_vec())
}

/// One row, on stable storage when this returns.
fn commit(catalog: &mut Catalog, name: &Path, now: Timestamp) -> Result<(), OldError> {
    let session = NewSession {
        source: BytePath::from(name),
        card: CardIdentity { id: "benchmark".into(), label: None },
        started: now,
        job: None,
        options_json: "{}".into(),
    };
    catalog.begin_session(&session)?;
    Ok(())
}

/// By a rename where that is possible; else the file is written a second time.
fn move_file(from: &Path, to: &Path) -> Result<(), OldError> {
    match rustix::fs::rename(from, to) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::XDEV) => {
            copy(from, to, false)?;
            std::fs::remove_file(from).map_err(at("remove", from))
        }
        Err(errno) => Err(at("move", from)(errno.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(habits: &[Habit]) -> (tempfile::TempDir, BTreeMap<String, f64>) {
        let dir = tempfile::tempdir().unwrap();
        let (card, to, temporary) = (dir.path().join("card/DCIM"), dir.path().join("to"), dir.path().join("tmp"));
        for folder in [&card, &to, &temporary] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for n in 0..3u8 {
            std::fs::write(card.join(format!("IMG_{n}.CR2")), vec![n; 300_000 + usize::from(n)]).unwrap();
        }
        let job = OldImport {
            card: &dir.path().join("card"),
            to: &to,
            temporary: &temporary,
            habits,
            now: Timestamp::UNIX_EPOCH,
        };
        let clocks = import_as_of_old(&job).unwrap();
        for n in 0..3u8 {
            let copy = std::fs::read(to.join(format!("DCIM/IMG_{n}.CR2"))).unwrap();
            assert!(copy == vec![n; 300_000 + usize::from(n)]);
        }
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "nothing is left where it was staged");
        (dir, clocks)
    }

    #[test]
    fn each_habit_is_a_step_of_its_own() {
        let steps = |habits: &[Habit]| import(habits).1.into_keys().collect::<Vec<_>>();
        assert_eq!(steps(&[]), ["copy"]);
        assert_eq!(steps(&[Habit::Staging]), ["copy", "move"]);
        let all: Vec<Habit> = Habit::ALL.iter().map(|(_, habit)| *habit).collect();
        assert_eq!(steps(&all), ["commit", "copy", "move", "read back", "thumbnail"]);
    }
}

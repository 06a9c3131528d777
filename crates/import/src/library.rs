//! The library's own folder: its layout, its version, its lock.
//!
//! ```text
//! LIBRARY/.lightfast/
//!   format        version of this layout and the library's lasting id
//!   catalog.db    elsewhere with --catalog
//!   incoming/     partial files, always on the file system of their destination
//!   quarantine/   what recovery set aside
//!   journal/      one file of JSON lines a closed session
//!   lock          held while an import runs
//! ```

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::error::{At, IoError, StartError, Step};
use crate::fault::{Op, point};
use crate::sys;

/// The layout that this program writes.
pub const LAYOUT: u32 = 1;

/// An existing library, or any destination: both have a `.lightfast` folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its folder.
    pub root: PathBuf,
    /// Its lasting id.
    pub id: String,
}

impl Library {
    /// The folder of lightfast's own files inside `root`.
    pub fn own_folder(root: &Path) -> PathBuf {
        root.join(".lightfast")
    }

    /// Opens what `root` holds; `None` where there is no library (or no folder) yet.
    pub fn find(root: &Path) -> Result<Option<Self>, StartError> {
        let format = Self::own_folder(root).join("format");
        let text = match fs::read_to_string(&format) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                if root.exists() && !root.is_dir() {
                    return Err(StartError::NotALibrary { path: root.to_owned(), reason: "it is a file".into() });
                }
                return Ok(None);
            }
            Err(source) => return Err(IoError::new(Step::Open, &format, source).into()),
        };
        let (layout, id) = parse_format(&text).ok_or_else(|| StartError::NotALibrary {
            path: root.to_owned(),
            reason: format!("{} is damaged", format.display()),
        })?;
        if layout > LAYOUT {
            return Err(StartError::NewerLayout { library: root.to_owned(), found: layout, known: LAYOUT });
        }
        Ok(Some(Self { root: root.to_owned(), id }))
    }

    /// Makes a new library; its folder may exist. A crash leaves a folder without `format`, which is made again.
    pub fn create(root: &Path, id: &str) -> Result<Self, IoError> {
        let own = Self::own_folder(root);
        point(Op::MakeFolder).at(Step::MakeFolder, &own)?;
        make_folders(&own)?;
        for folder in [own.join("incoming"), own.join("quarantine"), own.join("journal")] {
            point(Op::MakeFolder).at(Step::MakeFolder, &folder)?;
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                made => made.at(Step::MakeFolder, &folder)?,
            }
        }
        // One sync, that of the name, serves them all: where it was not reached, there is no library yet.
        let path = own.join("format");
        write_durably(&path, format!("lightfast library {LAYOUT}\nid {id}\n").as_bytes())?;
        Ok(Self { root: root.to_owned(), id: id.to_owned() })
    }

    /// Whether its folder still holds it: after an unmount there is an empty folder of another disk.
    pub(crate) fn is_here(&self) -> bool {
        matches!(Self::find(&self.root), Ok(Some(found)) if found.id == self.id)
    }

    /// Where partial files of a session lie.
    pub fn incoming(&self) -> PathBuf {
        Self::own_folder(&self.root).join("incoming")
    }

    /// Takes the lock that excludes other imports; it is given back when the value is dropped, or the process dies.
    pub fn lock(&self) -> Result<File, StartError> {
        let path = Self::own_folder(&self.root).join("lock");
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).at(Step::Lock, &path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StartError::Locked { library: self.root.clone() }),
            // A file system without locks cannot keep two imports apart; one at a time is the person's care there.
            Err(rustix::io::Errno::NOLCK | rustix::io::Errno::NOTSUP | rustix::io::Errno::NOSYS) => Ok(file),
            Err(error) => Err(IoError::new(Step::Lock, &path, error).into()),
        }
    }
}

/// Makes a folder and those above it that are missing; each is durable in the one above before anything is put in it.
/// Else a power cut could take a whole new library away by its name.
pub(crate) fn make_folders(path: &Path) -> Result<(), IoError> {
    if path.is_dir() {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folders(above)?;
    match fs::create_dir(path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(error) => return Err(IoError::new(Step::MakeFolder, path, error)),
    }
    sys::sync_folder(above).at(Step::SyncFolder, above)?;
    Ok(())
}

fn parse_format(text: &str) -> Option<(u32, String)> {
    let mut lines = text.lines();
    let layout = lines.next()?.strip_prefix("lightfast library ")?.trim().parse().ok()?;
    let id = lines.next()?.strip_prefix("id ")?.trim();
    (!id.is_empty() && id.len() <= 64).then(|| (layout, id.to_owned()))
}

/// Writes a small file of our own so that a crash leaves the old content or the new, never a mixture: a temporary
/// file beside it, synced, renamed over it, and the folder synced.
pub fn write_durably(path: &Path, content: &[u8]) -> Result<(), IoError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temp = path.with_file_name(name);
    point(Op::Create).at(Step::Create, &temp)?;
    let file = File::create(&temp).at(Step::Create, &temp)?;
    put(file, &temp, path, content)
}

/// What the name of a sidecar's temporary file ends in; a crash may leave one beside the photo.
pub(crate) const TEMPORARY: &str = ".lightfast-new";

/// The same for a sidecar beside a photo: the temporary file is hidden, and the mode is that of the file it replaces, or
/// of a new file of this person.
pub(crate) fn replace_durably(path: &Path, content: &[u8], mode: Option<u32>) -> Result<(), IoError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(TEMPORARY);
    let temp = path.with_file_name(name);
    sys::remove_file(&temp).at(Step::Remove, &temp)?;
    let (file, _) = sys::create_temp(&temp, false).at(Step::Create, &temp)?;
    match mode {
        // A file system without modes (FAT) refuses; the sidecar is none the worse for it.
        Some(mode) => drop(rustix::fs::fchmod(&file, rustix::fs::Mode::from_raw_mode(mode))),
        None => sys::set_shared_mode(&file, sys::umask()),
    }
    let written = put(file, &temp, path, content);
    if written.is_err() {
        let _ = sys::remove_file(&temp);
    }
    written
}

#[allow(clippy::disallowed_methods)]
fn put(mut file: File, temp: &Path, path: &Path, content: &[u8]) -> Result<(), IoError> {
    point(Op::Write).at(Step::Write, temp)?;
    file.write_all(content).at(Step::Write, temp)?;
    sys::sync_file(&file).at(Step::Sync, temp)?;
    drop(file);
    point(Op::Rename).at(Step::Rename, path)?;
    fs::rename(temp, path).at(Step::Rename, path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
    Ok(())
}

/// Appends whole lines to a file of our own and syncs them; the file and its folder are made where they are missing.
/// A crash leaves a part of the last line at most, which the next call ends, so that it spoils no other.
pub(crate) fn append_durably(path: &Path, lines: &[u8]) -> Result<(), IoError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).at(Step::MakeFolder, folder)?;
    point(Op::Create).at(Step::Create, path)?;
    let mut file = fs::OpenOptions::new().create(true).read(true).append(true).open(path).at(Step::Create, path)?;
    let mut text = Vec::with_capacity(lines.len() + 1);
    if file.seek(SeekFrom::End(-1)).is_ok() {
        let mut last = [0u8];
        file.read_exact(&mut last).at(Step::Read, path)?;
        if last != *b"\n" {
            text.push(b'\n');
        }
    }
    text.extend_from_slice(lines);
    point(Op::Write).at(Step::Write, path)?;
    file.write_all(&text).at(Step::Write, path)?;
    sys::sync_file(&file).at(Step::Sync, path)?;
    sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_spoils_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal/x.jsonl");
        append_durably(&path, b"one\n").unwrap();
        append_durably(&path, b"two\n").unwrap();
        fs::write(&path, b"one\ntw").unwrap();
        append_durably(&path, b"three\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one\ntw\nthree\n");
    }
}

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
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::error::{At, IoError, StartError, Step};
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
        for folder in [own.clone(), own.join("incoming"), own.join("quarantine"), own.join("journal")] {
            fs::create_dir_all(&folder).at(Step::MakeFolder, &folder)?;
        }
        let path = own.join("format");
        write_durably(&path, format!("lightfast library {LAYOUT}\nid {id}\n").as_bytes())?;
        Ok(Self { root: root.to_owned(), id: id.to_owned() })
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

fn parse_format(text: &str) -> Option<(u32, String)> {
    let mut lines = text.lines();
    let layout = lines.next()?.strip_prefix("lightfast library ")?.trim().parse().ok()?;
    let id = lines.next()?.strip_prefix("id ")?.trim();
    (!id.is_empty() && id.len() <= 64).then(|| (layout, id.to_owned()))
}

/// Writes a small file of our own so that a crash leaves the old content or the new, never a mixture: a temporary
/// file beside it, synced, renamed over it, and the folder synced.
#[allow(clippy::disallowed_methods)]
pub fn write_durably(path: &Path, content: &[u8]) -> Result<(), IoError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temp = path.with_file_name(name);
    let mut file = File::create(&temp).at(Step::Create, &temp)?;
    file.write_all(content).at(Step::Write, &temp)?;
    sys::sync_file(&file).at(Step::Sync, &temp)?;
    fs::rename(&temp, path).at(Step::Rename, path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    sys::sync_folder(folder).at(Step::SyncFolder, folder)?;
    Ok(())
}

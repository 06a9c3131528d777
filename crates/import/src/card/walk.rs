//! Lists every file of a card, one by one, so that each can be accounted for.
//!
//! Names are bytes. Links to folders are not followed, so a loop cannot hold
//! it; the card's own file system is not left; depth and count are bounded. A
//! folder that cannot be read is named, and the rest is listed all the same.

use std::collections::HashSet;
use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use lightfast_model::BytePath;

use super::is_junk;
use crate::error::{At, IoError, Step};
use crate::sys;

/// Folders deeper than this below the source are named as not listed.
const MAX_DEPTH: usize = 64;
/// More files than this is not a card; it bounds the memory of a plan.
const MAX_FILES: usize = 4_000_000;

/// A file found on the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the source.
    pub path: BytePath,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970 (saturated: a time out of range is still a time).
    pub mtime_ns: i64,
    /// Why it is junk, if it is.
    pub junk: Option<&'static str>,
}

/// Something on the card that could not be listed or is not a file; it keeps the card from being safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlisted {
    /// Relative to the source.
    pub path: BytePath,
    /// Why, in a line.
    pub reason: String,
}

/// Everything on the card, in the order of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files, junk among them.
    pub files: Vec<SourceFile>,
    /// What could not be listed.
    pub unlisted: Vec<Unlisted>,
}

impl Listing {
    /// What differs between two listings of one card, junk aside: the paths that came, went or changed.
    pub fn changed_since(&self, before: &Self) -> Vec<BytePath> {
        let key = |file: &SourceFile| (file.path.clone(), file.size, file.mtime_ns);
        let set =
            |listing: &Self| -> HashSet<_> { listing.files.iter().filter(|f| f.junk.is_none()).map(key).collect() };
        let (old, new) = (set(before), set(self));
        let mut paths: Vec<BytePath> = old.symmetric_difference(&new).map(|(path, _, _)| path.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Lists `source`. Fails only where the source itself cannot be opened; `dev` is the file system that it must be on
/// (after `umount -l` a card looks like an empty folder of another one).
pub fn list(source: &Path, dev: Option<u64>) -> Result<Listing, IoError> {
    let root = fs::metadata(source).at(Step::Open, source)?;
    if dev.is_some_and(|dev| dev != root.dev()) {
        let gone = std::io::Error::from_raw_os_error(rustix::io::Errno::NODEV.raw_os_error());
        return Err(IoError::new(Step::List, source, gone));
    }
    let mut walk = Walk { source, dev: root.dev(), listing: Listing::default(), folders: Vec::new() };
    walk.read_folder(Path::new(""), 0, false).at(Step::List, source)?;
    while let Some((folder, depth, junk)) = walk.folders.pop() {
        if let Err(error) = walk.read_folder(&folder, depth, junk) {
            walk.refuse(&folder, format!("could not list the folder: {error}"));
        }
    }
    let mut listing = walk.listing;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.unlisted.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

struct Walk<'a> {
    source: &'a Path,
    dev: u64,
    listing: Listing,
    /// Still to be read: path, depth, and whether all in it is junk.
    folders: Vec<(PathBuf, usize, bool)>,
}

impl Walk<'_> {
    fn refuse(&mut self, path: &Path, reason: impl Into<String>) {
        self.listing.unlisted.push(Unlisted { path: path.into(), reason: reason.into() });
    }

    fn read_folder(&mut self, folder: &Path, depth: usize, junk: bool) -> std::io::Result<()> {
        for name in sys::folder_names(&self.source.join(folder))? {
            let path = folder.join(name);
            match fs::symlink_metadata(self.source.join(&path)) {
                Ok(meta) => self.take(path, &meta, depth, junk),
                Err(error) => self.refuse(&path, format!("could not look at it: {error}")),
            }
            if self.listing.files.len() > MAX_FILES {
                return Err(std::io::Error::other(format!("more than {MAX_FILES} files: this is not a card")));
            }
        }
        Ok(())
    }

    fn take(&mut self, path: PathBuf, meta: &Metadata, depth: usize, in_junk: bool) {
        let name = path.file_name().unwrap_or_default();
        let junk = is_junk(name, meta.is_dir()).or(in_junk.then_some("inside a folder that is junk"));
        if meta.file_type().is_symlink() {
            return self.take_link(path, junk);
        }
        if meta.is_dir() {
            return self.take_folder(path, meta, depth, junk.is_some());
        }
        if !meta.is_file() {
            return self.refuse(&path, special(meta.file_type()));
        }
        self.add(path, meta, junk);
    }

    fn add(&mut self, path: PathBuf, meta: &Metadata, junk: Option<&'static str>) {
        let nanos = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
        let mtime_ns = nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        self.listing.files.push(SourceFile { path: path.into(), size: meta.len(), mtime_ns, junk });
    }

    fn take_folder(&mut self, path: PathBuf, meta: &Metadata, depth: usize, junk: bool) {
        if meta.dev() != self.dev {
            if !junk {
                self.refuse(&path, "another file system is mounted here; import it by itself");
            }
        } else if depth >= MAX_DEPTH {
            self.refuse(&path, format!("more than {MAX_DEPTH} folders deep"));
        } else {
            self.folders.push((path, depth + 1, junk));
        }
    }

    /// A link to a file is a file. A link to a folder of this source is left alone, since that folder is listed
    /// where it lies; any other link is named, because what it points at would be missed.
    fn take_link(&mut self, path: PathBuf, junk: Option<&'static str>) {
        let full = self.source.join(&path);
        match fs::metadata(&full) {
            Ok(meta) if meta.is_file() => self.add(path, &meta, junk),
            Ok(meta) if meta.is_dir() => {
                let target = fs::canonicalize(&full).ok();
                let inside = fs::canonicalize(self.source).ok().zip(target).is_some_and(|(s, t)| t.starts_with(s));
                if !inside {
                    self.refuse(&path, "a link to a folder elsewhere; import that folder by itself");
                }
            }
            Ok(meta) => self.refuse(&path, special(meta.file_type())),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                self.refuse(&path, "a link that leads round to itself");
            }
            Err(error) => self.refuse(&path, format!("a link that leads nowhere: {error}")),
        }
    }
}

fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe, not a file"
    } else if kind.is_socket() {
        "a socket, not a file"
    } else {
        "a device, not a file"
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn paths(listing: &Listing) -> Vec<String> {
        listing.files.iter().map(|f| f.path.shown()).collect()
    }

    #[test]
    fn lists_every_file_once_whatever_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("DCIM/100EOS5D/.Trashes")).unwrap();
        for name in [&b"DCIM/100EOS5D/IMG_0001.CR2"[..], b"DCIM/100EOS5D/\xff\xfe.JPG", b"DCIM/100EOS5D/.Trashes/x"] {
            fs::write(root.join(OsStr::from_bytes(name)), b"x").unwrap();
        }
        let listing = list(root, None).unwrap();
        assert_eq!(listing.files.len(), 3);
        assert_eq!(listing.files.iter().filter(|f| f.junk.is_some()).count(), 1);
        assert!(listing.unlisted.is_empty());
    }

    #[test]
    fn a_link_that_loops_does_not_hold_the_listing() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/1.jpg"), b"x").unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("a/up")).unwrap();
        std::os::unix::fs::symlink("self", dir.path().join("self")).unwrap();
        let listing = list(dir.path(), None).unwrap();
        assert_eq!(paths(&listing), ["a/1.jpg"]);
        assert_eq!(listing.unlisted.len(), 1, "the link to itself is named");
    }

    #[test]
    fn a_linked_file_is_a_file_and_a_dead_link_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("IMG_0001.JPG")).unwrap();
        std::os::unix::fs::symlink("nothing", dir.path().join("IMG_0002.JPG")).unwrap();
        let listing = list(dir.path(), None).unwrap();
        assert_eq!(paths(&listing), ["IMG_0001.JPG"]);
        assert!(listing.unlisted[0].reason.contains("leads nowhere"));
    }

    #[test]
    fn a_pipe_is_named_and_never_opened() {
        let dir = tempfile::tempdir().unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, dir.path().join("p"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let listing = list(dir.path(), None).unwrap();
        assert_eq!(listing.unlisted[0].reason, "a pipe, not a file");
    }

    #[test]
    fn an_unmounted_card_is_not_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let dev = fs::metadata(dir.path()).unwrap().dev();
        assert!(list(dir.path(), Some(dev)).is_ok());
        assert!(list(dir.path(), Some(dev + 1)).unwrap_err().ends_session());
    }

    #[test]
    fn changes_name_what_came_went_and_changed() {
        let file = |path: &str, size| SourceFile {
            path: BytePath::from_bytes(path.as_bytes()),
            size,
            mtime_ns: 0,
            junk: path.starts_with("._").then_some("junk"),
        };
        let before = Listing { files: vec![file("a", 1), file("b", 1), file("._x", 1)], unlisted: vec![] };
        let after = Listing { files: vec![file("a", 2), file("c", 1)], unlisted: vec![] };
        let changed: Vec<String> = after.changed_since(&before).iter().map(BytePath::shown).collect();
        assert_eq!(changed, ["a", "b", "c"]);
    }
}

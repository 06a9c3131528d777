//! A card with one fault.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, Errno, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, Request,
};
use tempfile::TempDir;

use super::{NO_TIME, attributes, config};

/// What is wrong with a card. Paths are relative to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardFault {
    /// Nothing.
    None,
    /// Reading this place of a file is an I/O error; the rest can be read.
    ReadError {
        /// The file.
        path: &'static str,
        /// The place, in bytes.
        at: u64,
    },
    /// The card is gone before its folders are listed.
    GoneBeforeListing,
    /// The card is gone as soon as this folder is listed.
    GoneAtFolder {
        /// The folder.
        path: &'static str,
    },
    /// The card is gone once this place of a file is read.
    GoneAt {
        /// The file.
        path: &'static str,
        /// The place, in bytes.
        at: u64,
    },
    /// The card is gone once this file was read to its end and closed.
    GoneAfter {
        /// The file.
        path: &'static str,
    },
    /// A file is listed with this size, which is not how much can be read of it.
    SizeLies {
        /// The file.
        path: &'static str,
        /// The size that is listed.
        listed: u64,
    },
    /// A file's modification time moves on when this place of it is read.
    Changes {
        /// The file.
        path: &'static str,
        /// The place, in bytes.
        at: u64,
    },
    /// This byte of a file is another one from the second reading on.
    OtherByte {
        /// The file.
        path: &'static str,
        /// The place, in bytes.
        at: u64,
    },
    /// Reading this place of a file is never answered, until the card is let go.
    Hangs {
        /// The file.
        path: &'static str,
        /// The place, in bytes.
        at: u64,
    },
}

/// A mounted card with one fault.
#[derive(Debug)]
pub struct BadCard {
    dir: TempDir,
    state: Arc<Mutex<State>>,
    session: Option<BackgroundSession>,
}

impl BadCard {
    /// Mounts a card that holds `files` (relative path and content).
    pub fn mount(files: &[(PathBuf, Vec<u8>)], fault: CardFault) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("bad-card-").tempdir()?;
        let state = Arc::new(Mutex::new(State::new(files, fault)));
        let session = fuser::spawn_mount(CardFs(state.clone()), dir.path(), &config("badcard", true))?;
        Ok(Self { dir, state, session: Some(session) })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The fault is mended: the same card, in a reader that works.
    pub fn mend(&self) {
        let mut state = lock(&self.state);
        state.fault = CardFault::None;
        state.gone = false;
        state.let_go();
    }

    /// Whether something waits for an answer that does not come.
    pub fn is_hanging(&self) -> bool {
        !lock(&self.state).waiting.is_empty()
    }
}

impl Drop for BadCard {
    fn drop(&mut self) {
        lock(&self.state).let_go();
        if let Some(session) = self.session.take() {
            let _ = session.umount_and_join();
        }
    }
}

#[derive(Debug)]
enum Content {
    Folder(BTreeMap<PathBuf, u64>),
    File(Vec<u8>),
}

#[derive(Debug)]
struct Node {
    path: PathBuf,
    content: Content,
    mtime: SystemTime,
}

#[derive(Debug)]
struct State {
    nodes: Vec<Node>,
    fault: CardFault,
    gone: bool,
    /// How often the place of the fault was read.
    visits: u32,
    /// Reads that hang, with what they will get.
    waiting: Vec<(ReplyData, Vec<u8>)>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn new(files: &[(PathBuf, Vec<u8>)], fault: CardFault) -> Self {
        let mtime = SystemTime::UNIX_EPOCH + Duration::from_secs(1_247_407_402);
        let root = Node { path: PathBuf::new(), content: Content::Folder(BTreeMap::new()), mtime };
        let mut state = Self { nodes: vec![root], fault, gone: false, visits: 0, waiting: Vec::new() };
        for (path, bytes) in files {
            state.add(path, Content::File(bytes.clone()), mtime);
        }
        state
    }

    fn add(&mut self, path: &Path, content: Content, mtime: SystemTime) -> u64 {
        if let Some(at) = self.nodes.iter().position(|node| node.path == path) {
            return at as u64 + 1;
        }
        let parent = match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => self.add(parent, Content::Folder(BTreeMap::new()), mtime),
            None => 1,
        };
        self.nodes.push(Node { path: path.to_owned(), content, mtime });
        let ino = self.nodes.len() as u64;
        let name = PathBuf::from(path.file_name().unwrap_or_default());
        if let Some(Node { content: Content::Folder(entries), .. }) = self.nodes.get_mut(parent as usize - 1) {
            entries.insert(name, ino);
        }
        ino
    }

    fn node(&self, ino: INodeNo) -> Result<&Node, Errno> {
        if self.gone {
            return Err(Errno::ENODEV);
        }
        self.nodes.get((ino.0 as usize).wrapping_sub(1)).ok_or(Errno::ENOENT)
    }

    fn attributes(&self, ino: INodeNo) -> Result<fuser::FileAttr, Errno> {
        let node = self.node(ino)?;
        Ok(match &node.content {
            Content::Folder(_) => attributes(ino.0, FileType::Directory, 0, node.mtime, 0o555),
            Content::File(bytes) => {
                let listed = match &self.fault {
                    CardFault::SizeLies { path, listed } if Path::new(path) == node.path => *listed,
                    _ => bytes.len() as u64,
                };
                attributes(ino.0, FileType::RegularFile, listed, node.mtime, 0o444)
            }
        })
    }

    /// The bytes that a read gets, and whether it is to wait for them.
    fn read(&mut self, ino: INodeNo, offset: u64, size: u64) -> Result<(Vec<u8>, bool), Errno> {
        let fault = self.fault.clone();
        let node = self.node(ino)?;
        let Content::File(bytes) = &node.content else { return Err(Errno::EISDIR) };
        let end = bytes.len().min((offset + size) as usize);
        let mut found = bytes.get(offset as usize..end).unwrap_or_default().to_vec();
        let holds = |path: &str, at: u64| Path::new(path) == node.path && (offset..offset + size).contains(&at);
        match &fault {
            CardFault::ReadError { path, at } if holds(path, *at) => return Err(Errno::EIO),
            CardFault::GoneAt { path, at } if holds(path, *at) => {
                self.gone = true;
                return Err(Errno::ENODEV);
            }
            CardFault::Hangs { path, at } if holds(path, *at) => return Ok((found, true)),
            CardFault::Changes { path, at } if holds(path, *at) => {
                if let Some(node) = self.nodes.get_mut(ino.0 as usize - 1) {
                    node.mtime += Duration::from_secs(1);
                }
            }
            CardFault::OtherByte { path, at } if holds(path, *at) => {
                self.visits += 1;
                if self.visits > 1
                    && let Some(byte) = found.get_mut((at - offset) as usize)
                {
                    *byte ^= 0x10;
                }
            }
            CardFault::GoneAfter { path } if Path::new(path) == node.path && found.is_empty() && offset > 0 => {
                self.visits += 1;
            }
            _ => {}
        }
        Ok((found, false))
    }

    fn let_go(&mut self) {
        for (reply, bytes) in self.waiting.drain(..) {
            reply.data(&bytes);
        }
    }
}

struct CardFs(Arc<Mutex<State>>);

impl CardFs {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut lock(&self.0))
    }
}

impl Filesystem for CardFs {
    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.with(|state| {
            let Content::Folder(entries) = &state.node(parent)?.content else { return Err(Errno::ENOTDIR) };
            let ino = *entries.get(Path::new(name)).ok_or(Errno::ENOENT)?;
            state.attributes(INodeNo(ino))
        });
        match found {
            Ok(attributes) => reply.entry(&NO_TIME, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        match self.with(|state| state.attributes(ino)) {
            Ok(attributes) => reply.attr(&NO_TIME, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        match self.with(|state| state.node(ino).map(|_| ())) {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO),
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.with(|state| match state.read(ino, offset, u64::from(size)) {
            Ok((bytes, false)) => reply.data(&bytes),
            Ok((bytes, true)) => state.waiting.push((reply, bytes)),
            Err(error) => reply.error(error),
        });
    }

    fn release(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.with(|state| {
            let is_it = match (&state.fault, state.node(ino)) {
                (CardFault::GoneAfter { path }, Ok(node)) => Path::new(path) == node.path,
                _ => false,
            };
            state.gone |= is_it && state.visits > 0;
        });
        reply.ok();
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let opened = self.with(|state| {
            let is_it = match (&state.fault, state.node(ino)) {
                (CardFault::GoneBeforeListing, _) => true,
                (CardFault::GoneAtFolder { path }, Ok(node)) => Path::new(path) == node.path,
                _ => false,
            };
            state.gone |= is_it;
            state.node(ino).map(|_| ())
        });
        match opened {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::empty()),
            Err(error) => reply.error(error),
        }
    }

    fn readdir(&self, _req: &Request, ino: INodeNo, _fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let listed = self.with(|state| {
            let Content::Folder(entries) = &state.node(ino)?.content else { return Err(Errno::ENOTDIR) };
            let kind = |ino: u64| match state.nodes.get(ino as usize - 1).map(|node| &node.content) {
                Some(Content::File(_)) => FileType::RegularFile,
                _ => FileType::Directory,
            };
            let mut all = vec![(1, FileType::Directory, PathBuf::from(".")), (1, FileType::Directory, "..".into())];
            all.extend(entries.iter().map(|(name, ino)| (*ino, kind(*ino), name.clone())));
            Ok(all)
        });
        match listed {
            Ok(all) => {
                for (at, (ino, kind, name)) in all.into_iter().enumerate().skip(offset as usize) {
                    if reply.add(INodeNo(ino), at as u64 + 1, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(error) => reply.error(error),
        }
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 20, 0, 0, 1000, 0, 4096, 255, 4096);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<(PathBuf, Vec<u8>)> {
        vec![("DCIM/a".into(), vec![1; 300_000]), ("DCIM/b".into(), vec![2; 10])]
    }

    fn card(fault: CardFault) -> Option<BadCard> {
        BadCard::mount(&files(), fault).map_err(|error| eprintln!("skipped: no FUSE: {error}")).ok()
    }

    #[test]
    fn a_card_reads_as_what_it_was_made_of_until_its_fault() {
        let Some(good) = card(CardFault::None) else { return };
        assert_eq!(std::fs::read(good.path().join("DCIM/a")).unwrap(), vec![1; 300_000]);
        assert_eq!(std::fs::read_dir(good.path().join("DCIM")).unwrap().count(), 2);
        let Some(bad) = card(CardFault::ReadError { path: "DCIM/a", at: 200_000 }) else { return };
        let error = std::fs::read(bad.path().join("DCIM/a")).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::IO.raw_os_error()));
        assert!(std::fs::read(bad.path().join("DCIM/b")).is_ok());
        bad.mend();
        assert!(std::fs::read(bad.path().join("DCIM/a")).is_ok());
    }

    #[test]
    fn a_card_that_is_gone_answers_nothing_any_more() {
        let Some(card) = card(CardFault::GoneAt { path: "DCIM/a", at: 100_000 }) else { return };
        assert!(std::fs::read(card.path().join("DCIM/a")).is_err());
        let error = std::fs::read(card.path().join("DCIM/b")).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::NODEV.raw_os_error()));
    }

    #[test]
    fn a_byte_is_another_one_at_the_second_reading() {
        let Some(card) = card(CardFault::OtherByte { path: "DCIM/a", at: 150_000 }) else { return };
        let read = || std::fs::read(card.path().join("DCIM/a")).unwrap();
        assert_eq!(read(), vec![1; 300_000]);
        assert_eq!(read()[150_000], 0x11);
    }
}

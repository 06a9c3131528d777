//! A disk in memory that forgets at a power cut what was not synced.
//!
//! What programs see and what is on stable storage are kept apart: content and size of each file, and the names of
//! each folder, become stable only when that file, or that folder, is synced. A cut throws the rest away; of each thing
//! that was not synced it may, by chance, have got to the medium all the same, whole or in part, as real disks do.
//! Told to lie, it says that a sync is done and does nothing.

mod calls;

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use fuser::{BackgroundSession, Errno, FileAttr, FileType, INodeNo, RenameFlags};
use tempfile::TempDir;

use self::calls::LossyFs;
use super::{attributes, config};

/// Whether a sync is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// It makes stable what it should.
    Honest,
    /// It says so and does nothing.
    Lies,
}

/// What a disk holds: hand it to [`LossyDisk::mount`] again after a cut.
#[derive(Clone, Debug)]
pub struct Disk {
    nodes: HashMap<u64, Node>,
    last: u64,
}

impl Disk {
    /// An empty one.
    pub fn new() -> Self {
        Self { nodes: HashMap::from([(1, Node::folder())]), last: 1 }
    }
}

impl Default for Disk {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Clone, Debug)]
enum Content {
    Folder(BTreeMap<OsString, u64>),
    File(Vec<u8>),
}

#[derive(Clone, Debug)]
struct Node {
    now: Content,
    stable: Content,
    mtime: SystemTime,
    stable_mtime: SystemTime,
    perm: u16,
}

impl Node {
    fn folder() -> Self {
        let empty = || Content::Folder(BTreeMap::new());
        let now = SystemTime::UNIX_EPOCH;
        Self { now: empty(), stable: empty(), mtime: now, stable_mtime: now, perm: 0o755 }
    }

    fn file() -> Self {
        let empty = || Content::File(Vec::new());
        let now = SystemTime::UNIX_EPOCH;
        Self { now: empty(), stable: empty(), mtime: now, stable_mtime: now, perm: 0o644 }
    }
}

/// A mounted disk.
#[derive(Debug)]
pub struct LossyDisk {
    dir: TempDir,
    state: Arc<Mutex<State>>,
    session: Option<BackgroundSession>,
}

impl LossyDisk {
    /// Mounts it.
    pub fn mount(disk: Disk, sync: Sync) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("lossy-disk-").tempdir()?;
        let state = Arc::new(Mutex::new(State { disk, sync, dead: false, syncs: 0 }));
        let session = fuser::spawn_mount(LossyFs(state.clone()), dir.path(), &config("lossydisk", false))?;
        Ok(Self { dir, state, session: Some(session) })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// How many syncs it was asked for.
    pub fn syncs(&self) -> u64 {
        lock(&self.state).syncs
    }

    /// The power fails: from now on everything is an error.
    pub fn cut(&self) {
        lock(&self.state).dead = true;
    }

    /// What is on the medium after the cut; `seed` is the chance by which unsynced things got there or not.
    pub fn after_cut(mut self, seed: u64) -> Disk {
        self.cut();
        if let Some(session) = self.session.take() {
            let _ = session.umount_and_join();
        }
        lock(&self.state).survivors(seed)
    }
}

impl Drop for LossyDisk {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = session.umount_and_join();
        }
    }
}

#[derive(Debug)]
struct State {
    disk: Disk,
    sync: Sync,
    dead: bool,
    syncs: u64,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A small generator: chance that is the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }
}

impl State {
    fn node(&mut self, ino: INodeNo) -> Result<&mut Node, Errno> {
        if self.dead {
            return Err(Errno::EIO);
        }
        self.disk.nodes.get_mut(&ino.0).ok_or(Errno::ENOENT)
    }

    fn entries(&mut self, ino: INodeNo) -> Result<&mut BTreeMap<OsString, u64>, Errno> {
        match &mut self.node(ino)?.now {
            Content::Folder(entries) => Ok(entries),
            Content::File(_) => Err(Errno::ENOTDIR),
        }
    }

    fn bytes(&mut self, ino: INodeNo) -> Result<&mut Vec<u8>, Errno> {
        match &mut self.node(ino)?.now {
            Content::File(bytes) => Ok(bytes),
            Content::Folder(_) => Err(Errno::EISDIR),
        }
    }

    fn attributes(&mut self, ino: INodeNo) -> Result<FileAttr, Errno> {
        let node = self.node(ino)?;
        let (kind, size) = match &node.now {
            Content::Folder(_) => (FileType::Directory, 0),
            Content::File(bytes) => (FileType::RegularFile, bytes.len() as u64),
        };
        Ok(attributes(ino.0, kind, size, node.mtime, node.perm))
    }

    fn child(&mut self, parent: INodeNo, name: &OsStr) -> Result<INodeNo, Errno> {
        self.entries(parent)?.get(name).copied().map(INodeNo).ok_or(Errno::ENOENT)
    }

    fn make(&mut self, parent: INodeNo, name: &OsStr, node: Node) -> Result<FileAttr, Errno> {
        if self.entries(parent)?.contains_key(name) {
            return Err(Errno::EEXIST);
        }
        self.disk.last += 1;
        let ino = self.disk.last;
        self.disk.nodes.insert(ino, node);
        self.entries(parent)?.insert(name.to_owned(), ino);
        self.attributes(INodeNo(ino))
    }

    fn sync(&mut self, ino: INodeNo) -> Result<(), Errno> {
        self.syncs += 1;
        let lies = self.sync == Sync::Lies;
        let node = self.node(ino)?;
        if !lies {
            node.stable = node.now.clone();
            node.stable_mtime = node.mtime;
        }
        Ok(())
    }

    fn rename(&mut self, from: (INodeNo, &OsStr), to: (INodeNo, &OsStr), flags: RenameFlags) -> Result<(), Errno> {
        let ino = self.child(from.0, from.1)?;
        let there = self.child(to.0, to.1).ok();
        if flags.contains(RenameFlags::RENAME_NOREPLACE) && there.is_some() {
            return Err(Errno::EEXIST);
        }
        if flags.bits() & !RenameFlags::RENAME_NOREPLACE.bits() != 0 {
            return Err(Errno::EINVAL);
        }
        self.entries(from.0)?.remove(from.1);
        self.entries(to.0)?.insert(to.1.to_owned(), ino.0);
        Ok(())
    }

    /// What is left after the cut.
    fn survivors(&self, seed: u64) -> Disk {
        let mut chance = Chance(seed);
        let mut disk = self.disk.clone();
        let mut numbers: Vec<u64> = disk.nodes.keys().copied().collect();
        numbers.sort_unstable();
        for ino in numbers {
            let Some(node) = disk.nodes.get_mut(&ino) else { continue };
            node.stable = match (&node.stable, &node.now) {
                (Content::Folder(stable), Content::Folder(now)) => Content::Folder(names(stable, now, &mut chance)),
                (Content::File(stable), Content::File(now)) => Content::File(torn(stable, now, &mut chance)),
                (stable, _) => stable.clone(),
            };
            node.now = node.stable.clone();
            node.mtime = node.stable_mtime;
        }
        // A name without its file was never on the medium.
        let known: Vec<u64> = disk.nodes.keys().copied().collect();
        for node in disk.nodes.values_mut() {
            for content in [&mut node.now, &mut node.stable] {
                if let Content::Folder(entries) = content {
                    entries.retain(|_, ino| known.contains(ino));
                }
            }
        }
        disk
    }
}

/// Of each name that came or went since the sync, chance says whether that got to the medium.
fn names(
    stable: &BTreeMap<OsString, u64>,
    now: &BTreeMap<OsString, u64>,
    chance: &mut Chance,
) -> BTreeMap<OsString, u64> {
    let mut all = stable.clone();
    let every: std::collections::BTreeSet<&OsString> = stable.keys().chain(now.keys()).collect();
    for name in every {
        if stable.get(name) != now.get(name) && chance.next(2) == 0 {
            match now.get(name) {
                Some(ino) => all.insert(name.clone(), *ino),
                None => all.remove(name),
            };
        }
    }
    all
}

/// Content of which some blocks, by chance, are old and some new; in half of the cases all are old.
fn torn(stable: &[u8], now: &[u8], chance: &mut Chance) -> Vec<u8> {
    if stable == now || chance.next(2) == 0 {
        return stable.to_vec();
    }
    let length = if chance.next(2) == 0 { stable.len() } else { now.len() };
    let mut bytes = vec![0; length];
    for (at, block) in bytes.chunks_mut(4096).enumerate() {
        let from = if chance.next(2) == 0 { stable } else { now };
        let start = (at * 4096).min(from.len());
        let old = from.get(start..(start + block.len()).min(from.len())).unwrap_or_default();
        if let Some(part) = block.get_mut(..old.len()) {
            part.copy_from_slice(old);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    fn disk(disk: Disk, sync: Sync) -> Option<LossyDisk> {
        LossyDisk::mount(disk, sync).map_err(|error| eprintln!("skipped: no FUSE: {error}")).ok()
    }

    fn write(path: &Path, sync_file: bool, sync_folder: bool) {
        fs::write(path, vec![7; 10_000]).unwrap();
        if sync_file {
            fs::File::open(path).unwrap().sync_all().unwrap();
        }
        if sync_folder {
            fs::File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
        }
    }

    /// In how many of twenty cuts a file is whole afterwards.
    fn whole(sync: Sync, sync_file: bool, sync_folder: bool) -> Option<u32> {
        let mut count = 0;
        for seed in 0..20 {
            let mounted = disk(Disk::new(), sync)?;
            write(&mounted.path().join("a"), sync_file, sync_folder);
            let after = disk(mounted.after_cut(seed), sync)?;
            count += u32::from(fs::read(after.path().join("a")).is_ok_and(|bytes| bytes == vec![7; 10_000]));
        }
        Some(count)
    }

    #[test]
    fn only_what_was_synced_is_sure_to_survive_a_cut() {
        let Some(synced) = whole(Sync::Honest, true, true) else { return };
        assert_eq!(synced, 20);
        for (file, folder) in [(true, false), (false, true), (false, false)] {
            assert!(whole(Sync::Honest, file, folder).unwrap() < 20, "{file} {folder}");
        }
        assert!(whole(Sync::Lies, true, true).unwrap() < 20);
    }

    #[test]
    fn it_is_a_file_system_like_others() {
        let Some(disk) = disk(Disk::new(), Sync::Honest) else { return };
        let at = |name: &str| disk.path().join(name);
        fs::create_dir(at("d")).unwrap();
        write(&at("d/a"), true, true);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_247_407_402);
        fs::File::options().write(true).open(at("d/a")).unwrap().set_modified(time).unwrap();
        assert_eq!(fs::metadata(at("d/a")).unwrap().modified().unwrap(), time);
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        write(&at("b"), false, false);
        let cwd = rustix::fs::CWD;
        assert!(rustix::fs::renameat_with(cwd, at("b"), cwd, at("d/a"), flags).is_err());
        rustix::fs::renameat_with(cwd, at("b"), cwd, at("d/c"), flags).unwrap();
        fs::File::options().write(true).open(at("d/c")).unwrap().set_len(3).unwrap();
        assert_eq!(fs::read(at("d/c")).unwrap(), [7, 7, 7]);
        assert!(fs::remove_dir(at("d")).is_err());
        fs::remove_dir_all(at("d")).unwrap();
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);
        assert!(disk.syncs() >= 2);
    }
}

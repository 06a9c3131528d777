//! The calls of the file system, as the kernel makes them.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::super::NO_TIME;
use super::{Content, Node, State, lock};

pub(super) struct LossyFs(pub(super) Arc<Mutex<State>>);

impl LossyFs {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut lock(&self.0))
    }
}

fn done(reply: ReplyEmpty, outcome: Result<(), Errno>) {
    match outcome {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

fn entry(reply: ReplyEntry, found: Result<FileAttr, Errno>) {
    match found {
        Ok(attributes) => reply.entry(&NO_TIME, &attributes, Generation(0)),
        Err(error) => reply.error(error),
    }
}

impl Filesystem for LossyFs {
    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        entry(reply, self.with(|state| state.child(parent, name).and_then(|ino| state.attributes(ino))));
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        match self.with(|state| state.attributes(ino)) {
            Ok(attributes) => reply.attr(&NO_TIME, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn setattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = self.with(|state| {
            if let Some(size) = size {
                state.bytes(ino)?.resize(size as usize, 0);
            }
            let node = state.node(ino)?;
            if let Some(mode) = mode {
                node.perm = (mode & 0o7777) as u16;
            }
            if let Some(TimeOrNow::SpecificTime(time)) = mtime {
                node.mtime = time;
            }
            state.attributes(ino)
        });
        match set {
            Ok(attributes) => reply.attr(&NO_TIME, &attributes),
            Err(error) => reply.error(error),
        }
    }

    fn mkdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, _mode: u32, _umask: u32, reply: ReplyEntry) {
        entry(reply, self.with(|state| state.make(parent, name, Node::folder())));
    }

    fn unlink(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        // The file itself stays in memory: it may be open, and a cut may bring its name back.
        done(reply, self.with(|state| state.entries(parent)?.remove(name).map(|_| ()).ok_or(Errno::ENOENT)));
    }

    fn rmdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.with(|state| {
            let ino = state.child(parent, name)?;
            if !state.entries(ino)?.is_empty() {
                return Err(Errno::ENOTEMPTY);
            }
            state.entries(parent)?.remove(name);
            Ok(())
        });
        done(reply, removed);
    }

    fn rename(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        done(reply, self.with(|state| state.rename((parent, name), (newparent, newname), flags)));
    }

    fn create(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let node = Node { perm: (mode & 0o7777) as u16, ..Node::file() };
        match self.with(|state| state.make(parent, name, node)) {
            Ok(attributes) => {
                reply.created(&NO_TIME, &attributes, Generation(0), FileHandle(0), FopenFlags::empty());
            }
            Err(error) => reply.error(error),
        }
    }

    fn open(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        match self.with(|state| state.node(ino).map(|_| ())) {
            Ok(()) => reply.opened(FileHandle(0), FopenFlags::empty()),
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
        self.with(|state| match state.bytes(ino) {
            Ok(bytes) => {
                let end = bytes.len().min(offset as usize + size as usize);
                reply.data(bytes.get(offset as usize..end).unwrap_or_default());
            }
            Err(error) => reply.error(error),
        });
    }

    fn write(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let written = self.with(|state| {
            let bytes = state.bytes(ino)?;
            let (start, end) = (offset as usize, offset as usize + data.len());
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes.get_mut(start..end).ok_or(Errno::EINVAL)?.copy_from_slice(data);
            Ok(data.len() as u32)
        });
        match written {
            Ok(count) => reply.written(count),
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _req: &Request, _ino: INodeNo, _fh: FileHandle, _lock_owner: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _req: &Request, ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        done(reply, self.with(|state| state.sync(ino)));
    }

    fn fsyncdir(&self, _req: &Request, ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        done(reply, self.with(|state| state.sync(ino)));
    }

    fn readdir(&self, _req: &Request, ino: INodeNo, _fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let listed = self.with(|state| {
            let entries = state.entries(ino)?.clone();
            let mut all = vec![(1, FileType::Directory, OsString::from(".")), (1, FileType::Directory, "..".into())];
            for (name, ino) in entries {
                let kind = match state.disk.nodes.get(&ino).map(|node| &node.now) {
                    Some(Content::File(_)) => FileType::RegularFile,
                    _ => FileType::Directory,
                };
                all.push((ino, kind, name));
            }
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
        reply.statfs(1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096);
    }
}

//! The books of a trace: every file, every process, and what each did to each.
//!
//! Files keep their identity through renames, so that what was written under one name counts for the file that ends
//! up under another. Who has the content of whom is kept as flows ([`Flow`]), by the first bytes of each block
//! seen, and where those say nothing by the order of reads and writes of a thread. It only books; what the books
//! mean (places, staging) is worked out in `summary` and `staging`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::calls::{InKernel, Name, Named, Op};
use super::parse::Call;

/// A slice of the timeline, microseconds.
pub(crate) const SLICE: u64 = 100_000;
/// Block heads remembered at most; beyond it, order alone tells where content came from.
const HEADS: usize = 4 << 20;
/// A read shorter than this is not taken for the source of a later write.
const SOURCE: u64 = 512;

/// Bytes and counts of one process on one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Io {
    pub read: u64,
    pub written: u64,
    /// Copied in the kernel out of and into this file.
    pub copied_out: u64,
    pub copied_in: u64,
    pub syncs: u64,
    pub sync_micros: u64,
    pub read_micros: u64,
    pub write_micros: u64,
}

/// A file that was touched.
#[derive(Debug, Clone, Default)]
pub(crate) struct File {
    /// Its last known path.
    pub path: PathBuf,
    /// Where it was first written, if it was renamed since.
    pub was: Option<PathBuf>,
    /// Unlinked, or replaced by a rename.
    pub gone: bool,
    pub direct: bool,
    pub positioned: bool,
    pub cloned: bool,
    pub mapped: u64,
    pub first_write: Option<u64>,
    /// Bytes that came in by any way, written or copied.
    pub incoming: u64,
}

/// A process that was seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Process {
    pub pid: u32,
    pub parent: Option<u32>,
    pub name: String,
    pub cwd: Option<PathBuf>,
    pub began: u64,
    pub ended: u64,
    pub calls: u64,
    pub queued: Vec<&'static str>,
    /// It turned out to be a thread of this one.
    pub part_of: Option<usize>,
}

/// How much of one file's content went into another, and how it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flow {
    pub by_content: u64,
    pub by_order: u64,
    pub in_kernel: u64,
    pub first: u64,
    pub process: usize,
}

impl Flow {
    pub(crate) fn bytes(&self) -> u64 {
        self.by_content + self.by_order + self.in_kernel
    }
}

/// A rename that went through, or was refused across file systems.
#[derive(Debug, Clone)]
pub(crate) struct Rename {
    pub from: PathBuf,
    pub to: PathBuf,
    /// The file or the files below the folder, as far as known.
    pub files: Vec<usize>,
    pub refused: bool,
    pub link: bool,
}

#[derive(Debug, Clone, Copy)]
struct Thread {
    process: usize,
    last_read: Option<usize>,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub files: Vec<File>,
    pub processes: Vec<Process>,
    pub io: HashMap<(usize, usize), Io>,
    pub slices: BTreeMap<(u64, usize), (u64, u64)>,
    pub flows: HashMap<(usize, usize), Flow>,
    pub renames: Vec<Rename>,
    pub system_syncs: u64,
    pub began: Option<u64>,
    pub ended: u64,
    pub calls: u64,
    by_path: HashMap<PathBuf, usize>,
    gone: HashMap<PathBuf, usize>,
    threads: HashMap<u32, Thread>,
    heads: HashMap<u64, usize>,
}

/// What only the running system can tell; a test says it itself.
pub(crate) trait System {
    /// The process that a thread belongs to, and its parent.
    fn process_of(&self, thread: u32) -> Option<(u32, u32)>;
    /// The size of a file.
    fn size(&self, path: &Path) -> Option<u64>;
    /// Name and working folder of a process that ran before the trace began.
    fn describe(&self, pid: u32) -> (Option<String>, Option<PathBuf>);
}

impl Ledger {
    /// Books one call.
    pub(crate) fn book(&mut self, call: &Call, op: Option<Op>, system: &dyn System) {
        self.began.get_or_insert(call.at);
        self.ended = self.ended.max(call.at + call.took);
        self.calls += 1;
        let process = self.process(call.thread, call.at, system);
        if let Some(p) = self.processes.get_mut(process) {
            p.calls += 1;
            p.ended = p.ended.max(call.at + call.took);
        }
        if let Some(op) = op {
            self.op(call, process, op, system);
        }
    }

    /// Books the end of a thread.
    pub(crate) fn end(&mut self, thread: u32, at: u64) {
        self.ended = self.ended.max(at);
        if let Some(thread) = self.threads.remove(&thread)
            && let Some(process) = self.processes.get_mut(thread.process)
        {
            process.ended = process.ended.max(at);
        }
    }

    fn op(&mut self, call: &Call, process: usize, op: Op, system: &dyn System) {
        match op {
            Op::Opened { file, direct, cwd } => {
                if let (Some(cwd), Some(p)) = (cwd, self.processes.get_mut(process)) {
                    p.cwd = Some(cwd);
                }
                if direct {
                    let file = self.file(&file);
                    self.with(file, |f| f.direct = true);
                }
            }
            Op::Read { file, bytes, head } => {
                let file = self.file(&file);
                let io = self.io.entry((process, file)).or_default();
                io.read += bytes;
                io.read_micros += call.took;
                self.slice(call.at, file).0 += bytes;
                if let Some(head) = head.filter(|_| self.heads.len() < HEADS) {
                    self.heads.insert(head, file);
                }
                if bytes >= SOURCE
                    && let Some(thread) = self.threads.get_mut(&call.thread)
                {
                    thread.last_read = Some(file);
                }
            }
            Op::Written { file, bytes, head, positioned } => {
                let file = self.file(&file);
                let io = self.io.entry((process, file)).or_default();
                io.written += bytes;
                io.write_micros += call.took;
                self.slice(call.at, file).1 += bytes;
                self.with(file, |f| {
                    f.positioned |= positioned;
                    f.incoming += bytes;
                    f.first_write.get_or_insert(call.at);
                });
                self.trace_source(call, process, file, bytes, head);
            }
            Op::Copied { from, to, bytes, how } => self.copied(call, process, from, to, bytes, how, system),
            Op::Renamed { from, to } => self.renamed(process, &from, &to, system),
            Op::RenameRefused { from, to } => self.note_rename(process, &from, &to, true, false),
            Op::Linked { from, to } => self.note_rename(process, &from, &to, false, true),
            Op::Unlinked { name } => {
                let path = self.absolute(process, &name);
                if let Some(id) = self.by_path.remove(&path) {
                    self.with(id, |f| f.gone = true);
                    self.gone.insert(path, id);
                }
            }
            Op::Synced { file: Some(file) } => {
                let file = self.file(&file);
                let io = self.io.entry((process, file)).or_default();
                io.syncs += 1;
                io.sync_micros += call.took;
            }
            Op::Synced { file: None } => self.system_syncs += 1,
            Op::Mapped { file, bytes } => {
                let file = self.file(&file);
                self.with(file, |f| f.mapped += bytes);
            }
            Op::Queued { what } => {
                if let Some(p) = self.processes.get_mut(process)
                    && !p.queued.contains(&what)
                {
                    p.queued.push(what);
                }
            }
            Op::MovedTo { dir } => {
                let path = self.absolute(process, &dir);
                if let Some(p) = self.processes.get_mut(process) {
                    p.cwd = Some(path);
                }
            }
            Op::Forked { child, thread } => self.forked(call, process, child, thread),
            Op::Started { program, args } => {
                if let Some(p) = self.processes.get_mut(process) {
                    p.name = process_name(&program, &args);
                }
            }
        }
    }

    /// Where the bytes that were just written had been read.
    fn trace_source(&mut self, call: &Call, process: usize, file: usize, bytes: u64, head: Option<u64>) {
        let by_content = head.and_then(|h| self.heads.get(&h).copied());
        let source = by_content.or_else(|| self.threads.get(&call.thread)?.last_read);
        let Some(source) = source.filter(|&s| s != file) else { return };
        let flow = self.flow(source, file, call.at, process);
        match by_content {
            Some(_) => flow.by_content += bytes,
            None => flow.by_order += bytes,
        }
    }

    fn flow(&mut self, from: usize, to: usize, at: u64, process: usize) -> &mut Flow {
        self.flows.entry((from, to)).or_insert_with(|| Flow { first: at, process, ..Flow::default() })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operation, taken apart once")]
    fn copied(
        &mut self,
        call: &Call,
        process: usize,
        from: Option<Named>,
        to: Option<Named>,
        bytes: Option<u64>,
        how: InKernel,
        system: &dyn System,
    ) {
        let bytes = bytes.or_else(|| from.as_ref().and_then(|f| system.size(&f.path))).unwrap_or(0);
        let from = from.map(|f| self.file(&f));
        let to = to.map(|f| self.file(&f));
        if let Some(from) = from {
            self.io.entry((process, from)).or_default().copied_out += bytes;
            self.slice(call.at, from).0 += bytes;
            if let Some(thread) = self.threads.get_mut(&call.thread) {
                thread.last_read = Some(from);
            }
        }
        let Some(to) = to else { return };
        let io = self.io.entry((process, to)).or_default();
        io.copied_in += bytes;
        io.write_micros += call.took;
        self.slice(call.at, to).1 += bytes;
        self.with(to, |f| {
            f.incoming += bytes;
            f.cloned |= how == InKernel::Reflink;
            f.first_write.get_or_insert(call.at);
        });
        // Out of a pipe, the thread's last file into it is the source.
        let source = from.or_else(|| self.threads.get(&call.thread)?.last_read).filter(|&s| s != to);
        if let Some(source) = source {
            self.flow(source, to, call.at, process).in_kernel += bytes;
        }
    }

    fn renamed(&mut self, process: usize, from: &Name, to: &Name, system: &dyn System) {
        let (from_path, to_path) = (self.absolute(process, from), self.absolute(process, to));
        if !self.by_path.contains_key(&from_path) && system.size(&to_path).is_some() {
            let below = self.by_path.keys().any(|p| p.starts_with(&from_path));
            if !below {
                self.file(&Named { path: from_path.clone(), deleted: false });
            }
        }
        let moved: Vec<(PathBuf, usize)> = match self.by_path.get(&from_path) {
            Some(&id) => vec![(from_path.clone(), id)],
            None => {
                let below = self.by_path.iter().filter(|(p, _)| p.starts_with(&from_path));
                below.map(|(p, &id)| (p.clone(), id)).collect()
            }
        };
        self.note_rename(process, from, to, false, false);
        for (old, id) in moved {
            self.by_path.remove(&old);
            let new = match old.strip_prefix(&from_path) {
                Ok(rest) if !rest.as_os_str().is_empty() => to_path.join(rest),
                _ => to_path.clone(),
            };
            if let Some(replaced) = self.by_path.insert(new.clone(), id) {
                self.with(replaced, |f| f.gone = true);
                self.gone.insert(new.clone(), replaced);
            }
            self.with(id, |f| {
                f.was.get_or_insert(old);
                f.path = new;
            });
        }
    }

    fn note_rename(&mut self, process: usize, from: &Name, to: &Name, refused: bool, link: bool) {
        let (from, to) = (self.absolute(process, from), self.absolute(process, to));
        let files = match self.by_path.get(&from) {
            Some(&id) => vec![id],
            None => self.by_path.iter().filter(|(p, _)| p.starts_with(&from)).map(|(_, &id)| id).collect(),
        };
        self.renames.push(Rename { from, to, files, refused, link });
    }

    fn forked(&mut self, call: &Call, process: usize, child: u32, thread: bool) {
        let known = self.threads.get(&child).map(|t| t.process);
        if thread {
            match known {
                Some(own) if own != process => {
                    if let Some(p) = self.processes.get_mut(own) {
                        p.part_of = Some(process);
                    }
                }
                _ => {}
            }
            let last_read = self.threads.get(&child).and_then(|t| t.last_read);
            self.threads.insert(child, Thread { process, last_read });
            return;
        }
        let parent = self.processes.get(process).cloned().unwrap_or_default();
        match known.and_then(|own| self.processes.get_mut(own)) {
            Some(p) => {
                p.parent.get_or_insert(parent.pid);
                if p.cwd.is_none() {
                    p.cwd = parent.cwd;
                }
                if p.name.is_empty() {
                    p.name = parent.name;
                }
            }
            None => {
                let child_process = Process {
                    pid: child,
                    parent: Some(parent.pid),
                    began: call.at,
                    ended: call.at,
                    calls: 0,
                    ..parent
                };
                self.add_process(child, child_process);
            }
        }
    }

    fn add_process(&mut self, thread: u32, process: Process) -> usize {
        let id = self.processes.len();
        self.processes.push(process);
        self.threads.insert(thread, Thread { process: id, last_read: None });
        id
    }

    /// The process of a thread; a thread not seen before is looked up while it is there.
    fn process(&mut self, thread: u32, at: u64, system: &dyn System) -> usize {
        if let Some(known) = self.threads.get(&thread) {
            return known.process;
        }
        let (pid, parent) = system.process_of(thread).unwrap_or((thread, 0));
        let running = self.processes.iter().rposition(|p| p.pid == pid && p.part_of.is_none());
        if let Some(id) = running.filter(|_| pid != thread) {
            self.threads.insert(thread, Thread { process: id, last_read: None });
            return id;
        }
        let from = self.threads.get(&parent).and_then(|t| self.processes.get(t.process)).cloned();
        let mut process = from.unwrap_or_default();
        if process.name.is_empty() || process.cwd.is_none() {
            let (name, cwd) = system.describe(pid);
            process.name = name.unwrap_or(process.name);
            process.cwd = cwd.or(process.cwd);
        }
        let parent = (parent != 0 && process.pid != 0).then_some(parent);
        let process = Process { pid, parent, began: at, ended: at, calls: 0, queued: Vec::new(), ..process };
        let id = self.add_process(thread, process);
        if pid != thread {
            self.threads.insert(pid, Thread { process: id, last_read: None });
        }
        id
    }

    fn absolute(&self, process: usize, name: &Name) -> PathBuf {
        name.resolve(self.processes.get(process).and_then(|p| p.cwd.as_deref()))
    }

    fn file(&mut self, named: &Named) -> usize {
        if named.deleted
            && let Some(&id) = self.gone.get(&named.path)
        {
            return id;
        }
        if let Some(&id) = self.by_path.get(&named.path) {
            return id;
        }
        let id = self.files.len();
        self.files.push(File { path: named.path.clone(), gone: named.deleted, ..File::default() });
        let names = if named.deleted { &mut self.gone } else { &mut self.by_path };
        names.insert(named.path.clone(), id);
        id
    }

    fn with(&mut self, file: usize, change: impl FnOnce(&mut File)) {
        if let Some(file) = self.files.get_mut(file) {
            change(file);
        }
    }

    fn slice(&mut self, at: u64, file: usize) -> &mut (u64, u64) {
        let from = self.began.unwrap_or(at);
        self.slices.entry((at.saturating_sub(from) / SLICE, file)).or_default()
    }

    /// The process that a process index stands for.
    pub(crate) fn owner(&self, mut process: usize) -> usize {
        for _ in 0..8 {
            match self.processes.get(process).and_then(|p| p.part_of) {
                Some(whole) => process = whole,
                None => break,
            }
        }
        process
    }
}

/// `sh stage.sh` from the program and the printed argument list: what a person would call it.
fn process_name(program: &Path, args: &str) -> String {
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let script = args.split(", ").nth(1).map(|a| a.trim_matches(|c| c == '"' || c == ']' || c == '.'));
    let interpreter = ["sh", "bash", "dash", "python", "python3", "perl", "ruby", "node"].iter().any(|i| name == *i)
        || name.starts_with("python3.");
    match script.filter(|s| interpreter && !s.is_empty() && !s.starts_with('-')) {
        Some(script) => format!("{name} {}", script.rsplit('/').next().unwrap_or(script)),
        None => name,
    }
}

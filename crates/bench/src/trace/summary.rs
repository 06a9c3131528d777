//! From the books of a trace to its report: sums by file system, folder and process, and what to say about them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use lightfast_model::BytePath;

use super::ledger::{File, Io, Ledger, SLICE};
use super::mounts::Mounts;
use super::report::{
    FileRow, FileSystem, Folder, Place, ProcessFolder, ProcessRow, Renames, Series, Timeline, Totals, TraceReport,
};
use super::staging;

/// Folders shown at most; beyond it the deepest are put together.
const FOLDERS: usize = 24;
/// Where programs, libraries and settings lie. Reading them is not part of a transfer.
const SYSTEM: &[&str] = &["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/snap", "/nix"];

/// What is known beside the books.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub command: Vec<String>,
    pub dest: Option<PathBuf>,
    pub exit: Option<i32>,
    pub tracer_seconds: f64,
    pub unread_lines: u64,
    pub joined: bool,
    pub mounts: Mounts,
}

/// Works out the report.
pub(crate) fn report(ledger: &Ledger, context: Context, size: &dyn Fn(&Path) -> Option<u64>) -> TraceReport {
    let dest = context.dest.as_deref();
    let places: Vec<Place> = ledger.files.iter().map(|file| place(file, dest)).collect();
    let groups = folders_of(ledger, &places, dest);
    let began = ledger.began.unwrap_or(0);
    let since = |at: u64| at.saturating_sub(began) as f64 / 1e6;

    let (mut by_mount, mut by_folder, mut by_process, mut by_both) = <(Sums<_>, Sums<_>, Sums<_>, Sums<_>)>::default();
    let mut by_file: Sums<usize> = Sums::default();
    for (&(process, file), io) in &ledger.io {
        let (Some(entry), Some(group)) = (ledger.files.get(file), groups.get(file)) else { continue };
        let process = ledger.owner(process);
        by_mount.add(context.mounts.of(booked(entry, dest)).map(|(index, _)| index), file, io);
        by_folder.add(group.clone(), file, io);
        by_process.add(process, file, io);
        by_both.add((process, group.clone()), file, io);
        by_file.add(file, file, io);
    }

    let file_systems: Vec<(Option<usize>, FileSystem)> = by_mount
        .sorted()
        .into_iter()
        .map(|(index, totals)| {
            let mount = index.and_then(|i| context.mounts.get(i));
            let system = FileSystem {
                path: mount.map_or_else(|| BytePath::from_bytes(b"?"), |m| m.point.clone().into()),
                kind: mount.map_or_else(|| "unknown".to_owned(), |m| m.kind.clone()),
                source: mount.map_or_else(String::new, |m| m.source.clone()),
                totals,
            };
            (index, system)
        })
        .collect();
    let folders: Vec<Folder> = by_folder
        .sorted()
        .into_iter()
        .map(|((place, path), totals)| Folder {
            file_system: context
                .mounts
                .of(&path)
                .and_then(|(index, _)| file_systems.iter().position(|(i, _)| *i == Some(index))),
            path: path.into(),
            place,
            totals,
        })
        .collect();
    let rows: Vec<(usize, ProcessRow)> = ledger
        .processes
        .iter()
        .enumerate()
        .filter(|(_, p)| p.part_of.is_none())
        .map(|(id, p)| {
            let row = ProcessRow {
                pid: p.pid,
                parent: p.parent,
                name: p.name.clone(),
                began_seconds: since(p.began),
                ended_seconds: since(p.ended),
                calls: p.calls,
                totals: by_process.get(&id),
            };
            (id, row)
        })
        .collect();
    let by_both: Vec<ProcessFolder> = by_both
        .sorted()
        .into_iter()
        .filter_map(|((process, (place, path)), totals)| {
            let folder = folders.iter().position(|f| f.place == place && f.path.as_path() == path)?;
            let process = rows.iter().position(|(id, _)| *id == process)?;
            Some(ProcessFolder { process, folder, totals })
        })
        .collect();
    let mut files: Vec<FileRow> = Vec::new();
    for (id, file) in ledger.files.iter().enumerate() {
        let Some(&place) = places.get(id).filter(|p| **p != Place::System) else { continue };
        let totals = by_file.get(&id);
        files.push(FileRow {
            path: file.path.clone().into(),
            place,
            gone: file.gone,
            direct: file.direct,
            positioned: file.positioned,
            cloned: file.cloned,
            totals,
        });
    }
    let staging = staging::find(ledger, dest, size);
    TraceReport {
        version: 1,
        dest: context.dest.clone().map(BytePath::from),
        exit: context.exit,
        seconds: since(ledger.ended),
        calls: ledger.calls,
        tracer_seconds: context.tracer_seconds,
        timeline: timeline(ledger, &groups, &folders),
        renames: renames(ledger, dest),
        not_counted: not_counted(ledger, &context),
        notes: notes(ledger, &files),
        command: context.command,
        file_systems: file_systems.into_iter().map(|(_, f)| f).collect(),
        processes: rows.into_iter().map(|(_, p)| p).collect(),
        by_process: by_both,
        folders,
        files,
        staging,
    }
}

/// Sums by some key; a file counts once however many processes touched it.
#[derive(Debug)]
struct Sums<K>(HashMap<K, (Totals, HashSet<usize>, HashSet<usize>)>);

impl<K> Default for Sums<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: std::hash::Hash + Eq + Ord + Clone> Sums<K> {
    fn add(&mut self, key: K, file: usize, io: &Io) {
        let (totals, read, written) = self.0.entry(key).or_default();
        totals.read += io.read;
        totals.written += io.written;
        totals.copied_out += io.copied_out;
        totals.copied_in += io.copied_in;
        totals.syncs += io.syncs;
        totals.read_seconds += io.read_micros as f64 / 1e6;
        totals.write_seconds += io.write_micros as f64 / 1e6;
        totals.sync_seconds += io.sync_micros as f64 / 1e6;
        if io.read + io.copied_out > 0 && read.insert(file) {
            totals.files_read += 1;
        }
        if io.written + io.copied_in > 0 && written.insert(file) {
            totals.files_written += 1;
        }
    }

    fn get(&self, key: &K) -> Totals {
        self.0.get(key).map(|(totals, ..)| *totals).unwrap_or_default()
    }

    /// Most bytes first.
    fn sorted(self) -> Vec<(K, Totals)> {
        let mut all: Vec<_> = self.0.into_iter().map(|(key, (totals, ..))| (key, totals)).collect();
        all.sort_by(|(a, x), (b, y)| {
            (y.bytes_out() + y.bytes_in()).cmp(&(x.bytes_out() + x.bytes_in())).then_with(|| a.cmp(b))
        });
        all
    }
}

/// The name a file's bytes are booked under: its last, but for a file that a rename brought into (or out of) the
/// destination; its bytes were written on the other side.
fn booked<'a>(file: &'a File, dest: Option<&Path>) -> &'a Path {
    let inside = |path: &Path| dest.is_some_and(|d| path.starts_with(d));
    match &file.was {
        Some(was) if inside(was) != inside(&file.path) => was,
        _ => &file.path,
    }
}

fn place(file: &File, dest: Option<&Path>) -> Place {
    let path = booked(file, dest);
    if dest.is_some_and(|d| path.starts_with(d)) {
        Place::Destination
    } else if file.incoming == 0 && SYSTEM.iter().any(|s| path.starts_with(s)) {
        Place::System
    } else {
        Place::Outside
    }
}

/// The folder each file is shown under.
fn folders_of(ledger: &Ledger, places: &[Place], dest: Option<&Path>) -> Vec<(Place, PathBuf)> {
    let parent = |file: &File| booked(file, dest).parent().unwrap_or(Path::new("/")).to_owned();
    let mut shown: BTreeMap<(Place, PathBuf), (Place, PathBuf)> = BTreeMap::new();
    for (file, &place) in ledger.files.iter().zip(places) {
        let folder = if place == Place::System { PathBuf::from("/") } else { parent(file) };
        shown.insert((place, parent(file)), (place, folder));
    }
    let mut distinct: HashSet<(Place, PathBuf)> = shown.values().cloned().collect();
    while distinct.len() > FOLDERS {
        let deepest = distinct.iter().map(|(_, p)| p.components().count()).max().unwrap_or(0);
        if deepest <= 2 {
            break;
        }
        for (_, path) in shown.values_mut().filter(|(_, p)| p.components().count() == deepest) {
            path.pop();
        }
        distinct = shown.values().cloned().collect();
    }
    let group =
        |(file, &place): (&File, &Place)| shown.get(&(place, parent(file))).cloned().unwrap_or((place, parent(file)));
    ledger.files.iter().zip(places).map(group).collect()
}

fn renames(ledger: &Ledger, dest: Option<&Path>) -> Renames {
    let mut sums = Renames::default();
    for rename in &ledger.renames {
        if rename.refused {
            sums.across_file_systems_refused += 1;
            continue;
        }
        if rename.link {
            sums.links += 1;
        } else if rename.from.parent() == rename.to.parent() {
            sums.within_folder += 1;
        } else {
            sums.across_folders += 1;
        }
        if dest.is_some_and(|d| rename.to.starts_with(d) && !rename.from.starts_with(d)) {
            sums.into_destination += 1;
        }
        sums.bytes += rename.files.iter().filter_map(|&id| ledger.files.get(id)).map(|f| f.incoming).sum::<u64>();
    }
    sums
}

fn not_counted(ledger: &Ledger, context: &Context) -> Vec<String> {
    let mut lines = Vec::new();
    for file in ledger.files.iter().filter(|f| f.mapped > 0) {
        let shown = BytePath::from(file.path.as_path()).shown();
        lines.push(format!("writes through memory to {shown} ({} bytes mapped)", file.mapped));
    }
    for process in ledger.processes.iter().filter(|p| p.part_of.is_none()) {
        for what in &process.queued {
            lines.push(format!("what {} ({}) reads and writes through {what}", process.name, process.pid));
        }
    }
    if context.unread_lines > 0 {
        lines.push(format!("{} lines of the tracer that could not be read", context.unread_lines));
    }
    if context.joined {
        lines.push("what the program did before it was joined".to_owned());
    }
    lines
}

fn notes(ledger: &Ledger, files: &[FileRow]) -> Vec<String> {
    let mut lines = Vec::new();
    let count = |test: fn(&FileRow) -> bool| files.iter().filter(|f| test(f)).count();
    let mut note = |n: usize, text: &str| {
        if n > 0 {
            lines.push(format!("{n} {} {text}", if n == 1 { "file" } else { "files" }));
        }
    };
    note(count(|f| f.direct), "opened past the cache (O_DIRECT)");
    note(count(|f| f.positioned && f.totals.written > 0), "written at given offsets (pwrite)");
    note(count(|f| f.cloned), "share their blocks with their source (reflink): these bytes cost nothing");
    if ledger.system_syncs > 0 {
        lines.push(format!("whole file systems synced {} times", ledger.system_syncs));
    }
    lines
}

fn timeline(ledger: &Ledger, groups: &[(Place, PathBuf)], folders: &[Folder]) -> Timeline {
    let slices = ledger.slices.keys().next_back().map_or(0, |(slice, _)| slice + 1);
    // At most 600 slices, however long it ran.
    let width = slices.div_ceil(600).max(1);
    let length = usize::try_from(slices.div_ceil(width)).unwrap_or(0);
    let all: u64 = folders.iter().map(|f| f.totals.bytes_out() + f.totals.bytes_in()).sum();
    let shown = |f: &&Folder| f.place != Place::System && (f.totals.bytes_out() + f.totals.bytes_in()) * 200 >= all;
    let mut series: Vec<(&Folder, Series)> = folders
        .iter()
        .filter(shown)
        .map(|f| (f, Series { path: f.path.clone(), out: vec![0; length], into: vec![0; length] }))
        .collect();
    for (&(slice, file), &(out, into)) in &ledger.slices {
        let Some((place, path)) = groups.get(file) else { continue };
        let found = series.iter_mut().find(|(f, _)| f.place == *place && f.path.as_path() == path);
        let (Some((_, series)), Ok(at)) = (found, usize::try_from(slice / width)) else { continue };
        if let Some(sum) = series.out.get_mut(at) {
            *sum += out;
        }
        if let Some(sum) = series.into.get_mut(at) {
            *sum += into;
        }
    }
    Timeline {
        slice_seconds: (width * SLICE) as f64 / 1e6,
        series: series.into_iter().map(|(_, series)| series).collect(),
    }
}

//! The kernel's books, read as numbers: CPU and I/O of processes, of the machine, and of disks.
//!
//! Everything here is text in `/proc`. A line that is not there gives nothing rather than a wrong number.

use std::collections::BTreeMap;
use std::path::Path;

/// Clock ticks a second in `/proc`; the kernel's ABI fixes it.
const TICKS: f64 = 100.0;

/// What one process is doing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Process {
    pub parent: u32,
    pub name: String,
    pub cpu_seconds: f64,
    pub resident: u64,
    /// A zombie: it has ended and waits to be asked for.
    pub ended: bool,
}

/// One process.
pub(crate) fn process(pid: u32) -> Option<Process> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(stat: &str) -> Option<Process> {
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    let number = |n: usize| fields.get(n)?.parse::<u64>().ok();
    Some(Process {
        parent: u32::try_from(number(1)?).ok()?,
        name,
        cpu_seconds: (number(11)? + number(12)?) as f64 / TICKS,
        resident: number(21)?.saturating_mul(rustix::param::page_size() as u64),
        ended: fields.first() == Some(&"Z"),
    })
}

/// The children of a process, of all its threads.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|p| p.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

/// Bytes of a process that reached, or came from, a disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Io {
    pub read: u64,
    pub written: u64,
}

impl Io {
    pub(crate) fn since(self, before: Self) -> Self {
        Self { read: self.read.saturating_sub(before.read), written: self.written.saturating_sub(before.written) }
    }
}

/// Of a process, its ended threads and the children it has waited for; or of one thread.
pub(crate) fn io(path: &Path) -> Option<Io> {
    let text = std::fs::read_to_string(path).ok()?;
    let field = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)?.trim().parse().ok());
    Some(Io { read: field("read_bytes:")?, written: field("write_bytes:")? })
}

/// What the children that this process has waited for did: all it is charged with, less what its own threads did.
/// The threads must be the same at both ends of what is measured.
pub(crate) fn children_io() -> Io {
    let all = io(Path::new("/proc/self/io")).unwrap_or_default();
    let mut own = Io::default();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let thread = io(&task.path().join("io")).unwrap_or_default();
        own = Io { read: own.read + thread.read, written: own.written + thread.written };
    }
    all.since(own)
}

/// Seconds of CPU that the whole machine has spent working, and its cores.
pub(crate) fn machine_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<f64> = line.split_whitespace().filter_map(|f| f.parse().ok()).collect();
    // User, nice, system, interrupts; not idle, waiting for disks, or guests (counted as user already).
    let sum: f64 = [0, 1, 2, 5, 6].iter().filter_map(|&n| fields.get(n)).sum();
    Some(sum / TICKS)
}

/// Bytes read from and written to each disk so far, by `major:minor`.
pub(crate) fn disks() -> BTreeMap<String, Io> {
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    text.lines().filter_map(disk).collect()
}

fn disk(line: &str) -> Option<(String, Io)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let sectors = |n: usize| fields.get(n)?.parse::<u64>().ok();
    let io = Io { read: sectors(5)?.checked_mul(512)?, written: sectors(9)?.checked_mul(512)? };
    Some((format!("{}:{}", fields.first()?, fields.get(1)?), io))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_whose_name_has_brackets_is_read() {
        let stat = "7 (a (b) c) S 3 7 7 0 -1 4194304 1 2 3 4 150 50 9 9 20 0 1 0 99 1000 250 18446744073709551615";
        let process = parse_stat(stat).unwrap();
        assert_eq!((process.parent, process.name.as_str(), process.cpu_seconds), (3, "a (b) c", 2.0));
        assert_eq!(process.resident, 250 * rustix::param::page_size() as u64);
    }

    #[test]
    fn a_disk_is_read_in_sectors() {
        let (device, io) = disk(" 254 0 vda 100 0 2048 5 200 0 4096 9 0 1 2").unwrap();
        assert_eq!((device.as_str(), io), ("254:0", Io { read: 1 << 20, written: 2 << 20 }));
    }
}

//! What a benchmark ran on, so that it can be repeated and compared.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::trace::Mounts;

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// As the processor calls itself.
    pub processor: String,
    /// Cores that may be used.
    pub cores: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// The kernel.
    pub kernel: String,
    /// The system.
    pub system: String,
}

/// A disk or other file system that files went to or came from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Disk {
    /// The file system's kind.
    pub kind: String,
    /// What it is made of.
    pub source: String,
    /// `major:minor`.
    pub device: String,
    /// Its I/O scheduler, where it is a disk.
    pub scheduler: Option<String>,
    /// Whether it turns (a hard disk).
    pub rotational: Option<bool>,
}

impl Machine {
    /// This one.
    pub(crate) fn read() -> Self {
        let cpuinfo = read("/proc/cpuinfo");
        let meminfo = read("/proc/meminfo");
        let field = |text: &str, name: &str| {
            let line = text.lines().find(|l| l.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = field(&meminfo, "MemTotal").and_then(|m| m.split(' ').next()?.parse::<u64>().ok());
        let release = read("/etc/os-release");
        let name = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="));
        Self {
            processor: field(&cpuinfo, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory: memory.unwrap_or(0) * 1024,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            system: name.unwrap_or("Linux").trim_matches('"').to_owned(),
        }
    }
}

impl Disk {
    /// That holds this path.
    pub(crate) fn of(path: &Path) -> Self {
        let mounts = Mounts::read();
        let Some((_, mount)) = mounts.of(path) else { return Self::default() };
        let queue = |name: &str| {
            let folder = format!("/sys/dev/block/{}", mount.device);
            // A partition's queue is its disk's.
            let paths = [format!("{folder}/queue/{name}"), format!("{folder}/../queue/{name}")];
            paths.iter().find_map(|p| std::fs::read_to_string(p).ok())
        };
        let chosen = |text: String| text.split('[').nth(1)?.split(']').next().map(str::to_owned);
        Self {
            kind: mount.kind.clone(),
            source: mount.source.clone(),
            device: mount.device.clone(),
            scheduler: queue("scheduler").and_then(chosen),
            rotational: queue("rotational").map(|r| r.trim() == "1"),
        }
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

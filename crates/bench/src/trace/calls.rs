//! What a system call did to files: the few dozen calls that move bytes, names or names' contents.
//!
//! Calls that failed did nothing, with one exception that matters: a rename refused across file systems, after which
//! programs copy. Pipes, sockets, terminals and the kernel's own file systems are not files here.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::parse::{Call, descriptor_path, head, is_deleted, quoted_path};

/// The calls to ask `strace` for. A leading `?` lets a machine that does not have the call go on without it.
pub(crate) const TRACED: &str = "?open,openat,?openat2,?creat,read,write,pread64,pwrite64,readv,writev,preadv,pwritev,\
?preadv2,?pwritev2,?copy_file_range,sendfile,splice,ioctl,?rename,renameat,?renameat2,?link,linkat,?unlink,unlinkat,\
fsync,fdatasync,syncfs,sync,mmap,chdir,fchdir,?fork,?vfork,clone,?clone3,execve,?execveat,\
?io_uring_setup,?io_submit";

/// A file as a call named it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub path: PathBuf,
    /// It had lost its name by then.
    pub deleted: bool,
}

/// A name as a call gave it: perhaps relative to a folder, or to the process's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name {
    pub dir: Option<PathBuf>,
    pub path: PathBuf,
}

impl Name {
    /// The absolute path, where the folder of the process is known.
    pub(crate) fn resolve(&self, cwd: Option<&Path>) -> PathBuf {
        match self.dir.as_deref().or(cwd) {
            Some(dir) => normal(&dir.join(&self.path)),
            None => self.path.clone(),
        }
    }
}

/// Takes `.` and `..` out, as the kernel does where no symbolic link is in the way.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// How bytes were copied without passing through the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InKernel {
    CopyFileRange,
    Sendfile,
    Splice,
    Reflink,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Opened { file: Named, direct: bool, cwd: Option<PathBuf> },
    Read { file: Named, bytes: u64, head: Option<u64> },
    Written { file: Named, bytes: u64, head: Option<u64>, positioned: bool },
    Copied { from: Option<Named>, to: Option<Named>, bytes: Option<u64>, how: InKernel },
    Renamed { from: Name, to: Name },
    RenameRefused { from: Name, to: Name },
    Linked { from: Name, to: Name },
    Unlinked { name: Name },
    Synced { file: Option<Named> },
    Mapped { file: Named, bytes: u64 },
    Queued { what: &'static str },
    MovedTo { dir: Name },
    Forked { child: u32, thread: bool },
    Started { program: PathBuf, args: String },
}

/// What this call did, if anything that counts.
pub(crate) fn op(call: &Call) -> Option<Op> {
    let arg = |n: usize| call.args.get(n).map_or("", String::as_str);
    let result = call.result?;
    if call.error.as_deref() == Some("EXDEV") {
        let (from, to) = names(call)?;
        return Some(Op::RenameRefused { from, to });
    }
    if result < 0 {
        return None;
    }
    let bytes = u64::try_from(result).ok()?;
    Some(match call.name.as_str() {
        "open" | "creat" | "openat" | "openat2" => {
            let path = call.result_path.clone().filter(|p| is_file(p))?;
            let direct = call.args.iter().any(|a| a.contains("O_DIRECT") && !a.starts_with('"'));
            let cwd = arg(0).starts_with("AT_FDCWD<").then(|| descriptor_path(arg(0))).flatten();
            Op::Opened { file: Named { path, deleted: false }, direct, cwd }
        }
        "read" | "pread64" | "readv" | "preadv" | "preadv2" if bytes > 0 => {
            Op::Read { file: named(arg(0))?, bytes, head: head_hash(arg(1)) }
        }
        "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" if bytes > 0 => {
            let positioned = call.name.starts_with('p');
            Op::Written { file: named(arg(0))?, bytes, head: head_hash(arg(1)), positioned }
        }
        "copy_file_range" => copied(arg(0), arg(2), bytes, InKernel::CopyFileRange)?,
        "splice" => copied(arg(0), arg(2), bytes, InKernel::Splice)?,
        "sendfile" | "sendfile64" => copied(arg(1), arg(0), bytes, InKernel::Sendfile)?,
        "ioctl" => cloned(arg(0), arg(1), arg(2))?,
        "rename" | "renameat" | "renameat2" => names(call).map(|(from, to)| Op::Renamed { from, to })?,
        "link" | "linkat" => names(call).map(|(from, to)| Op::Linked { from, to })?,
        "unlink" => Op::Unlinked { name: Name { dir: None, path: quoted_path(arg(0))? } },
        "unlinkat" => Op::Unlinked { name: Name { dir: descriptor_path(arg(0)), path: quoted_path(arg(1))? } },
        "fsync" | "fdatasync" | "syncfs" | "sync" => Op::Synced { file: named(arg(0)) },
        "mmap" | "mmap2" if arg(2).contains("PROT_WRITE") && arg(3).contains("MAP_SHARED") => {
            Op::Mapped { file: named(arg(4))?, bytes: arg(1).parse().ok()? }
        }
        "io_uring_setup" => Op::Queued { what: "io_uring" },
        "io_submit" => Op::Queued { what: "io_submit" },
        "chdir" => Op::MovedTo { dir: Name { dir: None, path: quoted_path(arg(0))? } },
        "fchdir" => Op::MovedTo { dir: Name { dir: None, path: descriptor_path(arg(0))? } },
        "fork" | "vfork" | "clone" | "clone3" if result > 0 => {
            let thread = call.args.iter().any(|a| a.contains("CLONE_THREAD"));
            Op::Forked { child: u32::try_from(result).ok()?, thread }
        }
        "execve" => Op::Started { program: quoted_path(arg(0))?, args: arg(1).to_owned() },
        "execveat" => Op::Started { program: quoted_path(arg(1))?, args: arg(2).to_owned() },
        _ => return None,
    })
}

/// The two names of a rename or link.
fn names(call: &Call) -> Option<(Name, Name)> {
    let arg = |n: usize| call.args.get(n).map_or("", String::as_str);
    let at = |dir: usize, path: usize| Some(Name { dir: descriptor_path(arg(dir)), path: quoted_path(arg(path))? });
    match call.name.as_str() {
        "renameat" | "renameat2" | "linkat" => Some((at(0, 1)?, at(2, 3)?)),
        "rename" | "link" => {
            let plain = |n: usize| Some(Name { dir: None, path: quoted_path(arg(n))? });
            Some((plain(0)?, plain(1)?))
        }
        _ => None,
    }
}

fn copied(from: &str, to: &str, bytes: u64, how: InKernel) -> Option<Op> {
    let (from, to) = (named(from), named(to));
    (bytes > 0 && (from.is_some() || to.is_some())).then_some(Op::Copied { from, to, bytes: Some(bytes), how })
}

/// `ioctl(4</dst>, BTRFS_IOC_CLONE or FICLONE, 3</src>)`, and the form with a range.
fn cloned(to: &str, request: &str, source: &str) -> Option<Op> {
    let to = Some(named(to)?);
    if request.contains("FICLONERANGE") {
        let from = named(source.split("src_fd=").nth(1)?.split(", ").next()?);
        let length = source.split("src_length=").nth(1)?;
        let digits: String = length.chars().take_while(char::is_ascii_digit).collect();
        // A length of 0 means up to the end.
        let bytes = digits.parse().ok().filter(|&n| n > 0);
        return Some(Op::Copied { from, to, bytes, how: InKernel::Reflink });
    }
    request.contains("FICLONE").then(|| Op::Copied { from: named(source), to, bytes: None, how: InKernel::Reflink })
}

/// The file behind a descriptor, where it is one.
fn named(arg: &str) -> Option<Named> {
    let path = descriptor_path(arg).filter(|p| is_file(p))?;
    Some(Named { path, deleted: is_deleted(arg) })
}

/// Not a device, a kernel file system, or memory.
fn is_file(path: &Path) -> bool {
    let kernel = ["/proc", "/sys", "/dev"].iter().any(|k| path.starts_with(k)) && !path.starts_with("/dev/shm");
    let memory = path.to_string_lossy().starts_with("/memfd:") || path.starts_with("/SYSV");
    !kernel && !memory
}

fn head_hash(arg: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    head(arg)?.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Line, Parser};
    use super::*;

    fn of(line: &str) -> Option<Op> {
        match Parser::default().line(&format!("1 1.000001 {line}")) {
            Line::Call(call) => op(&call),
            _ => panic!("{line}"),
        }
    }

    fn file(path: &str) -> Option<Named> {
        Some(Named { path: path.into(), deleted: false })
    }

    #[test]
    fn in_kernel_copies_name_both_files() {
        let range = of("copy_file_range(3</c/a>, NULL, 4</d/a>, NULL, 9223372035781033984, 0) = 24");
        let copy = |bytes, how| Some(Op::Copied { from: file("/c/a"), to: file("/d/a"), bytes, how });
        assert_eq!(range, copy(Some(24), InKernel::CopyFileRange));
        assert_eq!(of("sendfile(4</d/a>, 3</c/a>, NULL, 99) = 7"), copy(Some(7), InKernel::Sendfile));
        assert_eq!(of("ioctl(4</d/a>, BTRFS_IOC_CLONE or FICLONE, 3</c/a>) = 0"), copy(None, InKernel::Reflink));
        let ranged = "ioctl(4</d/a>, BTRFS_IOC_CLONE_RANGE or FICLONERANGE, {src_fd=3</c/a>, src_offset=0, \
                      src_length=8192, dest_offset=0}) = 0";
        assert_eq!(of(ranged), copy(Some(8192), InKernel::Reflink));
    }

    #[test]
    fn a_rename_refused_across_file_systems_is_kept_other_failures_are_not() {
        let line = r#"renameat2(AT_FDCWD</w>, "a", AT_FDCWD</w>, "/e/a", RENAME_NOREPLACE) = -1"#;
        let Some(Op::RenameRefused { from, .. }) = of(&format!("{line} EXDEV (Invalid cross-device link)")) else {
            panic!()
        };
        assert_eq!(from.resolve(None), Path::new("/w/a"));
        assert_eq!(of(&format!("{line} EEXIST (File exists)")), None);
    }

    #[test]
    fn devices_terminals_and_memory_are_not_files() {
        assert_eq!(of(r#"write(1</dev/pts/0>, "hello\n", 6) = 6"#), None);
        assert_eq!(of(r#"write(3</memfd:x>(deleted), "hello\n", 6) = 6"#), None);
        assert!(of(r#"write(3</dev/shm/x>, "hello\n", 6) = 6"#).is_some());
    }

    #[test]
    fn a_shared_writable_mapping_is_told_a_private_one_is_not() {
        let shared = "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</d/db>, 0) = 0x7f0000000000";
        assert!(matches!(of(shared), Some(Op::Mapped { bytes: 4096, .. })));
        assert_eq!(of("mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, 3</d/db>, 0) = 0x7f0000000000"), None);
    }
}

//! Encrypted destinations, made for a benchmark and torn down after it.
//!
//! FUSE file systems (gocryptfs, cryfs, encfs) run in the foreground as children of this process, so that their CPU
//! can be booked; fscrypt is an ext4 image with an encrypted folder, and needs root. The password is no secret: the
//! files are made by the benchmark and deleted by it.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::tools::{ToolError, run_tool};
use crate::trace::Mounts;

/// How a destination is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Encryption {
    Gocryptfs,
    Cryfs,
    Encfs,
    Fscrypt,
}

impl Encryption {
    /// All of them, by the name they have on the command line.
    pub const ALL: [(&'static str, Self); 4] =
        [("gocryptfs", Self::Gocryptfs), ("cryfs", Self::Cryfs), ("encfs", Self::Encfs), ("fscrypt", Self::Fscrypt)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("?", |(name, _)| name)
    }
}

/// A mounted one. Dropping it unmounts it; the folder around it is the caller's to delete.
#[derive(Debug)]
pub(crate) struct Encrypted {
    /// Where plain files go.
    pub folder: PathBuf,
    /// Where the encrypted ones come to lie.
    pub backing: PathBuf,
    mount: PathBuf,
    daemon: Option<Child>,
}

const PASSWORD: &[u8] = b"benchmark\n";
const UNTIL_MOUNTED: Duration = Duration::from_secs(20);

impl Encrypted {
    /// Makes and mounts one below `base`; `room` bytes must fit.
    pub(crate) fn make(kind: Encryption, base: &Path, room: u64) -> Result<Self, ToolError> {
        let name = kind.name();
        let (backing, mount) = (base.join(format!("{name}.encrypted")), base.join(format!("{name}.plain")));
        for folder in [&backing, &mount] {
            std::fs::create_dir_all(folder).map_err(|e| ToolError::io("make a folder", folder, e))?;
        }
        let mut command = match kind {
            Encryption::Fscrypt => return fscrypt(&backing, &mount, room),
            Encryption::Gocryptfs => {
                let password = ["-q", "-extpass", "echo", "-extpass", "benchmark"];
                run_tool(Command::new(name).args(["-init", "-scryptn", "10"]).args(password).arg(&backing))?;
                let mut command = Command::new(name);
                command.arg("-fg").args(password);
                // A program that does not run as root is measured as another account, which must reach the folder too.
                if rustix::process::geteuid().is_root() {
                    command.arg("-allow_other");
                }
                command
            }
            Encryption::Cryfs => {
                let mut command = Command::new(name);
                command.arg("-f").env("CRYFS_FRONTEND", "noninteractive").env("CRYFS_NO_UPDATE_CHECK", "true");
                command.env("CRYFS_LOCAL_STATE_DIR", base.join("cryfs.state"));
                command
            }
            Encryption::Encfs => {
                let mut command = Command::new(name);
                command.args(["--standard", "--stdinpass", "-f"]);
                command
            }
        };
        // In a group of its own: Ctrl-C ends the benchmark, which then unmounts it; not the other way round.
        command.process_group(0);
        command.arg(&backing).arg(&mount).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut daemon = command.spawn().map_err(|e| ToolError::start(name, e))?;
        if let Some(mut input) = daemon.stdin.take() {
            // Asked once; twice where it is confirmed.
            let _ = input.write_all(PASSWORD).and_then(|()| input.write_all(PASSWORD));
        }
        let mut made = Self { folder: mount.clone(), backing, mount, daemon: Some(daemon) };
        made.wait_until_mounted(name)?;
        Ok(made)
    }

    /// The daemon that encrypts, where there is one.
    pub(crate) fn helper(&self) -> Option<u32> {
        self.daemon.as_ref().map(Child::id)
    }

    fn wait_until_mounted(&mut self, name: &str) -> Result<(), ToolError> {
        let started = Instant::now();
        loop {
            if Mounts::read().of(&self.mount).is_some_and(|(_, m)| m.point == self.mount) {
                return Ok(());
            }
            let ended = self.daemon.as_mut().is_some_and(|d| !matches!(d.try_wait(), Ok(None)));
            if ended || started.elapsed() > UNTIL_MOUNTED {
                return Err(ToolError::failed(name, "it did not mount (is FUSE allowed here?)"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        let tools =
            if self.daemon.is_some() { ["fusermount3", "fusermount", "umount"].as_slice() } else { &["umount"] };
        for tool in tools {
            let mut command = Command::new(tool);
            if tool.starts_with("fusermount") {
                command.arg("-u");
            }
            if run_tool(command.arg(&self.mount)).is_ok() {
                break;
            }
        }
        if let Some(mut daemon) = self.daemon.take() {
            let started = Instant::now();
            while matches!(daemon.try_wait(), Ok(None)) && started.elapsed() < UNTIL_MOUNTED {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// An ext4 image with one encrypted folder, by `xfs_io`, which can speak of keys and policies.
fn fscrypt(backing: &Path, mount: &Path, room: u64) -> Result<Encrypted, ToolError> {
    let image = backing.join("image");
    let file = std::fs::File::create(&image).map_err(|e| ToolError::io("make", &image, e))?;
    file.set_len(room + room / 8 + (256 << 20)).map_err(|e| ToolError::io("size", &image, e))?;
    run_tool(Command::new("mkfs.ext4").args(["-q", "-F", "-O", "encrypt"]).arg(&image))?;
    run_tool(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(mount))?;
    let made = Encrypted {
        folder: mount.join("encrypted"),
        backing: backing.to_owned(),
        mount: mount.to_owned(),
        daemon: None,
    };
    let mut key = Command::new("xfs_io");
    key.args(["-c", "add_enckey"]).arg(mount).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = key.spawn().map_err(|e| ToolError::start("xfs_io", e))?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(&[0x5a; 64]);
    }
    let output = child.wait_with_output().map_err(|e| ToolError::start("xfs_io", e))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let identifier = said.split_whitespace().next_back().filter(|word| word.len() == 32);
    let identifier =
        identifier.ok_or_else(|| ToolError::failed("xfs_io", "this kernel does not take a key for fscrypt"))?;
    std::fs::create_dir(&made.folder).map_err(|e| ToolError::io("make a folder", &made.folder, e))?;
    let policy = format!("set_encpolicy -v 2 {identifier}");
    run_tool(Command::new("xfs_io").args(["-c", &policy]).arg(&made.folder))?;
    // The tool ends well even where the kernel refused.
    let state = run_tool(Command::new("xfs_io").args(["-c", "get_encpolicy"]).arg(&made.folder))?;
    if !state.contains(identifier) {
        return Err(ToolError::failed("fscrypt", "this kernel cannot encrypt folders of ext4"));
    }
    Ok(made)
}

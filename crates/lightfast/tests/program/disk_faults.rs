//! Destinations of other kinds: far away, dying below their file system, slow, in little memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lightfast_testkit::TestCard;
use lightfast_testkit::invariants::{Moment, Places, Snapshot, broken_in};
use serde_json::Value;
use tempfile::TempDir;

use crate::other_faults::{Held, arguments, card, finishes, is_whole};
use crate::support::{Mounted, Output, TestLibrary, noise, output, ran, skipped, small_card, text};

/// Waits until something is so; whether it came in time.
fn comes(what: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !what() {
        if begin.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

/// A folder behind the SFTP protocol, mounted by sshfs from a server process of our own, without a network.
struct Far {
    dir: TempDir,
    children: Vec<Child>,
}

impl Far {
    fn mount() -> Option<Self> {
        let server = "/usr/lib/openssh/sftp-server";
        if !Path::new(server).exists() || !ran("sshfs", &["--version"]) {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let (there, here, pipe) = (dir.path().join("there"), dir.path().join("here"), dir.path().join("pipe"));
        fs::create_dir(&there).unwrap();
        fs::create_dir(&here).unwrap();
        if !ran("mkfifo", &[text(&pipe)]) {
            return None;
        }
        // Opened for both, because a pipe that is opened for one waits for the other.
        let both = || fs::File::options().read(true).write(true).open(&pipe).unwrap();
        let mut server =
            Command::new(server).stdin(both()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let answers = server.stdout.take()?;
        let mut client = Command::new("sshfs");
        client.args(["-f", "-o", "passive", &format!(":{}", text(&there)), text(&here)]);
        let client = client.stdin(answers).stdout(both()).stderr(Stdio::null()).spawn().ok()?;
        let far = Self { dir, children: vec![client, server] };
        let point = far.path();
        comes(|| output("stat", &["-f", "-c", "%T", text(&point)]).is_some_and(|kind| kind == "fuseblk")).then_some(far)
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("here")
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        ran("umount", &["-l", text(&self.path())]);
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn a_network_file_system_is_reread_and_strict_refuses_it() {
    let test = "a_network_file_system_is_reread_and_strict_refuses_it";
    let Some(far) = Far::mount() else { return skipped(test, "no sshfs with an SFTP server") };
    let library = TestLibrary::at(far.path().join("library"));
    let catalog = library.dir().join("catalog");
    let card = small_card();
    let import = |more: &[&str]| {
        let usual = ["import", text(card.path()), "--json", "--catalog", text(&catalog)];
        library.run(usual.iter().chain(more))
    };
    let output = import(&[]).exits(0);
    let report = output.report();
    assert_eq!(report["destinations"][0]["verified"]["reread"], 3, "{report}");
    assert_eq!(report["safe_to_format"], true);
    let said = Output::of(&mut library.command(["import", text(card.path()), "--catalog", text(&catalog)]));
    assert!(said.text().contains("Safe to format"), "{}", said.text());
    let report = import(&["--strict"]).exits(3).report();
    assert_eq!(report["safe_to_format"], false);
    for (name, content) in card.contents().iter().filter(|(name, _)| name.starts_with("DCIM")) {
        let same = library.originals().into_iter().find(|path| path.file_name() == name.file_name()).unwrap();
        assert_eq!(&fs::read(library.path().join(same)).unwrap(), content);
    }
}

/// A disk whose every write is an error from some moment on; its file system finds out in its own time.
struct Dying {
    dir: TempDir,
    server: Child,
    device: String,
}

impl Dying {
    fn mount() -> Option<Self> {
        if !ran("nbdkit", &["--version"]) || !ran("nbdfuse", &["--version"]) {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let [image, disk, point, dead] = ["image", "disk", "point", "dead"].map(|name| dir.path().join(name));
        fs::create_dir(&point).unwrap();
        fs::File::create(&image).unwrap().set_len(96 << 20).unwrap();
        fs::write(&disk, b"").unwrap();
        if !ran("mkfs.ext4", &["-q", "-F", text(&image)]) {
            return None;
        }
        let mut server = Command::new("nbdfuse");
        server.args([text(&disk), "--command", "nbdkit", "-s", "--filter=error", "file", text(&image)]);
        server.args(["error-pwrite=EIO", "error-pwrite-rate=1", &format!("error-pwrite-file={}", text(&dead))]);
        let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let mut this = Self { dir, server, device: String::new() };
        if !comes(|| fs::metadata(&disk).is_ok_and(|meta| meta.len() == 96 << 20)) {
            return None;
        }
        this.device = output("losetup", &["-f", "--show", text(&disk)])?;
        ran("mount", &[&this.device, text(&point)]).then_some(this)
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("point")
    }

    fn die(&self) {
        fs::write(self.dir.path().join("dead"), b"").unwrap();
    }

    /// Writes succeed again, and the file system is mounted anew.
    fn mend(&self) -> bool {
        fs::remove_file(self.dir.path().join("dead")).unwrap();
        ran("umount", &[text(&self.path())]) && ran("mount", &[&self.device, text(&self.path())])
    }
}

impl Drop for Dying {
    fn drop(&mut self) {
        ran("umount", &["-l", text(&self.path())]);
        if !self.device.is_empty() {
            ran("losetup", &["-d", &self.device]);
        }
        ran("umount", &["-l", text(&self.dir.path().join("disk"))]);
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The file system turns read-only by itself when it finds that its disk takes no more writes.
#[test]
fn disk_takes_no_more_writes_mid_session() {
    let test = "disk_takes_no_more_writes_mid_session";
    let Some(disk) = Dying::mount() else { return skipped(test, "no nbdkit with nbdfuse") };
    let library = TestLibrary::at(disk.path().join("library"));
    let Some(held) = Held::new(test, &library, &[]) else { return };
    disk.die();
    let (card, output) = held.end();
    let output = output.exits(3);
    assert_eq!(output.report()["safe_to_format"], false);
    assert!(output.err.contains("stopped early"), "{}", output.err);
    assert!(disk.mend(), "the disk can be mounted again");
    is_whole(library.path(), Moment::AfterFault);
    finishes(&library, &card);
}

/// A group of processes with little memory: what the system ends for want of it is finished by the same command.
#[test]
fn memory_of_the_group_is_exhausted() {
    let test = "memory_of_the_group_is_exhausted";
    let group = PathBuf::from(format!("/sys/fs/cgroup/memory/lightfast-{}", std::process::id()));
    if fs::create_dir(&group).is_err() {
        return skipped(test, "no memory group can be made");
    }
    let Some(card) = card(test) else { return };
    card.mend();
    let library = TestLibrary::new();
    for megabytes in [6_u64, 12, 20, 32] {
        fs::write(group.join("memory.limit_in_bytes"), (megabytes << 20).to_string()).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$1/cgroup.procs\" && shift && exec \"$@\"", "sh", text(&group)]);
        command.arg(env!("CARGO_BIN_EXE_lightfast")).args(arguments(&card, &[]));
        let output = Output::of(library.surround(&mut command));
        assert!([0, 3, -9].contains(&output.code), "{megabytes} MB: exit {}: {}", output.code, output.err);
        assert_eq!(output.code == 0, output.text().contains("\"safe_to_format\":true"), "{}", output.text());
        is_whole(library.path(), Moment::AfterFault);
    }
    finishes(&library, &card);
    assert!(comes(|| fs::remove_dir(&group).is_ok()), "the group has no process left");
}

/// Limits what a device may write; taken back at the end.
struct Slow(String);

impl Slow {
    const FILE: &'static str = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device";

    fn down(device: &str, bytes_per_second: u64) -> Option<Self> {
        let number = output("lsblk", &["-ndo", "MAJ:MIN", device])?;
        fs::write(Self::FILE, format!("{number} {bytes_per_second}")).ok().map(|()| Self(number))
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = fs::write(Self::FILE, format!("{} 0", self.0));
    }
}

/// The most memory that a process had, in bytes, as the system counts it until its end.
fn most_memory(child: &mut Child) -> u64 {
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) << 10);
        std::thread::yield_now();
    }
    most
}

/// A further destination at 30 MB/s beside a fast one: each has its own verdict, and what waits for the slow one is
/// bounded, however much the card holds. `LIGHTFAST_FAULTS=all` takes a card of 600 MB.
#[test]
fn a_slow_further_destination_has_its_verdict_and_memory_stays_bounded() {
    let test = "a_slow_further_destination_has_its_verdict_and_memory_stays_bounded";
    let files = if std::env::var("LIGHTFAST_FAULTS").is_ok_and(|value| value == "all") { 60 } else { 9 };
    let Some(disk) = Mounted::image(800, &["mkfs.ext4", "-q", "-F"], &["mount"]) else {
        return skipped(test, "no loop-mounted ext4");
    };
    let Some(slow) = Slow::down(disk.device(), 30_000_000) else {
        return skipped(test, "writes to a device cannot be limited");
    };
    let card = (1..=files).fold(TestCard::new(), |card, n| {
        card.file(format!("DCIM/100EOS5D/IMG_{n:04}.CR2"), noise(10_000_000 + n as usize, n))
    });
    let before = Snapshot::of(card.path()).unwrap();
    let library = TestLibrary::new();
    let also = [disk.path().join("further")];
    let begin = Instant::now();
    let import = ["import", text(card.path()), "--also", text(&also[0]), "--json", "--thumbnails", "no"];
    let mut child = library.command(import).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || std::io::read_to_string(out).unwrap());
    let memory = most_memory(&mut child);
    let seconds = begin.elapsed().as_secs_f64();
    let said = reading.join().unwrap();
    drop(slow);
    let report: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let safe: Vec<_> = report["destinations"].as_array().unwrap().iter().map(|place| place["safe"].as_bool()).collect();
    assert_eq!((safe, &report["safe_to_format"]), (vec![Some(true); 2], &true.into()), "{report}");
    let places = Places { library: library.path(), catalog: None, also: &also };
    assert_eq!(broken_in(&before, places, Moment::Finished).unwrap(), Vec::<String>::new());
    assert!(memory < 100 << 20, "{memory} bytes of memory");
    println!("a slow further destination: {files} files of 10 MB, {seconds:.1} s, {} MB of memory", memory >> 20);
}

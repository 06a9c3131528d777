//! A small language for these tests: a library, a card, a run of the program, and what came out of it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::Value;
use tempfile::TempDir;

/// A home folder and a library of a test's own. The program sees nothing else of the environment.
pub(crate) struct TestLibrary {
    dir: TempDir,
    library: PathBuf,
}

impl TestLibrary {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("lightfast-").tempdir().unwrap();
        let library = dir.path().join("library");
        Self { dir, library }
    }

    /// With the library in a folder of the test's choice.
    pub(crate) fn at(library: PathBuf) -> Self {
        Self { library, ..Self::new() }
    }

    /// The folder that holds the home folder and, usually, the library.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.library
    }

    /// Every file below the library but lightfast's own, relative, sorted.
    pub(crate) fn originals(&self) -> Vec<PathBuf> {
        files_below(&self.library).into_iter().filter(|path| !path.starts_with(".lightfast")).collect()
    }

    /// Makes the config file.
    pub(crate) fn config(self, text: &str) -> Self {
        let folder = self.dir.path().join("home/.config/lightfast");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
        self
    }

    /// The program, ready to run.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lightfast"));
        self.surround(&mut command).args(arguments);
        command
    }

    /// Gives a command this test's surroundings.
    pub(crate) fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let home = self.dir.path().join("home");
        std::fs::create_dir_all(&home).unwrap();
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("LIGHTFAST_LIBRARY", &self.library)
            .env("TZ", "UTC")
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
    }

    /// Runs the program to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        Output::of(&mut self.command(arguments))
    }

    /// Imports a card with JSON on standard output.
    pub(crate) fn import(&self, card: &TestCard) -> Output {
        self.run([OsStr::new("import"), card.path().as_os_str(), OsStr::new("--json")])
    }
}

/// A card with three stills of a 5D Mark II: a RAW, a RAW with its JPEG, and junk beside them.
pub(crate) fn small_card() -> TestCard {
    let shot = |seed| Shot::sized(240, 160).seeded(seed);
    TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&Shot::sized(720, 480).seeded(1)))
        .file("DCIM/100EOS5D/IMG_0002.CR2", samples::cr2(&Shot::sized(720, 480).seeded(2)))
        .file("DCIM/100EOS5D/IMG_0002.JPG", samples::jpeg(&shot(2)))
        .file(".DS_Store", b"junk")
}

/// A card with `count` small JPEGs.
pub(crate) fn many_photos(count: u64) -> TestCard {
    let mut card = TestCard::new();
    for number in 1..=count {
        let jpeg = samples::jpeg(&Shot::sized(64, 48).seeded(number));
        card = card.file(format!("DCIM/100EOS5D/IMG_{number:04}.JPG"), jpeg);
    }
    card
}

/// Bytes that no file system makes smaller.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    })
    .take(length)
    .collect()
}

/// What a run left: exit code, standard output, standard error.
#[must_use]
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Output {
    pub(crate) fn of(command: &mut Command) -> Self {
        let done = command.output().unwrap();
        Self::from(done)
    }

    /// Asserts the exit code, and that nothing panicked.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "standard output:\n{}\nstandard error:\n{}", self.text(), self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard output as JSON lines; anything else on it is a failure.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.text().lines().map(parse).collect()
    }

    /// The events of one kind.
    #[track_caller]
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        self.json().into_iter().filter(|event| event["event"] == kind).collect()
    }

    /// The report of an import or a check; it is the last line.
    #[track_caller]
    pub(crate) fn report(&self) -> Value {
        let last = self.json().pop().expect("a report");
        assert_eq!(last["event"], "report", "{last}");
        last
    }

    /// The one clear line of an error, without its `error: `.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        let mut lines = self.err.lines();
        let line = lines.next().unwrap_or_default();
        assert_eq!(lines.next(), None, "one line is enough:\n{}", self.err);
        line.strip_prefix("error: ").unwrap_or_else(|| panic!("not an error: {line:?}"))
    }
}

impl From<std::process::Output> for Output {
    fn from(done: std::process::Output) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        let code = done.status.code().unwrap_or_else(|| -done.status.signal().unwrap_or(0));
        Self { code, out: done.stdout, err: String::from_utf8_lossy(&done.stderr).into_owned() }
    }
}

/// Every file below a folder, relative, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.map(Result::unwrap) {
            let path = entry.path();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(path),
                _ => found.push(path.strip_prefix(folder).unwrap().to_owned()),
            }
        }
    }
    found.sort();
    found
}

/// Says by name that a test cannot run here, and why.
pub(crate) fn skipped(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
}

/// Whether this process may do everything, so that permissions do not hold for it.
pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// The program under a user without rights; the test's folders become readable for everyone.
/// `None` where that cannot be had: root without `setpriv`.
pub(crate) fn as_nobody<S: AsRef<OsStr>>(
    library: &TestLibrary,
    arguments: impl IntoIterator<Item = S>,
) -> Option<Command> {
    if !is_root() {
        return Some(library.command(arguments));
    }
    // The build folder may be closed to others, so the program is put where they can run it.
    let program = library.dir().join("lightfast");
    let bytes = std::fs::read(env!("CARGO_BIN_EXE_lightfast")).unwrap();
    std::fs::write(&program, bytes).unwrap();
    mode(&program, 0o755);
    mode(library.dir(), 0o777);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
    library.surround(&mut command);
    mode(&library.dir().join("home"), 0o777);
    let works = Command::new("setpriv").args(["--reuid=65534", "--regid=65534", "--clear-groups", "true"]).output();
    works.is_ok_and(|done| done.status.success()).then_some(command)
}

/// Sets permissions.
pub(crate) fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A file system mounted for a test, and unmounted at its end.
pub(crate) struct Mounted {
    dir: TempDir,
    device: Option<String>,
    image: Option<PathBuf>,
    mount: Vec<String>,
}

impl Mounted {
    /// In memory, with these options (`size=1m`).
    pub(crate) fn memory(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = ran("mount", &["-t", "tmpfs", "-o", options, "tmpfs", text(dir.path())]);
        mounted.then_some(Self { dir, device: None, image: None, mount: Vec::new() })
    }

    /// In memory, of this size (`1m`).
    pub(crate) fn tmpfs(size: &str) -> Option<Self> {
        Self::memory(&format!("size={size}"))
    }

    /// A new file system in an image: made by `make`, mounted by `mount` from a loop device.
    pub(crate) fn image(megabytes: u64, make: &[&str], mount: &[&str]) -> Option<Self> {
        Self::image_in(None, megabytes, make, mount)
    }

    /// The same, with the image in a folder of the test's choice.
    pub(crate) fn image_in(folder: Option<&Path>, megabytes: u64, make: &[&str], mount: &[&str]) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().with_extension("img");
        let image = folder.map_or(name.clone(), |folder| folder.join(name.file_name().unwrap()));
        std::fs::File::create(&image).unwrap().set_len(megabytes << 20).unwrap();
        let path = text(&image).to_owned();
        let device = ran(make[0], &[&make[1..], &[path.as_str()]].concat())
            .then(|| output("losetup", &["-f", "--show", path.as_str()]))
            .flatten();
        let this = Self { dir, device, image: Some(image), mount: mount.iter().map(|s| (*s).to_owned()).collect() };
        (this.device.is_some() && this.mount()).then_some(this)
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The loop device, where there is one.
    pub(crate) fn device(&self) -> &str {
        self.device.as_deref().unwrap()
    }

    /// Mounts it, as at the beginning.
    pub(crate) fn mount(&self) -> bool {
        let [program, options @ ..] = self.mount.as_slice() else { return false };
        let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
        arguments.extend([self.device(), text(self.dir.path())]);
        ran(program, &arguments)
    }

    pub(crate) fn unmount(&self) -> bool {
        ran("umount", &[text(self.dir.path())])
    }

    /// Mounts it again, read-only.
    pub(crate) fn read_only(&self) -> bool {
        ran("mount", &["-o", "remount,ro", text(self.dir.path())])
    }

    /// Takes the end of the medium away.
    pub(crate) fn shorten(&self, bytes: u64) {
        let image = std::fs::File::options().write(true).open(self.image.as_ref().unwrap()).unwrap();
        image.set_len(bytes).unwrap();
        ran("losetup", &["-c", self.device()]);
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        ran("umount", &["-l", text(self.dir.path())]);
        if let Some(device) = &self.device {
            ran("losetup", &["-d", device]);
        }
        if let Some(image) = &self.image {
            let _ = std::fs::remove_file(image);
        }
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn ran(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|done| done.status.success())
}

pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let done = Command::new(program).args(arguments).output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

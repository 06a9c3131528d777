//! Programs that know these formats. Where one is not installed, the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A program on this machine's search path; `None`, and a printed line, if it is not there.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        println!("skipped: {name} is not installed");
    }
    found
}

/// What a program prints about a file. Fails the test if the program fails.
pub(crate) fn run(program: &Path, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{} {arguments:?} {}: {errors}", program.display(), file.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// ExifTool's tags of a file, numbers as numbers.
pub(crate) fn exiftool(file: &Path) -> Option<Value> {
    let printed = run(&program("exiftool")?, &["-json", "-n", "-api", "largefilesupport=1"], file);
    let mut all: Value = serde_json::from_str(&printed).unwrap();
    Some(all[0].take())
}

/// Whether ExifTool finds nothing to complain of; its complaints if it does.
pub(crate) fn validate(file: &Path) {
    if let Some(exiftool) = program("exiftool") {
        let printed = run(&exiftool, &["-validate", "-warning", "-error", "-a", "-s"], file);
        assert!(printed.contains(": OK"), "{}: {printed}", file.display());
    }
}

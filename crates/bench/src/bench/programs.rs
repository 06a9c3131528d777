//! What is measured: our import, the system's copy, and any other program by its command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A program, as a command with places for source and destination.
#[derive(Debug, Clone)]
pub struct Program {
    /// What it is called in the tables.
    pub name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Copy,
    CopyAndChecksum,
    Lightfast {
        exe: PathBuf,
        verify: &'static str,
        rendered: bool,
    },
    /// A command of our own that takes source and destination last.
    Ours {
        exe: PathBuf,
        words: Vec<String>,
    },
    Command(String),
}

/// Why a command cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProgramError {
    /// It has no name.
    #[error("use --against {0}: write NAME='command {{src}} {{dst}}'")]
    NoName(String),
    /// It does not say where source and destination go.
    #[error("use --against {0}: the command needs {{src}} and {{dst}}")]
    NoPlaces(String),
}

/// The reference that all others are compared with.
pub const REFERENCE: &str = "cp -a";

/// The built-in programs, the reference first. `exe` is the `lightfast` to run.
pub(crate) fn built_in(exe: &Path, rendered: bool) -> Vec<Program> {
    let ours = |verify| Kind::Lightfast { exe: exe.to_owned(), verify, rendered: false };
    let mut all = vec![
        Program { name: REFERENCE.into(), kind: Kind::Copy },
        Program { name: "cp -a, then sha256sum of both".into(), kind: Kind::CopyAndChecksum },
        Program { name: "lightfast stream".into(), kind: ours("stream") },
        Program { name: "lightfast cold".into(), kind: ours("cold") },
    ];
    if rendered {
        let kind = Kind::Lightfast { exe: exe.to_owned(), verify: "cold", rendered };
        all.push(Program { name: "lightfast cold, 1:1 rendered".into(), kind });
    }
    all
}

impl Program {
    /// From `NAME=COMMAND`, as `--against` has it.
    pub fn against(text: &str) -> Result<Self, ProgramError> {
        let (name, command) = text
            .split_once('=')
            .filter(|(name, command)| !name.trim().is_empty() && !command.trim().is_empty())
            .ok_or_else(|| ProgramError::NoName(text.to_owned()))?;
        if !command.contains("{src}") || !command.contains("{dst}") {
            return Err(ProgramError::NoPlaces(name.trim().to_owned()));
        }
        Ok(Self { name: name.trim().to_owned(), kind: Kind::Command(command.to_owned()) })
    }

    /// A command of the program `exe`, which gets source and destination as its last words and says JSON lines.
    pub(crate) fn ours(name: String, exe: &Path, words: Vec<String>) -> Self {
        Self { name, kind: Kind::Ours { exe: exe.to_owned(), words } }
    }

    /// Whether it is one of ours, whose events are read.
    pub(crate) fn has_events(&self) -> bool {
        matches!(self.kind, Kind::Lightfast { .. } | Kind::Ours { .. })
    }

    /// The words of the command that transfers `source` into the folder `destination`, which exists and is empty.
    pub(crate) fn words(&self, source: &Path, destination: &Path) -> Vec<OsString> {
        let shell = |script: &str| -> Vec<OsString> {
            vec!["sh".into(), "-c".into(), script.into(), "sh".into(), source.into(), destination.into()]
        };
        match &self.kind {
            Kind::Copy => vec!["cp".into(), "-a".into(), source.join(".").into(), destination.into()],
            // As a careful person does it in a shell: the copy on the disk first, then both sides read.
            Kind::CopyAndChecksum => shell(
                "cp -a \"$1/.\" \"$2\" && sync -f \"$2\" && cd \"$1\" && find . -type f -exec sha256sum {} + | (cd \"$2\" && \
                 sha256sum --quiet -c -)",
            ),
            Kind::Lightfast { exe, verify, rendered } => {
                let mut words: Vec<OsString> = vec![exe.into(), "import".into(), source.into()];
                words.extend(["--library".into(), destination.into(), "--verify".into(), (*verify).into()]);
                words.push("--json".into());
                if *rendered {
                    words.extend(["--previews".into(), "rendered".into()]);
                }
                words
            }
            Kind::Ours { exe, words } => {
                let mut all: Vec<OsString> = vec![exe.into(), "--json".into()];
                all.extend(words.iter().map(OsString::from));
                all.extend([source.into(), destination.into()]);
                all
            }
            Kind::Command(command) => shell(&command.replace("{src}", "\"$1\"").replace("{dst}", "\"$2\"")),
        }
    }
}

/// What a program's own last report said; only ours has one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnReport {
    /// Seconds in each stage. They overlap.
    pub stages: std::collections::BTreeMap<String, f64>,
    /// Whether it called the card safe to format.
    pub safe_to_format: Option<bool>,
    /// Until the first thumbnail was there.
    pub first_thumbnail_seconds: Option<f64>,
    /// What rendering 1:1 previews took, where asked for.
    pub previews_seconds: Option<f64>,
}

impl OwnReport {
    /// Reads one line of its events, which came at this second.
    pub(crate) fn line(&mut self, line: &str, seconds: f64) {
        let Ok(event) = serde_json::from_str::<serde_json::Value>(line) else { return };
        let text = |key: &str| event.get(key).and_then(serde_json::Value::as_str);
        match text("event") {
            Some("progress") if text("stage") == Some("thumbnails") => {
                let files = event.get("files").and_then(serde_json::Value::as_u64).unwrap_or(0);
                if files > 0 {
                    self.first_thumbnail_seconds.get_or_insert(seconds);
                }
            }
            Some("report") => {
                self.safe_to_format = event.get("safe_to_format").and_then(serde_json::Value::as_bool);
                let stages = event.get("stages").and_then(serde_json::Value::as_object);
                let seconds = |(k, v): (&String, &serde_json::Value)| Some((k.clone(), v.as_f64()?));
                self.stages = stages.into_iter().flatten().filter_map(seconds).collect();
            }
            Some("previews") => self.previews_seconds = event.get("seconds").and_then(serde_json::Value::as_f64),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_needs_a_name_and_both_places() {
        assert_eq!(Program::against("rsync").unwrap_err(), ProgramError::NoName("rsync".into()));
        assert_eq!(Program::against("r=rsync {src}").unwrap_err(), ProgramError::NoPlaces("r".into()));
        let rsync = Program::against("rsync=rsync -a {src}/ {dst}/").unwrap();
        let words = rsync.words(Path::new("/a b"), Path::new("/c"));
        assert_eq!(words[2], "rsync -a \"$1\"/ \"$2\"/");
        assert_eq!((&words[4], &words[5]), (&OsString::from("/a b"), &OsString::from("/c")));
    }

    #[test]
    fn our_own_events_tell_the_first_thumbnail_and_the_stages() {
        let mut own = OwnReport::default();
        own.line(r#"{"event":"progress","stage":"thumbnails","files":0}"#, 0.5);
        own.line(r#"{"event":"progress","stage":"thumbnails","files":2}"#, 0.8);
        own.line(r#"{"event":"progress","stage":"thumbnails","files":9}"#, 3.0);
        own.line(r#"{"event":"report","safe_to_format":true,"stages":{"copy":1.5,"sync":0.5}}"#, 4.0);
        assert_eq!(own.first_thumbnail_seconds, Some(0.8));
        assert_eq!((own.safe_to_format, own.stages["copy"]), (Some(true), 1.5));
    }
}

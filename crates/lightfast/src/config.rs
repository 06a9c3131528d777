//! The user's config file, `lightfast/config.toml` in the user's config folder. It is read, never written.
//!
//! It holds the usual library, how sidecars are named, and presets: named sets of import options. A key that
//! is not known is an error and not a silence, because a misspelt option is one that does not take effect.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use lightfast_import::ClockCorrection;
use serde::Deserialize;

use crate::commands::import::Verify;
use crate::error::Error;

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The usual library: an absolute path, or one that begins with `~/`.
    pub(crate) library: Option<PathBuf>,
    /// How an XMP sidecar is named.
    #[serde(default)]
    pub(crate) sidecar_names: SidecarNames,
    /// Named sets of import options.
    #[serde(default)]
    pub(crate) preset: BTreeMap<String, Preset>,
}

/// How an XMP sidecar is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SidecarNames {
    /// A RAW's is `IMG_0001.xmp`, as Lightroom has it.
    #[default]
    Stem,
    /// And `IMG_0001.CR2.xmp` beside it, as darktable has it.
    Both,
}

/// Import options by name; each has the meaning of the option of the same name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(missing_docs)]
pub(crate) struct Preset {
    pub(crate) name: Option<String>,
    pub(crate) job: Option<String>,
    pub(crate) verify: Option<Verify>,
    pub(crate) strict: Option<bool>,
    pub(crate) eject: Option<bool>,
    /// `--mhl`.
    pub(crate) mhl: Option<bool>,
    pub(crate) urgent: Option<bool>,
    pub(crate) thumbnails: Option<YesNo>,
    pub(crate) previews: Option<Previews>,
    #[serde(default)]
    pub(crate) keyword: Vec<String>,
    pub(crate) creator: Option<String>,
    pub(crate) copyright: Option<String>,
    #[serde(default)]
    pub(crate) clock: Vec<ClockCorrection>,
    pub(crate) zone: Option<String>,
    pub(crate) day_start: Option<String>,
    pub(crate) layout: Option<Layout>,
    pub(crate) again: Option<bool>,
}

/// How a card's files are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Layout {
    /// By the name template
    Dated,
    /// The card's own tree, under one folder {date}-{card}
    Mirror,
}

/// `yes` or `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum YesNo {
    /// Make them during the import
    Yes,
    /// Make them when they are first looked at
    No,
}

/// What an import notes of the full-size picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Previews {
    /// Note where the camera's full-size JPEG lies in each file; nothing is copied
    Camera,
    /// After the verdict, render every RAW at full size
    Rendered,
    /// Leave that to the first look
    None,
}

impl Config {
    /// From the text of a file; `path` is for the message.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text.bytes().take(span.start).filter(|b| *b == b'\n').count());
            let message = error.message().replace('\n', " ");
            Error::usage(format!("config file {}, line {line}: {message}", path.display()))
        })
    }

    /// From the user's config folder; a file that does not exist says nothing.
    pub(crate) fn load(folder: Option<&Path>) -> Result<Self, Error> {
        let Some(folder) = folder else { return Ok(Self::default()) };
        let path = folder.join("lightfast").join("config.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Self::default())
            }
            Err(error) => Err(Error::start(format!("cannot read the config file {}", path.display())).because(error)),
        }
    }

    /// A preset by name.
    pub(crate) fn preset(&self, name: &str) -> Result<&Preset, Error> {
        self.preset.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.preset.keys().map(String::as_str).collect();
            let error = Error::usage(format!("there is no preset called {name:?}"));
            match known.as_slice() {
                [] => error.hint("presets are tables [preset.NAME] in the config file lightfast/config.toml"),
                _ => error.hint(format!("the config file has {}", known.join(", "))),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("/c/config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_file() {
        let config = parse(
            "library = \"~/Photos\"\nsidecar_names = \"both\"\n\
             [preset.wedding]\nname = \"{job}/{name}\"\nverify = \"stream\"\nthumbnails = \"no\"\nstrict = true\n",
        )
        .unwrap();
        assert_eq!(config.library.as_deref(), Some(Path::new("~/Photos")));
        let preset = config.preset("wedding").unwrap();
        assert_eq!(preset.verify, Some(Verify::Stream));
        assert_eq!(preset.thumbnails, Some(YesNo::No));
        assert_eq!(preset.previews, None);
        let error = config.preset("weding").unwrap_err();
        assert_eq!(error.next(), Some("the config file has wedding"));
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_line() {
        let error = parse("library = \"/a\"\n[preset.x]\nverfy = \"cold\"\n").unwrap_err();
        assert!(error.starts_with("config file /c/config.toml, line 3: unknown field `verfy`"), "{error}");
    }

    #[test]
    fn no_file_and_no_folder_are_an_empty_config() {
        assert!(Config::load(None).unwrap().preset.is_empty());
        assert!(Config::load(Some(Path::new("/nonexistent"))).unwrap().library.is_none());
    }
}

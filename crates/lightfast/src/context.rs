//! What every command is given: the screen, the config, and where the library is.
//!
//! This is the one place that reads the environment, the home folder and the clock; rooms below get the
//! values as arguments. Nothing is created or opened here.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use crate::args::Global;
use crate::config::Config;
use crate::error::Error;
use crate::ui::{Ui, Wishes};

/// What the environment says, read once.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// The user's home folder.
    pub(crate) home: Option<PathBuf>,
    /// The user's config folder.
    pub(crate) config: Option<PathBuf>,
    /// `LIGHTFAST_LIBRARY`.
    pub(crate) library: Option<PathBuf>,
    /// There is a screen that a browser could open on.
    pub(crate) has_display: bool,
    /// No colours: `NO_COLOR` is set and not empty, or `TERM=dumb`.
    pub(crate) plain: bool,
}

impl Environment {
    /// The process's own.
    pub(crate) fn read() -> Self {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let config = var("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self {
            home,
            config,
            library: var("LIGHTFAST_LIBRARY").map(PathBuf::from),
            has_display: cfg!(target_os = "macos") || var("DISPLAY").is_some() || var("WAYLAND_DISPLAY").is_some(),
            plain: var("NO_COLOR").is_some() || var("TERM") == Some(OsString::from("dumb")),
        }
    }
}

/// What every command is given.
pub(crate) struct Context {
    /// Standard output and standard error.
    pub(crate) ui: Ui,
    /// The config file.
    pub(crate) config: Config,
    /// The user's home folder.
    pub(crate) home: Option<PathBuf>,
    /// There is a screen that a browser could open on.
    pub(crate) has_display: bool,
    library: Option<PathBuf>,
    catalog: Option<PathBuf>,
}

impl Context {
    /// From the options that every command has and the environment.
    pub(crate) fn new(global: &Global, environment: Environment, config: Config) -> Self {
        let wishes =
            Wishes { json: global.json, quiet: global.quiet, verbose: global.verbose, plain: environment.plain };
        let library = global.library.clone().or(environment.library).or_else(|| config.library.clone());
        let Environment { home, has_display, .. } = environment;
        Self { ui: Ui::new(wishes), config, home, has_display, library, catalog: global.catalog.clone() }
    }

    /// The library's folder, as an absolute path; it need not exist.
    pub(crate) fn library(&self) -> Result<PathBuf, Error> {
        let path = match (&self.library, &self.home) {
            (Some(path), home) => under_home(path, home.as_deref()),
            (None, Some(home)) => home.join("Pictures").join("Lightfast"),
            (None, None) => {
                return Err(Error::start("there is no home folder to keep the library in")
                    .hint("name the library with --library DIR"));
            }
        };
        absolute(&path)
    }

    /// Where the catalogue is, if elsewhere than in the library.
    pub(crate) fn catalog(&self) -> Result<Option<PathBuf>, Error> {
        self.catalog.as_deref().map(absolute).transpose()
    }

    /// How this program was called, so that a command that is suggested can be typed as it is.
    pub(crate) fn program(&self) -> String {
        let name = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
        if name.components().count() > 1 { quoted(&name) } else { "lightfast".to_owned() }
    }

    /// The time now.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    /// The time now, as the file system counts it.
    pub(crate) fn system_time() -> SystemTime {
        SystemTime::UNIX_EPOCH + jiff::Timestamp::now().as_duration().unsigned_abs()
    }

    /// A path as a person reads it: below `~` where it is in the home folder, without control characters.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let short = self
            .home
            .as_ref()
            .filter(|home| home.parent().is_some())
            .and_then(|home| path.strip_prefix(home).ok())
            .map(|rest| Path::new("~").join(rest));
        crate::ui::harmless(&short.as_deref().unwrap_or(path).to_string_lossy())
    }

    /// The options that name this library again on a command line; nothing where it is the usual one.
    pub(crate) fn library_option(&self, library: &Path) -> String {
        let usual = self.home.as_ref().map(|home| home.join("Pictures").join("Lightfast"));
        let named = self.config.library.as_deref().map(|path| under_home(path, self.home.as_deref())).or(usual);
        if named.as_deref() == Some(library) { String::new() } else { format!(" --library {}", quoted(library)) }
    }
}

/// This machine's name, for manifests.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}

/// A program that is installed, found as a shell would.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_absolute() && path.is_file())
}

/// A path as one word of a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+,@%=:".contains(c));
    if plain && !text.is_empty() { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// An absolute path without `.` and without a trailing slash; links are left as they are.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path)
        .map_err(|error| Error::start(format!("cannot use the path {}", path.display())).because(error))?;
    Ok(path.components().filter(|part| *part != Component::CurDir).collect())
}

fn under_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(option: Option<&str>, environment: Option<&str>, config: Option<&str>) -> Context {
        let global = Global { library: option.map(PathBuf::from), ..Global::default() };
        let environment = Environment {
            home: Some("/home/me".into()),
            library: environment.map(PathBuf::from),
            ..Environment::default()
        };
        let config = Config { library: config.map(PathBuf::from), ..Config::default() };
        Context::new(&global, environment, config)
    }

    #[test]
    fn the_library_is_that_of_the_option_then_the_environment_then_the_config_then_the_home_folder() {
        let place = |o, e, c| context(o, e, c).library().unwrap();
        assert_eq!(place(Some("/o"), Some("/e"), Some("/c")), Path::new("/o"));
        assert_eq!(place(None, Some("/e"), Some("/c")), Path::new("/e"));
        assert_eq!(place(None, None, Some("~/c/")), Path::new("/home/me/c"));
        assert_eq!(place(None, None, None), Path::new("/home/me/Pictures/Lightfast"));
    }

    #[test]
    fn paths_are_shown_short_and_typed_safely() {
        let context = context(None, None, None);
        assert_eq!(context.shown(Path::new("/home/me/Pictures/L")), "~/Pictures/L");
        assert_eq!(context.shown(Path::new("/media/a\nb")), "/media/a\u{fffd}b");
        assert_eq!(context.library_option(Path::new("/home/me/Pictures/Lightfast")), "");
        assert_eq!(context.library_option(Path::new("/a b")), " --library '/a b'");
    }
}

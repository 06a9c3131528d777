//! What the person asked for, and what the engine needs from its surroundings.
//!
//! The engine reads no environment, no home folder and no clock of its own:
//! all of that comes in here, so that a test can set it.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use lightfast_model::{Event, VerifyMode};
use lightfast_worker::WorkerOptions;
use serde::{Deserialize, Serialize};

use crate::plan::ClockCorrection;
use crate::sidecar::SidecarSettings;
use crate::template::Template;

/// What is noted of full-size previews during an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Previews {
    /// Where the full-size JPEG lies in the original; nothing is copied.
    #[default]
    Camera,
    /// Nothing; left to the first look.
    None,
}

/// Parts of an import that a benchmark leaves out, to see what each costs.
///
/// No option of an import reaches it. What is imported so counts as `stream` at best, and is never safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Contents are neither hashed nor compared; each file counts as one of its own.
    pub hash: bool,
    /// Originals and their folders are not synced.
    pub sync: bool,
    /// Files are not asked what they are; with that, nobody knows where their previews lie.
    pub metadata: bool,
    /// The catalogue is in memory and gone at the end.
    pub catalog: bool,
}

impl Without {
    /// Whether anything is left out.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// The options of one import.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cards or folders to import from.
    pub sources: Vec<PathBuf>,
    /// Where the library is, or is to be.
    pub library: PathBuf,
    /// Where the catalogue lies if not in the library.
    pub catalog: Option<PathBuf>,
    /// Further destinations, written from the same read.
    pub also: Vec<PathBuf>,
    /// Where originals go inside a destination.
    pub name: Template,
    /// The job code.
    pub job: Option<String>,
    /// How copies are proven.
    pub verify: VerifyMode,
    /// Whether `reread` does not count as safe.
    pub strict: bool,
    /// Whether to make thumbnails during the import.
    pub thumbnails: bool,
    /// What is noted of full-size previews.
    pub previews: Previews,
    /// Also photos that were put in the trash before.
    pub again: bool,
    /// Write an ASC MHL generation in each destination; it carries this name of the machine.
    pub mhl: Option<String>,
    /// Files in flight at once; where there is none, as many as suits the devices.
    pub lanes: Option<usize>,
    /// Normal priority instead of the considerate one.
    pub urgent: bool,
    /// Only the plan; nothing is written anywhere.
    pub dry_run: bool,
    /// What is left out; a benchmark's setting.
    pub without: Without,
    /// The card's own tree, in place of `name`.
    pub mirror: bool,
    /// Keywords that every photo gets.
    pub keywords: Vec<String>,
    /// The creator that every photo gets.
    pub creator: Option<String>,
    /// The copyright line that every photo gets.
    pub copyright: Option<String>,
    /// Corrections of the cameras' clocks.
    pub clocks: Vec<ClockCorrection>,
    /// The zone that the cameras were set to, where a file does not say.
    pub zone: Option<TimeZone>,
    /// When a day begins, for `{date}` and its parts.
    pub day_start: Time,
    /// How sidecars are written.
    pub sidecars: SidecarSettings,
    /// Catalogue the sources where they lie and copy nothing; whether sidecars are written beside their photos.
    pub add: Option<Add>,
}

/// How a folder is catalogued where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Add {
    /// Marks are written as XMP beside its photos.
    pub sidecars: bool,
}

impl Options {
    /// Options as `lightfast import SOURCE --library LIBRARY` has them.
    pub fn new(sources: Vec<PathBuf>, library: PathBuf) -> Self {
        Self {
            sources,
            library,
            catalog: None,
            also: Vec::new(),
            name: Template::default(),
            job: None,
            verify: VerifyMode::Cold,
            strict: false,
            thumbnails: true,
            previews: Previews::Camera,
            again: false,
            mhl: None,
            lanes: None,
            urgent: false,
            dry_run: false,
            without: Without::default(),
            mirror: false,
            keywords: Vec::new(),
            creator: None,
            copyright: None,
            clocks: Vec::new(),
            zone: None,
            day_start: Time::midnight(),
            sidecars: SidecarSettings::default(),
            add: None,
        }
    }
}

/// The surroundings: clock, time zone and the worker program.
pub struct Host {
    /// The current time.
    pub now: fn() -> Timestamp,
    /// The zone in which a file's modification time is read as a local time.
    pub zone: TimeZone,
    /// How to start a worker; `None` leaves thumbnails to the first look.
    pub worker: Option<WorkerOptions>,
    /// How many workers at most.
    pub workers: usize,
}

/// Receives what the engine says. Called from several threads.
pub trait Events: Sync {
    /// Takes one event; it must not block for long.
    fn event(&self, event: Event);
}

impl<F: Fn(Event) + Sync> Events for F {
    fn event(&self, event: Event) {
        self(event);
    }
}

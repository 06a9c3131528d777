//! A card as a Canon EOS 5D Mark II leaves it, made from a seed.
//!
//! `DCIM/100EOS5D/` with RAWs, some with a JPEG beside them, clips with their
//! thumbnails, `DCIM/EOSMISC/` and `MISC/`. The same options give the same bytes on any machine. It
//! writes into an empty or new folder only and never over a file. It is not a
//! model of the camera's picture quality: the pictures are drawn.

mod light;
mod make;
mod plan;
mod studio;

use std::io;
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use lightfast_model::Kind;

use crate::Shot;

/// What card to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardOptions {
    /// How many RAW files; JPEGs and clips come on top.
    pub files: u32,
    /// Size of the pictures: 21 is the camera's own 5616x3744, any other from 1 up scales the sensor.
    pub megapixels: u32,
    /// What is in the pictures, and when they were taken. Same seed, same bytes.
    pub seed: u64,
}

impl Default for CardOptions {
    fn default() -> Self {
        Self { files: 113, megapixels: 21, seed: 1 }
    }
}

/// How far the card is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardProgress {
    /// Files written so far.
    pub files_done: u32,
    /// Files that the card will have.
    pub files_total: u32,
    /// Bytes written so far.
    pub bytes_done: u64,
    /// The file that was just written, relative to the card.
    pub path: PathBuf,
}

/// One file of a made card and what is true of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CardFile {
    /// Relative to the card.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Size.
    pub bytes: u64,
    /// Its modification time, as a camera's clock shows it; on disk it is this time read as UTC.
    pub modified: DateTime,
    /// What it says of itself; nothing for files that are no pictures.
    pub shot: Option<Shot>,
}

/// What was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardSummary {
    /// Every file, in the order of its path.
    pub files: Vec<CardFile>,
}

impl CardSummary {
    /// The sum of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// How many are of this kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.files.iter().filter(|file| file.kind == kind).count()
    }
}

/// Why no card was made.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// The folder has something in it, and nothing is ever written over.
    #[error("make a card in {}: the folder is not empty", .path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The options ask for something that cannot be made.
    #[error("make a card with {what} {value}: it must be {allowed}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What was asked for.
        value: u64,
        /// What can be had.
        allowed: &'static str,
    },
    /// A step on disk failed.
    #[error("{step} {}", .path.display())]
    Io {
        /// What was being done.
        step: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A picture could not be coded: out of memory, or a defect of ours.
    #[error("code a picture for {}", .path.display())]
    Picture {
        /// The file that it was for.
        path: PathBuf,
        /// What the encoder said.
        source: turbojpeg::Error,
    },
}

/// A camera's folders end with 999 of 9,999 files.
const MOST_FILES: u32 = 1_000_000;

/// Makes a card in `dir`, which must be new or empty.
///
/// `progress` is called after each file.
pub fn make_card(
    dir: &Path,
    options: &CardOptions,
    progress: &mut dyn FnMut(CardProgress),
) -> Result<CardSummary, CardError> {
    if !(1..=MOST_FILES).contains(&options.files) {
        let value = u64::from(options.files);
        return Err(CardError::Option { what: "files", value, allowed: "1 to 1000000" });
    }
    if !(1..=50).contains(&options.megapixels) {
        let value = u64::from(options.megapixels);
        return Err(CardError::Option { what: "megapixels", value, allowed: "1 to 50" });
    }
    prepare(dir)?;
    make::Maker::new(dir, progress).make(options)
}

/// Makes the folder, or finds it empty.
fn prepare(dir: &Path) -> Result<(), CardError> {
    let failed = |step| move |source| CardError::Io { step, path: dir.to_owned(), source };
    std::fs::create_dir_all(dir).map_err(failed("create folder"))?;
    let mut entries = std::fs::read_dir(dir).map_err(failed("list"))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(CardError::NotEmpty { path: dir.to_owned() }),
    }
}

/// Seconds since 1970 of a time that is read as UTC; earlier times count as 1970.
pub(crate) fn seconds_since_epoch(time: DateTime) -> u64 {
    let epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    let seconds = time.duration_since(epoch).as_secs();
    u64::try_from(seconds).unwrap_or(0)
}

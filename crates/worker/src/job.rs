//! What is asked of a worker, and what comes back.
//!
//! These are values only; how they travel is in `protocol`, and who judges a
//! worker's death is `client`.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use lightfast_develop::raw::DevelopOptions;
use lightfast_model::Orientation;

/// One picture to make from a range of one open file.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Open for reading; passed to the child by descriptor, so a memfd will do. Only read by offset: its own
    /// position is neither used nor moved.
    pub file: BorrowedFd<'a>,
    /// First byte of the picture in the file.
    pub offset: u64,
    /// Bytes of the picture.
    pub length: u64,
    /// What to make of it.
    pub task: Task,
}

/// What to make. `orientation` is what must be done to the stored pixels to see them upright; the result is upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// A small JPEG for the grid, as cheaply as possible.
    Thumbnail {
        /// Of the stored pixels.
        orientation: Orientation,
        /// Pixels of the long side at most; a smaller picture is not enlarged.
        edge: u32,
    },
    /// A JPEG to fill a screen.
    Fit {
        /// Of the stored pixels.
        orientation: Orientation,
        /// Pixels of the long side at most; a smaller picture is not enlarged.
        edge: u32,
    },
    /// A JPEG rendered from a RAW; the job's range is the whole file. Its limits are the job's, not the options'.
    Develop(DevelopOptions),
}

/// A finished picture.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// A complete JPEG, upright.
    pub jpeg: Vec<u8>,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{}, {} bytes)", self.width, self.height, self.jpeg.len())
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The decoder said so itself: trying again gives the same answer.
    #[error("{detail}")]
    Refused {
        /// Whose fault it is.
        kind: Refusal,
        /// What the decoder said: a lowercase fragment.
        detail: String,
    },
    /// The worker died or had to be stopped on this file, time after time; the file is left alone.
    #[error("preview unavailable: the decoder {fault}, {times} times")]
    GivenUp {
        /// What happened the last time.
        fault: Fault,
        /// How often it happened.
        times: u32,
    },
    /// The worker program cannot be started or is of another version; no file's fault.
    #[error("start the worker {program:?}: {source}")]
    Start {
        /// The program.
        program: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Why a decoder refused a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes cannot be read from the file: the card or disk, not the picture.
    Read,
    /// The bytes are not a picture, or a damaged one.
    Damaged,
    /// A picture, but of a kind that is not decoded.
    Unsupported,
    /// More pixels or bytes than the job allows.
    TooLarge,
}

/// How a worker failed without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Died by a signal, or ended by itself.
    #[error("crashed ({how}){}", if .said.is_empty() { String::new() } else { format!(": {}", .said) })]
    Crashed {
        /// The signal's name or the exit status.
        how: String,
        /// The last line that it wrote to its standard error, if any.
        said: String,
    },
    /// Took longer than the job allows, by the clock on the wall.
    #[error("took longer than {} s", .0.as_secs())]
    Hung(Duration),
    /// Used more processor time than the job allows.
    #[error("used more than {} s of processor time", .0.as_secs())]
    Cpu(Duration),
    /// Answered with something that is no answer.
    #[error("gave an answer that makes no sense")]
    Garbage,
    /// Was killed by someone else, as the system does when memory runs out.
    #[error("was killed from outside")]
    Killed,
}

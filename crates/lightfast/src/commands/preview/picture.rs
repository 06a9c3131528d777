//! The bytes of a picture: straight out of its file, or made by a worker.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;

use lightfast_media::{UPRIGHT_HEAD, Upright, upright};
use lightfast_model::PreviewSource;
use lightfast_worker::{Job, Task, Worker, WorkerOptions};

use super::{Found, Size};
use crate::error::{Error, Exit};

/// A file at the start of the picture, how long the picture is, and what to do to see it upright.
pub(super) fn whole(found: &Found) -> Result<(File, u64, Upright), Error> {
    let failed = |error| unreadable(&found.path, error);
    let mut file = File::open(&found.path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let (offset, length) = range(found, size)?;
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut head = Vec::new();
    (&file).take(length.min(UPRIGHT_HEAD as u64)).read_to_end(&mut head).map_err(failed)?;
    if head.get(..2) != Some(&[0xff, 0xd8]) {
        return Err(Error::new(
            Exit::Fault,
            format!("preview unavailable: {} has no JPEG where it should be", found.path.display()),
        )
        .hint("lightfast verify tells whether the file has changed"));
    }
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    Ok((file, length, upright(&head, found.orientation)))
}

/// A smaller picture, decoded and encoded in a worker process.
pub(super) fn from_worker(found: &Found, size: Size) -> Result<Vec<u8>, Error> {
    let failed = |error| unreadable(&found.path, error);
    let file = File::open(&found.path).map_err(failed)?;
    let (offset, length) = range(found, file.metadata().map_err(failed)?.len())?;
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    let orientation = found.orientation;
    let task = match size {
        Size::Thumbnail => Task::Thumbnail { orientation, edge: size.edge() },
        Size::Fit | Size::Full => Task::Fit { orientation, edge: size.edge() },
    };
    let mut worker = Worker::new(WorkerOptions::new(program));
    let job = Job { file: file.as_fd(), offset, length, task };
    let picture = worker
        .run(&job)
        .map_err(|error| Error::new(Exit::Fault, format!("cannot show {}", found.path.display())).because(error))?;
    Ok(picture.jpeg)
}

/// Where the picture lies, checked against the file as it is now.
fn range(found: &Found, size: u64) -> Result<(u64, u64), Error> {
    let (offset, length) = match found.preview.source {
        PreviewSource::WholeFile | PreviewSource::Heif => (0, size),
        PreviewSource::Jpeg => (found.preview.offset, found.preview.length),
    };
    match offset.checked_add(length) {
        Some(end) if end <= size && length > 0 => Ok((offset, length)),
        _ => Err(Error::new(
            Exit::Fault,
            format!("preview unavailable: {} is shorter than it was", found.path.display()),
        )
        .hint("lightfast verify tells whether the file has changed")),
    }
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    Error::start(format!("cannot read {}", path.display())).because(error)
}

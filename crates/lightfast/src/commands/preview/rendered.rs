//! A preview rendered from the RAW: out of the cache, or made now and kept there.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;

use lightfast_media::{UPRIGHT_HEAD, Upright, upright};
use lightfast_model::{Orientation, Photo};
use lightfast_previews::{Entry, Level};
use lightfast_worker::{DevelopOptions, Job, Task, Worker, WorkerOptions};

use super::Size;
use crate::commands::previews::job;
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{Opened, catalog_error};

/// Of a photo of the library, as the person turned it.
pub(super) fn of_photo(opened: &Opened, photo: &Photo, size: Size) -> Result<Vec<u8>, Error> {
    let roots = opened.catalog.roots().map_err(catalog_error)?;
    let items = job::items(opened, &roots, photo);
    let name = crate::commands::list::name(photo);
    let Some(item) = items.first() else {
        return Err(
            Error::new(Exit::Fault, format!("{name} has no RAW to render")).hint("--from camera shows its picture")
        );
    };
    let located = opened.catalog.previews_of(&photo.id).map_err(catalog_error)?;
    let turned = located.first().map_or(0, |located| located.turned);
    let level = match size {
        Size::Thumbnail => None,
        Size::Fit => Some(Level::Fit),
        Size::Full => Some(Level::Full),
    };
    let entry = level.map(|level| Entry { hash: item.hash, level });
    let store = job::store(opened, None).ok();
    let now = Context::system_time();
    if let (Some(entry), Some(store)) = (&entry, &store)
        && let Some((mut file, path, _)) = store.get(entry, now)
    {
        let mut jpeg = Vec::new();
        let read = file.read_to_end(&mut jpeg);
        read.map_err(|error| Error::start(format!("cannot read {}", path.display())).because(error))?;
        return Ok(seen(jpeg, turned));
    }
    let Some(path) = item.paths.iter().find(|path| path.is_file()) else {
        return Err(Error::start(format!("no copy of {name} is on disk now")).hint("connect the disk that it is on"));
    };
    let jpeg = of_file(path, size)?;
    if let (Some(entry), Some(store)) = (&entry, &store) {
        // A cache that is full or cannot be written keeps nobody from looking.
        let _ = store.put(entry, &jpeg, now);
    }
    Ok(seen(jpeg, turned))
}

/// Of any RAW.
pub(super) fn of_file(path: &Path, size: Size) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::start(format!("cannot read {}", path.display())).because(error);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let program = std::env::current_exe().map_err(|error| Error::start("cannot find this program").because(error))?;
    let edge = (size != Size::Full).then(|| size.edge());
    let task = Task::Develop(DevelopOptions { size: edge, ..DevelopOptions::default() });
    let mut worker = Worker::new(WorkerOptions::new(program));
    let made = worker.run(&Job { file: file.as_fd(), offset: 0, length, task });
    made.map(|picture| picture.jpeg).map_err(|error| {
        Error::new(Exit::Fault, format!("cannot render {}", path.display()))
            .because(error)
            .hint("--from camera shows the picture that the camera put into the file")
    })
}

/// With the turns that a person added written into its EXIF.
fn seen(jpeg: Vec<u8>, turned: u8) -> Vec<u8> {
    let head = jpeg.get(..jpeg.len().min(UPRIGHT_HEAD)).unwrap_or_default();
    let (at, skip, put) = match upright(head, Orientation::UPRIGHT.turned(turned)) {
        Upright::AsIs => return jpeg,
        Upright::Replace { offset, bytes } => (offset, bytes.len(), bytes.to_vec()),
        Upright::Insert { offset, bytes } => (offset, 0, bytes),
    };
    match (jpeg.get(..at), jpeg.get(at + skip..)) {
        (Some(before), Some(behind)) => [before, &put, behind].concat(),
        _ => jpeg,
    }
}

//! `lightfast preview`: one JPEG of one photo or file.
//!
//! The camera's own 1:1 picture is copied out of the RAW byte for byte, with an orientation added where the
//! camera was turned; smaller ones are decoded in a worker process, as everything that decodes pixels is.

mod picture;
mod write;

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lightfast_catalog::Thumbnails;
use lightfast_media::FileSource;
use lightfast_model::{Orientation, Photo, Preview as Embedded, PreviewSource};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access, Opened, catalog_error};
use picture::{from_worker, whole};

/// Write one picture of a photo, or of any file, as a JPEG
///
/// At 1:1 it is the camera's own full-size JPEG, byte for byte out of the RAW, with an orientation added where
/// the camera was turned.
#[derive(Debug, Args)]
pub(crate) struct Preview {
    /// A photo's id, a path in the library, or any file
    #[arg(value_name = "PHOTO|PATH")]
    what: String,

    /// How large
    #[arg(long, value_enum, default_value_t = Size::Fit)]
    size: Size,

    /// The JPEG to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// How large a preview is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// 512 pixels on the long side, for a grid
    Thumbnail,
    /// 2560 pixels on the long side, for a screen
    Fit,
    /// As the camera wrote it
    #[value(name = "1:1")]
    Full,
}

impl Size {
    /// Pixels of the long side at most.
    fn edge(self) -> u32 {
        match self {
            Self::Thumbnail => 512,
            Self::Fit => 2560,
            Self::Full => u32::MAX,
        }
    }
}

/// A picture inside a file, and what must be done to see it upright.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) preview: Embedded,
    pub(super) orientation: Orientation,
}

pub(crate) fn run(args: &Preview, context: &Context) -> Result<Exit, Error> {
    let path = Path::new(&args.what);
    let opened = library::open(context, Access::Read);
    if let Ok(opened) = &opened
        && let Some(photo) = opened.photo(&args.what, context)?
    {
        if args.size == Size::Thumbnail
            && let Some(jpeg) = stored(opened, &photo)?
        {
            write::jpeg(&args.output, &jpeg, context)?;
            return Ok(Exit::Done);
        }
        return make(&in_library(opened, &photo, args.size)?, args, context);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => make(&in_file(path, args.size)?, args, context),
        Ok(_) => Err(Error::start(format!("{} is a folder", path.display())).hint("name a file, or a photo's id")),
        Err(error) if args.what.contains('/') => {
            Err(Error::start(format!("cannot read {}", path.display())).because(error))
        }
        Err(_) => {
            opened?;
            Err(Error::start(format!("there is no photo and no file called {}", args.what)))
        }
    }
}

fn make(found: &Found, args: &Preview, context: &Context) -> Result<Exit, Error> {
    // What only a decoder shows is decoded at any size.
    if args.size == Size::Full && found.preview.source != PreviewSource::Heif {
        let (mut from, length, change) = whole(found)?;
        write::copied(&args.output, &found.path, &mut from, length, &change, context)?;
    } else {
        let jpeg = from_worker(found, args.size)?;
        write::jpeg(&args.output, &jpeg, context)?;
    }
    Ok(Exit::Done)
}

/// The thumbnail that the import made, unless the photo was turned since.
fn stored(opened: &Opened, photo: &Photo) -> Result<Option<Vec<u8>>, Error> {
    let located = opened.catalog.previews_of(&photo.id).map_err(catalog_error)?;
    let Some(first) = located.first().filter(|located| located.turned % 4 == 0) else { return Ok(None) };
    // The store is a cache: one that is missing or damaged only means that the picture is made now.
    let Ok(store) = Thumbnails::open(opened.place.dir()) else { return Ok(None) };
    Ok(store.get(&first.hash).ok().flatten().map(|thumbnail| thumbnail.jpeg))
}

/// The best picture for the size in any copy that is on disk.
fn in_library(opened: &Opened, photo: &Photo, size: Size) -> Result<Found, Error> {
    let roots = opened.catalog.roots().map_err(catalog_error)?;
    let mut best: Option<Found> = None;
    let mut offline = false;
    for located in opened.catalog.previews_of(&photo.id).map_err(catalog_error)? {
        let on_disk = located.copies.iter().find_map(|copy| {
            let root = roots.iter().find(|root| root.id == copy.root)?;
            let path = opened.folder_of(root).join(copy.path.as_path());
            path.is_file().then_some(path)
        });
        let Some(path) = on_disk else {
            offline = true;
            continue;
        };
        for preview in located.previews {
            let orientation = preview.orientation.turned(located.turned);
            let found = Found { path: path.clone(), preview, orientation };
            if best.as_ref().is_none_or(|best| better(&found.preview, &best.preview, size)) {
                best = Some(found);
            }
        }
    }
    best.ok_or_else(|| {
        let name = super::list::name(photo);
        if offline {
            Error::start(format!("no copy of {name} is on disk now")).hint("connect the disk that it is on")
        } else {
            no_picture(&name)
        }
    })
}

fn in_file(path: &Path, size: Size) -> Result<Found, Error> {
    let failed = |error| Error::start(format!("cannot read {}", path.display())).because(error);
    let file = File::open(path).map_err(failed)?;
    let mut content = FileSource::new(&file).map_err(failed)?;
    let facts = lightfast_media::facts(&mut content, path.file_name().unwrap_or_default());
    let best = facts.previews.iter().fold(None::<Embedded>, |best, next| match best {
        Some(best) if !better(next, &best, size) => Some(best),
        _ => Some(*next),
    });
    let preview = best.ok_or_else(|| no_picture(&path.display().to_string()))?;
    Ok(Found { path: path.to_owned(), orientation: preview.orientation, preview })
}

fn no_picture(name: &str) -> Error {
    Error::new(Exit::Fault, format!("preview unavailable: {name} holds no JPEG"))
}

/// Whether one picture suits a size better than another: large enough first, then the smaller of two that are.
fn better(new: &Embedded, old: &Embedded, size: Size) -> bool {
    let enough = |preview: &Embedded| preview.long_edge() >= size.edge();
    match (enough(new), enough(old)) {
        (true, true) => new.long_edge() < old.long_edge(),
        (false, false) => new.long_edge() > old.long_edge(),
        (new, _) => new,
    }
}

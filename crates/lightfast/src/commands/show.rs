//! `lightfast show`: everything known of one photo, or of any file.

mod card;
mod file;

use std::path::Path;

use clap::Args;

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access};

/// Show everything known of one photo, or of any file
///
/// A file need not be in a library: what it says of itself is read from it.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A photo's id, a path in the library, or any file
    #[arg(value_name = "PHOTO|PATH")]
    what: String,
}

pub(crate) fn run(args: &Show, context: &Context) -> Result<Exit, Error> {
    let path = Path::new(&args.what);
    let opened = library::open(context, Access::Read);
    // A library that cannot be opened does not keep a file from being shown.
    if let Ok(opened) = &opened
        && let Some(photo) = opened.photo(&args.what, context)?
    {
        if context.ui.is_json() {
            context.ui.object(&photo);
        } else {
            card::show(&photo, context);
        }
        return Ok(Exit::Done);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => file::show(path, context),
        Ok(_) => Err(Error::start(format!("{} is a folder", path.display())).hint("name a file, or a photo's id")),
        Err(error) if looks_like_path(&args.what) => {
            Err(Error::start(format!("cannot read {}", path.display())).because(error))
        }
        Err(_) => {
            opened?;
            Err(Error::start(format!("there is no photo and no file called {}", args.what))
                .hint(format!("lightfast list {} looks for it", args.what)))
        }
    }
}

fn looks_like_path(text: &str) -> bool {
    text.contains('/')
}

//! Rendering what an import brought in, after its verdict.
//!
//! The verdict stands, whatever happens here: a failure is told and changes no exit code.

use std::collections::HashSet;

use lightfast_catalog::{Query, Sort, SortKey};
use lightfast_model::ContentHash;
use lightfast_previews::Level;

use crate::commands::previews::job::{self, Manner};
use crate::context::Context;
use crate::error::Error;
use crate::library::{self, Access, catalog_error};

/// Photos read from the catalogue at once.
const PAGE: u32 = 500;

/// Renders the RAWs among these contents.
pub(super) fn render(contents: &HashSet<ContentHash>, context: &Context) {
    if let Err(error) = try_to(contents, context) {
        context.ui.warn(format!("previews were not all rendered: {error}; lightfast previews build goes on with it"));
    }
}

fn try_to(contents: &HashSet<ContentHash>, context: &Context) -> Result<(), Error> {
    let opened = library::open(context, Access::Read)?;
    let roots = opened.catalog.roots().map_err(catalog_error)?;
    let sort = Sort { key: SortKey::Imported, descending: true };
    let store = job::store(&opened, None)?;
    let (mut items, mut missing, mut offset) = (Vec::new(), contents.clone(), 0);
    // The newest come first, so that the whole catalogue is only read where a card was imported long ago.
    while !missing.is_empty() {
        let photos = opened.catalog.photos(&Query::all(), sort, Some(PAGE), offset).map_err(catalog_error)?;
        if photos.is_empty() {
            break;
        }
        offset += photos.len() as u64;
        for photo in &photos {
            for file in &photo.files {
                missing.remove(&file.hash);
            }
            items.extend(job::items(&opened, &roots, photo).into_iter().filter(|item| contents.contains(&item.hash)));
        }
    }
    job::build(&opened, items, &store, Level::Full, Manner::Foreground, context).map(drop)
}

//! What is kept for a bad day: the library's journal, and copies of the catalogue.
//!
//! The catalogue says which lines the journal is to get; here they are appended and synced. Neither is part of the
//! promise that an original is safe, so a failure is told and changes no verdict; what is due stays due.

use std::fs::File;
use std::path::PathBuf;

use jiff::Timestamp;
use lightfast_catalog::{Catalog, CatalogError, Place};
use lightfast_model::SessionId;

use crate::error::{IoError, StartError};
use crate::library::{Library, append_durably};
use crate::options::{Host, Options};
use crate::sidecar::{Given, Keep, SidecarSettings, sync_rows_given, write_sidecars};

/// Why something could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The catalogue did not answer.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A file or folder could not be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// An import is running.
    #[error("an import is running into {}", library.display())]
    Locked {
        /// The library.
        library: PathBuf,
    },
    /// The folder that was named is in no place where originals of this library live.
    #[error("{} is in no place where originals of this library live", path.display())]
    Outside {
        /// The folder.
        path: PathBuf,
    },
}

/// Takes the library's lock, so that no import changes what is looked at.
pub(crate) fn lock(library: &Library) -> Result<File, KeepError> {
    library.lock().map_err(|error| match error {
        StartError::Io(error) => KeepError::Io(error),
        StartError::Catalog(error) => KeepError::Catalog(error),
        _ => KeepError::Locked { library: library.root.clone() },
    })
}

/// Brings the library's journal up to date; how many batches of lines it got. To be called after anything that no
/// sidecar holds has changed: an import, marks, the trash.
pub fn write_journal(catalog: &mut Catalog, library: &Library) -> Result<u64, KeepError> {
    let folder = Library::own_folder(&library.root).join("journal");
    let mut batches = 0;
    while let Some(batch) = catalog.journal_pending()? {
        append_durably(&folder.join(&batch.file), batch.text.as_bytes())?;
        catalog.journal_written(&batch)?;
        batches += 1;
    }
    Ok(batches)
}

/// After an import: reads the sidecars that came with its photos, and writes what they were given on the way in. What
/// could not be done, in one clear line each.
pub(crate) fn settle_marks(
    catalog: &mut Catalog,
    library: &Library,
    sessions: &[SessionId],
    options: &Options,
    now: Timestamp,
) -> Vec<String> {
    let given = Given {
        keywords: options.keywords.clone(),
        creator: options.creator.is_some(),
        copyright: options.copyright.is_some(),
    };
    let mut settle = || -> Result<Vec<String>, KeepError> {
        let mut notes = Vec::new();
        for session in sessions {
            if given != Given::default() {
                catalog.given_on_the_way_in(*session, now)?;
            }
            let rows = catalog.photos_with_sidecars(*session)?;
            let settings = SidecarSettings { keep: Keep::Ours, ..options.sidecars };
            let mut done = sync_rows_given(catalog, library, &rows, settings, &given, now)?;
            done.add(write_sidecars(catalog, library, options.sidecars, now)?);
            notes.extend(done.failed.iter().map(|(path, reason)| format!("sidecar {}: {reason}", path.shown())));
        }
        Ok(notes)
    };
    settle().unwrap_or_else(|error| vec![format!("sidecars are not up to date: {error}; lightfast rescan tries again")])
}

/// After an import: the journal, and a copy of the catalogue where one is due. What could not be kept, in one clear
/// line each.
pub(crate) fn keep(catalog: &mut Catalog, library: &Library, place: &Place, host: &Host) -> Vec<String> {
    let mut notes = Vec::new();
    if let Err(error) = write_journal(catalog, library) {
        notes.push(format!("the library's journal is not up to date: {error}; the next import tries again"));
    }
    if let Err(error) = catalog.backup(place, (host.now)()) {
        notes.push(format!("no copy of the catalogue was made: {error}; the next import tries again"));
    }
    notes
}

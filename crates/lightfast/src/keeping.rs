//! What commands that change marks have in common: sidecars and the library's journal follow the catalogue.

use lightfast_import::{KeepError, Library, SidecarReport, SidecarSettings, write_journal, write_sidecars};

use crate::config::SidecarNames;
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{Opened, catalog_error};
use crate::ui::count;

/// How sidecars are written, by the config file.
pub(crate) fn settings(context: &Context) -> SidecarSettings {
    SidecarSettings { both: context.config.sidecar_names == SidecarNames::Both, ..SidecarSettings::default() }
}

/// The library's folder, as the engine takes it.
pub(crate) fn library_of(opened: &Opened) -> Library {
    Library { root: opened.place.library.clone(), id: opened.id.clone() }
}

/// Writes what is due: sidecars and journal. The marks are in the catalogue already, whatever comes of it.
pub(crate) fn follow(opened: &mut Opened, context: &Context) -> Result<SidecarReport, Error> {
    let library = library_of(opened);
    let report = write_sidecars(&mut opened.catalog, &library, settings(context), context.now()).map_err(keep_error)?;
    write_journal(&mut opened.catalog, &library).map_err(keep_error)?;
    Ok(report)
}

/// Names conflicts and failures on standard error; the exit code that they make.
pub(crate) fn tell(report: &SidecarReport, context: &Context) -> Exit {
    const MOST: usize = 20;
    for conflict in report.conflicts.iter().take(MOST) {
        context.ui.warn(format!(
            "conflict: {} of {} changed here and in {}, which was left as it is",
            conflict.properties.join(", "),
            conflict.photo,
            conflict.path.shown()
        ));
    }
    for (path, reason) in report.failed.iter().take(MOST) {
        context.ui.warn(format!("the sidecar {} is not up to date: {reason}", path.shown()));
    }
    let more = (report.conflicts.len() + report.failed.len()).saturating_sub(2 * MOST);
    if more > 0 {
        context.ui.warn(format!("and {} more", count(more as u64)));
    }
    if !report.conflicts.is_empty() {
        context.ui.remark(
            "lightfast list has:conflict shows the photos; lightfast rescan --keep ours or --keep theirs decides.",
        );
    }
    if report.conflicts.is_empty() && report.failed.is_empty() { Exit::Done } else { Exit::Fault }
}

/// An error of the engine's keeping side, at the edge.
pub(crate) fn keep_error(error: KeepError) -> Error {
    let text = error.to_string();
    match error {
        KeepError::Catalog(error) => catalog_error(error),
        KeepError::Io(_) => {
            Error::start(text).hint("check the disk and its permissions, then run the same command again")
        }
        KeepError::Locked { .. } => Error::start(text).hint("wait until it has ended, then run the same command again"),
        KeepError::Outside { .. } => {
            Error::usage(text).hint("lightfast roots lists them; lightfast import --add DIR adds a folder")
        }
    }
}

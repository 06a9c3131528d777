//! The roots of a library, as they are now: which folder each is, whether it is connected, and whether sidecars are
//! written there. Sidecars lie in the library and, where that was asked for, in added folders; a further destination is
//! a copy of originals and gets none.

use std::path::PathBuf;

use lightfast_catalog::{Catalog, RootId, RootKind};

use crate::library::Library;

/// A root, here and now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) root: RootId,
    pub(crate) uuid: String,
    pub(crate) folder: PathBuf,
    pub(crate) kind: RootKind,
    /// Whether it is the library itself.
    pub(crate) is_library: bool,
    /// Whether its folder is there, and is the one that was meant.
    pub(crate) online: bool,
    /// Whether sidecars in it are read.
    pub(crate) holds_sidecars: bool,
    /// Whether sidecars in it are written.
    pub(crate) writes: bool,
}

pub(crate) fn places(catalog: &Catalog, library: &Library) -> Result<Vec<Place>, lightfast_catalog::CatalogError> {
    let place = |(root, kind, sidecars): (lightfast_catalog::Root, RootKind, bool)| {
        let is_library = root.uuid == library.id;
        // The library itself may have been moved since it was noted.
        let folder = if is_library { library.root.clone() } else { root.path.0.clone() };
        let online = match kind {
            RootKind::Added => folder.is_dir(),
            // Another disk may be mounted in its place.
            RootKind::Destination => {
                is_library || Library::find(&folder).is_ok_and(|found| found.is_some_and(|found| found.id == root.uuid))
            }
        };
        let added = kind == RootKind::Added;
        Place {
            root: root.id,
            uuid: root.uuid,
            folder,
            kind,
            is_library,
            online,
            holds_sidecars: is_library || added,
            writes: is_library || (added && sidecars),
        }
    };
    Ok(catalog.root_kinds()?.into_iter().map(place).collect())
}

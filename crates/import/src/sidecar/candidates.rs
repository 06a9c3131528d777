//! Where a photo's sidecars may lie: which files are read as such, and which may be written or made.

use std::path::{Path, PathBuf};

use lightfast_catalog::{Catalog, MainFile, MarkedPhoto, Naming, RootId, SidecarBase};
use lightfast_model::{BytePath, Role};

use super::place::{sidecar_path, usual};
use super::sync::SidecarSettings;
use crate::keeping::KeepError;
use crate::roots::Place;

/// A place where a photo has a sidecar, or is to have one.
pub(super) struct Candidate {
    pub(super) root: RootId,
    /// The file itself.
    pub(super) file: PathBuf,
    /// Relative to the root.
    pub(super) path: BytePath,
    pub(super) naming: Naming,
    pub(super) base: Option<SidecarBase>,
    /// Whether it may be written, and made where it is missing.
    pub(super) writes: bool,
    pub(super) creates: bool,
    /// Whether its disk is connected.
    pub(super) online: bool,
}

/// The places where a photo's sidecars may lie, in the order in which they are read.
pub(super) fn candidates(
    catalog: &Catalog,
    photo: &MarkedPhoto,
    places: &[Place],
    settings: SidecarSettings,
) -> Result<Vec<Candidate>, KeepError> {
    let mut found = Vec::new();
    for main in &photo.main {
        let Some(place) = places.iter().find(|place| place.root == main.root && place.holds_sidecars) else { continue };
        let mut usual = usual(main.role);
        // The one that is named as we write it is read last, so that it decides where two say different things.
        for naming in [Naming::WithExtension, Naming::Stem] {
            let path =
                companion(photo, main, naming).unwrap_or_else(|| sidecar_path(main.path.as_path(), naming).into());
            let base = photo.bases.iter().find(|base| base.root == main.root && base.naming == naming).cloned();
            let is_companion = photo.companions.contains(&(main.root, path.clone()));
            if naming == Naming::Stem {
                // A stem says nothing of the kind of file: only a RAW's is taken without a sign that it is this photo's.
                let anothers = is_of_another(catalog, main.root, &path, photo)?;
                if anothers || (main.role != Role::Raw && base.is_none() && !is_companion) {
                    continue;
                }
            }
            if naming == Naming::WithExtension && usual == Naming::Stem {
                let stem: BytePath = sidecar_path(main.path.as_path(), Naming::Stem).into();
                if is_of_another(catalog, main.root, &stem, photo)? {
                    usual = Naming::WithExtension;
                }
            }
            found.push(Candidate {
                root: main.root,
                file: place.folder.join(path.as_path()),
                path,
                naming,
                base,
                writes: place.writes,
                creates: place.writes && (naming == usual || (settings.both && main.role == Role::Raw)),
                online: place.online,
            });
        }
    }
    Ok(found)
}

/// Whether a path is that of other photos' sidecar, and not of this one's.
fn is_of_another(catalog: &Catalog, root: RootId, path: &BytePath, photo: &MarkedPhoto) -> Result<bool, KeepError> {
    let rows = catalog.rows_at(root, path)?;
    Ok(!rows.is_empty() && !rows.contains(&photo.row))
}

/// A companion of the photo that has the sidecar's name, whatever its case.
fn companion(photo: &MarkedPhoto, main: &MainFile, naming: Naming) -> Option<BytePath> {
    let wanted = sidecar_path(main.path.as_path(), naming);
    let same = |path: &Path| {
        path.parent() == wanted.parent()
            && path.file_name().zip(wanted.file_name()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let here = photo.companions.iter().filter(|(root, _)| *root == main.root);
    here.map(|(_, path)| path).find(|path| same(path.as_path())).cloned()
}

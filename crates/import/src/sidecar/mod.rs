//! Sidecars: what a person marked, beside the photo as XMP, so that other programs and a lost catalogue have it too.
//!
//! Never into an original: only files whose name ends in `.xmp` are written, each as a whole and atomically, and only
//! the properties that changed; everything else in them stays byte for byte. Catalogue and sidecar are merged property
//! by property against what both knew last. Where both sides changed the same property, the file is left alone and the
//! photo is named as a conflict.

mod candidates;
mod form;
mod place;
mod sync;
mod three_way;
mod together;

pub(crate) use form::photo_id;
pub use place::sidecar_path;
pub(crate) use place::{is_sidecar_name, photo_names};
pub(crate) use sync::{Given, sync_rows, sync_rows_given};
pub use sync::{Keep, SidecarConflict, SidecarReport, SidecarSettings, settle_sidecars, write_sidecars};

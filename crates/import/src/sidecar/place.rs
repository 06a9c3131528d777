//! Where a photo's sidecar lies, in both namings.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use lightfast_catalog::Naming;
use lightfast_model::Role;

/// The sidecar of a file: `IMG_0001.xmp` or `IMG_0001.CR2.xmp` beside it.
pub fn sidecar_path(file: &Path, naming: Naming) -> PathBuf {
    match naming {
        Naming::Stem => file.with_extension("xmp"),
        Naming::WithExtension => {
            let mut name = file.file_name().unwrap_or_default().to_owned();
            name.push(".xmp");
            file.with_file_name(name)
        }
    }
}

/// Whether a name is that of an XMP sidecar.
pub(crate) fn is_sidecar_name(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xmp"))
}

/// How a new sidecar of a file is named: a RAW's by its stem, as Lightroom does, any other by its whole name, so that
/// two files of one stem never share one.
pub(super) fn usual(role: Role) -> Naming {
    if role == Role::Raw { Naming::Stem } else { Naming::WithExtension }
}

/// What the file that a sidecar belongs to may be called: its whole name without `.xmp`, and its stem.
pub(crate) fn photo_names(sidecar: &Path) -> (OsString, OsString) {
    let whole = sidecar.file_stem().unwrap_or_default().to_owned();
    let stem = Path::new(OsStr::new(&whole)).file_stem().unwrap_or_default().to_owned();
    (whole, stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_namings_lie_beside_the_file() {
        let file = Path::new("2009/2009-07-12/IMG_0001.CR2");
        assert_eq!(sidecar_path(file, Naming::Stem), Path::new("2009/2009-07-12/IMG_0001.xmp"));
        assert_eq!(sidecar_path(file, Naming::WithExtension), Path::new("2009/2009-07-12/IMG_0001.CR2.xmp"));
        assert_eq!(photo_names(Path::new("a/IMG_0001.CR2.XMP")), ("IMG_0001.CR2".into(), "IMG_0001".into()));
        assert!(is_sidecar_name(Path::new("a.XMP")) && !is_sidecar_name(Path::new("xmp")));
    }
}

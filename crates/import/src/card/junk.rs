//! Names that are known to be junk: what computers leave on cards, and nothing else.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Why a file or folder of this name is junk; `None` for everything that must be copied.
pub fn is_junk(name: &OsStr, is_folder: bool) -> Option<&'static str> {
    let bytes = name.as_bytes();
    match bytes {
        b".DS_Store" if !is_folder => Some("the Finder's view settings"),
        b".Spotlight-V100" if is_folder => Some("Spotlight's index"),
        b".Trashes" => Some("the Mac's trash"),
        b"System Volume Information" if is_folder => Some("Windows' volume information"),
        _ if bytes.starts_with(b"._") && !is_folder => Some("a Mac's resource fork"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_known_names_are_junk() {
        let junk = |name: &str, folder| is_junk(OsStr::new(name), folder).is_some();
        assert!(junk("._IMG_0001.CR2", false) && junk(".DS_Store", false) && junk(".Trashes", true));
        assert!(junk("System Volume Information", true) && junk(".Spotlight-V100", true));
        for kept in ["IMG_0001.CR2", ".hidden.jpg", "Thumbs.db", "THMBNL", "AUTPRINT.MRK", "_MG_0001.JPG"] {
            assert!(!junk(kept, false) && !junk(kept, true), "{kept}");
        }
    }
}

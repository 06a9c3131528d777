//! Paths as manifests have them: relative, with `/`, below their folder.

/// Longest path that is taken.
const MAX: usize = 4096;

/// Why a path cannot be in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing, or too much.
    #[error("a path of no length, or of more than 4096 bytes")]
    Length,
    /// It leads out of the folder.
    #[error("a path that leads out of its folder")]
    Outside,
    /// XML 1.0 has no way to write it.
    #[error("a name with characters that XML cannot hold")]
    Characters,
}

/// Whether a path is one below its folder, and can be written in XML.
pub fn check(path: &str) -> Result<(), PathError> {
    if path.is_empty() || path.len() > MAX {
        return Err(PathError::Length);
    }
    if path.starts_with('/') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(PathError::Outside);
    }
    let writable = |c: char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    if path.chars().all(writable) { Ok(()) } else { Err(PathError::Characters) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_folder_pass() {
        for good in ["a", "Clips/A 1.mov", " leading blank", "ä/..b", "a\\b"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["/etc/passwd", "../a", "a/../b", "a//b", "a/", ".", "./a"] {
            assert_eq!(check(bad), Err(PathError::Outside), "{bad}");
        }
        assert_eq!(check(""), Err(PathError::Length));
        assert_eq!(check("a\tb"), Err(PathError::Characters));
    }
}

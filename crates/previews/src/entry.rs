//! What an entry of the cache is called: its source's content, the renderer, the size.
//!
//! So a picture of other bytes or of an older renderer is never taken for the right one; it
//! is only something that can be evicted.

use std::path::PathBuf;

use lightfast_develop::raw::{DevelopOptions, RENDERER};
use lightfast_model::ContentHash;

/// How large a rendered preview is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// 2560 pixels on the long side, for a screen.
    Fit,
    /// As shot.
    Full,
}

impl Level {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Fit, Self::Full];

    /// Pixels of the long side; none is as shot.
    pub fn edge(self) -> Option<u32> {
        match self {
            Self::Fit => Some(2560),
            Self::Full => None,
        }
    }

    /// How it is rendered.
    pub fn options(self) -> DevelopOptions {
        DevelopOptions { size: self.edge(), ..DevelopOptions::default() }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::Full => "full",
        }
    }
}

/// One entry of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Content of the RAW.
    pub hash: ContentHash,
    /// Size.
    pub level: Level,
}

impl Entry {
    /// Where it lies in the cache's folder.
    pub(crate) fn path(&self) -> PathBuf {
        let hash = hex(&self.hash);
        let folder = hash.get(..2).unwrap_or("00").to_owned();
        PathBuf::from(folder).join(format!("{hash}-r{RENDERER}-{}.jpg", self.level.word()))
    }
}

/// Where the note lies that a content cannot be rendered by this renderer.
pub(crate) fn failure_path(hash: &ContentHash) -> PathBuf {
    let hash = hex(hash);
    PathBuf::from(hash.get(..2).unwrap_or("00")).join(format!("{hash}-r{RENDERER}.failed"))
}

fn hex(hash: &ContentHash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_the_source_the_renderer_and_the_size() {
        let entry = Entry { hash: ContentHash([0xab; 32]), level: Level::Full };
        let name = entry.path().to_string_lossy().into_owned();
        assert!(name.starts_with("ab/abab") && name.ends_with(&format!("-r{RENDERER}-full.jpg")), "{name}");
        assert_ne!(entry.path(), Entry { level: Level::Fit, ..entry }.path());
        assert_eq!(Level::Fit.options().size, Some(2560));
    }
}

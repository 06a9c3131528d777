//! How a copy was proven.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a file was proven to be whole, weakest first, so that the minimum of several is the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verified {
    /// Synced, not read back. Never earns "safe to format".
    Stream,
    /// Synced, then read back where the system's or a server's cache cannot be passed.
    Reread,
    /// Synced, then read back from the medium, past the cache, on a local block file system.
    Cold,
    /// `Cold`, and the card was read a second time with the same result.
    Twice,
}

impl Verified {
    /// The word used in JSON and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Reread => "reread",
            Self::Cold => "cold",
            Self::Twice => "twice",
        }
    }

    /// The inverse of [`Verified::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Stream, Self::Reread, Self::Cold, Self::Twice].into_iter().find(|v| v.as_str() == text)
    }

    /// Whether a file proven so may count towards "safe to format".
    pub fn is_safe(self, strict: bool) -> bool {
        match self {
            Self::Stream => false,
            Self::Reread => !strict,
            Self::Cold | Self::Twice => true,
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the person asked for with `--verify`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerifyMode {
    /// Read every copy back from the medium.
    #[default]
    Cold,
    /// Hash while writing, sync, do not read back.
    Stream,
    /// `Cold`, and read the card a second time.
    Twice,
}

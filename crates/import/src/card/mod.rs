//! The card: found, identified, and listed file by file. Only read, never written.

mod identity;
mod junk;
mod mounted;
mod walk;

pub use identity::{Card, identify};
pub use junk::is_junk;
pub use mounted::{MountedCard, is_on_card, looks_like_card, mounted_cards};
pub use walk::{Listing, SourceFile, Unlisted, list};

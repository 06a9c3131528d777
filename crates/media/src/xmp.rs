//! XMP: packets and sidecars, read in any of the shapes that programs write, and changed without loss.
//!
//! Reading takes attributes and elements alike, any prefix (`xap:`, `xmp:`, `ns1:`), UTF-8, UTF-16 and UTF-32, with or
//! without the packet's wrapper. [`merge`] replaces single properties in the text as it stands: everything that is not
//! named in the change stays, byte for byte. It produces bytes; writing a file is for others.
//! Source of the format: XMP specification part 1 (ISO 16684-1), RDF/XML.

mod encoding;
mod merge;
mod names;
mod properties;
mod values;
pub(crate) mod xml;

pub use merge::{Change, MergeError, merge};
pub use names::{Name, ns};
pub use properties::{Item, Properties, Value, read};
pub use values::Xmp;

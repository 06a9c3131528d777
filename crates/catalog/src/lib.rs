//! The catalogue: schema, migrations, journal, queries, search, marks, history.
//!
//! The rule of this room: the only SQL. Everything else asks through [`Catalog`]'s narrow interface, so that
//! a second engine (PostgreSQL, say) could stand behind it. It opens no original, reads no environment and no
//! clock: times come in as arguments. An import's journal and the commit of a file are one transaction here,
//! and when a method that writes has returned, what it wrote is on stable storage.
#![forbid(unsafe_code)]

mod albums;
mod aside;
mod backup;
mod codes;
mod columns;
mod connection;
mod error;
mod facets;
mod identity;
mod index;
mod journal;
mod journal_writer;
mod marks;
mod memory;
mod migrations;
mod oriented;
mod originals;
mod photo_row;
mod photos;
mod place;
mod publish;
mod query;
mod rebuild;
mod rescan;
mod roots;
mod search;
mod session;
mod sidecars;
mod stacks;
mod stats;
#[cfg(any(test, feature = "synthetic"))]
pub mod synthetic;
mod tally;
mod thumbnails;
mod trash;
mod types;
mod writer;

pub use albums::Album;
pub use columns::Columns;
pub use connection::Catalog;
pub use error::{CatalogError, Fault, Result};
pub use facets::{Count, Facets};
pub use index::{FLAG_SHIFT, IndexColumns, LABEL_SHIFT, RATING_BITS, STACK_BIT, TURNED_SHIFT, VIDEO_BIT};
pub use journal_writer::JournalBatch;
pub use marks::{FlagChange, LabelChange, Mark, MarkOutcome};
pub use memory::{JournalRead, Memory};
pub use originals::{Checked, CheckedState, Original};
pub use photos::{LocatedPreviews, Sort, SortKey};
pub use place::Place;
pub use query::{FIELDS, FieldHelp, Query, QueryError};
pub use rebuild::Found;
pub use rescan::Rescanned;
pub use roots::{RootInfo, RootKind};
pub use session::SessionSummary;
pub use sidecars::{MainFile, MarkedPhoto, Marks, Naming, SidecarBase, SidecarOutcome};
pub use stats::{Bucket, By};
pub use thumbnails::{Thumbnail, Thumbnails};
pub use trash::{Move, TrashOutcome};
pub use types::{
    CardEntry, CardIdentity, CopyAt, Duplicate, Failed, FileId, Intent, IntentId, KnownFile, NewSession, Published,
    Root, RootId, SessionCounts, UnfinishedIntent,
};

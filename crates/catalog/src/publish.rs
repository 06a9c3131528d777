//! Step 9 of the protocol: a file that is on stable storage becomes a row.

use lightfast_model::SessionId;

use crate::{Catalog, Duplicate, Published, Result};

impl Catalog {
    /// Makes rows of files that are on stable storage, in one transaction: the intent is settled, and file, copy,
    /// photo, member, history and search rows are written. When this returns they are durable; when it fails
    /// none of them is there.
    ///
    /// A photo appears with its first member. A more primary member (RAW before HEIF before JPEG …) that comes
    /// later replaces its facts. A picture whose content already belongs to another photo becomes one more copy
    /// of that content, and no member. Calling it again for the same intent and content changes nothing.
    pub fn publish(&mut self, _session: SessionId, _files: &[Published]) -> Result<()> {
        unimplemented!()
    }

    /// Notes, in one transaction, files of the card whose content is in the library already, so that the next
    /// run can tell them by card, path, size and time alone.
    pub fn duplicate(&mut self, _session: SessionId, _files: &[Duplicate]) -> Result<()> {
        unimplemented!()
    }
}

//! XMP packets inside other formats.

use crate::Head;
use crate::cursor::Cursor;
use crate::found::Found;
use crate::xmp::Xmp;

/// The longest packet that is read; facts lie in far shorter ones.
const MAX_PACKET: u64 = 1 << 20;

/// Reads the packet at a position of the source; the first of a file counts.
pub(crate) fn read(head: &mut Head<'_>, at: u64, len: u64, found: &mut Found) {
    if found.xmp.is_none() {
        let bytes = head.up_to(at, len.min(MAX_PACKET) as usize);
        if !bytes.is_empty() {
            found.xmp = Some(Xmp::read(bytes));
        }
    }
}

/// Reads a file that is a packet.
pub(crate) fn sidecar(head: &mut Head<'_>, found: &mut Found) {
    let len = head.len();
    read(head, 0, len, found);
}

/// The rest of a packet that was too long for one segment of a JPEG: parts with an id, a length and an offset.
#[derive(Debug, Default)]
pub(super) struct Extension {
    id: Vec<u8>,
    bytes: Vec<u8>,
    filled: usize,
}

impl Extension {
    /// Takes a part: 32 bytes of id, the whole length, this part's offset, the part.
    pub(super) fn add(&mut self, head: &mut Head<'_>, at: u64, len: u64) {
        let part = head.up_to(at, len as usize);
        let mut cursor = Cursor::new(part);
        let (Some(id), Some(whole), Some(offset)) = (cursor.take(32), cursor.u32(), cursor.u32()) else { return };
        if self.id.is_empty() && u64::from(whole) <= MAX_PACKET {
            self.id = id.to_vec();
            self.bytes = vec![0; whole as usize];
        }
        let offset = offset as usize;
        let rest = cursor.rest();
        if self.id == id
            && let Some(place) = self.bytes.get_mut(offset..offset.saturating_add(rest.len()))
        {
            place.copy_from_slice(rest);
            self.filled += rest.len();
        }
    }

    /// Fills in what the first packet did not say, if all parts were there and it names this extension.
    pub(super) fn finish(self, found: &mut Found) {
        let Some(xmp) = &mut found.xmp else { return };
        let named = xmp.extension.as_deref().is_some_and(|id| id.as_bytes() == self.id);
        if named && self.filled == self.bytes.len() && !self.bytes.is_empty() {
            xmp.fill_from(Xmp::read(&self.bytes));
        }
    }
}

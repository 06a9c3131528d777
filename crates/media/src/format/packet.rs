//! XMP packets inside other formats.

use crate::Head;
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

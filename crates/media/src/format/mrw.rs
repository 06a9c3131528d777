//! MRW: Minolta's RAW. Blocks; one holds a TIFF structure, one the picture's size.

use crate::Head;
use crate::found::Found;
use crate::tiff::Order;

use super::tiff_file;

/// Reads an MRW.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let Some([_, _, _, mark, s0, s1, s2, s3]) = head.array(0) else { return };
    let order = if mark == b'I' { Order::Little } else { Order::Big };
    let end = 8 + u64::from(order.u32([s0, s1, s2, s3]));
    let mut at = 8;
    for _ in 0..64 {
        let Some([k0, k1, k2, k3, s0, s1, s2, s3]) = head.array(at).filter(|_| at + 8 <= end) else { break };
        let len = u64::from(order.u32([s0, s1, s2, s3]));
        match &[k0, k1, k2, k3] {
            b"\0TTW" => {
                tiff_file::embedded(head, at + 8, len, found);
            }
            b"\0PRD" => {
                if let Some([h0, h1, w0, w1]) = head.array(at + 8 + 12) {
                    found.stored = Some((u32::from(order.u16([w0, w1])), u32::from(order.u16([h0, h1]))));
                }
            }
            _ => {}
        }
        at = at.saturating_add(8 + len);
    }
}

//! IIQ: Phase One's and Leaf's RAW. A TIFF, and a block of Phase One's own behind its header.

use crate::Head;
use crate::found::Found;
use crate::text;
use crate::tiff::Order;

/// Reads Phase One's block, which begins 8 bytes into the file.
pub(super) fn read(head: &mut Head<'_>, found: &mut Found) {
    let _ = block(head, 8, found);
}

fn block(head: &mut Head<'_>, start: u64, found: &mut Found) -> Option<()> {
    let order = match &head.array(start)? {
        b"IIII" => Order::Little,
        b"MMMM" => Order::Big,
        _ => return None,
    };
    let long = |head: &mut Head<'_>, at: u64| head.array(at).map(|bytes| order.u32(bytes));
    let directory = start + u64::from(long(head, start + 8)?);
    for index in 0..u64::from(long(head, directory)?.min(300)) {
        // Tag, type, length, and the value or its offset.
        let entry = directory + 8 + index * 16;
        let (tag, len, value) = (long(head, entry)?, long(head, entry + 8)?, long(head, entry + 12)?);
        let words = |head: &mut Head<'_>| {
            let at = if len <= 4 { entry + 12 } else { start + u64::from(value) };
            text::trimmed(head.up_to(at, len.min(256) as usize))
        };
        match tag {
            0x0102 => found.maker.serial = words(head),
            0x0105 => found.maker.iso = Some(value).filter(|&v| v > 0),
            0x010c => found.maker.size = Some((value, found.maker.size.map_or(0, |(_, h)| h))),
            0x010d => found.maker.size = Some((found.maker.size.map_or(0, |(w, _)| w), value)),
            0x0403 => {
                found.maker.focal_length = Some(f64::from(f32::from_bits(value))).filter(|v| v.is_finite() && *v > 0.0);
            }
            0x0412 => found.maker.lens = words(head),
            _ => {}
        }
    }
    found.maker.size = found.maker.size.filter(|&(w, h)| w > 0 && h > 0);
    Some(())
}

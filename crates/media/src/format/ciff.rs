//! CIFF: Canon's CRW, and the same structure inside early PowerShots' JPEGs. Blocks whose directory stands at their end.
//!
//! Nothing recurses: blocks inside blocks wait in a list, and each place is read once.

use lightfast_model::Orientation;

use crate::Head;
use crate::found::Found;
use crate::maker;
use crate::previews;
use crate::text;
use crate::tiff::{Order, Tiff};

/// The most blocks, and entries of one.
const MAX_BLOCKS: usize = 32;
const MAX_ENTRIES: u64 = 500;

/// Reads the structure at `start`, whose header is `II`, its length, `HEAP…`.
pub(crate) fn read(head: &mut Head<'_>, start: u64, end: u64, found: &mut Found) {
    let Some([o0, o1, l0, l1, l2, l3]) = head.array(start) else { return };
    let order = if (o0, o1) == (b'M', b'M') { Order::Big } else { Order::Little };
    let first = start.saturating_add(u64::from(order.u32([l0, l1, l2, l3])));
    let tiff = Tiff { base: start, end: end.min(head.len()), order, big: false };
    let mut waiting = vec![(first, tiff.end)];
    let mut seen = Vec::new();
    while let Some((at, end)) = waiting.pop() {
        if seen.len() >= MAX_BLOCKS || seen.contains(&(at, end)) {
            break;
        }
        seen.push((at, end));
        let _ = block(head, &tiff, at, end, &mut waiting, found);
    }
    if seen.len() == 1 && found.exif.make.is_none() {
        found.problems.push("the directory cannot be read: the file is cut short or damaged".to_owned());
    }
}

fn block(
    head: &mut Head<'_>,
    tiff: &Tiff,
    at: u64,
    end: u64,
    waiting: &mut Vec<(u64, u64)>,
    found: &mut Found,
) -> Option<()> {
    let order = tiff.order;
    let directory = at.checked_add(u64::from(order.u32(head.array(end.checked_sub(4)?)?)))?;
    let count = u64::from(order.u16(head.array(directory)?)).min(MAX_ENTRIES);
    for index in 0..count {
        let entry: [u8; 10] = head.array(directory + 2 + index * 10)?;
        let [t0, t1, s0, s1, s2, s3, o0, o1, o2, o3] = entry;
        let tag = order.u16([t0, t1]);
        // Small values lie in the entry itself.
        let (value_at, len) = if tag & 0x4000 != 0 {
            (directory + 2 + index * 10 + 2, 8)
        } else {
            let offset = at.checked_add(u64::from(order.u32([o0, o1, o2, o3])))?;
            (offset, u64::from(order.u32([s0, s1, s2, s3])))
        };
        let value_end = value_at.saturating_add(len);
        // An entry that leads outside means that the directory is damaged.
        if value_end > tiff.end {
            return None;
        }
        match tag & 0x3800 {
            0x2800 | 0x3000 => waiting.push((value_at, value_end)),
            _ => value(head, order, tag & 0x3fff, value_at, len, found),
        }
    }
    Some(())
}

fn value(head: &mut Head<'_>, order: Order, tag: u16, at: u64, len: u64, found: &mut Found) {
    let bytes = |head: &mut Head<'_>| head.up_to(at, len.min(4096) as usize).to_vec();
    let long = |bytes: &[u8], index: usize| Some(order.u32(bytes.get(index * 4..index * 4 + 4)?.try_into().ok()?));
    let shorts = |bytes: &[u8]| -> Vec<u16> {
        bytes.chunks_exact(2).filter_map(|c| Some(order.u16(c.try_into().ok()?))).collect()
    };
    match tag {
        0x080a => {
            // Six bytes for the make, the rest for the model.
            let names = bytes(head);
            found.exif.make = names.get(..6).and_then(text::trimmed);
            found.exif.model = names.get(6..).and_then(text::trimmed);
        }
        0x1029 => maker::canon_focal(&shorts(&bytes(head)), found),
        0x102a => maker::canon_shot(&shorts(&bytes(head)), found),
        0x102d => maker::canon_settings(&shorts(&bytes(head)), found),
        0x180b if found.exif.model.as_deref().is_some_and(|m| m.contains("EOS")) => {
            found.maker.serial = long(&bytes(head), 0).filter(|&v| v > 0).map(|v| v.to_string());
        }
        0x180e => {
            // A wall clock as seconds since 1970.
            let seconds = long(&bytes(head), 0).filter(|&v| v > 0);
            let time = seconds.and_then(|s| jiff::Timestamp::from_second(i64::from(s)).ok());
            found.exif.original.text =
                time.map(|t| jiff::tz::TimeZone::UTC.to_datetime(t).strftime("%Y:%m:%d %H:%M:%S").to_string());
        }
        0x1810 => {
            let info = bytes(head);
            found.stored = long(&info, 0)
                .zip(long(&info, 1))
                .filter(|&(w, h)| (1..65_536).contains(&w) && (1..65_536).contains(&h));
            found.maker.orientation = long(&info, 3).map(|v| v as i32).and_then(|turn| match turn {
                0 => Orientation::new(1),
                90 | -270 => Orientation::new(6),
                180 | -180 => Orientation::new(3),
                270 | -90 => Orientation::new(8),
                _ => None,
            });
        }
        0x1817 => found.maker.file_number = long(&bytes(head), 0).map(u64::from).filter(|&v| v > 0),
        0x1818 => {
            let info = bytes(head);
            let real = |index| long(&info, index).map(|bits| f64::from(f32::from_bits(bits))).filter(|v| v.is_finite());
            found.maker.compensation = real(0);
            found.exif.shutter_speed = real(1);
            found.exif.aperture_value = real(2);
        }
        0x2007 | 0x2008 => previews::note(head, found, at, len, None),
        _ => {}
    }
}

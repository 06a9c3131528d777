//! Nikon's notes: serial, lens, ISO, shutter count, file number, previews; and the records in its clips.

use lightfast_model::Ratio;

use super::nikon_lens;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Number, Order, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let mut lens_data = Vec::new();
    let mut lens_type = 0;
    let mut older_serial = None;
    for entry in &ifd.entries {
        let unsigned = |head: &mut Head<'_>| tiff.unsigned(head, entry);
        match entry.tag {
            0x0002 => {
                let numbers = tiff.numbers(head, entry, 2);
                found.maker.iso =
                    numbers.last().and_then(|n| n.unsigned()).and_then(|v| u32::try_from(v).ok()).filter(|&v| v > 0);
            }
            0x0011 => {
                let preview = unsigned(head).and_then(|offset| tiff.ifd(head, offset));
                if let Some(preview) = preview {
                    super::preview(head, tiff, &preview, 0x0201, 0x0202, found);
                }
            }
            0x001d => found.maker.serial = tiff.text(head, entry),
            0x0025 => {
                // In twelfths of a stop.
                let step = tiff
                    .data(head, entry)
                    .and_then(|b| b.first())
                    .map(|&b| 100.0 * 2f64.powf(f64::from(b) / 12.0 - 5.0));
                found.maker.iso = found.maker.iso.or(step.filter(|v| (1.0..1e7).contains(v)).map(|v| v.round() as u32));
            }
            0x0083 => lens_type = unsigned(head).unwrap_or(0) as u8,
            0x0084 => {
                let numbers = tiff.reals(head, entry, 4);
                found.maker.lens_short = numbers.first().copied().filter(|&v| v > 0.0);
                found.maker.lens_long = numbers.get(1).copied().filter(|&v| v > 0.0);
            }
            0x0098 => lens_data = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default(),
            0x00a0 => older_serial = tiff.text(head, entry),
            0x00a7 => found.maker.shutter_count = unsigned(head).filter(|&v| v > 0 && v != 4_294_965_247),
            0x00b8 => {
                let bytes = tiff.data(head, entry).map(<[u8]>::to_vec).unwrap_or_default();
                let short = |at: usize| Some(u64::from(tiff.order.u16(bytes.get(at..at + 2)?.try_into().ok()?)));
                let number = short(6).zip(short(8)).map(|(folder, file)| folder * 10_000 + file);
                found.maker.file_number = number.filter(|&v| v > 0);
            }
            _ => {}
        }
    }
    // The camera's newer field counts; where both are there, the later one of the directory is the body's.
    found.maker.serial = found.maker.serial.take().or(older_serial);
    let key = nikon_lens::Key {
        serial: found.maker.serial.clone(),
        model: found.exif.model.clone().unwrap_or_default(),
        count: found.maker.shutter_count,
    };
    nikon_lens::read(&lens_data, lens_type, &key, found);
}

/// The first layout, of early Coolpix bodies.
pub(super) fn old(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    // An index of the setting, not a speed.
    let iso = ifd.find(0x0006).and_then(|e| tiff.unsigned(head, e));
    found.maker.iso = match iso {
        Some(0) => Some(80),
        Some(2) => Some(160),
        Some(4) => Some(320),
        Some(5) => Some(100),
        _ => None,
    };
}

/// The records of a clip: tag, type, count, value, all big-endian; EXIF's tags with a prefix.
pub(crate) fn clip(head: &mut Head<'_>, start: u64, end: u64, found: &mut Found) {
    let tiff = Tiff { base: start, end, order: Order::Big, big: false };
    let mut at = start;
    for _ in 0..2_000 {
        let Some([t0, t1, t2, t3, k0, k1, c0, c1]) = head.array(at).filter(|_| at + 8 < end) else { return };
        let (kind, count) = (Order::Big.u16([k0, k1]), Order::Big.u16([c0, c1]));
        let tag = Order::Big.u32([t0, t1, t2, t3]);
        let Some(value) = tiff.record(kind, u64::from(count), at + 8) else { return };
        at = value.end;
        match tag {
            0x01 => found.maker.make = tiff.record_text(head, &value),
            0x02 => found.maker.model = tiff.record_text(head, &value),
            0x11 if found.maker.time.text.is_none() => found.maker.time.text = tiff.record_text(head, &value),
            0x12 => found.maker.time.text = tiff.record_text(head, &value),
            0x110_829a => {
                found.maker.exposure = match tiff.record_number(head, &value) {
                    Some(Number::Fraction(num, den)) if num > 0 && den > 0 => {
                        Some(Ratio { num: num as u64, den: den as u64 })
                    }
                    _ => None,
                };
            }
            0x110_829d => {
                found.maker.aperture = tiff.record_number(head, &value).and_then(Number::real).filter(|&v| v > 0.0)
            }
            0x110_920a => {
                found.maker.focal_length = tiff.record_number(head, &value).and_then(Number::real).filter(|&v| v > 0.0)
            }
            0x110_a431 => found.maker.serial = tiff.record_text(head, &value),
            0x110_a434 => found.maker.lens = tiff.record_text(head, &value),
            _ => {}
        }
    }
}

//! Nikon's lens data: eight bytes that tell a lens, hidden with the serial number and the shutter count since 2005.

use super::LensId;
use super::nikon_tables::{BY_COUNT, BY_SERIAL};
use crate::found::Found;
use crate::text;
use crate::tiff::Order;

/// What the data is hidden with.
pub(super) struct Key {
    pub(super) serial: Option<String>,
    pub(super) model: String,
    pub(super) count: Option<u64>,
}

/// Reads the lens data of any version.
pub(super) fn read(data: &[u8], lens_type: u8, key: &Key, found: &mut Found) {
    let Some(version) = data.get(..4).and_then(|v| std::str::from_utf8(v).ok()) else { return };
    let plain = || reveal(data, key).unwrap_or_default();
    let (bytes, first) = match version {
        "0100" => (data.to_vec(), 0x06),
        "0101" => (data.to_vec(), 0x0b),
        "0201" | "0202" | "0203" => (plain(), 0x0b),
        "0204" => (plain(), 0x0c),
        "0400" | "0401" => return named(&plain(), 0x18a, found),
        "0402" => return named(&plain(), 0x18b, found),
        "0403" => return named(&plain(), 0x2ac, found),
        "0800" | "0801" | "0802" => {
            let bytes = plain();
            let new =
                bytes.get(0x30..0x32).and_then(|b| b.try_into().ok()).map(|b| Order::Little.u16(b)).filter(|&v| v > 0);
            if let Some(id) = new {
                found.maker.lens_id = Some(LensId::NikonZ(id));
                return;
            }
            (bytes, 0x0d)
        }
        _ => return,
    };
    let Some([number, stops, short, long, wide, tele, version]) = bytes.get(first..).and_then(|b| b.first_chunk::<7>())
    else {
        return;
    };
    found.maker.lens_id = Some(LensId::Nikon([*number, *stops, *short, *long, *wide, *tele, *version, lens_type]));
}

/// Nikon 1 bodies write the name itself.
fn named(bytes: &[u8], at: usize, found: &mut Found) {
    found.maker.lens = bytes.get(at..).and_then(|b| text::trimmed(b.get(..b.len().min(64))?));
}

fn reveal(data: &[u8], key: &Key) -> Option<Vec<u8>> {
    let serial = match key.serial.as_deref().map(str::trim) {
        Some(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => text.parse::<u64>().ok()? as u8,
        Some(_) if key.model.ends_with("D50") => 0x22,
        Some(_) => 0x60,
        None => return None,
    };
    let count = (key.count? as u32).to_le_bytes().iter().fold(0, |mixed, b| mixed ^ b);
    let step = *BY_SERIAL.get(usize::from(serial))?;
    let mut mask = *BY_COUNT.get(usize::from(count))?;
    let mut factor = 0x60u8;
    let (version, hidden) = data.split_at_checked(4)?;
    let mut plain = version.to_vec();
    for byte in hidden {
        mask = mask.wrapping_add(step.wrapping_mul(factor));
        factor = factor.wrapping_add(1);
        plain.push(byte ^ mask);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hiding_twice_reveals() {
        let key = Key { serial: Some("3012345".to_owned()), model: "NIKON D90".to_owned(), count: Some(4321) };
        let plain: Vec<u8> = b"0204".iter().copied().chain(0..40).collect();
        let hidden = reveal(&plain, &key).unwrap();
        assert_ne!(hidden, plain);
        assert_eq!(reveal(&hidden, &key).unwrap(), plain);
        let mut found = Found::default();
        read(&hidden, 6, &key, &mut found);
        assert_eq!(found.maker.lens_id, Some(LensId::Nikon([8, 9, 10, 11, 12, 13, 14, 6])));
    }

    #[test]
    fn data_that_is_cut_short_tells_no_lens() {
        let key = Key { serial: None, model: String::new(), count: None };
        for len in 0..12 {
            let mut found = Found::default();
            read(&b"0101xxxxxxxx"[..len], 0, &key, &mut found);
            assert_eq!(found.maker.lens_id, None);
        }
    }
}

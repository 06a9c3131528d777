//! The text of a packet, whatever its encoding.

use std::borrow::Cow;

/// The bytes as text: a byte-order mark decides, else the NULs of the first characters; bytes that are no UTF-8 are
/// replaced one by one.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let wide = |bytes: &[u8], little: bool| {
        let units = bytes.chunks_exact(2).filter_map(|pair| {
            let pair = pair.try_into().ok()?;
            Some(if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
        });
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect::<String>()
    };
    let wider = |bytes: &[u8], little: bool| {
        let units = bytes.chunks_exact(4).filter_map(|four| {
            let four = four.try_into().ok()?;
            Some(if little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) })
        });
        units.map(|u| char::from_u32(u).unwrap_or('\u{fffd}')).collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => Cow::Owned(wider(rest, true)),
        [0, 0, 0xfe, 0xff, rest @ ..] => Cow::Owned(wider(rest, false)),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, true)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, false)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [b'<', 0, 0, 0, ..] => Cow::Owned(wider(bytes, true)),
        [0, 0, 0, b'<', ..] => Cow::Owned(wider(bytes, false)),
        [b'<', 0, ..] => Cow::Owned(wide(bytes, true)),
        [0, b'<', ..] => Cow::Owned(wide(bytes, false)),
        _ => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let plain = "<x>é</x>";
        let utf16le: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16be: Vec<u8> = plain.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let utf32le: Vec<u8> = plain.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        for bytes in [plain.as_bytes(), &utf16le, &utf16be, &utf32le] {
            assert_eq!(text(bytes), plain);
        }
        let with_mark: Vec<u8> = [&[0xff, 0xfe], utf16le.as_slice()].concat();
        assert_eq!(text(&with_mark), plain);
    }
}

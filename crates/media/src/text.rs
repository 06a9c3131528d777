//! Texts as files have them: bytes in an unknown encoding, padded with NULs and blanks.
//!
//! What is not UTF-8 is taken for Windows-1252, which is Latin-1 with typographers' marks where Latin-1 has controls.

/// What Windows-1252 has from 0x80 to 0x9f; five places are empty.
const MARKS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A text up to its first NUL, without blanks at its end; nothing if nothing is left.
///
pub(crate) fn trimmed(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let text = decode(bytes.get(..end)?);
    let text = text.trim_end();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// UTF-8 where it is valid, else Windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes
            .iter()
            .map(|&b| MARKS.get(usize::from(b).wrapping_sub(0x80)).copied().unwrap_or(char::from(b)))
            .collect(),
    }
}

/// UTF-16 in the given order, up to its first NUL.
pub(crate) fn utf16(bytes: &[u8], little: bool) -> Option<String> {
    let units = bytes.chunks_exact(2).filter_map(|pair| {
        let pair = pair.try_into().ok()?;
        Some(if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    });
    let text: String = char::decode_utf16(units.take_while(|&u| u != 0)).map(|c| c.unwrap_or('\u{fffd}')).collect();
    let text = text.trim_end();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_no_text() {
        assert_eq!(trimmed(b"Canon\0\0junk").as_deref(), Some("Canon"));
        assert_eq!(trimmed(b"NIKON   "), Some("NIKON".to_owned()));
        assert_eq!(trimmed(b"   \0"), None);
        assert_eq!(trimmed(b""), None);
        assert_eq!(trimmed(b"Caf\xe9").as_deref(), Some("Café"));
        assert_eq!(trimmed(b"Caf\xe9 \x93X\x94").as_deref(), Some("Café “X”"));
    }

    #[test]
    fn windows_texts_are_utf16() {
        assert_eq!(utf16(b"H\0i\0\0\0x\0", true).as_deref(), Some("Hi"));
        assert_eq!(utf16(b"\0H", false).as_deref(), Some("H"));
        assert_eq!(utf16(b"\0", true), None);
    }
}

//! C4 ids: SHA-512 in base 58, the hash by which manifests name each other. SMPTE ST 2114.

use sha2::{Digest as _, Sha512};

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Digits behind `c4`.
const DIGITS: usize = 88;

/// The C4 id of some bytes: 90 characters.
pub fn c4(bytes: &[u8]) -> String {
    from_sha512(&Sha512::digest(bytes))
}

/// The id of a SHA-512, most significant byte first.
pub(crate) fn from_sha512(digest: &[u8]) -> String {
    let mut number = digest.to_vec();
    let mut digits = Vec::with_capacity(DIGITS);
    while digits.len() < DIGITS {
        let mut rest = 0u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = (value / 58) as u8;
            rest = value % 58;
        }
        digits.push(ALPHABET.get(rest as usize).copied().unwrap_or(b'1'));
    }
    digits.extend_from_slice(b"4c");
    digits.reverse();
    String::from_utf8_lossy(&digits).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_ninety_characters_and_known_values() {
        // The id of no bytes at all, as the standard gives it.
        let empty = "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT";
        assert_eq!(c4(b""), empty);
        assert_eq!(c4(b"raw").len(), 90);
    }
}

//! Names for things that last: photos, contents, sessions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The stable, random name of a photo: 16 characters of Crockford base32 in lower case (80 bits).
///
/// It is kept through a rebuild of the catalogue, so scripts and links may hold on to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PhotoId(String);

impl PhotoId {
    /// Makes an id of ten random bytes; the randomness comes in from outside.
    pub fn from_random(bytes: [u8; 10]) -> Self {
        const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let mut bits = bytes.iter().fold(0u128, |acc, b| (acc << 8) | u128::from(*b));
        let mut out = [0u8; 16];
        for slot in out.iter_mut().rev() {
            *slot = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'0');
            bits >>= 5;
        }
        Self(String::from_utf8_lossy(&out).into_owned())
    }

    /// Takes a string that looks like an id; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let shape = text.len() == 16
            && text.bytes().all(|b| b.is_ascii_digit() || (b.is_ascii_lowercase() && !b"ilou".contains(&b)));
        shape.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PhotoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// BLAKE3 of a whole file: the identity of its content. Shown as `blake3:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The 64 hexadecimal digits, without the `blake3:` before them.
    pub fn hex(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", self.hex())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not a content hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a content hash: expected `blake3:` and 64 hexadecimal digits")]
pub struct ParseHashError;

impl FromStr for ContentHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let hex = text.strip_prefix("blake3:").unwrap_or(text).as_bytes();
        if hex.len() != 64 {
            return Err(ParseHashError);
        }
        let mut out = [0u8; 32];
        for (slot, pair) in out.iter_mut().zip(hex.chunks_exact(2)) {
            let text = std::str::from_utf8(pair).map_err(|_| ParseHashError)?;
            *slot = u8::from_str_radix(text, 16).map_err(|_| ParseHashError)?;
        }
        Ok(Self(out))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// XXH3-128 over a file's size and its head, middle and tail (64 KiB each): a hint that two files may be
/// the same, never a proof. Equal content gives equal keys; different content nearly always different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuickKey(pub u128);

impl QuickKey {
    /// Bytes taken from each of the three places.
    pub const PART: usize = 64 * 1024;

    /// Where the three parts of a file of `size` bytes begin, and how long each is.
    /// A file of at most three parts is one part: all of it.
    pub fn parts(size: u64) -> [(u64, usize); 3] {
        let part = Self::PART as u64;
        if size <= 3 * part {
            return [(0, size as usize), (size, 0), (size, 0)];
        }
        [(0, Self::PART), (size / 2 - part / 2, Self::PART), (size - part, Self::PART)]
    }

    /// As sixteen big-endian bytes, the form it is stored in.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

/// One run of `import`: its row in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub i64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn photo_ids_are_sixteen_characters_and_parse_back() {
        for bytes in [[0; 10], [255; 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] {
            let id = PhotoId::from_random(bytes);
            assert_eq!(PhotoId::parse(id.as_str()), Some(id));
        }
        assert_eq!(PhotoId::from_random([255; 10]).as_str(), "zzzzzzzzzzzzzzzz");
        assert_eq!(PhotoId::parse("IMG_0001.CR2"), None);
    }

    #[test]
    fn hash_text_round_trips_and_rejects_other_text() {
        let hash = ContentHash(std::array::from_fn(|i| i as u8));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!("blake3:00".parse::<ContentHash>().is_err());
        assert!("é".repeat(32).parse::<ContentHash>().is_err());
    }

    #[test]
    fn quick_key_parts_stay_inside_the_file() {
        for size in [0, 1, 196_608, 196_609, 400_000, u64::MAX] {
            for (start, len) in QuickKey::parts(size) {
                assert!(start + len as u64 <= size, "{size}");
            }
        }
    }
}

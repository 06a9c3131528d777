//! The hashes that manifests use, computed together in one pass.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha512};
use xxhash_rust::xxh3::Xxh3;
use xxhash_rust::xxh32::Xxh32;
use xxhash_rust::xxh64::Xxh64;

use crate::c4::from_sha512;
use crate::list::Format;

/// One kind of hash. The order is that in which a manifest lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HashKind {
    /// SHA-512 in base 58.
    C4,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// XXH3 with 128 bits.
    Xxh128,
    /// XXH3 with 64 bits.
    Xxh3,
    /// XXH64, most significant byte first; `xxhash64be` in MHL 1.1.
    Xxh64,
    /// XXH64 with its bytes turned round: `xxhash64` of MHL 1.1.
    Xxh64Turned,
    /// XXH32 as a decimal number: `xxhash` of MHL 1.1.
    Xxh32,
}

impl HashKind {
    /// By the name that a format's elements have; `None` for other elements.
    pub fn from_tag(format: Format, tag: &str) -> Option<Self> {
        Some(match (format, tag) {
            (_, "md5") => Self::Md5,
            (_, "sha1") => Self::Sha1,
            (Format::Asc2, "c4") => Self::C4,
            (Format::Asc2, "xxh128") => Self::Xxh128,
            (Format::Asc2, "xxh3") => Self::Xxh3,
            (Format::Asc2, "xxh64") => Self::Xxh64,
            (Format::Mhl1, "xxhash64be") => Self::Xxh64,
            (Format::Mhl1, "xxhash64") => Self::Xxh64Turned,
            (Format::Mhl1, "xxhash") => Self::Xxh32,
            _ => return None,
        })
    }

    /// The name, as ASC MHL's elements have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::C4 => "c4",
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Xxh128 => "xxh128",
            Self::Xxh3 => "xxh3",
            Self::Xxh64 => "xxh64",
            Self::Xxh64Turned => "xxhash64",
            Self::Xxh32 => "xxhash",
        }
    }

    /// Whether two texts of this kind name the same hash: hexadecimal digits may be of either case.
    pub fn is_same(self, one: &str, other: &str) -> bool {
        if self == Self::C4 { one == other } else { one.eq_ignore_ascii_case(other) }
    }
}

enum Running {
    C4(Sha512),
    Md5(Md5),
    Sha1(Sha1),
    Xxh128(Box<Xxh3>),
    Xxh3(Box<Xxh3>),
    Xxh64(Xxh64),
    Xxh64Turned(Xxh64),
    Xxh32(Xxh32),
}

/// Several hashes of one file, fed block by block.
pub struct Hashers(Vec<(HashKind, Running)>);

impl std::fmt::Debug for Hashers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(kind, _)| kind)).finish()
    }
}

impl Hashers {
    /// Of these kinds, each once.
    pub fn new(kinds: impl IntoIterator<Item = HashKind>) -> Self {
        let mut kinds: Vec<HashKind> = kinds.into_iter().collect();
        kinds.sort();
        kinds.dedup();
        let begin = |kind| match kind {
            HashKind::C4 => Running::C4(Sha512::new()),
            HashKind::Md5 => Running::Md5(Md5::new()),
            HashKind::Sha1 => Running::Sha1(Sha1::new()),
            HashKind::Xxh128 => Running::Xxh128(Box::default()),
            HashKind::Xxh3 => Running::Xxh3(Box::default()),
            HashKind::Xxh64 => Running::Xxh64(Xxh64::new(0)),
            HashKind::Xxh64Turned => Running::Xxh64Turned(Xxh64::new(0)),
            HashKind::Xxh32 => Running::Xxh32(Xxh32::new(0)),
        };
        Self(kinds.into_iter().map(|kind| (kind, begin(kind))).collect())
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for (_, running) in &mut self.0 {
            match running {
                Running::C4(hash) => hash.update(bytes),
                Running::Md5(hash) => hash.update(bytes),
                Running::Sha1(hash) => hash.update(bytes),
                Running::Xxh128(hash) | Running::Xxh3(hash) => hash.update(bytes),
                Running::Xxh64(hash) | Running::Xxh64Turned(hash) => hash.update(bytes),
                Running::Xxh32(hash) => hash.update(bytes),
            }
        }
    }

    /// The hashes as a manifest writes them, in its order.
    pub fn finish(self) -> Vec<(HashKind, String)> {
        let text = |running| match running {
            Running::C4(hash) => from_sha512(&hash.finalize()),
            Running::Md5(hash) => hex(&hash.finalize()),
            Running::Sha1(hash) => hex(&hash.finalize()),
            Running::Xxh128(hash) => format!("{:032x}", hash.digest128()),
            Running::Xxh3(hash) => format!("{:016x}", hash.digest()),
            Running::Xxh64(hash) => format!("{:016x}", hash.digest()),
            Running::Xxh64Turned(hash) => format!("{:016x}", hash.digest().swap_bytes()),
            Running::Xxh32(hash) => hash.digest().to_string(),
        };
        self.0.into_iter().map(|(kind, running)| (kind, text(running))).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_in_blocks_or_whole() {
        use HashKind as K;
        let all = [K::Xxh128, K::Md5, K::Sha1, K::Xxh3, K::Xxh64, K::Xxh64Turned, K::Xxh32, K::C4];
        let mut hashers = Hashers::new(all);
        hashers.update(b"r");
        hashers.update(b"aw");
        let found = hashers.finish();
        let of = |kind| found.iter().find(|(k, _)| *k == kind).map(|(_, text)| text.as_str()).unwrap();
        // Made with the reference implementation and with `xxhsum`, `md5sum`, `sha1sum`.
        assert_eq!(of(K::Xxh64), "67be920e14d52a62");
        assert_eq!(of(K::Xxh3), "1dddc59c28b3ac7e");
        assert_eq!(of(K::Xxh128), "13d13f150e5ec1cc1dddc59c28b3ac7e");
        assert_eq!(of(K::Xxh64Turned), "622ad5140e92be67");
        assert_eq!(of(K::Md5), "bdd166af3a63f7be696dd17a218a6ffb");
        assert_eq!(of(K::Sha1), "ce15802a8c5e8e9db0ffaf10130ef265296e9ea4");
        assert_eq!(of(K::C4), crate::c4(b"raw"));
        assert_eq!(found.len(), 8);
        assert!(found.is_sorted());
    }
}

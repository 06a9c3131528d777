//! The quick key, computed from blocks as they pass by.

use lightfast_model::QuickKey;
use xxhash_rust::xxh3::Xxh3;

/// Takes a file's blocks in ascending order and hashes size, head, middle and tail.
pub(crate) struct QuickHasher {
    hasher: Xxh3,
    parts: [(u64, usize); 3],
}

impl QuickHasher {
    /// For a file of `size` bytes.
    pub(crate) fn new(size: u64) -> Self {
        let mut hasher = Xxh3::new();
        hasher.update(&size.to_le_bytes());
        Self { hasher, parts: QuickKey::parts(size) }
    }

    /// Takes the bytes at `offset`; those outside the three parts are passed over.
    pub(crate) fn update(&mut self, offset: u64, block: &[u8]) {
        let end = offset + block.len() as u64;
        for (start, len) in self.parts {
            let from = start.max(offset);
            let to = (start + len as u64).min(end);
            if from < to {
                let range = (from - offset) as usize..(to - offset) as usize;
                self.hasher.update(block.get(range).unwrap_or_default());
            }
        }
    }

    pub(crate) fn finish(self) -> QuickKey {
        QuickKey(self.hasher.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_parts_give_the_same_key() {
        let content: Vec<u8> = (0..700_001u32).map(|i| (i * 31 % 253) as u8).collect();
        let size = content.len() as u64;
        let mut by_block = QuickHasher::new(size);
        for (i, block) in content.chunks(100_000).enumerate() {
            by_block.update(i as u64 * 100_000, block);
        }
        let mut by_part = QuickHasher::new(size);
        for (start, len) in QuickKey::parts(size) {
            by_part.update(start, &content[start as usize..start as usize + len]);
        }
        assert_eq!(by_block.finish(), by_part.finish());
    }

    #[test]
    fn a_byte_outside_the_parts_does_not_change_the_key() {
        let key = |byte: u8| {
            let mut content = vec![1u8; 700_000];
            content[100_000] = byte;
            let mut quick = QuickHasher::new(700_000);
            quick.update(0, &content);
            quick.finish()
        };
        assert_eq!(key(1), key(2));
    }
}

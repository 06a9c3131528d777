//! Memory that direct reads and writes may use, and reading a whole block into it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::fault::{Op, point};
use crate::sys::Direct;

/// Bytes moved at a time. Large enough that a request's cost vanishes, small enough to stay in the second-level cache
/// while it is hashed.
pub(crate) const BLOCK: usize = 1 << 20;
/// What direct transfers must be aligned to, on every device in use.
pub(crate) const ALIGN: usize = 4096;

/// One block of memory, aligned.
pub(crate) struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
}

impl AlignedBuffer {
    pub(crate) fn new() -> Self {
        let memory = vec![0; BLOCK + ALIGN];
        // The vector is never grown, so its address, and with it the alignment, stays.
        let start = memory.as_ptr().align_offset(ALIGN).min(ALIGN);
        Self { memory, start }
    }

    /// The block.
    pub(crate) fn block(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.start..self.start + BLOCK).unwrap_or_default()
    }

    /// The first `len` bytes of the block, grown with zeros to the next multiple of the alignment.
    pub(crate) fn padded(&mut self, len: usize) -> &[u8] {
        let padded = len.next_multiple_of(ALIGN).min(BLOCK);
        let block = self.block();
        if let Some(tail) = block.get_mut(len..padded) {
            tail.fill(0);
        }
        block.get(..padded).unwrap_or_default()
    }
}

/// Reads the block at `offset` whole; it is shorter only at the end of the file.
///
/// Where a direct read is refused, or stops in the middle at an offset that a direct read cannot go on from,
/// the file goes on without.
pub(crate) fn read_full<'a>(
    file: &File,
    direct: &mut Direct,
    buffer: &'a mut AlignedBuffer,
    offset: u64,
) -> io::Result<&'a [u8]> {
    let block = buffer.block();
    let mut filled = 0;
    while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match point(Op::Read).and_then(|()| file.read_at(rest, offset + filled as u64)) {
            Ok(0) => break,
            Ok(count) => {
                filled += count;
                if *direct == Direct::Yes && count % ALIGN != 0 {
                    direct.turn_off(file, Direct::ToTheEnd)?;
                } else if *direct == Direct::ToTheEnd {
                    // It was not the end.
                    *direct = Direct::No;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if *direct == Direct::Yes && error.kind() == io::ErrorKind::InvalidInput => {
                direct.turn_off(file, Direct::No)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(buffer.block().get(..filled).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_blocks_to_the_last_odd_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let content: Vec<u8> = (0..BLOCK + 4097).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        for want in [true, false] {
            let (file, mut direct) = crate::sys::open_source(&path, want).unwrap();
            let mut buffer = AlignedBuffer::new();
            let mut read = Vec::new();
            loop {
                let block = read_full(&file, &mut direct, &mut buffer, read.len() as u64).unwrap();
                if block.is_empty() {
                    break;
                }
                read.extend_from_slice(block);
            }
            assert!(read == content);
        }
    }

    #[test]
    fn padding_never_shows_old_bytes() {
        let mut buffer = AlignedBuffer::new();
        buffer.block().fill(7);
        let padded = buffer.padded(5);
        assert_eq!(padded.len(), ALIGN);
        assert!(padded[5..].iter().all(|b| *b == 0));
        assert_eq!(padded.as_ptr().align_offset(ALIGN), 0);
    }
}

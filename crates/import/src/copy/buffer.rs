//! Memory that direct reads and writes may use, and reading a whole block into it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::fault::{Op, at_most};
use crate::sys::Direct;

/// Bytes moved at a time: a huge page. It is one piece of the machine's memory, so a direct transfer is one piece too and
/// not five hundred; measured on a virtual disk, reading goes from 1.5 to 2.3 GB/s.
pub(crate) const BLOCK: usize = 2 << 20;
/// What direct transfers must be aligned to, on every device in use.
pub(crate) const ALIGN: usize = 4096;

/// One block of memory, aligned.
pub(crate) struct AlignedBuffer {
    memory: Memory,
    start: usize,
}

enum Memory {
    Pages(memmap2::MmapMut),
    /// Where the system gives no pages of their own.
    Heap(Vec<u8>),
}

impl AlignedBuffer {
    pub(crate) fn new() -> Self {
        // Twice as much as needed, so that a whole huge page lies in it; what is not touched costs nothing.
        let (memory, align) = match memmap2::MmapMut::map_anon(2 * BLOCK) {
            Ok(pages) => (Memory::Pages(pages), BLOCK),
            Err(_) => (Memory::Heap(vec![0; BLOCK + ALIGN]), ALIGN),
        };
        let mut buffer = Self { memory, start: 0 };
        // Neither a mapping nor a vector that never grows moves, so the alignment stays.
        buffer.start = buffer.memory().as_ptr().align_offset(align).min(align);
        #[cfg(target_os = "linux")]
        if let Memory::Pages(pages) = &buffer.memory {
            // A wish: without huge pages it is slower and nothing else.
            let _ = pages.advise_range(memmap2::Advice::HugePage, buffer.start, BLOCK);
        }
        buffer
    }

    fn memory(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Pages(pages) => pages,
            Memory::Heap(bytes) => bytes,
        }
    }

    /// The block.
    pub(crate) fn block(&mut self) -> &mut [u8] {
        let start = self.start;
        self.memory().get_mut(start..start + BLOCK).unwrap_or_default()
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
        let allowed = at_most(Op::Read, rest.len(), if *direct == Direct::Yes { ALIGN } else { 1 });
        let read =
            allowed.and_then(|most| file.read_at(rest.get_mut(..most).unwrap_or_default(), offset + filled as u64));
        match read {
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

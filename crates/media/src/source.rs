//! Where a file's bytes come from: a descriptor, or bytes that are already in memory.
//!
//! The parsers ask for bytes at an offset and never learn what is behind it, so that the
//! same code reads a card, a library, an embedded block and a fuzzer's input. Files are
//! read with positioned reads and never mapped: a card that is pulled would turn a mapping
//! into a signal, while a read only fails.

use std::borrow::Borrow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that can be read at any offset.
pub trait Source {
    /// Length in bytes, as it was when the source was opened.
    fn len(&self) -> u64;

    /// Reads at most `buf.len()` bytes at `offset`; 0 means the end.
    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;

    /// Whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A source over bytes in memory.
#[derive(Clone, Copy, Debug)]
pub struct BytesSource<'a>(pub &'a [u8]);

impl Source for BytesSource<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.0.get(start..)).unwrap_or(&[]);
        let count = rest.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }
}

/// A source over an open file, owned or borrowed. It counts its reads, for those who watch a budget.
#[derive(Debug)]
pub struct FileSource<F: Borrow<File> = File> {
    file: F,
    len: u64,
    reads: u64,
    bytes: u64,
}

impl<F: Borrow<File>> FileSource<F> {
    /// Takes the file's length from the system once.
    pub fn new(file: F) -> io::Result<Self> {
        let len = file.borrow().metadata()?.len();
        Ok(Self::with_len(file, len))
    }

    /// For a caller that has just asked for the length.
    pub fn with_len(file: F, len: u64) -> Self {
        Self { file, len, reads: 0, bytes: 0 }
    }

    /// Reads done so far.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

impl<F: Borrow<File>> Source for FileSource<F> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            self.reads += 1;
            match self.file.borrow().read_at(buf, offset) {
                Ok(count) => {
                    self.bytes += count as u64;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_end_where_they_end() {
        let mut source = BytesSource(b"abcdef");
        let mut buf = [0; 4];
        assert_eq!(source.read_at(4, &mut buf).unwrap(), 2);
        assert_eq!(&buf[..2], b"ef");
        assert_eq!(source.read_at(6, &mut buf).unwrap(), 0);
        assert_eq!(source.read_at(u64::MAX, &mut buf).unwrap(), 0);
    }

    #[test]
    fn a_borrowed_file_counts_its_reads() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, b"0123456789").unwrap();
        let mut source = FileSource::new(&file).unwrap();
        let mut buf = [0; 4];
        assert_eq!(source.read_at(3, &mut buf).unwrap(), 4);
        assert_eq!(&buf, b"3456");
        assert_eq!((source.len(), source.reads(), source.bytes_read()), (10, 1, 4));
    }
}

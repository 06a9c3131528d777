//! A partial file in `incoming`: made, written, finished, or removed when it is dropped before that.

use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::Why;
use super::buffer::{ALIGN, AlignedBuffer};
use crate::error::{At, IoError, Step};
use crate::fault::{Op, at_most};
use crate::sys::{self, Direct};

/// How much a buffered writer may leave dirty before the system is asked to write it.
const WRITEBACK: u64 = 8 << 20;

/// A temporary file that is being written from its beginning to its end.
pub(super) struct TempFile {
    path: PathBuf,
    file: Option<File>,
    direct: Direct,
    offset: u64,
    flushed: u64,
}

/// A temporary file that holds all of a source file, not yet synced.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) temp: PathBuf,
    pub(super) file: File,
}

impl TempFile {
    /// Makes a file that did not exist, and reserves its space.
    pub(super) fn create(path: &Path, size: u64, direct: bool) -> Result<Self, Why> {
        let (file, direct) = sys::create_temp(path, direct).at(Step::Create, path)?;
        let temp = Self { path: path.to_owned(), file: Some(file), direct, offset: 0, flushed: 0 };
        if let Some(file) = &temp.file {
            sys::reserve(file, size).at(Step::Reserve, path)?;
        }
        Ok(temp)
    }

    /// Appends the first `len` bytes of the buffer.
    pub(super) fn write(&mut self, buffer: &mut AlignedBuffer, len: usize) -> Result<(), Why> {
        let Some(file) = &self.file else { return Ok(()) };
        write_block(file, &mut self.direct, buffer, len, self.offset).map_err(|source| IoError {
            path: self.path.clone(),
            step: Step::Write,
            offset: Some(self.offset),
            source,
        })?;
        self.offset += len as u64;
        if self.direct == Direct::No && self.offset - self.flushed >= WRITEBACK {
            sys::start_writeback(file, self.flushed, self.offset - self.flushed);
            self.flushed = self.offset;
        }
        Ok(())
    }

    /// Appends several blocks: in one call where direct writes are taken, and what that leaves one by one. All but the
    /// last are whole multiples of the alignment.
    pub(super) fn write_all(&mut self, blocks: &mut [(AlignedBuffer, usize)]) -> Result<(), Why> {
        let mut done = self.write_together(blocks)?;
        for (buffer, len) in blocks {
            match done.checked_sub(*len) {
                Some(rest) => {
                    done = rest;
                    self.offset += *len as u64;
                }
                None => {
                    done = 0;
                    self.write(buffer, *len)?;
                }
            }
        }
        Ok(())
    }

    /// Writes what it can in one call; how many bytes that were.
    fn write_together(&self, blocks: &mut [(AlignedBuffer, usize)]) -> Result<usize, Why> {
        let Some(file) = self.file.as_ref().filter(|_| self.direct == Direct::Yes && blocks.len() > 1) else {
            return Ok(0);
        };
        let slices: Vec<IoSlice<'_>> = blocks.iter_mut().map(|(b, len)| IoSlice::new(b.padded(*len))).collect();
        let all = slices.iter().map(|slice| slice.len()).sum();
        let written = at_most(Op::Write, all, ALIGN).and_then(|most| match most == all {
            true => Ok(rustix::io::pwritev(file, &slices, self.offset)?),
            false => Ok(0),
        });
        match written {
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::InvalidInput) => Ok(0),
            written => Ok(written.at(Step::Write, &self.path)?),
        }
    }

    /// Gives it its length, time and mode. Not synced yet.
    pub(super) fn finish(mut self, mtime_ns: i64, umask: u32) -> Result<Written, Why> {
        let finish = |file: &File| -> Result<(), IoError> {
            // The last block was padded, and space may have been reserved beyond it.
            file.set_len(self.offset).at(Step::Write, &self.path)?;
            sys::set_modified(file, mtime_ns).at(Step::SetTime, &self.path)?;
            sys::set_shared_mode(file, umask);
            Ok(())
        };
        if let Some(file) = &self.file {
            finish(file)?;
        }
        let file = self.file.take().ok_or(Why::Interrupted)?;
        Ok(Written { temp: self.path.clone(), file })
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Best effort: the next import empties `incoming` in any case.
            let _ = sys::remove_file(&self.path);
        }
    }
}

/// Writes the first `len` bytes of the buffer at `offset`, all of them.
fn write_block(
    file: &File,
    direct: &mut Direct,
    buffer: &mut AlignedBuffer,
    len: usize,
    offset: u64,
) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        let is_direct = *direct == Direct::Yes;
        let bytes = if is_direct { buffer.padded(len) } else { buffer.block().get(..len).unwrap_or_default() };
        let rest = bytes.get(done..).unwrap_or_default();
        let allowed = at_most(Op::Write, rest.len(), if is_direct { ALIGN } else { 1 });
        let written =
            allowed.and_then(|most| file.write_at(rest.get(..most).unwrap_or_default(), offset + done as u64));
        match written {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                done += count;
                if is_direct && done < len && count % ALIGN != 0 {
                    direct.turn_off(file, Direct::No)?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if is_direct && error.kind() == io::ErrorKind::InvalidInput => {
                direct.turn_off(file, Direct::No)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_are_written_together_are_the_file() {
        let dir = tempfile::tempdir().unwrap();
        for (name, sizes) in [("a", &[8192, 4096, 8192, 100][..]), ("b", &[4096, 4096]), ("c", &[7]), ("d", &[4096, 0])]
        {
            let mut expected = Vec::new();
            let mut file = TempFile::create(&dir.path().join(name), 20_000, true).unwrap();
            for round in 0..2u8 {
                // What is not whole can only come last.
                let sizes = if round == 0 { &sizes[..sizes.len() - 1] } else { sizes };
                let mut blocks: Vec<(AlignedBuffer, usize)> = Vec::new();
                for (number, len) in sizes.iter().enumerate() {
                    let mut buffer = AlignedBuffer::new();
                    buffer.block().fill(number as u8 + 10 * round + 1);
                    expected.extend_from_slice(&buffer.block()[..*len]);
                    blocks.push((buffer, *len));
                }
                file.write_all(&mut blocks).unwrap();
            }
            let written = file.finish(0, 0o022).unwrap();
            assert!(std::fs::read(&written.temp).unwrap() == expected, "{name}");
        }
    }
}

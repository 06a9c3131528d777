//! A writer of its own, for a further destination or beside a lane that is alone: it takes blocks through a bounded
//! queue, so that a slower disk holds the reading up only while that queue is full, and one that fails does not stop
//! the others.

use std::path::PathBuf;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::Why;
use super::buffer::AlignedBuffer;
use super::temp::{TempFile, Written};

/// Blocks that may wait for one of several writers.
const QUEUE: usize = 4;
/// Blocks that it writes in one call at most, where they wait: a disk that has the next request before it is done with
/// the last one does not pause between them.
const TOGETHER: usize = QUEUE;

/// A lane's end.
pub(super) struct Far {
    to: Sender<Message>,
    free: Receiver<AlignedBuffer>,
    back: Receiver<Result<Written, Why>>,
}

/// The writer's end.
pub(super) struct FarWriter {
    from: Receiver<Message>,
    free: Sender<AlignedBuffer>,
    back: Sender<Result<Written, Why>>,
    umask: u32,
    direct: bool,
}

enum Message {
    Begin { temp: PathBuf, size: u64 },
    Block { buffer: AlignedBuffer, len: usize },
    End { mtime_ns: i64 },
    Abandon,
}

/// Makes both ends. A writer that is the only one may have twice as much waiting.
pub(super) fn far(umask: u32, direct: bool, is_single: bool) -> (Far, FarWriter) {
    let queue = if is_single { 2 * QUEUE } else { QUEUE };
    let (to, from) = bounded(queue + 2);
    let (free_to, free) = bounded(queue);
    let (back_to, back) = bounded(1);
    for _ in 0..queue {
        let _ = free_to.send(AlignedBuffer::new());
    }
    (Far { to, free, back }, FarWriter { from, free: free_to, back: back_to, umask, direct })
}

impl Far {
    pub(super) fn begin(&self, temp: PathBuf, size: u64) {
        let _ = self.to.send(Message::Begin { temp, size });
    }

    /// Takes a copy of a block; waits while the writer is too far behind.
    pub(super) fn write(&self, block: &[u8]) {
        let Ok(mut buffer) = self.free.recv() else { return };
        if let Some(room) = buffer.block().get_mut(..block.len()) {
            room.copy_from_slice(block);
        }
        let _ = self.to.send(Message::Block { buffer, len: block.len() });
    }

    /// Ends the file, waits for the writer, and gives what became of it.
    pub(super) fn end(&self, mtime_ns: i64) -> Result<Written, Why> {
        let _ = self.to.send(Message::End { mtime_ns });
        self.back.recv().unwrap_or(Err(Why::Interrupted))
    }

    /// Gives the file up; the writer removes it.
    pub(super) fn abandon(&self) {
        let _ = self.to.send(Message::Abandon);
        let _ = self.back.recv();
    }
}

impl FarWriter {
    /// Works until its lane is gone.
    pub(super) fn run(self) {
        let mut file: Result<TempFile, Why> = Err(Why::Interrupted);
        let mut next = None;
        while let Some(message) = next.take().or_else(|| self.from.recv().ok()) {
            match message {
                Message::Begin { temp, size } => file = TempFile::create(&temp, size, self.direct),
                Message::Block { buffer, len } => {
                    let mut blocks = vec![(buffer, len)];
                    while blocks.len() < TOGETHER
                        && next.is_none()
                        && let Ok(message) = self.from.try_recv()
                    {
                        match message {
                            Message::Block { buffer, len } => blocks.push((buffer, len)),
                            other => next = Some(other),
                        }
                    }
                    let written = file.as_mut().map_or(Ok(()), |file| file.write_all(&mut blocks));
                    if let Err(why) = written {
                        file = Err(why);
                    }
                    blocks.into_iter().for_each(|(buffer, _)| drop(self.free.send(buffer)));
                }
                Message::End { mtime_ns } => {
                    let done = std::mem::replace(&mut file, Err(Why::Interrupted));
                    let _ = self.back.send(done.and_then(|file| file.finish(mtime_ns, self.umask)));
                }
                Message::Abandon => {
                    file = Err(Why::Interrupted);
                    let _ = self.back.send(Err(Why::Interrupted));
                }
            }
        }
    }
}

//! The child's end: answers jobs until the socket closes.
//!
//! It reads the range of bytes that a job names, from the descriptor that came
//! with it, and answers with a JPEG or a reason. A panic or a fault of a
//! library ends the process: the caller sees its death and judges it. What it
//! keeps between jobs is buffers and the libraries' state.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;

use lightfast_develop::jpeg::{JpegError, Limits};
use lightfast_develop::raw::{self, DevelopError, DevelopOptions, Developer};
use lightfast_develop::thumbnail::{Request as Small, Thumbnailer, UprightJpeg};

use crate::confine::{confine, limit_job};
use crate::protocol::{self, HELLO, Hello, REQUEST, Reply, Request};
use crate::{Refusal, Task};

/// A buffer larger than this is given back after its job.
const KEPT_BUFFER: usize = 64 << 20;

/// Why the child's loop ended otherwise than by the closing of its socket.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Standard input is not a socket: the command was not started by a caller of this library.
    #[error("serve as a worker: standard input is no socket; this command is started by lightfast itself")]
    NoSocket,
    /// The caller is of another version.
    #[error("serve as a worker: the program that started it is of another version")]
    OtherVersion,
    /// A request that makes no sense.
    #[error("serve as a worker: a request that makes no sense")]
    BadRequest,
    /// The socket failed.
    #[error("serve as a worker: the socket: {0}")]
    Socket(#[from] std::io::Error),
    /// A decoder could not be set up.
    #[error("serve as a worker: {0}")]
    Decoder(#[from] JpegError),
    /// The renderer could not be set up.
    #[error("serve as a worker: {0}")]
    Developer(#[from] DevelopError),
}

/// [`serve`] on standard input, where [`crate::Worker`] puts the socket.
pub fn serve_stdin() -> Result<(), ServeError> {
    serve(std::io::stdin().as_fd().try_clone_to_owned()?)
}

/// Answers jobs from `socket` until the other end closes it.
///
/// The process is given up to it: it is confined for good before the first job, and must not have more than its main
/// thread.
pub fn serve(socket: OwnedFd) -> Result<(), ServeError> {
    if !protocol::is_socket(&socket) {
        return Err(ServeError::NoSocket);
    }
    let Some((bytes, _)) = protocol::receive::<HELLO>(socket.as_fd()).map_err(std::io::Error::from)? else {
        return Ok(());
    };
    let hello = Hello::decode(&bytes).ok_or(ServeError::OtherVersion)?;
    confine(hello);
    let mut decoders = Decoders { thumbnailer: Thumbnailer::new()?, developer: Developer::new()?, buffer: Vec::new() };
    protocol::send(socket.as_fd(), &hello.encode(), None).map_err(std::io::Error::from)?;
    while let Some((bytes, file)) = protocol::receive::<REQUEST>(socket.as_fd()).map_err(std::io::Error::from)? {
        let request = Request::decode(&bytes).ok_or(ServeError::BadRequest)?;
        let file = File::from(file.ok_or(ServeError::BadRequest)?);
        limit_job(request.limits.memory, request.limits.cpu);
        let outcome = decoders.answer(&file, &request);
        drop(file);
        let answered = match outcome {
            Ok(made) => {
                let length = made.jpeg.len() as u32;
                let reply = Reply::Picture { width: made.width, height: made.height, length };
                send_reply(&socket, reply, &made.jpeg)
            }
            Err((kind, detail)) => {
                send_reply(&socket, Reply::Refused { kind, length: detail.len() as u32 }, detail.as_bytes())
            }
        };
        match answered {
            // The caller has gone.
            Err(rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET) => return Ok(()),
            other => other.map_err(std::io::Error::from)?,
        }
    }
    Ok(())
}

fn send_reply(socket: &OwnedFd, reply: Reply, body: &[u8]) -> rustix::io::Result<()> {
    protocol::send(socket.as_fd(), &reply.encode(), None)?;
    protocol::send(socket.as_fd(), body, None)
}

struct Decoders {
    thumbnailer: Thumbnailer,
    developer: Developer,
    buffer: Vec<u8>,
}

type Refused = (Refusal, String);

impl Decoders {
    fn answer(&mut self, file: &File, request: &Request) -> Result<UprightJpeg, Refused> {
        self.read(file, request)?;
        let limits = Limits { pixels: request.limits.pixels };
        let made = match request.task {
            Task::Thumbnail { orientation, edge } => {
                self.small(&Small { limits, ..Small::thumbnail(orientation, edge) })?
            }
            Task::Fit { orientation, edge } => self.small(&Small { limits, ..Small::fit(orientation, edge) })?,
            Task::Develop(options) => self.develop(&options, request.limits.pixels)?,
        };
        if made.jpeg.len() as u64 > request.limits.output {
            return Err((Refusal::TooLarge, format!("the result has {} bytes", made.jpeg.len())));
        }
        Ok(made)
    }

    fn small(&mut self, request: &Small) -> Result<UprightJpeg, Refused> {
        self.thumbnailer.make(&self.buffer, request).map_err(refused)
    }

    fn develop(&mut self, options: &DevelopOptions, pixels: u64) -> Result<UprightJpeg, Refused> {
        let limits = raw::Limits { pixels, ..options.limits };
        let made = self.developer.jpeg(&self.buffer, &DevelopOptions { limits, ..*options });
        let made = made.map_err(|error| (kind_of(&error), error.to_string()))?;
        Ok(UprightJpeg { jpeg: made.jpeg, width: made.width, height: made.height })
    }

    /// Fills the buffer with the request's range; a file that ends before gives what there is.
    fn read(&mut self, file: &File, request: &Request) -> Result<(), Refused> {
        if request.length > request.limits.input {
            let limit = request.limits.input;
            return Err((Refusal::TooLarge, format!("{} bytes are more than the {limit} allowed", request.length)));
        }
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        // Bounded by the limit above.
        self.buffer.resize(request.length as usize, 0);
        let mut filled = 0;
        while let Some(room) = self.buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
            let at = request.offset.saturating_add(filled as u64);
            match file.read_at(room, at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err((Refusal::Read, format!("read at byte {at}: {error}"))),
            }
        }
        self.buffer.truncate(filled);
        Ok(())
    }
}

fn refused(error: JpegError) -> Refused {
    let kind = match error {
        JpegError::TooLarge { .. } => Refusal::TooLarge,
        JpegError::Unsupported(_) => Refusal::Unsupported,
        JpegError::Damaged(_) | JpegError::Library(_) => Refusal::Damaged,
    };
    (kind, error.to_string())
}

fn kind_of(error: &DevelopError) -> Refusal {
    match error {
        DevelopError::Damaged { .. } => Refusal::Damaged,
        DevelopError::TooLarge { .. } | DevelopError::OutOfMemory { .. } => Refusal::TooLarge,
        _ => Refusal::Unsupported,
    }
}

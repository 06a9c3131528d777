//! The child's end: answers jobs until the socket closes.

use std::os::fd::{AsFd, OwnedFd};

/// Why the child's loop ended otherwise than by the closing of its socket.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The socket failed, or is none.
    #[error("the worker's socket: {0}")]
    Socket(#[from] std::io::Error),
}

/// Answers jobs from `socket` until the other end closes it.
pub fn serve(_socket: OwnedFd) -> Result<(), ServeError> {
    Ok(())
}

/// [`serve`] on standard input, where [`crate::Worker`] puts the socket.
pub fn serve_stdin() -> Result<(), ServeError> {
    serve(std::io::stdin().as_fd().try_clone_to_owned()?)
}

//! Ctrl-C and termination: the first finishes the current write and ends cleanly, a second one exits at once.
//!
//! Both leave the library whole; the second only costs the file that was being copied. Commands that cannot
//! leave anything half done do not ask for this, and simply die of the signal.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::error::{Error, Exit};

/// From now on the first signal sets the flag, and a second exits with 130.
pub(crate) fn watch() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The order matters: the exit is looked at first, so that the signal which sets the flag does not exit.
        signal_hook::flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted.code()),
            Arc::clone(&flag),
        )
        .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
        .map_err(|error| Error::start("cannot watch for Ctrl-C").because(error))?;
    }
    // Where files may not grow beyond a limit (`ulimit -f`), the write is an error, which is told; not our end.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    Ok(flag)
}

/// The same without the second: for what has mounted something, which only its own end takes away again.
pub(crate) fn watch_to_the_end() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))
            .map_err(|error| Error::start("cannot watch for Ctrl-C").because(error))?;
    }
    Ok(flag)
}

/// A worker is told by its parent when to end; the terminal's Ctrl-C must not kill it under a file.
pub(crate) fn ignore() {
    let ignored = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGHUP] {
        // Without it the worker dies early and is started again, which costs time and nothing else.
        let _ = signal_hook::flag::register(signal, Arc::clone(&ignored));
    }
}

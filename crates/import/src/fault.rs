//! Numbered points at which a test can fail or kill the import.
//!
//! Every effectful call of the copy path passes through `point` first, and one that moves bytes through
//! `at_most`. In the product that is nothing at all. With the `faults` feature one global counter numbers the
//! calls, so that a test can visit each of them in turn.

#[cfg(not(feature = "faults"))]
use std::io;

/// What is about to be done; the kinds that RELIABILITY's fault matrix distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Open,
    Read,
    Create,
    Write,
    Sync,
    ReadBack,
    MakeFolder,
    Rename,
    SyncFolder,
    Remove,
    Commit,
}

/// Passes in the product.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(crate) fn point(_op: Op) -> io::Result<()> {
    Ok(())
}

/// How many of `len` bytes the next call may move: all of them in the product.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(crate) fn at_most(_op: Op, len: usize, _align: usize) -> io::Result<usize> {
    Ok(len)
}

#[cfg(feature = "faults")]
pub use injected::{Injection, arm, count};
#[cfg(feature = "faults")]
pub(crate) use injected::{at_most, point};

#[cfg(feature = "faults")]
mod injected {
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::Op;

    /// What to do at one point.
    #[derive(Clone, Debug)]
    pub enum Injection {
        /// Fail one call.
        Fail {
            /// Which call, from 1.
            at: u64,
            /// The system's error number.
            errno: i32,
            /// Which kind of calls are counted; all where there is none.
            only: Option<Op>,
        },
        /// End the process as `kill -9` does, before one call.
        Kill {
            /// Which call, from 1.
            at: u64,
        },
        /// Let one call that moves bytes move only some of them.
        Short {
            /// Which call, from 1.
            at: u64,
        },
    }

    static COUNT: AtomicU64 = AtomicU64::new(0);
    static ARMED: Mutex<Option<Injection>> = Mutex::new(None);

    /// Sets what will happen, and starts counting from 0.
    pub fn arm(injection: Option<Injection>) {
        COUNT.store(0, Ordering::SeqCst);
        if let Ok(mut armed) = ARMED.lock() {
            *armed = injection;
        }
    }

    /// How many points have been passed since [`arm`].
    pub fn count() -> u64 {
        COUNT.load(Ordering::SeqCst)
    }

    pub(crate) fn point(op: Op) -> io::Result<()> {
        visit(op).map(|_| ())
    }

    pub(crate) fn at_most(op: Op, len: usize, align: usize) -> io::Result<usize> {
        let is_short = visit(op)?;
        Ok(if is_short { len.min(align.max(1000)) } else { len })
    }

    /// Counts a call and does what is armed for it; whether it is to move only some of its bytes.
    fn visit(op: Op) -> io::Result<bool> {
        let armed = ARMED.lock().ok().and_then(|armed| armed.clone());
        let counted = !matches!(&armed, Some(Injection::Fail { only: Some(only), .. }) if *only != op);
        if !counted {
            return Ok(false);
        }
        let number = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        match armed {
            Some(Injection::Fail { at, errno, .. }) if at == number => Err(io::Error::from_raw_os_error(errno)),
            Some(Injection::Short { at }) if at == number => Ok(true),
            Some(Injection::Kill { at }) if at == number => {
                let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
                Ok(false)
            }
            _ => Ok(false),
        }
    }
}

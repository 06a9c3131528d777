//! Being a considerate guest: lower priority for processor and disk.

/// Lowers the calling thread's priority (nice 5), and with it that of the threads and processes that it starts.
/// The default best-effort class of disk access follows the niceness by itself. Errors do not matter.
pub fn be_considerate() {
    let current = rustix::process::getpriority_process(None).unwrap_or(0);
    if current < 5 {
        let _ = rustix::process::setpriority_process(None, 5);
    }
}

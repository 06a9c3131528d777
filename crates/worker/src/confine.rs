//! What a worker gives up before it touches a file's bytes.
//!
//! No new privileges, no core dumps, death with its parent, and (where the
//! kernel and the architecture allow it) a filter of system calls: it can read
//! the descriptors that it is handed, use memory and answer. It cannot open,
//! create or change a file, reach the network, start a program or signal
//! another process. Refused calls fail; they do not kill, since libraries look
//! for things that they can do without.
//!
//! Every step is a second wall behind memory safety and the limits; where the
//! system refuses one, the worker runs without it.

use std::time::Duration;

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::protocol::Hello;

/// Descriptors of a worker: standard ones, its socket, a job's file, and what a library opens in memory.
const MAX_DESCRIPTORS: u64 = 64;

/// Confines this process, for good.
pub(crate) fn confine(hello: Hello) {
    // Without one of these a worker is as good as with it, as long as files are well-meaning.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::thread::set_no_new_privs(true);
    limit(Resource::Core, 0);
    limit(Resource::Nofile, MAX_DESCRIPTORS);
    if hello.nice != 0 {
        let _ = rustix::process::nice(hello.nice);
    }
    if hello.idle {
        idle();
    }
    if let Some(filter) = filter() {
        let _ = seccompiler::apply_filter_all_threads(&filter);
    }
}

/// Limits the job at hand: address space, and processor time from now on.
pub(crate) fn limit_job(memory: u64, cpu: Duration) {
    limit(Resource::As, memory);
    let used = clock_gettime(ClockId::ProcessCPUTime);
    // The kernel counts whole seconds.
    let until = u64::try_from(used.tv_sec).unwrap_or(0).saturating_add(1).saturating_add(cpu.as_secs().max(1));
    limit(Resource::Cpu, until);
}

/// Sets the limit that counts; the ceiling stays, so that the next job can have a higher one.
fn limit(resource: Resource, value: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(value, |maximum| maximum.min(value)));
    let _ = setrlimit(resource, Rlimit { current, maximum });
}

fn idle() {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
}

/// The calls that decoding needs, on any of the architectures that the filter is for.
const ALLOWED: &[libc::c_long] = &[
    // What it is handed, and its answers.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_recvmsg,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_ppoll,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_fcntl,
    libc::SYS_fadvise64,
    libc::SYS_close,
    libc::SYS_dup,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    // Threads of its own, and time.
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_membarrier,
    libc::SYS_getcpu,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    // Its end.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// `None` where there is no filter for the architecture.
fn filter() -> Option<BpfProgram> {
    let first_is = |value: u64| {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()?;
        SeccompRule::new(vec![condition]).ok()
    };
    let own = u64::from(std::process::id());
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_poll, Vec::new());
    // Words go nowhere (1) or to where the caller may read the last of them (2), and no job's file can be written.
    rules.insert(libc::SYS_write, vec![first_is(1)?, first_is(2)?]);
    rules.insert(libc::SYS_writev, vec![first_is(1)?, first_is(2)?]);
    // Aborting is a signal to oneself; limits are set on oneself.
    rules.insert(libc::SYS_tgkill, vec![first_is(own)?]);
    rules.insert(libc::SYS_kill, vec![first_is(own)?]);
    rules.insert(libc::SYS_prlimit64, vec![first_is(0)?]);
    let architecture = std::env::consts::ARCH.try_into().ok()?;
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, architecture).ok()?.try_into().ok()
}

//! What only the operating system can say or do.
#![expect(unsafe_code, reason = "the standard library has no limits, groups or times of processes")]

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use super::ProcessLimits;

/// Puts the process into a group of its own and under its limits, and ties its life to ours.
pub(super) fn prepare(command: &mut Command, limits: &ProcessLimits) {
    let limits = *limits;
    command.process_group(0);
    let seconds = limits.time.as_secs() + 2;
    // SAFETY: between fork and exec only async-signal-safe functions are called: `setrlimit` and
    // `prctl`. Nothing is allocated.
    unsafe {
        command.pre_exec(move || {
            if let Some(memory) = limits.memory {
                limit(libc::RLIMIT_AS, memory)?;
            }
            if let Some(files) = limits.files {
                limit(libc::RLIMIT_FSIZE, files)?;
            }
            limit(libc::RLIMIT_CPU, seconds)?;
            limit(libc::RLIMIT_CORE, 0)?;
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: `limit` is valid for the call.
    match unsafe { libc::setrlimit(resource, &limit) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Waits until there is something to read, or until a pipe is closed.
pub(super) fn poll(
    out: Option<&ChildStdout>,
    err: Option<&ChildStderr>,
    timeout: Duration,
) -> (bool, bool) {
    let watched =
        |fd: Option<i32>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
    let mut watched = [watched(out.map(AsRawFd::as_raw_fd)), watched(err.map(AsRawFd::as_raw_fd))];
    // SAFETY: the array is valid for the call, and its length is given.
    unsafe { libc::poll(watched.as_mut_ptr(), 2, timeout.as_millis() as libc::c_int) };
    (watched[0].revents != 0, watched[1].revents != 0)
}

/// Whether the child has ended. It can still be waited for.
pub(super) fn has_ended(pid: u32) -> bool {
    // SAFETY: all zeroes is a valid `siginfo_t`, and it is valid for the call.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, pid, &mut info, options) != 0 || info.si_pid() != 0
    }
}

/// Kills the group that the child leads.
pub(super) fn kill_group(pid: u32) {
    // SAFETY: the child has not been waited for, so the group is still its own.
    unsafe { libc::kill(-(pid as libc::pid_t), libc::SIGKILL) };
}

/// Waits for the child. Returns the CPU time of it and of the children that it waited for.
pub(super) fn wait(pid: u32) -> io::Result<(ExitStatus, Duration)> {
    let mut status = 0;
    // SAFETY: all zeroes is a valid `rusage`, and both pointers are valid for the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        while libc::wait4(pid as libc::pid_t, &mut status, 0, &mut usage) < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        usage
    };
    let duration = |time: libc::timeval| {
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs() as u32 * 1000)
    };
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    Ok((ExitStatus::from_raw(status), cpu))
}

/// The CPU time of this thread.
pub(super) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

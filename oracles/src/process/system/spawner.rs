//! The process that starts all others.
//!
//! It is forked once, early, and stays small, so that forking it is cheap. It forks a supervisor for
//! each run. Like supervisors, it is a fork of a process with threads: it calls only functions that
//! are async-signal-safe, and allocates nothing.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::request::{N_FDS, Report};
use super::supervisor::{Signals, kill_children, send, supervise};

/// The most processes that run at once. A guess, far above what machines have cores for.
const MOST_RUNS: usize = 1 << 14;

/// The first descriptor that is kept: those below belong to standard input, output and error.
const FIRST_KEPT: RawFd = 10;

/// Room for a control message with all descriptors, aligned as such messages have to be.
#[repr(C, align(8))]
pub(super) struct ControlSpace([u8; 64]);

impl ControlSpace {
    pub(super) const fn new() -> Self {
        Self([0; 64])
    }

    pub(super) const fn as_mut_ptr(&mut self) -> *mut libc::c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// Forks the spawner. Returns the socket that takes requests; the spawner ends when it is closed.
///
/// # Errors
/// If there are too many processes or descriptors.
pub(super) fn fork_spawner() -> io::Result<OwnedFd> {
    let [ours, theirs] = socket_pair()?;
    // SAFETY: the child only calls functions that are async-signal-safe, and never returns.
    unsafe {
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => spawn_on_request(theirs.as_raw_fd()),
            _ => Ok(ours),
        }
    }
}

/// Two ends of a connection that keeps messages apart. Nothing that is executed inherits them.
pub(super) fn socket_pair() -> io::Result<[OwnedFd; 2]> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the array has room for both descriptors, which belong to no one else.
    unsafe {
        match libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) {
            0 => Ok(ends.map(|end| OwnedFd::from_raw_fd(end))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Serves requests until there is no one who could make any.
///
/// SAFETY: to be called in a process that was forked for it, and has one thread.
unsafe fn spawn_on_request(socket: RawFd) -> ! {
    // SAFETY: all calls are async-signal-safe; what they are given lives on this stack.
    unsafe {
        // A signal to the group of pathsmith, such as Ctrl-C or `kill -9`, is not for it.
        libc::setsid();
        // The folder that pathsmith was started in can be removed.
        libc::chdir(c"/".as_ptr());
        let Some(socket) = keep_only(socket) else { libc::_exit(1) };
        // Processes whose supervisor was killed become its own.
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let Some(signals) = Signals::new() else { libc::_exit(1) };
        let mut supervisors = [0; MOST_RUNS];
        loop {
            let is_requested = signals.wait(socket, None);
            reap(&mut supervisors);
            if !is_requested {
                continue;
            }
            let Some(fds) = receive(socket) else { libc::_exit(0) };
            let supervisor = match supervisors.iter_mut().find(|pid| **pid == 0) {
                Some(free) => {
                    *free = libc::fork();
                    *free
                }
                None => -1,
            };
            match supervisor {
                -1 => {
                    if let Some(slot) = supervisors.iter_mut().find(|pid| **pid == -1) {
                        *slot = 0;
                    }
                    send(fds[3], &Report::failed(libc::EAGAIN));
                }
                0 => {
                    libc::close(socket);
                    supervise(&signals, fds);
                }
                _ => {}
            }
            for fd in fds {
                libc::close(fd);
            }
        }
    }
}

/// Closes all descriptors but one, which is moved out of the way of the first three.
unsafe fn keep_only(fd: RawFd) -> Option<RawFd> {
    // SAFETY: only integers are passed; no descriptor that is closed is used again.
    unsafe {
        let kept = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, FIRST_KEPT);
        if kept < 0 {
            return None;
        }
        for fd in 0..kept {
            libc::close(fd);
        }
        let (first, last) = (kept as libc::c_uint + 1, libc::c_uint::MAX);
        if libc::syscall(libc::SYS_close_range, first, last, 0) != 0 {
            // Linux before 5.9. The number is a guess: the usual soft limit is 1,024.
            for fd in kept + 1..1 << 16 {
                libc::close(fd);
            }
        }
        // Descriptors that are received must not become standard input, output or error: a
        // supervisor puts them there one by one. So something else takes these numbers.
        for low in 0..FIRST_KEPT {
            if libc::eventfd(0, libc::EFD_CLOEXEC) != low {
                return None;
            }
        }
        Some(kept)
    }
}

/// Receives a request: its descriptors. Nothing if there are no more requests.
unsafe fn receive(socket: RawFd) -> Option<[RawFd; N_FDS]> {
    // SAFETY: the message and what it points to live on this stack; its control data is read only
    // if the kernel says that it is there.
    unsafe {
        let mut byte = 0_u8;
        let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut space = ControlSpace::new();
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = space.as_mut_ptr();
        message.msg_controllen = size_of::<ControlSpace>();
        if libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC) != 1 {
            return None;
        }
        let control = libc::CMSG_FIRSTHDR(&message);
        let length = libc::CMSG_LEN(size_of::<[RawFd; N_FDS]>() as u32) as usize;
        if control.is_null() || (*control).cmsg_len != length {
            return None;
        }
        let mut fds = [0; N_FDS];
        let data = libc::CMSG_DATA(control).cast::<RawFd>();
        for (n, fd) in fds.iter_mut().enumerate() {
            *fd = data.add(n).read_unaligned();
        }
        Some(fds)
    }
}

/// Waits for the supervisors that have ended. If one of them was killed, what it watched over is
/// killed here.
unsafe fn reap(supervisors: &mut [libc::pid_t]) {
    // SAFETY: the status is valid for the call, and the children are those of this process.
    unsafe {
        loop {
            let mut status = 0;
            let pid = libc::waitpid(-1, &mut status, libc::WNOHANG | libc::__WALL);
            if pid <= 0 {
                return;
            }
            let slot = supervisors.iter_mut().find(|known| **known == pid);
            let is_lost = slot.is_none() || libc::WIFSIGNALED(status);
            if let Some(slot) = slot {
                *slot = 0;
            }
            if is_lost {
                kill_children(|child| !supervisors.contains(&child));
            }
        }
    }
}

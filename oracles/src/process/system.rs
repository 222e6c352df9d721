//! What only the operating system can say or do.
//!
//! Processes are started by a small process, the *spawner*, which forks a *supervisor* for each.
#![expect(
    unsafe_code,
    reason = "the standard library has no limits, subreapers or times of processes"
)]

mod request;
mod spawner;
mod supervisor;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) use self::request::Request;

use super::memory;

use self::request::{N_FDS, Report};
use self::spawner::{ControlSpace, fork_spawner, socket_pair};

/// The socket of the spawner, once there is one.
static SPAWNER: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// How long a supervisor may take to end everything. Its own patience is less. A guess.
const SUPERVISOR_TIME: Duration = Duration::from_secs(60);

/// A process that was started, under its supervisor.
#[derive(Debug)]
pub(super) struct Supervised {
    control: OwnedFd,
    pid: u32,
    supervisor: libc::pid_t,
}

impl Supervised {
    /// Starts a process with the given standard input, output and error.
    ///
    /// # Errors
    /// If it cannot be started; `NotFound` if there is no such program.
    pub(super) fn start(request: &Request<'_>, standard: [BorrowedFd<'_>; 3]) -> io::Result<Self> {
        let file = sealed(&request.to_bytes()?)?;
        let [control, theirs] = socket_pair()?;
        let [stdin, stdout, stderr] = standard.map(|fd| fd.as_raw_fd());
        send_request([stdin, stdout, stderr, theirs.as_raw_fd(), file.as_raw_fd()])?;
        // So that its end is noticed.
        drop(theirs);
        match received(&control)? {
            Some(report) if report.kind == Report::STARTED => {
                let Report { pid, supervisor, .. } = report;
                Ok(Self { control, pid: pid.unsigned_abs(), supervisor })
            }
            Some(report) => Err(io::Error::from_raw_os_error(report.value)),
            None => Err(io::Error::other("the process that starts others was killed")),
        }
    }

    /// The number of the process.
    pub(super) const fn id(&self) -> u32 {
        self.pid
    }

    /// The process, and what else its supervisor has to watch: what has lost its parent.
    pub(super) fn watched(&self) -> BTreeSet<u32> {
        let orphans = memory::children(self.supervisor.unsigned_abs());
        orphans.into_iter().chain([self.pid]).collect()
    }

    /// Whether the process and all that it has started have ended.
    pub(super) fn has_ended(&self) -> bool {
        poll([Some(self.as_raw_fd())], Duration::ZERO)[0]
    }

    /// Kills it, if it has not ended, with everything that descends from it, and waits for that.
    /// Returns how it ended, and the CPU time of all of it.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub(super) fn end(&self) -> io::Result<(ExitStatus, Duration)> {
        // SAFETY: only integers are passed. The supervisor runs until it has reported. A process
        // that stopped its supervisor, or killed it, does not escape: the spawner takes its place.
        unsafe {
            libc::shutdown(self.control.as_raw_fd(), libc::SHUT_WR);
            if !self.has_ended() {
                libc::kill(self.supervisor, libc::SIGCONT);
            }
        }
        let deadline = Instant::now() + SUPERVISOR_TIME;
        while !poll([Some(self.control.as_raw_fd())], Duration::from_secs(1))[0] {
            if Instant::now() > deadline {
                return Err(io::Error::other("a process could not be killed"));
            }
        }
        let killed = Report::ended(libc::SIGKILL, 0);
        let report = received(&self.control)?.unwrap_or(killed);
        Ok((ExitStatus::from_raw(report.value), Duration::from_micros(report.cpu)))
    }
}

/// What can be read once the process and all that it has started have ended.
impl AsRawFd for Supervised {
    fn as_raw_fd(&self) -> RawFd {
        self.control.as_raw_fd()
    }
}

/// A file without a name that holds `bytes`.
fn sealed(bytes: &[u8]) -> io::Result<File> {
    // SAFETY: the name ends with a NUL; the descriptor belongs to no one else.
    let mut file = unsafe {
        match libc::memfd_create(c"pathsmith".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            fd => File::from_raw_fd(fd),
        }
    };
    file.write_all(bytes)?;
    Ok(file)
}

/// Asks the spawner for a process. If it was killed, another one takes its place.
fn send_request(fds: [RawFd; N_FDS]) -> io::Result<()> {
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(socket) = &*spawner
        && send_fds(socket.as_raw_fd(), fds).is_ok()
    {
        return Ok(());
    }
    let socket = spawner.insert(fork_spawner()?);
    send_fds(socket.as_raw_fd(), fds)
}

fn send_fds(socket: RawFd, fds: [RawFd; N_FDS]) -> io::Result<()> {
    // SAFETY: the message and what it points to live on this stack; the space has room for the
    // descriptors and their header.
    let sent = unsafe {
        let mut byte = 0_u8;
        let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut space = ControlSpace::new();
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = space.as_mut_ptr();
        message.msg_controllen = libc::CMSG_SPACE(size_of_val(&fds) as u32) as usize;
        let control = libc::CMSG_FIRSTHDR(&message);
        (*control).cmsg_level = libc::SOL_SOCKET;
        (*control).cmsg_type = libc::SCM_RIGHTS;
        (*control).cmsg_len = libc::CMSG_LEN(size_of_val(&fds) as u32) as usize;
        libc::CMSG_DATA(control).cast::<[RawFd; N_FDS]>().write_unaligned(fds);
        libc::sendmsg(socket, &message, libc::MSG_NOSIGNAL)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Waits for a report; nothing if the supervisor is gone.
fn received(control: &OwnedFd) -> io::Result<Option<Report>> {
    let mut report = Report::default();
    loop {
        // SAFETY: the report is valid for the call, its size is given, and all bytes are valid.
        let n = unsafe {
            let place = (&raw mut report).cast();
            libc::recv(control.as_raw_fd(), place, size_of::<Report>(), 0)
        };
        match usize::try_from(n) {
            Ok(n) if n == size_of::<Report>() => return Ok(Some(report)),
            Ok(_) => return Ok(None),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::ConnectionReset => return Ok(None),
            _ => return Err(error),
        }
    }
}

/// Waits until something can be read from one of `fds`, or one of them is closed.
pub(super) fn poll<const N: usize>(fds: [Option<RawFd>; N], timeout: Duration) -> [bool; N] {
    let watched =
        |fd: Option<RawFd>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
    let mut watched = fds.map(watched);
    // SAFETY: the array is valid for the call, and its length is given.
    unsafe {
        let n = watched.len() as libc::nfds_t;
        libc::poll(watched.as_mut_ptr(), n, timeout.as_millis() as libc::c_int)
    };
    watched.map(|watched| watched.revents != 0)
}

/// The CPU time of this thread.
pub(super) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

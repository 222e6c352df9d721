//! The process that watches over one run: it starts the target, and adopts and kills whatever that
//! leaves behind.
//!
//! It is the *subreaper* of all that descends from it: a process whose parent ends becomes its
//! child, whatever session or group it has moved to. It reports how the target ended once no
//! descendant is left. The other end of its control socket belongs to pathsmith alone: when that is
//! closed, by pathsmith or because pathsmith was killed, everything ends.

use std::os::fd::RawFd;
use std::time::Duration;

use super::request::{Layout, N_FDS, Report};

/// How long processes that cannot be killed are waited for: those of another user, or stuck in the
/// kernel. A guess.
const MOST_WAITS: u32 = 1000;
/// How long to wait for signals before children are listed again. A guess.
const LISTING_PAUSE: Duration = Duration::from_millis(5);

/// All signals, blocked; those that children send are read from a descriptor.
pub(super) struct Signals(RawFd);

impl Signals {
    /// Blocks all signals of this process.
    pub(super) unsafe fn new() -> Option<Self> {
        // SAFETY: all zeroes is a valid set, and the sets are valid for the calls.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::sigprocmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
            let mut of_children: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut of_children);
            libc::sigaddset(&mut of_children, libc::SIGCHLD);
            // An ignored signal of this kind would lose the status of children.
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            let fd = libc::signalfd(-1, &of_children, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC);
            (fd >= 0).then_some(Self(fd))
        }
    }

    /// Waits until a child has ended, `other` can be read or is closed, or the time is over. Returns
    /// whether it is `other`.
    pub(super) unsafe fn wait(&self, other: RawFd, time: Option<Duration>) -> bool {
        let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut watched = [watched(self.0), watched(other)];
        let time = time.map_or(-1, |time| time.as_millis() as libc::c_int);
        // SAFETY: the array and the buffer are valid for the calls, and their lengths are given.
        unsafe {
            libc::poll(watched.as_mut_ptr(), 2, time);
            let mut info = [0_u8; size_of::<libc::signalfd_siginfo>()];
            while libc::read(self.0, info.as_mut_ptr().cast(), info.len()) > 0 {}
        }
        watched[1].revents != 0
    }

    /// The signals of children of this process, and not of the one that it was forked from.
    unsafe fn renew(&self) -> Option<Self> {
        // SAFETY: the descriptor is not used again.
        unsafe {
            libc::close(self.0);
            Self::new()
        }
    }
}

/// What is known of the target.
struct Watched {
    pid: libc::pid_t,
    /// How it ended.
    status: Option<libc::c_int>,
    /// The CPU time of all that was waited for, in microseconds.
    cpu: u64,
}

/// Runs a request to its end.
///
/// SAFETY: to be called in a process that was forked for it, and has one thread.
pub(super) unsafe fn supervise(signals: &Signals, fds: [RawFd; N_FDS]) -> ! {
    let [stdin, stdout, stderr, control, file] = fds;
    // SAFETY: all calls are async-signal-safe; descriptors are not used after they are closed.
    unsafe {
        let fail = |errno| -> ! {
            send(control, &Report::failed(errno));
            libc::_exit(0)
        };
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let Some(signals) = signals.renew() else { fail(errno()) };
        let Some(layout) = Layout::map(file) else { fail(errno()) };
        let mut trouble = [0; 2];
        if libc::pipe2(trouble.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            fail(errno());
        }
        let pid = libc::fork();
        match pid {
            -1 => fail(errno()),
            0 => {
                let errno = become_target(&layout, [stdin, stdout, stderr]);
                libc::write(trouble[1], (&raw const errno).cast(), size_of_val(&errno));
                libc::_exit(127);
            }
            _ => {}
        }
        for fd in [stdin, stdout, stderr, file, trouble[1]] {
            libc::close(fd);
        }
        let mut code: libc::c_int = 0;
        let n = libc::read(trouble[0], (&raw mut code).cast(), size_of_val(&code));
        libc::close(trouble[0]);
        if n > 0 {
            libc::waitpid(pid, std::ptr::null_mut(), 0);
            fail(code);
        }
        send(control, &Report::started(pid, libc::getpid()));
        let mut target = Watched { pid, status: None, cpu: 0 };
        while target.status.is_none() {
            let is_over = signals.wait(control, None);
            reap(&mut target);
            if is_over {
                break;
            }
        }
        end_all(&signals, &mut target);
        let status = target.status.unwrap_or(libc::SIGKILL);
        send(control, &Report::ended(status, target.cpu));
        libc::_exit(0)
    }
}

/// Turns this process into the target. Returns the error number if that fails.
unsafe fn become_target(layout: &Layout, standard: [RawFd; 3]) -> libc::c_int {
    // SAFETY: all calls are async-signal-safe, and the strings are those of the request.
    unsafe {
        libc::setpgid(0, 0);
        for (resource, most) in layout.limits() {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            if libc::setrlimit(resource, &limit) != 0 {
                return errno();
            }
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for (to, from) in (0..).zip(standard) {
            if libc::dup2(from, to) < 0 {
                return errno();
            }
        }
        if libc::chdir(layout.folder()) != 0 {
            return errno();
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        // Rust ignores this signal; other programs expect to be ended by it.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        // What is no program for this machine is not taken for a script: it may be a program for
        // another one. As shells do, all folders are tried; that a file may not be run matters if
        // no other can.
        let mut failed = libc::ENOENT;
        for program in layout.programs() {
            libc::execve(program, layout.args(), layout.env());
            match errno() {
                libc::ENOENT | libc::ENOTDIR => {}
                libc::EACCES => failed = libc::EACCES,
                other => return other,
            }
        }
        failed
    }
}

/// Kills everything that descends from this process, and waits for it.
unsafe fn end_all(signals: &Signals, target: &mut Watched) {
    // SAFETY: the target was not waited for, so that its group is its own still.
    unsafe {
        for _ in 0..MOST_WAITS {
            if reap(target) {
                return;
            }
            if target.status.is_none() {
                libc::kill(-target.pid, libc::SIGKILL);
            }
            // What they leave behind becomes a child of this process in turn.
            kill_children(|_| true);
            if reap(target) {
                return;
            }
            signals.wait(-1, Some(LISTING_PAUSE));
        }
    }
}

/// Waits for children that have ended. Returns whether none is left at all.
unsafe fn reap(target: &mut Watched) -> bool {
    // SAFETY: all zeroes is a valid `rusage`, and both pointers are valid for the call.
    unsafe {
        loop {
            let mut status = 0;
            let mut usage: libc::rusage = std::mem::zeroed();
            let pid = libc::wait4(-1, &mut status, libc::WNOHANG | libc::__WALL, &mut usage);
            match pid {
                0 => return false,
                -1 => return errno() == libc::ECHILD,
                _ => {}
            }
            if pid == target.pid {
                target.status = Some(status);
            }
            for time in [usage.ru_utime, usage.ru_stime] {
                target.cpu += time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_usec.unsigned_abs();
            }
        }
    }
}

/// Kills the children of this process for which `condition` holds, as far as Linux lists them.
pub(super) unsafe fn kill_children(condition: impl Fn(libc::pid_t) -> bool) {
    // SAFETY: the buffers are valid for the calls, and their lengths are given. Processes that are
    // listed were not waited for, so that their numbers are still theirs.
    unsafe {
        // In the `/proc` of another PID namespace, processes have other numbers.
        let mut own = [0_u8; 16];
        let n = libc::readlink(c"/proc/self".as_ptr(), own.as_mut_ptr().cast(), own.len());
        if n < 0 || number(&own[..n as usize]) != libc::getpid() {
            return;
        }
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let list = libc::open(c"/proc/thread-self/children".as_ptr(), flags);
        if list < 0 {
            return;
        }
        let mut buffer = [0_u8; 4096];
        let mut pid: libc::pid_t = 0;
        loop {
            let n = libc::read(list, buffer.as_mut_ptr().cast(), buffer.len());
            if n <= 0 {
                break;
            }
            for byte in &buffer[..n as usize] {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(libc::pid_t::from(byte - b'0'));
                    continue;
                }
                if pid > 0 && condition(pid) {
                    libc::kill(pid, libc::SIGKILL);
                }
                pid = 0;
            }
        }
        libc::close(list);
    }
}

fn number(digits: &[u8]) -> libc::pid_t {
    digits.iter().fold(0, |number: libc::pid_t, digit| {
        number.wrapping_mul(10).wrapping_add(libc::pid_t::from(digit.wrapping_sub(b'0')))
    })
}

/// Sends a report. If no one receives it, no one has to know.
pub(super) unsafe fn send(control: RawFd, report: &Report) {
    // SAFETY: the report is valid for the call, and its size is given.
    unsafe {
        let bytes = std::ptr::from_ref(report).cast();
        libc::send(control, bytes, size_of::<Report>(), libc::MSG_NOSIGNAL);
    }
}

fn errno() -> libc::c_int {
    // SAFETY: the location is that of this thread.
    unsafe { *libc::__errno_location() }
}

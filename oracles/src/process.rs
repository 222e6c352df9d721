//! Processes that keep within limits and leave nothing behind.
//!
//! Each process has a supervisor (`system/supervisor.rs`), a process of its own. Whatever ends the
//! run, and if pathsmith itself is killed, the supervisor ends everything that descends from the
//! process, also what has moved to another group or session.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

mod memory;
mod session;
mod system;
mod threads;
mod waiting;

pub use session::{Answer, Session, SessionLimits};

use self::system::{Request, Supervised};
use self::waiting::Waiting;

/// A request to stop: once it is raised, all processes end and no others begin.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A request that is not raised yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// The flag itself, for signal handlers.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// What a process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Wall time, not counting what it has to wait for a CPU.
    pub time: Duration,
    /// Address space, in bytes; none if memory is mapped without being used.
    pub memory: Option<u64>,
    /// Memory that it and all that it has started hold at once, in bytes; none if it is trusted.
    pub resident: Option<u64>,
    /// What it may write to its standard output and error, each, in bytes.
    pub output: u64,
    /// How large the files in its folder may get, each and all together, in bytes; none if the
    /// folder is not its own.
    pub files: Option<u64>,
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Wall time.
    Time,
    /// Output.
    Output,
    /// Files.
    Files,
    /// Memory that it holds at once.
    Memory,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time limit reached",
            Self::Output => "output limit reached",
            Self::Files => "limit on file size reached",
            Self::Memory => "memory limit reached",
        })
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, or by a signal.
    Status(ExitStatus),
    /// It reached a limit.
    Limit(Reached),
    /// It was stopped on request.
    Stopped,
}

impl End {
    /// The exit status, if it exited.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Status(status) => status.code(),
            Self::Limit(_) | Self::Stopped => None,
        }
    }

    /// The signal, if one ended it.
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Status(status) => status.signal(),
            Self::Limit(_) | Self::Stopped => None,
        }
    }

    /// Whether it exited with 0.
    pub fn is_success(self) -> bool {
        self.code() == Some(0)
    }
}

/// What a process did.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How it ended.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// The CPU time of it and its children.
    pub cpu: Duration,
}

/// A command line and where it runs.
#[derive(Clone, Debug)]
pub struct CommandLine {
    program: OsString,
    args: Vec<OsString>,
    dir: PathBuf,
    env: BTreeMap<String, String>,
}

impl CommandLine {
    /// `program`, to be run in `dir`.
    pub fn new(program: impl AsRef<OsStr>, dir: impl Into<PathBuf>) -> Self {
        let (program, args) = (program.as_ref().to_owned(), Vec::new());
        Self { program, args, dir: dir.into(), env: BTreeMap::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets environment variables.
    #[must_use]
    pub fn envs(mut self, env: &BTreeMap<String, String>) -> Self {
        self.env.extend(env.iter().map(|(name, value)| (name.clone(), value.clone())));
        self
    }

    /// The words of the command line.
    pub fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it cannot be started; `NotFound` if there is no such program.
    pub fn run(&self, limits: &ProcessLimits, stop: &Stop) -> io::Result<Ended> {
        // Nothing to read, also on a machine without /dev/null.
        let (stdin, writer) = io::pipe()?;
        drop(writer);
        let started = self.start(limits, stdin.as_fd(), &[("LC_ALL", "C")])?;
        Running::new(started, &self.dir, limits).finish(stop)
    }

    /// Starts it with the given standard input and further variables of the environment.
    fn start(
        &self,
        limits: &ProcessLimits,
        stdin: BorrowedFd<'_>,
        variables: &[(&str, &str)],
    ) -> io::Result<Started> {
        let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        env.insert("TMPDIR".into(), self.dir.clone().into());
        env.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        let (stdout, their_stdout) = io::pipe()?;
        let (stderr, their_stderr) = io::pipe()?;
        let request = Request {
            program: &self.program,
            args: &self.args,
            env: &env.into_iter().collect::<Vec<_>>(),
            folder: &self.dir,
            limits: *limits,
        };
        let standard = [stdin, their_stdout.as_fd(), their_stderr.as_fd()];
        let process = Supervised::start(&request, standard)?;
        Ok(Started { process, stdout, stderr })
    }
}

/// A process that has begun, and what it writes.
struct Started {
    process: Supervised,
    stdout: PipeReader,
    stderr: PipeReader,
}

/// The CPU time of the calling thread.
pub fn thread_time() -> Duration {
    system::thread_time()
}

/// How often limits are checked that nothing announces. A guess.
const TICK: Duration = Duration::from_millis(50);
/// How many times its limit a process may take on a busy machine. A guess.
const MOST_PATIENCE: u32 = 20;
/// How often the size of the folder is. A guess: it takes a system call for each file.
const FOLDER_TICK: Duration = Duration::from_millis(500);

/// How often the memory of processes is. A guess: it takes a system call or two for each thread, and
/// a process can allocate some hundred megabytes in that time.
const MEMORY_TICK: Duration = Duration::from_millis(200);

/// A process that is watched until it ends.
struct Running<'a> {
    process: Supervised,
    out: Option<PipeReader>,
    err: Option<PipeReader>,
    dir: &'a Path,
    limits: &'a ProcessLimits,
    begun: Instant,
    waiting: Waiting,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl<'a> Running<'a> {
    fn new(started: Started, dir: &'a Path, limits: &'a ProcessLimits) -> Self {
        let Started { process, stdout, stderr } = started;
        Self {
            process,
            out: Some(stdout),
            err: Some(stderr),
            dir,
            limits,
            begun: Instant::now(),
            waiting: Waiting::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    fn finish(mut self, stop: &Stop) -> io::Result<Ended> {
        let ended_early = self.watch(stop);
        let (status, cpu) = self.process.end()?;
        let end = match ended_early {
            Some(end) => end,
            None if self.is_folder_full() => End::Limit(Reached::Files),
            None => End::Status(status),
        };
        Ok(Ended { end, stdout: self.stdout, stderr: self.stderr, cpu })
    }

    /// Reads what it writes until it has ended, or returns the reason why it has to.
    fn watch(&mut self, stop: &Stop) -> Option<End> {
        let (mut folder_seen, mut memory_seen) = (Instant::now(), Instant::now());
        loop {
            let fds = [fd_of(self.out.as_ref()), fd_of(self.err.as_ref())];
            let [out, err, has_ended] =
                system::poll([fds[0], fds[1], Some(self.process.as_raw_fd())], TICK);
            if out && !read_some(self.out.as_mut(), &mut self.stdout) {
                self.out = None;
            }
            if err && !read_some(self.err.as_mut(), &mut self.stderr) {
                self.err = None;
            }
            // Once all processes have ended, nothing is written any more, and all was read.
            if has_ended && !out && !err {
                return None;
            }
            let n_written = self.stdout.len().max(self.stderr.len()) as u64;
            if stop.is_raised() {
                return Some(End::Stopped);
            } else if n_written > self.limits.output {
                return Some(End::Limit(Reached::Output));
            } else if self.is_late() {
                return Some(End::Limit(Reached::Time));
            }
            if memory_seen.elapsed() > MEMORY_TICK {
                memory_seen = Instant::now();
                if self.exceeds_memory() {
                    return Some(End::Limit(Reached::Memory));
                }
            }
            if folder_seen.elapsed() > FOLDER_TICK {
                folder_seen = Instant::now();
                self.waiting.look(self.process.id());
                if self.is_folder_full() {
                    return Some(End::Limit(Reached::Files));
                }
            }
        }
    }

    /// Whether it has exceeded its time, not counting what it had to wait for a CPU.
    fn is_late(&mut self) -> bool {
        let (elapsed, limit) = (self.begun.elapsed(), self.limits.time);
        if elapsed <= limit + self.waiting.total() {
            return false;
        }
        self.waiting.look(self.process.id());
        elapsed > (limit + self.waiting.total()).min(MOST_PATIENCE * limit)
    }

    fn exceeds_memory(&self) -> bool {
        let is_exceeded = |most| memory::is_exceeded(self.process.watched(), most);
        self.limits.resident.is_some_and(is_exceeded)
    }

    fn is_folder_full(&self) -> bool {
        self.limits.files.is_some_and(|most| folder_size(self.dir) >= most)
    }
}

fn fd_of(file: Option<&impl AsRawFd>) -> Option<i32> {
    file.map(AsRawFd::as_raw_fd)
}

/// Reads what is there; true if there may be more.
fn read_some(from: Option<&mut impl Read>, into: &mut Vec<u8>) -> bool {
    let Some(from) = from else { return false };
    let mut buffer = [0; 1 << 16];
    match from.read(&mut buffer) {
        Ok(0) => false,
        Ok(n) => {
            into.extend_from_slice(&buffer[..n]);
            true
        }
        Err(error) => error.kind() == io::ErrorKind::Interrupted,
    }
}

/// How large the files in a folder are together.
fn folder_size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let sizes = entries.flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        Some(if metadata.is_dir() { folder_size(&entry.path()) } else { metadata.len() })
    });
    sizes.sum()
}

#[cfg(test)]
mod tests;

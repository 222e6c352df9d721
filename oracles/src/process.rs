//! Processes that keep within limits and leave nothing behind.
//!
//! A process is the leader of a group of its own. Whatever ends it, the whole group is killed
//! before it is waited for, so that what it has started ends too.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

mod session;
mod system;
mod threads;
mod waiting;

pub use session::{Answer, Session};

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
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time limit reached",
            Self::Output => "output limit reached",
            Self::Files => "limit on file size reached",
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
}

impl CommandLine {
    /// `program`, to be run in `dir`.
    pub fn new(program: impl AsRef<OsStr>, dir: impl Into<PathBuf>) -> Self {
        Self { program: program.as_ref().to_owned(), args: Vec::new(), dir: dir.into() }
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
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.dir).env("TMPDIR", &self.dir);
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        system::prepare(&mut command, limits);
        let child = command.spawn()?;
        Running::new(child, &self.dir, limits).finish(stop)
    }
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

/// A process that has begun.
struct Running<'a> {
    child: Child,
    dir: &'a Path,
    limits: &'a ProcessLimits,
    begun: Instant,
    waiting: Waiting,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl<'a> Running<'a> {
    fn new(child: Child, dir: &'a Path, limits: &'a ProcessLimits) -> Self {
        let (begun, waiting) = (Instant::now(), Waiting::default());
        Self { child, dir, limits, begun, waiting, stdout: Vec::new(), stderr: Vec::new() }
    }

    fn finish(mut self, stop: &Stop) -> io::Result<Ended> {
        let ended_early = self.watch(stop);
        system::kill_group(self.child.id());
        let (status, cpu) = system::wait(self.child.id())?;
        let end = match ended_early {
            Some(end) => end,
            None if self.is_folder_full() => End::Limit(Reached::Files),
            None => End::Status(status),
        };
        Ok(Ended { end, stdout: self.stdout, stderr: self.stderr, cpu })
    }

    /// Reads what it writes until it has ended, or returns the reason why it has to.
    fn watch(&mut self, stop: &Stop) -> Option<End> {
        let mut out = self.child.stdout.take();
        let mut err = self.child.stderr.take();
        let mut folder_seen = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            if out.is_some() || err.is_some() {
                let (out_ready, err_ready) = system::poll(out.as_ref(), err.as_ref(), TICK);
                if out_ready && !read_some(out.as_mut(), &mut self.stdout) {
                    out = None;
                }
                if err_ready && !read_some(err.as_mut(), &mut self.stderr) {
                    err = None;
                }
                if !out_ready && !err_ready && system::has_ended(self.child.id()) {
                    // Something that it has started still holds its output.
                    return None;
                }
            } else if system::has_ended(self.child.id()) {
                return None;
            } else {
                std::thread::sleep(pause);
                pause = (pause * 2).min(TICK);
            }
            let n_written = self.stdout.len().max(self.stderr.len()) as u64;
            if stop.is_raised() {
                return Some(End::Stopped);
            } else if n_written > self.limits.output {
                return Some(End::Limit(Reached::Output));
            } else if self.is_late() {
                return Some(End::Limit(Reached::Time));
            } else if folder_seen.elapsed() > FOLDER_TICK {
                folder_seen = Instant::now();
                self.waiting.look(self.child.id());
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
        self.waiting.look(self.child.id());
        elapsed > (limit + self.waiting.total()).min(MOST_PATIENCE * limit)
    }

    fn is_folder_full(&self) -> bool {
        self.limits.files.is_some_and(|most| folder_size(self.dir) >= most)
    }
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
mod tests {
    use super::*;

    fn limits() -> ProcessLimits {
        ProcessLimits {
            time: Duration::from_secs(20),
            memory: Some(1 << 30),
            output: 1 << 16,
            files: Some(1 << 20),
        }
    }

    fn shell(script: &str, limits: &ProcessLimits) -> (Ended, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let line = CommandLine::new("sh", dir.path()).args(["-c", script]);
        let ended = line.run(limits, &Stop::new()).unwrap();
        let left = std::fs::read_dir(dir.path()).unwrap().flatten();
        (ended, left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    }

    /// Does something while others keep all processors busy.
    pub(super) fn on_a_busy_machine<T>(act: impl FnOnce() -> T) -> T {
        let n_cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut others: Vec<Child> = (0..6 * n_cores)
            .map(|_| Command::new("yes").stdout(Stdio::null()).spawn().unwrap())
            .collect();
        let done = act();
        for other in &mut others {
            other.kill().unwrap();
            other.wait().unwrap();
        }
        done
    }

    /// A busy machine says nothing about a process: one that needs 0.1 s of CPU time finishes within
    /// a limit of 0.3 s, however long it has to wait for its turn.
    #[test]
    fn waiting_for_a_cpu_does_not_count() {
        let limits = ProcessLimits { time: Duration::from_millis(300), ..limits() };
        let begun = Instant::now();
        let count = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        let (ended, _) = on_a_busy_machine(|| shell(count, &limits));
        let (elapsed, cpu) = (begun.elapsed(), ended.cpu);
        // On a machine that is too slow, it has had its time.
        let had_its_time = cpu >= Duration::from_millis(250);
        assert!(ended.end.is_success() || had_its_time, "{:?} {elapsed:?} {cpu:?}", ended.end);
    }

    #[test]
    fn output_status_and_signal_are_kept() {
        let (ended, _) = shell("echo out; echo err >&2; exit 3", &limits());
        assert_eq!((ended.end.code(), &ended.stdout[..]), (Some(3), &b"out\n"[..]));
        assert_eq!(ended.stderr, b"err\n");
        let (ended, _) = shell("kill -SEGV $$", &limits());
        assert_eq!(ended.end.signal(), Some(libc::SIGSEGV));
    }

    #[test]
    fn a_missing_program_is_not_found() {
        let line = CommandLine::new("no-such-program-here", ".");
        let error = line.run(&limits(), &Stop::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn limits_end_it() {
        let quick = ProcessLimits { time: Duration::from_millis(200), ..limits() };
        let reached = |script, limits: &ProcessLimits| shell(script, limits).0.end;
        assert_eq!(reached("sleep 100", &quick), End::Limit(Reached::Time));
        // Closing its output does not hide it.
        assert_eq!(reached("exec >&- 2>&-; sleep 100", &quick), End::Limit(Reached::Time));
        assert_eq!(
            reached("while :; do echo many words; done", &limits()),
            End::Limit(Reached::Output)
        );
        assert_eq!(reached("yes > file", &limits()), End::Limit(Reached::Files));
        let many = "for i in 1 2 3 4 5 6; do head -c 300000 /dev/zero > f$i; done; sleep 100";
        assert_eq!(reached(many, &limits()), End::Limit(Reached::Files));
    }

    #[test]
    fn what_it_has_started_ends_too() {
        // The child outlives its parent and holds on to the output.
        let (ended, _) = shell("sleep 1000 & echo $!", &limits());
        assert!(ended.end.is_success());
        let child = String::from_utf8(ended.stdout).unwrap();
        let is_gone = || !Path::new("/proc").join(child.trim()).exists() || is_zombie(child.trim());
        let deadline = Instant::now() + Duration::from_secs(10);
        while !is_gone() {
            assert!(Instant::now() < deadline, "process {child} is still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_zombie(pid: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        status.split_whitespace().nth(2) == Some("Z")
    }

    #[test]
    fn a_request_to_stop_ends_it() {
        let stop = Stop::new();
        let raised = stop.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            raised.raise();
        });
        let ended = CommandLine::new("sleep", ".").args(["1000"]).run(&limits(), &stop).unwrap();
        assert_eq!(ended.end, End::Stopped);
        thread.join().unwrap();
    }

    #[test]
    fn cpu_time_is_that_of_children_too() {
        let (ended, _) =
            shell("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; :", &limits());
        assert!(ended.cpu > Duration::from_millis(5), "{:?}", ended.cpu);
    }
}

//! Processes that keep within limits and leave nothing behind.
//!
//! Each process has a supervisor (`system/supervisor.rs`), a process of its own. Whatever ends the
//! run, and if pathsmith itself is killed, the supervisor ends everything that descends from the
//! process, also what has moved to another group or session.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

mod session;
mod system;
mod threads;
mod waiting;

pub use session::{Answer, Session};

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
        let mut folder_seen = Instant::now();
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
            } else if folder_seen.elapsed() > FOLDER_TICK {
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
mod tests {
    use std::process::{Child, Command, Stdio};

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

    /// Nothing of what a process has started is there when its run is over: neither what holds on
    /// to its output, nor what has moved to another session and was orphaned, nor what has cleared
    /// its environment, nor what has a child that does all of this.
    #[test]
    fn what_it_has_started_ends_too() {
        let scripts = [
            "sleep 1000 & echo $!",
            "(setsid sh -c 'echo $$; exec sleep 1000' &)",
            "(setsid env -i sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' &)",
            "setsid sh -c '(setsid sh -c \"sleep 1000 & echo \\$!; wait\" & echo $!); sleep 1000'",
            "for i in 1 2 3 4 5 6 7 8; do (setsid sh -c 'trap \"\" TERM HUP; echo $$; sleep 1000' &); done",
        ];
        for script in scripts {
            for wait in ["sleep 0.2", "sleep 1000"] {
                let limits = ProcessLimits { time: Duration::from_secs(1), ..limits() };
                let (ended, _) = shell(&format!("{script}; {wait}"), &limits);
                let said = String::from_utf8(ended.stdout).unwrap();
                assert!(!said.is_empty(), "{script}: nothing was started");
                for process in said.split_whitespace() {
                    let is_there = Path::new("/proc").join(process).exists();
                    assert!(!is_there, "{script}: process {process} is still there");
                }
            }
        }
    }

    /// A process that stops or kills its supervisor gains nothing.
    #[test]
    fn supervisors_can_be_attacked() {
        let limits = ProcessLimits { time: Duration::from_secs(1), ..limits() };
        for signal in ["STOP", "KILL", "TERM", "INT"] {
            let script = format!("(setsid sleep 1000 & echo $!); kill -{signal} $PPID; sleep 1000");
            let (ended, _) = shell(&script, &limits);
            assert!(!ended.end.is_success(), "{signal}");
            let child = String::from_utf8(ended.stdout).unwrap();
            let deadline = Instant::now() + Duration::from_secs(20);
            while Path::new("/proc").join(child.trim()).exists() {
                assert!(Instant::now() < deadline, "{signal}: {child} is still there");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Threads do not end each other's processes.
    #[test]
    fn runs_are_apart() {
        std::thread::scope(|scope| {
            for n in 0..8 {
                scope.spawn(move || {
                    for _ in 0..20 {
                        let script = format!("(sleep 0.02; echo {n}) & wait");
                        let (ended, _) = shell(&script, &limits());
                        assert_eq!(ended.stdout, format!("{n}\n").as_bytes());
                        assert!(ended.end.is_success());
                    }
                });
            }
        });
    }

    #[test]
    fn arguments_and_scripts_arrive() {
        let dir = tempfile::tempdir().unwrap();
        let line = CommandLine::new("printf", dir.path()).args(["%s|", "a b", "", "$(x)\n"]);
        assert_eq!(line.run(&limits(), &Stop::new()).unwrap().stdout, b"a b||$(x)\n|");
        use std::os::unix::fs::OpenOptionsExt;
        let run_script = |name: &str, text: &[u8]| {
            let mut script = File::options();
            let script = script.create_new(true).write(true).mode(0o755);
            let script = script.open(dir.path().join(name));
            io::Write::write_all(&mut script.unwrap(), text).unwrap();
            let line = CommandLine::new(format!("./{name}"), dir.path()).arg("1");
            line.run(&limits(), &Stop::new())
        };
        let ended = run_script("script", b"#!/bin/sh\necho $0 $1 $TMPDIR\n").unwrap();
        let expected = format!("./script 1 {}\n", dir.path().display());
        assert_eq!(String::from_utf8(ended.stdout).unwrap(), expected);
        // Without `#!`, it may be a program for another machine: no shell tries to run it.
        let no_format = run_script("unknown", b"echo $0 $1\n").unwrap_err();
        assert_eq!(no_format.raw_os_error(), Some(libc::ENOEXEC));
        let nul = CommandLine::new("echo", dir.path()).arg("a\0b").run(&limits(), &Stop::new());
        assert_eq!(nul.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let no_folder = CommandLine::new("echo", "/no/such/folder").run(&limits(), &Stop::new());
        assert_eq!(no_folder.unwrap_err().kind(), io::ErrorKind::NotFound);
        let no_program = CommandLine::new(dir.path(), dir.path()).run(&limits(), &Stop::new());
        assert_eq!(no_program.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }

    /// How long it takes to run a program that does nothing. For people:
    /// `cargo test --release -p pathsmith-oracles -- --ignored --nocapture starting_takes`.
    #[test]
    #[ignore = "measures, and checks nothing"]
    #[expect(clippy::print_stderr, reason = "this is what it is for")]
    fn starting_takes() {
        let line = CommandLine::new("/bin/true", "/");
        let limits = ProcessLimits { files: None, ..limits() };
        // The first run forks the spawner; a campaign has more memory only later.
        assert!(line.run(&limits, &Stop::new()).unwrap().end.is_success());
        let memory = vec![1_u8; 100 << 20];
        for _ in 0..3 {
            let begun = Instant::now();
            for _ in 0..1000 {
                assert!(line.run(&limits, &Stop::new()).unwrap().end.is_success());
            }
            eprintln!("{:?} each", begun.elapsed() / 1000);
        }
        assert_eq!(memory[5000], 1);
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

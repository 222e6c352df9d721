//! A process that is asked many questions.
//!
//! It reads a line for each question from its standard input, and answers with lines on its
//! standard output. It may die, hang or print anything at any time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::{
    CommandLine, FOLDER_TICK, MEMORY_TICK, MOST_PATIENCE, ProcessLimits, Reached, Started, Stop,
    Supervised, TICK, fd_of, folder_size, memory, read_some, system, threads,
};

/// The longest line, and the most of its standard error, that is kept.
const MAX_KEPT: usize = 1 << 16;

/// What the process of a session may take, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// The memory that it and all that it has started hold at once. What they reserve does not
    /// count: virtual machines reserve more than there is.
    pub memory: u64,
    /// What the files in its folder grow by while it is asked.
    pub files: u64,
}

/// A process that answers.
#[derive(Debug)]
pub struct Session {
    process: Supervised,
    stdin: PipeWriter,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    /// What was read. The first so many bytes have been returned.
    read: Vec<u8>,
    n_returned: usize,
    said: Vec<u8>,
    folder: PathBuf,
    limits: SessionLimits,
    has_ended: bool,
    /// When its memory and its folder were looked at.
    memory_seen: Instant,
    folder_seen: Instant,
    /// The size of its folder when it was asked last. Others may use the folder in between.
    folder_before: u64,
    /// When it was asked last.
    asked: Instant,
    /// How long its threads had waited for a CPU soon after that, once that was measured.
    waited: Option<BTreeMap<OsString, Duration>>,
}

/// What comes from the process next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A line, without its end.
    Line(String),
    /// Nothing more: it has closed its output, or it has died.
    Closed,
    /// Nothing in time.
    Late,
    /// A line that does not end.
    Endless,
    /// It takes more than it may.
    Exceeded(Reached),
    /// A stop was requested.
    Stopped,
}

impl Session {
    /// Starts a process. The caller limits its time by waiting for answers.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(line: &CommandLine, limits: SessionLimits) -> io::Result<Self> {
        let unlimited = ProcessLimits {
            time: Duration::from_secs(u64::from(u32::MAX)),
            memory: None,
            resident: None,
            output: u64::MAX,
            files: None,
        };
        let (their_stdin, stdin) = io::pipe()?;
        let Started { process, stdout, stderr } =
            line.start(&unlimited, their_stdin.as_fd(), &[])?;
        let now = Instant::now();
        Ok(Self {
            process,
            stdin,
            stdout: Some(stdout),
            stderr: Some(stderr),
            read: Vec::new(),
            n_returned: 0,
            said: Vec::new(),
            folder: line.dir.clone(),
            limits,
            has_ended: false,
            memory_seen: now,
            folder_seen: now,
            folder_before: folder_size(&line.dir),
            asked: now,
            waited: None,
        })
    }

    /// The folder that it works in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of its threads, and the CPU time of each so far.
    pub fn thread_times(&self) -> Vec<(String, Duration)> {
        threads::thread_times(self.process.id())
    }

    /// Asks a question. It has to be short: what a pipe takes at once.
    ///
    /// # Errors
    /// If the process does not read any more.
    pub fn ask(&mut self, question: &str) -> io::Result<()> {
        (self.asked, self.waited) = (Instant::now(), None);
        self.folder_before = folder_size(&self.folder);
        self.stdin.write_all(format!("{question}\n").as_bytes())?;
        self.stdin.flush()
    }

    /// Waits for the next line until `deadline`, and as much longer as the process had to wait for
    /// a CPU since it was asked: a busy machine says nothing about an engine.
    pub fn answer(&mut self, deadline: Instant, stop: &Stop) -> Answer {
        loop {
            let unread = &self.read[self.n_returned..];
            if let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
                self.n_returned += end + 1;
                return Answer::Line(String::from_utf8_lossy(&unread[..end]).into_owned());
            }
            if unread.len() > MAX_KEPT {
                return Answer::Endless;
            }
            self.read.drain(..self.n_returned);
            self.n_returned = 0;
            if self.stdout.is_none() {
                return Answer::Closed;
            }
            if stop.is_raised() {
                return Answer::Stopped;
            }
            if let Some(reached) = self.exceeded() {
                return Answer::Exceeded(reached);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() && self.is_late(deadline) {
                return Answer::Late;
            }
            let wait = left.clamp(Duration::from_millis(1), TICK);
            let fds = [fd_of(self.stdout.as_ref()), fd_of(self.stderr.as_ref())];
            let [out, err] = system::poll(fds, wait);
            if !out && !err && self.waited.is_none() {
                self.waited = Some(threads::waiting_times(self.process.id()));
            }
            if out && !read_some(self.stdout.as_mut(), &mut self.read) {
                self.stdout = None;
            }
            if err && !read_some(self.stderr.as_mut(), &mut self.said) {
                self.stderr = None;
            }
            self.said.truncate(MAX_KEPT);
        }
    }

    /// The limit that it exceeds. It is looked at now and then only.
    fn exceeded(&mut self) -> Option<Reached> {
        if self.memory_seen.elapsed() > MEMORY_TICK {
            self.memory_seen = Instant::now();
            if memory::is_exceeded(self.process.watched(), self.limits.memory) {
                return Some(Reached::Memory);
            }
        }
        if self.folder_seen.elapsed() > FOLDER_TICK {
            self.folder_seen = Instant::now();
            if folder_size(&self.folder) > self.folder_before.saturating_add(self.limits.files) {
                return Some(Reached::Files);
            }
        }
        None
    }

    /// Whether `deadline` has passed, not counting the time of the thread that waited longest for a
    /// CPU.
    fn is_late(&self, deadline: Instant) -> bool {
        let Some(before) = &self.waited else { return true };
        let waits =
            threads::waiting_times(self.process.id()).into_iter().map(|(thread, waited)| {
                waited.saturating_sub(before.get(&thread).copied().unwrap_or_default())
            });
        let limit = deadline.saturating_duration_since(self.asked);
        let more = waits.max().unwrap_or_default().min((MOST_PATIENCE - 1) * limit);
        Instant::now() > deadline + more
    }

    /// Ends it. Returns how it ended, what it has written to standard error, and its CPU time.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn end(mut self) -> io::Result<(ExitStatus, String, Duration)> {
        // A process that is dying gets a moment to do so by itself: its signal is evidence.
        let patience = Instant::now() + Duration::from_millis(500);
        while self.stdout.is_none() && !self.process.has_ended() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
        while read_ready(self.stderr.as_mut(), &mut self.said) {}
        self.has_ended = true;
        let (status, cpu) = self.process.end()?;
        Ok((status, String::from_utf8_lossy(&self.said).into_owned(), cpu))
    }
}

/// Reads what is there without waiting; true if there may be more.
fn read_ready(from: Option<&mut PipeReader>, into: &mut Vec<u8>) -> bool {
    let Some(from) = from else { return false };
    let [is_ready] = system::poll([fd_of(Some(&*from))], Duration::ZERO);
    is_ready && into.len() < MAX_KEPT && read_some(Some(from), into)
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = self.process.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;
    use crate::process::tests::on_a_busy_machine;

    fn session(script: &str) -> Session {
        let line = CommandLine::new("sh", ".").args(["-c", script]);
        Session::start(&line, SessionLimits { memory: 1 << 30, files: 1 << 30 }).expect("a shell")
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn what_takes_more_than_it_may_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let endless = |script: &str| {
            let line = CommandLine::new("sh", dir.path()).args(["-c", script]);
            let limits = SessionLimits { memory: 64 << 20, files: 1 << 20 };
            Session::start(&line, limits).expect("a shell").answer(soon(), &Stop::new())
        };
        let text = "x=$(head -c 1000000 /dev/zero | tr '\\0' x); while :; do x=$x$x; done";
        assert_eq!(endless(text), Answer::Exceeded(Reached::Memory));
        // A wrapper holds little.
        let wrapped = format!("sh -c '{}' & wait", text.replace('\'', "'\\''"));
        assert_eq!(endless(&wrapped), Answer::Exceeded(Reached::Memory));
        let files = "while :; do head -c 100000 /dev/zero >> file; done";
        assert_eq!(endless(files), Answer::Exceeded(Reached::Files));
        // A limit that is not reached is none.
        assert_eq!(endless("echo fine"), Answer::Line("fine".to_owned()));
    }

    #[test]
    fn questions_are_answered_one_after_the_other() {
        let mut session = session("while read x; do echo \"got $x\"; echo done; done");
        let stop = Stop::new();
        for question in ["a", "b"] {
            session.ask(question).unwrap();
            assert_eq!(session.answer(soon(), &stop), Answer::Line(format!("got {question}")));
            assert_eq!(session.answer(soon(), &stop), Answer::Line("done".to_owned()));
        }
    }

    /// What needs 0.1 s of CPU time answers within 0.3 s, not counting what it waits while
    /// the machine has other things to do.
    #[test]
    fn waiting_for_a_cpu_does_not_count() {
        let count = "while read n; do i=0; while [ $i -lt $n ]; do i=$((i+1)); done; echo $i; done";
        let mut session = session(count);
        let answer = on_a_busy_machine(|| {
            session.ask("60000").unwrap();
            session.answer(Instant::now() + Duration::from_millis(300), &Stop::new())
        });
        let (_, _, cpu) = session.end().unwrap();
        // On a machine that is too slow, it has had its time.
        let had_its_time = cpu >= Duration::from_millis(250);
        assert!(answer == Answer::Line("60000".to_owned()) || had_its_time, "{answer:?} {cpu:?}");
    }

    #[test]
    fn what_it_has_started_ends_too() {
        for is_dropped in [true, false] {
            let script = "(setsid env -i sh -c 'echo $$; exec sleep 1000' &); read x";
            let mut session = session(script);
            let Answer::Line(stray) = session.answer(soon(), &Stop::new()) else { panic!() };
            match is_dropped {
                true => drop(session),
                false => drop(session.end().unwrap()),
            }
            assert!(!Path::new("/proc").join(&stray).exists(), "{stray}");
        }
    }

    #[test]
    fn silence_death_and_noise_are_distinguished() {
        let stop = Stop::new();
        let now = Instant::now() + Duration::from_millis(100);
        assert_eq!(session("sleep 100").answer(now, &stop), Answer::Late);
        assert_eq!(session("yes | tr -d '\\n'").answer(soon(), &stop), Answer::Endless);
        let mut dying = session("echo oops >&2; kill -SEGV $$");
        assert_eq!(dying.answer(soon(), &stop), Answer::Closed);
        let (status, said, _) = dying.end().unwrap();
        assert_eq!((status.signal(), &said[..]), (Some(libc::SIGSEGV), "oops\n"));
    }
}

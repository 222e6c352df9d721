//! Real processes, within limits and beyond them.

use std::fs::File;
use std::process::{Child, Command, Stdio};

use super::*;

fn limits() -> ProcessLimits {
    ProcessLimits {
        time: Duration::from_secs(20),
        memory: Some(1 << 30),
        resident: Some(1 << 30),
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

//! Hostile targets, and folders that others have made: nothing is left behind, and nothing is run
//! that no one has asked for.

#![allow(clippy::print_stderr, reason = "tests say what they skip")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::workshop::{WRONG, Workshop, edit};
use support::{Run, root};

/// Starts a process that no one waits for, in a session of its own and without its environment,
/// and writes down its number.
const STRAY: &str = "(setsid env -i PATH=\"$PATH\" here=\"$here\" sh -c 'echo $$ >> \"$here/strays\"; exec sleep 1000' \
     >/dev/null 2>&1 </dev/null &)";

fn strays(workshop: &Workshop) -> BTreeSet<u32> {
    let text = fs::read_to_string(workshop.dir.path().join("strays")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// The processes that descend from one, as far as they are not orphaned.
fn descendants(process: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
            found.insert(child);
            found.extend(descendants(child));
        }
    }
    found
}

fn is_there(process: &u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z")
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Kills pathsmith with SIGKILL while a compiler hangs that has started something.
fn kill_in_the_middle(workshop: &Workshop, act: impl Fn(&mut Child)) {
    let mut child = workshop
        .command("8", &[])
        .args(["--set", "limits.compile_time=1000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("the binary starts");
    wait_until("a compiler", || strays(workshop).iter().any(is_there));
    let all: BTreeSet<u32> = &descendants(child.id()) | &strays(workshop);
    assert!(all.len() >= 4, "a spawner, a supervisor, a compiler, a stray: {all:?}");
    act(&mut child);
    child.wait().expect("it ends");
    wait_until("the end of all processes", || !all.iter().any(is_there));
}

#[test]
fn a_killed_pathsmith_leaves_no_process_behind() {
    let workshop = Workshop::new(&format!("{STRAY}\nsleep 1000"));
    kill_in_the_middle(&workshop, |child| child.kill().expect("it runs"));
}

/// What is killed as a group does not take the supervisors with it.
#[test]
fn neither_does_a_killed_group() {
    let workshop = Workshop::new(&format!("{STRAY}\nsleep 1000"));
    kill_in_the_middle(&workshop, |child| {
        let group = format!("-{}", child.id());
        let kill = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(kill.expect("kill").success());
    });
}

/// A campaign in another PID namespace does not see the processes of this one, and leaves their
/// folders alone. What a killed one has left is removed by the next.
#[test]
fn scratch_folders_are_held_across_namespaces() {
    const UNSHARE: [&str; 3] = ["-p", "-f", "--mount-proc"];
    let is_allowed = Command::new("unshare").args(UNSHARE).arg("true").output();
    if !is_allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user cannot make PID namespaces");
        return;
    }
    let workshop = Workshop::new(&format!("{STRAY}\nsleep 1000"));
    let folder = workshop.dir.path().join("tmp");
    let names = || -> BTreeSet<_> {
        let entries = fs::read_dir(&folder).expect("a folder").flatten();
        entries.map(|entry| entry.file_name()).collect()
    };
    let fuzz_elsewhere = || {
        let other = Workshop::new(":");
        let fuzz = other.command("1", &[]);
        let mut command = Command::new("unshare");
        command.args(UNSHARE).arg(fuzz.get_program()).args(fuzz.get_args()).current_dir(root());
        let output = command.env("TMPDIR", &folder).output().expect("unshare");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    kill_in_the_middle(&workshop, |child| {
        let before = names();
        assert!(!before.is_empty());
        fuzz_elsewhere();
        assert_eq!(names(), before);
        child.kill().expect("it runs");
    });
    assert!(!names().is_empty(), "it had no time to clean up");
    fuzz_elsewhere();
    assert_eq!(names(), BTreeSet::new());
}

#[test]
fn a_run_leaves_no_process_behind() {
    let workshop = Workshop::new(STRAY);
    let run = workshop.fuzz("8", &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let strays = strays(&workshop);
    assert!(!strays.is_empty(), "the compiler has started nothing");
    assert_eq!(strays.iter().filter(|stray| is_there(stray)).count(), 0, "{strays:?}");
}

/// A workshop with one finding, whose compiler writes down that it was run.
struct Shared {
    workshop: Workshop,
    state: PathBuf,
}

impl Shared {
    fn new() -> Self {
        let workshop = Workshop::new(&format!("echo run >> \"$here/runs\"\n{}", edit(WRONG)));
        let state = workshop.dir.path().join("state");
        let shared = Self { workshop, state };
        let mut command = shared.workshop.command("8", &["--set", "campaign.reduce=false"]);
        let run = shared.run_in(&mut command, &shared.state);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(!run.stderr.contains("--trust"), "{}", run.stderr);
        shared
    }

    fn run_in(&self, command: &mut Command, state: &Path) -> Run {
        let output = command.env("XDG_STATE_HOME", state).output().expect("the binary runs");
        Run {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    fn pathsmith(&self, args: &[&str], folder: &Path) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        command.args(args).arg(folder).current_dir(root());
        command.env("TMPDIR", self.workshop.dir.path().join("tmp"));
        self.run_in(&mut command, &self.state)
    }

    fn n_runs(&self) -> usize {
        let text = fs::read_to_string(self.workshop.dir.path().join("runs")).unwrap_or_default();
        text.lines().count()
    }

    /// The same campaign, as someone else has sent it.
    fn copied(&self, name: &str) -> PathBuf {
        let copy = self.workshop.dir.path().join(name);
        let mut copying = Command::new("cp");
        copying.arg("-r").arg(self.workshop.findings()).arg(&copy);
        assert!(copying.status().expect("cp").success());
        copy
    }
}

const COMMANDS: [&[&str]; 4] =
    [&["replay"], &["triage"], &["reduce", "--jobs", "1"], &["fuzz", "--time", "1s", "--resume"]];

#[test]
fn what_others_have_made_is_not_run() {
    let shared = Shared::new();
    let own = shared.pathsmith(&["replay"], &shared.workshop.findings());
    assert_eq!(own.code, 1, "{}", own.stderr);
    for (n, args) in COMMANDS.iter().enumerate() {
        let copy = shared.copied(&format!("copy{n}"));
        let n_runs = shared.n_runs();
        let run = shared.pathsmith(args, &copy);
        run.fails(2, &["was not made here", "/faulty", "-O1", "--trust"]);
        assert_eq!(shared.n_runs(), n_runs, "{args:?} ran something");
        // It is asked for once.
        let trusted = [&args[..1], &["--trust"], &args[1..]].concat();
        let run = shared.pathsmith(&trusted, &copy);
        assert!(run.code <= 1, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("/faulty"), "{}", run.stderr);
        let run = shared.pathsmith(args, &copy);
        assert!(run.code <= 1, "{args:?}: {}", run.stderr);
        assert!(!run.stderr.contains("/faulty -O1"), "{}", run.stderr);
    }
}

/// What is harmless hides nothing: all commands are listed, also the last.
#[test]
fn all_that_would_be_run_is_listed() {
    let targets: Vec<String> =
        (10..40).map(|n| format!("{{name = 't{n}', command = '/nowhere/t{n}'}}")).collect();
    let targets = format!("c.targets=[{}]", targets.join(", "));
    let workshop = Workshop::new(&edit(WRONG));
    let run = workshop.fuzz("8", &["--set", "campaign.reduce=false", "--set", &targets]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
    command.arg("triage").arg(workshop.findings()).env("XDG_STATE_HOME", "/dev/null/nowhere");
    let said = String::from_utf8(command.output().expect("the binary runs").stderr).expect("text");
    for n in 10..40 {
        assert!(said.contains(&format!("/nowhere/t{n}")), "{n}: {said}");
    }
}

/// A campaign that is not trusted is not even opened for writing.
#[test]
fn what_is_not_trusted_is_only_read() {
    let shared = Shared::new();
    let copy = shared.copied("copy");
    let finding = shared.workshop.finding();
    let finding = copy.join(finding.file_name().expect("a name"));
    fs::remove_file(copy.join("lock")).expect("a file");
    for (args, folder) in [
        (&["triage"][..], &copy),
        (&["reduce", "--jobs", "1"], &copy),
        (&["reduce", "--jobs", "1"], &finding),
    ] {
        shared.pathsmith(args, folder).fails(2, &["was not made here"]);
        assert!(!copy.join("lock").exists(), "{args:?}");
    }
}

/// Without a folder for state, campaigns run, and say that --trust is needed later.
#[test]
fn without_a_home_trust_is_asked_for() {
    let workshop = Workshop::new(&edit(WRONG));
    let nowhere = "/dev/null/nowhere";
    let mut command = workshop.command("8", &["--set", "campaign.reduce=false"]);
    let output = command.env("XDG_STATE_HOME", nowhere).output().expect("the binary runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("need --trust") && said.contains(nowhere), "{said}");
    for (more, code) in [(None, 2), (Some("--trust"), 1)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        command.arg("replay").args(more).arg(workshop.findings()).env("XDG_STATE_HOME", nowhere);
        let output = command.output().expect("the binary runs");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{said}");
    }
}

/// Names in a database lead nowhere, whoever has written it.
#[test]
fn names_in_a_database_lead_nowhere() {
    let shared = Shared::new();
    let outside = shared.workshop.dir.path().join("outside");
    let escape = "\x1b[2J";
    // So that there is something to reduce.
    shared.pathsmith(&["triage"], &shared.workshop.findings()).ok();
    for name in ["../outside", outside.to_str().expect("text"), "", ".", "..", escape] {
        let findings = shared.workshop.findings();
        let database = rusqlite::Connection::open(findings.join("campaign.db")).expect("a store");
        database.execute("UPDATE findings SET name = ?1", [name]).expect("a finding");
        drop(database);
        for args in COMMANDS {
            let run = shared.pathsmith(args, &findings);
            assert!(!run.stderr.contains(escape), "{:?}", run.stderr);
            run.fails(3, &["campaign.db is damaged", "the name"]);
        }
        assert!(!outside.exists(), "{name}");
    }
}

/// Nothing is written through links in a campaign's folder.
#[test]
fn links_are_not_written_through() {
    let shared = Shared::new();
    let outside = shared.workshop.dir.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    let folder = shared.workshop.finding();
    fs::remove_dir_all(&folder).expect("a finding");
    std::os::unix::fs::symlink(&outside, &folder).expect("a link");
    let findings = shared.workshop.findings();
    let report = findings.join("report");
    std::os::unix::fs::symlink(&outside, &report).expect("a link");
    shared.pathsmith(&["triage"], &findings).ok();
    for args in [&["reduce", "--jobs", "1"][..], &["fuzz", "--time", "1s", "--resume"]] {
        shared.pathsmith(args, &findings).fails(4, &["symbolic link"]);
    }
    shared.pathsmith(&["report"], &findings).fails(3, &["symbolic link"]);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
}

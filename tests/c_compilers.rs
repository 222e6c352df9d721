//! Testing C compilers: real ones, and ones that are faulty on purpose.
//!
//! A faulty compiler is a script around the real one. It does something wrong wherever a function
//! of a certain name is compiled, so a test can ask that exactly this function is blamed.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::tools::{OWN_COMPILER, skip};
use support::workshop::{ANY, WRONG, Workshop, edit, edit_all};
use support::{Run, pathsmith, root, state};

/// Runs a faulty compiler and asks for exactly one finding, with `verdict`, about the guilty
/// function, that its own script shows, and that is not there with the real compiler.
#[track_caller]
fn check(fault: &str, verdict: &str, evidence: &str) {
    let workshop = Workshop::new(fault);
    let run = workshop.fuzz("8", &[]);
    let expected = if verdict.contains("bug of pathsmith") { 6 } else { 1 };
    assert_eq!(run.code, expected, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(&format!("{verdict}: faulty -O1: ")), "{}", run.stdout);
    let folder = workshop.finding();
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with("f5-faulty-O1-"), "{name}");
    let text = fs::read_to_string(folder.join("finding.txt")).expect("a text");
    assert!(text.contains(evidence), "{text}");
    let program = fs::read_to_string(folder.join("program.sym")).expect("a program");
    assert!(program.contains("fn f5("), "{program}");
    assert_eq!(pathsmith(&["check", &folder.join("program.sym").to_string_lossy()]).code, 0);
    let script = |compiler: Option<&str>| {
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "5", "sh"]).arg(folder.join("repro.sh"));
        if let Some(compiler) = compiler {
            command.env("CC", compiler);
        }
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.expect("a shell").success()
    };
    assert!(script(Some("gcc")), "the script blames a compiler that is right");
    assert!(!script(None), "the script does not show it");
}

#[test]
fn a_wrong_constant_is_a_wrong_output() {
    check(&edit(WRONG), "wrong code: wrong result", "expected: ");
}

/// A function is blamed by the program that it is in. What some of them return is not seen in what
/// the program does.
#[test]
fn a_wrong_callee_is_found_in_its_program() {
    let callees = "f[0-9]*_1";
    let workshop = Workshop::against(callees, &edit_all(callees, WRONG));
    let whole = ["--set", "generate.link.share=1.0", "--set", "generate.link.functions=3"];
    let run = workshop.fuzz("8", &whole);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("wrong code: wrong result: faulty -O1: f"), "{}", run.stdout);
    for folder in workshop.all_findings() {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let entry = name.split('-').next().expect("a number");
        let program = folder.join("program.sym");
        let text = fs::read_to_string(&program).expect("a program");
        assert!(text.contains(&format!("main {entry};")), "{text}");
        assert!(text.contains(&format!("fn {entry}_1(")), "{text}");
        assert_eq!(text.matches("realize ").count(), 1, "{text}");
        assert_eq!(pathsmith(&["check", &program.to_string_lossy()]).code, 0);
    }
}

#[test]
fn a_program_that_traps_has_crashed() {
    check(
        &edit("s/^{$/{ __builtin_trap();/"),
        "wrong code: the compiled program crashed",
        "signal 4",
    );
}

/// Wrong code can come to anything, and then the harness has no say any more. All calls together
/// have a limit that does not grow with that of a run.
#[test]
fn a_program_that_stops_the_clock_has_hung() {
    let fault = edit(
        "s/^{$/{ extern int setitimer(int, const void *, void *); \
         for (;;) setitimer(1, (long[4]){0, 0, 60, 0}, 0);/",
    );
    let workshop = Workshop::new(&fault);
    let run =
        workshop.fuzz("8", &["--set", "limits.run_time=3600", "--set", "campaign.triage=false"]);
    assert!(
        run.stdout.contains("wrong code: hang: faulty -O1: f5("),
        "{}\n{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn a_program_that_never_ends_has_hung() {
    let fault = edit("s/^{$/{ volatile int on = 1; while (on) {}/");
    check(&fault, "wrong code: hang", "no end after");
}

#[test]
fn a_program_that_prints_megabytes_has_hung() {
    let line = "int printf(const char *, ...); for (;;) printf(\"%0999d\\\\n\", 1);";
    check(&edit(&format!("s/^{{$/{{ {line}/")), "wrong code: hang", "output limit reached");
}

#[test]
fn a_compiler_that_crashes() {
    check("kill -SEGV $$", "compiler crash", "signal 11");
    check("echo 'internal compiler error: in x' >&2; exit 1", "compiler crash", "in x");
}

#[test]
fn a_compiler_that_hangs() {
    check("sleep 1000", "compiler timeout", "time limit reached");
}

#[test]
fn a_compiler_that_prints_megabytes() {
    check("yes >&2", "compiler timeout", "output limit reached");
}

#[test]
fn a_compiler_that_fills_the_disk() {
    check("yes > big; exit 1", "compiler timeout", "limit on file size reached");
}

#[test]
fn a_compiler_that_makes_nothing() {
    check("exit 0", "compiler crash", "it succeeded without a product");
}

/// Programs that claim nothing are compiled, and that is all.
#[test]
fn crash_only_looks_for_crashes_and_nothing_else() {
    for (fault, verdict) in [
        ("kill -SEGV $$", "compiler crash"),
        ("echo 'internal compiler error: in x' >&2; exit 1", "compiler crash"),
        ("sleep 1000", "compiler timeout"),
    ] {
        let workshop = Workshop::new(fault);
        let run = workshop.fuzz("8", &["--crash-only"]);
        assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(&format!("{verdict}: faulty -O1: ")), "{}", run.stdout);
        let program = fs::read_to_string(workshop.finding().join("program.sym"));
        let program = program.expect("a program");
        assert!(program.contains("/// crash only, nothing is claimed; broken: "), "{program}");
        assert!(program.contains("fn f5(") && !program.contains("realize "), "{program}");
        let script = |compiler: &str| {
            let mut command = Command::new("timeout");
            command.args(["-k", "1", "5", "sh"]).arg(workshop.finding().join("repro.sh"));
            command.env("CC", compiler).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().expect("a shell").success()
        };
        assert!(script("gcc") && !script(&workshop.dir.path().join("faulty").to_string_lossy()));
    }
    // Wrong code, and code that hangs or crashes, is nothing to it.
    for fault in [WRONG, "s/^{$/{ __builtin_trap();/"] {
        let workshop = Workshop::against(ANY, &edit_all(ANY, fault));
        let run = workshop.fuzz("8", &["--crash-only"]);
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(" 0 realizations checked"), "{}", run.stderr);
    }
}

/// With link-time optimization, linking is compiling.
#[test]
fn crash_only_knows_of_link_time_optimization() {
    let fault = "case \" $* \" in *' -c '*) ;; *) kill -SEGV $$;; esac";
    let linker =
        "case \" $* \" in *harness.o*) grep -q ' f5(' *.c && kill -SEGV $$;; esac\nexec gcc";
    let workshop = Workshop::new(fault);
    let faulty = workshop.dir.path().join("faulty");
    let script = fs::read_to_string(&faulty).expect("a script");
    fs::write(&faulty, script.replace("exec gcc", linker)).expect("a script");
    assert_eq!(workshop.fuzz("8", &["--crash-only"]).code, 0);
    fs::remove_dir_all(workshop.findings()).expect("a folder");
    let lto = ["--crash-only", "--set", "c.lto=[\"-O1\"]", "--set", "c.levels=[]"];
    let run = workshop.fuzz("8", &lto);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("compiler crash: faulty -O1-flto: "), "{}", run.stdout);
}

/// All compilers of the machine take what they are given. With optimization, some would crash.
#[test]
fn crash_only_programs_are_accepted() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let args = [
        "fuzz",
        "c",
        "--set",
        "campaign.seed=0",
        "--crash-only",
        "--count",
        "60",
        "--dir",
        &findings,
    ];
    let more = ["--set", "c.random_settings=0", "--set", r#"c.levels=["-O0"]"#];
    let run = pathsmith(&[&args[..], &more].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let jvm = pathsmith(&[
        "fuzz",
        "jvm",
        "--set",
        "campaign.seed=0",
        "--crash-only",
        "--count",
        "1",
        "--dir",
        &findings,
    ]);
    jvm.fails(2, &["crash-only programs do not run, but jvm needs runs"]);
    pathsmith(&["fuzz", "c", "--crash-only", "--sanitize"]).fails(2, &["--sanitize"]);
}

#[test]
fn a_refusal_is_our_own_bug_until_shown_otherwise() {
    let fault = "echo \"$file:1: error: not like this\" >&2; exit 1";
    check(fault, "compile error (probably a bug of pathsmith)", "not like this");
}

#[test]
fn what_is_seen_once_is_flaky_and_no_finding() {
    // Wrong every hundredth time, whatever is compiled.
    let fault = format!(
        "n=$(cat \"$here/n\" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > \"$here/n\"\n\
         if [ $n -eq 100 ]; then {}; fi",
        edit_all(ANY, WRONG)
    );
    let workshop = Workshop::against(ANY, &fault);
    let small = ["--set", "c.functions_per_file=1", "--set", "generate.graph.blocks=1"];
    let run = workshop.fuzz("105", &[&small[..], &["--set", r#"c.levels=["-O0"]"#]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("flaky: wrong code: wrong result: faulty -O0"), "{}", run.stderr);
    assert_eq!(workshop.all_findings().len(), 0);
}

/// A small campaign of all lowering options, with further folders on PATH.
fn swarm(folders: &[&Path], more: &[&str]) -> Run {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
    command.args(["fuzz", "c", "--swarm", "--dir"]).arg(dir.path().join("findings")).args(more);
    let own = [
        "campaign.seed=0",
        "campaign.triage=false",
        "campaign.reduce=false",
        "c.random_settings=0",
        "generate.graph.switch_share=0.2",
    ];
    command.args(own.iter().flat_map(|setting| ["--set", setting]));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.iter().map(|folder| folder.to_path_buf());
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).expect("a PATH");
    let output =
        command.env("PATH", path).env("XDG_STATE_HOME", state()).output().expect("the binary runs");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

const UNOPTIMIZED: [&str; 2] = ["--set", r#"c.levels=["-O0"]"#];

/// All lowering options. The full-sized run of this is
/// `pathsmith fuzz c --swarm --count 10000 --set 'c.levels=["-O0"]' --set c.random_settings=0`.
#[test]
fn compilers_agree_without_optimization() {
    let more = ["--count", "60", "--targets", OWN_COMPILER];
    let run = swarm(&[], &[&UNOPTIMIZED[..], &more].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("60 cases"), "{}", run.stderr);
    assert!(!run.stderr.contains("flaky"), "{}", run.stderr);
}

/// The full-sized run of this is `pathsmith fuzz c --sanitize --swarm --count 5000`.
#[test]
fn sanitizers_have_nothing_to_object_to() {
    let run = swarm(&[], &["--sanitize", "--count", "20", "--targets", OWN_COMPILER]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// Whatever is installed, a compiler with a bug included. Sanitizers are asked of the own one only:
/// what a compiler gets wrong may look like undefined behaviour to them.
#[test]
fn compilers_that_are_found_may_have_bugs() {
    let workshop = Workshop::new(&edit("s/^{$/{ __builtin_trap();/")).calls_itself_gcc();
    let bin = workshop.dir.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    symlink(workshop.dir.path().join("faulty"), bin.join("gcc-99")).expect("a link");
    let run = swarm(&[&bin], &[&UNOPTIMIZED[..], &["--count", "12"]].concat());
    let expected = "wrong code: the compiled program crashed: gcc-99 -O0: ";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    run.blames_no_pathsmith_bug();
}

/// A program that is undefined is not ours, but if it were, the sanitizers would tell.
#[test]
fn a_sanitizer_that_objects_is_believed() {
    let fault = edit("s/^{$/{ volatile int most = 2147483647; most = most + 1;/");
    let workshop = Workshop::new(&fault);
    let run = workshop.fuzz("8", &["--sanitize", "--set", "limits.compile_time=60"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    let expected = "sanitizer error (possible pathsmith bug): faulty sanitizers: f5(";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    let text = fs::read_to_string(workshop.finding().join("finding.txt")).expect("a text");
    assert!(text.contains("signed integer overflow"), "{text}");
}

#[test]
fn an_interrupted_campaign_leaves_nothing_behind() {
    let workshop = Workshop::new("sleep 1000");
    let mut command = workshop.command("8", &["--set", "limits.compile_time=1000"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary runs");
    let tmp = workshop.dir.path().join("tmp");
    let deadline = Instant::now() + Duration::from_secs(60);
    // The sleeping compiler has been started once its folder is there.
    let is_asleep = || find(&tmp, "test.c");
    while !is_asleep() {
        assert!(Instant::now() < deadline, "nothing is compiled");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
    let started = Instant::now();
    let status = child.wait().expect("it ends");
    assert!(started.elapsed() < Duration::from_secs(20), "it took its time");
    assert_eq!(status.code(), Some(130));
    assert_eq!(fs::read_dir(&tmp).expect("a folder").count(), 0, "files are left");
    let marker = workshop.dir.path().to_string_lossy().into_owned();
    // What was killed may take a moment to be gone.
    let deadline = Instant::now() + Duration::from_secs(10);
    while is_running(&marker) {
        assert!(Instant::now() < deadline, "processes are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a file of that name is somewhere below `dir`.
fn find(dir: &Path, name: &str) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    entries.flatten().any(|entry| entry.file_name() == name || find(&entry.path(), name))
}

/// Whether a process has `marker` in its command line or works below it.
fn is_running(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    processes.into_iter().any(|process| {
        let works_there = fs::read_link(process.path().join("cwd"))
            .is_ok_and(|dir| dir.to_string_lossy().starts_with(marker));
        let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
        works_there || String::from_utf8_lossy(&command).contains(marker)
    })
}

#[test]
fn what_keeps_a_campaign_from_running_is_said() {
    let fuzz = |args: &[&str]| {
        pathsmith(&[&["fuzz", "c", "--set", "campaign.seed=0", "--count", "1"], args].concat())
    };
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let findings = path("findings");
    fuzz(&["--dir", &findings, "--targets", "no-such-compiler"])
        .fails(2, &["the target no-such-compiler cannot be used: there is no no-such-compiler"]);
    fuzz(&["--dir", "Cargo.toml/findings"]).fails(4, &["cannot write Cargo.toml/findings"]);
    fs::write(path("broken.toml"), "[c]\nlevels = [\n").expect("a file");
    fuzz(&["--dir", &findings, "--config", &path("broken.toml")])
        .fails(3, &["broken.toml", "line"]);
    fs::write(path("wrong.toml"), "[c]\nlevel = 3\n").expect("a file");
    fuzz(&["--dir", &findings, "--config", &path("wrong.toml")])
        .fails(3, &["wrong.toml", "unknown field `level`"]);
    fuzz(&["--dir", &findings, "--set", "c.style.structured=2.0"])
        .fails(2, &["in the section `c.style`: `structured` is 2"]);
    fuzz(&["--dir", &findings, "--set", "c.functions_per_file=0"])
        .fails(2, &["`functions_per_file` is 0"]);
    fuzz(&["--dir", &findings, "--time", "soon"]).fails(2, &["such as 90s, 5m, 2h or 1d"]);
}

/// A right, and not a tool that could be installed: so even a machine that is there to test may
/// skip what needs it.
const NO_DISK: &str = "this machine does not let us mount a file system";

/// The folder for findings is a small disk: what fits is kept, then the campaign ends; with more
/// room it resumes. The disk is seen by this one process only, and needs a right that not every
/// machine gives.
#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let workshop = Workshop::against(ANY, &edit_all(ANY, WRONG));
    fs::create_dir(workshop.findings()).expect("a folder");
    let inner = workshop.command("8", &[]);
    let disk = "mount -t tmpfs -o size=160k none \"$0\" || exit 77; \"$@\"; code=$?; \
                ls -A \"$0\"; mount -o remount,size=8m \"$0\"; \
                \"$1\" fuzz --resume \"$0\" > /dev/null 2>&1; echo; ls \"$0\"; exit $code";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", disk]).arg(workshop.findings());
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(root());
    let Ok(output) = command.output() else { return skip(NO_DISK, false) };
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || stderr.contains("unshare failed") {
        return skip(NO_DISK, false);
    }
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("No space left on device") || stderr.contains("no room"), "{stderr}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let n_reported = stdout.matches("wrong code: wrong result: ").count();
    let (reported, after) = stdout.split_once("\n\n").expect("two lists");
    let n_folders = |list: &str| list.lines().filter(|line| line.starts_with('f')).count();
    assert!(n_reported > 0 && n_folders(reported) == n_reported, "{stdout}");
    assert_eq!((n_folders(after), n_reported < 5), (5, true), "{stdout}");
}

/// Whatever the options, compilers have nothing to say at -Wall -Wextra.
#[test]
fn programs_compile_without_warnings() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let program = dir.path().join("program.sym").to_string_lossy().into_owned();
    let switches = ["--set", "graph.switch_share=0.2", "--swarm", "-o", &program];
    let leaves = ["gen", "--seed", "5", "--count", "12"];
    let whole = ["gen", "--seed", "5", "--count", "2", "--functions", "6"];
    for (seed, made) in [("1", &leaves[..]), ("2", &leaves), ("3", &whole), ("4", &whole)] {
        pathsmith(&[made, &switches].concat()).ok();
        let folder = dir.path().join(seed);
        let out = folder.to_string_lossy().into_owned();
        pathsmith(&["lower", &program, "--to", "c", "--choose", seed, "--dir", &out]).ok();
        for compiler in ["gcc", "clang", "clang-14"] {
            let mut command = Command::new(compiler);
            command.args(["-std=c17", "-O2", "-Wall", "-Wextra", "-Werror"]);
            let files = fs::read_dir(&folder).expect("a folder").flatten().map(|e| e.path());
            command.args(files.filter(|path| path.extension().is_some_and(|e| e == "c")));
            command.arg("-o").arg(folder.join("test"));
            let Ok(output) = command.arg("-lm").output() else { continue };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn targets_of_a_file_are_used() {
    let workshop = Workshop::new(":");
    let config = workshop.dir.path().join("fuzz.toml");
    let compiler = workshop.dir.path().join("faulty");
    let text = format!(
        "[c]\nlevels = []\nrandom_settings = 0\nextras = {{ odd = [\"-O1\", \"-fwrapv\"] }}\n\
         [[c.targets]]\nname = \"mine\"\ncommand = {:?}\n",
        compiler
    );
    fs::write(&config, text).expect("a file");
    let findings = workshop.findings();
    let run = pathsmith(&[
        "fuzz",
        "c",
        "--seed",
        "0",
        "--count",
        "2",
        "--config",
        &config.to_string_lossy(),
        "--dir",
        &findings.to_string_lossy(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("testing mine: faulty 1.0"), "{}", run.stderr);
}

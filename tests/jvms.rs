//! Testing JVMs: the one of this machine, and ones that are faulty on purpose.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmOptions, JvmStyle};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::jvm::{
    DEFAULT_WARMUP, HOST, HOST_FILE, HOST_SOURCE, JavaMachine, JvmFlagPool, JvmOracle, JvmSetting,
    JvmTarget, Warmup, lines_of_repro, request_for_repro, stress_flags,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, Report, TargetSpec, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use support::pathsmith;
use support::tools::{has_tool, skip_without, version_of};
use tempfile::TempDir;

/// The JVM of this machine, if it has one.
fn java() -> Option<JavaMachine> {
    let is_there = has_tool("java", &["-version"]);
    is_there
        .then(|| JavaMachine::new(&TargetSpec::new("java", "java"), &Stop::new()).expect("a JVM"))
}

/// The JVM of this machine, if it is HotSpot.
fn hotspot() -> Option<JavaMachine> {
    let machine = java()?;
    if !machine.is_hotspot {
        skip_without("HotSpot");
        return None;
    }
    Some(machine)
}

fn functions(n: u64, n_blocks: u32) -> Program {
    let mut program = Program { dialect: Some(Dialect::Jvm), ..Program::default() };
    let mut config = GenConfig::default();
    config.graph.blocks = n_blocks;
    for number in 0..n {
        let leaf = generate_leaf(&config, Dialect::Jvm, Seed::new(3), number);
        program.append(&leaf.expect("it is solved").program);
    }
    program
}

/// Three small functions.
fn example() -> JvmClasses {
    JvmBackend.lower(&functions(3, 4), &JvmOptions::default()).expect("classes")
}

fn setting(machine: &JavaMachine, name: &str) -> JvmTarget {
    let settings = JvmSetting::built_in(machine, DEFAULT_WARMUP);
    let setting = settings.into_iter().find(|setting| setting.name.name() == Some(name));
    JvmTarget { machine: machine.clone(), setting: setting.expect("a setting of that name") }
}

fn run(classes: &JvmClasses, target: &JvmTarget) -> Report {
    let mut oracle = JvmOracle::new(Stop::new()).expect("an oracle");
    let limits = Limits { compile_time: 20, run_time: 5, ..Limits::default() };
    oracle.run(classes, target, &limits).expect("a report")
}

/// The full-sized run of this is `pathsmith fuzz jvm --swarm --count 21000`.
#[test]
fn jvms_agree() {
    if java().is_none() {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let args = [
        "fuzz",
        "jvm",
        "--set",
        "campaign.seed=0",
        "--swarm",
        "--count",
        "40",
        "--jobs",
        "1",
        "--dir",
        &findings,
    ];
    let more = ["--targets", "java", "--set", "generate.graph.switch_share=0.2"];
    let run = pathsmith(&[&args[..], &more].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for setting in ["int", "c1", "c2", "comp", "tiered", "with random flags"] {
        let line = format!("java {setting}: ");
        assert!(run.stderr.contains(&line), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("infrastructure") && !run.stderr.contains("flaky"));
}

/// A JVM does not only load what is made, but compiles it: with the warmup of a campaign, all but a
/// few methods by C2, and loops in the middle of running.
#[test]
fn functions_get_compiled() {
    check_compiled("tiered", 95, 10);
}

/// Each way of warming up is one in which C2 compiles. Of 100 methods, measured: all, all, 76 (and
/// 186 loops that are running), and 87.
#[test]
fn functions_get_compiled_sooner_and_later() {
    check_compiled("c2-early", 95, 0);
    check_compiled("c2-late", 95, 0);
    check_compiled("c2-osr", 50, 100);
    check_compiled("tiered-late", 75, 10);
}

/// Runs functions in a setting, and asks that C2 compiles so many percent of them, and so many loops
/// that are running.
#[track_caller]
fn check_compiled(name: &str, percent: usize, n_loops: usize) {
    let Some(machine) = hotspot() else { return };
    let program = functions(100, GenConfig::default().graph.blocks);
    let options = JvmStyle::default().choose(&program, &mut Seed::new(1).rng());
    let classes = JvmBackend.lower(&program, &options).expect("classes");
    let mut target = setting(&machine, name);
    target.setting.flags.push("-XX:+PrintCompilation".to_owned());
    let dir = tempfile::tempdir().expect("a temporary folder");
    let steps = target.setting.warmup.steps(&classes);
    fs::write(dir.path().join("request.bin"), request_for_repro(&classes, &steps)).expect("a file");
    fs::write(dir.path().join(HOST_FILE), HOST).expect("a file");
    let mut java = Command::new("java")
        .args(target.args())
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("java starts");
    java.stdin.take().expect("a pipe").write_all(b"request.bin\n").expect("it reads");
    let output = java.wait_with_output().expect("java ends");
    let answers = String::from_utf8_lossy(&output.stdout);
    let last = lines_of_repro(&classes, &steps).pop().expect("a line");
    assert!(answers.trim_end().ends_with(&last), "{answers}");
    let log = String::from_utf8_lossy(&output.stderr);
    // With all tiers, a line says which one it is about.
    let has_tiers = !target.setting.flags.iter().any(|flag| flag == "-XX:-TieredCompilation");
    let mut by_c2 = BTreeSet::new();
    let mut n_osr = 0;
    for line in log.lines().filter(|line| line.contains("Program")) {
        // `812  77 % b  4  Program::f3 @ 10 (120 bytes)`
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| word.contains("::")) else { continue };
        let method = words[at].rsplit("::").next().unwrap_or_default();
        if (!has_tiers || words[at - 1] == "4") && !line.contains("made not entrant") {
            by_c2.insert(method);
            n_osr += usize::from(words[..at].contains(&"%"));
        }
    }
    let n_methods = classes.methods.len();
    let n_compiled = classes.methods.iter().filter(|(name, _)| by_c2.contains(&name[..])).count();
    assert!(n_compiled * 100 >= n_methods * percent, "{name}: {n_compiled} of {n_methods}\n{log}");
    assert!(n_osr >= n_loops, "{name}: {n_osr} loops\n{log}");
}

#[test]
fn every_setting_agrees_on_an_example() {
    let Some(machine) = java() else { return };
    let classes = example();
    for setting in JvmSetting::built_in(&machine, DEFAULT_WARMUP) {
        let report = run(&classes, &JvmTarget { machine: machine.clone(), setting });
        assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
        assert_eq!(report.n_checked as usize, classes.calls.len());
    }
}

/// Stress flags are there in the JVMs that people use from version 17 on.
#[test]
fn stressed_compilers_agree_on_an_example() {
    let Some(machine) = hotspot() else { return };
    let flags = stress_flags(&machine, &Stop::new()).expect("flags");
    if flags.is_empty() {
        skip_without("HotSpot 17 or later");
        return;
    }
    assert!(flags.contains(&"-XX:+StressGCM".to_owned()), "{flags:?}");
    let classes = example();
    for seed in [1, 2] {
        let setting = JvmSetting::stressed(&flags, DEFAULT_WARMUP, seed);
        let report = run(&classes, &JvmTarget { machine: machine.clone(), setting });
        assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
    }
}

/// Each program is run with one setting of each slot, and after some programs with the next one.
#[test]
fn settings_take_turns() {
    if hotspot().is_none() {
        return;
    }
    let fuzz = |args: &[&str]| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let findings = dir.path().join("findings").to_string_lossy().into_owned();
        let fixed = [
            "fuzz",
            "jvm",
            "--set",
            "campaign.seed=0",
            "--count",
            "8",
            "--dir",
            &findings,
            "--targets",
            "java",
        ];
        let small = ["--set", "jvm.functions_per_program=2", "--set", "generate.graph.blocks=3"];
        let turns =
            ["--set", "jvm.programs_per_random_setting=1", "--set", "jvm.random_settings=0"];
        let run = pathsmith(&[&fixed[..], &small, &turns, args].concat());
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
        run.stderr
    };
    let said = fuzz(&[]);
    for setting in ["c2", "c2-early", "c2-late", "c2-osr", "tiered", "tiered-late", "comp-c2"] {
        assert!(said.contains(&format!("java {setting}: ")), "{setting}: {said}");
    }
    let said = fuzz(&["--set", r#"jvm.settings=["c2-osr", "c2"]"#]);
    assert!(said.contains("java c2-osr: ") && said.contains("java c2: "), "{said}");
    assert!(!said.contains("java tiered: "), "{said}");
}

#[test]
fn random_flags_are_flags_that_the_jvm_takes() {
    let Some(machine) = hotspot() else { return };
    let pool = JvmFlagPool::new(&machine, &Stop::new()).expect("flags");
    assert!(pool.len() > 50, "{}", pool.len());
    let setting = pool.choose(100, &mut Seed::new(5).rng());
    let report = run(&example(), &JvmTarget { machine, setting });
    assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
}

/// What is shipped is what the source says.
#[test]
fn the_host_is_what_its_source_says() {
    let Some(javac) = javac() else { return };
    let dir = tempfile::tempdir().expect("a temporary folder");
    compile_host(&javac, HOST_SOURCE, dir.path());
    // Other versions may write other bytes for the same source.
    if javac.version.starts_with("javac 17.") {
        let built = fs::read(dir.path().join(HOST_FILE)).expect("a class");
        assert!(built == HOST, "Host.class is not what javac 17 makes of Host.java");
    }
    let Some(machine) = java() else { return };
    let target = with_host(&setting(&machine, "int"), dir.path());
    assert_eq!(run(&example(), &target).verdict, Verdict::Agrees);
}

struct Javac {
    version: String,
}

fn javac() -> Option<Javac> {
    version_of("javac", &["-version"]).map(|version| Javac { version })
}

fn compile_host(javac: &Javac, source: &str, dir: &Path) {
    let file = dir.join("Host.java");
    fs::write(&file, source).expect("a file");
    let release: &[&str] = match javac.version.starts_with("javac 1.8") {
        true => &[],
        false => &["--release", "8", "-Xlint:-options"],
    };
    let output = Command::new("javac")
        .args(release)
        .arg("-g:none")
        .arg("-d")
        .arg(dir)
        .arg(&file)
        .output()
        .expect("javac runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A program that is called like a JVM, and runs the real one with another host.
fn with_host(target: &JvmTarget, dir: &Path) -> JvmTarget {
    let command = script(
        dir,
        &format!(
            "for arg; do shift; [ \"$arg\" = . ] && arg='{}'; set -- \"$@\" \"$arg\"; done\n\
             exec java \"$@\"\n",
            dir.display()
        ),
    );
    let machine = JavaMachine { command, ..target.machine.clone() };
    JvmTarget { machine, setting: target.setting.clone() }
}

fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("java");
    fs::write(&path, format!("#!/bin/sh\n{text}")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    path
}

/// A host that does something else just before or after it calls a function.
struct Fault {
    before: &'static str,
    after: &'static str,
}

/// The real JVM with a faulty host, in a folder that has to be kept.
fn faulty(name: &str, fault: &Fault) -> Option<(TempDir, JvmTarget)> {
    let (machine, javac) = (java()?, javac()?);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let call = "                int wrong = (int) check.invokeExact(";
    let result = "                    if (wrong < -1) {";
    assert!(HOST_SOURCE.contains(call) && HOST_SOURCE.contains(result));
    let source = HOST_SOURCE
        .replace(call, &format!("{}\n{call}", fault.before))
        .replace(result, &format!("{}\n{result}", fault.after))
        .replace("    private Host() {", "    private static int count;\n    private Host() {");
    compile_host(&javac, &source, dir.path());
    let target = with_host(&setting(&machine, name), dir.path());
    Some((dir, target))
}

/// Where the second function's third realization is called.
const AT: &str = "if (functions[call] == 1 && call > 0 && functions[call - 1] == 1 && call > 1 \
                  && functions[call - 2] == 1 && functions[call - 3] != 1)";

#[track_caller]
fn check_fault(before: &str, expected: Verdict, evidence: &str) -> Option<Report> {
    let before: &'static str = format!("{AT} {{ {before} }}").leak();
    let (_dir, target) = faulty("int", &Fault { before, after: "" })?;
    let report = run(&example(), &target);
    assert_eq!(report.verdict, expected, "{report:?}");
    let message = &report.evidence[0].message;
    assert!(message.contains(evidence), "{message}");
    let blamed: Vec<_> = report
        .disagreements
        .iter()
        .map(|found| (found.function.index(), found.realization))
        .collect();
    assert_eq!(blamed, [(1, 2)], "{report:?}");
    Some(report)
}

#[test]
fn a_jvm_that_crashes_leaves_an_account_of_it() {
    let crash = "java.lang.reflect.Field f = Class.forName(\"sun.misc.Unsafe\")\
        .getDeclaredField(\"theUnsafe\"); f.setAccessible(true); Object unsafe = f.get(null); \
        unsafe.getClass().getMethod(\"putLong\", long.class, long.class).invoke(unsafe, 0L, 0L);";
    if let Some(report) = check_fault(crash, Verdict::Crash, "the JVM died") {
        let log = report.evidence[0].log.as_deref().unwrap_or_default();
        assert!(log.contains("SIGSEGV") && log.contains("Unsafe"), "{log}");
        let message = &report.evidence[0].message;
        assert!(message.contains("Unsafe"), "{message}");
    }
}

#[test]
fn a_jvm_that_is_killed() {
    check_fault("Runtime.getRuntime().halt(137);", Verdict::Crash, "the JVM died");
}

#[test]
fn a_jvm_that_hangs() {
    check_fault("while (true) {}", Verdict::Hang, "the JVM did not answer in time");
}

#[test]
fn a_jvm_that_throws() {
    let throws = "throw new ArithmeticException(\"/ by zero\");";
    check_fault(throws, Verdict::Crash, "java.lang.ArithmeticException: / by zero");
}

/// Every thousandth call returns something else: it shows, and is blamed on the right call, but it
/// is flaky.
#[test]
fn a_jvm_that_is_wrong_every_thousandth_time() {
    let after = "if (++count % 1000 == 0) { actual[0] ^= 1; }";
    let Some((dir, target)) = faulty("int", &Fault { before: "", after }) else { return };
    let classes = example();
    let steps = Warmup::Once.steps(&classes);
    let mut oracle = JvmOracle::new(Stop::new()).expect("an oracle");
    for round in 0.. {
        let report = oracle.run(&classes, &target, &Limits::default()).expect("a report");
        let first = round * steps.len();
        let at = steps.get(999_usize.saturating_sub(first)).filter(|_| first <= 999);
        let Some(step) = at else {
            assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
            continue;
        };
        let call = &classes.calls[step.call];
        assert_eq!(report.verdict, Verdict::WrongResult, "{report:?}");
        let blamed: Vec<_> = report.disagreements.iter().collect();
        assert_eq!(blamed.len(), 1);
        let found = (blamed[0].function.index(), blamed[0].realization);
        assert_eq!(found, (call.function, call.realization));
        break;
    }
    let run = fuzz_with(&dir, &["--count", "80", "--set", "jvm.settings=[\"int\"]"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("flaky: wrong code: wrong result: java int"), "{}", run.stderr);
}

/// Runs a campaign with the JVM of a folder.
fn fuzz_with(dir: &TempDir, args: &[&str]) -> support::Run {
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let java = dir.path().join("java").to_string_lossy().into_owned();
    let fixed = [
        "fuzz",
        "jvm",
        "--set",
        "campaign.seed=0",
        "--jobs",
        "1",
        "--dir",
        &findings,
        "--targets",
        &java,
    ];
    let more = ["--set", "jvm.random_settings=0", "--set", "generate.link.share=0"];
    let plain = ["--set", "campaign.triage=false"];
    pathsmith(&[&fixed[..], args, &more, &plain].concat())
}

/// A JVM that gets results wrong once it has given them a hundred times, but not those of preflight.
#[test]
fn a_finding_has_a_script_that_shows_it() {
    let after = "boolean preflight = inputs[0].length == 2 && inputs[0][0] == 1 && inputs[0][1] == 7;\n\
                 if (n > 100 && !preflight) { actual[0] = 5; wrong = 100; }";
    let Some((dir, _)) = faulty("tiered", &Fault { before: "", after }) else { return };
    let run = fuzz_with(&dir, &["--count", "4", "--set", "jvm.settings=[\"tiered\"]"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let mut entries = fs::read_dir(dir.path().join("findings")).expect("a folder").flatten();
    let folder = entries.find(|entry| entry.path().is_dir()).expect("a finding").path();
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.contains("-java-tiered-wrong-result"), "{name}");
    let text = fs::read_to_string(folder.join("finding.txt")).expect("a text");
    assert!(text.contains("actual:   5\n") && text.contains("in repetition 101"), "{text}");
    assert!(folder.join("program.jasm").exists() && folder.join("Program.class").exists());
    // The faulty host is part of that JVM, so the script has to take it in place of its own.
    let repro = |java: &Path| {
        let mut script = Command::new("sh");
        let output = script.arg(folder.join("repro.sh")).env("JAVA", java).output();
        output.expect("a shell").status.success()
    };
    assert!(!repro(&dir.path().join("java")), "the script does not show it");
    assert!(repro(Path::new("java")), "the script blames a JVM that is right");
}

#[test]
fn a_jvm_that_dies_costs_one_restart() {
    let Some(machine) = java() else { return };
    let dir = tempfile::tempdir().expect("a temporary folder");
    let once = format!("{0}/once", dir.path().display());
    let text = format!("[ -e '{once}' ] && exec java \"$@\"\ntouch '{once}'\necho ready\nread x\n");
    let command = script(dir.path(), &text);
    let machine = JavaMachine { command, ..machine };
    let target = setting(&machine, "int");
    let mut oracle = JvmOracle::new(Stop::new()).expect("an oracle");
    let mut verdict =
        || oracle.run(&example(), &target, &Limits::default()).expect("a report").verdict;
    assert_eq!(verdict(), Verdict::CompilerCrash);
    assert_eq!(verdict(), Verdict::Agrees);
    assert_eq!(verdict(), Verdict::Agrees);
}

#[test]
fn what_happens_before_the_first_call() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let machine = JavaMachine {
        name: "faulty".to_owned(),
        command: dir.path().join("java"),
        version: "faulty 1.0".to_owned(),
        is_hotspot: false,
        path: dir.path().join("java"),
        launch: Default::default(),
    };
    let target = setting(&machine, "default");
    let missing = run(&example(), &target);
    assert_eq!(missing.verdict, Verdict::InfrastructureFailure);
    let with = |text: &str| {
        script(dir.path(), text);
        run(&example(), &target)
    };
    let refused = with("echo 'Unrecognized option' >&2; exit 1\n");
    assert_eq!(refused.verdict, Verdict::InfrastructureFailure);
    assert!(refused.evidence[0].message.contains("Unrecognized option"), "{refused:?}");
    let nonsense = with("echo hello\n");
    assert_eq!(nonsense.verdict, Verdict::InfrastructureFailure);
    let asked = "echo ready; read x; n=$(head -c 13 $x | tail -c 8)";
    let rejected = with(&format!("{asked}; echo $n rejected a VerifyError; sleep 100\n"));
    assert_eq!(rejected.verdict, Verdict::CompileError);
    let early = with(&format!("{asked}; echo $n done 3 4; sleep 100\n"));
    assert_eq!(early.verdict, Verdict::Crash);
    let expected = "violated the protocol: expected `loaded`, got \"done 3 4\"";
    assert!(early.evidence[0].message.contains(expected), "{early:?}");
    let forged = with("echo ready; read x; echo loaded; sleep 100\n");
    assert_eq!(forged.verdict, Verdict::Crash);
    assert!(forged.evidence[0].message.contains("the nonce of the request"), "{forged:?}");
}

/// Many programs leave nothing behind in the JVM that has run them.
#[test]
fn classes_are_unloaded() {
    let Some(machine) = hotspot() else { return };
    let mut target = setting(&machine, "int");
    target.setting.flags.push("-XX:MaxMetaspaceSize=16m".to_owned());
    let classes = JvmBackend.lower(&functions(20, 15), &JvmOptions::default()).expect("classes");
    let mut oracle = JvmOracle::new(Stop::new()).expect("an oracle");
    for _ in 0..150 {
        let report = oracle.run(&classes, &target, &Limits::default()).expect("a report");
        assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
    }
}

#[test]
fn what_keeps_a_campaign_from_running_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let fuzz = |args: &[&str]| {
        pathsmith(
            &[
                &["fuzz", "jvm", "--set", "campaign.seed=0", "--count", "1", "--dir", &findings],
                args,
            ]
            .concat(),
        )
    };
    fuzz(&["--targets", "/nowhere/java"]).fails(2, &["there is no /nowhere/java"]);
    fuzz(&["--targets", "true"]).fails(2, &["the target true cannot be used: true is no JVM"]);
    fuzz(&["--set", r#"jvm.settings=["warp"]"#])
        .fails(2, &["there is no setting warp; expected some of int, c1, c2, comp, tiered"]);
    fuzz(&["--set", "jvm.functions_per_program=0"]).fails(2, &["`functions_per_program` is 0"]);
}

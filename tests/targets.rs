//! Targets are checked before they are blamed, and nothing counts that did not run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

mod support;

use support::Run;
use support::tools::{NODE_WASI, has_tool, skip_without};
use support::workshop::{OBSERVE_ALL, Workshop};

/// A folder with scripts that stand for targets.
struct Bench {
    dir: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A script. `$here` is this folder.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let here = self.dir.path().display();
        fs::write(&path, format!("#!/bin/sh\nhere={here}\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        path
    }

    /// A compiler that does something before it is gcc.
    fn compiler(&self, name: &str, before: &str) -> PathBuf {
        let version = "if [ \"$1\" = --version ]; then echo mine 1.0; exit; fi";
        self.script(name, &format!("{version}\n{before}\nexec gcc \"$@\""))
    }

    fn findings(&self) -> PathBuf {
        self.dir.path().join("findings")
    }

    /// Small functions, and little else than what is asked for.
    fn command(&self, family: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        let settings = [
            "c.functions_per_file=4",
            "c.levels=[\"-O0\",\"-O1\"]",
            "c.random_settings=0",
            "c.instruction_sets=[]",
            "jvm.settings=[\"int\"]",
            "jvm.random_settings=0",
            "generate.graph.blocks=3",
            "generate.link.share=0.0",
            "campaign.triage=false",
            "campaign.reduce=false",
        ];
        command
            .args(["fuzz", family, "--set", "campaign.seed=0", "--jobs", "1", "--dir"])
            .arg(self.findings());
        for setting in settings.iter().chain(&OBSERVE_ALL) {
            command.args(["--set", setting]);
        }
        command.args(more).current_dir(self.dir.path());
        command
    }

    fn fuzz(&self, family: &str, more: &[&str]) -> Run {
        run(&mut self.command(family, more))
    }

    fn config(&self, text: &str) -> String {
        let path = self.dir.path().join("config.toml");
        fs::write(&path, text).expect("a config");
        path.to_string_lossy().into_owned()
    }

    fn resume(&self) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        command.args(["fuzz", "--jobs", "1", "--resume"]).arg(self.findings());
        run(&mut command)
    }

    fn folders(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.findings()).expect("a folder").flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

fn run(command: &mut Command) -> Run {
    let output = command.stdin(Stdio::null()).output().expect("the binary runs");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// One message, an exit status, and no campaign.
#[track_caller]
fn refused(bench: &Bench, run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "{}\n{}", run.stdout, run.stderr);
    for part in parts {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let n_errors = run.stderr.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(n_errors, 1, "{}", run.stderr);
    assert!(!bench.findings().exists(), "a campaign was started");
}

#[test]
fn compilers_of_the_same_basename_are_two_targets() {
    let bench = Bench::new();
    // Both refuse one function, which is found in each of them.
    let refuse = "for f; do case $f in *.c) grep -q ' f2(' \"$f\" && exit 1;; esac; done";
    let (a, b) = (bench.compiler("a/mycc", refuse), bench.compiler("b/mycc", refuse));
    let targets = format!("{},{}", text(&a), text(&b));
    let more = ["--count", "4", "--targets", &targets, "--set", "c.levels=[\"-O1\"]"];
    let run = bench.fuzz("c", &more);
    assert_eq!(run.code, 6, "{}\n{}", run.stdout, run.stderr);
    let expected = ["f2-a-mycc-O1-compile-error", "f2-b-mycc-O1-compile-error"];
    assert_eq!(bench.folders(), expected.map(str::to_owned).into());
    for name in ["testing a-mycc: mine 1.0", "testing b-mycc: mine 1.0"] {
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
}

#[test]
fn an_unknown_flag_is_one_message() {
    let bench = Bench::new();
    let more = ["--targets", "gcc", "--set", "c.extras.mine=[\"-fno-such-thing\"]"];
    let run = bench.fuzz("c", &more);
    refused(&bench, &run, &["the target gcc cannot be used: in the setting mine", "no-such-thing"]);
}

#[test]
fn flags_in_one_string_are_refused_with_the_right_form() {
    let bench = Bench::new();
    let form = "[\"-O2\", \"-march=native\"]";
    let extras = ["--set", "c.extras.x=[\"-O2 -march=native\"]"];
    let expected = format!("`-O2 -march=native` is several flags; expected {form}");
    refused(&bench, &bench.fuzz("c", &extras), &["--set c.extras.x", &expected]);
    // In this list, the two would be two levels.
    let levels = ["--set", "c.levels=[\"-O2 -march=native\"]"];
    let expected = format!("expected `extras = {{ mine = {form} }}` instead");
    refused(&bench, &bench.fuzz("c", &levels), &["`levels`", &expected]);
    let config = "[[c.targets]]\nname = 'x'\ncommand = 'gcc'\nflags = ['-O2 -march=native']\n";
    let config = bench.config(config);
    let run = bench.fuzz("c", &["--config", &config]);
    run.fails(3, &["config.toml, line 1", "the target `x`", form]);
}

/// What is compiled for another machine does not start here.
#[test]
fn a_foreign_architecture_is_one_message() {
    let bench = Bench::new();
    let foreign = "out=a.out; object=; while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift;; \
                   -c) object=1;; *.c) file=$1;; esac; shift; done\n\
                   [ -z \"$object\" ] || { touch \"${file%.c}.o\"; exit; }\n\
                   printf '\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\2\\0\\267\\0' > $out\n\
                   chmod +x $out; exit";
    let compiler = text(&bench.compiler("foreign", foreign));
    // Flags and instruction sets are tried on small programs before preflight, which it does not
    // run either.
    let tried = ["--set", "c.random_settings=1", "--set", "c.instruction_sets=[\"native\"]"];
    for more in [&[][..], &tried] {
        let args = [&["--targets", &compiler, "--count", "4"], more].concat();
        let run = bench.fuzz("c", &args);
        refused(&bench, &run, &["the target foreign cannot be used", "xec format error"]);
    }
}

/// A runner that is not there, or that is two words in one.
#[test]
fn a_missing_runner_is_one_message_that_names_it() {
    let bench = Bench::new();
    let target = "[[c.targets]]\nname = 'x'\ncommand = 'gcc'\nrunner = ['no-such-runner -L /x']\n";
    let config = bench.config(target);
    let tried = ["--set", "c.random_settings=1", "--set", "c.instruction_sets=[\"native\"]"];
    let run = bench.fuzz("c", &[&["--config", &config], &tried[..]].concat());
    let expected = "the target x cannot be used: no-such-runner -L /x cannot be started: ";
    refused(&bench, &run, &[expected]);
}

/// A compiler whose programs say that all is well, whatever they are.
#[test]
fn a_target_that_says_yes_to_everything_is_noticed() {
    let bench = Bench::new();
    let harness = "case \" $* \" in *' -c '*harness.c*) ;; *' -c '*) exec gcc \"$@\";; esac";
    let yes = format!(
        "{harness}\nout=; while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift;; esac; shift; done\n\
         [ -n \"$out\" ] || exec touch harness.o\n\
         printf '#!/bin/sh\\nexit 0\\n' > $out; chmod +x $out; exit"
    );
    let compiler = text(&bench.compiler("yes", &yes));
    let run = bench.fuzz("c", &["--targets", &compiler, "--count", "4"]);
    refused(&bench, &run, &["the target yes cannot be used"]);
}

/// An engine whose exit status is its answer, with a setting in which it does nothing.
#[test]
fn a_setting_that_says_yes_to_everything_is_noticed() {
    if !has_tool("node", &["--version"]) {
        return;
    }
    let bench = Bench::new();
    fs::write(bench.dir.path().join("wasi.mjs"), NODE_WASI).expect("a script");
    let help = "for f; do [ \"$f\" = --help ] && { echo usage; exit 0; }; done";
    let run = "exec node --no-warnings $here/wasi.mjs \"$@\"";
    let engine = bench.script("engine", &format!("{help}\n{run}"));
    for (good, yes) in [("a-good", "z-yes"), ("z-good", "a-yes")] {
        let config = bench.config(&format!(
            "[[wasm.targets]]\nname = 'n'\ncommand = '{}'\nprotocol = 'wasi'\n\
             settings = {{ {good} = [], {yes} = ['--help'] }}\n",
            engine.display(),
        ));
        let run = bench.fuzz("wasm", &["--config", &config, "--count", "4"]);
        let expected = format!("the target n cannot be used: in the setting {yes}: ");
        refused(&bench, &run, &[&expected, "does not depend on what the program does"]);
    }
}

/// Whatever a target does when it is asked for its version, it does in a folder of its own.
#[test]
fn versions_are_asked_for_in_a_folder_of_its_own() {
    let bench = Bench::new();
    let tmp = bench.dir.path().join("tmp");
    fs::create_dir(&tmp).expect("a folder");
    let leave = "touch here; touch \"$TMPDIR/there\"; pwd >> $here/folders";
    let says = format!("if [ \"$1\" = --version ]; then {leave}; echo one 1.0; exit; fi");
    let compiler = bench.script("mine", &format!("{says}\nexec gcc \"$@\""));
    let mut command = bench.command("c", &["--targets", &text(&compiler), "--count", "4"]);
    let run = run(command.env("TMPDIR", &tmp));
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(bench.dir.path().join("folders").exists(), "it was not asked");
    let left: Vec<_> = fs::read_dir(&tmp).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Names on PATH run the first file that has them; the others are compilers too.
#[test]
fn compilers_of_the_same_name_in_two_folders_are_two_targets() {
    let bench = Bench::new();
    for version in ["one", "two"] {
        let says = format!("if [ \"$1\" = --version ]; then echo {version} 1.0; exit; fi");
        let text = format!("{says}\necho run >> $here/{version}.log\nexec gcc \"$@\"");
        bench.script(&format!("{version}/gcc-98"), &text);
    }
    fs::create_dir(bench.dir.path().join("links")).expect("a folder");
    let (two, link) = (bench.dir.path().join("two/gcc-98"), bench.dir.path().join("links/gcc-98"));
    std::os::unix::fs::symlink(two, link).expect("a link");
    let folders = ["one", "two", "links"].map(|name| text(&bench.dir.path().join(name)));
    let path = format!("{}:{}", folders.join(":"), std::env::var("PATH").expect("PATH"));
    let run = run(bench.command("c", &["--count", "4"]).env("PATH", path));
    assert!([0, 1].contains(&run.code), "{}\n{}", run.stdout, run.stderr);
    for line in ["gcc-98: one 1.0", "two-gcc-98: two 1.0", " gcc-98 -O1: ", " two-gcc-98 -O1: "] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    assert_eq!(run.stderr.matches("98 -O1: ").count(), 2, "{}", run.stderr);
    for log in ["one.log", "two.log"] {
        assert!(bench.dir.path().join(log).is_file(), "{log}");
    }
}

/// It works for a while, then it is gone. What it did not compile is compiled when it is back.
#[test]
fn a_compiler_that_disappears_stops_the_campaign_and_loses_nothing() {
    let bench = Bench::new();
    let compiler = bench.compiler("mine", "");
    let more = ["--targets", &text(&compiler), "--count", "400"];
    let child = bench.command("c", &more).stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(120);
    while !bench.findings().join("campaign.db").exists() {
        assert!(Instant::now() < deadline, "no campaign");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    let hidden = bench.dir.path().join("hidden");
    fs::rename(&compiler, &hidden).expect("a file");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("mine does not work any more"), "{said}");
    let run = bench.resume();
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("the target mine cannot be used"), "{}", run.stderr);
    fs::rename(&hidden, &compiler).expect("a file");
    let run = bench.resume();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let other = Bench::new();
    let copy = other.compiler("mine", "");
    let whole = other.fuzz("c", &["--targets", &text(&copy), "--count", "400"]);
    assert_eq!(n_checked(&run), n_checked(&whole), "{}", run.stderr);
}

/// How many realizations a campaign says were checked, on all its targets.
fn n_checked(run: &Run) -> u64 {
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(": ")?.1.split_once(": ")?;
        rest.split_once(" realizations checked in")?.0.parse::<u64>().ok()
    };
    let found: Vec<u64> = run.stderr.lines().filter_map(of_line).collect();
    assert!(!found.is_empty(), "{}", run.stderr);
    found.into_iter().sum()
}

/// One of two compilers is gone: the other goes on, and the first is not forgotten.
#[test]
fn the_part_of_one_target_stops() {
    let bench = Bench::new();
    let gone = "[ ! -e $here/gone ] || { echo 'cannot execute cc1' >&2; exit 1; }";
    let count = "n=$(cat $here/n 2>/dev/null || echo 0); echo $((n + 1)) > $here/n\n\
                 [ $n -lt 34 ] || touch $here/gone";
    let fickle = bench.compiler("fickle", &format!("{count}\n{gone}"));
    let steady = bench.compiler("steady", "");
    let targets = format!("{},{}", text(&fickle), text(&steady));
    let run = bench.fuzz("c", &["--targets", &targets, "--count", "64"]);
    assert_eq!(run.code, 5, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("fickle does not work any more"), "{}", run.stderr);
    assert!(run.stderr.contains("64 cases"), "{}", run.stderr);
    assert_eq!(bench.folders().len(), 0, "it was blamed: {}", run.stdout);
    bench.compiler("fickle", "");
    let run = bench.resume();
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let other = Bench::new();
    let targets =
        format!("{},{}", text(&other.compiler("fickle", "")), text(&other.compiler("steady", "")));
    let whole = other.fuzz("c", &["--targets", &targets, "--count", "64"]);
    assert_eq!(n_checked(&run), n_checked(&whole), "{}", run.stderr);
}

/// A disk that is full is no result either.
#[test]
fn a_full_disk_is_an_infrastructure_failure() {
    let bench = Bench::new();
    let count = "n=$(cat $here/n 2>/dev/null || echo 0); echo $((n + 1)) > $here/n\n\
                 [ $n -lt 45 ] || [ -e $here/room ] || \
                 { echo 'Assembler messages: No space left on device' >&2; exit 1; }";
    let compiler = text(&bench.compiler("mine", count));
    let run = bench.fuzz("c", &["--targets", &compiler, "--count", "64"]);
    assert_eq!(run.code, 5, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("No space left on device"), "{}", run.stderr);
    fs::write(bench.dir.path().join("room"), "").expect("a file");
    let run = bench.resume();
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("cases before"), "{}", run.stderr);
}

/// The folder for temporary files is full, which all see: gcc, the assembler, pathsmith.
#[test]
fn a_full_folder_for_temporary_files_loses_nothing() {
    let bench = Bench::new();
    let tmp = bench.dir.path().join("tmp");
    fs::create_dir(&tmp).expect("a folder");
    // A small file system of its own, in a name space of its own.
    let unshare = ["--user", "--map-root-user", "--mount"];
    let mount = "mount -t tmpfs -o size=8m none \"$TMPDIR\"";
    let mut may = Command::new("unshare");
    may.args(unshare).args(["sh", "-c", mount]).env("TMPDIR", &tmp);
    if !may.output().is_ok_and(|output| output.status.success()) {
        skip_without("file system that this user may mount");
        return;
    }
    let fill = "n=$(cat $here/n 2>/dev/null || echo 0); echo $((n + 1)) > $here/n\n\
                [ $n -lt 45 ] || [ -e $here/room ] || \
                tr '\\0' x < /dev/zero > $here/tmp/fill 2>/dev/null";
    let compiler = text(&bench.compiler("mine", fill));
    let more = ["--targets", &compiler, "--count", "64"];
    let fuzz = bench.command("c", &more);
    let mut alone = Command::new("unshare");
    alone.args(unshare).args(["sh", "-c", &format!("{mount} && exec \"$0\" \"$@\"")]);
    alone.arg(fuzz.get_program()).args(fuzz.get_args()).current_dir(bench.dir.path());
    let full = run(alone.env("TMPDIR", &tmp));
    assert_eq!(full.code, 5, "{}\n{}", full.stdout, full.stderr);
    assert!(full.stderr.contains("No space left on device"), "{}", full.stderr);
    assert_eq!(bench.folders().len(), 0, "it was blamed: {}", full.stdout);
    fs::write(bench.dir.path().join("room"), "").expect("a file");
    let resumed = bench.resume();
    assert_eq!(resumed.code, 0, "{}\n{}", resumed.stdout, resumed.stderr);
    let other = Bench::new();
    let copy = text(&other.compiler("mine", ""));
    let whole = other.fuzz("c", &["--targets", &copy, "--count", "64"]);
    assert_eq!(n_checked(&resumed), n_checked(&whole), "{}", resumed.stderr);
}

/// A compiler that removes pathsmith's own folder, once.
#[test]
fn a_removed_scratch_folder_is_made_again() {
    let bench = Bench::new();
    let tmp = bench.dir.path().join("tmp");
    fs::create_dir(&tmp).expect("a folder");
    let once = "n=$(cat $here/n 2>/dev/null || echo 0); echo $((n + 1)) > $here/n\n\
                if [ $n -eq 60 ]; then rm -rf $here/tmp/*; exit 1; fi";
    let compiler = text(&bench.compiler("mine", once));
    let mut command = bench.command("c", &["--targets", &compiler, "--count", "64"]);
    let run = run(command.env("TMPDIR", &tmp));
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("64 cases"), "{}", run.stderr);
}

#[test]
fn a_bad_flag_of_a_jvm_is_one_message() {
    let bench = Bench::new();
    let run = bench.fuzz("jvm", &["--set", "jvm.extras.mine=[\"-XX:+NoSuchFlag\"]"]);
    refused(&bench, &run, &["in the setting mine", "NoSuchFlag"]);
    let target = "[[jvm.targets]]\nname = 'j'\ncommand = 'java'\n";
    let bad = "['-XX:+NoSuchFlag']";
    let why = "Unrecognized VM option 'NoSuchFlag'";
    let config = bench.config(&format!("{target}flags = {bad}\n"));
    // The settings of the campaign, which the bench has chosen, and all that there are.
    for settings in ["jvm.settings=[\"int\"]", "jvm.settings=[]"] {
        let run = bench.fuzz("jvm", &["--config", &config, "--set", settings]);
        refused(&bench, &run, &["the target j cannot be used", why]);
    }
    let config = bench.config(&format!("{target}settings = {{ a = [], b = {bad} }}\n"));
    let run = bench.fuzz("jvm", &["--config", &config]);
    refused(&bench, &run, &["the target j cannot be used: in the setting b: ", why]);
}

/// The same for engines, which have no setting without optimization to try first.
#[test]
fn a_bad_flag_of_an_engine_is_one_message_that_names_the_setting() {
    let bench = Bench::new();
    let target = "[[wasm.targets]]\nname = 'n'\ncommand = 'node'\n";
    let config = bench.config(&format!("{target}flags = ['--no-such-flag']\n"));
    let run = bench.fuzz("wasm", &["--config", &config]);
    refused(&bench, &run, &["the target n cannot be used: ", "bad option: --no-such-flag"]);
    for (settings, name) in
        [("a = ['--no-such-flag'], b = []", "a"), ("a = [], b = ['--no-such-flag']", "b")]
    {
        let config = bench.config(&format!("{target}settings = {{ {settings} }}\n"));
        let run = bench.fuzz("wasm", &["--config", &config]);
        let expected = format!("the target n cannot be used: in the setting {name}: ");
        refused(&bench, &run, &[&expected, "bad option: --no-such-flag"]);
    }
}

/// node 14 has no `--liftoff-only`; neither has this one.
#[test]
fn a_setting_that_an_older_version_lacks_is_left_out_with_a_note() {
    let bench = Bench::new();
    let old = "for f; do [ \"$f\" = --liftoff-only ] && { echo 'bad option' >&2; exit 9; }; done\n\
               exec node \"$@\"";
    let node = text(&bench.script("old/node", old));
    let run = bench.fuzz("wasm", &["--targets", &node, "--count", "20"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let expected = "node is left out in the setting liftoff";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(run.stderr.contains(": default, turbofan"), "{}", run.stderr);
}

/// Targets of all kinds are configured alike.
#[test]
fn a_target_of_the_config_has_its_own_flags_runner_settings_and_environment() {
    let bench = Bench::new();
    let compiler = bench.compiler("cc", "echo \"$MODE $*\" >> $here/compiled");
    let runner = bench.script("runner", "echo \"$MODE $*\" >> $here/run; shift; exec \"$@\"");
    let node = bench.script("node", "echo \"$MODE $*\" >> $here/asked; exec node \"$@\"");
    let java = bench.script("java", "echo \"$MODE $*\" >> $here/started; exec java \"$@\"");
    let wrapper = bench.script("wrapper", "echo \"$MODE $1\" >> $here/wrapped; shift; exec \"$@\"");
    let config = bench.config(&format!(
        "[[c.targets]]\nname = 'wrapped'\ncommand = '{}'\nflags = ['-fno-inline']\n\
         runner = ['{}', '-L']\nsettings = {{ fast = ['-O2'], slow = ['-O0'] }}\n\
         env = {{ MODE = 'mine' }}\n\
         [[wasm.targets]]\nname = 'my-node'\ncommand = '{}'\nflags = ['--no-wasm-bounds-checks']\n\
         settings = {{ one = ['--no-liftoff'] }}\nenv = {{ MODE = 'mine' }}\n\
         [[jvm.targets]]\nname = 'my-java'\ncommand = '{}'\nflags = ['-Xss4m']\n\
         runner = ['{}', '-q']\nsettings = {{ plain = ['-Xint'] }}\nenv = {{ MODE = 'mine' }}\n",
        compiler.display(),
        runner.display(),
        node.display(),
        java.display(),
        wrapper.display(),
    ));
    let run = bench.fuzz("c", &["--config", &config, "--count", "4"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let read = |name: &str| fs::read_to_string(bench.dir.path().join(name)).expect("a log");
    let compiled = read("compiled");
    for setting in ["-O2", "-O0"] {
        let is_compiled = |line: &str| {
            line.starts_with("mine -fno-inline ") && line.contains(&format!(" {setting} "))
        };
        assert!(compiled.lines().any(is_compiled), "{compiled}");
    }
    assert!(!compiled.contains("-O1 -std"), "{compiled}");
    let runs = read("run");
    // Preflight tries a small program first.
    let is_run = |line: &str| {
        ["./test", "./try"].iter().any(|it| line.starts_with(&format!("mine -L {it}")))
    };
    assert!(runs.lines().all(is_run) && runs.contains("mine -L ./test"), "{runs}");
    assert!(run.stderr.contains("wrapped fast: "), "{}", run.stderr);
    fs::remove_dir_all(bench.findings()).expect("a folder");
    let run = bench.fuzz("wasm", &["--config", &config, "--count", "4"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("my-node one: "), "{}", run.stderr);
    let asked = read("asked");
    let expected = "mine --no-wasm-bounds-checks --no-liftoff host.js";
    assert!(asked.lines().any(|line| line == expected), "{asked}");
    fs::remove_dir_all(bench.findings()).expect("a folder");
    let run = bench.fuzz("jvm", &["--config", &config, "--count", "4"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("my-java plain: "), "{}", run.stderr);
    let (started, wrapped) = (read("started"), read("wrapped"));
    let has_all = |line: &str| {
        line.starts_with("mine ") && ["-Xss4m", "-Xint"].iter().all(|flag| line.contains(flag))
    };
    assert!(started.lines().any(has_all), "{started}");
    assert!(wrapped.lines().any(|line| line == "mine -q"), "{wrapped}");
}

/// A compiler without its sanitizers is left out, unless someone asked for it.
#[test]
fn a_compiler_that_is_found_and_does_not_work_is_left_out_with_a_note() {
    let bench = Bench::new();
    let lacking = "case \" $* \" in *-fsanitize*) echo 'no libubsan' >&2; exit 1;; esac";
    bench.compiler("bin/clang-99", lacking);
    let path = std::env::var("PATH").expect("PATH");
    let path = format!("{}:{path}", bench.dir.path().join("bin").display());
    let mut command = bench.command("c", &["--sanitize", "--count", "4"]);
    let found = run(command.env("PATH", &path));
    assert_eq!(found.code, 0, "{}\n{}", found.stdout, found.stderr);
    assert!(found.stderr.contains("clang-99 is left out because"), "{}", found.stderr);
    assert!(found.stderr.contains("no libubsan"), "{}", found.stderr);
    fs::remove_dir_all(bench.findings()).expect("a folder");
    let more = ["--sanitize", "--count", "4", "--targets", "clang-99"];
    let asked = run(bench.command("c", &more).env("PATH", &path));
    refused(&bench, &asked, &["the target clang-99 cannot be used", "no libubsan"]);
}

#[test]
fn exit_statuses_tell_outcomes_apart() {
    let refusal = Workshop::new("exit 1");
    assert_eq!(refusal.fuzz("8", &[]).code, 6);
    let crash = Workshop::new("kill -SEGV $$");
    assert_eq!(crash.fuzz("8", &[]).code, 1);
    let nothing = Workshop::new("true");
    assert_eq!(nothing.fuzz("8", &[]).code, 0);
}

/// Nothing that pathsmith starts needs the device; what a compiler makes of that is its business.
#[test]
fn a_missing_dev_null_is_no_failure() {
    let bench = Bench::new();
    // A name space of its own, in which the folder of devices is empty.
    let unshare = ["--user", "--map-root-user", "--mount"];
    if !has_tool("unshare", &[&unshare[..], &["true"]].concat()) {
        return;
    }
    let fuzz = bench.command("c", &["--targets", "gcc", "--count", "4"]);
    let mut alone = Command::new("unshare");
    alone.args(unshare).args(["sh", "-c", "mount -t tmpfs none /dev && exec \"$0\" \"$@\""]);
    alone.arg(fuzz.get_program()).args(fuzz.get_args()).current_dir(bench.dir.path());
    let run = run(&mut alone);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("4 cases"), "{}", run.stderr);
}

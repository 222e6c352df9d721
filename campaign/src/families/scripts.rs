//! Scripts of findings, run with targets that only write down what they are asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, COptions};
use pathsmith_backend_jvm::{JvmBackend, JvmOptions};
use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
use pathsmith_oracles::c::{CSetting, CTarget, Compiler, Toolchain};
use pathsmith_oracles::jvm::{JavaMachine, JvmSetting, JvmTarget, Warmup};
use pathsmith_oracles::wasm::WasmTarget;
use pathsmith_oracles::{Setting, Verdict};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::lang::text::parse;
use tempfile::TempDir;

use crate::bug_file::{Bug, BugFile};
use crate::finding::{Finding, TargetInfo};

/// Words that a shell would take apart, or run.
const HOSTILE: [&str; 9] = [
    "-DX=a b",
    "$(touch bad)",
    "`touch bad`",
    "a\ntouch bad",
    "it's",
    "\"; touch bad; \"",
    "*",
    "",
    "-O2 # \\",
];

/// A folder with a target in it that writes its arguments to `argv`, each with a NUL.
struct Scene {
    dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().display();
        // A compiler leaves a program behind; engines and JVMs answer nothing.
        let fake = format!(
            "#!/bin/sh\n\
             printf '%s\\0' \"$@\" > '{here}/argv'\n\
             while [ $# -gt 0 ]; do\n\
             if [ \"$1\" = -o ]; then echo exit 0 > \"$2\"; chmod +x \"$2\"; fi\n\
             shift\n\
             done\n"
        );
        for name in ["it's a $(touch bad) target", "plain"] {
            let path = dir.path().join(name);
            fs::write(&path, &fake).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { dir }
    }

    fn target(&self) -> PathBuf {
        self.dir.path().join("it's a $(touch bad) target")
    }

    /// A target of this name that is a script.
    fn fake(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Runs a script with some variables.
    fn output(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        let path = self.dir.path().join("repro.sh");
        fs::write(&path, script).unwrap();
        let mut command = Command::new("sh");
        for name in ["CC", "CFLAGS", "JAVA", "FLAGS", "ENGINE"] {
            command.env_remove(name);
        }
        command.arg(&path).envs(variables.iter().copied()).output().unwrap()
    }

    /// What a script says with another target: 0, 1 or 125.
    #[track_caller]
    fn check(&self, script: &str, variables: &[(&str, &str)], expected: i32) {
        let output = self.output(script, variables);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{variables:?}: {said}\n{script}");
    }

    /// Runs a script with some variables. Returns what the target was given.
    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let output = self.output(script, variables);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let argv = self.dir.path().join("argv");
        let words = fs::read(&argv).unwrap_or_else(|_| panic!("{said}\n{script}"));
        fs::remove_file(argv).unwrap();
        assert!(!self.dir.path().join("bad").exists() && !Path::new("bad").exists(), "{script}");
        let words = String::from_utf8(words).unwrap();
        words.split_terminator('\0').map(str::to_owned).collect()
    }

    fn plain(&self) -> String {
        self.dir.path().join("plain").display().to_string()
    }
}

fn program(dialect: &str) -> Program {
    let text = format!(
        "dialect {dialect};\n\
         fn f(a: i32) -> i32 {{ entry: return a; }}\n\
         realize f(12) = 12 via entry;"
    );
    parse("test", &text).unwrap()
}

fn finding(program: Program, command: &Path) -> Finding {
    Finding {
        batch: 0,
        number: 7,
        variant: 0,
        seed: 2,
        verdict: Verdict::WrongResult,
        target: TargetInfo {
            name: "cc\ntouch bad".to_owned(),
            command: command.display().to_string(),
            version: "1.0\ntouch bad\r\ntouch bad".to_owned(),
            setting: Setting::named("-O2\ntouch bad"),
            flags: HOSTILE.map(str::to_owned).to_vec(),
            path: command.display().to_string(),
            runner: Vec::new(),
            env: [("MODE".to_owned(), "$(touch bad)'; touch bad".to_owned())].into(),
        },
        call: Some("f(12)\ntouch bad".to_owned()),
        expected: Some("12\ntouch bad".to_owned()),
        actual: Some("13\ntouch bad".to_owned()),
        evidence: Vec::new(),
        program,
        options: serde_json::Value::Null,
        run_on: serde_json::Value::Null,
        signature: None,
        arms: Vec::new(),
        origin: None,
        bug: None,
        files: Vec::new(),
    }
}

#[test]
fn compilers_get_the_words_that_were_meant() {
    let scene = Scene::new();
    let finding = finding(program("c"), &scene.target());
    let source = CBackend.lower(&finding.program, &COptions::default()).unwrap();
    let toolchain = Toolchain {
        name: "cc".to_owned(),
        command: scene.target(),
        compiler: Compiler::Gcc,
        version: String::new(),
        path: scene.target(),
        launch: Default::default(),
    };
    let target = CTarget { toolchain, setting: CSetting::named("hostile", &HOSTILE[..3]) };
    let script = super::c::repro_script(&finding, &target, &source);
    let words = scene.run(&script, &[]);
    assert_eq!(words[..HOSTILE.len()], HOSTILE);
    assert_eq!(words[HOSTILE.len()..][..2], ["test.c", "-o"]);
    // Another compiler gets the flags of the setting alone.
    let words = scene.run(&script, &[("CC", &scene.plain())]);
    assert_eq!(words[..3], HOSTILE[..3]);
    assert_eq!(words[3], "test.c");
    let cc = format!("{} -extra", scene.plain());
    let words = scene.run(&script, &[("CC", &cc), ("CFLAGS", "-O1 -g")]);
    assert_eq!(words[..5], ["-extra", "-O1", "-g", "test.c", "-o"]);
    assert_eq!(scene.run(&script, &[("CFLAGS", "")])[..2], ["test.c", "-o"]);
}

fn engine(name: &str, command: PathBuf) -> WasmTarget {
    WasmTarget {
        name: "engine".to_owned(),
        engine: name.to_owned(),
        version: String::new(),
        setting: Setting::named("default"),
        path: command.clone(),
        command,
        args: Vec::new(),
        launch: Default::default(),
    }
}

fn engine_script(finding: &Finding, engine_name: &str) -> String {
    let module = WasmBackend.lower(&finding.program, &WasmOptions::default()).unwrap();
    let target = engine(engine_name, finding.target.command.clone().into());
    super::wasm::script(finding, &target, &module)
}

fn jvm_script(finding: &Finding, command: PathBuf) -> (String, JvmTarget) {
    let classes = JvmBackend.lower(&finding.program, &JvmOptions::default()).unwrap();
    let setting = JvmSetting {
        name: Setting::named("c2"),
        flags: HOSTILE.map(str::to_owned).to_vec(),
        warmup: Warmup::Once,
        slot: None,
    };
    let machine = JavaMachine {
        name: "java".to_owned(),
        path: command.clone(),
        command,
        version: "17\ntouch bad".to_owned(),
        is_hotspot: false,
        launch: Default::default(),
    };
    let target = JvmTarget { machine, setting };
    (super::jvm::script(finding, &target, &classes), target)
}

fn with_bug_file(finding: Finding, name: &str) -> Finding {
    let file = BugFile {
        name: name.to_owned(),
        text: String::new(),
        verdict: finding.verdict,
        flags: vec!["-Xbatch".to_owned()],
        run: String::new(),
        does: String::new(),
        shows: String::new(),
        checked: None,
        binaries: Vec::new(),
    };
    Finding { bug: Some(Bug { file: Some(file), note: String::new(), scrutiny: None }), ..finding }
}

#[test]
fn engines_get_the_words_that_were_meant() {
    let scene = Scene::new();
    let finding = finding(program("wasm"), &scene.target());
    let script = engine_script(&finding, "lines");
    assert_eq!(scene.run(&script, &[]), HOSTILE);
    let engine = format!("{} -extra", scene.plain());
    assert_eq!(scene.run(&script, &[("ENGINE", &engine)]), ["-extra"]);
    let script = engine_script(&with_bug_file(finding, "bug.wat"), "wasi");
    fs::write(scene.dir.path().join("bug.wasm"), "").unwrap();
    assert_eq!(scene.run(&script, &[("ENGINE", &engine)]), ["-extra", "bug.wasm"]);
}

#[test]
fn jvms_get_the_words_that_were_meant() {
    let scene = Scene::new();
    let finding = finding(program("jvm"), &scene.target());
    let (script, target) = jvm_script(&finding, scene.target());
    assert_eq!(scene.run(&script, &[]), target.args());
    let java = format!("{} -extra", scene.plain());
    let words = scene.run(&script, &[("JAVA", &java), ("FLAGS", "-Xint")]);
    assert_eq!(words, ["-extra", "-Xint", "-cp", ".", "Host"]);
}

/// An engine that rejects its flags, or answers everything in the same way, is not blamed.
#[test]
fn engines_that_show_no_sign_of_life_cannot_be_judged() {
    let scene = Scene::new();
    let finding = finding(program("wasm"), &scene.target());
    fs::write(scene.dir.path().join("request.json"), "i32:12").unwrap();
    let answering = |real: &str| {
        format!(
            "read file\necho repro compiled\n\
             if grep -q i32:12 \"$file\"; then {real}; else echo repro value 0 1; fi\n\
             echo repro done 1 0 0 0"
        )
    };
    for (name, text, expected) in [
        ("exits", "echo bad option >&2; exit 1".to_owned(), 125),
        ("silent", "exit 0".to_owned(), 125),
        ("rejecting", answering("echo repro rejected why; exit"), 125),
        ("crashing", answering("kill -9 $$"), 1),
        ("wrong", answering("echo repro value 0 13"), 1),
        ("right", answering("echo repro value 0 12"), 0),
    ] {
        let engine = scene.fake(name, &text);
        scene.check(&engine_script(&finding, "lines"), &[("ENGINE", &engine)], expected);
    }
    let files: Vec<_> = fs::read_dir(scene.dir.path()).unwrap().flatten().collect();
    assert!(files.iter().all(|file| file.file_name() != "actual.txt"), "{files:?}");
}

#[test]
fn modules_for_people_are_run_as_people_run_them() {
    let scene = Scene::new();
    let finding = with_bug_file(finding(program("wasm"), &scene.target()), "bug.wat");
    let script = engine_script(&finding, "wasi");
    fs::write(scene.dir.path().join("bug.wasm"), "the module").unwrap();
    for (name, text, expected) in [
        ("exits", "exit 1", 125),
        ("silent", "exit 0", 125),
        ("wrong", "grep -q visible0 \"$1\"", 1),
        ("crashing", "grep -q visible0 \"$1\" || kill -9 $$", 1),
        ("right", "grep -q 'visible0\\|the module' \"$1\"", 0),
    ] {
        let engine = scene.fake(name, text);
        scene.check(&script, &[("ENGINE", &engine)], expected);
    }
    scene.check(&script, &[("ENGINE", "/nowhere/engine")], 125);
}

#[test]
fn jvms_that_show_no_sign_of_life_cannot_be_judged() {
    let scene = Scene::new();
    let finding = finding(program("jvm"), &scene.target());
    let (asked, _) = jvm_script(&finding, scene.target());
    let (run, _) = jvm_script(&with_bug_file(finding, "bug.jasm"), scene.target());
    fs::write(scene.dir.path().join("Bug.class"), "").unwrap();
    for (name, text, of_request, of_class) in [
        ("exits", "exit 1", 125, 125),
        ("silent", "exit 0", 125, 125),
        // It is asked about a file, or runs another class.
        ("crashing", "echo ready; read file && kill -9 $$; [ $4 = Host ] || kill -9 $$", 1, 1),
        ("hosting", "echo ready; read file; [ $4 = Host ]", 1, 1),
        ("right", "echo ready", 1, 0),
    ] {
        let java = scene.fake(name, text);
        let variables = [("JAVA", &java[..]), ("FLAGS", "-Xint")];
        scene.check(&asked, &variables, of_request);
        scene.check(&run, &variables, of_class);
    }
}

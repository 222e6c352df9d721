//! Scripts of findings, run with targets that only write down what they are asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, COptions};
use pathsmith_backend_jvm::{JvmBackend, JvmOptions};
use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
use pathsmith_oracles::c::{CSetting, CTarget, Compiler, Toolchain};
use pathsmith_oracles::jvm::{JavaMachine, JvmSetting, JvmTarget, Warmup};
use pathsmith_oracles::{Setting, Verdict};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::lang::text::parse;
use tempfile::TempDir;

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

    /// Runs a script with some variables. Returns what the target was given.
    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let path = self.dir.path().join("repro.sh");
        fs::write(&path, script).unwrap();
        let mut command = Command::new("sh");
        for name in ["CC", "CFLAGS", "JAVA", "FLAGS", "ENGINE"] {
            command.env_remove(name);
        }
        let output = command.arg(&path).envs(variables.iter().copied()).output().unwrap();
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

#[test]
fn engines_get_the_words_that_were_meant() {
    let scene = Scene::new();
    let finding = finding(program("wasm"), &scene.target());
    let module = WasmBackend.lower(&finding.program, &WasmOptions::default()).unwrap();
    let script = super::wasm::script(&finding, "lines", &module);
    assert_eq!(scene.run(&script, &[]), HOSTILE);
    let engine = format!("{} -extra", scene.plain());
    assert_eq!(scene.run(&script, &[("ENGINE", &engine)]), ["-extra"]);
}

#[test]
fn jvms_get_the_words_that_were_meant() {
    let scene = Scene::new();
    let finding = finding(program("jvm"), &scene.target());
    let classes = JvmBackend.lower(&finding.program, &JvmOptions::default()).unwrap();
    let setting = JvmSetting {
        name: Setting::named("c2"),
        flags: HOSTILE.map(str::to_owned).to_vec(),
        warmup: Warmup::Once,
        slot: None,
    };
    let machine = JavaMachine {
        name: "java".to_owned(),
        command: scene.target(),
        version: "17\ntouch bad".to_owned(),
        is_hotspot: false,
        path: scene.target(),
        launch: Default::default(),
    };
    let target = JvmTarget { machine, setting };
    let script = super::jvm::script(&finding, &target, &classes);
    assert_eq!(scene.run(&script, &[]), target.args());
    let java = format!("{} -extra", scene.plain());
    let words = scene.run(&script, &[("JAVA", &java), ("FLAGS", "-Xint -cp .")]);
    assert_eq!(words, ["-extra", "-Xint", "-cp", "."]);
}

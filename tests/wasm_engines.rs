//! Testing WebAssembly engines: the embedded one, node where it is found, and ones that are faulty
//! on purpose.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathsmith_backend::Backend;
use pathsmith_backend_wasm::{WasmBackend, WasmModule, WasmOptions};
use pathsmith_generate::policy::Policies;
use pathsmith_generate::{GenConfig, ObserveOptions, generate_leaf};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{WasmOracle, WasmTarget};
use pathsmith_oracles::{Launch, Limits, Oracle, Report, Setting, Verdict};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Const, Expr, Program};
use pathsmith_symlang::{ExprId, Seed};
use support::tools::{OWN_ENGINES, skip};
use support::{pathsmith, root};
use tempfile::TempDir;

fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_pathsmith"))
}

/// Three small functions, and the module that they make.
fn example() -> (Program, WasmModule) {
    let mut program = Program { dialect: Some(Dialect::Wasm), ..Program::default() };
    // With many constants on the path.
    let mut config = GenConfig { policy: Policies::none(), ..GenConfig::default() };
    config.graph.blocks = 4;
    config.template.share = 0.0;
    config.observe = ObserveOptions::everything();
    for number in 0..3 {
        let leaf = generate_leaf(&config, Dialect::Wasm, Seed::new(3), number);
        program.append(&leaf.expect("it is solved").program);
    }
    let module = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
    (program, module)
}

fn run(module: &WasmModule, target: &WasmTarget) -> Report {
    let mut oracle = WasmOracle::new(binary(), Stop::new()).expect("an oracle");
    let limits = Limits { compile_time: 5, run_time: 5, ..Limits::default() };
    oracle.run(module, target, &limits).expect("a report")
}

/// All lowering options, on all engines of the machine. The full-sized run of this is
/// `pathsmith fuzz wasm --swarm --count 50000`.
#[test]
fn engines_agree() {
    let fuzz = |more: &[&str]| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let findings = dir.path().join("findings").to_string_lossy().into_owned();
        let args = ["fuzz", "wasm", "--set", "campaign.seed=0", "--swarm", "--dir", &findings];
        let set = ["--set", "generate.graph.switch_share=0.2"];
        pathsmith(&[&args[..], &set, more].concat())
    };
    fuzz(&["--count", "20"]).blames_no_pathsmith_bug();
    let run = fuzz(&["--count", "40", "--targets", OWN_ENGINES]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for setting in
        ["wasmtime cranelift-speed", "wasmtime winch", "wasmtime pulley", "wasmi wasmi-lazy"]
    {
        let line = format!("{setting}: ");
        assert!(run.stderr.contains(&line), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("flaky"), "{}", run.stderr);
}

/// Programs that claim nothing are compiled, and nothing is called.
#[test]
fn crash_only_modules_are_compiled() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let args = [
        "fuzz",
        "wasm",
        "--set",
        "campaign.seed=0",
        "--crash-only",
        "--count",
        "10",
        "--targets",
        "wasmtime",
    ];
    let run = pathsmith(&[&args[..], &["--dir", &findings]].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(" 0 realizations checked"), "{}", run.stderr);
    assert!(run.stderr.contains("cranelift-speed: "), "{}", run.stderr);
}

#[test]
fn every_embedded_setting_agrees_on_an_example() {
    let (_, module) = example();
    for target in WasmOracle::embedded_targets(&binary()) {
        let report = run(&module, &target);
        assert_eq!(report.verdict, Verdict::Agrees, "{}: {report:?}", target.setting);
    }
}

/// The module is made of another program than the calls: one constant of `f1` differs.
#[test]
fn a_corrupted_constant_is_found_and_named() {
    let (mut program, right) = example();
    let targets = WasmOracle::embedded_targets(&binary());
    let function = &mut program.functions[1];
    let constants: Vec<ExprId> = (0..function.n_exprs())
        .map(ExprId::new)
        .filter(|id| matches!(function.expr(*id), Expr::Const(_)))
        .collect();
    let mut n_found = 0;
    for id in constants {
        let Expr::Const(constant) = *program.functions[1].expr(id) else { continue };
        let other = Const::new(constant.ty(), constant.word() ^ 0x55);
        *program.functions[1].expr_mut(id) = Expr::Const(other);
        let wrong = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
        *program.functions[1].expr_mut(id) = Expr::Const(constant);
        let module = WasmModule { bytes: wrong.bytes, ..right.clone() };
        let report = run(&module, &targets[n_found % targets.len()]);
        // Constants off the paths change nothing.
        for found in &report.disagreements {
            assert_eq!(found.function.index(), 1, "{report:?}");
        }
        n_found += usize::from(report.verdict == Verdict::WrongResult);
    }
    assert!(n_found >= 5, "{n_found}");
}

/// What reads a question in a shell: `$n` is the nonce, which comes first in a request.
const ASKED: &str = "read line && n=$(head -c 18 \"$line\" | tail -c 8)";

/// An engine that answers as the real one does, up to a call, `$at`; then it runs `fault`.
fn faulty(dir: &TempDir, n_answers: usize, fault: &str) -> WasmTarget {
    let path = dir.path().join("engine.sh");
    // One line is for compiling.
    let n_lines = n_answers + 1;
    let script = format!(
        "#!/bin/sh\nat={n_answers}\nwhile {ASKED}; do\n\
         echo \"$line\" | '{}' engine cranelift-none | head -n {n_lines}\n{fault}\ndone\n",
        binary().display()
    );
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    WasmTarget {
        name: "faulty".to_owned(),
        engine: "faulty".to_owned(),
        version: "faulty 1.0".to_owned(),
        setting: Setting::named("default"),
        path: path.clone(),
        launch: Launch::default(),
        command: path,
        args: Vec::new(),
    }
}

/// Runs an engine that is at fault at call `n_answers`, and asks for a verdict about that call.
#[track_caller]
fn check_fault(fault: &str, expected: Verdict, evidence: &str) {
    let (_, module) = example();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let n_answers = module.calls.len() / 2;
    let report = run(&module, &faulty(&dir, n_answers, fault));
    assert_eq!(report.verdict, expected, "{report:?}");
    let message = &report.evidence[0].message;
    assert!(message.contains(evidence), "{message}");
    let call = &module.calls[n_answers];
    let blamed = report.disagreements.first();
    let blamed = blamed.map(|found| (found.function.index(), found.realization));
    if expected != Verdict::Crash || evidence.contains("died") {
        assert_eq!(blamed, Some((call.function, call.realization)), "{report:?}");
    }
}

#[test]
fn an_engine_that_is_killed() {
    check_fault("kill -SEGV $$", Verdict::Crash, "the engine died");
}

#[test]
fn an_engine_that_hangs() {
    check_fault("sleep 1000", Verdict::Hang, "did not answer in time");
}

#[test]
fn an_engine_that_answers_nonsense() {
    let nonce = "expected a line that begins with the nonce of the request, got";
    check_fault("echo what?", Verdict::Crash, &format!("violated the protocol: {nonce} \"what?\""));
    check_fault("echo value $at 77", Verdict::Crash, nonce);
    check_fault("echo $n done $at 1 2 3", Verdict::Crash, ", got \"done ");
    check_fault("echo $n value 0 77", Verdict::Crash, ", got \"value 0 77\"");
}

#[test]
fn an_engine_that_gives_another_value() {
    let fault = "echo $n value $at 77; sleep 1000";
    check_fault(fault, Verdict::WrongResult, "did not answer in time");
}

#[test]
fn what_happens_before_the_first_call_is_about_compiling() {
    let (_, module) = example();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let with = |script: &str| {
        let target = faulty(&dir, 0, "");
        fs::write(&target.command, format!("#!/bin/sh\n{ASKED}\n{script}\n")).expect("a script");
        run(&module, &target).verdict
    };
    assert_eq!(with("kill -ABRT $$"), Verdict::CompilerCrash);
    assert_eq!(with("sleep 1000"), Verdict::CompilerTimeout);
    assert_eq!(with("echo $n rejected for fun; sleep 1000"), Verdict::CompileError);
    let missing = WasmTarget { command: dir.path().join("nothing"), ..faulty(&dir, 0, "") };
    assert_eq!(run(&module, &missing).verdict, Verdict::InfrastructureFailure);
}

/// After a fault, the next module gets a new process.
#[test]
fn a_fault_costs_one_process() {
    let (_, module) = example();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let once = "[ -e once ] || { touch once; kill -SEGV $$; }";
    let target = faulty(&dir, module.calls.len() + 1, once);
    let mut oracle = WasmOracle::new(binary(), Stop::new()).expect("an oracle");
    let mut verdict =
        || oracle.run(&module, &target, &Limits::default()).expect("a report").verdict;
    assert_eq!(verdict(), Verdict::Agrees);
    assert_eq!(verdict(), Verdict::CompilerCrash);
    assert_eq!(verdict(), Verdict::Agrees);
}

/// A program called `node` that gets every result wrong that ends in 5, but not those of preflight.
#[test]
fn a_finding_has_a_script_that_shows_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let engine = format!("'{}' engine cranelift-none", binary().display());
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo v0; exit; fi\n\
         while read line; do\n\
         if grep -q '\"step' \"$line\"; then fault=; else fault='s/\\( value .*\\) .*5$/\\1 5/'; fi\n\
         echo \"$line\" | {engine} | sed \"$fault\"; done\n"
    );
    let node = dir.path().join("node");
    fs::write(&node, script).expect("a script");
    fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).expect("a script");
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", dir.path().display());
    let findings = dir.path().join("findings");
    let output = Command::new(binary())
        .args([
            "fuzz",
            "wasm",
            "--set",
            "campaign.seed=0",
            "--targets",
            "node",
            "--count",
            "4",
            "--jobs",
            "1",
        ])
        .args(["--set", "campaign.triage=false", "--set", "generate.link.share=0.0", "--dir"])
        .arg(&findings)
        .args(["--set", "generate.graph.blocks=3"])
        .env("PATH", &path)
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let mut entries = fs::read_dir(&findings).expect("a folder").flatten();
    let folder = entries.find(|entry| entry.path().is_dir()).expect("a finding").path();
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.contains("-node-") && name.contains("-wrong-result"), "{name}");
    let text = fs::read_to_string(folder.join("finding.txt")).expect("a text");
    assert!(
        text.starts_with("wrong code: wrong result: node ")
            && (text.contains("actual:   5\n") || text.contains("actual:   memory checksum 5\n")),
        "{text}"
    );
    assert!(folder.join("module.wat").exists());
    let mut repro = Command::new("sh");
    repro.arg(folder.join("repro.sh")).env("PATH", &path);
    assert!(!repro.status().expect("a shell").success(), "the script does not show it");
    repro.env("ENGINE", format!("{} engine cranelift-none", binary().display()));
    assert!(
        repro.status().expect("a shell").success(),
        "the script blames an engine that is right"
    );
}

#[test]
fn what_keeps_a_campaign_from_running_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let fuzz = |args: &[&str]| {
        pathsmith(
            &[
                &["fuzz", "wasm", "--set", "campaign.seed=0", "--count", "1", "--dir", &findings],
                args,
            ]
            .concat(),
        )
    };
    fuzz(&["--targets", "spidermonkey"]).fails(
        2,
        &["there is no engine spidermonkey; expected some of wasmtime, wasmi, node, wasm-interp"],
    );
    fuzz(&["--set", r#"wasm.settings=["warp"]"#])
        .fails(2, &["there is no setting warp; expected some of cranelift-speed"]);
    fuzz(&["--set", "wasm.functions_per_module=0"]).fails(2, &["`functions_per_module` is 0"]);
    fuzz(&["--sanitize"]).fails(2, &["--sanitize is for C compilers only"]);
    pathsmith(&["engine", "warp"]).fails(2, &["invalid value 'warp'"]);
    assert!(!Path::new(&findings).exists(), "what cannot begin leaves nothing behind");
}

/// The adapter of the documentation, and the folder that it is in.
fn adapter() -> PathBuf {
    root().join("docs/examples/engines/wasmtime_adapter.py").canonicalize().expect("a script")
}

/// Stands for PyPI's package: a module with four exports, or none if it is called bad.
const FAKE_WASMTIME: &str = r#"
class WasmtimeError(Exception):
    pass

class Trap(Exception):
    pass

class ValType:
    i32 = i64 = staticmethod(object)

class FuncType:
    def __init__(self, params, results):
        assert (len(params), len(results)) == (3, 1)

class Engine:
    pass

class Store:
    def __init__(self, engine):
        pass

class Module:
    def __init__(self, engine, code):
        if code == b"bad":
            raise WasmtimeError("no\nmodule")

class Linker:
    def __init__(self, engine):
        self.imports = {}

    def define_func(self, module, name, type, function):
        self.imports[module, name] = function

    def instantiate(self, store, module):
        return Instance(self.imports["ps", "crc_add"])

class Instance:
    def __init__(self, crc_add):
        self.crc_add, self.last = crc_add, 0

    def exports(self, store):
        return {"reset": self.reset, "add": self.add, "memory": self.memory, "trap": self.trap}

    def reset(self, store):
        self.last = 0

    def add(self, store, a, b):
        self.last += a + b
        return self.last

    def memory(self, store):
        return self.crc_add(-1, self.last, 4)

    def trap(self, store):
        raise Trap("unreachable\nexecuted")
"#;

#[test]
fn the_adapter_of_the_documentation_speaks_the_protocol() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name);
    fs::write(path("wasmtime.py"), FAKE_WASMTIME).expect("a module");
    fs::write(path("module.wasm"), "good").expect("a module");
    fs::write(path("bad.wasm"), "bad").expect("a module");
    let add = r#"{"export": "add", "args": ["i32:-5", "i64:7"]}"#;
    let keep = r#"{"export": "memory", "args": [], "keep": true}"#;
    let trap = r#"{"export": "trap", "args": []}"#;
    for (name, module) in [("request.json", "module.wasm"), ("bad.json", "bad.wasm")] {
        let request = format!(
            r#"{{"nonce": "3f9a01bc", "module": "{module}", "reset": "reset", "careful": false,
                "calls": [{add}, {add}, {keep}, {trap}, {add}]}}"#
        );
        fs::write(path(name), request).expect("a request");
    }
    let mut command = Command::new("sh");
    command.args(["-c", "printf 'request.json\nbad.json\n' | python3 \"$0\""]).arg(adapter());
    let output = command.env("PYTHONPATH", dir.path()).current_dir(dir.path()).output();
    let output = output.expect("a shell");
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    let expected = [
        "3f9a01bc compiled",
        "3f9a01bc value 0 2",
        "3f9a01bc value 1 2",
        "3f9a01bc value 2 1957881960",
        "3f9a01bc trap 3 unreachable executed",
        "3f9a01bc value 4 2",
    ];
    assert_eq!(
        lines[..6.min(lines.len())],
        expected,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(lines[6].starts_with("3f9a01bc done 5 "), "{said}");
    assert_eq!(lines[7..], ["3f9a01bc rejected no module"]);
}

/// With the package itself, where it is installed.
#[test]
fn the_adapter_of_the_documentation_runs_wasmtime() {
    let import = Command::new("python3").args(["-c", "import wasmtime"]).output();
    if !import.is_ok_and(|output| output.status.success()) {
        skip("python3 has no wasmtime", false);
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let targets = format!(
        "wasm.targets=[{{name = 'py', command = '{}', protocol = 'lines'}}]",
        adapter().display()
    );
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let args = ["fuzz", "wasm", "--count", "8", "--set", "campaign.seed=0", "--set", &targets];
    let run = pathsmith(&[&args[..], &["--dir", &findings]].concat());
    assert!(run.stderr.contains("py default: "), "{}", run.stderr);
    run.blames_no_pathsmith_bug();
}

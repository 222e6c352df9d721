//! Deduplicating findings: targets with planted faults, each of them a script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, COptions, CSource};
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmOptions};
use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
use pathsmith_generate::{GenConfig, ObserveOptions, generate_leaf};
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Toolchain};
use pathsmith_oracles::jvm::{DEFAULT_WARMUP, JavaMachine, JvmOracle, JvmSetting, JvmTarget};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{WasmOracle, WasmTarget};
use pathsmith_oracles::{Launch, Limits, Setting, Signature, TargetSpec, Triage, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use tempfile::TempDir;

/// A small function, by its number.
fn function(dialect: Dialect, number: u64) -> Program {
    let mut config = GenConfig::default();
    config.graph.blocks = 3;
    config.template.share = 0.0;
    config.observe = ObserveOptions::everything();
    let leaf = generate_leaf(&config, dialect, Seed::new(3), number);
    leaf.expect("it is solved").program
}

/// A small program, with `main` in a file of its own, which is compiled once.
fn source(number: u64) -> CSource {
    with_layout(&function(Dialect::C, number), "two-files")
}

fn with_layout(program: &Program, layout: &str) -> CSource {
    let mut options = serde_json::to_value(COptions::default()).expect("options");
    options["layout"] = layout.into();
    let options: COptions = serde_json::from_value(options).expect("options");
    CBackend.lower(program, &options).expect("C")
}

/// Runs an artifact, and asks what it is that is seen.
fn triage<O: Triage>(oracle: &mut O, artifact: &O::Artifact, target: &O::Target) -> Signature {
    let limits = Limits { compile_time: 20, run_time: 5, ..Limits::default() };
    let report = oracle.run(artifact, target, &limits).expect("a report");
    assert!(report.verdict.is_finding(), "{report:?}");
    oracle.signature(artifact, target, &report, &limits).expect("a signature")
}

/// A folder with a script that is called like a target.
fn script(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("faulty");
    fs::write(&path, format!("#!/bin/sh\n{text}")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
    (dir, path)
}

/// Makes every function return something else.
const WRONG: &str = "sed -i 's/return ~ps_crc;/return ~ps_crc ^ 1;/' \"$file\"";

/// A compiler that says it is gcc, and is. `fault` is run for every file that it is given.
fn faulty_gcc(fault: &str) -> (TempDir, PathBuf) {
    script(&format!(
        "if [ \"$1\" = --version ]; then echo faulty 1.0; echo Free Software Foundation; exit; fi\n\
         for file in \"$@\"; do case $file in *.c)\n{fault};;\nesac; done\n\
         exec gcc \"$@\"\n"
    ))
}

/// A compiler that is wrong unless it is given one of these flags.
fn wrong_unless(flags: &[&str]) -> (TempDir, PathBuf) {
    let given: Vec<String> = flags.iter().map(|flag| format!("*' {flag} '*")).collect();
    faulty_gcc(&format!("case \" $* \" in {}) ;; *) {WRONG};; esac", given.join("|")))
}

fn signature_in_c(compiler: &Path, flags: &[&str], number: u64) -> Signature {
    signature_of(&source(number), compiler, flags)
}

fn signature_of(source: &CSource, compiler: &Path, flags: &[&str]) -> Signature {
    let toolchain =
        Toolchain::new(&TargetSpec::new("faulty", compiler), &Stop::new()).expect("a compiler");
    let target = CTarget { toolchain, setting: CSetting::named(&flags.join(" "), flags) };
    triage(&mut COracle::new(Stop::new()).expect("an oracle"), source, &target)
}

#[test]
fn two_faults_have_two_keys_and_one_fault_has_one() {
    let (_keep, slsr) = wrong_unless(&["-fno-tree-slsr"]);
    let (_keep, ter) = wrong_unless(&["-fno-tree-ter"]);
    for (compiler, number, expected) in [
        (&slsr, 0, "gcc: wrong result: tree-slsr"),
        (&slsr, 1, "gcc: wrong result: tree-slsr"),
        (&ter, 0, "gcc: wrong result: tree-ter"),
    ] {
        assert_eq!(signature_in_c(compiler, &["-O1"], number).key(), expected);
    }
}

#[test]
fn all_suppressing_flags_are_named_in_the_order_of_the_compiler() {
    let (_keep, compiler) = wrong_unless(&["-fno-tree-ter", "-fno-ivopts", "-fno-tree-ccp"]);
    let found = signature_in_c(&compiler, &["-O1"], 0);
    assert_eq!(found.suspected_causes, ["ivopts", "tree-ccp", "tree-ter"]);
    assert_eq!(found.detail, None);
}

/// A program that gcc 12 makes an endless loop of at -O3, until `tree-slsr` or `tree-ter` is
/// switched off. Here it has a compiler that goes wrong at -O1, where gcc 12 does not.
#[test]
fn a_program_that_gcc_got_wrong() {
    let text = include_str!("../docs/findings/gcc-12-endless-loop.sym");
    let program = pathsmith_symlang::lang::text::parse("endless", text).expect("a program");
    let endless = "sed -i 's/return ~ps_crc;/for (volatile int on = 1; on;) {} &/' \"$file\"";
    let (_keep, compiler) = faulty_gcc(&format!(
        "case \" $* \" in *' -fno-tree-slsr '*|*' -fno-tree-ter '*) ;; *) {endless};; esac"
    ));
    let found = signature_of(&with_layout(&program, "two-files"), &compiler, &["-O1"]);
    assert_eq!(found.key(), "gcc: hang: tree-slsr, tree-ter");
}

/// The same program and the real compiler, where it is here: the flag that names the bug is the
/// specific one, and not `-fno-tree-ter`, which suppresses much else.
#[test]
fn the_bug_of_a_real_compiler_is_named_by_its_most_specific_flag() {
    let gcc = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &Stop::new()).expect("a compiler");
    if !gcc.version.contains(" 12.2.0") {
        return;
    }
    let text = include_str!("../docs/findings/gcc-12-endless-loop.sym");
    let program = pathsmith_symlang::lang::text::parse("endless", text).expect("a program");
    let target = CTarget { toolchain: gcc, setting: CSetting::level("-O3") };
    let mut oracle = COracle::new(Stop::new()).expect("an oracle");
    let found = triage(&mut oracle, &with_layout(&program, "two-files"), &target);
    assert_eq!(found.suppressing_flags[0].flag, "-fno-tree-slsr", "{found:?}");
    assert!(!found.suppressing_flags[0].is_broad);
}

#[test]
fn flags_that_a_finding_needs_are_a_detail() {
    let fault = format!("case \" $* \" in *' -fno-tree-ter '*) ;; *' -fwrapv '*) {WRONG};; esac");
    let (_keep, compiler) = faulty_gcc(&fault);
    let found = signature_in_c(&compiler, &["-O1", "-fno-ivopts", "-fwrapv", "-fno-plt"], 0);
    assert_eq!(found.key(), "gcc: wrong result: tree-ter");
    assert_eq!(found.detail.as_deref(), Some("with -fwrapv"));
}

/// What no flag suppresses is bisected to a pass.
#[test]
fn without_a_suppressing_flag_a_pass_is_named() {
    let fault = format!("case \" $* \" in *' -fdisable-tree-phiopt2 '*) ;; *) {WRONG};; esac");
    let (_keep, compiler) = faulty_gcc(&fault);
    let found = signature_in_c(&compiler, &["-O1"], 0);
    assert_eq!(found.key(), "gcc: wrong result: pass tree-phiopt");
    assert_eq!(found.detail.as_deref(), Some("bisected to pass tree-phiopt2"));
}

#[test]
fn what_nothing_suppresses_is_named_by_its_level() {
    let (_keep, compiler) = faulty_gcc(WRONG);
    assert_eq!(signature_in_c(&compiler, &["-O1"], 0).key(), "gcc: wrong result: -O1");
}

#[test]
fn a_crash_is_known_by_what_the_compiler_says() {
    let crash = |text: &str| faulty_gcc(&format!("echo \"{text}\" >&2; exit 4"));
    let at = |line: u32| {
        let text = format!(
            "during GIMPLE pass: slsr\n$file:$$:1: internal compiler error: in replace_ref, \
             at gimple-ssa-strength.cc:{line}\n0x$$ replace_ref"
        );
        let (_keep, compiler) = crash(&text);
        signature_in_c(&compiler, &["-O2"], u64::from(line % 2))
    };
    let (first, second) = (at(1899), at(1902));
    let expected = "gcc: compiler crash: in replace_ref, at gimple-ssa-strength.cc";
    assert_eq!((&first.key()[..], &second.key()[..]), (expected, expected));
    assert_eq!(first.detail.as_deref(), Some("during GIMPLE pass: slsr"));
    let (_keep, silent) = faulty_gcc("kill -SEGV $$");
    assert_eq!(signature_in_c(&silent, &["-O2"], 0).key(), "gcc: compiler crash: SIGSEGV");
}

/// A compiler that says it is clang, and counts its passes. It is wrong from `n` of them on.
fn faulty_clang(n: u32) -> (TempDir, PathBuf) {
    script(&format!(
        "if [ \"$1\" = --version ]; then echo clang version 14.0.0; exit; fi\n\
         limit=-1\n\
         for arg; do shift\n\
         case $arg in -mllvm|-fbracket-depth=*) ;; -opt-bisect-limit=*) limit=${{arg#*=}}; loud=1;;\n\
         *) set -- \"$@\" \"$arg\";; esac\n\
         done\n\
         n=40; [ $limit -ge 0 ] && [ $limit -lt 40 ] && n=$limit\n\
         i=0; [ -n \"$loud\" ] && while [ $i -lt $n ]; do i=$((i + 1)); \
         echo \"BISECT: running pass ($i) Pass$((i / 10))x on f0\" >&2; done\n\
         for file in \"$@\"; do case $file in *.c) [ $n -ge {n} ] && {WRONG};; esac; done\n\
         exec gcc \"$@\"\n"
    ))
}

#[test]
fn a_pass_of_clang_is_found_by_halving() {
    let (_keep, compiler) = faulty_clang(17);
    let found = signature_in_c(&compiler, &["-O2"], 0);
    assert_eq!(found.key(), "clang: wrong result: Pass1x");
    assert_eq!(found.detail.as_deref(), Some("pass 17, Pass1x on f0"));
    let (_keep, compiler) = faulty_clang(0);
    assert_eq!(signature_in_c(&compiler, &["-O2"], 0).key(), "clang: wrong result: -O2");
}

/// A program of several files: each of them is counted alone.
#[test]
fn passes_are_counted_file_by_file() {
    let mut program = function(Dialect::C, 0);
    program.append(&function(Dialect::C, 1));
    let source = with_layout(&program, "file-per-function");
    assert!(source.files.len() > 1);
    let (_keep, compiler) = faulty_clang(33);
    let toolchain =
        Toolchain::new(&TargetSpec::new("faulty", &compiler), &Stop::new()).expect("a compiler");
    let target = CTarget { toolchain, setting: CSetting::level("-O1") };
    let found = triage(&mut COracle::new(Stop::new()).expect("an oracle"), &source, &target);
    assert_eq!(found.key(), "clang: wrong result: Pass3x");
    assert_eq!(found.detail.as_deref(), Some("pass 33, Pass3x on f0"));
}

/// A host that knows what calls return and leave, but the first if its argument is `wrong`.
const FAKE_HOST: &str = r#"
import struct, sys
for line in sys.stdin:
    data, at = open(line.strip(), "rb").read(), 1
    def number():
        global at
        at += 4
        return struct.unpack(">i", data[at - 4:at])[0]
    def taken():
        global at
        n = number()
        at += n
        return data[at - n:at].decode("latin-1")
    nonce = taken()
    for _ in range(2 * number()):
        taken()
    for _ in range(number()):
        number()
        n_args = number()
        at += 8 * n_args
    steps = [(number(), number()) for _ in range(number())]
    print(nonce, "loaded")
    for i, (value, left) in enumerate(RESULTS):
        is_wrong = i == 0 and sys.argv[1] == "wrong"
        print(nonce, "returned", i, value ^ 1 if is_wrong else value, left)
    print(nonce, "done", len(RESULTS), sum(times for _, times in steps), flush=True)
"#;

/// A JVM that is a script: it is wrong if none of the flags `suppressing` is among its arguments.
fn faulty_jvm(classes: &JvmClasses, suppressing: &[&str]) -> (TempDir, JavaMachine) {
    let results = classes
        .calls
        .iter()
        .map(|call| format!("({}, {})", call.expected.word(), call.leaving.unwrap_or_default()));
    let results: Vec<String> = results.collect();
    let host = FAKE_HOST.replace("RESULTS", &format!("[{}]", results.join(", ")));
    let suppressing: Vec<String> = suppressing.iter().map(|flag| format!("*'{flag} '*")).collect();
    let (dir, command) = script(&format!(
        "case \" $* \" in\n*PrintFlagsFinal*)\n\
         echo 'bool PartialPeelLoop = true {{C2 product}} {{default}}'\n\
         echo 'bool UseSuperWord = true {{C2 product}} {{default}}'\n\
         echo 'bool UseC1Optimizations = true {{C1 product}} {{default}}'\n\
         exit;;\n*' -version '*) exit;;\nesac\n\
         echo ready\n\
         case \" $* \" in {}) how=right;; *) how=wrong;; esac\n\
         exec python3 -c '{host}' $how\n",
        suppressing.join("|"),
    ));
    let version = "faulty 1.0".to_owned();
    let (path, launch) = (command.clone(), Launch::default());
    (dir, JavaMachine { name: "java".to_owned(), command, version, is_hotspot: true, path, launch })
}

fn signature_in_jvm(classes: &JvmClasses, machine: &JavaMachine, setting: &str) -> Signature {
    let mut settings = JvmSetting::built_in(machine, DEFAULT_WARMUP).into_iter();
    let setting = settings.find(|known| known.name.name() == Some(setting)).expect("a setting");
    let target = JvmTarget { machine: machine.clone(), setting };
    triage(&mut JvmOracle::new(Stop::new()).expect("an oracle"), classes, &target)
}

#[test]
fn a_compiler_of_a_jvm_its_optimization_and_the_method_are_named() {
    let classes = JvmBackend.lower(&function(Dialect::Jvm, 0), &JvmOptions::default());
    let classes = classes.expect("classes");
    let method = format!("exclude,*.{}", classes.methods[0].0);
    let suppressing = ["-Xint", "TieredStopAtLevel=1", "-XX:-UseSuperWord", &method];
    let (_keep, machine) = faulty_jvm(&classes, &suppressing);
    let found = [
        signature_in_jvm(&classes, &machine, "tiered"),
        signature_in_jvm(&classes, &machine, "c2"),
    ];
    for found in found {
        assert_eq!(found.key(), "java: wrong result: c2, UseSuperWord");
        let detail = format!("{} has to be compiled", classes.methods[0].0);
        assert_eq!(found.detail.as_deref(), Some(&detail[..]));
    }
    let (_keep, machine) = faulty_jvm(&classes, &["-Xcomp"]);
    let found = signature_in_jvm(&classes, &machine, "tiered");
    assert_eq!(found.key(), "java: wrong result: int");
}

#[test]
fn settings_of_an_engine_that_show_it_are_named() {
    let program = function(Dialect::Wasm, 0);
    let module = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
    let values = |wrong: i64| -> String {
        let answer = |(i, call): (usize, &pathsmith_backend_wasm::WasmCall)| {
            let value = call.raw_expected();
            format!("echo $n value {i} {}\n", if i == 0 { value ^ wrong } else { value })
        };
        module.calls.iter().enumerate().map(answer).collect()
    };
    let faulty = |settings: &str| {
        script(&format!(
            "while read x; do n=$(head -c 18 $x | tail -c 8); echo $n compiled\ncase $2 in {settings})\n{};;\n*)\n{};;\nesac\n\
             echo $n done {} 1 1 1; done\n",
            values(1),
            values(0),
            module.calls.len()
        ))
    };
    let mut oracle = WasmOracle::new(PathBuf::from("none"), Stop::new()).expect("an oracle");
    let mut key = |settings: &str, setting: &str| {
        let (_keep, command) = faulty(settings);
        let target = WasmTarget {
            name: "wasmtime".to_owned(),
            engine: "wasmtime".to_owned(),
            version: String::new(),
            setting: Setting::named(setting),
            path: command.clone(),
            launch: Launch::default(),
            command,
            args: vec!["engine".to_owned(), setting.to_owned()],
        };
        let found = triage(&mut oracle, &module, &target);
        assert_eq!(found.verdict, Verdict::WrongResult);
        oracle = WasmOracle::new(PathBuf::from("none"), Stop::new()).expect("an oracle");
        found.key()
    };
    let expected = "wasmtime: wrong result: cranelift-speed, cranelift-size";
    assert_eq!(key("cranelift-s[pi][ez]e*", "cranelift-speed"), expected);
    assert_eq!(key("cranelift-s[pi][ez]e*", "cranelift-size"), expected);
    assert_eq!(key("*", "winch"), "wasmtime: wrong result: every setting");
}

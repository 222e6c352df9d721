//! Whole programs: made, lowered in all ways, and run on what is there.

mod support;

use std::path::Path;
use std::process::Command;

use pathsmith_backend::Backend;
use pathsmith_backend_c::{
    CBackend, COptions, CallKind, FileLayout, FunctionOptions, Linkage, Placement, Storage,
};
use pathsmith_generate::link::{LinkStats, Linked};
use pathsmith_generate::{GenConfig, generate_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Calls, Ending, Program, Scalar};
use support::tools::{OWN_COMPILER, OWN_ENGINES};
use support::{Run, pathsmith, pathsmith_with_input};
use tempfile::TempDir;

fn linked(number: u64) -> Linked {
    generate_program(&GenConfig::default(), Dialect::C, Seed::new(2), number).expect("a program")
}

fn fuzz(kind: &str, more: &[&str]) -> (TempDir, Run) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let args = [
        "fuzz",
        kind,
        "--set",
        "campaign.seed=0",
        "--dir",
        &findings,
        "--set",
        "generate.link.share=1.0",
    ];
    let run = pathsmith(&[&args[..], more].concat());
    (dir, run)
}

#[test]
fn programs_are_made_and_hold() {
    for dialect in ["c", "wasm", "jvm"] {
        let args = ["gen", "--functions", "10", "--count", "20", "--dialect", dialect];
        let programs = pathsmith(&args).ok();
        assert!(programs.contains("fn f19_9("), "{programs}");
        pathsmith_with_input(&["check", "-"], programs.as_bytes()).ok();
        assert_eq!(pathsmith(&[&args[..], &["--jobs", "1"]].concat()).ok(), programs);
    }
    let one = pathsmith(&["gen", "--functions", "3"]).ok();
    assert!(one.contains("main f0;"), "{one}");
    let pooled = ["gen", "--functions", "5", "--pool", "20", "--count", "50"];
    let pooled = pathsmith(&pooled).ok();
    pathsmith_with_input(&["check", "-"], pooled.as_bytes()).ok();
}

#[test]
fn what_makes_no_sense_is_said() {
    pathsmith(&["gen", "--functions", "0"]).fails(2, &["section `link`: `functions` is 0"]);
    pathsmith(&["gen", "--pool", "5"]).fails(2, &["--functions"]);
    pathsmith(&["gen", "--functions", "9", "--pool", "5"])
        .fails(2, &["--pool is 5, but programs have 9 functions"]);
    pathsmith(&["gen", "--set", "link.steps=0"]).fails(2, &["section `link`: `steps` is 0"]);
}

/// The full-sized run is `pathsmith fuzz c --count 50000 --set generate.link.share=1.0
/// --set 'c.levels=["-O0"]' --set c.random_settings=0`.
#[test]
fn compilers_agree_without_optimization() {
    let unoptimized = ["--set", r#"c.levels=["-O0"]"#, "--set", "c.random_settings=0"];
    let more = [&unoptimized[..], &["--count", "40", "--targets", OWN_COMPILER]].concat();
    let (_dir, run) = fuzz("c", &more);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// Calls through pointers, in files of their own, with link-time optimization. Values are tame:
/// what has boundary values shows bugs of gcc.
#[test]
fn calls_across_files_and_through_pointers() {
    let style = ["c.style.file_per_function=1.0", "c.style.pointers=0.5"];
    let lto = [r#"c.lto=["-O2"]"#, "c.levels=[\"-O1\"]", "c.random_settings=0"];
    let tame =
        ["generate.policy.boundary=0", "generate.policy.order=0", "generate.policy.related=0"];
    let mut more = vec!["--count", "8", "--targets", "gcc"];
    for setting in style.iter().chain(&lto).chain(&tame) {
        more.extend(["--set", *setting]);
    }
    let (_dir, run) = fuzz("c", &more);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("-O2-flto: "), "{}", run.stderr);
}

#[test]
fn sanitizers_find_nothing() {
    let (_dir, run) = fuzz("c", &["--sanitize", "--count", "8", "--targets", OWN_COMPILER]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// Calls through tables, and guards that end with tail calls where the engine knows them.
#[test]
fn engines_agree() {
    let tables = ["--count", "30", "--set", "wasm.style.tables=0.5"];
    fuzz("wasm", &tables).1.blames_no_pathsmith_bug();
    let (_dir, run) = fuzz("wasm", &[&tables[..], &["--targets", OWN_ENGINES]].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let tail_calls = [
        "--count",
        "30",
        "--targets",
        "wasmtime",
        "--set",
        "wasm.style.tail_calls=1.0",
        "--set",
        r#"wasm.settings=["cranelift-speed", "cranelift-none"]"#,
    ];
    let (_dir, run) = fuzz("wasm", &tail_calls);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn many_programs_recurse_and_call_in_loops() {
    let mut stats = LinkStats::default();
    (0..100).for_each(|number| stats.add(&linked(number)));
    assert!(stats.n_recursive >= 30, "{} of 100 recurse", stats.n_recursive);
    assert!(stats.n_in_loops >= 50, "{} of 100 call in loops", stats.n_in_loops);
    assert!(stats.n_functions_run >= 700, "{} of 1000 functions run", stats.n_functions_run);
}

fn assembly(program: &Program, options: &COptions, flags: &[&str]) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = CBackend.lower(program, options).expect("C");
    let file = &source.files[0];
    std::fs::write(dir.path().join(&file.name), &file.text).expect("a file");
    let output = Path::new("out.s");
    let status = Command::new("gcc")
        .args(flags)
        .args(["-w", "-S", "-o"])
        .arg(output)
        .arg(&file.name)
        .current_dir(dir.path())
        .status()
        .expect("gcc runs");
    assert!(status.success());
    std::fs::read_to_string(dir.path().join(output)).expect("assembly")
}

fn with_linkage(program: &Program, linkage: Linkage) -> COptions {
    let function = FunctionOptions { linkage, ..FunctionOptions::default() };
    COptions {
        layout: FileLayout::TwoFiles,
        functions: vec![function; program.functions.len()],
        globals: vec![
            Placement { storage: Storage::Static, volatile: false, constant: false };
            program.globals.len()
        ],
    }
}

/// How many functions are still called at all.
fn n_called(program: &Program, assembly: &str) -> usize {
    let is_called = |name: &str| {
        assembly.lines().any(|line| {
            let mut words = line.split_whitespace();
            matches!(words.next(), Some("call" | "jmp"))
                && words.next().is_some_and(|to| to.split(['.', '@']).next() == Some(name))
        })
    };
    program.functions.iter().filter(|function| is_called(&function.name)).count()
}

#[test]
fn gcc_really_inlines() {
    let (mut plain, mut inlined) = (0, 0);
    for number in 0..5 {
        let program = linked(number).program;
        let calls = Calls::new(&program);
        let n = (0..program.functions.len())
            .filter(|id| calls.is_called(pathsmith_symlang::FuncId::new(*id)))
            .count();
        let kept = assembly(&program, &with_linkage(&program, Linkage::NoIpa), &["-O2"]);
        let n_kept = n_called(&program, &kept);
        assert!(n_kept >= n, "{n_kept} functions are called, but the program calls {n}");
        plain += n_kept;
        let free = assembly(&program, &with_linkage(&program, Linkage::Static), &["-O2"]);
        inlined += n_kept - n_called(&program, &free);
    }
    assert!(inlined * 4 > plain, "{inlined} of {plain} functions are gone");
}

/// A compiler that knew what is expected could make it come true.
#[test]
fn expected_values_cannot_be_read_off() {
    let program = linked(1).program;
    let mut other = program.clone();
    for realization in &mut other.functions[0].realizations {
        let output = realization.ending.returned().expect("an output");
        let other = Scalar::new(output.ty(), output.word() ^ 0x55);
        realization.ending = Ending::Returns(other);
    }
    // Everything but the table of what is expected.
    let code = |program: &Program| {
        let text = assembly(program, &with_linkage(program, Linkage::Static), &["-O2"]);
        let (before, rest) = text.split_once("ps_out_f1:").expect("the table");
        let after = rest.lines().skip_while(|line| {
            line.is_empty() || [".quad", ".zero"].iter().any(|word| line.trim().starts_with(word))
        });
        format!("{before}{}", after.collect::<Vec<_>>().join("\n"))
    };
    assert_ne!(program, other);
    assert_eq!(code(&program), code(&other));
}

#[test]
fn pointers_can_be_seen_in_the_source() {
    let program = linked(3).program;
    let mut options = with_linkage(&program, Linkage::Plain);
    for function in &mut options.functions {
        function.call = CallKind::VolatilePointer;
    }
    let source = CBackend.lower(&program, &options).expect("C");
    let text = &source.files[0].text;
    assert!(text.contains("(*volatile ps_to_f3_1)("), "{text}");
    assert!(text.contains(" ps_to_f3_1("), "{text}");
}

//! Settings of C compilers: none may change what a correct program returns, and none may need what
//! this machine does not have. Otherwise a setting would look like a bug of the compiler.

mod support;

use std::fs;
use std::process::{Command, Stdio};

use pathsmith_oracles::TargetSpec;
use pathsmith_oracles::c::{FlagPool, Toolchain, changes_meaning, has_instruction_set};
use pathsmith_oracles::process::Stop;
use support::workshop::{GUILTY, Workshop, edit, edit_all};

/// A compiler that says of `-march=x86-64-v4` that it uses what no processor has all of: one maker
/// has dropped the first before another introduced the second. What it makes with that flag is
/// wrong.
fn for_no_processor() -> Workshop {
    let wrong = edit_all(support::workshop::ANY, support::workshop::WRONG);
    let workshop = Workshop::against(
        support::workshop::ANY,
        &format!("case \"$*\" in *-march=x86-64-v4*)\n{wrong};;\nesac"),
    );
    let path = workshop.dir.path().join("faulty");
    let script = fs::read_to_string(&path).expect("a script");
    let says = "case \"$*\" in *-march=x86-64-v4*-dM*)\n\
                echo '#define __TBM__ 1'; echo '#define __AVX512VP2INTERSECT__ 1'; exit;;\nesac\n\
                here=";
    fs::write(&path, script.replacen("here=", says, 1)).expect("a script");
    workshop
}

#[test]
fn random_flags_keep_the_meaning_of_programs() {
    let stop = Stop::new();
    // gcc is on every machine that builds pathsmith; the others are checked where they are.
    let gcc = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &stop).expect("a compiler");
    let others = ["clang", "clang-14", "clang-22"].into_iter();
    let others = others.filter_map(|name| Toolchain::new(&TargetSpec::new(name, name), &stop).ok());
    for toolchain in std::iter::once(gcc).chain(others) {
        let name = toolchain.name.clone();
        let pool = FlagPool::new(&toolchain, &stop).expect("flags");
        let bad: Vec<&String> = pool.flags().iter().filter(|flag| changes_meaning(flag)).collect();
        assert!(bad.is_empty(), "{name}: {bad:?}");
        // Of flags that are known to be harmful, none is there in any form.
        for word in ["fast-math", "finite-math-only", "trapv", "short-enums", "unsigned-char"] {
            let flag = format!("-f{word}");
            assert!(!pool.flags().contains(&flag), "{name}: {flag}");
        }
        // This one defines more, and is welcome.
        assert!(pool.flags().contains(&"-fwrapv".to_owned()), "{name}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_errors() {
    let workshop = for_no_processor();
    let fails = |extras: &str, message: &str| {
        let run = workshop.fuzz("1", &["--set", &format!("c.extras={{ mine = [{extras}] }}")]);
        run.fails(2, &["the target faulty cannot be used: in the setting mine: ", message]);
    };
    fails(r#""-O2", "-ffast-math""#, "-ffast-math changes what a correct program returns");
    fails(r#""-O2", "-fno-signed-zeros""#, "-fno-signed-zeros changes");
    fails(r#""-O2", "-fno-such-thing""#, "it does not take a program that is known to be good: ");
    // Processors with the other feature exist; tbm has not been built for ten years.
    fails(r#""-O2", "-march=x86-64-v4""#, "the processor lacks tbm");
    let run = workshop.fuzz("1", &["--set", r#"c.levels=["-Ofast"]"#]);
    run.fails(2, &["in the setting -Ofast: -Ofast changes what a correct program returns"]);
}

/// An instruction set that the processor does not have is not offered, so that its wrong code is
/// never run.
#[test]
fn instruction_sets_of_other_processors_are_left_out() {
    let workshop = for_no_processor();
    let sets = ["--set", r#"c.instruction_sets=["x86-64-v4", "no-such-processor"]"#];
    let run = workshop.fuzz("32", &sets);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(!run.stderr.contains("x86-64-v4"), "{}", run.stderr);
}

/// A finding in code for an instruction set says so, and its script compiles for it. This one has no
/// operation that does the work of two: preflight would refuse the compiler, which pathsmith does not
/// know for gcc, and so does not tell to do without.
#[test]
fn a_finding_names_its_instruction_set() {
    let stop = Stop::new();
    let gcc = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &stop).expect("a compiler");
    if !has_instruction_set(&gcc, "x86-64-v2", &stop).expect("an answer") {
        support::tools::skip("this processor has no SSE4.2", false);
        return;
    }
    let wrong = edit(support::workshop::WRONG);
    let fault = format!("case \"$*\" in *-march=x86-64-v2*)\n{wrong};;\nesac");
    let workshop = Workshop::against(GUILTY, &fault);
    let levels = ["--set", r#"c.levels=["-O1", "-O2"]"#, "--set", "campaign.reduce=false"];
    let sets = ["--set", r#"c.instruction_sets=["x86-64-v2"]"#];
    let run = workshop.fuzz("8", &[&levels[..], &sets].concat());
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let name = "wrong code: wrong result: faulty -O2-march=x86-64-v2: f5(";
    assert!(run.stdout.contains(name), "{}", run.stdout);
    assert!(run.stderr.contains("faulty 1.0, x86-64-v2"), "{}", run.stderr);
    let script = workshop.finding().join("repro.sh");
    let text = fs::read_to_string(&script).expect("a script");
    assert!(text.contains("-O2 -march=x86-64-v2"), "{text}");
    let run = |vars: &[(&str, &str)]| {
        let mut command = Command::new("sh");
        command.arg(&script).envs(vars.iter().copied());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.expect("a shell").code()
    };
    assert_eq!(run(&[("CC", "gcc")]), Some(0), "the script blames a compiler that is right");
    assert_eq!(run(&[("CC", "gcc"), ("CFLAGS", "-O1")]), Some(0));
    assert_eq!(run(&[("CC", "gcc"), ("CFLAGS", "-march=no-such-processor")]), Some(125));
    // Last, because this compiler changes the files that it is given.
    assert_eq!(run(&[]), Some(1), "the script does not show it");
}

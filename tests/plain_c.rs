//! Plain C: what it looks like, that compilers take it without a warning, and that it does what the
//! interpreter does.

mod support;

use std::process::Command;

use pathsmith_backend::Style;
use pathsmith_backend_c::{
    Arguments, Arrangement, COptions, CStyle, Control, FileLayout, FunctionOptions, Initialised,
    Linkage, PlainMain, PlainOptions, plain_c,
};
use pathsmith_campaign::Finding;
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Toolchain, Witnesses};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, TargetSpec, Verdict};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, Notation, Program, Scalar, UnOp, ValueTy};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{FuncId, Seed};
use support::workshop::{WRONG, Workshop, edit};

fn gcc() -> CTarget {
    let toolchain = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &Stop::new()).expect("gcc");
    CTarget { toolchain, setting: CSetting::level("-O0") }
}

fn options(program: &Program, id: FuncId, lowering: COptions) -> PlainOptions {
    let n_realizations = program.function(id).realizations.len();
    PlainOptions {
        lowering,
        has_noipa: true,
        arguments: Arguments::Literal,
        initialised: Initialised::AtEntry,
        arrangement: Arrangement::WithForLoops,
        main: PlainMain::Returned(id, (0..n_realizations).collect()),
    }
}

fn structured(program: &Program) -> COptions {
    let function = FunctionOptions {
        control: Control::Structured,
        linkage: Linkage::NoIpa,
        ..FunctionOptions::default()
    };
    COptions { functions: vec![function; program.functions.len()], ..COptions::default() }
}

/// Whatever the generator makes, with whatever options, returns what it should.
#[test]
fn plain_c_returns_what_the_interpreter_does() {
    let mut oracle = COracle::new(Stop::new()).expect("an oracle");
    let gcc = gcc();
    let style = CStyle { checked: 0.3, uninitialised: 0.5, ..CStyle::default() };
    let mut n_checked = 0;
    for number in 0..120 {
        let leaf = generate_leaf(&GenConfig::default(), Dialect::C, Seed::new(17), number);
        let Ok(leaf) = leaf else { continue };
        let program = &leaf.program;
        let mut drawn = style.choose(program, &mut Seed::new(number).rng());
        drawn.layout = FileLayout::OneFile;
        for function in &mut drawn.functions {
            function.inputs = Default::default();
        }
        for lowering in [structured(program), drawn] {
            for (id, function) in program.functions_with_ids() {
                if function.realizations.is_empty() {
                    continue;
                }
                let mut plain = options(program, id, lowering.clone());
                let text = match plain_c(program, &plain) {
                    Ok(text) => text,
                    // Functions that assign globals are called once.
                    Err(_) => {
                        plain.main = PlainMain::Returned(id, vec![0]);
                        plain_c(program, &plain).expect("plain C")
                    }
                };
                let report = oracle.run_plain(&text, &gcc, true, &Limits::default());
                let report = report.expect("a report");
                assert_eq!(
                    report.verdict,
                    Verdict::Agrees,
                    "{:?}\n{program}\n{text}",
                    report.evidence
                );
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 100, "{n_checked}");
}

/// Every operator at every type, with operands that are variables, constants and narrow: compilers
/// take it without a warning, and it returns what the semantics say.
#[test]
fn all_operators_compile_without_a_warning() {
    let mut oracle = COracle::new(Stop::new()).expect("an oracle");
    let mut gcc = gcc();
    let strict = ["-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"];
    gcc.setting = CSetting::named("strict", &strict);
    for ty in ValueTy::ALL {
        let number = |word: i64| Scalar::new(ty.stored_as(), word).to_string();
        let of = |whole: i64| table::cast(ValueTy::CONDITION, ty.stored_as(), whole).word;
        let (a, b) = (of(100), of(7));
        let sum = table::binary(BinOp::Add, ty, a, b).word;
        let mut text = String::from("dialect c;\n");
        let mut add = |expr: String, ret: ValueTy, word: i64| {
            let n = text.matches("fn ").count() + 1;
            let output = Scalar::new(ret.stored_as(), word);
            text += &format!(
                "fn g{n}(a: {ty}, b: {ty}) -> {ret} {{ entry: return {expr}; }}\n\
                 realize g{n}({}, {}) = {output} via entry;\n",
                number(a),
                number(b),
            );
        };
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            for (operand, value) in [("a", a), ("(a + b)", sum)] {
                let expr = match op.notation() {
                    Notation::Named(word) => format!("{word}({operand})"),
                    Notation::Prefix(word) | Notation::Infix(word, _) => format!("{word}{operand}"),
                };
                add(expr, op.result_ty(ty), table::unary(op, ty, value).word);
            }
        }
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            let written = |lhs: &str, rhs: &str| match op.notation() {
                Notation::Named(word) => format!("{word}({lhs}, {rhs})"),
                Notation::Prefix(word) | Notation::Infix(word, _) => format!("{lhs} {word} {rhs}"),
            };
            let ret = op.result_ty(ty);
            let word = table::binary(op, ty, a, b).word;
            add(written("a", "b"), ret, word);
            add(written("a", &format!("{}{ty}", number(b))), ret, word);
            add(written("(a + b - b)", "(b * 1)").replace(" 1)", &format!(" 1{ty})")), ret, word);
        }
        let program = parse("operators", &text).expect("a valid program");
        for (id, _) in program.functions_with_ids() {
            let plain = options(&program, id, structured(&program));
            let text = plain_c(&program, &plain).expect("plain C");
            let report = oracle.run_plain(&text, &gcc, true, &Limits::default()).expect("a report");
            assert_eq!(report.verdict, Verdict::Agrees, "{:?}\n{text}", report.evidence);
        }
    }
}

/// The program of a finding in gcc 12 becomes a short file that gcc 12 gets wrong, and that no other
/// compiler objects to.
#[test]
fn a_finding_in_gcc_12_becomes_a_short_file() {
    let gcc = gcc();
    if !gcc.toolchain.version.contains(" 12.") {
        support::tools::skip("gcc is not gcc 12", false);
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("bug.c");
    let program =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/findings/gcc-12-loop-runs-twice.sym");
    let path = file.to_string_lossy().into_owned();
    let run = support::pathsmith(&["reduce", program, "--target", "gcc", "-o", &path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("right at -O0 with gcc"), "{}", run.stderr);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.lines().count() <= 15 && text.starts_with("// gcc -O2 bug.c && "), "{text}");
    let compiled = |level: &str| {
        let product = dir.path().join("bug");
        let status = Command::new("gcc").arg(level).arg(&file).arg("-o").arg(&product).status();
        assert!(status.expect("gcc").success(), "{text}");
        let mut program = Command::new("timeout");
        program.arg("5").arg(product).status().expect("a program").success()
    };
    assert!(compiled("-O0") && !compiled("-O2"), "{text}");
}

/// A compiler that is right has no bug to be shown.
#[test]
fn a_program_that_is_right_has_no_file() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/figure1.sym");
    let run = support::pathsmith(&["reduce", program, "--target", "gcc", "--flags=-O1"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("no form in plain C shows it"), "{}", run.stderr);
    let run = support::pathsmith(&["reduce", program, "--target", "/nowhere/cc"]);
    run.fails(2, &["there is no /nowhere/cc"]);
    let run = support::pathsmith(&["reduce", program, "--target", "gcc", "--flags=-fno-such-flag"]);
    run.fails(2, &["-fno-such-flag"]);
}

/// Compilers without the runtime of their sanitizers are no witnesses for them.
#[test]
fn witnesses_are_those_that_work() {
    let witnesses = Witnesses::at_hand(&gcc(), &Stop::new()).expect("witnesses");
    assert!(!witnesses.plain.is_empty());
    let mut oracle = COracle::new(Stop::new()).expect("an oracle");
    let limits = Limits::default();
    let good = "int main(void) { return 0; }\n";
    assert_eq!(witnesses.objection(&mut oracle, good, true, &limits).expect("an answer"), None);
    let wrong = "int main(void) { __builtin_abort(); }\n";
    let why = witnesses.objection(&mut oracle, wrong, true, &limits).expect("an answer");
    assert!(why.is_some_and(|why| why.contains("wrong result")));
    if !witnesses.sanitizers.is_empty() {
        let undefined = "int main(int n, char **v) { n += 2147483647; return v == 0; }\n";
        let why = witnesses.objection(&mut oracle, undefined, true, &limits).expect("an answer");
        assert!(why.is_some_and(|why| why.contains("sanitizer")));
    }
}

/// A compiler that gets divisions wrong when it optimizes, and leaves the files alone that it is
/// given.
fn wrong_divisions() -> Workshop {
    let workshop = Workshop::new("true");
    let path = workshop.dir.path().join("faulty");
    let script = std::fs::read_to_string(&path).expect("a script");
    let fault = "case \"$*\" in *-O[123s]*bug.c*)\n\
                 sed 's, / , * ,' bug.c > \"$here/wrong.c\"\n\
                 set -- $(echo \"$*\" | sed \"s,bug.c,$here/wrong.c,\");;\n\
                 esac\n";
    std::fs::write(&path, script.replace("exec gcc", &format!("{fault}exec gcc")))
        .expect("a script");
    workshop
}

/// What a compiler gets wrong is all that is left, whatever compiler it is.
#[test]
fn a_faulty_compiler_is_shown_by_what_it_gets_wrong() {
    let workshop = wrong_divisions();
    let program = workshop.dir.path().join("program.sym");
    let text = "dialect c;
        fn f(a: i32, b: i32) -> i32 {
            var i: i32 = 0;
            var s: i32 = 0;
        entry: goto head;
        head: if i < 3 goto body else exit;
        body: s = s + a / b; i = i + 1; goto head;
        exit: return s;
        }
        realize f(30, 7) = 12 via entry (head body)^3 head exit;";
    std::fs::write(&program, text).expect("a program");
    let faulty = workshop.dir.path().join("faulty").to_string_lossy().into_owned();
    let run = support::pathsmith(&["reduce", &program.to_string_lossy(), "--target", &faulty]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.starts_with("// faulty -O2 bug.c && ./a.out: it aborts\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains(" / ") && run.stdout.lines().count() <= 6, "{}", run.stdout);
}

/// The folder of a reduced finding has the file, scripts with the statuses that other tools know, and
/// a second reduction finds nothing to do.
#[test]
fn a_reduced_finding_has_its_file_and_scripts() {
    let workshop = Workshop::new(&edit(WRONG));
    let path = workshop.dir.path().join("faulty");
    let script = std::fs::read_to_string(&path).expect("a script");
    // In files for people, it gets comparisons in `main` wrong, also that with 0 which is not written.
    let fault = "case \"$*\" in *-O[123s]*bug.c*)\n\
                 sed -e '/main/!b' -e 's/ != / == /' -e t -e 's/if (/if (!/' bug.c \\\n\
                 > \"$here/wrong.c\"\n\
                 set -- $(echo \"$*\" | sed \"s,bug.c,$here/wrong.c,\");;\n\
                 esac\n";
    std::fs::write(&path, script.replace("exec gcc", &format!("{fault}exec gcc")))
        .expect("a script");
    let run = workshop.fuzz("8", &["--set", "campaign.reduce=false"]);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let finding = workshop.finding();
    let name = finding.to_string_lossy().into_owned();
    let reduced = support::pathsmith(&["reduce", &name]);
    assert_eq!(reduced.code, 0, "{}", reduced.stderr);
    let folder = finding.join("reduced");
    let text = std::fs::read_to_string(folder.join("finding.txt")).expect("a text");
    assert!(
        text.contains("\nbug file: faulty -O2 bug.c && ./a.out: wrong code: wrong result; right"),
        "{text}"
    );
    let bug = std::fs::read_to_string(folder.join("bug.c")).expect("a file");
    assert!(bug.contains("int main(void) {"), "{bug}");
    // What maintainers ask about first was run.
    let json = std::fs::read_to_string(folder.join("finding.json")).expect("a finding");
    let finding: Finding = serde_json::from_str(&json).expect("JSON");
    let scrutiny = finding.bug.and_then(|bug| bug.scrutiny).expect("checks");
    let flags = ["-fwrapv", "-fno-strict-aliasing", "-fno-aggressive-loop-optimizations"];
    assert_eq!((&scrutiny.showing[..], scrutiny.hiding.len()), (&flags.map(str::to_owned)[..], 0));
    let script = |name: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new("sh");
        command.arg(folder.join(name)).envs(variables.iter().copied()).current_dir(&folder);
        command.output().expect("a shell").status.code()
    };
    assert_eq!(script("repro.sh", &[]), Some(1));
    assert_eq!(script("repro.sh", &[("CC", "gcc")]), Some(0));
    assert_eq!(script("repro.sh", &[("CC", "gcc"), ("CFLAGS", "-fno-such-flag")]), Some(125));
    assert_eq!(script("repro.sh", &[("CC", "/nowhere/cc")]), Some(125));
    assert_eq!(script("interesting.sh", &[]), Some(0));
    assert_eq!(script("interesting.sh", &[("CC", "gcc")]), Some(1));
    let again = support::pathsmith(&["reduce", &name]);
    assert!(again.stderr.contains(" is reduced; --restart starts over"), "{}", again.stderr);
}

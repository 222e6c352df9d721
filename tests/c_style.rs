//! Lowering options of C that must not change what they do: operators through wrappers, and
//! locals without initial values.

mod support;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_c::{CBackend, COptions, CStyle, Checked, FileLayout, Form, FunctionOptions};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Toolchain};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, Notation, Program, UnOp, WordTy};
use pathsmith_symlang::semantics::table;
use support::pathsmith;

/// Values at which operators begin and cease to be defined.
fn edges(ty: WordTy) -> Vec<i64> {
    let (min, max, bits) = (ty.min(), ty.max(), i64::from(ty.bits()));
    let mut values =
        vec![0, 1, 2, 3, bits - 1, bits, bits + 1, max, ty.wrap(max - 1), ty.wrap(max / 2)];
    values.extend([46_340, 46_341, 3_037_000_499, 3_037_000_500].map(|root| ty.wrap(root)));
    if ty.is_signed() {
        values.extend([-1, -2, -bits, min, min + 1, min / 2, -46_341, max / 2 + 1]);
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// A call with its expected result: the operator's if it is defined, and otherwise what
/// wrappers give.
fn realize(name: &str, ty: WordTy, args: &[i64], meaning: table::Meaning, other: i64) -> String {
    let wide = |value| IntTy::from(ty).to_wide(value);
    let is_defined = meaning.hazards.and(Dialect::C.forbidden()).is_empty();
    let output = wide(if is_defined { meaning.word } else { other });
    let args: Vec<String> = args.iter().map(|arg| wide(*arg).to_string()).collect();
    format!("realize {name}({}) = {output} via entry;\n", args.join(", "))
}

/// Every operator that can be undefined, at every type and all pairs of edges; once with both
/// operands unknown, and for some of the second with that as a constant.
fn all_operators() -> Program {
    let mut text = String::from("dialect c;\n");
    let mut n_functions = 0;
    let mut name = || {
        n_functions += 1;
        format!("f{n_functions}")
    };
    for ty in WordTy::ALL {
        for op in [UnOp::Neg, UnOp::Clz, UnOp::Ctz] {
            let spelled = match op.notation() {
                Notation::Named(word) => format!("{word}(a)"),
                _ => "-a".to_owned(),
            };
            let f = name();
            text += &format!("fn {f}(a: {ty}) -> {ty} {{ entry: return {spelled}; }}\n");
            for a in edges(ty) {
                let other = if op == UnOp::Neg { a } else { ty.bits().into() };
                text += &realize(&f, ty, &[a], table::unary(op, ty.into(), a), other);
            }
        }
        let ops =
            [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::Shl, BinOp::Shr];
        for op in ops {
            let Notation::Infix(word, _) = op.notation() else { unreachable!("they are infix") };
            let f = name();
            text += &format!("fn {f}(a: {ty}, b: {ty}) -> {ty} {{ entry: return a {word} b; }}\n");
            for a in edges(ty) {
                for b in edges(ty) {
                    text += &realize(&f, ty, &[a, b], table::binary(op, ty.into(), a, b), a);
                }
            }
            for b in [0, 2, ty.bits().into(), ty.min(), ty.max(), ty.wrap(-1)] {
                let f = name();
                let b_text = format!("{}{ty}", IntTy::from(ty).to_wide(b));
                text +=
                    &format!("fn {f}(a: {ty}) -> {ty} {{ entry: return a {word} {b_text}; }}\n");
                for a in edges(ty) {
                    text += &realize(&f, ty, &[a], table::binary(op, ty.into(), a, b), a);
                }
            }
        }
    }
    parse("operators", &text).expect("a valid program")
}

/// All first operators of all functions go through wrappers.
fn all_checked(program: &Program, form: Form) -> COptions {
    let checked = Checked { form, operators: vec![0] };
    let function = FunctionOptions { checked, ..FunctionOptions::default() };
    let functions = vec![function; program.functions.len()];
    COptions { layout: FileLayout::TwoFiles, functions, ..COptions::default() }
}

#[test]
fn wrappers_do_what_operators_do_and_nothing_undefined() {
    let program = all_operators();
    let stop = Stop::new();
    let mut oracle = COracle::new(stop.clone()).expect("an oracle");
    let toolchains = Toolchain::on_path(&stop).expect("compilers");
    assert!(!toolchains.is_empty(), "there is no compiler");
    for form in [Form::Function, Form::Macro] {
        let source = CBackend.lower(&program, &all_checked(&program, form)).expect("C");
        let wrapper = if form == Form::Macro { "PS_SAFE_" } else { "ps_safe_" };
        assert!(source.files[0].text.contains(wrapper));
        for toolchain in &toolchains {
            let sanitizers = CSetting::sanitizers(toolchain.compiler);
            for setting in [CSetting::level("-O0"), CSetting::level("-O2"), sanitizers] {
                let target = CTarget { toolchain: toolchain.clone(), setting };
                let report = oracle.run(&source, &target, &Limits::default()).expect("a report");
                let name = target.name();
                assert_eq!(report.verdict, Verdict::Agrees, "{name}: {:?}", report.evidence);
                let n_realizations: usize = source.tests.iter().map(|(_, n)| n).sum();
                assert_eq!(report.n_checked, n_realizations as u64, "{name}");
            }
        }
    }
}

/// What is drawn for generated functions, where everything is drawn that can be.
#[test]
fn headers_say_what_is_checked_and_what_is_not_initialised() {
    let style = CStyle { checked: 1.0, uninitialised: 1.0, ..CStyle::default() };
    let (mut n_checked, mut n_uninitialised) = (0, 0);
    for number in 0..90 {
        let leaf = generate_leaf(&GenConfig::default(), Dialect::C, Seed::new(3), number);
        let Ok(leaf) = leaf else { continue };
        let options = style.choose(&leaf.program, &mut Seed::new(number).rng());
        let source = CBackend.lower(&leaf.program, &options).expect("C");
        let text = &source.files[0].text;
        n_checked += u64::from(text.contains("\n// checked: "));
        n_uninitialised += u64::from(text.contains("\n// not initialised: "));
        assert_eq!(text.contains("\n// checked: "), !options.functions[0].checked.is_none());
    }
    assert!(n_checked > 30 && n_uninitialised > 30, "{n_checked}, {n_uninitialised}");
}

/// The full-sized runs are these with `--count 5000`.
#[test]
fn generated_functions_keep_their_outputs() {
    let all = ["--set", "c.style.checked=1.0", "--set", "c.style.uninitialised=1.0"];
    let levels = ["--set", r#"c.levels=["-O0"]"#, "--set", "c.random_settings=0"];
    for more in [&levels[..], &["--sanitize", "--swarm"]] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let findings = dir.path().join("findings").to_string_lossy().into_owned();
        let base = ["fuzz", "c", "--count", "40", "--dir", &findings];
        let run = pathsmith(&[&base[..], &all, more].concat());
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    }
}

/// Counters are those of the compiler; what is said of them is ours.
#[test]
fn what_compilers_do_is_counted_by_policy() {
    let stats = ["stats", "--count", "40", "--compiler"];
    let gcc = pathsmith(&[&stats[..], &["gcc", "--flags", "-O3", "--counters", "5"]].concat()).ok();
    assert!(gcc.starts_with("what gcc "), "{gcc}");
    assert!(gcc.contains(" -O3 does to 40 functions"), "{gcc}");
    assert!(gcc.contains("fre: Eliminated"), "{gcc}");
    let all: Vec<&str> = gcc.lines().filter(|line| line.starts_with("all  ")).collect();
    assert_eq!(all.len(), 2, "five counters take two tables\n{gcc}");
    assert!(all.iter().all(|line| line.contains(" 40 ") && line.contains("×1.00")), "{gcc}");
    assert!(gcc.lines().any(|line| line.starts_with("boundary ")), "{gcc}");
    let wrong = pathsmith(&["stats", "--compiler", "/nowhere/cc", "--count", "1"]);
    wrong.fails(2, &["there is no /nowhere/cc"]);
    pathsmith(&["stats", "--compiler", "gcc", "--dialect", "jvm", "--count", "1"])
        .fails(2, &["--compiler is for dialect c only"]);
    pathsmith(&["stats", "--flags", "-O3"]).fails(2, &["--compiler"]);
}

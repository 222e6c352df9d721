//! Lowering options of C that must not change what they do: operators through wrappers, and
//! locals without initial values.

mod support;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_c::{
    AbsForm, BitrevForm, CBackend, COptions, CSource, CStyle, Checked, CmpForm, FileLayout, Form,
    FunctionOptions, Idioms, MulhForm, SaturationForm,
};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Toolchain};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, TargetSpec, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, Notation, Program, Scalar, UnOp, ValueTy, WordTy};
use pathsmith_symlang::semantics::table::{self, Meaning};
use support::pathsmith;
use support::tools::OWN_COMPILER;

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
fn realize(name: &str, ty: WordTy, args: &[i64], meaning: Meaning, other: i64) -> String {
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
        format!("g{n_functions}")
    };
    for ty in WordTy::ALL {
        for op in [UnOp::Neg, UnOp::Abs, UnOp::Clz, UnOp::Ctz] {
            let spelled = match op.notation() {
                Notation::Named(word) => format!("{word}(a)"),
                _ => "-a".to_owned(),
            };
            let f = name();
            text += &format!("fn {f}(a: {ty}) -> {ty} {{ entry: return {spelled}; }}\n");
            for a in edges(ty) {
                let counts = matches!(op, UnOp::Clz | UnOp::Ctz);
                let other = if counts { ty.bits().into() } else { a };
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

/// The compilers of this machine that work, without optimization and with sanitizers. Some may lack
/// a library of sanitizers, others have bugs: only the machine's own compiler has to optimize.
#[expect(clippy::print_stderr, reason = "a test says what it runs on")]
fn fit_targets(oracle: &mut COracle, stop: &Stop) -> Vec<CTarget> {
    let good =
        "dialect c; fn f(a: i32) -> i32 { entry: return a + 1; } realize f(1) = 2 via entry;";
    let good = parse("good", good).expect("a valid program");
    let good = CBackend.lower(&good, &COptions::default()).expect("C");
    let own = Toolchain::new(&TargetSpec::new("gcc", "gcc"), stop).expect("gcc").path;
    let mut targets = Vec::new();
    for toolchain in Toolchain::on_path(stop).expect("compilers") {
        let is_own = toolchain.path == own;
        let optimized = is_own.then(|| CSetting::level("-O2"));
        let sanitizers = CSetting::sanitizers(toolchain.compiler);
        for setting in [CSetting::level("-O0"), sanitizers].into_iter().chain(optimized) {
            let target = CTarget { toolchain: toolchain.clone(), setting };
            let report = oracle.run(&good, &target, &Limits::default()).expect("a report");
            let is_fit = report.verdict == Verdict::Agrees;
            assert!(is_fit || !is_own, "{}: {:?}", target.name(), report.evidence);
            eprintln!("{}: {}", target.name(), if is_fit { "tested" } else { "left out" });
            targets.extend(is_fit.then_some(target));
        }
    }
    assert!(targets.iter().any(|target| target.toolchain.path == own), "gcc is not on PATH");
    targets
}

fn agrees_everywhere(oracle: &mut COracle, targets: &[CTarget], source: &CSource) {
    for target in targets {
        let report = oracle.run(source, target, &Limits::default()).expect("a report");
        let name = target.name();
        assert_eq!(report.verdict, Verdict::Agrees, "{name}: {:?}", report.evidence);
        assert_eq!(report.n_checked, source.n_realizations() as u64, "{name}");
    }
}

#[test]
fn wrappers_do_what_operators_do_and_nothing_undefined() {
    let program = all_operators();
    let stop = Stop::new();
    let mut oracle = COracle::new(stop.clone()).expect("an oracle");
    let targets = fit_targets(&mut oracle, &stop);
    for form in [Form::Function, Form::Macro] {
        let source = CBackend.lower(&program, &all_checked(&program, form)).expect("C");
        let wrapper = if form == Form::Macro { "PS_SAFE_" } else { "ps_safe_" };
        assert!(source.files[0].text.contains(wrapper));
        agrees_everywhere(&mut oracle, &targets, &source);
    }
}

/// Every operator that compilers recognize by its form, at every type and all edges at which it is
/// defined; with both operands unknown, and for some of the second with that as a constant.
fn all_idioms() -> Program {
    let mut text = String::from("dialect c;\n");
    let mut n_functions = 0;
    for ty in WordTy::ALL {
        let number = |word: i64| IntTy::from(ty).to_wide(word).to_string();
        let mut add = |params: &str, expr: &str, ret: ValueTy, cases: Vec<(String, Meaning)>| {
            n_functions += 1;
            text += &format!("fn g{n_functions}({params}) -> {ret} {{ entry: return {expr}; }}\n");
            for (args, meaning) in cases {
                if meaning.hazards.and(Dialect::C.forbidden()).is_empty() {
                    let output = Scalar::new(ret.stored_as(), meaning.word);
                    text += &format!("realize g{n_functions}({args}) = {output} via entry;\n");
                }
            }
        };
        let one = format!("a: {ty}");
        for (op, word) in [(UnOp::Abs, "abs"), (UnOp::Bitrev, "bitrev")] {
            let cases = edges(ty).into_iter();
            let cases = cases.map(|a| (number(a), table::unary(op, ty.into(), a)));
            add(&one, &format!("{word}(a)"), ty.into(), cases.collect());
        }
        for op in [BinOp::Cmp, BinOp::Mulh, BinOp::Addsat, BinOp::Subsat] {
            let Notation::Named(word) = op.notation() else { unreachable!("they are named") };
            let (ret, values) = (op.result_ty(ty.into()), edges(ty));
            let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b)));
            let cases = pairs.map(|(a, b)| {
                let args = format!("{}, {}", number(a), number(b));
                (args, table::binary(op, ty.into(), a, b))
            });
            add(&format!("a: {ty}, b: {ty}"), &format!("{word}(a, b)"), ret, cases.collect());
            for b in [0, 1, ty.wrap(-1), ty.min(), ty.max()] {
                let cases = values.iter();
                let cases = cases.map(|a| (number(*a), table::binary(op, ty.into(), *a, b)));
                add(&one, &format!("{word}(a, {}{ty})", number(b)), ret, cases.collect());
            }
        }
    }
    parse("idioms", &text).expect("a valid program")
}

#[test]
fn all_forms_of_idioms_do_what_operators_do_and_nothing_undefined() {
    let program = all_idioms();
    let stop = Stop::new();
    let mut oracle = COracle::new(stop.clone()).expect("an oracle");
    let targets = fit_targets(&mut oracle, &stop);
    // Each form of each operator is in one of these.
    use {AbsForm as A, BitrevForm as B, CmpForm as C, MulhForm as M, SaturationForm as S};
    let forms = [
        (A::Select, C::Difference, M::Wide, B::Ladder, S::Builtin),
        (A::Builtin, C::Select, M::Halves, B::Builtin, S::Compare),
        (A::Mask, C::Equality, M::Wide, B::Bswap, S::Wide),
        (A::Maximum, C::Difference, M::Halves, B::Loop, S::Unsigned),
    ];
    for (abs, cmp, mulh, bitrev, saturation) in forms {
        let idioms = Idioms { abs, cmp, mulh, bitrev, saturation, ..Idioms::default() };
        let function = FunctionOptions { idioms, ..FunctionOptions::default() };
        let functions = vec![function; program.functions.len()];
        let options = COptions { layout: FileLayout::TwoFiles, functions, ..COptions::default() };
        let source = CBackend.lower(&program, &options).expect("C");
        assert!(source.n_realizations() > 5_000, "{}", source.n_realizations());
        agrees_everywhere(&mut oracle, &targets, &source);
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
    let own = ["--targets", OWN_COMPILER];
    for more in [&levels[..], &["--sanitize", "--swarm"]] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let findings = dir.path().join("findings").to_string_lossy().into_owned();
        let base = ["fuzz", "c", "--set", "campaign.seed=0", "--count", "40", "--dir", &findings];
        let run = pathsmith(&[&base[..], &own, &all, more].concat());
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

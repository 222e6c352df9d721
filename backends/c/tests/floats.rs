//! Floating-point numbers in C mean what they mean in the interpreter, for the compilers of this
//! machine: every operator and cast at values where rounding, signs of zeros, NaN and limits matter,
//! in every form, and sampled programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_c::{
    Arguments, Arrangement, BitsForm, CBackend, COptions, CStyle, ConversionForm, FloatForms,
    FunctionOptions, Idioms, Initialised, MinMaxForm, PlainMain, PlainOptions, RoundingForm,
    SignForm, plain_c,
};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path as GraphPath;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, Ending, FloatTy, Function, Notation, Program, Realization, Scalar, ScalarTy, UnOp,
    ValueTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine};
use pathsmith_symlang::{FuncId, Seed};

/// What compilers get so that arithmetic is exact, as `oracles` has it.
const EXACT: [&str; 2] = ["-ffp-contract=off", "-lm"];

fn compilers() -> Vec<&'static str> {
    let runs = |name: &&str| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    ["gcc", "clang"].into_iter().filter(runs).collect()
}

/// Compiles a file with every compiler and runs it.
fn check_file(name: &str, text: &str, all_flags: &[&[&str]]) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("a folder");
    let file = dir.join("test.c");
    std::fs::write(&file, text).expect("a file");
    for compiler in compilers() {
        for flags in all_flags {
            run(compiler, flags, &dir, &file);
        }
    }
}

fn run(compiler: &str, flags: &[&str], dir: &Path, file: &Path) {
    let program = dir.join("test");
    let compiled = Command::new(compiler)
        .args(["-std=gnu17", "-w"])
        .args(flags)
        .arg(file)
        .arg("-o")
        .arg(&program)
        .args(EXACT)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{compiler} {flags:?} {}: {said}", file.display());
    let ran = Command::new(&program).output().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let wrong: Vec<&str> =
        out.lines().filter(|line| !line.starts_with("ok")).chain(err.lines()).take(20).collect();
    assert!(ran.status.success(), "{compiler} {flags:?} {}: {wrong:#?}", file.display());
}

/// Values at which something changes.
fn edges(ty: FloatTy) -> Vec<i64> {
    let mut values = vec![ty.nan(), ty.infinity(), 1, 2, 3, ty.infinity() - 1];
    let smallest_normal = ty.word(match ty {
        FloatTy::F32 => f64::from(f32::MIN_POSITIVE),
        FloatTy::F64 => f64::MIN_POSITIVE,
    });
    values.extend([smallest_normal, smallest_normal - 1, smallest_normal + 1]);
    for number in [0.0, 0.1, 0.5, 1.0, 1.5, 2.5, 3.0, 1.0 / 3.0, 127.0, 255.5, 65_536.0] {
        values.push(ty.word(number));
    }
    values.extend([ty.word(0.5) - 1, ty.word(1.0) - 1, ty.word(1.0) + 1]);
    for exponent in [22, 23, 24, 31, 32, 51, 52, 53, 63, 64] {
        let power = ty.word(2f64.powi(exponent));
        values.extend([power - 1, power, power + 1]);
    }
    let sign = ty.word(-0.0);
    let negative = values.clone().into_iter().filter(|word| !ty.is_nan(*word));
    let negative: Vec<i64> = negative.map(|word| word | sign).collect();
    values.extend(negative);
    values
}

/// Fewer of them, for pairs.
fn few_edges(ty: FloatTy) -> Vec<i64> {
    let all = [0.0, 1.0, 1.5, 0.1, 3.0, 16_777_215.0, 9_007_199_254_740_991.0];
    let mut values: Vec<i64> = all.iter().flat_map(|it| [ty.word(*it), ty.word(-it)]).collect();
    values.extend([ty.nan(), ty.infinity(), ty.infinity() | ty.word(-0.0), ty.infinity() - 1]);
    values.extend([1, 1 | ty.word(-0.0), ty.word(1.0) + 1]);
    values
}

fn values_of(ty: ScalarTy, is_few: bool) -> Vec<Scalar> {
    let words = match ty {
        ScalarTy::Float(float) if is_few => few_edges(float),
        ScalarTy::Float(float) => edges(float),
        ScalarTy::Int(int) => {
            let bits = int.bits();
            let mut words = vec![0, 1, -1, 3, int.wrap(i64::MAX), i64::MIN];
            for exponent in [7, 8, 15, 16, 23, 24, 25, 31, 32, 52, 53, 54, 62, 63] {
                let power = 1i64.wrapping_shl(exponent);
                let all = [power.wrapping_sub(1), power, power.wrapping_add(1)];
                words.extend(all.into_iter().filter(|_| exponent <= bits));
                words.extend(all.map(i64::wrapping_neg).into_iter().filter(|_| exponent <= bits));
            }
            // Halfway between two numbers of each type, and next to that.
            for half in [(1 << 24) + 1, (1 << 54) + 2, (1 << 40) + (1 << 16), (1 << 62) + (1 << 38)]
            {
                words.extend([half - 1, half, half + 1]);
            }
            words.push(0x7ff8_0000_0000_0001);
            words.push(0x7f80_0001);
            words
        }
    };
    let mut values: Vec<Scalar> = words.into_iter().map(|word| Scalar::new(ty, word)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The text of every operator that takes or yields floating-point numbers, of every cast, and of
/// expressions in which operators could be joined.
fn operators() -> Program {
    let mut text = String::from("dialect c;\n");
    let mut n_functions = 0;
    let mut function = |params: &str, ret: ValueTy, body: &str| {
        n_functions += 1;
        text += &format!("fn g{n_functions}({params}) -> {ret} {{ entry: return {body}; }}\n");
    };
    let spelled = |notation: Notation, operands: &[&str]| match notation {
        Notation::Prefix(symbol) => format!("{symbol}{}", operands[0]),
        Notation::Infix(symbol, _) => operands.join(&format!(" {symbol} ")),
        Notation::Named(name) => format!("{name}({})", operands.join(", ")),
    };
    for ty in FloatTy::ALL {
        let value = ValueTy::Float(ty);
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(value)) {
            let body = spelled(op.notation(), &["a"]);
            function(&format!("a: {ty}"), op.result_ty(value), &body);
        }
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(value)) {
            let body = spelled(op.notation(), &["a", "b"]);
            function(&format!("a: {ty}, b: {ty}"), op.result_ty(value), &body);
            for constant in ["0.0", "-0.0", "1.5", "nan", "inf", "-1e-40"] {
                let constant = format!("{constant}{}", if ty == FloatTy::F32 { "f32" } else { "" });
                let body = spelled(op.notation(), &["a", &constant]);
                function(&format!("a: {ty}"), op.result_ty(value), &body);
            }
        }
        for body in ["a * b + a", "a - a * b", "(a + b) - a", "-(a * b)", "a / b * b", "a - a"] {
            function(&format!("a: {ty}, b: {ty}"), value, body);
        }
        for condition in ["a < b", "a >= b", "a == b", "a != b"] {
            let body = format!("select({condition}, a, b)");
            function(&format!("a: {ty}, b: {ty}"), value, &body);
        }
        for to in ScalarTy::ALL {
            function(&format!("a: {ty}"), to.widened(), &format!("{to}(a)"));
        }
        for from in ScalarTy::ALL {
            function(&format!("a: {from}"), value, &format!("{ty}(a)"));
        }
    }
    for ty in ["i32", "u32", "i64", "u64"] {
        let ret = if ty.ends_with("32") { FloatTy::F32 } else { FloatTy::F64 };
        function(&format!("a: {ty}"), ret.into(), "from_bits(a)");
    }
    with_realizations(parse("operators", &text).expect("a valid program"))
}

/// The program with what the interpreter makes of all combinations of edges.
fn with_realizations(mut program: Program) -> Program {
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::C);
    let all: Vec<Vec<Realization>> = program
        .functions_with_ids()
        .map(|(id, function)| realizations(&mut machine, id, function))
        .collect();
    for (function, known) in std::iter::zip(&mut program.functions, all) {
        function.realizations = known;
    }
    program
}

fn realizations(machine: &mut Machine<'_>, id: FuncId, function: &Function) -> Vec<Realization> {
    let is_few = function.params().len() > 1;
    let mut inputs: Vec<Vec<Scalar>> = vec![Vec::new()];
    for param in function.params() {
        let values = values_of(param.ty.cell_ty(), is_few);
        let longer = |args: &Vec<Scalar>| -> Vec<Vec<Scalar>> {
            values.iter().map(|value| [&args[..], &[*value]].concat()).collect()
        };
        inputs = inputs.iter().flat_map(longer).collect();
    }
    let realization = |args: Vec<Scalar>| {
        let ending = machine.run(id, &args, Limits::default()).ending()?;
        let path = GraphPath::new(machine.path().to_vec());
        Some(Realization { args, path, ending, leaving: machine.leaving() })
    };
    inputs.into_iter().filter_map(realization).collect()
}

/// Each form of each operator is in one of these.
const FORMS: [FloatForms; 3] = [
    FloatForms {
        bits: BitsForm::Memcpy,
        sign: SignForm::Builtin,
        min_max: MinMaxForm::Compare,
        rounding: RoundingForm::Builtin,
        conversion: ConversionForm::Compare,
    },
    FloatForms {
        bits: BitsForm::Union,
        sign: SignForm::Select,
        min_max: MinMaxForm::Builtin,
        rounding: RoundingForm::Nearbyint,
        conversion: ConversionForm::Range,
    },
    FloatForms {
        bits: BitsForm::Memcpy,
        sign: SignForm::Mask,
        min_max: MinMaxForm::Integer,
        rounding: RoundingForm::OpenCode,
        conversion: ConversionForm::Negated,
    },
];

#[test]
fn operators_and_casts_mean_what_they_mean_in_the_interpreter() {
    let program = operators();
    let n: usize = program.functions.iter().map(|function| function.realizations.len()).sum();
    assert!(n > 10_000, "{n}");
    for (i, floats) in FORMS.into_iter().enumerate() {
        let idioms = Idioms { floats, ..Idioms::default() };
        // Some of the calls can be evaluated at compile time.
        let function = FunctionOptions { idioms, n_visible: 30, ..FunctionOptions::default() };
        let functions = vec![function; program.functions.len()];
        let options = COptions { functions, ..COptions::default() };
        let source = CBackend.lower(&program, &options).expect("C");
        let more: &[&str] =
            [&["-O2", "-march=native"][..], &["-O1"], &["-O3", "-fno-trapping-math"]][i];
        let all = [&["-O0"][..], &["-O2"], more];
        check_file(&format!("operators-{i}"), &source.files[0].text, &all);
    }
}

/// Conversions that the interpreter calls defined are defined in C, in all forms.
#[test]
fn sanitizers_find_nothing_in_operators() {
    let program = operators();
    let idioms = Idioms { floats: FORMS[2], ..Idioms::default() };
    let function = FunctionOptions { idioms, ..FunctionOptions::default() };
    let functions = vec![function; program.functions.len()];
    let options = COptions { functions, ..COptions::default() };
    let source = CBackend.lower(&program, &options).expect("C");
    let flags = [
        "-O1",
        "-fsanitize=undefined,float-cast-overflow",
        "-fno-sanitize=float-divide-by-zero",
        "-fno-sanitize-recover=all",
    ];
    check_file("sanitizers", &source.files[0].text, &[&flags]);
}

#[test]
fn sampled_programs_do_what_the_interpreter_does() {
    let sample = SampleOptions { floats: 1.0, functions: 2, ..SampleOptions::default() };
    let style = CStyle {
        file_per_function: 0.0,
        volatile_inputs: 1.0,
        placed: 0.9,
        checked: 0.3,
        watched: 0.5,
        volatile_vars: 0.3,
        ..CStyle::default()
    };
    let mut n_checked = 0;
    for seed in 0..40 {
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&sample, &mut rng);
        let options = style.choose(&program, &mut rng);
        let options = COptions { layout: Default::default(), ..options };
        let source = CBackend.lower(&program, &options).expect("C");
        n_checked += source.n_realizations();
        let name = format!("sampled-{}", seed % 4);
        check_file(&name, &source.files[0].text, &[&["-O2"]]);
        check_plain(&name, &program, &options);
    }
    assert!(n_checked > 50, "{n_checked}");
}

/// The first realization of each function in C for people.
fn check_plain(name: &str, program: &Program, lowering: &COptions) {
    for (id, function) in program.functions_with_ids() {
        let Some(first) = function.realizations.first() else { continue };
        let Ending::Returns(_) = first.ending else { continue };
        let options = PlainOptions {
            lowering: lowering.clone(),
            has_noipa: false,
            arguments: Arguments::Volatile,
            initialised: Initialised::AtEntry,
            arrangement: Arrangement::ForReaders,
            main: PlainMain::Returned(id, vec![0]),
        };
        let text = plain_c(program, &options).expect("C");
        check_file(name, &text, &[&["-O1"]]);
    }
}

/// Results that `==` does not tell apart, and globals with any NaN.
#[test]
fn zeros_and_nan_are_told_apart() {
    let text = "dialect c;
        global g: [f32; 2] = [nan, -0.0]; global h: f64 = 1.0;
        fn zero(a: f64) -> f64 { entry: return a * 0.0; }
        fn nan32(a: f32) -> f32 { entry: return (a - a) / (a - a); }
        fn left(a: f64) -> u32 { entry: h = -((a - a) / 0.0); g[1] = f32(h * -1.0); return checksum(a); }
        fn all(a: f64) -> u32 { var b: f32 = -0.0; entry: b = f32(-(a / a)); return checksum; }";
    let program = with_realizations(parse("zeros", text).expect("a valid program"));
    let source = CBackend.lower(&program, &COptions::default()).expect("C");
    check_file("zeros", &source.files[0].text, &[&["-O0"], &["-O2"]]);
    for (id, function) in program.functions_with_ids() {
        for at in 0..function.realizations.len().min(12) {
            let options = plain_options(id, at);
            check_file("zeros-plain", &plain_c(&program, &options).expect("C"), &[&["-O1"]]);
        }
    }
    // The checks of `main` are not idle.
    let mut wrong = program.clone();
    let known = &mut wrong.functions[0].realizations;
    let is_zero = |ending: Ending| match ending {
        Ending::Returns(value) => FloatTy::F64.magnitude(value.word()) == 0,
        Ending::Traps(_) => false,
    };
    known.retain(|known| is_zero(known.ending));
    let Ending::Returns(zero) = known[0].ending else { unreachable!("it returns") };
    let other_zero = Scalar::new(FloatTy::F64, zero.word() ^ i64::MIN);
    known[0].ending = Ending::Returns(other_zero);
    let text = plain_c(&wrong, &plain_options(FuncId::new(0), 0)).expect("C");
    let failed = std::panic::catch_unwind(|| check_file("zeros-wrong", &text, &[&["-O1"]]));
    assert!(failed.is_err() || compilers().is_empty(), "{text}");
}

fn plain_options(id: FuncId, at: usize) -> PlainOptions {
    PlainOptions {
        lowering: COptions::default(),
        has_noipa: false,
        arguments: Arguments::Literal,
        initialised: Initialised::AtEntry,
        arrangement: Arrangement::AsTheGraph,
        main: PlainMain::Returned(id, vec![at]),
    }
}

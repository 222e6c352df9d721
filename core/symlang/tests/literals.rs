//! Floating-point literals: which there are, what others are told, and that they are read as they are
//! printed.

use miette::{Diagnostic, LabeledSpan};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::{SourceErrors, parse};
use pathsmith_symlang::lang::{Const, Expr, FloatTy, Program, Return, ScalarTy, ValueTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use proptest::prelude::*;

/// A function that returns an expression.
fn returning(expr: &str, ty: &str) -> Result<Program, SourceErrors> {
    parse("literals.sym", &format!("fn f() -> {ty} {{ e: return {expr}; }}"))
}

/// The constant that an expression is.
fn constant(expr: &str, ty: &str) -> Const {
    let program = returning(expr, ty).unwrap_or_else(|errors| panic!("{:?}", errors.problems()));
    let function = &program.functions[0];
    let Some(Return::Value(value)) = function.returned() else { panic!("{expr}") };
    let Expr::Const(constant) = function.expr(*value) else { panic!("{expr} is no constant") };
    *constant
}

#[test]
fn constants_have_the_type_that_they_say() {
    let [f32, f64] = FloatTy::ALL;
    let check = |text: &str, ty: FloatTy, word: i64| {
        assert_eq!(constant(text, ty.name()), Const::new(ty, word), "{text}");
    };
    check("1.5", f64, 0x3ff8_0000_0000_0000);
    check("1.5f32", f32, 0x3fc0_0000);
    check("2e-3", f64, f64::to_bits(0.002) as i64);
    check("2E3f32", f32, f32::to_bits(2000.0).into());
    check("2e+3", f64, f64::to_bits(2000.0) as i64);
    check("0x1.8p3", f64, f64::to_bits(12.0) as i64);
    check("0x1p-149f32", f32, 1);
    check("0x10p0f32", f32, f32::to_bits(16.0).into());
    check("3f64", f64, f64::to_bits(3.0) as i64);
    check("- 3f32", f32, f32::to_bits(-3.0).into());
    check("-0f64", f64, i64::MIN);
    check("-0.0f32", f32, 0x8000_0000);
    check("0.1f32", f32, 0x3dcc_cccd);
    check("inf", f64, f64.infinity());
    check("-inff32", f32, 0xff80_0000);
    check("nanf64", f64, f64.nan());
    check("nanf32", f32, f32.nan());
    check("1e-400", f64, 0);
    check("-1e-46f32", f32, 0x8000_0000);
    // Not by way of `f64`: this is just above the middle of two numbers.
    check("1.000000059604644775390625000000000000001f32", f32, 0x3f80_0001);
    check("1.000000059604644775390625f32", f32, 0x3f80_0000);
    assert_eq!(constant("0x1f32", "i32").word(), 0x1f32);
    assert_eq!(constant("007", "i32").word(), 7);
}

#[test]
fn values_have_the_type_of_their_context() {
    let text = "global g: [f32; 3] = [1, -0, 0x10];
        fn f(a: f64) -> f32 { e: return g[1]; }
        realize f(3) = -0.0 leaving 0 via e;
        realize f(-0) = -0f32 leaving 0 via e;
        realize f(nanf64) = -0 leaving 0 via e;";
    let program = parse("values.sym", text).unwrap();
    assert!(program.to_string().contains("global g: [f32; 3] = [1.0, -0.0, 16.0];"));
    let args = program.functions[0].realizations.iter().map(|known| known.args[0].to_string());
    assert_eq!(args.collect::<Vec<_>>(), ["3.0", "-0.0", "nan"]);
    assert_eq!(parse("again.sym", &program.to_string()).unwrap(), program);
}

/// A negation of a number is no number, and is printed as one is not.
#[test]
fn negations_stay_negations() {
    for (text, ty) in [("-nan", "f64"), ("-(inf)", "f64"), ("-(1.5f32)", "f32"), ("--0.0", "f64")] {
        let program = returning(text, ty).unwrap();
        let function = &program.functions[0];
        let Some(Return::Value(value)) = function.returned() else { panic!("{text}") };
        assert!(matches!(function.expr(*value), Expr::Unary(..)), "{text}");
        assert_eq!(parse("again.sym", &program.to_string()).unwrap(), program, "{program}");
    }
}

/// Checks what is said first, and at its place.
#[track_caller]
fn check(errors: &SourceErrors, message: &str, label: &str) {
    let problem = &errors.problems()[0];
    assert_eq!(problem.message(), message);
    let labels: Vec<LabeledSpan> = problem.labels().into_iter().flatten().collect();
    assert_eq!(labels[0].label(), Some(label));
}

#[track_caller]
fn refused(expr: &str, ty: &str, message: &str, label: &str) {
    let errors = returning(expr, ty).expect_err(expr);
    check(&errors, message, label);
}

const NUMBER: &str = "expected a number such as 1.5, 2e-3, 0x1.8p3, inf or nan";

#[test]
fn what_is_no_constant_is_told_why() {
    let largest = "expected at most 1.7976931348623157e308, or inf";
    refused("1e400", "f64", "1e400 is not a value of type f64", largest);
    let largest = "expected at most 3.4028235e38, or inf";
    refused("-1e39f32", "f32", "-1e39 is not a value of type f32", largest);
    refused("1.5i32", "i32", "`1.5` is not a value of type i32", "expected an integer");
    refused("infi32", "f64", "there is no variable `infi32`", "not declared");
    refused("0x1.8", "f64", "`0x1.8` is not a number", NUMBER);
    refused("0x1.8f32", "f32", "`0x1.8f32` is not a number", NUMBER);
    refused("1.f32", "f32", "`1.` is not a number", NUMBER);
    let bits = "expected a number with at most 24 bits";
    refused("0x1.000001p0f32", "f32", "0x1.000001p0 is not a value of type f32", bits);
    let suffixes = "expected i32, u32, i64, u64, f32, f64 or nothing, which is i32, or f64 if the \
                    number is no integer";
    refused("1.5x", "f64", "`x` is not a suffix of constants", suffixes);
    refused("1.5f16", "f64", "`f16` is not a suffix of constants", suffixes);
    refused("1e5_0", "f64", "`_0` is not a suffix of constants", suffixes);
    refused("1e", "f64", "`e` is not a suffix of constants", suffixes);
}

#[track_caller]
fn refused_value(value: &str, ty: ScalarTy, message: &str, label: &str) {
    let text = format!("fn f() -> u32 {{ var x: {ty} = {value}; e: return checksum; }}");
    let errors = parse("values.sym", &text).expect_err(value);
    check(&errors, message, label);
}

#[test]
fn what_is_no_value_is_told_why() {
    let [f32, f64] = FloatTy::ALL.map(ScalarTy::Float);
    let i32 = ScalarTy::from_name("i32").unwrap();
    refused_value("nan", i32, "`nan` is not a value of type i32", "expected an integer");
    refused_value("-nan", f64, "`-nan` is not a number", NUMBER);
    refused_value("-nanf32", f32, "`-nan` is not a number", NUMBER);
    refused_value("1.5f64", f32, "unexpected suffix `f64`", "expected a value of type f32");
    refused_value("1i32", f32, "unexpected suffix `i32`", "expected a value of type f32");
    refused_value("1f32", i32, "unexpected suffix `f32`", "expected a value of type i32");
    refused_value("x", f64, "unexpected `x`", "expected a value of type f64");
}

proptest! {
    /// Any two numbers, as constants, initial values, arguments and outputs.
    #[test]
    fn numbers_are_read_as_they_are_printed(a: u64, b: u64) {
        for ty in FloatTy::ALL {
            let numbers = [a, b].map(|bits| Const::new(ty, bits as i64));
            let shown = numbers.map(|number| number.to_string());
            let text = format!(
                "fn f(x: {ty}) -> {ty} {{ var y: {ty} = {1}; e: return min({0}, y); }}
                 realize f({2}) = {2} via e;",
                shown[0], numbers[1].scalar(), numbers[0].scalar(),
            );
            let program = parse("numbers.sym", &text).unwrap();
            let function = &program.functions[0];
            let has = |constant: &Const| function.exprs().contains(&Expr::Const(*constant));
            prop_assert!(has(&numbers[0]), "{}", text);
            prop_assert_eq!(function.realizations[0].args[0], numbers[0].scalar());
            prop_assert_eq!(parse("again.sym", &program.to_string()).unwrap(), program);
        }
    }
}

#[test]
fn sampled_programs_are_read_as_they_are_printed() {
    let (mut n_floats, mut n_returned) = (0, 0);
    for seed in 0..300 {
        let options = SampleOptions { floats: 0.5, ..SampleOptions::default() };
        let program = sample_program(&options, &mut Seed::new(seed).rng());
        let text = program.to_string();
        assert_eq!(parse("sampled.sym", &text).unwrap(), program, "{text}");
        let is_float = |ty: ValueTy| !ty.is_int();
        n_floats += program.functions.iter().filter(|function| is_float(function.ret)).count();
        let code = Code::new(&program);
        let mut machine = Machine::new(&code, Dialect::Jvm);
        for (id, function) in program.functions_with_ids() {
            for known in &function.realizations {
                let limits = Limits::default();
                if let Outcome::Returned(value) = machine.run(id, &known.args, limits) {
                    n_returned += 1;
                    assert_eq!(value.ty(), function.ret.stored_as());
                }
            }
        }
    }
    assert!(n_floats > 50, "{n_floats} functions return floating-point numbers; {n_returned} runs");
}

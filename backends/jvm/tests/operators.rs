//! Every operator at every type, at the values where things go wrong, on a real JVM.

mod support;

use pathsmith_backend_jvm::{FunctionOptions, Intrinsics, JvmOptions};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, Ending, FloatTy, IntTy, Program, Realization, Scalar, ScalarTy, UnOp, ValueTy, WordTy,
};
use pathsmith_symlang::semantics::table;
use support::{COMPILED, Suite, has_java};

fn values(ty: ValueTy) -> Vec<i64> {
    match ty {
        ValueTy::Int(ty) => ints(ty.into()),
        ValueTy::Float(ty) => floats(ty),
    }
}

fn ints(ty: IntTy) -> Vec<i64> {
    let around = [ty.min(), ty.max(), 0, 31, 63, 1 << 31, 0x0123_4567_89ab_cdef];
    let mut values: Vec<i64> = around
        .iter()
        .flat_map(|value| [-1, 0, 1].map(|by| ty.wrap(value.wrapping_add(by))))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The values of an integer type at which conversions round, or that are bits of special numbers.
fn ints_to_convert(ty: WordTy) -> Vec<i64> {
    let halfway = [24, 25, 31, 32, 53, 54, 62, 63].map(|at| 1i64 << at);
    let patterns = FloatTy::ALL.into_iter().flat_map(floats);
    // Halfway between floats or doubles, with and without a bit beyond.
    let beyond = [
        0x7fff_ffbf_ffff_ffff,
        0x7fff_ffc0_0000_0000,
        0x7fff_ffc0_0000_0001,
        0x7fff_ffff_ffff_fdff,
        0x7fff_ffff_ffff_fe00,
        0x8000_0080_0000_0000_u64 as i64,
        0x8000_0080_0000_0001_u64 as i64,
        0x8000_0180_0000_0000_u64 as i64,
        0x8000_0000_0000_0400_u64 as i64,
        0x8000_0000_0000_0401_u64 as i64,
        0x8000_0000_0000_0c00_u64 as i64,
        0xffff_ff7f_ffff_ffff_u64 as i64,
        0xffff_ff80_0000_0000_u64 as i64,
        0xffff_ffff_ffff_fbff_u64 as i64,
        0xffff_ffff_ffff_fc00_u64 as i64,
        0x7f80_0001,
        0xffc0_0000,
        0xff80_0001,
        0xfff8_0000_0000_0000_u64 as i64,
        0x7ff0_0000_0000_0001,
    ];
    let around =
        halfway.into_iter().flat_map(|it| [-2, -1, 0, 1, 2, 3].map(|by| it.wrapping_add(by)));
    let all = around.chain(beyond).flat_map(|it| [it, it.wrapping_neg()]).chain(patterns);
    let mut values: Vec<i64> = all.map(|it| ty.wrap(it)).chain(ints(ty.into())).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Numbers of both signs: zeros, subnormal ones, limits of this type and of others with their
/// neighbours, ties of roundings, infinity, and NaN.
fn floats(ty: FloatTy) -> Vec<i64> {
    let (tiny, max, one_up) = match ty {
        FloatTy::F32 => (0x0080_0000, 0x7f7f_ffff, 0x3f80_0001),
        FloatTy::F64 => (0x0010_0000_0000_0000, 0x7fef_ffff_ffff_ffff, 0x3ff0_0000_0000_0001),
    };
    let mut words = vec![0, 1, tiny - 1, tiny, max, one_up, ty.infinity(), ty.nan()];
    let powers = [23, 24, 31, 32, 52, 53, 63, 64].map(|exponent| 2f64.powi(exponent));
    for power in powers {
        let word = ty.word(power);
        words.extend([word - 1, word, word + 1, ty.word(power - 0.5), ty.word(power - 1.5)]);
    }
    for value in [0.49999999, 0.49999999999999994, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.5, 127.5, 255.9]
    {
        words.push(ty.word(value));
    }
    for value in [256.0, 32768.25, 65535.5, 65536.0, 3.402823567797337e38, 1e-45, 7.1e-46, 0.1] {
        words.push(ty.word(value));
    }
    let negative = words.iter().map(|word| ty.canonical(word | ty.word(-0.0)));
    let mut all: Vec<i64> = negative.chain(words.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Fewer of them, for pairs.
fn few_floats(ty: FloatTy) -> Vec<i64> {
    let all = floats(ty);
    let special = [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN, 1.0, -1.0];
    let special = special.into_iter().map(|value| ty.word(value));
    let mut few: Vec<i64> = all.iter().copied().step_by(5).chain(special).collect();
    few.sort_unstable();
    few.dedup();
    few
}

/// A function's text, and outputs for some of its inputs.
type Tested = (String, Vec<(Vec<i64>, i64)>);

/// A program of functions of one block, with their realizations.
fn program(functions: Vec<Tested>) -> Program {
    let text: String = functions.iter().map(|(text, _)| text.as_str()).collect();
    let mut program = parse("operators", &text).expect("it is valid");
    for (function, (_, cases)) in program.functions.iter_mut().zip(functions) {
        let path = Path::new(vec![BlockId::FIRST]);
        let types: Vec<_> = function.params().iter().map(|param| param.ty.cell_ty()).collect();
        let args = |words: Vec<i64>| {
            std::iter::zip(&types, words).map(|(ty, word)| Scalar::new(*ty, word)).collect()
        };
        let ret = function.ret;
        let realizations = cases.into_iter().map(|(words, output)| Realization {
            args: args(words),
            path: path.clone(),
            ending: Ending::Returns(Scalar::new(ret, output)),
            leaving: None,
        });
        function.realizations = realizations.collect();
    }
    program
}

fn applied(name: &str, operands: &[&str], is_call: bool) -> String {
    match (operands, is_call) {
        ([a, b], false) => format!("{a} {name} {b}"),
        ([a], false) => format!("{name}({a})"),
        _ => format!("{name}({})", operands.join(", ")),
    }
}

fn operators(types: &[ValueTy]) -> Program {
    use pathsmith_symlang::lang::Notation;
    let text = |notation, operands: &[&str]| match notation {
        Notation::Prefix(name) | Notation::Infix(name, _) => applied(name, operands, false),
        Notation::Named(name) => applied(name, operands, true),
    };
    let forbidden = Dialect::Jvm.forbidden();
    let mut functions = Vec::new();
    for ty in types.iter().copied() {
        let (values, few) = match ty {
            ValueTy::Int(_) => (values(ty), values(ty)),
            ValueTy::Float(float) => (floats(float), few_floats(float)),
        };
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            let (expr, ret) = (text(op.notation(), &["a"]), op.result_ty(ty));
            let n = functions.len();
            let text = format!("fn t{n}(a: {ty}) -> {ret} {{ entry: return {expr}; }}\n");
            let operands = match ty {
                ValueTy::Int(int) if op == UnOp::FromBits => ints_to_convert(int),
                ValueTy::Int(_) | ValueTy::Float(_) => values.clone(),
            };
            let cases = operands.into_iter().filter_map(|a| {
                let meaning = table::unary(op, ty, a);
                meaning.hazards.and(forbidden).is_empty().then(|| (vec![a], meaning.word))
            });
            functions.push((text, cases.collect()));
        }
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            let (expr, ret) = (text(op.notation(), &["a", "b"]), op.result_ty(ty));
            let n = functions.len();
            let text = format!("fn t{n}(a: {ty}, b: {ty}) -> {ret} {{ entry: return {expr}; }}\n");
            let pairs = few.iter().flat_map(|a| few.iter().map(move |b| (*a, *b)));
            let cases = pairs.filter_map(|(a, b)| {
                let meaning = table::binary(op, ty, a, b);
                meaning.hazards.and(forbidden).is_empty().then(|| (vec![a, b], meaning.word))
            });
            functions.push((text, cases.collect()));
        }
        // The JDK has a method of its own for a comparison with 0.
        for is_right in [true, false].into_iter().filter(|_| ty.is_int()) {
            let n = functions.len();
            let expr = if is_right { format!("cmp(a, 0{ty})") } else { format!("cmp(0{ty}, a)") };
            let text = format!("fn t{n}(a: {ty}) -> i32 {{ entry: return {expr}; }}\n");
            let cases = values.iter().map(|a| {
                let (lhs, rhs) = if is_right { (*a, 0) } else { (0, *a) };
                (vec![*a], table::binary(BinOp::Cmp, ty, lhs, rhs).word)
            });
            functions.push((text, cases.collect()));
        }
        for to in ScalarTy::ALL {
            let (n, ret) = (functions.len(), to.widened());
            let text = format!("fn t{n}(a: {ty}) -> {ret} {{ entry: return {to}(a); }}\n");
            let operands = match (ty, to) {
                (ValueTy::Int(int), ScalarTy::Float(_)) => ints_to_convert(int),
                (ValueTy::Int(_) | ValueTy::Float(_), _) => values.clone(),
            };
            let cases = operands.into_iter().map(|a| (vec![a], table::cast(ty, to, a).word));
            functions.push((text, cases.collect()));
        }
    }
    program(functions)
}

/// All operators at some types, in every way of lowering them.
fn suite(types: &[ValueTy]) -> Suite {
    let program = operators(types);
    let mut suite = Suite::default();
    for intrinsics in [Intrinsics::Jdk, Intrinsics::OpenCode] {
        let functions = vec![FunctionOptions { intrinsics, ..Default::default() }];
        let options = JvmOptions { functions, ..Default::default() };
        // One program for each, as the method that runs a program's tests must not be too long.
        for function in &program.functions {
            let functions = vec![function.clone()];
            suite
                .add(&Program { functions, ..Program::default() }, &options)
                .expect("the suite takes it");
        }
    }
    suite
}

#[test]
fn operators_mean_what_the_table_says() {
    if !has_java() {
        return;
    }
    let suite = suite(&WordTy::ALL.map(ValueTy::Int));
    assert!(suite.n_realizations > 30_000, "{}", suite.n_realizations);
    suite.check();
}

#[test]
fn operators_on_floats_mean_what_the_table_says() {
    if !has_java() {
        return;
    }
    let suite = suite(&FloatTy::ALL.map(ValueTy::Float));
    assert!(suite.n_realizations > 40_000, "{}", suite.n_realizations);
    suite.check();
    assert_eq!(suite.run(COMPILED, 2), "done");
}

/// A function that hands its parameter through storage of a type.
#[test]
fn storage_narrows_and_widens() {
    if !has_java() {
        return;
    }
    let mut functions = Vec::new();
    for ty in IntTy::ALL {
        let wide = ty.widened();
        let n = functions.len();
        let text = format!(
            "fn t{n}(a: {wide}) -> {wide} {{ var s: {ty} = 0; var t: [{ty}; 3] = [0; 3];
             entry: s = a; t[1] = a; t[2] = s + t[1]; return (t[2] ^ t[0]) + s; }}\n"
        );
        let cases = ints(wide.into()).into_iter().map(|a| {
            let s = ty.wrap(a);
            (vec![a], wide.wrap(ty.wrap(wide.wrap(s.wrapping_add(s))).wrapping_add(s)))
        });
        functions.push((text, cases.collect()));
    }
    let program = program(functions);
    let mut suite = Suite::default();
    for vars in ["local", "static", "field", "element"] {
        let array = if vars == "element" { "local" } else { vars };
        let options = format!(r#"{{"vars": ["{vars}", "{vars}", "{array}"]}}"#);
        let options: FunctionOptions = serde_json::from_str(&options).unwrap();
        let functions = vec![options; program.functions.len()];
        suite.add(&program, &JvmOptions { functions, ..Default::default() }).unwrap();
    }
    suite.check();
}

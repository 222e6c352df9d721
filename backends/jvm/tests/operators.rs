//! Every operator at every type, at the values where things go wrong, on a real JVM.

mod support;

use pathsmith_backend_jvm::{FunctionOptions, Intrinsics, JvmOptions};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, Ending, IntTy, Program, Realization, Scalar, UnOp, WordTy};
use pathsmith_symlang::semantics::table;
use support::{Suite, has_java};

fn values(ty: IntTy) -> Vec<i64> {
    let around = [ty.min(), ty.max(), 0, 31, 63, 1 << 31, 0x0123_4567_89ab_cdef];
    let mut values: Vec<i64> = around
        .iter()
        .flat_map(|value| [-1, 0, 1].map(|by| ty.wrap(value.wrapping_add(by))))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
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

fn operators() -> Program {
    use pathsmith_symlang::lang::Notation;
    let text = |notation, operands: &[&str]| match notation {
        Notation::Prefix(name) | Notation::Infix(name, _) => applied(name, operands, false),
        Notation::Named(name) => applied(name, operands, true),
    };
    let forbidden = Dialect::Jvm.forbidden();
    let mut functions = Vec::new();
    for ty in WordTy::ALL {
        let values = values(ty.into());
        for op in UnOp::ALL {
            let expr = text(op.notation(), &["a"]);
            let n = functions.len();
            let text = format!("fn f{n}(a: {ty}) -> {ty} {{ entry: return {expr}; }}\n");
            let cases = values.iter().filter_map(|a| {
                let meaning = table::unary(op, ty.into(), *a);
                meaning.hazards.and(forbidden).is_empty().then(|| (vec![*a], meaning.word))
            });
            functions.push((text, cases.collect()));
        }
        for op in BinOp::ALL {
            let (expr, ret) = (text(op.notation(), &["a", "b"]), op.result_ty(ty.into()));
            let n = functions.len();
            let text = format!("fn f{n}(a: {ty}, b: {ty}) -> {ret} {{ entry: return {expr}; }}\n");
            let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b)));
            let cases = pairs.filter_map(|(a, b)| {
                let meaning = table::binary(op, ty.into(), a, b);
                meaning.hazards.and(forbidden).is_empty().then(|| (vec![a, b], meaning.word))
            });
            functions.push((text, cases.collect()));
        }
        // The JDK has a method of its own for a comparison with 0.
        for is_right in [true, false] {
            let n = functions.len();
            let expr = if is_right { format!("cmp(a, 0{ty})") } else { format!("cmp(0{ty}, a)") };
            let text = format!("fn f{n}(a: {ty}) -> i32 {{ entry: return {expr}; }}\n");
            let cases = values.iter().map(|a| {
                let (lhs, rhs) = if is_right { (*a, 0) } else { (0, *a) };
                (vec![*a], table::binary(BinOp::Cmp, ty.into(), lhs, rhs).word)
            });
            functions.push((text, cases.collect()));
        }
        for to in IntTy::ALL {
            let (n, ret) = (functions.len(), to.widened());
            let text = format!("fn f{n}(a: {ty}) -> {ret} {{ entry: return {to}(a); }}\n");
            let cases = values.iter().map(|a| (vec![*a], to.wrap(*a)));
            functions.push((text, cases.collect()));
        }
    }
    program(functions)
}

#[test]
fn operators_mean_what_the_table_says() {
    if !has_java() {
        return;
    }
    let program = operators();
    let mut suite = Suite::default();
    for intrinsics in [Intrinsics::Jdk, Intrinsics::OpenCode] {
        let functions = vec![FunctionOptions { intrinsics, ..Default::default() }];
        let options = JvmOptions { functions, ..Default::default() };
        // One program for each, as the method that runs a program's tests must not be too long.
        for function in &program.functions {
            let functions = vec![function.clone()];
            suite.add(&Program { functions, ..Program::default() }, &options).unwrap();
        }
    }
    assert!(suite.n_realizations > 30_000, "{}", suite.n_realizations);
    suite.check();
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
            "fn f{n}(a: {wide}) -> {wide} {{ var s: {ty} = 0; var t: [{ty}; 3] = [0; 3];
             entry: s = a; t[1] = a; t[2] = s + t[1]; return (t[2] ^ t[0]) + s; }}\n"
        );
        let cases = values(wide.into()).into_iter().map(|a| {
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

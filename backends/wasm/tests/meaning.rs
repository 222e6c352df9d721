//! Every operator at every type on values at the edges, wrapping and traps included, in every way
//! it can be lowered: wasmtime has to do what the interpreter does.

mod support;

use std::fmt::Write;

use pathsmith_backend_wasm::{
    Base, Checksum, Conditions, DIALECT, FunctionOptions, Intrinsics, Narrowing, Selects, Storage,
    WasmOptions,
};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, Notation, Program, Scalar, ScalarTy, UnOp, WordTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use support::{Running, arguments, canonical};

/// Values where something changes.
fn edges(ty: IntTy) -> Vec<i64> {
    let mut edges = vec![0, 1, 2, 3, 7, -1, -2, -7, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256];
    edges.extend([32767, 32768, 65535, 65536, 0x1234_5678, 0x0123_4567_89ab_cdef]);
    edges.extend([i32::MIN, i32::MAX].map(i64::from));
    edges.extend([i64::MIN, i64::MIN + 1, i64::MAX, 1 << 32, (1 << 32) - 1, 1 << 31]);
    let mut edges: Vec<i64> = edges.into_iter().map(|value| ty.wrap(value)).collect();
    edges.extend([ty.min(), ty.max()]);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The same options for all functions, and their first variable in each kind of place.
fn lowerings(program: &Program) -> Vec<WasmOptions> {
    let mut all = Vec::new();
    for (selects, intrinsics, narrowing, storage) in [
        (Selects::Plain, Intrinsics::Inline, Narrowing::Extensions, Storage::Local),
        (Selects::Typed, Intrinsics::Inline, Narrowing::Shifts, Storage::Memory),
        (Selects::IfElse, Intrinsics::Inline, Narrowing::Extensions, Storage::Global),
        (Selects::Plain, Intrinsics::Calls, Narrowing::Shifts, Storage::Global),
    ] {
        let base = if storage == Storage::Memory { Base::Local } else { Base::Static };
        let functions = program.functions.iter().map(|function| FunctionOptions {
            selects,
            intrinsics,
            narrowing,
            base,
            vars: vec![storage; function.vars.len()],
            ..FunctionOptions::default()
        });
        all.push(WasmOptions { functions: functions.collect(), ..WasmOptions::default() });
    }
    all
}

/// Calls all functions with all combinations of edges, and gives how many trapped.
fn check(text: &str, all_options: Option<Vec<WasmOptions>>) -> usize {
    let program = parse("test", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, DIALECT);
    let engine = support::engine();
    let mut n_trapped = 0;
    for options in all_options.unwrap_or_else(|| lowerings(&program)) {
        let mut running = Running::new(&engine, &support::lower(&program, &options));
        for (id, function) in program.functions_with_ids() {
            let mut inputs = vec![Vec::new()];
            for param in function.params() {
                let ScalarTy::Int(ty) = param.ty.cell_ty();
                let edges = edges(ty);
                let longer = |input: &Vec<Scalar>| {
                    let with = |edge: &i64| [&input[..], &[Scalar::new(ty, *edge)]].concat();
                    edges.iter().map(with).collect::<Vec<_>>()
                };
                inputs = inputs.iter().flat_map(longer).collect();
            }
            for input in inputs {
                let expected = match machine.run(id, &input, Limits::default()) {
                    Outcome::Returned(output) => Some(output),
                    Outcome::Trapped(..) => None,
                    Outcome::Undefined(_) => continue,
                    other => panic!("{other:?}"),
                };
                n_trapped += usize::from(expected.is_none());
                let result = running.call(&function.name, &arguments(&input), 1);
                let output = result.map(|result| canonical(function, &result[0]));
                assert_eq!(output, expected, "{}({input:?}) {options:?}", function.name);
            }
        }
    }
    n_trapped
}

/// An operator with the operand `a`, or with `a` and `b`.
fn applied(notation: Notation, operands: &str) -> String {
    match notation {
        Notation::Infix(symbol, _) => format!("a {symbol} b"),
        Notation::Prefix(name) | Notation::Named(name) => format!("{name}({operands})"),
    }
}

#[test]
fn operators() {
    let mut text = String::from("dialect wasm;\n");
    for ty in WordTy::ALL {
        for (at, op) in BinOp::ALL.into_iter().enumerate() {
            let expr = applied(op.notation(), "a, b");
            let ret = op.result_ty(ty.into());
            let _ = writeln!(text, "fn binary{at}_{ty}(a: {ty}, b: {ty}) -> {ret} {{");
            let _ = writeln!(text, "entry: return {expr}; }}");
        }
        for (at, op) in UnOp::ALL.into_iter().enumerate() {
            let expr = applied(op.notation(), "a");
            let _ =
                writeln!(text, "fn unary{at}_{ty}(a: {ty}) -> {ty} {{ entry: return {expr}; }}");
        }
        let _ = writeln!(text, "fn select_{ty}(c: i8, a: {ty}, b: u16) -> {ty} {{");
        let _ = writeln!(text, "entry: return select(i32(c), a, {ty}(b)); }}");
    }
    let n_trapped = check(&text, None);
    assert!(n_trapped > 500, "{n_trapped}");
}

#[test]
fn conversions() {
    let mut text = String::from("dialect wasm;\n");
    for to in IntTy::ALL {
        for from in IntTy::ALL {
            let (ret, wide) = (to.widened(), from.widened());
            let _ = writeln!(text, "fn cast_{from}_{to}(a: {from}) -> {ret} {{");
            let _ = writeln!(text, "entry: return {to}(a); }}");
            // Through a variable, which narrows what is assigned, and by a call.
            let _ = writeln!(text, "fn store_{from}_{to}(a: {from}) -> u32 {{");
            let _ = writeln!(
                text,
                "var x: {to} = 1; var y: [{to}; 3] = [{}; 3];",
                to.to_wide(to.max())
            );
            let _ = writeln!(text, "entry: x = {ret}(a); y[1i64] = {ret}(a); y[2u32] = y[1] + x;");
            let _ = writeln!(text, "a = {wide}(y[2]); return checksum; }}");
            let _ = writeln!(text, "fn call_{from}_{to}(a: {to}) -> {wide} {{");
            let _ = writeln!(text, "entry: return cast_{from}_{to}_back({wide}(a)); }}");
            let _ = writeln!(text, "fn cast_{from}_{to}_back(a: {from}) -> {wide} {{");
            let _ = writeln!(text, "entry: return a; }}");
        }
    }
    let program = parse("test", &text).unwrap_or_else(|error| panic!("{error:?}"));
    let mut all = lowerings(&program);
    for (options, checksum) in
        all.iter_mut().zip([Checksum::Table, Checksum::Bitwise, Checksum::Host, Checksum::Table])
    {
        options.checksum = checksum;
        options.packed = checksum == Checksum::Bitwise;
    }
    assert_eq!(check(&text, Some(all)), 0);
}

#[test]
fn switches() {
    let mut text = String::from("dialect wasm;\n");
    let mut n_functions = 0;
    for ty in WordTy::ALL {
        let of = IntTy::from(ty);
        let (min, max) = (of.to_wide(of.min()), of.to_wide(of.max()));
        for labels in [
            vec![min, min + 1, min + 3],
            vec![max, max - 1, max - 40],
            vec![31, 32, 33, 63, 64, 65],
            vec![min, max, 1, 128],
            vec![7],
            vec![],
        ] {
            let cases = labels.iter().enumerate();
            let cases: String = cases.map(|(at, label)| format!("{label} -> b{at}, ")).collect();
            let _ = writeln!(text, "fn f{n_functions}(a: {ty}) -> i32 {{ var x: i32 = 99;");
            let _ = writeln!(text, "entry: switch a {{ {cases} else -> exit }};");
            for at in 0..labels.len() {
                let _ = writeln!(text, "b{at}: x = {at}; goto exit;");
            }
            let _ = writeln!(text, "exit: return x; }}");
            n_functions += 1;
        }
    }
    let options = [0, 4, 64, 65_520].map(|max_table| {
        let conditions = if max_table == 4 { Conditions::BrIf } else { Conditions::If };
        let function = FunctionOptions { max_table, conditions, ..FunctionOptions::default() };
        WasmOptions { functions: vec![function; n_functions], ..WasmOptions::default() }
    });
    assert_eq!(check(&text, Some(options.to_vec())), 0);
}

/// A function that can call itself keeps the variables of its calls apart.
#[test]
fn recursion() {
    let text = "dialect wasm; global scale: [i64; 2] = [3, 5]; global add: i16 = -4;
        fn walk(n: u8, left: u16) -> u32 {
            var seen: [i16; 6] = [1, 2, 3, 4, 5, 6];
            var long: [u8; 100] = [9; 100];
            var below: u32 = 7;
        entry: seen[n % 6u32] = i32(n) * add; long[left % 100u32] = n;
            if left > 0u32 goto down else done;
        down: below = walk(u32(n) + 1u32, min(left, 40u32) - 1u32); goto done;
        done: seen[0] = i32(scale[n % 2u32]) + seen[1]; return checksum;
        }
        fn even(n: u16) -> i32 { var x: [u32; 1] = [5]; entry: x[0] = n;
            if n == 0u32 goto exit else more; more: x[0] = u32(odd(min(n, 90u32) - 1u32)); goto exit;
            exit: return i32(x[0]); }
        fn odd(n: u16) -> i32 { var y: u16 = 1; entry:
            if n == 0u32 goto exit else more; more: y = u32(even(n - 1u32)); goto exit;
            exit: return i32(y); }";
    let program = parse("test", text).unwrap_or_else(|error| panic!("{error:?}"));
    let in_memory = program.functions.iter().map(|function| FunctionOptions {
        vars: vec![Storage::Memory; function.vars.len()],
        bulk: true,
        ..FunctionOptions::default()
    });
    let in_memory = WasmOptions { functions: in_memory.collect(), ..WasmOptions::default() };
    assert_eq!(check(text, Some(vec![WasmOptions::default(), in_memory])), 0);
}

//! Every operator at every type on values at the edges, wrapping and traps included, in every way
//! it can be lowered: wasmtime has to do what the interpreter does.

mod support;

use std::fmt::Write;

use pathsmith_backend_wasm::{Checksum, Conditions, FunctionOptions, Storage, WasmOptions};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, UnOp, WordTy};
use support::exhaustive::{applied, check, lowerings};

#[test]
fn operators() {
    let mut text = String::from("dialect wasm;\n");
    for ty in WordTy::ALL {
        let takes_binary = |(_, op): &(usize, BinOp)| op.takes(ty.into());
        for (at, op) in BinOp::ALL.into_iter().enumerate().filter(takes_binary) {
            let expr = applied(op.notation(), "a, b");
            let ret = op.result_ty(ty.into());
            let _ = writeln!(text, "fn binary{at}_{ty}(a: {ty}, b: {ty}) -> {ret} {{");
            let _ = writeln!(text, "entry: return {expr}; }}");
        }
        let takes_unary = |(_, op): &(usize, UnOp)| op.takes(ty.into());
        for (at, op) in UnOp::ALL.into_iter().enumerate().filter(takes_unary) {
            let (expr, ret) = (applied(op.notation(), "a"), op.result_ty(ty.into()));
            let _ =
                writeln!(text, "fn unary{at}_{ty}(a: {ty}) -> {ret} {{ entry: return {expr}; }}");
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

//! Every operator and conversion of floating-point numbers on values at the edges, in every way it
//! can be lowered: wasmtime has to do what the interpreter does, to the last bit.

mod support;

use std::fmt::Write;

use pathsmith_backend_wasm::{Checksum, WasmOptions};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, FloatTy, IntTy, ScalarTy, UnOp, ValueTy};
use support::exhaustive::{applied, check, lowerings};

#[test]
fn operators() {
    let mut text = String::from("dialect wasm;\n");
    for ty in FloatTy::ALL {
        let value = ValueTy::from(ty);
        for (at, op) in BinOp::ALL.into_iter().enumerate().filter(|(_, op)| op.takes(value)) {
            let (expr, ret) = (applied(op.notation(), "a, b"), op.result_ty(value));
            let _ = writeln!(text, "fn binary{at}_{ty}(a: {ty}, b: {ty}) -> {ret} {{");
            let _ = writeln!(text, "entry: return {expr}; }}");
        }
        for (at, op) in UnOp::ALL.into_iter().enumerate().filter(|(_, op)| op.takes(value)) {
            let (expr, ret) = (applied(op.notation(), "a"), op.result_ty(value));
            let _ =
                writeln!(text, "fn unary{at}_{ty}(a: {ty}) -> {ret} {{ entry: return {expr}; }}");
        }
        let _ = writeln!(text, "fn select_{ty}(c: i8, a: {ty}, b: u16) -> {ty} {{");
        let _ = writeln!(text, "entry: return select(i32(c), a, {ty}(b)); }}");
    }
    assert_eq!(check(&text, None), 0);
}

/// The same ways of lowering, with another checksum each.
fn with_checksums(text: &str) -> Vec<WasmOptions> {
    let program = parse("test", text).unwrap_or_else(|error| panic!("{error:?}"));
    let mut all = lowerings(&program);
    for (options, checksum) in
        all.iter_mut().zip([Checksum::Table, Checksum::Bitwise, Checksum::Host, Checksum::Table])
    {
        options.checksum = checksum;
        options.packed = checksum == Checksum::Bitwise;
    }
    all
}

#[test]
fn conversions() {
    let mut text = String::from("dialect wasm;\n");
    for to in ScalarTy::ALL {
        for from in ScalarTy::ALL {
            if from.as_int().is_some() && to.as_int().is_some() {
                continue;
            }
            let ret = to.widened();
            let _ = writeln!(text, "fn cast_{from}_{to}(a: {from}) -> {ret} {{");
            let _ = writeln!(text, "entry: return {to}(a); }}");
            // Through variables, and by a call.
            let _ = writeln!(text, "fn store_{from}_{to}(a: {from}) -> u32 {{");
            let _ = writeln!(text, "var x: {to} = 1; var y: [{to}; 3] = [7; 3];");
            let _ = writeln!(text, "entry: x = {ret}(a); y[1i64] = {ret}(a); y[2u32] = y[1] + x;");
            let _ = writeln!(text, "return checksum; }}");
            let _ = writeln!(text, "fn call_{from}_{to}(a: {from}) -> {ret} {{");
            let _ = writeln!(text, "entry: return call_{from}_{to}_of({ret}(a)); }}");
            let _ = writeln!(text, "fn call_{from}_{to}_of(a: {to}) -> {ret} {{");
            let _ = writeln!(text, "entry: return a; }}");
        }
    }
    let n_trapped = check(&text, Some(with_checksums(&text)));
    assert!(n_trapped > 1_000, "{n_trapped}");
}

/// Whatever bits a NaN has, and wherever it is: its checksum is that of the one NaN.
#[test]
fn checksums_have_one_nan() {
    let mut text = String::from("dialect wasm;\n");
    for ty in FloatTy::ALL {
        let _ = writeln!(
            text,
            "global scalar_{ty}: {ty} = 1.5; global few_{ty}: [{ty}; 2] = [-0.0; 2];"
        );
        let _ = writeln!(text, "global many_{ty}: [{ty}; 9] = [nan; 9];");
        let _ = writeln!(text, "global long_{ty}: [{ty}; 99] = [-inf; 99];");
    }
    for (ty, bits) in [(FloatTy::F32, IntTy::I32), (FloatTy::F64, IntTy::U64)] {
        for (at, value) in [
            "from_bits(a)",
            "-from_bits(a)",
            "abs(from_bits(a))",
            "sqrt(-from_bits(a))",
            "from_bits(a) * 2.0",
        ]
        .into_iter()
        .enumerate()
        {
            let two = format!("2.0{}", if ty == FloatTy::F32 { "f32" } else { "" });
            let value = value.replace("2.0", &two);
            let _ = writeln!(text, "fn local{at}_{ty}(a: {bits}) -> u32 {{ var x: {ty} = 0.0;");
            let _ =
                writeln!(text, "var few: [{ty}; 3] = [1.0; 3]; var many: [{ty}; 70] = [nan; 70];");
            let _ = writeln!(text, "entry: x = {value}; few[1] = x; many[69] = -few[1];");
            let _ = writeln!(text, "many[3] = {value}; return checksum; }}");
            let _ = writeln!(text, "fn global{at}_{ty}(a: {bits}) -> u32 {{ entry:");
            let _ = writeln!(text, "scalar_{ty} = {value}; few_{ty}[0] = scalar_{ty};");
            let _ = writeln!(text, "many_{ty}[8] = {value}; long_{ty}[98] = {value};");
            let _ = writeln!(text, "return checksum; }}");
        }
    }
    assert_eq!(check(&text, Some(with_checksums(&text))), 0);
}

//! Functions called with all combinations of values where something changes, held against the
//! interpreter.

use pathsmith_backend_wasm::{
    Base, DIALECT, Floats, FunctionOptions, Intrinsics, Narrowing, Saturation, Selects, Storage,
    WasmOptions,
};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{FloatTy, IntTy, Notation, Program, Scalar, ScalarTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};

use super::{Running, arguments, canonical, engine, lower};

/// Integers where something changes.
fn int_edges(ty: IntTy) -> Vec<i64> {
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

/// Integers around which conversions to floating-point numbers are rounded the other way: those that
/// have one bit more than the precision, and their neighbours.
fn rounded(ty: IntTy) -> Vec<i64> {
    let mut all = Vec::new();
    for precision in [24, 53] {
        for bits in (precision..=64).step_by(5).chain([25, 26, 31, 32, 33, 54, 55, 63]) {
            if bits <= precision {
                continue;
            }
            // A tie above an even and above an odd significand, and where it carries.
            let (top, half) = (1_u64 << (bits - 1), 1_u64 << (bits - precision - 1));
            for tie in [top + half, top + 3 * half, u64::MAX >> (64 - bits), top] {
                all.extend([tie.wrapping_sub(1), tie, tie.wrapping_add(1)]);
            }
        }
    }
    let mut all: Vec<i64> = all
        .into_iter()
        .flat_map(|value| [value as i64, (value as i64).wrapping_neg()])
        .filter(|value| ty.wrap(*value) == *value)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Bits of NaNs, and of their neighbours.
const NAN_BITS: [u64; 10] = [
    0x7f80_0001,
    0x7fc0_0001,
    0xffc0_0000,
    0xff80_0001,
    0xffff_ffff,
    0x7ff0_0000_0000_0001,
    0x7ff8_0000_0000_0001,
    0xfff8_0000_0000_0000,
    0xfff0_0000_0000_0001,
    u64::MAX,
];

/// Floating-point numbers where something changes.
fn float_edges(ty: FloatTy) -> Vec<i64> {
    let mut edges = vec![ty.nan(), ty.infinity()];
    let values = [
        0.0,
        0.25,
        0.5,
        1.0,
        1.5,
        2.5,
        3.5,
        127.5,
        128.5,
        255.0,
        256.0,
        32768.0,
        65536.0,
        1e10,
        1e-10,
        3.25e30,
        1e-40,
        f64::from(f32::MAX),
        f64::MAX,
        f64::MIN_POSITIVE,
        std::f64::consts::PI,
        f64::from(f32::MIN_POSITIVE),
    ];
    // The largest odd number, beyond which all are even; the limits of integers; the smallest number.
    let powers =
        [22, 23, 24, 31, 32, 51, 52, 53, 62, 63, 64, -24, -53, -149, -150, -1074, 127, 128];
    let powers = powers.map(|exponent| 2_f64.powi(exponent));
    // Ties of a conversion from f64 to f32: to even, downwards, to 0 and to infinity.
    let narrow = [1.0 + 2_f64.powi(-24), 1.0 + 3.0 * 2_f64.powi(-24), 1.5 * 2_f64.powi(-149)];
    let largest = f64::from(f32::MAX) + 2_f64.powi(103);
    for value in values.into_iter().chain(powers).chain(narrow).chain([largest, 1.0 / 3.0]) {
        let word = ty.word(value);
        edges.extend([word - 1, word, word + 1].map(|word| ty.magnitude(word)));
    }
    edges.retain(|word| *word == ty.canonical(*word));
    let negative = edges.iter().map(|word| ty.canonical(*word | ty.word(-0.0)));
    edges = edges.iter().copied().chain(negative).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Values where something changes.
fn edges(ty: ScalarTy, n_params: usize) -> Vec<Scalar> {
    let words = match ty {
        ScalarTy::Int(ty) if n_params == 1 => {
            let nans = NAN_BITS.map(|bits| ty.wrap(bits as i64));
            [int_edges(ty), rounded(ty), nans.to_vec()].concat()
        }
        ScalarTy::Int(ty) => int_edges(ty),
        ScalarTy::Float(ty) => float_edges(ty),
    };
    words.into_iter().map(|word| Scalar::new(ty, word)).collect()
}

/// The same options for all functions, and their first variable in each kind of place.
pub(crate) fn lowerings(program: &Program) -> Vec<WasmOptions> {
    let mut all = Vec::new();
    for (selects, intrinsics, narrowing, storage, floats, saturation) in [
        (
            Selects::Plain,
            Intrinsics::Inline,
            Narrowing::Extensions,
            Storage::Local,
            Floats::Instructions,
            Saturation::Instructions,
        ),
        (
            Selects::Typed,
            Intrinsics::Inline,
            Narrowing::Shifts,
            Storage::Memory,
            Floats::Bits,
            Saturation::Branches,
        ),
        (
            Selects::IfElse,
            Intrinsics::Inline,
            Narrowing::Extensions,
            Storage::Global,
            Floats::Bits,
            Saturation::Instructions,
        ),
        (
            Selects::Plain,
            Intrinsics::Calls,
            Narrowing::Shifts,
            Storage::Global,
            Floats::Instructions,
            Saturation::Branches,
        ),
    ] {
        let base = if storage == Storage::Memory { Base::Local } else { Base::Static };
        let functions = program.functions.iter().map(|function| FunctionOptions {
            selects,
            intrinsics,
            narrowing,
            floats,
            saturation,
            base,
            vars: vec![storage; function.vars.len()],
            ..FunctionOptions::default()
        });
        all.push(WasmOptions { functions: functions.collect(), ..WasmOptions::default() });
    }
    all
}

/// Calls all functions with all combinations of edges, and gives how many trapped.
pub(crate) fn check(text: &str, all_options: Option<Vec<WasmOptions>>) -> usize {
    let program = parse("test", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, DIALECT);
    let engine = engine();
    let mut n_trapped = 0;
    for options in all_options.unwrap_or_else(|| lowerings(&program)) {
        let mut running = Running::new(&engine, &lower(&program, &options));
        for (id, function) in program.functions_with_ids() {
            let mut inputs = vec![Vec::new()];
            for param in function.params() {
                let edges = edges(param.ty.cell_ty(), function.params().len());
                let longer = |input: &Vec<Scalar>| {
                    let with = |edge: &Scalar| [&input[..], &[*edge]].concat();
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
pub(crate) fn applied(notation: Notation, operands: &str) -> String {
    match notation {
        Notation::Infix(symbol, _) => format!("a {symbol} b"),
        Notation::Prefix(name) | Notation::Named(name) => format!("{name}({operands})"),
    }
}

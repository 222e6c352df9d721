//! Floating-point numbers in loops, branches, storage and checksums, on a real JVM.

mod support;

use std::process::Command;

use pathsmith_backend_jvm::{
    CallKind, DIALECT, DriverStep, FunctionOptions, JvmBackend, JvmOptions,
};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, Ending, FloatTy, Notation, Program, Realization, Scalar, ScalarTy, UnOp, WordTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, Seed};
use support::{COMPILED, Suite, has_java, write_class};

/// The program, with a realization of each of its functions for each of some arguments.
fn realized(source: &str, arguments: &[Vec<i64>]) -> Program {
    let mut program = parse("floats", source).expect("it is valid");
    let code = Code::new(&program);
    let mut all = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        let types = function.params().iter().map(|param| param.ty.cell_ty());
        let types: Vec<ScalarTy> = types.collect();
        let realizations = arguments.iter().map(|words| {
            let args = std::iter::zip(&types, words).map(|(ty, word)| Scalar::new(*ty, *word));
            let args: Vec<Scalar> = args.collect();
            let mut machine = Machine::new(&code, DIALECT);
            let limits = Limits { steps: 10_000_000, depth: 10 };
            let outcome = machine.run(FuncId::new(number), &args, limits);
            let Outcome::Returned(output) = outcome else { panic!("it has to return") };
            let path = Path::new(machine.path().to_vec());
            Realization { args, path, ending: Ending::Returns(output), leaving: machine.leaving() }
        });
        all.push(realizations.collect());
    }
    for (function, realizations) in std::iter::zip(&mut program.functions, all) {
        function.realizations = realizations;
    }
    program
}

/// Every way of lowering that concerns floating-point numbers.
fn all_options(program: &Program) -> impl Iterator<Item = JvmOptions> {
    let ways = [
        "{}",
        r#"{"intrinsics": "open-code", "checksum": "jdk"}"#,
        r#"{"vars": ["static", "static", "static", "static", "static"]}"#,
        r#"{"vars": ["field", "field", "field", "field", "field"], "checksum": "jdk"}"#,
        r#"{"vars": ["element", "element", "element", "element"], "intrinsics": "open-code"}"#,
        r#"{"vars": ["static", "field", "field", "static", "field"], "volatile": true}"#,
    ];
    ways.into_iter().map(move |way| {
        let options: FunctionOptions = serde_json::from_str(way).expect("options");
        let fitting = program.functions.iter().map(|function| {
            let mut fitting = options.clone();
            fitting.vars.truncate(function.vars.len());
            fitting
        });
        JvmOptions { functions: fitting.collect(), ..JvmOptions::default() }
    })
}

/// Numbers of all kinds: words at random, and special ones among them.
fn numbers(ty: FloatTy, n: usize) -> Vec<String> {
    let mut rng = Seed::new(6).child(ty.name()).rng();
    let special = [0.0, -0.0, 0.5, -0.5, 1.5, -2.5, 1e10, -1e10, 1e19, f64::INFINITY, f64::NAN];
    let words = (0..n).map(|at| {
        let low = choose_below(u32::MAX as usize, &mut rng) as i64;
        let high = choose_below(u32::MAX as usize, &mut rng) as i64;
        match at % 4 {
            0 => ty.word(special[low as usize % special.len()]),
            1 => ty.word((low % 2000 - 1000) as f64 / 4.0),
            2 => ty.word((low - high) as f64 / 4321.0),
            _ => ty.canonical(high << 32 | low),
        }
    });
    words.map(|word| Scalar::new(ty, word).to_string()).collect()
}

/// What loops compute from elements `a[i]` and `b[i]`, with the type that it has.
fn loop_bodies(ty: FloatTy) -> Vec<(String, ScalarTy)> {
    let text = |notation, operands: &[&str]| match (notation, operands) {
        (Notation::Infix(name, _), [a, b]) => format!("{a} {name} {b}"),
        (Notation::Prefix(name) | Notation::Infix(name, _), _) => format!("{name}{}", operands[0]),
        (Notation::Named(name), _) => format!("{name}({})", operands.join(", ")),
    };
    let unary = UnOp::ALL.into_iter().filter(|op| op.takes(ty.into()));
    let unary = unary.map(|op| (text(op.notation(), &["a[i]"]), op.result_ty(ty.into()).into()));
    let binary = BinOp::ALL.into_iter().filter(|op| op.takes(ty.into()));
    let binary =
        binary.map(|op| (text(op.notation(), &["a[i]", "b[i]"]), op.result_ty(ty.into()).into()));
    let casts = ScalarTy::ALL.into_iter().map(|to| (format!("{to}(a[i])"), to));
    let through_ints = [WordTy::I32, WordTy::U32, WordTy::I64, WordTy::U64]
        .into_iter()
        .flat_map(|int| FloatTy::ALL.map(|to| (format!("{to}({int}(a[i]))"), to.into())));
    let mixed = [
        ("a[i] * b[i] + a[i]".to_owned(), ty.into()),
        ("a[i] - a[i]".to_owned(), ty.into()),
        ("0.0 * f64(a[i])".to_owned(), FloatTy::F64.into()),
        ("sqrt(abs(a[i])) + b[i]".to_owned(), ty.into()),
        ("copysign(a[i], a[i] - b[i])".to_owned(), ty.into()),
        ("bits(a[i] / b[i])".to_owned(), ScalarTy::from(UnOp::Bits.result_ty(ty.into()))),
        ("select(a[i] < b[i], a[i], b[i])".to_owned(), ty.into()),
        ("select(a[i] >= b[i], -a[i], b[i])".to_owned(), ty.into()),
        ("max(min(a[i], b[i]), -b[i])".to_owned(), ty.into()),
    ];
    unary.chain(binary).chain(casts).chain(through_ints).chain(mixed).collect()
}

/// Compilers turn loops into vector instructions.
#[test]
fn loops_over_arrays_agree() {
    const LEN: usize = 300;
    if !has_java() {
        return;
    }
    let mut suite = Suite::default();
    for ty in FloatTy::ALL {
        let mut all = numbers(ty, LEN + 13);
        let b = all[13..].join(", ");
        all.truncate(LEN);
        let mut source = format!(
            "global a: [{ty}; {LEN}] = [{}];\nglobal b: [{ty}; {LEN}] = [{b}];\n",
            all.join(", ")
        );
        let bodies = loop_bodies(ty);
        for (n, (body, to)) in bodies.iter().enumerate() {
            source += &format!(
                "fn loop{n}() -> u32 {{ var r: [{to}; {LEN}] = [{zero}; {LEN}]; var i: i32 = 0;
                 entry: goto B; B: r[i] = {body}; i = i + 1;
                 if i < {LEN} goto B else exit; exit: return checksum(r); }}\n",
                zero = Scalar::new(*to, 0),
            );
        }
        // What is summed up in another order is another sum.
        for (n, body) in
            ["s + a[i]", "s * 0.5f32 + a[i]", "min(s, a[i])", "max(s, a[i])", "s - b[i]"]
                .into_iter()
                .enumerate()
        {
            let body = if ty == FloatTy::F64 { body.replace("f32", "") } else { body.to_owned() };
            let zero = Scalar::new(ty, 0);
            source += &format!(
                "fn sum{n}(from: i32) -> {ty} {{ var s: {ty} = {zero}; var i: i32 = 0;
                 entry: i = from; goto B; B: s = {body}; i = i + 1;
                 if i < from + 11 goto B else exit; exit: return s; }}\n",
            );
        }
        let arguments: Vec<Vec<i64>> = [0, 1, 5, 40, 77, 200].map(|from| vec![from]).to_vec();
        let program = realized(&source, &arguments);
        for intrinsics in ["jdk", "open-code"] {
            let options = format!(r#"{{"intrinsics": "{intrinsics}"}}"#);
            let options: FunctionOptions = serde_json::from_str(&options).expect("options");
            let functions = vec![options; program.functions.len()];
            suite
                .add(&program, &JvmOptions { functions, ..JvmOptions::default() })
                .expect("it fits");
        }
    }
    for flags in [&["-Xint"][..], COMPILED, &["-Xbatch", "-XX:-TieredCompilation"]] {
        let times = if flags[0] == "-Xbatch" { 60 } else { 2 };
        assert_eq!(suite.run(flags, times), "done", "with {flags:?}");
    }
}

/// Bits of NaNs of both signs, of both kinds, and of numbers.
const BITS: [(i64, i64); 7] = [
    (0x7fc0_0000, 0x7ff8_0000_0000_0000),
    (0xffc0_0000, 0xfff8_0000_0000_0000_u64 as i64),
    (0x7f80_0001, 0x7ff0_0000_0000_0001),
    (0xffff_ffff, -1),
    (0x8000_0000, i64::MIN),
    (0xff80_0000, 0xfff0_0000_0000_0000_u64 as i64),
    (0x4049_0fdb, 0x4009_21fb_5444_2d18),
];

#[test]
fn there_is_one_nan_wherever_it_is_seen() {
    if !has_java() {
        return;
    }
    let source = "global g: f32 = -0.0; global h: [f64; 3] = [1.5, nan, -0.0];
        fn all(a: u32, b: u64) -> u32 { var x: f32 = -0.0; var y: f64 = -inf;
            var t: [f32; 4] = [-0.0, 0.0, nan, 1.5];
            entry: x = from_bits(a); y = from_bits(b); t[1] = x; g = -x; h[0] = y; h[1] = f64(x);
            t[2] = f32(y); goto exit; exit: return checksum; }
        fn single(a: u32, b: u64) -> f32 { entry: g = from_bits(a); h[2] = from_bits(b); return g; }
        fn double(a: u32, b: u64) -> f64 { entry: h[2] = -from_bits(b); return h[2]; }
        fn sign(a: u32, b: u64) -> f64 {
            entry: return copysign(copysign(3.0, from_bits(b)), f64(from_bits(a))); }
        fn seen(a: u32, b: u64) -> u64 {
            entry: return bits(-from_bits(b)) ^ u64(bits(abs(from_bits(a)))); }
        fn passed(a: u32, b: u64) -> f32 { entry: return taken(from_bits(a), from_bits(b)); }
        fn called(a: u32, b: u64) -> u64 { entry: return bits(f64(made(a, b))) ^ b; }
        fn made(a: u32, b: u64) -> f32 { entry: return from_bits(a); }
        fn taken(a: f32, b: f64) -> f32 { entry: return a + f32(b - 0.5); }";
    let arguments: Vec<Vec<i64>> = BITS.iter().map(|(a, b)| vec![*a, *b]).collect();
    let program = realized(source, &arguments);
    let taken = program.functions.len() - 1;
    let single = &program.functions[1].realizations[1];
    assert_eq!(single.ending.returned(), Some(Scalar::new(FloatTy::F32, 0x7fc0_0000)));
    assert!(single.leaving.is_some());
    let mut suite = Suite::default();
    for mut options in all_options(&program) {
        suite.add(&program, &options).expect("it fits");
        options.functions[0].watched = serde_json::from_str("[2, 3]").expect("variables");
        options.functions[taken].call = CallKind::Interface;
        options.functions[taken - 1].call = CallKind::Virtual;
        suite.add(&program, &options).expect("it fits");
    }
    suite.check();
    assert_eq!(suite.run(COMPILED, 2), "done");
}

#[test]
fn branches_know_nan() {
    if !has_java() {
        return;
    }
    let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, -f64::INFINITY, f64::NAN];
    let mut suite = Suite::default();
    for ty in FloatTy::ALL {
        let mut source = String::new();
        for (n, op) in ["==", "!=", "<", "<=", ">", ">="].into_iter().enumerate() {
            // Both with the block next that is taken, and with the other one.
            source += &format!(
                "fn branch{n}(a: {ty}, b: {ty}) -> i32 {{ var r: i32 = 1;
                 entry: if a {op} b goto B else C; B: r = r + 2; goto C;
                 C: if a {op} b goto exit else D; D: r = r + 4; goto exit;
                 exit: return r + select(b {op} a, 8, 16) + (a {op} b) * 32; }}\n"
            );
        }
        let words = special.map(|value| ty.word(value));
        let pairs = words.iter().flat_map(|a| words.iter().map(|b| vec![*a, *b]));
        let pairs: Vec<Vec<i64>> = pairs.collect();
        suite.add(&realized(&source, &pairs), &JvmOptions::default()).expect("it fits");
    }
    suite.check();
    assert_eq!(suite.run(COMPILED, 2), "done");
}

/// What a class with a `main` prints on standard error.
fn run_main(source: &str, output: &str) -> String {
    let source = format!("{source} realize f({output}) = {output} via entry;");
    let program = parse("floats", &source).expect("it is valid");
    let steps = [DriverStep { call: 0, times: 3 }];
    let classes = JvmBackend.stand_alone(&program, &JvmOptions::default(), &steps);
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    for class in &classes.expect("it fits").classes {
        write_class(folder.path(), &class.name, &class.bytes);
    }
    let output = Command::new("java").arg("-cp").arg(folder.path()).arg("Program").output();
    String::from_utf8_lossy(&output.expect("java starts").stderr).into_owned()
}

#[test]
fn a_main_compares_bits() {
    if !has_java() {
        return;
    }
    for ty in FloatTy::ALL {
        let same = format!(
            "fn f(a: {ty}) -> {ty} {{ entry: return a / 1.0{suffix}; }}",
            suffix = if ty == FloatTy::F32 { "f32" } else { "" }
        );
        for output in ["nan", "-0.0", "1.5", "-inf"] {
            assert_eq!(run_main(&same, output), "");
        }
        let other = format!("fn f(a: {ty}) -> {ty} {{ entry: return abs(a); }}");
        assert_eq!(run_main(&other, "nan"), "");
        let said = run_main(&other, "-0.0");
        assert!(said.contains("java.lang.AssertionError: 0.0"), "{said}");
    }
}

//! How fast programs run in the interpreter, in time per executed operation.
//!
//! An operation is a node of an expression other than a constant or the name of a scalar. Criterion
//! reports elements per second: a thousand million of them are one nanosecond each.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Expr, Function, IntTy, PlaceForm, Program, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit};
use pathsmith_symlang::{FuncId, Seed};

/// A loop over 32-bit arithmetic, as most generated functions have it.
const ARITHMETIC: &str = "
    fn arithmetic(n: i32) -> u32 {
        var i: i32 = 0;
        var a: i32 = 1;
        var b: i32 = 7;
    entry: goto head;
    head: if i * 2 - n < n goto body else exit;
    body: a = (a * 3 + b) % 1009 - i; b = b * 5 % 777 + a / 3 - 1; i = i + 1; goto head;
    exit: return checksum;
    }";

/// All types, arrays, bit operations and a switch.
const MIXED: &str = "
    fn mixed(n: i32) -> u32 {
        var i: i32 = 0;
        var t: [u16; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
        var x: i64 = 5;
        var y: u64 = 9;
        var c: i8 = 0;
    entry: goto head;
    head: if i < n goto body else exit;
    body: t[i & 7] = t[i + 3 & 7] * 3u32 + u32(x); x = (x ^ i64(y)) >> 3i64; switch i % 3 { 0 -> one, 1 -> two, else -> next };
    one: y = rotl(y, 7u64) + u64(i); goto next;
    two: c = c + clz(i | 1); goto next;
    next: i = i + 1; goto head;
    exit: return checksum;
    }";

/// Floating-point numbers of both types, with comparisons and conversions.
const FLOATS: &str = "
    fn floats(n: i32) -> u32 {
        var i: i32 = 0;
        var x: f64 = 1.5;
        var y: f32 = 0.25;
        var t: [f64; 8] = [1.0; 8];
    entry: goto head;
    head: if i < n goto body else exit;
    body: x = (x * 0.75 + f64(i)) / 1.25 - sqrt(abs(x)); y = min(y * 1.5f32, f32(x)) + 0.5f32; t[i & 7] = t[i + 3 & 7] + x; if x < t[i & 7] goto less else next;
    less: x = floor(x) - f64(sat_i32(y)); goto next;
    next: i = i + 1; goto head;
    exit: return checksum;
    }";

/// Calls of a small function.
const CALLS: &str = "
    fn callee(x: i32, y: i32) -> i32 {
    entry: if x < y goto less else exit;
    less: x = x + y % 10; goto exit;
    exit: return x - 1;
    }
    fn calls(n: i32) -> u32 {
        var i: i32 = 0;
        var a: i32 = 3;
    entry: goto head;
    head: if i < n goto body else exit;
    body: a = callee(a, i) - callee(i, a) / 2; i = i + 1; goto head;
    exit: return checksum;
    }";

fn block_operations(function: &Function) -> Vec<u64> {
    let mut single = function.clone();
    function
        .blocks
        .iter()
        .map(|block| {
            single.blocks = vec![block.clone()];
            let mut n = block
                .stmts
                .iter()
                .filter(|stmt| stmt.assigned().indices().next().is_some())
                .count();
            single.for_each_expr(|_, expr| {
                let free = match expr {
                    Expr::Const(_) => true,
                    Expr::Read(place) => matches!(place.form(), PlaceForm::Scalar(_)),
                    Expr::Hole(..)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Select(..)
                    | Expr::Cast(..)
                    | Expr::Call(..) => false,
                };
                n += usize::from(!free);
            });
            n as u64
        })
        .collect()
}

/// How many operations a run executes, calls included.
fn n_operations(program: &Program, machine: &mut Machine<'_>, id: FuncId, args: &[Scalar]) -> u64 {
    let per_block: Vec<Vec<u64>> = program.functions.iter().map(block_operations).collect();
    let mut n = 0;
    let outcome = machine.run_observed(id, args, Limits::default(), &mut |visit: &Visit<'_>| {
        n += per_block[visit.function.index()][visit.block.index()];
    });
    assert!(matches!(outcome, Outcome::Returned(_)), "{}", outcome.describe(program));
    n
}

fn loops(c: &mut Criterion) {
    let mut group = c.benchmark_group("loops");
    let sources =
        [("arithmetic", ARITHMETIC), ("mixed", MIXED), ("floats", FLOATS), ("calls", CALLS)];
    for (name, source) in sources {
        let program = parse(name, source).expect("the benchmark is a valid program");
        let code = Code::new(&program);
        let id = FuncId::new(program.functions.len() - 1);
        for dialect in [Dialect::C, Dialect::Wasm] {
            let mut machine = Machine::new(&code, dialect);
            let args = [Scalar::new(IntTy::I32, 300)];
            let n = n_operations(&program, &mut machine, id, &args);
            group.throughput(Throughput::Elements(n));
            group.bench_function(BenchmarkId::new(name, dialect), |bencher| {
                bencher.iter(|| machine.run(id, black_box(&args), Limits::default()));
            });
        }
    }
    group.finish();
}

/// Short runs, where setting up the frame and the checksum count too.
fn samples(c: &mut Criterion) {
    let options = SampleOptions { dialect: Dialect::Wasm, ..SampleOptions::default() };
    let programs: Vec<Program> =
        (0..200).map(|seed| sample_program(&options, &mut Seed::new(seed).rng())).collect();
    let codes: Vec<Code> = programs.iter().map(Code::new).collect();
    let mut machines: Vec<_> =
        codes.iter().map(|code| Machine::new(code, options.dialect)).collect();
    let mut n = 0;
    for (program, machine) in std::iter::zip(&programs, &mut machines) {
        for (id, function) in program.functions_with_ids() {
            for realization in &function.realizations {
                n += n_operations(program, machine, id, &realization.args);
            }
        }
    }
    let mut group = c.benchmark_group("samples");
    group.throughput(Throughput::Elements(n));
    group.bench_function("run", |bencher| {
        bencher.iter(|| {
            for (program, machine) in std::iter::zip(&programs, &mut machines) {
                for (id, function) in program.functions_with_ids() {
                    for realization in &function.realizations {
                        black_box(machine.run(id, &realization.args, Limits::default()));
                    }
                }
            }
        });
    });
    group.throughput(Throughput::Elements(
        programs.iter().flat_map(|p| &p.functions).map(|f| f.n_exprs() as u64).sum(),
    ));
    group.bench_function("make code", |bencher| {
        bencher.iter(|| programs.iter().for_each(|program| drop(black_box(Code::new(program)))));
    });
    group.finish();
}

criterion_group!(benches, loops, samples);
criterion_main!(benches);

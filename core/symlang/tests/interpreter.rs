//! What the interpreter does with whole functions: control flow, arrays, globals, calls, limits.

use pathsmith_symlang::dialect::{Dialect, Hazard, TrapKind};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{IntTy, Program, Scalar, ScalarTy, ValueTy};
use pathsmith_symlang::semantics::checksum::Crc32;
use pathsmith_symlang::semantics::{Code, Limits, Machine, Observer, Outcome, Visit};
use pathsmith_symlang::{BlockId, FuncId};

fn program(source: &str) -> Program {
    parse("test.sym", source).unwrap_or_else(|errors| panic!("{:?}", errors.problems()))
}

/// `words` as values for the parameters of a function.
fn arguments(program: &Program, function: FuncId, words: &[i64]) -> Vec<Scalar> {
    let params = program.function(function).params();
    assert_eq!(params.len(), words.len());
    let values = std::iter::zip(params, words).map(|(param, word)| {
        let value = Scalar::new(param.ty.cell_ty(), *word);
        assert_eq!(value.word(), *word, "an argument is in canonical form");
        value
    });
    values.collect()
}

/// `word` as the output of a function.
fn returned(program: &Program, function: FuncId, word: i64) -> Outcome {
    let value = Scalar::new(program.function(function).ret, word);
    assert_eq!(value.word(), word, "an output is in canonical form");
    Outcome::Returned(value)
}

fn last(program: &Program) -> FuncId {
    FuncId::new(program.functions.len() - 1)
}

/// Runs the last function of a source.
fn run(source: &str, args: &[i64]) -> Outcome {
    let program = program(source);
    let (code, last) = (Code::new(&program), last(&program));
    let args = arguments(&program, last, args);
    Machine::new(&code, Dialect::C).run(last, &args, Limits::default())
}

fn returns(source: &str, args: &[i64], expected: i64) {
    let program = program(source);
    let expected = returned(&program, last(&program), expected);
    assert_eq!(run(source, args), expected, "{source}");
}

#[test]
fn figure_1_of_the_paper() {
    let program = program(include_str!("../../../docs/examples/figure1.sym"));
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::C);
    let args = arguments(&program, FuncId::new(0), &[-2_147_483_647]);
    let outcome = machine.run(FuncId::new(0), &args, Limits::default());
    assert_eq!(outcome, returned(&program, FuncId::new(0), -2_147_483_645));
    let path: Vec<&str> =
        machine.path().iter().map(|b| &*program.functions[0].block(*b).name).collect();
    assert_eq!(path, ["entry", "B1", "B3", "B1", "B2", "exit"]);
    // b, a, c
    assert_eq!(machine.state(), [-2_147_483_647, 1, 1]);
}

#[test]
fn loops_and_switches() {
    let source = "
        fn f(n: i32) -> i32 {
            var i: i32 = 0;
            var sum: i32 = 0;
        entry: goto head;
        head: if i < n goto body else exit;
        body: i = i + 1; switch i % 3 { 0 -> three, 1 -> one, else -> head };
        one: sum = sum + 1; goto head;
        three: sum = sum + 100; goto head;
        exit: return sum;
        }";
    returns(source, &[7], 203);
    returns(source, &[0], 0);
}

#[test]
fn arrays_widen_and_narrow() {
    let source = "
        fn f(i: i32, x: u32) -> u32 {
            var a: [u8; 3] = [1, 2, 3];
        entry: a[i] = x + u32(i); return a[0] * 65536u32 + a[1] * 256u32 + a[2];
        }";
    returns(source, &[2, 256], 0x0001_0202);
    for index in [-1, 3] {
        let Outcome::Undefined(fault) = run(source, &[index, 0]) else { panic!() };
        assert_eq!(fault.hazard, Hazard::OutOfBounds);
    }
}

#[test]
fn huge_unsigned_indices_are_out_of_bounds() {
    let source = "
        fn f(i: u64) -> i32 { var a: [i16; 2] = [-5, -6]; entry: return a[i]; }";
    returns(source, &[1], -6);
    assert!(matches!(run(source, &[-1]), Outcome::Undefined(_)));
}

#[test]
fn select_evaluates_both_sides() {
    let source = "fn f(x: i32) -> i32 { entry: return select(x == 0, 7, 100 / x); }";
    returns(source, &[3], 33);
    assert!(matches!(run(source, &[0]), Outcome::Undefined(_)));
    let own = "fn f(x: i32, y: i32) -> i32 { entry: x = select(x > 0, x, y); return x; }";
    returns(own, &[5, 9], 5);
    returns(own, &[-5, 9], 9);
}

#[test]
fn globals_are_fresh_in_every_run() {
    let program = program(
        "global g: u16 = 65535;
         global a: [i8; 2] = [0, 0];
         fn f(x: i32) -> u32 {
         entry: g = g + 1u32; a[x] = 200; return g + u32(a[x]);
         }",
    );
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::C);
    for _ in 0..2 {
        let args = arguments(&program, FuncId::new(0), &[1]);
        let outcome = machine.run(FuncId::new(0), &args, Limits::default());
        assert_eq!(outcome, returned(&program, FuncId::new(0), i64::from(-56i32 as u32)));
        assert_eq!(machine.globals(), [0, 0, -56]);
    }
}

#[test]
fn calls_nest_and_recur() {
    let source = "
        fn fib(n: i32) -> i32 {
        entry: if n < 2 goto base else step;
        step: n = fib(n - 1) + fib(n - 2); goto base;
        base: return n;
        }
        fn f(x: i8) -> i32 { entry: return fib(fib(6) - 1) * 1000 + fib(10) + x; }";
    returns(source, &[-1], 13 * 1000 + 55 - 1);
}

#[test]
fn arguments_narrow_to_their_parameters() {
    let source = "
        fn low(x: u8) -> u32 { entry: return x; }
        fn f(x: u32) -> u32 { entry: return low(x + 1u32); }";
    returns(source, &[0x1ff], 0);
}

#[test]
fn checksum_covers_variables_and_named_globals() {
    let covered = |globals: &str, body: &str| {
        run(
            &format!(
                "{globals} fn f(x: u8) -> u32 {{ var a: [u8; 4] = [50, 51, 52, 53]; entry: {body} return checksum; }}"
            ),
            &[49],
        )
    };
    let mut crc = Crc32::new();
    for byte in b"12345" {
        crc.add(ScalarTy::Int(IntTy::U8), i64::from(*byte));
    }
    let returned =
        |crc: Crc32| Outcome::Returned(Scalar::new(ValueTy::CHECKSUM, i64::from(crc.value())));
    assert_eq!(covered("", ""), returned(crc));
    assert_eq!(covered("global g: u8 = 9;", ""), returned(crc));
    crc.add(ScalarTy::Int(IntTy::U16), 7);
    let named = covered("global g: u16 = 7; global h: u8 = 8;", "g = g;");
    assert_eq!(named, returned(crc));
}

#[test]
fn limits_end_runs_that_would_not() {
    let endless =
        "fn f() -> u32 { entry: goto a; a: if 1 goto a else exit; exit: return checksum; }";
    assert_eq!(run(endless, &[]), Outcome::OutOfSteps);
    let deep = "fn f(x: i32) -> i32 { entry: return f(x); }";
    assert_eq!(run(deep, &[1]), Outcome::OutOfDepth);
    let exact = program("fn f() -> i32 { entry: goto exit; exit: return 1; }");
    let code = Code::new(&exact);
    let mut machine = Machine::new(&code, Dialect::C);
    let with_steps = |steps| Limits { steps, ..Limits::default() };
    assert_eq!(
        machine.run(FuncId::new(0), &[], with_steps(2)),
        returned(&exact, FuncId::new(0), 1)
    );
    assert_eq!(machine.run(FuncId::new(0), &[], with_steps(1)), Outcome::OutOfSteps);
}

#[test]
fn a_large_frame_does_not_nest_beyond_memory() {
    let source =
        "fn f(x: i32) -> i32 { var a: [i8; 65536] = [0; 65536]; entry: return f(x) + a[x]; }";
    let program = program(source);
    let code = Code::new(&program);
    let limits = Limits { steps: u64::MAX, depth: usize::MAX };
    let args = arguments(&program, FuncId::new(0), &[0]);
    let outcome = Machine::new(&code, Dialect::C).run(FuncId::new(0), &args, limits);
    assert_eq!(outcome, Outcome::OutOfDepth);
}

#[test]
fn holes_stop_a_run_only_where_it_meets_them() {
    let source = "
        fn f(x: i32) -> i32 {
        entry: if x goto hole else exit;
        hole: x = x + ?s3; goto exit;
        exit: return x;
        }";
    returns(source, &[0], 0);
    assert!(matches!(run(source, &[1]), Outcome::Hole(hole, _) if hole.index() == 3));
    let local = "fn f() -> i32 { var x: i32 = ?s0; entry: return 1; }";
    assert!(matches!(run(local, &[]), Outcome::Hole(..)));
    let label =
        "fn f(x: i32) -> i32 { entry: switch x { 1 -> a, ?s0 -> a, else -> a }; a: return 1; }";
    returns(label, &[1], 1);
    assert!(matches!(run(label, &[2]), Outcome::Hole(..)));
}

#[test]
fn faults_say_where() {
    let source = "
        fn f(x: i32) -> i32 {
        entry: goto body;
        body: x = x + (1 << x) * 2; goto exit;
        exit: return x;
        }";
    let program = program(source);
    let code = Code::new(&program);
    let args = arguments(&program, FuncId::new(0), &[30]);
    let outcome = Machine::new(&code, Dialect::C).run(FuncId::new(0), &args, Limits::default());
    assert_eq!(
        outcome.describe(&program),
        "undefined: signed overflow in `(1 << x) * 2`, block body of f",
    );
    let outcome = Machine::new(&code, Dialect::Wasm).run(FuncId::new(0), &args, Limits::default());
    assert_eq!(outcome, returned(&program, FuncId::new(0), i64::from(i32::MIN + 30)));
}

#[test]
fn traps_are_told_apart_from_undefined_behaviour() {
    let source = "fn f(x: i32) -> i32 { entry: return 1 / x; }";
    let program = program(source);
    let code = Code::new(&program);
    let args = arguments(&program, FuncId::new(0), &[0]);
    let outcome =
        |dialect| Machine::new(&code, dialect).run(FuncId::new(0), &args, Limits::default());
    assert!(matches!(outcome(Dialect::C), Outcome::Undefined(_)));
    for dialect in [Dialect::Wasm, Dialect::Jvm] {
        let outcome = outcome(dialect);
        assert!(matches!(outcome, Outcome::Trapped(TrapKind::DivisionByZero, _)), "{outcome:?}");
    }
}

/// Keeps what it sees.
#[derive(Default)]
struct Recorder(Vec<(usize, BlockId, Vec<i64>)>);

impl Observer for Recorder {
    fn visit(&mut self, visit: &Visit<'_>) {
        self.0.push((visit.depth, visit.block, visit.cells.to_vec()));
    }
}

#[test]
fn observers_see_the_state_at_every_visit() {
    let program = program(
        "fn inner(y: i32) -> i32 { entry: return y + 1; }
         fn f(x: i32) -> i32 { var t: i32 = 5; entry: t = inner(x); goto exit; exit: return t; }",
    );
    let code = Code::new(&program);
    let mut recorder = Recorder::default();
    let mut machine = Machine::new(&code, Dialect::Jvm);
    let args = arguments(&program, FuncId::new(1), &[8]);
    machine.run_observed(FuncId::new(1), &args, Limits::default(), &mut recorder);
    let (entry, exit) = (BlockId::new(0), BlockId::new(1));
    let expected = [(0, entry, vec![8, 5]), (1, entry, vec![8]), (0, exit, vec![8, 9])];
    assert_eq!(recorder.0, expected);
}

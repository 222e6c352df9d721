//! Realizations that end in a trap: their text, the rules they obey, and what runs make of them.

use pathsmith_symlang::dialect::{Dialect, TrapKind};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Ending, Program, Realization, Scalar, validate};
use pathsmith_symlang::semantics::{Code, Limits, Machine};
use pathsmith_symlang::{BlockId, FuncId};

const QUOTIENT: &str = "fn f(a: i32, b: i32) -> i32 {
entry:
    a = a / b;
    goto exit;
exit:
    return a;
}
";

/// A program with one function and one realization.
fn realized(function: &str, realization: &str) -> Program {
    let source = format!("{function}{realization}\n");
    parse("traps.sym", &source).unwrap_or_else(|errors| panic!("{:?}", errors.problems()))
}

fn realization(program: &Program) -> &Realization {
    &program.functions[0].realizations[0]
}

/// Whether a run in `dialect` takes the path of the realization and ends as it says.
fn holds(program: &Program, dialect: Dialect) -> bool {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    let realization = realization(program);
    let outcome = machine.run(FuncId::new(0), &realization.args, Limits::default());
    outcome.ending() == Some(realization.ending) && machine.path() == realization.path.blocks()
}

#[track_caller]
fn check(function: &str, line: &str, dialects: &[Dialect]) {
    let program = realized(function, line);
    let held: Vec<Dialect> = Dialect::ALL.into_iter().filter(|d| holds(&program, *d)).collect();
    assert_eq!(held, dialects, "{line}");
}

#[test]
fn traps_are_printed_as_they_are_read() {
    let line = "realize f(1, 0) traps division_by_zero via entry;";
    let program = realized(QUOTIENT, line);
    assert_eq!(realization(&program).ending, Ending::Traps(TrapKind::DivisionByZero));
    assert_eq!(realization(&program).ending.returned(), None);
    assert_eq!(realization(&program).path.blocks(), [BlockId::new(0)]);
    assert_eq!(program.to_string(), format!("\n{QUOTIENT}{line}\n"));
    assert_eq!(parse("again.sym", &program.to_string()).unwrap(), program);
    for kind in TrapKind::ALL {
        let line = format!("realize f(1, 0) traps {kind} via entry exit;");
        let program = realized(QUOTIENT, &line);
        assert_eq!(realization(&program).ending, Ending::Traps(kind));
        assert!(program.to_string().ends_with(&format!("{line}\n")));
    }
}

/// `traps` is a word of realizations only, not a keyword.
#[test]
fn what_traps_may_be_called_traps() {
    let source = "fn traps(traps: i32) -> i32 { traps: return 1 % traps; }
        realize traps(0) traps division_by_zero via traps;";
    let program = parse("traps.sym", source).unwrap();
    assert!(holds(&program, Dialect::Wasm));
    assert_eq!(parse("again.sym", &program.to_string()).unwrap(), program);
}

#[test]
fn traps_hold_in_the_dialects_that_have_them() {
    let targets = [Dialect::Wasm, Dialect::Jvm];
    check(QUOTIENT, "realize f(1, 0) traps division_by_zero via entry;", &targets);
    let overflow = "realize f(-2147483648, -1) traps division_overflow via entry;";
    check(QUOTIENT, overflow, &[Dialect::Wasm]);
    check(QUOTIENT, "realize f(-2147483648, -1) = -2147483648 via entry exit;", &[Dialect::Jvm]);
    let index = "fn f(i: i32) -> i32 { var a: [i32; 2] = [5, 6]; entry: return a[i]; }";
    check(index, "realize f(2) traps out_of_bounds via entry;", &[Dialect::Jvm]);
    check(index, "realize f(1) traps out_of_bounds via entry;", &[]);
}

#[test]
fn another_ending_does_not_hold() {
    check(QUOTIENT, "realize f(1, 0) traps division_overflow via entry;", &[]);
    check(QUOTIENT, "realize f(1, 0) traps division_by_zero via entry exit;", &[]);
    check(QUOTIENT, "realize f(1, 0) = 0 via entry exit;", &[]);
    check(QUOTIENT, "realize f(1, 1) traps division_by_zero via entry;", &[]);
}

#[test]
fn a_callee_traps_in_the_block_of_its_caller() {
    let source = "fn half(x: i32) -> i32 { entry: goto exit; exit: return 2 / x; }
        fn f(x: i32) -> i32 { entry: goto mid; mid: x = half(x); goto exit; exit: return x; }";
    let program = parse("traps.sym", source).unwrap();
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::Jvm);
    let function = program.function_named("f").unwrap();
    let zero = Scalar::new(program.functions[1].params()[0].ty.cell_ty(), 0);
    let outcome = machine.run(function, &[zero], Limits::default());
    assert_eq!(outcome.ending(), Some(Ending::Traps(TrapKind::DivisionByZero)));
    assert_eq!(machine.path(), [0, 1].map(BlockId::new));
    let describe = "trapped: division by zero in `2 / x`, block exit of half";
    assert_eq!(outcome.describe(&program), describe);
}

/// Only a trap may end a path before the exit; nothing may end it off the graph.
#[test]
fn the_path_to_a_trap_is_a_walk_from_the_entry() {
    let valid = realized(QUOTIENT, "realize f(1, 0) traps division_by_zero via entry;");
    assert_eq!(validate(&valid), []);
    for broken in [
        "realize f(1, 0) = 0 via entry;",
        "realize f(1, 0) traps division_by_zero via exit;",
        "realize f(1, 0) traps division_by_zero via entry entry;",
        "realize f(1, 0) traps division_by_zero via ;",
    ] {
        let source = format!("{QUOTIENT}{broken}");
        let errors = parse("traps.sym", &source).expect_err(broken);
        let rules: Vec<&str> = errors.problems().iter().map(|problem| problem.rule()).collect();
        assert_eq!(rules, ["realization-path"], "{broken}");
    }
}

#[test]
fn unknown_kinds_of_traps_are_errors() {
    let check = |ending: &str, at: &str, message: &str| {
        let source = format!("{QUOTIENT}realize f(1, 0) {ending} via entry;");
        let errors = parse("traps.sym", &source).expect_err(ending);
        let [problem] = errors.problems() else { panic!("{:?}", errors.problems()) };
        let span = problem.span();
        assert_eq!(&source[span.start..span.end], at);
        assert_eq!(problem.message(), message);
        assert_eq!(problem.rule(), "syntax");
    };
    check("traps stack_overflow", "stack_overflow", "`stack_overflow` is no kind of trap");
    check("traps DivisionByZero", "DivisionByZero", "`DivisionByZero` is no kind of trap");
}

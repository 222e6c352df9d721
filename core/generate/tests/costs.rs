//! What solving costs: memory grows with the path, and calls that do not return end the search.

#[cfg(feature = "smt")]
use pathsmith_generate::solve::SmtEngine;
use pathsmith_generate::solve::{Answer, Engine, ForwardEngine, Obstacle, Task, verify};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::{BlockId, FuncId, Seed};

fn path(blocks: impl IntoIterator<Item = usize>) -> Path {
    Path::new(blocks.into_iter().map(BlockId::new).collect())
}

/// A path of 120,000 steps with 60,000 cells: a copy of the state for each step would take 58 GB.
#[test]
fn memory_is_linear_in_the_path() {
    let source = "fn f(n: i32) -> u32 {
            var t: [i32; 60000] = [0; 60000];
            var i: i32 = 0;
        entry: goto head;
        head: i = i + 1; if i < ?s0 goto body else exit;
        body: t[i] = n + ?s1; goto head;
        other: t[i] = t[?s2] + ?s3; if t[0] > ?s4 goto head else exit;
        exit: return checksum;
        }";
    let program = parse("long", source).unwrap();
    let rounds = (0..59_999).flat_map(|_| [1, 2]);
    let path = path([0].into_iter().chain(rounds).chain([1, 4]));
    let (function, dialect) = (FuncId::FIRST, Dialect::C);
    let task = Task { program: &program, function, path: &path, dialect };
    let answer = ForwardEngine::default().solve(&task, &mut Seed::new(1).rng());
    let Answer::Solved(model) = answer else { panic!("{answer:?}") };
    assert!(verify(&task, &model).is_ok());
    assert!(model.holes.iter().all(Option::is_some), "{:?}", model.holes);
}

#[cfg(feature = "smt")]
#[test]
fn z3_is_not_asked_about_long_paths() {
    let source = "fn f(n: i32) -> i32 {
        entry: goto head;
        head: n = n + ?s0; if n < ?s1 goto head else exit;
        exit: return n;
        }";
    let program = parse("long", source).unwrap();
    let path = path([0].into_iter().chain([1; 20_000]).chain([2]));
    let (function, dialect) = (FuncId::FIRST, Dialect::C);
    let task = Task { program: &program, function, path: &path, dialect };
    let answer = SmtEngine::default().solve(&task, &mut Seed::new(1).rng());
    let Answer::GaveUp(gave_up) = answer else { panic!("{answer:?}") };
    assert_eq!(gave_up.obstacle, Obstacle::Unsupported);
    assert_eq!(gave_up.why, "the path has 20002 steps, and Z3 is asked about 10000");
}

const ENDLESS: &str = "fn endless(a: i32) -> i32 {
    entry: goto again;
    again: if a == a goto again else exit;
    exit: return a;
    }
    fn f(x: i32) -> i32 {
    entry: x = endless(x) + ?s0; goto exit;
    exit: return x;
    }";

#[test]
fn calls_that_do_not_return_end_the_search() {
    let program = parse("endless", ENDLESS).unwrap();
    let path = path([0, 1]);
    let (function, dialect) = (FuncId::new(1), Dialect::C);
    let task = Task { program: &program, function, path: &path, dialect };
    for steps in [1_000, 100_000] {
        let limits = Limits { steps, ..Limits::default() };
        let mut engine = ForwardEngine { limits, ..ForwardEngine::default() };
        let Answer::GaveUp(gave_up) = engine.solve(&task, &mut Seed::new(1).rng()) else {
            panic!("it is solved")
        };
        assert_eq!((gave_up.step, gave_up.obstacle), (0, Obstacle::OutOfFuel));
        let expected = format!("calls of `endless` do not return within {steps} steps");
        assert_eq!(gave_up.why, expected);
    }
}

#[test]
fn calls_that_return_late_are_found_out() {
    // It returns for some arguments, and takes long for all others.
    let source = ENDLESS.replace("a == a", "a != 7").replace("endless(x)", "endless(7)");
    let program = parse("late", &source).unwrap();
    let path = path([0, 1]);
    let (function, dialect) = (FuncId::new(1), Dialect::C);
    let task = Task { program: &program, function, path: &path, dialect };
    let answer = ForwardEngine::default().solve(&task, &mut Seed::new(1).rng());
    assert!(matches!(answer, Answer::Solved(_)), "{answer:?}");
}

//! What large programs cost: time grows with their size, not with its square.

use std::fmt::Write;
use std::time::{Duration, Instant};

use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Calls, Program};
use pathsmith_symlang::semantics::Code;

/// How much larger the second of two programs is.
const FACTOR: usize = 16;

/// How often both sizes are measured at most.
const ROUNDS: usize = 8;

/// How long something takes.
fn time<T>(act: impl Fn() -> T) -> Duration {
    let started = Instant::now();
    let made = act();
    let elapsed = started.elapsed();
    drop(made);
    elapsed
}

/// The time that it takes to read a program and make it ready to run.
fn cost(text: &str) -> Duration {
    time(|| Code::new(&parse("costs", text).expect("a valid program")))
}

/// Checks that a program that is 16 times as large takes far less than 256 times as long. No clock
/// decides: both are measured in the same run, and the bound lies four times above what is expected.
fn check(what: &str, n: usize, program: impl Fn(usize) -> String) {
    let (small, large) = (program(n), program(FACTOR * n));
    check_times(what, || cost(&small), || cost(&large));
}

/// Whatever else the machine does only makes both slower, so the least time of each counts.
fn check_times(what: &str, small: impl Fn() -> Duration, large: impl Fn() -> Duration) {
    let mut least = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        least = (least.0.min(small()), least.1.min(large()));
        let ratio = least.1.as_secs_f64() / least.0.as_secs_f64();
        if ratio < (4 * FACTOR) as f64 {
            return;
        }
    }
    panic!("{what}: {:?}, then {:?}", least.0, least.1);
}

#[test]
fn functions_are_found_in_time_linear_in_the_program() {
    check("functions", 6_000, |n| {
        let mut text = String::new();
        for i in 0..n {
            let next = (i + 1) % n;
            let _ = write!(
                text,
                "fn g{i}(a: i32) -> i32 {{ e: return g{next}(a); }} realize g{i}(1) = 1 via e;"
            );
        }
        text
    });
}

/// Backends ask about every function whether it is called, and what it reaches.
#[test]
fn calls_are_found_in_time_linear_in_the_program() {
    let program = |n: usize| {
        let mut text = String::new();
        for i in 0..n {
            let _ = write!(text, "fn g{i}(a: i32) -> i32 {{ e: return g{}(a); }}", i ^ 1);
        }
        parse("costs", &text).expect("a valid program")
    };
    let cost = |program: &Program| {
        time(|| {
            let calls = Calls::new(program);
            let ask = |(id, _)| (calls.is_called(id), calls.is_recursive(id), calls.reached(id));
            program.functions_with_ids().map(ask).collect::<Vec<_>>()
        })
    };
    let (small, large) = (program(8_000), program(FACTOR * 8_000));
    check_times("calls", || cost(&small), || cost(&large));
}

/// A call of the first function leads to all others: whether it is recursive is not found out anew
/// for each of them.
#[test]
fn recursion_is_found_in_time_linear_in_the_program() {
    let program = |n: usize| {
        let mut text = "fn g0(a: i32) -> i32 { e: return a; }".to_owned();
        for i in 1..n {
            let _ = write!(text, "fn g{i}(a: i32) -> i32 {{ e: return g{}(a); }}", i - 1);
        }
        parse("costs", &text).expect("a valid program")
    };
    let cost = |program: &Program| {
        time(|| {
            let calls = Calls::new(program);
            program.functions_with_ids().filter(|(id, _)| calls.is_recursive(*id)).count()
        })
    };
    let (small, large) = (program(1_000), program(FACTOR * 1_000));
    check_times("recursion", || cost(&small), || cost(&large));
}

#[test]
fn variables_are_found_in_time_linear_in_the_program() {
    check("variables", 6_000, |n| {
        let mut text = "fn f() -> u32 {".to_owned();
        (0..n).for_each(|i| write!(text, "var v{i}: [i32; 2] = [1, 2];").unwrap());
        text.push_str("e:");
        (0..n).for_each(|i| write!(text, "v{i}[0] = v{}[1];", n - 1 - i).unwrap());
        text.push_str("return checksum(");
        (0..n).for_each(|i| write!(text, "{}v{i}", if i > 0 { ", " } else { "" }).unwrap());
        text + "); }"
    });
}

#[test]
fn globals_cost_nothing_in_functions_that_do_not_name_them() {
    check("globals", 6_000, |n| {
        let mut text = String::new();
        for i in 0..n {
            let _ = write!(
                text,
                "global g{i}: i32 = 1; fn g{i}() -> u32 {{ e: return checksum(g{i}); }}"
            );
        }
        text
    });
}

#[test]
fn labels_are_collected_once_for_all_realizations() {
    check("realizations", 1_000, |n| {
        let mut text = "fn f(a: i32) -> i32 {".to_owned();
        (0..n).for_each(|i| write!(text, "b{i}: goto b{};", i + 1).unwrap());
        let _ = write!(text, "b{n}: return a / 0; }}");
        (0..n).for_each(|i| {
            write!(text, "realize f({i}) traps division_by_zero via b0;").unwrap();
        });
        text
    });
}

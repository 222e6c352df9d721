//! What large programs cost: time grows with their size, not with its square.

use std::fmt::Write;
use std::time::{Duration, Instant};

use pathsmith_symlang::lang::Calls;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::semantics::Code;

/// How much larger the second of two programs is.
const FACTOR: usize = 16;

/// The least time of a few that something takes.
fn least<T>(act: impl Fn() -> T) -> Duration {
    let once = |_| {
        let started = Instant::now();
        let made = act();
        let elapsed = started.elapsed();
        drop(made);
        elapsed
    };
    (0..3).map(once).min().unwrap_or_default()
}

/// The time that it takes to read a program and make it ready to run.
fn cost(text: &str) -> Duration {
    least(|| Code::new(&parse("costs", text).expect("a valid program")))
}

/// Checks that a program that is 16 times as large takes far less than 256 times as long. No clock
/// decides: both are measured in the same run, and the bound lies four times above what is expected.
fn check(what: &str, n: usize, program: impl Fn(usize) -> String) {
    check_times(what, cost(&program(n)), cost(&program(FACTOR * n)));
}

fn check_times(what: &str, small: Duration, large: Duration) {
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    assert!(ratio < (4 * FACTOR) as f64, "{what}: {small:?}, then {large:?}");
}

#[test]
fn functions_are_found_in_time_linear_in_the_program() {
    check("functions", 6_000, |n| {
        let mut text = String::new();
        for i in 0..n {
            let next = (i + 1) % n;
            let _ = write!(
                text,
                "fn f{i}(a: i32) -> i32 {{ e: return f{next}(a); }} realize f{i}(1) = 1 via e;"
            );
        }
        text
    });
}

/// Backends ask about every function whether it is called, and what it reaches.
#[test]
fn calls_are_found_in_time_linear_in_the_program() {
    let cost = |n: usize| {
        let mut text = String::new();
        for i in 0..n {
            let _ = write!(text, "fn f{i}(a: i32) -> i32 {{ e: return f{}(a); }}", i ^ 1);
        }
        let program = parse("costs", &text).expect("a valid program");
        least(|| {
            let calls = Calls::new(&program);
            let ask = |(id, _)| (calls.is_called(id), calls.is_recursive(id), calls.reached(id));
            program.functions_with_ids().map(ask).collect::<Vec<_>>()
        })
    };
    check_times("calls", cost(8_000), cost(FACTOR * 8_000));
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
                "global g{i}: i32 = 1; fn f{i}() -> u32 {{ e: return checksum(g{i}); }}"
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

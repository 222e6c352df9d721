//! Whole programs: what is linked is valid, does what its functions did alone, and ends.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;

use pathsmith_generate::link::{LinkError, LinkOptions, LinkStats, Linked, Pool, link};
use pathsmith_generate::policy::Policies;
use pathsmith_generate::{GenConfig, generate_pool};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, Calls, Expr, Function, IntTy, Program, RecursionGuard, Scalar, Stmt, Term, validate,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit};
use pathsmith_symlang::{FuncId, Seed};

/// Sixteen functions in each dialect.
static POOLS: LazyLock<Vec<Pool>> = LazyLock::new(|| Dialect::ALL.map(pool).to_vec());

fn pool(dialect: Dialect) -> Pool {
    // Small functions without arrays would not show everything.
    let mut config = GenConfig { policy: Policies::none(), ..GenConfig::default() };
    config.graph.switch_share = 0.15;
    generate_pool(&config, dialect, Seed::new(6), 16).expect("functions that are solved")
}

/// Runs every realization of a program, with no more than the steps that are allowed.
fn assert_holds(program: &Program, limits: Limits) {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, program.dialect.expect("a dialect"));
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let outcome = machine.run(id, &realization.args, limits);
            assert!(matches!(outcome, Outcome::Returned(_)), "{program}");
            assert_eq!(outcome.ending(), Some(realization.ending), "{program}");
            assert_eq!(machine.leaving(), realization.leaving, "{program}");
            assert_eq!(machine.path(), realization.path.blocks());
        }
    }
}

fn assert_sound(linked: &Linked) {
    let program = &linked.program;
    assert_eq!(validate(program), [], "{program}");
    assert_eq!(parse("linked", &program.to_string()).expect("a valid program"), *program);
    assert!(!program.functions[0].realizations.is_empty());
    assert_holds(program, Limits::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn programs_are_valid_and_do_what_they_should(seed: u64, n in 1u32..12, rounds in 1u32..5) {
        for pool in POOLS.iter() {
            let options = LinkOptions {
                functions: n, rounds, recursion: 1.0, guards: 0.3, ..LinkOptions::default()
            };
            for number in 0..8 {
                let mut rng = Seed::new(seed).nth(number).rng();
                let linked = link(pool, &options, "f0", &mut rng).unwrap();
                assert_sound(&linked);
                let again = link(pool, &options, "f0", &mut Seed::new(seed).nth(number).rng());
                prop_assert_eq!(again.unwrap(), linked);
            }
        }
    }

    /// C does not say which operand is evaluated first.
    #[test]
    fn the_order_of_evaluation_does_not_matter(seed: u64) {
        let pool = &POOLS[0];
        let options = LinkOptions {
            recursion: 1.0, nested: 0.5, calls: 6, rounds: 2, off_path: 0.0, ..LinkOptions::default()
        };
        for number in 0..20 {
            let mut rng = Seed::new(seed).nth(number).rng();
            let mut program = link(pool, &options, "f0", &mut rng).unwrap().program;
            for function in &mut program.functions {
                for expr in function.exprs_mut() {
                    if let Expr::Binary(BinOp::Add | BinOp::Mul | BinOp::Xor, lhs, rhs) = expr {
                        std::mem::swap(lhs, rhs);
                    }
                }
            }
            assert_holds(&program, Limits::default());
        }
    }

    #[test]
    fn runs_keep_within_steps_and_depth(seed: u64, steps in 1u32..5000, depth in 2u32..60) {
        let pool = &POOLS[1];
        let options = LinkOptions {
            functions: 16, recursion: 1.0, rounds: 50, extra_pairs: 3.0, steps, depth,
            ..LinkOptions::default()
        };
        let steps = u64::from(steps).max(4 * pool.longest_path() as u64);
        for number in 0..10 {
            let mut rng = Seed::new(seed).nth(number).rng();
            let linked = link(pool, &options, "f0", &mut rng).unwrap();
            assert_holds(&linked.program, Limits { steps, depth: depth as usize });
        }
    }
}

#[test]
fn whatever_is_put_behind_a_guard_comes_to_its_rounds() {
    let text = |value: i32| {
        format!(
            "fn f(a: i32) -> i32 {{ e: return a + {value}; }} realize f(1) = {} via e;",
            value + 1
        )
    };
    let mut pool = Pool::new(Dialect::C);
    pool.add(parse("f", &text(6)).unwrap(), 1).unwrap();
    let options = LinkOptions {
        functions: 1,
        recursion: 1.0,
        calls: 1,
        off_path: 0.0,
        ..LinkOptions::default()
    };
    let linked = link(&pool, &options, "f0", &mut Seed::new(3).rng()).unwrap();
    assert_eq!(linked.n_guards, 1, "{}", linked.program);
    let guard = RecursionGuard::of(&linked.program, FuncId::new(1)).unwrap();
    let code = Code::new(&linked.program);
    let mut n_visits = 0;
    Machine::new(&code, Dialect::C).run_observed(
        FuncId::FIRST,
        &[Scalar::new(IntTy::I32, 1)],
        Limits::default(),
        &mut |visit: &Visit<'_>| n_visits += u32::from(visit.function == guard.body),
    );
    // The one that was asked for, and those that the guard lets through.
    assert_eq!(n_visits, 1 + guard.rounds);
}

/// Where the calls of many programs stand.
#[test]
fn calls_stand_everywhere() {
    let pool = &POOLS[0];
    let mut seen = BTreeSet::new();
    let mut stats = LinkStats::default();
    for number in 0..300 {
        let mut rng = Seed::new(9).nth(number).rng();
        let linked = link(pool, &LinkOptions::default(), "f0", &mut rng).unwrap();
        stats.add(&linked);
        for function in
            &linked.program.functions[..linked.program.functions.len() - linked.n_guards]
        {
            note_calls(function, &mut seen);
        }
        let calls = Calls::new(&linked.program);
        if (0..linked.program.functions.len()).any(|id| calls.is_recursive(FuncId::new(id))) {
            seen.insert("recursion");
        }
    }
    let all = ["argument", "condition", "index", "recursion", "several", "statement", "switch"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    let share = |n: u64, of: u64| n as f64 / of as f64;
    let shares = [
        share(stats.n_recursive, stats.n_programs),
        share(stats.n_in_loops, stats.n_programs),
        share(stats.n_functions_run, stats.n_functions),
    ];
    assert!(shares[0] > 0.4 && shares[1] > 0.6 && shares[2] > 0.75, "{shares:?}");
}

fn note_calls(function: &Function, seen: &mut BTreeSet<&'static str>) {
    let n_calls = |root| {
        let (mut n, mut stack) = (0, vec![root]);
        while let Some(id) = stack.pop() {
            let expr = function.expr(id);
            n += u32::from(matches!(expr, Expr::Call(..)));
            stack.extend(expr.operands());
        }
        n
    };
    let mut note = |root, what| {
        let n = n_calls(root);
        if n > 0 {
            seen.insert(what);
        }
        if n > 1 {
            seen.insert("several");
        }
    };
    for block in &function.blocks {
        for stmt in &block.stmts {
            let Stmt::Assign { value, .. } = stmt;
            note(*value, "statement");
        }
        match block.term {
            Term::If { cond, .. } => note(cond, "condition"),
            Term::Switch { on, .. } => note(on, "switch"),
            _ => {}
        }
    }
    function.for_each_expr(|_, expr| match expr {
        Expr::Read(place) => place.indices().for_each(|index| note(index, "index")),
        Expr::Call(_, args) => args.iter().for_each(|arg| note(*arg, "argument")),
        _ => {}
    });
}

#[test]
fn what_is_not_true_is_found_out() {
    let text = "fn f(a: i32) -> i32 { e: return a + 6; } realize f(1) = 8 via e;";
    let mut pool = Pool::new(Dialect::C);
    pool.add(parse("f", text).unwrap(), 1).unwrap();
    let options = LinkOptions { functions: 1, ..LinkOptions::default() };
    let error = link(&pool, &options, "f0", &mut Seed::new(1).rng()).unwrap_err();
    assert!(matches!(error, LinkError::Unsound { .. }), "{error}");
    let two = LinkOptions { functions: 2, ..options };
    let error = link(&pool, &two, "f0", &mut Seed::new(1).rng()).unwrap_err();
    assert_eq!(error.to_string(), "the pool has 1 functions, but a program needs 2");
}

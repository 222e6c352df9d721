//! From sketches to functions that take their path: the forward engine, and the whole pipeline.

use pathsmith_generate::policy::{Policies, Policy};
use pathsmith_generate::shape::{Iterations, PathSampler, WalkMode, WalkOptions, random_cfg};
use pathsmith_generate::solve::{Answer, Engine, ForwardEngine, Obstacle, Task, verify};
use pathsmith_generate::{GenConfig, Leaf, generate_leaf};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Program, validate};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, Seed};
use proptest::prelude::*;

fn path_named(program: &Program, names: &str) -> Path {
    let function = &program.functions[0];
    let block = |name| function.blocks.iter().position(|block| block.name == name).expect(name);
    Path::new(names.split(' ').map(|name| pathsmith_symlang::BlockId::new(block(name))).collect())
}

fn solve(source: &str, path: &str, dialect: Dialect) -> Answer {
    let program = parse("sketch", source).expect("a valid sketch");
    let path = path_named(&program, path);
    let task = Task { program: &program, function: FuncId::new(0), path: &path, dialect };
    let answer = ForwardEngine::default().solve(&task, &mut Seed::new(5).rng());
    if let Answer::Solved(model) = &answer {
        assert!(verify(&task, model).is_ok());
    }
    answer
}

/// Figure 1 of the paper with its symbols as holes.
const FIGURE_1: &str = "
    fn func(b: i32) -> i32 {
        var a: i32 = ?s1;
        var c: i32 = ?s2;
    entry: goto B1;
    B1: c = a * ?s3 + b * ?s4 + ?s5; if c * ?s6 + ?s7 <= 0 goto B3 else B2;
    B2: goto exit;
    B3: a = c * ?s8 + ?s9; goto B1;
    exit: return a + b + c;
    }";

#[test]
fn the_sketch_of_figure_1_is_solved() {
    for dialect in Dialect::ALL {
        let answer = solve(FIGURE_1, "entry B1 B3 B1 B2 exit", dialect);
        assert!(matches!(answer, Answer::Solved(_)), "{dialect}: {answer:?}");
    }
}

#[test]
fn what_cannot_be_told_apart_is_named() {
    let source = "
        fn f(x: i32) -> u32 {
        entry: goto head;
        head: if x > ?s0 goto body else exit;
        body: goto head;
        exit: return checksum;
        }";
    let Answer::GaveUp(gave_up) = solve(source, "entry head body head exit", Dialect::C) else {
        panic!("the visits of head look alike");
    };
    assert_eq!((gave_up.block.index(), gave_up.obstacle), (1, Obstacle::Inseparable));
}

#[test]
fn what_cannot_be_defined_is_named() {
    let source = "fn f(x: i32) -> i32 { entry: x = ?s0 / 0; goto exit; exit: return x; }";
    let Answer::GaveUp(gave_up) = solve(source, "entry exit", Dialect::C) else {
        panic!("division by zero has no value");
    };
    assert_eq!((gave_up.step, gave_up.obstacle), (0, Obstacle::OutOfFuel));
}

#[test]
fn switches_arrays_calls_and_globals_are_solved() {
    let source = "
        global g: [i16; 4] = [1, -2, 3, -4];
        fn f(x: i64) -> u32 {
            var t: [u8; 3] = [?s0, ?s1, ?s2];
            var k: u32 = ?s3;
        entry: k = k + ?s4:u32; t[?s5] = t[k % 3u32] + u32(g[?s6] & ?s7); goto head;
        head: k = k * ?s8:u32 + helper(?s9:u64); switch x + i64(k) { ?s10 -> one, ?s11 -> two, else -> exit };
        one: x = x / ?s12:i64 + ?s13:i64; goto head;
        two: g[?s14] = i32(k) ^ ?s15; goto head;
        exit: return checksum;
        }
        fn helper(y: u64) -> u32 { e: return u32(y) + 5u32; }";
    for dialect in Dialect::ALL {
        let answer = solve(source, "entry head one head two head exit", dialect);
        assert!(matches!(answer, Answer::Solved(_)), "{dialect}: {answer:?}");
    }
}

/// A counter, a threshold between sums, a comparison whose contrary is asked for, and one that is
/// about NaN alone.
#[test]
fn decisions_between_floats_are_solved() {
    let source = "
        fn f(x: f32, n: i64) -> u32 {
            var y: f64 = ?s0;
            var z: f32 = nan;
        entry: goto head;
        head: y = y + ?s1:f64; if y * ?s2:f64 >= ?s3:f64 goto body else next;
        body: x = sqrt(abs(x)) - ?s4:f32; goto head;
        next: if (?s5:f32 > x + f32(n)) == 0 goto odd else exit;
        odd: n = n + i64(select(abs(x) < 9.0f32, x, 1.0f32)); if z < ?s6:f32 goto exit else last;
        last: if x == ?s7:f32 goto body else exit;
        exit: return checksum;
        }";
    for dialect in Dialect::ALL {
        for path in [
            "entry head body head body head next odd last exit",
            "entry head body head next exit",
            "entry head next odd last body head next odd last exit",
        ] {
            let answer = solve(source, path, dialect);
            assert!(matches!(answer, Answer::Solved(_)), "{dialect}: {answer:?}");
        }
        let never = solve(source, "entry head next odd exit", dialect);
        assert!(matches!(never, Answer::GaveUp(_)), "{dialect}: {never:?}");
    }
}

fn configs() -> Vec<GenConfig> {
    let loops = |config: GenConfig, steps| GenConfig {
        walk: WalkOptions {
            mode: WalkMode::Loops,
            min_len: steps,
            max_len: steps,
            iterations: Iterations::LogUniform { low: 2, high: 30 },
        },
        ..config
    };
    let plain = || GenConfig { policy: Policies::none(), ..GenConfig::default() };
    let mut switches = plain();
    switches.graph.switch_share = 0.3;
    switches.graph.loops = 2;
    let swarm = GenConfig { swarm: true, ..switches.clone() };
    vec![
        GenConfig::paper(),
        plain(),
        GenConfig::default(),
        every_policy(),
        loops(GenConfig::paper(), 100),
        loops(plain(), 200),
        loops(switches.clone(), 60),
        switches,
        swarm,
        floats(GenConfig::default()),
        floats(loops(plain(), 60)),
    ]
}

/// A config in which every function has floating-point numbers.
fn floats(mut config: GenConfig) -> GenConfig {
    config.sketch.float_share = 1.0;
    config
}

/// A config in which every function is made by every policy.
fn every_policy() -> GenConfig {
    let mut config = GenConfig::default();
    for policy in Policy::ALL {
        *config.policy.weight_mut(policy) = 1.0;
    }
    config
}

/// Holds a function against everything that is promised of it.
fn check_leaf(leaf: &Leaf, dialect: Dialect) {
    let program = &leaf.program;
    assert_eq!(validate(program), []);
    let text = program.to_string();
    assert!(!text.contains('?'), "a hole is left:\n{text}");
    assert_eq!(&parse("leaf", &text).expect("valid"), program);
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    assert!(!program.functions[0].realizations.is_empty());
    for realization in &program.functions[0].realizations {
        let outcome = machine.run(FuncId::new(0), &realization.args, Limits::default());
        assert!(matches!(outcome, Outcome::Returned(_)), "{text}");
        assert_eq!(outcome.ending(), Some(realization.ending), "{text}");
        assert_eq!(machine.leaving(), realization.leaving, "{text}");
        assert_eq!(machine.path(), realization.path.blocks(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn functions_take_the_path_that_was_asked_for(seed: u64, number in 0u64..1000) {
        for (i, config) in configs().into_iter().enumerate() {
            let dialect = Dialect::ALL[(seed as usize + i) % 3];
            let result = generate_leaf(&config, dialect, Seed::new(seed), number);
            let Ok(leaf) = result else { continue };
            check_leaf(&leaf, dialect);
            if config.swarm || config.policy != Policies::none() || !leaf.templates.is_empty() {
                // Its graph is of sizes that were drawn for it.
                continue;
            }
            // The path is the first that the seed gives, not one that was easier.
            let mut rng = Seed::new(seed).child("leaf").nth(number).child("shape").rng();
            let cfg = random_cfg(&config.graph, &mut rng);
            let path = PathSampler::new(&cfg).path(&config.walk, &mut rng);
            prop_assert_eq!(&leaf.program.functions[0].cfg().unwrap().n_blocks(), &cfg.n_blocks());
            prop_assert_eq!(&leaf.program.functions[0].realizations[0].path, &path);
        }
    }
}

#[test]
fn practically_every_path_is_solved() {
    for (i, config) in configs().into_iter().enumerate() {
        for dialect in Dialect::ALL {
            let n_unsolved = (0..150)
                .filter(|number| {
                    generate_leaf(&config, dialect, Seed::new(i as u64), *number).is_err()
                })
                .count();
            assert!(n_unsolved <= 1, "config {i}, {dialect}: {n_unsolved} of 150 unsolved");
        }
    }
}

#[test]
fn constants_are_rarely_trivial_and_functions_have_many_realizations() {
    for dialect in Dialect::ALL {
        let mut stats = pathsmith_generate::LeafStats::default();
        let mut by_policies = stats.clone();
        let plain = GenConfig { policy: Policies::none(), ..GenConfig::default() };
        for number in 0..300 {
            stats.add(&generate_leaf(&plain, dialect, Seed::new(1), number));
            let leaf = generate_leaf(&GenConfig::default(), dialect, Seed::new(1), number);
            by_policies.add(&leaf);
        }
        for stats in [&stats, &by_policies] {
            assert!((stats.n_trivial as f64) < 0.35 * stats.n_constants as f64);
        }
        assert!(by_policies.realizations.mean() >= 12.0, "{}", by_policies.realizations.mean());
        assert!(stats.realizations.mean() >= 16.0, "{}", stats.realizations.mean());
        assert!(stats.paths.mean() >= 3.5, "{}", stats.paths.mean());
    }
}
